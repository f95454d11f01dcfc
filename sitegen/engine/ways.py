"""In which runtimes the answers of a combo can be run, each with the plan it would have."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.hardware import Combo
from sitegen.engine.assessment import Assessment, FitTier, Goal, Ways
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK
from sitegen.engine.policy import answered, batches, reference_question


def ways_to_run(
    engine: FitEngine, combo: Combo, *, lead: Assessment | None, serving: Assessment | None
) -> Ways:
    """Pick both answers under the other runtimes too, and keep what runs.

    For the first answer it is every runtime that can; for serving those that batch requests, or
    else the one of the answer.
    """
    found = _ways(engine, combo, lead, None)
    listed = {(one.id, one.plan) for one in found}
    served = _ways(engine, combo, serving, Goal.THROUGHPUT)
    return Ways(tuple(found), tuple(one for one in served if (one.id, one.plan) not in listed))


def _ways(
    engine: FitEngine, combo: Combo, answer: Assessment | None, goal: Goal | None
) -> list[Assessment]:
    if answer is None or answer.tier is FitTier.NOT_PRACTICAL:
        return []
    others = _others(engine, combo, answer, goal)
    running = [one for one in others if one.plan and one.tier is not FitTier.NOT_PRACTICAL]
    return [answer, *sorted(running, key=lambda one: RANK[one.tier])]


def _others(
    engine: FitEngine, combo: Combo, answer: Assessment, goal: Goal | None
) -> Iterator[Assessment]:
    vendors = {gpu.gpu.vendor for gpu in combo.gpus}
    for runtime, _ in engine.assessed_runtimes():
        suits = goal is not Goal.THROUGHPUT or batches(runtime)
        if runtime.id == answer.runtime.id or not suits or vendors.isdisjoint(runtime.vendors):
            continue
        question = reference_question(engine, combo, answer.model, goal, runtime.id)
        found = answered(engine, question)
        if found is not None:
            yield found
