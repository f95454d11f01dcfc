"""Columns of numbers in every table of the invented site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from sitegen.site.cells import NumberCell
from sitegen.site.page import Lazy
from sitegen.site.table import Table
from tests.render.built import site


def tables(value: object, seen: set[int]) -> Iterator[Table]:
    """Yield every table below a value."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Table):
        yield value
    elif isinstance(value, Lazy):
        yield from tables(value.value(), seen)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from tables(inner, seen)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from tables(inner, seen)
    elif is_dataclass(value):
        for field in fields(value):
            yield from tables(getattr(value, field.name), seen)


def test_a_column_of_numbers_alone_is_set_and_sorted_as_numbers() -> None:
    found = [table for page in site().pages.values() for table in tables(page, set())]
    assert len(found) > 50
    cells: dict[tuple[str, str], list[object]] = defaultdict(list)
    text: set[tuple[str, str]] = set()
    for table in found:
        for at, column in enumerate(table.columns[1:], 1):  # the first is the heading of its row
            cells[column.heading, column.note] += [row.cells[at] for row in table.rows]
            if not column.numeric:
                text.add((column.heading, column.note))
    numbers = {
        name
        for name, shown in cells.items()
        if shown and all(isinstance(cell, NumberCell) for cell in shown)
    }
    assert len(numbers) > 20
    assert numbers & text == set()
