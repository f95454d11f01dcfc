"""A combo's answers away from their workload: at longer contexts, and with more users."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.fit.fit_engine import FitEngine
from sitegen.survey.verdict_policy import PlannedCheckpoint, speed_of_all
from sitegen.values import dataclass

SHORTEST = 2_048
"""Tokens where a curve over the context begins."""


@dataclass(frozen=True, slots=True)
class ContextPoint:
    """Need of the fullest GPU for one sequence of a length: in bytes, and over its budget.

    ``utilization`` is a ratio and may exceed 1.
    """

    context_tokens: int
    need: Interval
    utilization: Interval


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """Decode speed in tokens/s with so many streams over all replicas: of each, and of all."""

    streams: int
    each_tokens_per_s: Interval
    all_tokens_per_s: Interval


def context_curve(assessment: Assessment, pick: PlannedCheckpoint) -> tuple[ContextPoint, ...]:
    """Follow an answer's plan from short contexts to the model's own, doubling.

    Args:
        assessment: A combo's answer at the survey's settings.
        pick: The entry that the answer was assembled from.

    Returns:
        One point per length; the longest context that fits is one of them. Empty without a plan.
    """
    if pick.chosen is None or assessment.busiest is None or assessment.limits is None:
        return ()
    evaluation, longest = pick.chosen.evaluation, assessment.model.context_tokens
    lengths = {*_doubling(SHORTEST, longest), longest, assessment.limits.max_context_tokens} - {0}
    points = []
    for tokens in sorted(lengths):
        busiest = max(evaluation.replica.ledger(tokens, 1), key=lambda gpu: gpu.utilization.mid)
        how_full = evaluation.replica.utilization(tokens, 1)
        points.append(ContextPoint(tokens, busiest.need, how_full))
    return tuple(points)


def load_curve(
    engine: FitEngine, assessment: Assessment, pick: PlannedCheckpoint
) -> tuple[LoadPoint, ...]:
    """Follow an answer's decode speed from one stream per replica to as many as it can hold.

    The last point is the answer's own aggregate speed. Empty where speed is not estimated.
    """
    chosen, speed = pick.chosen, assessment.speed
    if chosen is None or speed is None or chosen.evaluation.pipeline is None:
        return ()
    tokens = chosen.evaluation.workload.context_tokens
    points = []
    for batch in sorted({*_doubling(1, speed.batch), speed.batch}):
        together = speed_of_all(engine, chosen, tokens, batch)
        streams = chosen.replicas * batch
        points.append(LoadPoint(streams, together.per(streams), together))
    return tuple(points)


def _doubling(first: int, most: int) -> Iterator[int]:
    while first <= most:
        yield first
        first *= 2
