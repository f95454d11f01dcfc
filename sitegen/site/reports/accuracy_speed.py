"""Speeds that others measured beside the engine's: table, drawing and the worst."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from sitegen.catalog.domain.catalog import Catalog
from sitegen.published.accuracy.aggregate import quantile
from sitegen.published.accuracy.speed import SpeedAccuracy, SpeedComparison
from sitegen.site.cells import Cell, Lines, Link, NumberCell, Small, Unit
from sitegen.site.drawings.plot import Plot, Point, Series, axis_over
from sitegen.site.json.schema import reports
from sitegen.site.json.shaped import shaped
from sitegen.site.plain_json import PlainJson
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import run_row_id, url_of
from sitegen.site.words.accuracy import off

QUANTITIES = {
    "decode": "Decode, one user",
    "decode-of-many": "Decode, each of several users",
    "aggregate": "Decode, all users",
    "prefill": "Prefill",
    "decode-from-ram": "Decode, experts in system RAM",
    "prefill-from-ram": "Prefill, experts in system RAM",
}
WORST = 20
Found = Sequence[SpeedComparison]


def speed_table(accuracy: SpeedAccuracy, catalog: Catalog) -> Table:
    """List errors by quantity and runtime, those of the common rule beside them."""
    columns = (
        Column("Quantity"),
        Column("Figures", numeric=True),
        Column("Median error", numeric=True),
        Column("80th percentile", numeric=True, note="of errors", key="80 of 100"),
        Column("Within our interval", numeric=True),
        Column("High ÷ low", numeric=True, note="median", key="high over low"),
        Column("Common rule", numeric=True, note="median error"),
    )
    rows = []
    for quantity, name in QUANTITIES.items():
        of_quantity = [one for one in accuracy.judged if one.quantity == quantity]
        if not of_quantity:
            continue
        rows.append(Row((name, *_errors(of_quantity))))
        for runtime in sorted({one.runtime for one in of_quantity}):
            mine = [one for one in of_quantity if one.runtime == runtime]
            head = Lines((name, Small(catalog.runtimes[runtime].name)))
            rows.append(Row((head, *_errors(mine))))
    caption = "Speed: errors by quantity and runtime"
    return Table("speed-errors", caption, columns, tuple(rows))


def _errors(found: Found) -> tuple[Cell, ...]:
    sizes = sorted((abs(one.predicted.mid / one.measured - 1), 1.0) for one in found)
    common = [abs(one.naive / one.measured - 1) for one in found if one.naive > 0]
    inside = sum(one.predicted.low <= one.measured <= one.predicted.high for one in found)
    widths = [one.predicted.high / one.predicted.low for one in found if one.predicted.low > 0]
    return (
        NumberCell(len(found), Unit.COUNT),
        NumberCell(quantile(sizes, 0.5), Unit.PERCENT),
        NumberCell(quantile(sizes, 0.8), Unit.PERCENT),
        NumberCell(inside / len(found), Unit.PERCENT),
        NumberCell(round(median(widths), 2), Unit.PLAIN) if widths else "none",
        NumberCell(median(common), Unit.PERCENT) if common else "no rule",
    )


def speed_plot(accuracy: SpeedAccuracy, catalog: Catalog) -> Plot:
    """Draw estimated over measured decode speed of one stream, a shape per runtime."""
    speed_comparisons = [
        speed_comparison
        for speed_comparison in accuracy.judged
        if speed_comparison.quantity == "decode"
    ]
    runtimes = sorted({speed_comparison.runtime for speed_comparison in speed_comparisons})
    speeds = [speed_comparison.measured for speed_comparison in speed_comparisons]
    return Plot(
        id="speed-plot",
        title="Estimated and measured decode speed, one user",
        description="Each mark is one run. On the dashed line, the estimate and the measurement "
        "are equal.",
        x=axis_over("Measured", Unit.TOKENS_PER_S, speeds),
        y=axis_over("Estimated", Unit.TOKENS_PER_S, speeds),
        series=tuple(
            Series(
                catalog.runtimes[runtime].name,
                tuple(
                    Point(
                        speed_comparison.measured,
                        speed_comparison.predicted.mid,
                        speed_comparison.run,
                    )
                    for speed_comparison in speed_comparisons
                    if speed_comparison.runtime == runtime
                ),
            )
            for runtime in runtimes
        ),
        equal=True,
    )


def speed_worst_table(accuracy: SpeedAccuracy, catalog: Catalog) -> Table:
    """List the speeds that are furthest off, either way."""
    columns = (
        Column("Run"),
        Column("Quantity"),
        Column("Measured", numeric=True),
        Column("Estimated", numeric=True),
        Column("Error", numeric=True, key="off"),
        Column("Source"),
    )
    runs = {run.id: run for file in catalog.benchmarks.values() for run in file.runs}
    ordered = sorted(accuracy.judged, key=_distance, reverse=True)[:WORST]
    rows = tuple(
        Row(
            (
                _run(speed_comparison, runs[speed_comparison.run].subject.model, catalog),
                QUANTITIES[speed_comparison.quantity],
                NumberCell(speed_comparison.measured, Unit.TOKENS_PER_S),
                NumberCell(speed_comparison.predicted.mid, Unit.TOKENS_PER_S),
                off(speed_comparison.predicted.mid / speed_comparison.measured - 1),
                source_cell(catalog.benchmarks[speed_comparison.source].sources[0]),
            )
        )
        for speed_comparison in ordered
    )
    return Table("speed-worst", "Speed: our biggest misses", columns, rows, counted=True)


def speed_left_table(accuracy: SpeedAccuracy, catalog: Catalog) -> Table:
    """List the runs without a prediction, each with its reason."""
    runs = {run.id: run for file in catalog.benchmarks.values() for run in file.runs}
    rows = tuple(
        Row(
            (
                Lines((_model(runs[one.run].subject.model, catalog), Small(one.run))),
                one.reason,
                source_cell(catalog.benchmarks[one.source].sources[0]),
            )
        )
        for one in accuracy.unpredicted
    )
    columns = (Column("Run"), Column("Reason"), Column("Source"))
    return Table(
        "speed-unpredicted", "Speed: runs without an estimate", columns, rows, counted=True
    )


def _model(id_: str, catalog: Catalog) -> Link:
    return Link(url_of("model", id_), catalog.models[id_].name)


def _distance(speed_comparison: SpeedComparison) -> float:
    ratio = speed_comparison.predicted.mid / speed_comparison.measured
    return max(ratio, 1 / ratio)


def _run(speed_comparison: SpeedComparison, model: str, catalog: Catalog) -> Cell:
    name = Link(
        f"{url_of('model', model)}#{run_row_id(speed_comparison.run)}", catalog.models[model].name
    )
    gpu = catalog.gpus[speed_comparison.gpu].name
    return Lines(
        (
            name,
            Small(f"{gpu}, {catalog.runtimes[speed_comparison.runtime].name}"),
            Small(speed_comparison.run),
        )
    )


def speed_twin(accuracy: SpeedAccuracy) -> list[PlainJson]:
    """Give every comparison as the JSON twin carries it."""
    return [shaped(reports.SpeedComparison, one) for one in accuracy.comparisons]
