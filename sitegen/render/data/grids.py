"""A page's tables as columns of short names and rows of plain values, and ``data.csv`` of them.

A column whose cells begin with numbers of one unit becomes a column of numbers, whose name says
the unit: ``installed_gib``; bounds become two, ``…_low`` and ``…_high``. What stands beside the
number or on further lines is in ``…_detail``. Any other column is text, as the page prints it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sitegen.render import filters
from sitegen.render.cells import TEXT
from sitegen.render.filters import FORMATS, digits
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Folded,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Span,
    TierMark,
    Unit,
)
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.tiers import TIER_WORDS, TOO_CLOSE
from sitegen.values import dataclass

DETAIL = "_detail"
_NOT_NAME = re.compile(r"[^a-z0-9]+")
_UNNAMED = frozenset({Unit.COUNT, Unit.PLAIN, Unit.RATIO})
"""Units that need no word in a column's name."""
_BOUNDS, _WITH_MID = ("low", "high"), ("low", "mid", "high")
_PLACE = {"low": 0, "mid": 1, "": 1, "high": 2}
_SPLIT = tuple[list[Cell], list[str]]


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A column of the files: its short name, and the column of the page that it is from.

    ``bound`` is ``low``, ``mid`` or ``high`` in one of several; ``unit`` is empty for text.
    """

    name: str
    heading: str
    note: str
    unit: str = ""
    bound: str = ""
    numeric: bool = False
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of a page: rows of values in the order of ``fields``; ``anchors`` are row ids."""

    id: str
    caption: str
    fields: tuple[GridColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    anchors: tuple[str, ...]
    counted: bool = False


def grids(tables: Iterable[Table]) -> tuple[Grid, ...]:
    """Turn the tables of one page into grids; a name means the same in all of them."""
    distinct = tuple({table.id: table for table in tables}.values())
    split = [[_split(table, at) for at in range(len(table.columns))] for table in distinct]
    columns = [short_names(table.columns) for table in distinct]
    units = _units(columns, split)
    return tuple(
        _grid(table, names, cells, units)
        for table, names, cells in zip(distinct, columns, split, strict=True)
    )


def short_names(columns: Sequence[Column]) -> tuple[str, ...]:
    """Name columns by their headings, each differently.

    >>> short_names((Column("Max context"), Column("Decode"), Column("Decode")))
    ('max_context', 'decode', 'decode_2')
    """
    names: list[str] = []
    for column in columns:
        name = _NOT_NAME.sub("_", (column.key or column.heading).lower()).strip("_") or "column"
        number = 1 + sum(other == name or other.startswith(f"{name}_") for other in names)
        names.append(name if name not in names else f"{name}_{number}")
    return tuple(names)


def _split(table: Table, at: int) -> _SPLIT:
    leads: list[Cell] = []
    details: list[str] = []
    for row in table.rows:
        cell = row.cells[at]
        if isinstance(cell, Lines):
            leads.append(cell.lines[0])
            details.append(lines(cell.lines[1:]))
        else:
            leads.append(cell)
            details.append("")
    return leads, details


def _units(
    columns: Sequence[tuple[str, ...]], split: Sequence[Sequence[_SPLIT]]
) -> Mapping[str, tuple[Unit, tuple[str, ...]]]:
    """Find columns of numbers: their unit, and the bounds that any of them prints.

    A column with text that is no absent value, or with two units, is text.
    """
    found: dict[str, set[Unit]] = {}
    texts: set[str] = set()
    spans: dict[str, tuple[str, ...]] = {}
    for names, cells in zip(columns, split, strict=True):
        for name, (leads, _) in zip(names, cells, strict=True):
            for lead in leads:
                kind = type(lead)
                if kind is NumberCell or kind is Span:
                    found.setdefault(name, set()).add(lead.unit)  # type: ignore[union-attr]
                    if isinstance(lead, Span) and len(spans.get(name, ())) < len(_WITH_MID):
                        spans[name] = _WITH_MID if lead.with_mid else _BOUNDS
                elif kind is not Absent:
                    texts.add(name)
    return {
        name: (next(iter(units)), spans.get(name, ("",)))
        for name, units in found.items()
        if len(units) == 1 and name not in texts
    }


def _grid(
    table: Table,
    names: tuple[str, ...],
    cells: Sequence[_SPLIT],
    units: Mapping[str, tuple[Unit, tuple[str, ...]]],
) -> Grid:
    fields: list[GridColumn] = []
    values: list[list[str]] = []
    for column, name, (leads, details) in zip(table.columns, names, cells, strict=True):
        heading, note = column.heading, column.note
        if name in units:
            unit, bounds = units[name]
            named = name if unit in _UNNAMED else f"{name}_{unit.replace('-', '_')}"
            word = FORMATS[unit][2]
            numbers = [_numbers(lead) for lead in leads]
            for bound in bounds:
                full = f"{named}_{bound}" if bound else named
                at = _PLACE[bound]
                fields.append(GridColumn(full, heading, note, word, bound, numeric=True))
                values.append([printed[at] for printed in numbers])
            remarks = [_beside(lead, detail) for lead, detail in zip(leads, details, strict=True)]
        else:
            fields.append(GridColumn(name, heading, note))
            values.append([plain(lead) for lead in leads])
            remarks = details
        if any(remarks):
            fields.append(GridColumn(f"{name}{DETAIL}", heading, note, detail=True))
            values.append(remarks)
    rows = tuple(zip(*values, strict=True)) if table.rows else ()
    anchors = tuple(map(_anchor, table.rows))
    return Grid(table.id, table.caption, tuple(fields), rows, anchors, table.counted)


def _numbers(lead: Cell) -> tuple[str, str, str]:
    return digits(lead) if isinstance(lead, NumberCell | Span) else ("", "", "")


def _beside(lead: Cell, detail: str) -> str:
    """Say in the detail why there is no number, and what else the cell says."""
    if type(lead) is Absent:
        return f"{lead.why}; {detail}" if detail else lead.why
    return detail


def _anchor(row: Row) -> str:
    return row.id or row.head_id


FIRST = ("table", "row")
"""Columns that every file begins with: the table, and the row's anchor on the page."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SIGNED_NUMBER = re.compile(r"[+-][\d.,]+(\s?[\w%/]+)?")


def data_csv(grids: tuple[Grid, ...]) -> bytes:
    """Write UTF-8 with CRLF line ends; a column that a table lacks is empty in its rows."""
    names = [field.name for field in columns(grids)]
    at = {name: index for index, name in enumerate(names, len(FIRST))}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow((*FIRST, *names))
    empty = [""] * len(names)
    for grid in grids:
        places = [(at[field.name], index) for index, field in enumerate(grid.fields)]
        numeric = [field.numeric for field in grid.fields]
        for row, anchor in zip(grid.rows, grid.anchors, strict=True):
            written = [grid.id, anchor, *empty]
            for place, index in places:
                value = row[index]
                written[place] = value if numeric[index] else harmless(value)
            writer.writerow(written)
    return out.getvalue().encode()


def columns(grids: Iterable[Grid]) -> tuple[GridColumn, ...]:
    """Return the columns of all tables, each name once, in the order they are met in."""
    named: dict[str, GridColumn] = {}
    for grid in grids:
        for field in grid.fields:
            named.setdefault(field.name, field)
    return tuple(named.values())


def harmless(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run as a formula.

    >>> harmless("=HYPERLINK(1)"), harmless("+97.5 %"), harmless("-1+cmd")
    ("'=HYPERLINK(1)", '+97.5 %', "'-1+cmd")
    """
    if text.startswith(_FORMULA) and not _SIGNED_NUMBER.fullmatch(text):
        return f"'{text}"
    return text


BETWEEN = "; "


def plain(cell: Cell) -> str:
    """Write a cell with all that the page shows of it, also on demand.

    A link that is only a sign is left out, and so is the glyph beside a verdict's word.
    """
    return _PLAIN[type(cell)](cell)


def lines(cells: tuple[Cell, ...]) -> str:
    """Write what stands on lines of its own, one after the other."""
    return BETWEEN.join([text for line in cells if (text := _PLAIN[type(line)](line))])


def _parts(cell: Parts) -> str:
    return "".join(
        [part if type(part) is str else _PLAIN[type(part)](part) for part in cell.parts]
    ).strip()


def _folded(cell: Folded) -> str:
    return f"{cell.summary}: {lines(cell.items)}"


def _tier(cell: TierMark) -> str:
    word = TIER_WORDS[cell.tier]
    return f"{word}, {TOO_CLOSE}" if cell.too_close else word


_PLAIN: Mapping[type, Callable[[Any], str]] = {
    **TEXT,
    str: lambda cell: cell,
    NumberCell: filters.quantity,
    Span: filters.span,
    Link: lambda cell: "" if cell.label else cell.text,
    TierMark: _tier,
    EvidenceMark: lambda cell: cell.evidence.value,
    Small: lambda cell: _PLAIN[type(cell.cell)](cell.cell),
    Parts: _parts,
    Lines: lambda cell: lines(cell.lines),
    Folded: _folded,
}
