"""Sources of a page's facts, as a table."""

from __future__ import annotations

from sitegen.catalog.domain.provenance import Constant, Source, Status
from sitegen.site.cells import Absent, Cell, Code, Link, NumberCell, Span, Unit, joined
from sitegen.site.field_words import field_words
from sitegen.site.table import Column, Row, Table

STATUS_WORDS = {
    Status.VERIFIED: "checked against a run or a log",
    Status.CODE: "read in source code",
    Status.PUBLISHED: "published",
    Status.MEASURED: "measured by a third party",
    Status.ISSUE: "reported in an issue",
    Status.ASSUMED: "assumed",
}


def source_cell(source: Source) -> Cell:
    """Return a source's title, linked where it has an address."""
    return Link(source.url, source.title) if source.url else source.title


def sources_table(sources: tuple[Source, ...], *, id: str = "sources") -> Table:
    """List sources with the facts they support and the date on which they were read."""
    rows = tuple(
        Row(
            (
                source_cell(source),
                ", ".join(map(field_words, source.fields)) or "everything",
                source.read,
            )
        )
        for source in sources
    )
    columns = (Column("Source"), Column("Used for"), Column("Accessed", key="read"))
    return Table(id, "Sources", columns, rows, counted=True)


PRINTED_UNITS = {"us": "µs"}
"""By the unit that records write: the unit that pages print, where they differ."""


def constant_value(constant: Constant) -> Cell:
    """Return a constant's value in its own unit, low to high where it is an interval."""
    value = constant.value
    unit = "" if constant.unit == "/1" else f" {PRINTED_UNITS.get(constant.unit, constant.unit)}"
    if value.low == value.high:
        number: Cell = NumberCell(value.mid, Unit.PLAIN)
    else:
        number = Span(value.low, value.mid, value.high, Unit.PLAIN, with_mid=True)
    return joined((number, unit), separator="") if unit else number


def constants_table(
    constants: tuple[tuple[str, Constant], ...],
    *,
    id: str,
    caption: str,
) -> Table:
    """List constants by name with value, unit, how they were checked, source and date."""
    columns = (
        Column("Constant"),
        Column("Value", numeric=True),
        Column("Status"),
        Column("Source"),
        Column("Accessed", key="read"),
        Column("Note"),
    )
    rows = tuple(
        Row(
            (
                Code(name),
                constant_value(constant),
                STATUS_WORDS[constant.status],
                source_cell(constant.source),
                constant.source.read,
                constant.note or Absent("none"),
            )
        )
        for name, constant in constants
    )
    return Table(id, caption, columns, rows, counted=True)
