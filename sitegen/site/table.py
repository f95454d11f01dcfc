"""Tables as values: a caption, typed columns, and rows that are headed by their first cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache

from sitegen.site.cells import Cell
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, a note under the heading, and whether its cells are numbers.

    ``prose`` says that an order of its cells would mean nothing to a reader; ``key`` is what files
    call the column where that is not its heading.
    """

    heading: str
    numeric: bool = False
    note: str = ""
    prose: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its cells, the first of which is the row's heading; anchors of row and heading.

    ``mark`` names what sets the row apart, as a word: ``busiest``. ``facets`` are what a reader may
    choose rows by: names, as in ``Choice`` and ``Bound``, and values.
    """

    cells: tuple[Cell, ...]
    id: str = ""
    head_id: str = ""
    mark: str = ""
    facets: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``id`` is unique on its page. ``counted`` prints the number of rows as well.

    Every row has as many cells as there are columns. A reader may sort the rows of a ``sortable``
    table; ``ascends_by`` is the place of the column by which they are listed, least first. A page
    may show an extract of a table that is in its files alone: one is not ``in_files``, the other
    not ``on_page``.
    """

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    counted: bool = False
    note: str = ""
    sortable: bool = False
    ascends_by: int | None = None
    on_page: bool = True
    in_files: bool = True

    def __post_init__(self) -> None:
        """Refuse a row of another width: a template cannot see it."""
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{self.id}: {len(row.cells)} cells for {len(self.columns)}")


@dataclass(frozen=True, slots=True)
class Fold:
    """A table that opens on demand, and the words that open it."""

    summary: str
    table: Table


def first_rows(every: Table, shown: int, *, id: str) -> Table:
    """Return an extract of a table for its page; its files have all rows."""
    if len(every.rows) <= shown:
        return every
    rest = len(every.rows) - shown
    return replace(
        every,
        id=id,
        rows=every.rows[:shown],
        counted=False,
        in_files=False,
        note=f"{rest} more row{'s are' if rest > 1 else ' is'} in data.csv and index.json.",
    )


def facts(id: str, caption: str, pairs: tuple[tuple[str, Cell], ...]) -> Table:
    """Build a table of names and values."""
    rows = tuple(Row((name, value)) for name, value in pairs)
    return Table(id, caption, (Column("Fact"), Column("Value")), rows)


def tables_in(view: object) -> Iterator[Table]:
    """Yield every table of a view, in the order of its fields, however deep it lies.

    Only values of the site are looked into: records of the catalog have no tables.
    """
    if isinstance(view, Table):
        yield view
    elif isinstance(view, tuple):
        for item in view:
            yield from tables_in(item)
    elif isinstance(view, Mapping):
        for item in view.values():
            yield from tables_in(item)
    elif is_dataclass(view) and _may_hold_tables(type(view).__module__, type(view).__name__):
        for one in fields(view):
            yield from tables_in(getattr(view, one.name))


_DRAWN = frozenset({"Plot", "Topology", "LedgerChart", "Tally", "SocialCard", "Bars"})
"""Values with many points and no table."""


@cache
def _may_hold_tables(module: str, name: str) -> bool:
    """Return whether values of a class are looked into: those that views are put together of."""
    site = f"{__package__}."
    return module.startswith(site) and module != f"{site}cells" and name not in _DRAWN
