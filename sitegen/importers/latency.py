"""Latencies of a run from what a tool reports and, where the file has them, from its requests."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import replace

from sitegen.importers.figures import percentile
from sitegen.importers.measured import Latency

SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
FEWEST = {"p50": 1, "p95": 20, "p99": 100}
"""Requests of which a percentile says more than the slowest of them does."""


def of_requests(times_ms: array[float] | None) -> Latency:
    """Mean and percentiles of every request's time; those that too few requests carry are absent.

    >>> of_requests(array("d", [30.0, 10.0, 20.0])).percentiles
    (20.0, None, None)
    """
    if not times_ms:
        return Latency()
    rising = sorted(times_ms)
    p50, p95, p99 = (
        percentile(rising, SHARES[name]) if len(rising) >= FEWEST[name] else None for name in SHARES
    )
    return Latency(sum(rising) / len(rising), p50, p95, p99, times_ms)


def completed(reported: Latency, times_ms: array[float] | None) -> tuple[Latency, bool]:
    """Add the samples of a run to what its tool reported of the same latency.

    Returns:
        The latency, and whether any percentile is of the samples: only where the tool gave none
        at all, so that one line never mixes two ways of computing.
    """
    if not times_ms:
        return reported, False
    if any(value is not None for value in reported.percentiles):
        return replace(reported, samples_ms=times_ms), False
    found = of_requests(times_ms)
    if reported.mean_ms is not None:
        found = replace(found, mean_ms=reported.mean_ms)
    return found, True


def joined(columns: Iterable[array[float]]) -> array[float]:
    """Put samples of several runs together."""
    whole = array("d")
    for column in columns:
        whole.extend(column)
    return whole
