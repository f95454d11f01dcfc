"""In which runtimes the answers of a combo can be run, each with the plan it would have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.engine.answers import GOAL, batches, reference_workload
from sitegen.engine.assess import assess
from sitegen.engine.assessment import Assessment, FitTier, Goal, Ways
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK
from sitegen.engine.request import FitRequest


def ways_to_run(
    engine: FitEngine,
    combo: Combo,
    *,
    largest: Assessment | None,
    serving: Assessment | None,
) -> Ways:
    """Assess both answers under the other runtimes, and keep what runs.

    For the largest model it is every runtime that can; for serving those that batch requests, or
    else the one of the answer.
    """
    found = _ways(engine, combo, largest, Goal.LARGEST_MODEL, batching=False)
    listed = {(one.id, one.plan) for one in found}
    served = _ways(engine, combo, serving, GOAL, batching=True)
    return Ways(tuple(found), tuple(one for one in served if (one.id, one.plan) not in listed))


def _ways(
    engine: FitEngine, combo: Combo, answer: Assessment | None, goal: Goal, *, batching: bool
) -> list[Assessment]:
    if answer is None or answer.tier is FitTier.NOT_PRACTICAL:
        return []
    others = _others(engine, combo, answer, goal, batching=batching)
    running = [one for one in others if one.plan and one.tier is not FitTier.NOT_PRACTICAL]
    return [answer, *sorted(running, key=lambda one: RANK[one.tier])]


def _others(
    engine: FitEngine, combo: Combo, answer: Assessment, goal: Goal, *, batching: bool
) -> Iterator[Assessment]:
    model = answer.model
    question = FitRequest(
        model,
        answer.checkpoint,
        combo,
        answer.runtime,
        answer.profile,
        reference_workload(engine, model),
        goal=goal,
    )
    vendors = {gpu.gpu.vendor for gpu in combo.gpus}
    for runtime, profile in engine.assessed_runtimes():
        suits = not batching or batches(runtime)
        if runtime.id == answer.runtime.id or not suits or vendors.isdisjoint(runtime.vendors):
            continue
        checkpoint = _checkpoint(engine, model, runtime, answer.checkpoint)
        if checkpoint is not None:
            asked = replace(question, checkpoint=checkpoint, runtime=runtime, profile=profile)
            yield assess(engine, asked)


def _checkpoint(
    engine: FitEngine, model: LanguageModel, runtime: Runtime, preferred: Checkpoint
) -> Checkpoint | None:
    """Choose the checkpoint of the answer, or the smallest production one that loads."""
    loads = [
        one
        for one in model.checkpoints
        if one.quantization.production and one.quantization.format in runtime.formats
    ]
    if preferred in loads:
        return preferred
    return min(
        loads,
        key=lambda one: engine.weighed(model, one).weights.total_bytes,
        default=None,
    )
