"""A record against the physical bounds of its hardware, before it is written."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.quarantine import Gate
from sitegen.physics.bounds.judgement import Finding

HINT = "check --checkpoint or --quantization, --combo (the number of GPUs), and --speculative"
WORDS = {
    "ABOVE_BANDWIDTH": "{tokens_per_s:,.1f} tok/s of one stream is more than the GPUs' memory can "
    "be read for: at most {bound:,.1f}",
    "ABOVE_RAM_BOUND": "{tokens_per_s:,.1f} tok/s of one stream is more than the system RAM can be "
    "read for: at most {bound:,.1f}",
    "ABOVE_STEP_BOUND": "{tokens_per_s:,.1f} tok/s of {streams} streams is more than the GPUs' "
    "memory or arithmetic allow: at most {bound:,.1f}",
    "ABOVE_PEAK_RATE": "{tokens_per_s:,.1f} tok/s of prompt reading needs more arithmetic than the "
    "GPUs have: at most {bound:,.1f}",
    "MEMORY_EXCEEDED": "the weights are larger than all the memory there is",
    "WORLD": "the split needs {needed} GPUs, and there are {available}",
}


def implausible(
    catalog: Catalog, record: str, text: str
) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Judge every run of a record by the gate that all benchmark records pass.

    Yields:
        Line and column of the run in the text, what is wrong, and what to check.
    """
    gate = Gate(catalog, FitEngine(catalog).weighed)
    lines = text.splitlines()
    for run in catalog.benchmarks[record].runs:
        finding = gate.finding(run)
        if finding is not None:
            begins = tuple(f"  - {{id: {quote}{run.id}{quote}," for quote in ("", "'"))
            marks = (at for at, line in enumerate(lines, 1) if line.startswith(begins))
            yield (next(marks, 1), 5), _worded(finding), HINT


def _worded(finding: Finding) -> str:
    words = WORDS.get(finding.code, "its split is not valid for this model")
    return words.format_map(dict(finding.arguments))
