"""Cells to HTML and to plain text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from html import escape
from typing import Any

from sitegen.fit.assessment import FitTier
from sitegen.physics.bounds.judgement import ClaimVerdict
from sitegen.render import filters
from sitegen.render.addresses import outside, relative
from sitegen.render.escaping import escaped
from sitegen.site.cells import (
    Absent,
    Cell,
    ClaimMark,
    Code,
    EvidenceMark,
    Flag,
    Folded,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Span,
    TierMark,
)
from sitegen.site.words.tiers import CLOSE_WORDS, TIER_WORDS

TIER_GLYPHS = {
    FitTier.COMFORTABLE: "\N{CHECK MARK}",
    FitTier.BORDERLINE: "\N{ALMOST EQUAL TO}",
    FitTier.NOT_PRACTICAL: "\N{MULTIPLICATION X}",
}
CLAIM_GLYPHS = {
    ClaimVerdict.CONFIRMED: "\N{CHECK MARK}",
    ClaimVerdict.DOUBTFUL: "\N{ALMOST EQUAL TO}",
    ClaimVerdict.DISPUTED: "\N{NOT EQUAL TO}",
    ClaimVerdict.IMPOSSIBLE: "\N{MULTIPLICATION X}",
}


def _tier(cell: TierMark, _: str) -> str:
    word, glyph = TIER_WORDS[cell.tier], TIER_GLYPHS[cell.tier]
    mark = f'<span class="tier {cell.tier}"><span aria-hidden="true">{glyph}</span> {word}</span>'
    doubt = f' <span class="close">({CLOSE_WORDS[cell.tier]})</span>'
    return f"{mark}{doubt}" if cell.too_close else mark


def _claim(cell: ClaimMark, _: str) -> str:
    verdict = cell.verdict
    glyph = f'<span aria-hidden="true">{CLAIM_GLYPHS[verdict]}</span>'
    return f'<span class="tier claim-{verdict}">{glyph} {verdict}</span>'


@lru_cache(maxsize=65_536)
def _link(cell: Link, page_url: str) -> str:
    text = escaped(cell.text)
    if cell.url.startswith(("/", "#")) and not cell.url.startswith("//"):
        label = f' class="permalink" aria-label="{escape(cell.label)}"' if cell.label else ""
        return f'<a href="{escape(relative(cell.url, page_url))}"{label}>{text}</a>'
    address = outside(cell.url)
    if address is None:
        return text
    return f'<a href="{escape(address)}" rel="noopener nofollow ugc">{text}</a>'


def share_rects(shares: tuple[tuple[FitTier, int], ...], height: int) -> str:
    """Draw counts as pieces of a bar, in shares of its width so that it takes any."""
    total = max(1, sum(count for _, count in shares))
    pieces = []
    x = 0.0
    for tier, count in shares:
        width = 100 * count / total
        if count:
            pieces.append(
                f'<rect x="{x:.2f}%" width="{width:.2f}%" height="{height}" class="t-{tier}"/>'
            )
        x += width
    return "".join(pieces)


def _folded(cell: Folded, page_url: str) -> str:
    items = "".join([f"<li>{_loose(item, page_url)}</li>" for item in cell.items])
    return f"<details><summary>{escaped(cell.summary)}</summary><ul>{items}</ul></details>"


def _parts(cell: Parts, page_url: str) -> str:
    # A range in a sentence stays on one line; cells of numbers never wrap anyway.
    return "".join(
        [
            f'<span class="q">{filters.span(part)}</span>'
            if type(part) is Span
            else html(part, page_url)
            for part in cell.parts
        ]
    )


def _loose(cell: Cell, page_url: str) -> str:
    """Write a remark or a list, whose ranges need not be held on one line."""
    if type(cell) is Parts:
        return "".join([_loose(part, page_url) for part in cell.parts])
    return html(cell, page_url)


def _small(cell: Small, page_url: str) -> str:
    return f"<small>{_loose(cell.cell, page_url)}</small>"


def _lines(cell: Lines, page_url: str) -> str:
    """Break between lines; a folded list is a block of its own."""
    out: list[str] = []
    inline = False
    for line in cell.lines:
        folded = type(line) is Folded
        if inline and not folded:
            out.append("<br>")
        out.append(html(line, page_url))
        inline = not folded
    return "".join(out)


_HTML: Mapping[type, Callable[[Any, str], str]] = {
    str: lambda cell, _: escaped(cell),
    NumberCell: lambda cell, _: filters.quantity(cell),
    Span: lambda cell, _: filters.span(cell),
    Link: _link,
    TierMark: _tier,
    ClaimMark: _claim,
    EvidenceMark: lambda cell, _: f'<span class="evidence {cell.evidence}">{cell.evidence}</span>',
    Flag: lambda cell, _: f'<span class="close">{escaped(cell.text)}</span>',
    Absent: lambda cell, _: f'<span class="absent">{escaped(cell.why)}</span>',
    Code: lambda cell, _: f"<code>{escaped(cell.text)}</code>",
    Small: _small,
    Parts: _parts,
    Lines: _lines,
    Folded: _folded,
}


def html(cell: Cell, page_url: str) -> str:
    """Write a cell as HTML; everything that is text in it is escaped."""
    return _HTML[type(cell)](cell, page_url)


TEXT: Mapping[type, Callable[[Any], str]] = {
    str: lambda cell: cell,
    NumberCell: filters.quantity,
    Span: filters.span,
    Link: lambda cell: cell.text,
    TierMark: lambda cell: TIER_WORDS[cell.tier],
    ClaimMark: lambda cell: str(cell.verdict),
    EvidenceMark: lambda cell: str(cell.evidence),
    Flag: lambda cell: cell.text,
    Absent: lambda cell: cell.why,
    Code: lambda cell: cell.text,
    Small: lambda cell: text(cell.cell),
    Parts: lambda cell: "".join(text(part) for part in cell.parts),
    Lines: lambda cell: " ".join(text(line) for line in cell.lines),
    Folded: lambda cell: cell.summary,
}


def text(cell: Cell) -> str:
    """Write a cell as plain text."""
    return TEXT[type(cell)](cell)


def sort_value(cell: Cell) -> float | None:
    """Return the number that a cell is sorted by, in the unit it is printed in.

    The first number of a cell counts, of bounds the best estimate; ``None`` where none is known.

    >>> from sitegen.site.cells import Unit
    >>> sort_value(Lines((Small(Span(0.1, 0.2, 0.4, Unit.PERCENT)), "of all")))
    20.0
    """
    if isinstance(cell, NumberCell):
        return cell.value * filters.FORMATS[cell.unit][0]
    if isinstance(cell, Span):
        return cell.mid * filters.FORMATS[cell.unit][0]
    if isinstance(cell, Small):
        return sort_value(cell.cell)
    pieces: tuple[Cell, ...] = ()
    if isinstance(cell, Lines):
        pieces = cell.lines
    if isinstance(cell, Parts):
        pieces = cell.parts
    if pieces:
        known = (sort_value(piece) for piece in pieces)
        return next((value for value in known if value is not None), None)
    return None
