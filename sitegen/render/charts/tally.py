"""The counts of a page's verdicts as words and numbers, over one bar of their shares."""

from __future__ import annotations

from html import escape

from sitegen.engine.assessment import FitTier
from sitegen.render.cells import TIER_GLYPHS
from sitegen.site.tally import Tally, TierCount

WORDS = {
    FitTier.COMFORTABLE: "comfortable",
    FitTier.BORDERLINE: "borderline",
    FitTier.NOT_PRACTICAL: "not practical",
}
HEIGHT = 10


def tally_html(tally: Tally) -> str:
    """Write the counts as links to their tables; the bar repeats them and is hidden from readers.

    The bar's pieces are shares of its width, so that it takes any.
    """
    items = "".join(_item(one) for one in tally.counts)
    name = f"{tally.total} {escape(tally.noun)} by verdict"
    return f'<div class="tally"><ul aria-label="{name}">{items}</ul>{_bar(tally)}</div>'


def _item(one: TierCount) -> str:
    return (
        f'<li class="tier-{one.tier}"><a href="{escape(one.url)}"><strong>{one.count}</strong> '
        f'<span aria-hidden="true">{TIER_GLYPHS[one.tier]}</span> <span>{WORDS[one.tier]}'
        "</span></a></li>"
    )


def _bar(tally: Tally) -> str:
    pieces = []
    x = 0.0
    for one in tally.counts:
        width = 100 * one.count / max(1, tally.total)
        if one.count:
            pieces.append(
                f'<rect x="{x:.2f}%" width="{width:.2f}%" height="{HEIGHT}" class="t-{one.tier}"/>'
            )
        x += width
    return (
        f'<svg width="100%" height="{HEIGHT}" aria-hidden="true" focusable="false">'
        f"{''.join(pieces)}</svg>"
    )
