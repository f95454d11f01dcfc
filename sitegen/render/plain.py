"""Cells as the files to take away have them: plain text in which nothing is folded or hidden."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sitegen.render import cells, filters
from sitegen.site.cells import (
    Cell,
    EvidenceMark,
    Folded,
    Lines,
    Link,
    Parts,
    Quantity,
    Small,
    Span,
    TierMark,
)

BETWEEN = "; "


def plain(cell: Cell) -> str:
    """Write a cell with all that the page shows of it, also on demand.

    A link that is only a sign is left out, and so is the glyph beside a verdict's word.
    """
    kind = type(cell)
    if kind is Small:
        cell = cell.cell  # type: ignore[union-attr]
        kind = type(cell)
    if kind is str:
        return cell  # type: ignore[return-value]
    return _PLAIN[kind](cell)


def first_and_rest(cell: Cell) -> tuple[Cell, str]:
    """Split a cell into what stands first in it, and the text of its other lines."""
    if type(cell) is not Lines:
        return cell, ""
    return cell.lines[0], _lines(cell.lines[1:])


def _lines(lines: tuple[Cell, ...]) -> str:
    return BETWEEN.join([text for line in lines if (text := plain(line))])


def _parts(cell: Parts) -> str:
    return "".join(
        [part if type(part) is str else _PLAIN[type(part)](part) for part in cell.parts]
    ).strip()


def _folded(cell: Folded) -> str:
    return f"{cell.summary}: {_lines(cell.items)}"


def _tier(cell: TierMark) -> str:
    word = cells.TIER_WORDS[cell.tier]
    return f"{word}, {cells.TOO_CLOSE}" if cell.too_close else word


_PLAIN: Mapping[type, Callable[[Any], str]] = {
    **cells.TEXT,
    str: lambda cell: cell,
    Quantity: filters.quantity,
    Span: filters.span,
    Link: lambda cell: "" if cell.label else cell.text,
    TierMark: _tier,
    EvidenceMark: lambda cell: cell.evidence.value,
    Small: lambda cell: plain(cell.cell),
    Parts: _parts,
    Lines: lambda cell: _lines(cell.lines),
    Folded: _folded,
}
