"""Surveying as a map over combos: in this process, or the same answers from several."""

from __future__ import annotations

from sitegen.build.processes import processes_for, shared_out, turns
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.engine.assessment import ComboSurvey, Survey
from sitegen.engine.findings import GpusNeeded
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.gpu_counts import by_model, counted_gpus, gpus_needed
from sitegen.engine.judged_records import NOTHING, JudgedRecords, judge_records, keep_apart
from sitegen.engine.survey import prepare_all, survey_combo

_Share = tuple[dict[str, ComboSurvey], list[GpusNeeded], JudgedRecords | None]


def answers_in(catalog: Catalog, *, jobs: int = 1) -> tuple[Survey, JudgedRecords]:
    """Assess every model on every combo, and judge every record.

    Args:
        catalog: What is surveyed.
        jobs: Processes to use where the system can fork; the answers do not depend on it.
    """
    engine = FitEngine(catalog)
    prepare_all(engine)
    apart = keep_apart(engine)
    groups = alike_together(engine)
    processes = processes_for(jobs, len(catalog.combos))
    mine = turns([None, *groups]) if processes > 1 else lambda: iter([None, *groups])

    counted = {one.gpu.id: one for one in counted_gpus(catalog)}

    def work(_share: int) -> _Share:
        surveyed: dict[str, ComboSurvey] = {}
        needs: list[GpusNeeded] = []
        records = None
        for group in mine():
            if group is None:
                records = judge_records(engine, apart)
            else:
                surveyed.update({combo.id: survey_combo(engine, combo) for combo in group})
                one = counted.get(group[0].gpus[0].gpu.id)
                needs += gpus_needed(engine, one) if one else ()
        return surveyed, needs, records

    found: dict[str, ComboSurvey] = {}
    needed: list[GpusNeeded] = []
    records = NOTHING
    for surveyed, needs, judged in shared_out(work, processes) if processes > 1 else [work(0)]:
        found.update(surveyed)
        needed += needs
        records = judged or records
    in_order = {combo_id: found[combo_id] for combo_id in catalog.combos}
    return Survey(in_order, by_model(needed)), records


def alike_together(engine: FitEngine) -> list[list[Combo]]:
    """Group combos of the same GPU, which share evaluations; the most work first."""
    groups: dict[str, list[Combo]] = {}
    for combo in engine.catalog.combos.values():
        groups.setdefault(combo.gpus[0].gpu.id, []).append(combo)
    work = {name: sum(len(engine.sets(combo)) for combo in found) for name, found in groups.items()}
    return [groups[name] for name in sorted(groups, key=lambda name: (-work[name], name))]
