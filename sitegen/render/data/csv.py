"""``data.csv``: the tables of a page, one row each, under columns of short names (RFC 4180)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from sitegen.render.data.grids import Field, Grid
from sitegen.site.content.site_settings import Settings

FIRST = ("table", "row")
"""Columns that every file begins with: the table, and the row's anchor on the page."""
LAST = ("data_version", "data_licence")
"""Columns that every file ends with, so that a row says where it is from wherever it goes."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SIGNED_NUMBER = re.compile(r"[+-][\d.,]+(\s?[\w%/]+)?")


def data_csv(found: tuple[Grid, ...], settings: Settings) -> bytes:
    """Write UTF-8 with CRLF line ends; a column that a table lacks is empty in its rows."""
    names = [field.name for field in columns(found)]
    at = {name: index for index, name in enumerate(names, len(FIRST))}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow((*FIRST, *names, *LAST))
    last = [settings.data_version, harmless(settings.data_licence)]
    empty = [""] * len(names)
    for grid in found:
        places = [(at[field.name], index) for index, field in enumerate(grid.fields)]
        numeric = [field.numeric for field in grid.fields]
        for row, anchor in zip(grid.rows, grid.anchors, strict=True):
            written = [grid.id, anchor, *empty]
            for place, index in places:
                value = row[index]
                written[place] = value if numeric[index] else harmless(value)
            writer.writerow(written + last)
    return out.getvalue().encode()


def columns(found: Iterable[Grid]) -> tuple[Field, ...]:
    """Return the columns of all tables, each name once, in the order they are met in."""
    named: dict[str, Field] = {}
    for grid in found:
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
