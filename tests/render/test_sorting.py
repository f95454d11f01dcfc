"""What a column is sorted by: the number that a cell begins with, or one beside it."""

from __future__ import annotations

import re

import pytest

from sitegen.render.tables import table_html
from sitegen.site.cells import Absent, Cell, Lines, NumberCell, Parts, Small, Span, Unit
from sitegen.site.table import Column, Row, Table

CELLS: tuple[tuple[Cell, str | None], ...] = (
    (NumberCell(262_144, Unit.TOKENS), None),
    (Lines((NumberCell(1299, Unit.USD), Small("used, 2026-04"))), None),
    (Parts((NumberCell(64, Unit.COUNT), "+ / ", NumberCell(31, Unit.COUNT))), None),
    (NumberCell(0, Unit.COUNT), None),
    (NumberCell(35.02143, Unit.TOKENS_PER_S), "35.02"),
    (Span(0.59, 0.6, 0.61, Unit.PERCENT), "60"),
    (Small(NumberCell(8, Unit.COUNT)), "8"),
    (Parts(("over ", NumberCell(700, Unit.WATTS))), "700"),
    (Absent("not recorded"), None),
    ("2 cards of 24 GiB", ""),
    (Parts((NumberCell(12, Unit.COUNT), "5 more")), "12"),
)


@pytest.mark.parametrize(("cell", "stated"), CELLS)
def test_a_value_stands_beside_a_cell_only_if_the_cell_does_not_begin_with_it(
    cell: Cell, stated: str | None
) -> None:
    columns = (Column("Name"), Column("Number", numeric=True))
    table = Table("t", "T", columns, (Row(("a", cell)), Row(("b", "x"))), sortable=True)
    first = re.search(r'<td( data-value="?([^">]*)"?)?>', table_html(table, "/"))
    assert first is not None
    assert (first[2] if first[1] else None) == stated
