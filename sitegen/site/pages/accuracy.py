"""The engine's errors against published measurements: ``/accuracy/`` and a page per program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.problems import SourceSpan
from sitegen.published.accuracy.report import GGUF_FILE
from sitegen.published.accuracy.speed import SpeedAccuracy
from sitegen.published.accuracy.values import AccuracyReport, Comparison
from sitegen.published.rules_of_thumb import RULES
from sitegen.site.cells import Cell, Link, NumberCell, Unit
from sitegen.site.drawings.accuracy import error_plot, memory_plot
from sitegen.site.drawings.plot import Plot
from sitegen.site.inputs import SiteInputs
from sitegen.site.json.accuracy import comparison_twin, memory_twin
from sitegen.site.page import Page
from sitegen.site.reports.accuracy import (
    comparisons_table,
    coverage_table,
    disagreements_table,
    goals_table,
    slices_table,
    verdicts_table,
    worst_table,
)
from sitegen.site.reports.accuracy_headline import AccuracyFigure, headline_figures
from sitegen.site.reports.accuracy_speed import (
    speed_left_table,
    speed_plot,
    speed_table,
    speed_twin,
    speed_worst_table,
)
from sitegen.site.reports.accuracy_strangers import standard_table, strangers_table
from sitegen.site.table import Column, Row, Table
from sitegen.values import dataclass

TEMPLATE = "accuracy.html"
PART_TEMPLATE = "accuracy-program.html"
URL = "/accuracy/"
SOURCE = SourceSpan("catalog/measurements")


@dataclass(frozen=True, slots=True)
class MemoryView:
    """The comparison with logs of memory."""

    sources: Cell
    figures: Cell
    left_out: Cell
    goals: Table
    errors: Plot
    memory: Plot
    by_quantity: Table
    by_program: Table
    by_family: Table
    verdicts: Table
    standard: Table
    disagreements: Table
    worst: Table
    rules: Table
    coverage: Table
    programs: Table


@dataclass(frozen=True, slots=True)
class SpeedView:
    """The comparison with published speeds."""

    sources: Cell
    errors: Table
    plot: Plot
    worst: Table
    unpredicted: Table | None


@dataclass(frozen=True, slots=True)
class AccuracyView:
    """Values that ``accuracy.html`` shows; ``None`` for what the catalog has no records of."""

    memory: MemoryView | None
    speed: SpeedView | None
    strangers: Table | None
    figures: tuple[AccuracyFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramView:
    """Values that ``accuracy-program.html`` shows."""

    program: str
    comparisons: Table
    files: bool
    """Whether the figures are sizes of files, which no program logged."""


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the page, and one for each program with every figure."""
    report, speeds, catalog = inputs.records.memory, inputs.records.speed, inputs.catalog
    shown = len(report.comparisons) + len(report.judged) if report else 0
    view = AccuracyView(
        memory=_memory(report, catalog) if report else None,
        speed=_speed(speeds, catalog) if speeds else None,
        strangers=strangers_table(report, speeds),
        figures=tuple(headline_figures(report, speeds)),
    )
    yield Page(
        URL,
        "How often is the engine right?",
        TEMPLATE,
        view,
        "accuracy",
        SOURCE,
        f"{shown} figures from published logs, compared with the engine's estimates: errors by "
        "quantity, runtime and model family, verdicts and outcomes, and the worst cases by "
        "name.",
        stated={
            **(memory_twin(report) if report else {}),
            "speeds": speed_twin(speeds) if speeds else [],
        },
        total=shown,
    )
    for program, comparisons in _by_program(report.comparisons if report else ()):
        yield Page(
            _url_of(program),
            f"All figures for {_titled(program)}",
            PART_TEMPLATE,
            ProgramView(
                program, comparisons_table(comparisons, catalog), files=program == GGUF_FILE
            ),
            "accuracy",
            SOURCE,
            f"{len(comparisons)} {_figures_of(program)}, each with the engine's estimate, the "
            "estimate of the common rule, and its source.",
            stated={
                "program": program,
                "comparisons": [comparison_twin(one) for one in comparisons],
            },
            total=len(comparisons),
        )


def _memory(report: AccuracyReport, catalog: Catalog) -> MemoryView:
    return MemoryView(
        sources=NumberCell(report.sources, Unit.COUNT),
        figures=NumberCell(len(report.comparisons) + len(report.judged), Unit.COUNT),
        left_out=NumberCell(report.left_out, Unit.COUNT),
        goals=goals_table(report),
        errors=error_plot(report),
        memory=memory_plot(report),
        by_quantity=slices_table(report.by_quantity, "Errors by quantity", id="by-quantity"),
        by_program=slices_table(report.by_program, "Errors by program", id="by-program"),
        by_family=slices_table(report.by_family, "Errors by model family", id="by-family"),
        verdicts=verdicts_table(report.verdicts),
        standard=standard_table(report),
        disagreements=disagreements_table(report, catalog),
        worst=worst_table(report, catalog),
        rules=_rules(),
        coverage=coverage_table(report),
        programs=_programs(report),
    )


def _speed(speeds: SpeedAccuracy, catalog: Catalog) -> SpeedView:
    return SpeedView(
        sources=NumberCell(len(catalog.benchmarks), Unit.COUNT),
        errors=speed_table(speeds, catalog),
        plot=speed_plot(speeds, catalog),
        worst=speed_worst_table(speeds, catalog),
        unpredicted=speed_left_table(speeds, catalog) if speeds.unpredicted else None,
    )


def _by_program(comparisons: Iterable[Comparison]) -> Iterator[tuple[str, tuple[Comparison, ...]]]:
    listed = tuple(comparisons)
    for program in sorted({one.origin.program for one in listed}):
        yield program, tuple(one for one in listed if one.origin.program == program)


def _titled(program: str) -> str:
    if program == GGUF_FILE:
        return "GGUF files"
    if program == "llama.cpp fork":
        return "forks of llama.cpp"
    return program


def _figures_of(program: str) -> str:
    if program == GGUF_FILE:
        return "published sizes of GGUF files"
    return f"figures that logs of {_titled(program)} state"


def _url_of(program: str) -> str:
    slug = "".join(c if c.isalnum() else "-" for c in program.lower()).strip("-")
    return f"{URL}{slug}/"


def _programs(report: AccuracyReport) -> Table:
    rows = tuple(
        Row((Link(_url_of(program), program), NumberCell(len(found), Unit.COUNT)))
        for program, found in _by_program(report.comparisons)
    )
    columns = (Column("Program"), Column("Figures", numeric=True))
    return Table("programs", "Every figure, by program", columns, rows, counted=True)


def _rules() -> Table:
    columns = (
        Column("Quantity"),
        Column("The common rule"),
        Column("Where we found it", key="met in"),
    )
    rows = tuple(
        Row((rule.quantity, rule.words, Link(rule.url, rule.met_in) if rule.url else rule.met_in))
        for rule in RULES
    )
    return Table("rules", "Rules of thumb, tested on the same records", columns, rows)
