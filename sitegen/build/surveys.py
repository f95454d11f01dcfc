"""Surveying as a map over combos: in this process, or the same answers from several."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor

from sitegen.catalog.domain.catalog import Catalog
from sitegen.engine.assessment import ComboSurvey, Survey
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.survey import prepare_all, survey, survey_combo

_inherited: dict[str, FitEngine] = {}


def survey_in(catalog: Catalog, *, jobs: int = 1) -> Survey:
    """Assess every model on every combo.

    Args:
        catalog: What is surveyed.
        jobs: Processes to use where the system can fork; the answers do not depend on it.
    """
    forkable = "fork" in multiprocessing.get_all_start_methods()
    if jobs <= 1 or not forkable or len(catalog.combos) < jobs:
        return survey(catalog)
    engine = FitEngine(catalog)
    prepare_all(engine)
    found: dict[str, ComboSurvey] = {}
    for part in _in_processes(engine, jobs):
        found.update(part)
    return Survey({combo_id: found[combo_id] for combo_id in catalog.combos})


def _in_processes(engine: FitEngine, jobs: int) -> Iterator[Mapping[str, ComboSurvey]]:
    _inherited["engine"] = engine  # workers see it because they are forked after this line
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
            yield from pool.map(_share, range(jobs), [jobs] * jobs)
    finally:
        _inherited.clear()


def _share(first: int, step: int) -> Mapping[str, ComboSurvey]:
    gc.disable()  # a worker lives for one share and frees nothing before it ends
    engine = _inherited["engine"]
    combos = list(engine.catalog.combos.values())[first::step]
    return {combo.id: survey_combo(engine, combo) for combo in combos}
