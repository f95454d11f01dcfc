"""Every record of the catalog beside the engine and the common rules, in one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.catalog.domain.measurements import Measurements, MemoryRun, Quantity
from sitegen.catalog.domain.models import MemoryModel
from sitegen.fit.fit_engine import FitEngine
from sitegen.published.accuracy import paged_runs, split_runs
from sitegen.published.accuracy.aggregate import coverage_of, goals_of, slices, verdicts_of
from sitegen.published.accuracy.files import compare_files
from sitegen.published.accuracy.subjects import LoggedRun
from sitegen.published.accuracy.values import (
    AccuracyReport,
    Comparison,
    Judged,
    Result,
    Skipped,
    Unmapped,
)

WORST = 20


def accuracy(engine: FitEngine) -> AccuracyReport:
    """Compare everything that others measured of memory."""
    catalog = engine.catalog
    results = [
        result
        for source in catalog.measurements.values()
        for run in source.runs
        for result in compare_run(engine, source.id, run)
    ]
    results += compare_files(catalog)
    return report_of(results, catalog.measurements.values())


def report_of(results: Iterable[Result], sources: Iterable[Measurements]) -> AccuracyReport:
    """Count and sort what was compared, from the files that it comes from."""
    results, sources = tuple(results), tuple(sources)
    left_out = [one for source in sources for one in source.left_out]
    found = [r for r in results if isinstance(r, Comparison)]
    coverage = coverage_of(results, left_out)
    verdicts = verdicts_of([r for r in results if isinstance(r, Judged)])
    return AccuracyReport(
        results=results,
        by_quantity=slices(found, lambda _: ""),
        by_program=slices(found, lambda one: one.origin.program),
        by_family=slices(found, lambda one: one.origin.family),
        coverage=coverage,
        verdicts=verdicts,
        worst=worst_of(found),
        goals=goals_of(found, coverage, verdicts),
        sources=len(sources),
        runs=sum(len(source.runs) for source in sources),
        files=sum(len(source.files) for source in sources),
        left_out=len(left_out),
    )


def compare_run(engine: FitEngine, source: str, run: MemoryRun) -> Iterator[Result]:
    """Yield a comparison, or a reason for there being none, for every quantity of a run."""
    logged = LoggedRun(engine, source, run)
    for quantity in run.usable_for:
        try:
            _require_sayable(run, quantity)
            yield from _compared(logged, quantity)
        except Unmapped as reason:
            yield Skipped(logged.origin, quantity, str(reason), reason.says_enough)


def _require_sayable(run: MemoryRun, quantity: Quantity) -> None:
    if quantity in run.uncovered:
        raise Unmapped(run.uncovered[quantity], says_enough=True)
    if quantity in run.unsaid:
        raise Unmapped(run.unsaid[quantity])


def _compared(logged: LoggedRun, quantity: Quantity) -> Iterator[Comparison | Judged]:
    if logged.runtime.memory_model is MemoryModel.PAGED:
        yield paged_runs.question_of(quantity)(logged)
    else:
        yield from split_runs.questions_of(quantity)(logged)


def worst_of(found: list[Comparison], count: int = WORST) -> tuple[Comparison, ...]:
    """List the comparisons that are furthest off, one per run and quantity."""
    best: dict[tuple[str, Quantity], Comparison] = {}
    for one in found:
        key = one.origin.run, one.quantity
        if key not in best or abs(one.error) > abs(best[key].error):
            best[key] = one
    return tuple(sorted(best.values(), key=lambda one: -abs(one.error))[:count])
