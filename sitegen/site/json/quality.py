"""Keys of the quality pages' JSON twins beyond the shapes of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sitegen.quality.held_out import HalvesAgree, SourceLeftOut
from sitegen.quality.losses import LossTable
from sitegen.quality.values import EvidenceStanding, Rating, Ratings
from sitegen.site.json.schema import reports
from sitegen.site.json.shaped import shaped
from sitegen.site.plain_json import PlainJson


def rating_twin(rating: Rating) -> dict[str, PlainJson]:
    """State a rating with its evidence."""
    return shaped(reports.RatedModel, rating)


def ratings_twin(ratings: Ratings) -> list[PlainJson]:
    """Count models by use, and name the best tier of each."""
    return [
        {
            "use": use.value,
            **{
                standing.value.replace("-", "_"): Counter(one.standing for one in found.values())[
                    standing
                ]
                for standing in EvidenceStanding
            },
            "best": [one.model for one in ratings.tier(use, 1)],
        }
        for use, found in ratings.by_use.items()
    ]


def sources_twin(source_left_outs: Iterable[SourceLeftOut]) -> list[PlainJson]:
    """State what moves without each source, and how its boards are ordered without it."""
    return [shaped(reports.SourceLeftOut, one) for one in source_left_outs]


def halves_twin(halves_agrees: Iterable[HalvesAgree]) -> list[PlainJson]:
    """State how often halves of the evaluators agree."""
    return [shaped(reports.HalvesAgree, one) for one in halves_agrees if one.halves]


def losses_twin(losses: LossTable) -> list[PlainJson]:
    """State what each type of quantization loses."""
    return [shaped(reports.TypeLoss, one) for one in losses.types]
