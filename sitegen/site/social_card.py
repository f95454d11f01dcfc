"""The picture of a page that other sites show with a link to it."""

from __future__ import annotations

from sitegen.site.cells import Cell
from sitegen.site.tier_counts import TierTally
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class SocialCard:
    """A title, a line of small print over it, some lines under it, and perhaps counts by tier."""

    over: str
    title: str
    lines: tuple[Cell, ...]
    tally: TierTally | None = None
