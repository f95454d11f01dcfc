"""What makes a run unusable, and what only has to be said of it."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.importers.measured import Measured

MOST_FAILED = 0.05
"""Share of failed requests above which the figures are those of another load."""
SHORTEST_S = 10.0
"""Runs shorter than this are mostly their beginning and end."""


def refusals(run: Measured) -> Iterator[str]:
    """Say why a run cannot be used; nothing where it can."""
    yield from run.refused
    if run.completed == 0:
        yield "no request was answered"
    elif run.completed is not None and run.failed:
        share = run.failed / (run.completed + run.failed)
        if share > MOST_FAILED:
            yield f"{share:.1%} of the requests failed (at most {MOST_FAILED:.0%} may)"
    for name, latency in run.latencies.items():
        stated = [value for value in latency.percentiles if value is not None]
        if stated != sorted(stated):
            yield f"a higher percentile of {name} is shorter than a lower one"
    every = (run.decode_tokens_per_s, run.aggregate_tokens_per_s, run.prefill_tokens_per_s)
    if not run.refused and run.completed != 0 and every == (None, None, None):
        yield "it states no speed"


def doubts(run: Measured) -> Iterator[str]:
    """Say what a reader has to know of a run that can be used."""
    yield from run.doubts
    if run.duration_s is not None and run.duration_s < SHORTEST_S:
        yield f"it lasted {run.duration_s:.1f} s: runs under {SHORTEST_S:.0f} s say little"
