"""Surveying as a map over combos: in this process, or the same answers from several."""

from __future__ import annotations

from sitegen.build.processes import processes_for, shared_out
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
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
    engine = FitEngine(catalog)
    prepare_all(engine)
    shares = alike_together(engine, processes)
    found: dict[str, ComboSurvey] = {}
    for part in shared_out(
        lambda share: {combo.id: survey_combo(engine, combo) for combo in shares[share]}, processes
    ):
        found.update(part)
    return Survey({combo_id: found[combo_id] for combo_id in catalog.combos})


def alike_together(engine: FitEngine, processes: int) -> list[list[Combo]]:
    """Share combos out so that those of the same GPU, which share evaluations, stay together."""
    groups: dict[str, list[Combo]] = {}
    for combo in engine.catalog.combos.values():
        groups.setdefault(combo.gpus[0].gpu.id, []).append(combo)
    weights = {name: sum(len(engine.sets(c)) for c in found) for name, found in groups.items()}
    shares: list[list[Combo]] = [[] for _ in range(processes)]
    loads = [0] * processes
    for name in sorted(groups, key=lambda name: (-weights[name], name)):
        lightest = loads.index(min(loads))
        shares[lightest] += groups[name]
        loads[lightest] += weights[name]
    return shares
