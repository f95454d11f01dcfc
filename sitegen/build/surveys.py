"""Surveying as a map over combos: in this process, or the same answers from several."""

from __future__ import annotations

from sitegen.build.processes import processes_for, shared_out
from sitegen.catalog.domain.catalog import Catalog
from sitegen.engine.assessment import ComboSurvey, Survey
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.survey import prepare_all, survey, survey_combo


def survey_in(catalog: Catalog, *, jobs: int = 1) -> Survey:
    """Assess every model on every combo.

    Args:
        catalog: What is surveyed.
        jobs: Processes to use where the system can fork; the answers do not depend on it.
    """
    processes = processes_for(jobs, len(catalog.combos))
    if processes == 1:
        return survey(catalog)
    engine, combos = FitEngine(catalog), list(catalog.combos.values())
    prepare_all(engine)

    def share(first: int) -> dict[str, ComboSurvey]:
        return {combo.id: survey_combo(engine, combo) for combo in combos[first::processes]}

    found: dict[str, ComboSurvey] = {}
    for part in shared_out(share, processes):
        found.update(part)
    return Survey({combo_id: found[combo_id] for combo_id in catalog.combos})
