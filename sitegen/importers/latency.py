"""Latencies of a run from what its tool reports and its requests; several runs of a load as one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sitegen.importers.figures import percentile
from sitegen.importers.measured import MEAN_ITL, LatencyMs, ToolRun, UnusableError

SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
FEWEST = {"p50": 1, "p95": 20, "p99": 100}
"""Requests of which a percentile says more than the slowest of them does."""


def of_requests(times_ms: array[float] | None) -> LatencyMs:
    """Mean and percentiles of every request's time; those that too few requests carry are absent.

    >>> of_requests(array("d", [30.0, 10.0, 20.0])).percentiles
    (20.0, None, None)
    """
    if not times_ms:
        return LatencyMs()
    rising = sorted(times_ms)
    p50, p95, p99 = (
        percentile(rising, SHARES[name]) if len(rising) >= FEWEST[name] else None for name in SHARES
    )
    return LatencyMs(sum(rising) / len(rising), p50, p95, p99, times_ms)


def completed(reported: LatencyMs, times_ms: array[float] | None) -> tuple[LatencyMs, bool]:
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


def merged(runs: Sequence[ToolRun]) -> tuple[ToolRun, ...]:
    """Join the runs that had the same load; others stay as they are.

    Raises:
        UnusableError: If runs of one load lack the requests that their percentiles are of.
    """
    groups: dict[tuple[object, ...], list[ToolRun]] = {}
    for run in runs:
        load = (
            run.model, run.concurrency, run.request_rate_per_s, run.prompt_tokens,
            run.generated_tokens, run.depth_tokens, run.kv_dtype, run.dataset, run.speculative,
        )  # fmt: skip
        groups.setdefault(load, []).append(run)
    return tuple(group[0] if len(group) == 1 else _one(group) for group in groups.values())


def _one(runs: Sequence[ToolRun]) -> ToolRun:
    first = runs[0]
    latencies = {name: _latency(name, runs) for name in first.latencies}
    done = [run.completed for run in runs if run.completed]
    spans = [run.duration_s for run in runs if run.duration_s]
    if len(done) < len(runs) or len(spans) < len(runs):
        raise UnusableError("runs without a length or a number of requests cannot be merged")
    total = sum(spans)
    return replace(
        first,
        completed=sum(done),
        failed=sum(run.failed or 0 for run in runs),
        duration_s=total,
        decode_tokens_per_s=_decode(runs, done, latencies),
        aggregate_tokens_per_s=_weighted([run.aggregate_tokens_per_s for run in runs], spans),
        prefill_tokens_per_s=None,
        latencies=latencies,
        percentiles_from="requests",
        notes=(*first.notes, f"{len(runs)} runs of the same load, merged request by request."),
    )


def _latency(name: str, runs: Sequence[ToolRun]) -> LatencyMs:
    columns = [run.latencies.get(name, LatencyMs()).samples_ms for run in runs]
    if any(column is None for column in columns):
        hint = "import them as they are, or run the tool so that it keeps every request"
        message = f"runs cannot be merged: percentiles of {name} cannot be averaged"
        raise UnusableError(message, max(run.line for run in runs), hint)
    return of_requests(joined(column for column in columns if column is not None))


def _decode(
    runs: Sequence[ToolRun], done: Sequence[int], latencies: dict[str, LatencyMs]
) -> float | None:
    """Rate of one stream: of the merged time between tokens, else of the runs by their requests."""
    between = "itl" if runs[0].decode_from == MEAN_ITL else "tpot"
    gap = latencies.get(between, LatencyMs()).mean_ms
    if gap:
        return 1_000 / gap
    gaps = [1 / run.decode_tokens_per_s if run.decode_tokens_per_s else None for run in runs]
    mean = _weighted(gaps, done)
    return 1 / mean if mean else None


def _weighted(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return sum(v * w for v, w in zip(known, weights, strict=True)) / sum(weights)
