"""How far sources are from one another: no rule that knows a configuration alone does better."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from statistics import median

from benchmarks.speeds.fitting import Observation
from benchmarks.speeds.spreads import quantile, quantity_of
from benchmarks.speeds.votes import shares

SHORT_TOKENS = 512
"""Contexts below which none changes a rate by more than two runs differ."""


def configuration(one: Observation) -> Hashable:
    """What a reader would state: model, weights, GPUs, runtime, streams, context by halves."""
    timing, path = one.timing, one.case.path
    gpus = tuple(part.slowest.gpu.id for part in path.stages for _ in range(part.repeats))
    tokens = timing.prompt_depth + timing.prompt_tokens if timing.quantity == "prefill" else 0
    halvings = round(math.log2(max(SHORT_TOKENS, tokens or timing.context)))
    return (
        quantity_of(one), one.case.model.id, one.case.checkpoint.id, gpus, path.tp,
        one.case.run.subject.runtime, path.backend, timing.streams, halvings,
    )  # fmt: skip


def differences(seen: Sequence[Observation]) -> list[tuple[str, float, float]]:
    """Quantity, error and vote of each rate that other sources' rates alone predict.

    The prediction is the median of what the other sources measured for the very same configuration,
    one value each.
    """
    by: dict[Hashable, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in seen:
        by[configuration(one)][one.case.source].append(one.timing.measured)
    found = []
    for one, share in zip(seen, shares(seen), strict=True):
        others = [
            median(rates)
            for source, rates in by[configuration(one)].items()
            if source != one.case.source
        ]
        if others:
            error = abs(median(others) / one.timing.measured - 1)
            found.append((quantity_of(one), error, share))
    return found


def table(seen: Sequence[Observation]) -> list[str]:
    """Rows of a Markdown table: how far sources are apart, by quantity."""
    every = differences(seen)
    rows = []
    for name in ("all", *sorted({quantity for quantity, _, _ in every})):
        some = [(e, share) for quantity, e, share in every if name in ("all", quantity)]
        by_row = [(e, 1.0) for e, _ in some]
        rows.append(
            f"| {name} | {len(some)} | {sum(share for _, share in some):.0f} "
            f"| {quantile(by_row, 0.5):.1%} | {quantile(some, 0.5):.1%} "
            f"| {quantile(by_row, 0.8):.1%} |"
        )
    return rows
