"""The planner: which of the valid plans on a combo is best for a goal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby

from sitegen.fit.assessment import FitTier, PlanGoal
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.runnable_checkpoint import RunnableCheckpoint
from sitegen.physics.gpu_groups import GpuGroup
from sitegen.physics.plan import Settings, Workload
from sitegen.values import dataclass

RANK = {tier: place for place, tier in enumerate(FitTier)}
"""Tiers by how good they are, 0 the best."""


@dataclass(frozen=True, slots=True)
class Question:
    """A checkpoint under a runtime on a combo's sets of GPUs, with workload, settings and goal."""

    runnable: RunnableCheckpoint
    sets: tuple[tuple[GpuGroup, int], ...]
    workload: Workload
    settings: Settings
    goal: PlanGoal


@dataclass(frozen=True, slots=True)
class PlacedPlan:
    """An evaluated plan and how many replicas of it the combo holds."""

    evaluation: Evaluation
    replicas: int


def best_plan(question: Question) -> PlacedPlan | None:
    """Pick the best plan; ``None`` where no split is valid.

    Tier first, then the goal, then fewer GPUs and the simpler split. For throughput more replicas
    come first (club-3090 measured 3.4 times the aggregate of TP 4 with four replicas of a model
    that fits one GPU); for the largest model the lowest utilization, which leaves room for
    context; for latency single-stream speed. Where nothing fits, a raised limit of unified memory
    and layers or experts in system RAM are tried too.
    """
    chosen = best_of(_candidates(question), question.goal)
    if chosen is not None and chosen.evaluation.tier is FitTier.NOT_PRACTICAL:
        chosen = best_of([chosen, *_last_resorts(question)], question.goal)
    return chosen


def best_of(placeds: Sequence[PlacedPlan], goal: PlanGoal) -> PlacedPlan | None:
    """Return the best of some plans for a goal, as ``best_plan`` does; ``None`` of none."""
    if len(placeds) == 1:
        return placeds[0]
    return min(placeds, key=lambda c: _order(c, goal), default=None)


def _order(candidate: PlacedPlan, goal: PlanGoal) -> tuple[float, ...]:
    evaluation = candidate.evaluation
    tp, pp = evaluation.split
    simplicity = (len(evaluation.group.ranks), pp, -tp)
    speed = evaluation.single_tokens_per_s.mid
    tier = RANK[evaluation.tier]
    if evaluation.tier is FitTier.NOT_PRACTICAL:
        return (tier, evaluation.utilization.low, *simplicity)
    if goal is PlanGoal.LATENCY:
        return (tier, -speed, *simplicity)
    if goal is PlanGoal.THROUGHPUT:
        return (tier, -candidate.replicas, -speed, *simplicity)
    return (tier, evaluation.utilization.mid, -speed, *simplicity)


def _candidates(question: Question) -> list[PlacedPlan]:
    """List evaluated plans; for throughput, most replicas first, until one is comfortable."""
    sets = _large_enough(question) or list(question.sets[-1:])
    if question.goal is not PlanGoal.THROUGHPUT or len(sets) == 1:
        return _evaluated(question, sets)
    placeds: list[PlacedPlan] = []
    for _, alike in groupby(sorted(sets, key=lambda s: -s[1]), key=lambda s: s[1]):
        some = _evaluated(question, alike)
        placeds += some
        if any(c.evaluation.tier is FitTier.COMFORTABLE for c in some):
            break
    return placeds


def _large_enough(question: Question) -> list[tuple[GpuGroup, int]]:
    """List the sets that can hold what a plan puts on GPUs at the least."""
    least = question.runnable.reduced.least_gpu_bytes
    return [s for s in question.sets if least <= s[0].usable_bytes]


def every_plan(question: Question) -> tuple[PlacedPlan, ...]:
    """List every plan of a question on sets that can hold it, whatever its tier."""
    return tuple(_evaluated(question, _large_enough(question)))


def practical_plans(question: Question) -> tuple[PlacedPlan, ...]:
    """List every plan of a question that is comfortable or borderline, whatever the goal."""
    found = every_plan(question)
    return tuple(c for c in found if c.evaluation.tier is not FitTier.NOT_PRACTICAL)


def comfortable_plans(question: Question) -> tuple[PlacedPlan, ...]:
    """List every plan of a question that fits comfortably, whatever the goal."""
    found = every_plan(question)
    return tuple(c for c in found if c.evaluation.tier is FitTier.COMFORTABLE)


def fits_comfortably(question: Question) -> bool:
    """Whether any plan of a question fits comfortably: then the best one does."""
    return any(
        c.evaluation.tier is FitTier.COMFORTABLE
        for one in _large_enough(question)
        for c in _evaluated(question, [one])
    )


def _evaluated(question: Question, sets: Iterable[tuple[GpuGroup, int]]) -> list[PlacedPlan]:
    prepared, workload, settings = question.runnable, question.workload, question.settings
    return [
        PlacedPlan(found, replicas)
        for group, replicas in sets
        for found in prepared.evaluations(group, workload, settings)
    ]


@lru_cache(maxsize=64)
def _raised(settings: Settings) -> Settings:
    return replace(settings, raised_limit=True)


def _last_resorts(question: Question) -> Iterator[PlacedPlan]:
    """Yield what may still run: a raised limit of unified memory, layers or experts in RAM."""
    prepared, workload = question.runnable, question.workload
    raised = _raised(question.settings)
    least = prepared.reduced.least_gpu_bytes
    offloads = prepared.subject.runtime.capabilities.cpu_offload
    for group, replicas in question.sets:
        first = group.gpus[0]
        if first.reserved.mid > first.raised_reserved.mid:
            for evaluation in prepared.evaluations(group, workload, raised):
                yield PlacedPlan(evaluation, replicas)
        spare = group.ram_bytes if offloads else 0
        if spare and least <= group.usable_bytes + spare:
            settings = question.settings
            for evaluation in prepared.evaluations(group, workload, settings, offload=True):
                yield PlacedPlan(evaluation, 1)
