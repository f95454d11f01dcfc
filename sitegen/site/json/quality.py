"""What the JSON twins of the quality pages say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sitegen.quality.held_out import HalvesAgree, SourceLeftOut
from sitegen.quality.losses import LossTable
from sitegen.quality.values import Rating, Ratings, Standing
from sitegen.site.json.shaped import interval
from sitegen.site.plain_json import PlainJson


def rating_twin(one: Rating) -> dict[str, PlainJson]:
    """State a rating with its evidence."""
    return {
        "model": one.model,
        "standing": one.standing.value,
        "tier": one.tier,
        "place": one.place,
        **interval(one.points),
        "boards": one.boards,
        "independent_boards": one.independent,
        "newest": one.newest,
        "mode": one.mode,
        "board_ids": list(one.board_ids),
    }


def ratings_twin(ratings: Ratings) -> list[PlainJson]:
    """Count models by use, and name the best tier of each."""
    return [
        {
            "use": use.value,
            **{
                standing.value.replace("-", "_"): Counter(one.standing for one in found.values())[
                    standing
                ]
                for standing in Standing
            },
            "best": [one.model for one in ratings.tier(use, 1)],
        }
        for use, found in ratings.by_use.items()
    ]


def sources_twin(found: Iterable[SourceLeftOut]) -> list[PlainJson]:
    """State what moves without each source, and how its boards are ordered without it."""
    return [
        {
            "source": one.source,
            "rated": one.rated,
            "rated_with": one.rated_with,
            "rank_agreement": one.order,
            "moved": [{"model": model, "points": points} for model, points in one.moved],
            "boards": [
                {
                    "board": board.board,
                    "use": board.use.value,
                    "models": board.models,
                    "rank_agreement_by_use": board.by_use,
                    "rank_agreement_overall": board.overall,
                }
                for board in one.boards
            ],
        }
        for one in found
    ]


def halves_twin(found: Iterable[HalvesAgree]) -> list[PlainJson]:
    """State how often halves of the evaluators agree."""
    return [
        {
            "use": one.use.value,
            "halves": one.halves,
            "models": one.models,
            "inside": one.inside,
            "rank_agreement": one.rank_agreement,
        }
        for one in found
        if one.halves
    ]


def losses_twin(found: LossTable) -> list[PlainJson]:
    """State what each type of quantization loses."""
    return [
        {
            "quantization": one.quantization,
            "class": one.class_,
            "bits": one.bits,
            **interval(one.points),
            "on_another_model": dict(interval(one.anyone)),
            "known_by": one.known_by,
            "models": list(one.models),
            "sources": list(one.sources),
        }
        for one in found.types
    ]
