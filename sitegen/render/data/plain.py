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
    return _PLAIN[type(cell)](cell)


def lines(found: tuple[Cell, ...]) -> str:
    """Write what stands on lines of its own, one after the other."""
    return BETWEEN.join([text for line in found if (text := _PLAIN[type(line)](line))])


def _parts(cell: Parts) -> str:
    return "".join(
        [part if type(part) is str else _PLAIN[type(part)](part) for part in cell.parts]
    ).strip()


def _folded(cell: Folded) -> str:
    return f"{cell.summary}: {lines(cell.items)}"


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
    Small: lambda cell: _PLAIN[type(cell.cell)](cell.cell),
    Parts: _parts,
    Lines: lambda cell: lines(cell.lines),
    Folded: _folded,
}
