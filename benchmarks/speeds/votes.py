"""How much each rate counts in a statistic: a source with many rows is still one source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks.speeds.fitting import Observation

Vote = tuple[str, str, str, tuple[str, ...], str]


def vote(one: Observation) -> Vote:
    """One vote per source, quantity, model, hardware and runtime, however many rows share it."""
    gpus = tuple(
        stage.slowest.gpu.id for stage in one.case.path.stages for _ in range(stage.repeats)
    )
    run = one.case.run
    return (
        one.case.source, one.timing.quantity, run.subject.model, gpus, run.subject.runtime
    )  # fmt: skip


def shares(seen: Sequence[Observation]) -> list[float]:
    """Part of a vote that each observation has."""
    counts = Counter(vote(one) for one in seen)
    return [1 / counts[vote(one)] for one in seen]
