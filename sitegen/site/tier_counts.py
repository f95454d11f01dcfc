"""Counts of verdicts by tier, which a combo's or a model's page says first."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.fit.assessment import FitTier
from sitegen.survey.results import ModelOnCombo
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class TierCount:
    """A tier, how many verdicts have it, and the anchor of their table."""

    tier: FitTier
    count: int
    url: str


@dataclass(frozen=True, slots=True)
class TierTally:
    """The counts of all tiers, best first; ``noun`` is what they count: ``models``."""

    noun: str
    counts: tuple[TierCount, ...]

    @property
    def total(self) -> int:
        """Verdicts of all tiers."""
        return sum(one.count for one in self.counts)

    @property
    def shares(self) -> tuple[tuple[FitTier, int], ...]:
        """Tiers with their counts, for a bar."""
        return tuple((one.tier, one.count) for one in self.counts)


def tally(rows: Iterable[ModelOnCombo], noun: str, url: str = "") -> TierTally:
    """Count the rows of a page by tier; its tables are called ``tier-…``.

    ``url`` is the page that has the tables, empty for the one that has the counts.
    """
    tiers = [row.tier for row in rows]
    counts = (TierCount(tier, tiers.count(tier), f"{url}#tier-{tier}") for tier in FitTier)
    return TierTally(noun, tuple(counts))
