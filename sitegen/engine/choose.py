"""The planner: which of the evaluated plans is best for a goal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sitegen.engine.assessment import FitTier, Goal
from sitegen.engine.evaluate import Evaluation

RANK = {tier: place for place, tier in enumerate(FitTier)}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An evaluated plan and how many replicas of it the combo holds."""

    evaluation: Evaluation
    copies: int


def best(candidates: Iterable[Candidate], goal: Goal) -> Candidate | None:
    """Pick the best plan: tier first, then the goal, then fewer GPUs and the simpler split.

    For throughput more replicas come first (club-3090 measured 3.4 times the aggregate of TP 4
    with four replicas of a model that fits one GPU); for the largest model the lowest utilization
    that leaves room for context; for latency single-stream speed.
    """
    return min(candidates, key=lambda c: _order(c, goal), default=None)


def _order(candidate: Candidate, goal: Goal) -> tuple[float, ...]:
    found = candidate.evaluation
    gpus = len(found.devices.ranks)
    tp, pp = found.split
    simplicity = (gpus, pp, -tp)
    speed = found.speed.single_tokens_per_s.mid
    tier = RANK[found.tier]
    if found.tier is FitTier.NOT_PRACTICAL:
        return (tier, found.utilization.low, *simplicity)
    if goal is Goal.LATENCY:
        return (tier, -speed, *simplicity)
    if goal is Goal.THROUGHPUT:
        return (tier, -candidate.copies, -speed, *simplicity)
    return (tier, found.utilization.mid, -speed, *simplicity)
