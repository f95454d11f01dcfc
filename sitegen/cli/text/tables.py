"""Tables and values of pages, printed for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from sitegen.cli.text.terminal import printable, wants_colour
from sitegen.render.cells import text
from sitegen.site.cells import Cell, Lines
from sitegen.site.table import Table

PIPE_WIDTH = 200
"""Columns when nobody looks: wide enough that no line of a file breaks."""
_SPACES = {ord("\N{NO-BREAK SPACE}"): " ", ord("\N{WORD JOINER}"): None}


def _print(rows: RichTable) -> None:
    """Print without the blanks that pad every line to the table's width."""
    screen = _console()
    with screen.capture() as printed:
        screen.print(rows)
    lines = printed.get().splitlines()
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in lines))


def _console() -> Console:
    """A console that never reads markup in data and writes no escapes into a pipe."""
    colours = wants_colour(sys.stdout)
    return Console(
        file=sys.stdout,
        markup=False,
        emoji=False,
        highlight=False,
        force_terminal=colours,
        no_color=not colours,
        width=None if sys.stdout.isatty() else PIPE_WIDTH,
    )


def plain(cell: Cell) -> str:
    """Write a cell as one line of printable text."""
    if isinstance(cell, Lines):
        return ", ".join(plain(line) for line in cell.lines)
    return printable(text(cell).translate(_SPACES))


def print_pairs(pairs: Iterable[tuple[str, Cell]]) -> None:
    """Print names and values in two columns."""
    rows = RichTable(box=None, show_header=False, pad_edge=False)
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, cell in pairs:
        rows.add_row(Text(printable(name)), Text(plain(cell)))
    _print(rows)


def print_table(table: Table) -> None:
    """Print a page's table under its caption."""
    rows = RichTable(title=Text(printable(table.caption)), title_justify="left", box=SIMPLE_HEAD)
    for column in table.columns:
        rows.add_column(
            Text(printable(column.heading)),
            justify="right" if column.numeric else "left",
            overflow="fold",
        )
    for row in table.rows:
        rows.add_row(*(Text(plain(cell)) for cell in row.cells))
    _print(rows)
