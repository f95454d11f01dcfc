"""Surveying as a map over combos: in this process, or the same answers from several."""

from __future__ import annotations

from sitegen.build.processes import processes_for, shared_out
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.engine.assessment import ComboSurvey, Survey
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.judged_records import NOTHING, JudgedRecords, judge_records
from sitegen.engine.survey import prepare_all, survey_combo

RECORDS_SHARE = 0.08
"""Judging the records, as a share of the work of surveying the combos."""


def answers_in(catalog: Catalog, *, jobs: int = 1) -> tuple[Survey, JudgedRecords]:
    """Assess every model on every combo, and judge every record.

    Args:
        catalog: What is surveyed.
        jobs: Processes to use where the system can fork; the answers do not depend on it.
    """
    engine = FitEngine(catalog)
    prepare_all(engine)
    processes = processes_for(jobs, len(catalog.combos))
    shares = alike_together(engine, processes)
    found: dict[str, ComboSurvey] = {}
    records = NOTHING

    def work(share: int) -> tuple[dict[str, ComboSurvey], JudgedRecords | None]:
        surveyed = {combo.id: survey_combo(engine, combo) for combo in shares[share]}
        return surveyed, judge_records(engine) if share == 0 else None

    for surveyed, judged in shared_out(work, processes) if processes > 1 else [work(0)]:
        found.update(surveyed)
        records = judged or records
    return Survey({combo_id: found[combo_id] for combo_id in catalog.combos}), records


def alike_together(engine: FitEngine, processes: int) -> list[list[Combo]]:
    """Share combos out: those of the same GPU share evaluations and stay together.

    The first share is smaller, because its process judges the records too.
    """
    groups: dict[str, list[Combo]] = {}
    for combo in engine.catalog.combos.values():
        groups.setdefault(combo.gpus[0].gpu.id, []).append(combo)
    weights = {name: sum(len(engine.sets(c)) for c in found) for name, found in groups.items()}
    shares: list[list[Combo]] = [[] for _ in range(processes)]
    loads = [0.0] * processes
    loads[0] = RECORDS_SHARE * sum(weights.values())
    for name in sorted(groups, key=lambda name: (-weights[name], name)):
        lightest = loads.index(min(loads))
        shares[lightest] += groups[name]
        loads[lightest] += weights[name]
    return shares
