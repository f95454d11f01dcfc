"""Every record and file of the catalog beside the engine and the common rules, in one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.measurements import (
    LoggedQuantity,
    Measurements,
    MemoryRun,
    PublishedFile,
)
from sitegen.catalog.domain.models import LanguageModel, MemoryModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.fit_engine import FitEngine
from sitegen.models.architecture import parameters
from sitegen.models.gguf.checkpoint import tensor_types
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.published import rules_of_thumb
from sitegen.published.accuracy import paged_runs, split_runs
from sitegen.published.accuracy.aggregate import coverage_of, goals_of, slices, verdicts_of
from sitegen.published.accuracy.subjects import LoggedRun
from sitegen.published.accuracy.values import (
    AccuracyReport,
    Comparison,
    JudgedQuantity,
    Origin,
    Result,
    Skipped,
    Unmapped,
)
from sitegen.units import GB

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
    """Count and sort the comparisons, by the files that they come from."""
    results, sources = tuple(results), tuple(sources)
    left_out = [one for source in sources for one in source.left_out]
    comparisons = [r for r in results if isinstance(r, Comparison)]
    coverage = coverage_of(results, left_out)
    verdicts = verdicts_of([r for r in results if isinstance(r, JudgedQuantity)])
    return AccuracyReport(
        results=results,
        by_quantity=slices(comparisons, lambda _: ""),
        by_program=slices(comparisons, lambda one: one.origin.program),
        by_family=slices(comparisons, lambda one: one.origin.family),
        coverage=coverage,
        verdicts=verdicts,
        worst=worst_of(comparisons),
        goals=goals_of(comparisons, coverage, verdicts),
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


def _require_sayable(run: MemoryRun, quantity: LoggedQuantity) -> None:
    if quantity in run.uncovered:
        raise Unmapped(run.uncovered[quantity], says_enough=True)
    if quantity in run.unsaid:
        raise Unmapped(run.unsaid[quantity])


def _compared(logged: LoggedRun, quantity: LoggedQuantity) -> Iterator[Comparison | JudgedQuantity]:
    if logged.runtime.memory_model is MemoryModel.PAGED:
        yield paged_runs.question_of(quantity)(logged)
    else:
        yield from split_runs.questions_of(quantity)(logged)


def worst_of(comparisons: list[Comparison]) -> tuple[Comparison, ...]:
    """List the comparisons that are furthest off, one per run and quantity."""
    best: dict[tuple[str, LoggedQuantity], Comparison] = {}
    for one in comparisons:
        key = one.origin.run, one.quantity
        if key not in best or abs(one.error) > abs(best[key].error):
            best[key] = one
    return tuple(sorted(best.values(), key=lambda one: -abs(one.error))[:WORST])


METADATA_BYTES_PER_ENTRY = Interval(22, 46, 66)
"""Bytes of the file per entry of the vocabulary: its text, score and type, and its merges.

Between 22 (SentencePiece, no merges) and 66 (Llama 3) in files of known byte count.

Source:
    GGUF specification: a string carries eight bytes of length, a score and a type four each.
"""

GGUF_FILE = "GGUF file"
"""Stands where other figures have their program: nobody ran anything to state a file's size."""

TENSORS_ASIDE = 0.0005
"""Share by which small tensors may differ that converters add, leave out or keep at 32 bits.

Assumed: the 27 files of known byte count and the engine-logged sizes of plain types lie within it.
"""


def compare_files(catalog: Catalog) -> Iterator[Comparison | Skipped]:
    """Compare every published size with the file that the recipe makes of the model."""
    for source in catalog.measurements.values():
        for file in source.files:
            yield _compared_file(catalog, source.id, file, catalog.models[file.model])


def _compared_file(
    catalog: Catalog, source: str, file: PublishedFile, model: LanguageModel
) -> Comparison | Skipped:
    """Compare one file; where its maker does not say, it may have used an importance matrix."""
    design = design_of(model)
    origin = Origin(
        run=file.id,
        source=source,
        program=GGUF_FILE,
        version="",
        family=design.family,
        model=model.id,
        checkpoint=file.quantization,
        group=f"{source} {file.model}",
        stranger=file.stranger,
    )
    recipe = catalog.quantizations[file.quantization]
    if not recipe.gguf_file_type:
        reason = "no rules for this quantization"
        return Skipped(origin, LoggedQuantity.FILE_SIZE, reason, says_enough=True)
    size, other = (
        sum(t.bytes for t in tensor_types(design, recipe.gguf_file_type, importance_matrix=made))
        for made in (file.importance_matrix, True)
    )
    entries = design.vocabulary if file.metadata else 0
    low, high = (1 - TENSORS_ASIDE) * min(size, other), (1 + TENSORS_ASIDE) * max(size, other)
    return Comparison(
        origin=origin,
        quantity=LoggedQuantity.FILE_SIZE,
        measured=file.size_bytes / GB,
        predicted=METADATA_BYTES_PER_ENTRY.times(entries).plus(Interval(low, size, high)).per(GB),
        naive=rules_of_thumb.weight_bytes(parameters(design), recipe) / GB,
        rounding=file.rounding_bytes / GB,
        note=file.notes,
    )
