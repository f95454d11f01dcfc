"""What makes a run or a record unusable, and what only has to be said of it."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.quarantine import Gate
from sitegen.importers.measured import ToolRun
from sitegen.physics.bounds.judgement import BoundFinding

MOST_FAILED = 0.05
"""Share of failed requests above which the figures are those of another load."""
SHORTEST_S = 10.0
"""Runs shorter than this are mostly their beginning and end."""


def refusals(run: ToolRun) -> Iterator[str]:
    """Say why a run cannot be used; nothing where it can."""
    yield from run.refused
    if run.completed == 0:
        yield "the server answered no request"
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


def doubts(run: ToolRun) -> Iterator[str]:
    """Say what a reader has to know of a run that can be used."""
    yield from run.doubts
    if run.duration_s is not None and run.duration_s < SHORTEST_S:
        yield f"it lasted {run.duration_s:.1f} s: runs under {SHORTEST_S:.0f} s are too short"


HINT = "check --checkpoint or --quantization, --combo (the number of GPUs), and --speculative"
WORDS = {
    "ABOVE_BANDWIDTH": "{tokens_per_s:,.1f} tok/s of one stream is more than the GPUs' memory "
    "bandwidth allows: at most {bound:,.1f}",
    "ABOVE_RAM_BOUND": "{tokens_per_s:,.1f} tok/s of one stream is more than the bandwidth of the "
    "system RAM allows: at most {bound:,.1f}",
    "ABOVE_STEP_BOUND": "{tokens_per_s:,.1f} tok/s of {streams} streams is more than the GPUs' "
    "memory or arithmetic allow: at most {bound:,.1f}",
    "ABOVE_PEAK_RATE": "{tokens_per_s:,.1f} tok/s of prompt reading needs more arithmetic than the "
    "GPUs have: at most {bound:,.1f}",
    "MEMORY_EXCEEDED": "the weights are larger than all of the memory",
    "WORLD": "the split needs {needed} GPUs, but there are {available}",
}


def implausible(
    catalog: Catalog, record: str, text: str
) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Judge every run of a record by the gate that all benchmark records pass.

    Yields:
        Line and column of the run in the text, what is wrong, and what to check.
    """
    gate = Gate(catalog, FitEngine(catalog).reduced)
    lines = text.splitlines()
    for run in catalog.benchmarks[record].runs:
        finding = gate.finding(run)
        if finding is not None:
            begins = tuple(f"  - {{id: {quote}{run.id}{quote}," for quote in ("", "'"))
            marks = (at for at, line in enumerate(lines, 1) if line.startswith(begins))
            yield (next(marks, 1), 5), worded(finding), HINT


def worded(finding: BoundFinding) -> str:
    """Say why no GPU could have made a run, with the bound and the figure."""
    words = WORDS.get(finding.code, "its split is not valid for this model")
    return words.format_map(dict(finding.arguments))
