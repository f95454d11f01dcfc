"""The counts of a page's verdicts as words and numbers, over one bar of their shares."""

from __future__ import annotations

from html import escape

from sitegen.render.addresses import relative
from sitegen.render.cells import TIER_GLYPHS, share_rects
from sitegen.site.tier_counts import TierCount, TierTally
from sitegen.site.words.tiers import TIER_SHORT

HEIGHT = 10


def tally_html(tally: TierTally, page_url: str) -> str:
    """Write the counts as links to their tables; the bar repeats them and is hidden from readers.

    The bar's pieces are shares of its width, so that it takes any.
    """
    items = "".join(_item(one, page_url) for one in tally.counts)
    name = f"{tally.total} {escape(tally.noun)} by verdict"
    return f'<div class="tally"><ul aria-label="{name}">{items}</ul>{_bar(tally)}</div>'


def _item(tally: TierCount, page_url: str) -> str:
    address = escape(relative(tally.url, page_url))
    return (
        f'<li class="tier-{tally.tier}"><a href="{address}"><strong>{tally.count}</strong> '
        f'<span aria-hidden="true">{TIER_GLYPHS[tally.tier]}</span> '
        f"<span>{TIER_SHORT[tally.tier]}</span></a></li>"
    )


def _bar(tally: TierTally) -> str:
    return (
        f'<svg width="100%" height="{HEIGHT}" aria-hidden="true" focusable="false">'
        f"{share_rects(tally.shares, HEIGHT)}</svg>"
    )
