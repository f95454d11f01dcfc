"""Benchmark runs that no GPU could have made: a slip of the pen, or what their source prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.excuses import without_excused
from sitegen.catalog.records.benchmarks import BenchmarkRecord
from sitegen.catalog.text.positions import KeyPath
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.quarantine import Quarantined, quarantine
from sitegen.importers.quality import worded
from sitegen.problems import Problem, Severity

_HINT = "compare figure, model, file and GPUs with the source; if it says so, excuse it on the line"
_FIGURES: Mapping[str, KeyPath] = {
    "ABOVE_BANDWIDTH": ("figures", "decode_tokens_per_s"),
    "ABOVE_RAM_BOUND": ("figures", "decode_tokens_per_s"),
    "ABOVE_STEP_BOUND": ("figures", "aggregate_tokens_per_s"),
    "ABOVE_PEAK_RATE": ("figures", "prefill_tokens_per_s"),
    "MEMORY_EXCEEDED": ("system",),
    "LINK_NOT_ON_GPU": ("system",),
}
"""What of a run a bound refuses; other findings are about its split."""


def check(records: CatalogRecords, catalog: Catalog, *, whole: bool = True) -> list[Problem]:
    """Warn of every run above a physical bound, unless its line says why it stands there.

    A published figure does not go away: the run stays, and the site lists it as impossible.

    Args:
        records: Records of the catalog.
        catalog: What they say; runs that it lacks are not judged.
        whole: Whether it lacks none. If not, nobody knows which excuses are needed.
    """
    if not catalog.benchmarks:
        return []
    found = (
        _problem(records.benchmarks[one.benchmarks.id], one)
        for one in quarantine(catalog, FitEngine(catalog).reduced)
    )
    sources = (page.source.text for page in records.benchmarks.values())
    return without_excused(found, sources, whole=whole, of_engine=True)


def _problem(page: Authored[BenchmarkRecord], kept_apart: Quarantined) -> Problem:
    place = next(index for index, run in enumerate(page.record.runs) if run.id == kept_apart.run.id)
    path = _FIGURES.get(kept_apart.finding.code, ("parallel",))
    message = worded(kept_apart.finding)
    found = page.problem(("runs", place, *path), "above-bound", message, _HINT)
    return replace(found, severity=Severity.WARNING)
