"""The sum behind a verdict for a person at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.cli.text.fit import summary
from sitegen.cli.text.tables import print_pairs, print_table
from sitegen.fit.assessment import Assessment
from sitegen.fit.explain import ExplainLine, explain
from sitegen.physics.plan import GpuLedger
from sitegen.site.cells import Cell, Quantity, Span, Unit
from sitegen.site.table import Column, Row, Table


def print_explanation(assessment: Assessment, catalog: Catalog) -> None:
    """Print the summary, the lines of the busiest GPU, and the constants behind them."""
    print_pairs(summary(assessment, catalog))
    lines = [line for line in explain(assessment, catalog) if line.value.high > 0]
    if lines:
        print_table(sum_of(lines, assessment.busiest))
        print_table(constants_of(lines))


def sum_of(lines: Sequence[ExplainLine], busiest: GpuLedger | None) -> Table:
    """Each line of the busiest GPU with its formula in words, and what it adds up to."""
    columns = (
        Column("line"), Column("low", numeric=True), Column("mid", numeric=True),
        Column("high", numeric=True), Column("what it is"),
    )  # fmt: skip
    rows = [Row((line.name, *_bounds(line.value), line.formula)) for line in lines]
    held = Interval.total([line.value for line in lines])
    rows.append(Row(("sum", *_bounds(held), "all that the GPU holds")))
    if busiest is not None:
        need = "what of it counts against the budget; decides the verdict"
        budget = Quantity(busiest.budget_bytes, Unit.GIB)
        visible = Quantity(busiest.visible_bytes, Unit.GIB)
        rows.append(Row(("need", *_bounds(busiest.need), need)))
        rows.append(Row(("budget", "", budget, "", "what the runtime may fill")))
        rows.append(Row(("visible", "", visible, "", "what a process sees of the GPU")))
    return Table("sum", "Busiest GPU, line by line", columns, tuple(rows))


def constants_of(lines: Sequence[ExplainLine]) -> Table:
    """Each constant once, with unit, status and source."""
    used = {constant.name: constant for line in lines for constant in line.constants}
    columns = (
        Column("constant"), Column("value", numeric=True), Column("unit"), Column("status"),
        Column("source"), Column("read"),
    )  # fmt: skip
    rows = tuple(_constant(constant) for _, constant in sorted(used.items()))
    return Table("constants", "Constants of these lines", columns, rows)


def _bounds(interval: Interval) -> tuple[Cell, Cell, Cell]:
    return (
        Quantity(interval.low, Unit.GIB),
        Quantity(interval.mid, Unit.GIB),
        Quantity(interval.high, Unit.GIB),
    )


def _constant(constant: Constant) -> Row:
    value = constant.value
    shown = Span(value.low, value.mid, value.high, Unit.PLAIN, with_mid=True)
    source = constant.source
    where = f"{source.title} {source.url}".strip()
    return Row((constant.name, shown, constant.unit, constant.status.value, where, source.read))
