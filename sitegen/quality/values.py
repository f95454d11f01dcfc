"""Ratings as values, for whoever asks for the best model for a use."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sitegen.catalog.domain.provenance import Interval
from sitegen.catalog.domain.scores import Use
from sitegen.values import dataclass

__all__ = ["EvidenceStanding", "Rating", "Ratings", "Use"]


class EvidenceStanding(StrEnum):
    """How far the evidence goes."""

    RATED = "rated"
    """Enough independent boards, and an interval that says something."""
    PROVISIONAL = "provisional"
    """An independent board, but too few or too far apart; shown, and never the best."""
    MAKERS_WORD = "makers-word"
    """Only the model's maker, or makers of others, say so."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A model's rating from the boards of a use.

    Attributes:
        points: 50 is the average model of the catalog, 15 one standard deviation; 90 % interval.
        is_rated: Whether the evidence is enough for a rating; without, nothing may be called best.
        general: Points over all uses of a model that only one board knows in this use, where they
            have to tell it from others; ``None`` where several boards do.
        standing: Whether it is a rating, or how far from one.
        tier: 1 for those that the evidence cannot tell from the best; 0 for what is not rated.
        place: Place among the rated models of the use, from 1; 0 for what is not rated.
        boards: Boards that took part, those of one evaluator and family counted once.
        independent: Those of them that neither the maker nor a peer ran.
        newest: Date of the newest independent score; empty without one.
        mode: The mode that most of the weight was measured in; empty where boards do not say.
        board_ids: Boards that took part, in full.
    """

    points: Interval
    is_rated: bool = True
    general: float | None = None
    model: str = ""
    use: Use = Use.GENERAL
    standing: EvidenceStanding = EvidenceStanding.RATED
    tier: int = 0
    place: int = 0
    boards: int = 0
    independent: int = 0
    newest: str = ""
    mode: str = ""
    board_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings by use and model id; a model that is not here is not rated."""

    by_use: Mapping[Use, Mapping[str, Rating]]

    def of(self, use: Use, model_id: str) -> Rating | None:
        """Return the rating of a model in a use; ``None`` where there is none."""
        return self.by_use.get(use, {}).get(model_id)

    def ranked(self, use: Use) -> tuple[Rating, ...]:
        """Return the rated models of a use, the best first."""
        rated = (one for one in self.by_use.get(use, {}).values() if one.place)
        return tuple(sorted(rated, key=lambda one: one.place))

    def tier(self, use: Use, number: int) -> tuple[Rating, ...]:
        """Return the models of a tier of a use, the best first."""
        return tuple(one for one in self.ranked(use) if one.tier == number)


NONE = Ratings({})
"""Ratings without any scores."""
