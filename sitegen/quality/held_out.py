"""Checks of the ratings against what they have not seen: halves, boards and sources left out."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256

from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.scores import Board, ScoreSheet, Use
from sitegen.quality import policy
from sitegen.quality.abilities import Ability
from sitegen.quality.evidence import Keep, evidence
from sitegen.quality.ratings import RatingsWithFits, Scores, rate, without
from sitegen.quality.values import EvidenceStanding, Rating
from sitegen.values import dataclass

FEWEST = 12
"""Models that a comparison of two orders needs before it says anything."""


@dataclass(frozen=True, slots=True)
class HalvesAgree:
    """Two halves of the evaluators about the models of a use that both rate.

    ``inside`` of ``models`` differences lie inside the 90 % interval that both halves state.
    """

    use: Use
    halves: int
    models: int
    inside: int
    rank_agreement: float
    """Median of Spearman's coefficient over the halves."""

    @property
    def coverage(self) -> float:
        """Share of the differences inside the interval."""
        return self.inside / self.models if self.models else 0.0


@dataclass(frozen=True, slots=True)
class BoardLeftOut:
    """Ratings made without a board, against its scores."""

    board: str
    item: str
    use: Use
    models: int
    by_use: float
    """Spearman's coefficient with the ratings of its use."""
    overall: float


@dataclass(frozen=True, slots=True)
class SourceLeftOut:
    """Ratings without one source.

    ``rated`` models of the ``rated_with`` it remain rated overall; ``order`` is Spearman's
    coefficient of both orders; ``moved`` are the models that move most, in points.
    """

    source: str
    rated: int
    rated_with: int
    order: float
    moved: tuple[tuple[str, float], ...]
    boards: tuple[BoardLeftOut, ...]
    """Its own boards against ratings that have not seen it."""


def halves_agree(
    scores: Scores, halves: int, uses: Sequence[Use] = tuple(Use)
) -> tuple[HalvesAgree, ...]:
    """Rate by two disjoint halves of the evaluators, cut by hash, so many times."""
    inside: dict[Use, int] = defaultdict(int)
    models: dict[Use, int] = defaultdict(int)
    orders: dict[Use, list[float]] = defaultdict(list)
    for number in range(halves):
        sides = [rate(scores, _side(number, side), uses) for side in (0, 1)]
        for use in uses:
            found = _compared(sides[0], sides[1], use)
            if found is not None:
                hits, count, order = found
                inside[use] += hits
                models[use] += count
                orders[use].append(order)
    return tuple(
        HalvesAgree(use, len(orders[use]), models[use], inside[use], _median(orders[use]))
        for use in uses
    )


def _side(number: int, side: int) -> Keep:
    def keep(sheet: ScoreSheet, _board: Board) -> bool:
        digest = sha256(f"{number} {sheet.evaluated_by}".encode()).digest()
        return sheet.evaluator is Evaluator.INDEPENDENT and digest[0] % 2 == side

    return keep


def _compared(
    first: RatingsWithFits, second: RatingsWithFits, use: Use
) -> tuple[int, int, float] | None:
    """Compare two fits over the models that both rate; scales are matched by mean and spread."""
    rated = [
        {
            m
            for m, one in side.ratings.by_use.get(use, {}).items()
            if one.standing is EvidenceStanding.RATED
        }
        for side in (first, second)
    ]
    both = sorted(rated[0] & rated[1])
    if len(both) < FEWEST:
        return None
    x, y = ([side.fits[use].abilities[model] for model in both] for side in (first, second))
    slope = _spread(y) / _spread(x)
    x_mean, y_mean = _mean(x), _mean(y)
    inside = sum(
        abs(b.mean - y_mean - slope * (a.mean - x_mean))
        <= policy.SURE * math.hypot(slope * a.deviation, b.deviation)
        for a, b in zip(x, y, strict=True)
    )
    return inside, len(both), spearman([a.mean for a in x], [b.mean for b in y])


def boards_left_out(scores: Scores, boards: Iterable[Board]) -> tuple[BoardLeftOut, ...]:
    """Leave boards out one at a time, in all versions, and rate without them."""
    found: list[BoardLeftOut] = []
    for board in boards:
        found += _without_board(scores, board)
    return tuple(found)


def _without_board(scores: Scores, board: Board) -> list[BoardLeftOut]:
    uses = (Use.OVERALL, board.use)
    rated = rate(scores, lambda _, other: other.id != board.id, uses)
    return _against(scores, rated, lambda _, other: other.id == board.id)


def sources_left_out(
    scores: Scores, sources: Mapping[str, Collection[str]], *, most_moved: int = 5
) -> tuple[SourceLeftOut, ...]:
    """Leave sources out one at a time, each known by its files of scores or its name maps."""
    full = rate(scores, uses=(Use.OVERALL,))
    return tuple(
        _without_source(scores, full, name, ids, most_moved) for name, ids in sources.items()
    )


def _without_source(
    scores: Scores, full: RatingsWithFits, name: str, ids: Collection[str], most_moved: int
) -> SourceLeftOut:
    rest = without(ids)
    own_uses = {run.seen.board.use for run in scores.runs if not rest(run.sheet, run.seen.board)}
    rated = rate(scores, rest, [use for use in Use if use is Use.OVERALL or use in own_uses])
    before, after = (
        {one.model: one for one in side.ratings.ranked(Use.OVERALL)} for side in (full, rated)
    )
    both = sorted(before.keys() & after.keys())
    order = spearman([_mid(before[m]) for m in both], [_mid(after[m]) for m in both])
    moved = sorted(
        ((model, _mid(after[model]) - _mid(before[model])) for model in both),
        key=lambda one: (-abs(one[1]), one[0]),
    )
    own = _against(scores, rated, lambda sheet, board: not rest(sheet, board))
    return SourceLeftOut(
        name, len(both), len(before), order, tuple(moved[:most_moved]),
        tuple(own),
    )  # fmt: skip


def _against(scores: Scores, rated: RatingsWithFits, keep: Keep) -> list[BoardLeftOut]:
    """Compare ratings with scores that they have not seen, board by board, the newest version."""
    unseen: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    boards: dict[str, Board] = {}
    for one in evidence(scores.runs, keep):
        if one.model in scores.models and one.evaluator is Evaluator.INDEPENDENT:
            unseen[one.board.id][one.item][one.model] = one.score
            boards[one.board.id] = one.board
    board_left_outs: list[BoardLeftOut] = []
    for id_, items in sorted(unseen.items()):
        overall = rated.ratings.by_use.get(Use.OVERALL, {})
        own = rated.ratings.by_use.get(boards[id_].use, {})
        for item in sorted(items, reverse=True):
            seen = items[item]
            both = [m for m in sorted(seen) if _is_rated(overall, m) and m in own]
            if len(both) >= FEWEST:
                truth = [seen[model] for model in both]
                board_left_outs.append(
                    BoardLeftOut(
                        id_, item, boards[id_].use, len(both),
                        spearman([_mid(own[model]) for model in both], truth),
                        spearman([_mid(overall[model]) for model in both], truth),
                    )
                )  # fmt: skip
                break
    return board_left_outs


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the correlation of ranks; ties share the mean of their places.

    >>> spearman([1, 2, 3], [10, 30, 20])
    0.5
    """
    x, y = _ranks(first), _ranks(second)
    if len(x) < 3:
        return 0.0
    middle = (len(x) - 1) / 2
    across = sum((a - middle) * (b - middle) for a, b in zip(x, y, strict=True))
    spread = sum((a - middle) ** 2 for a in x) * sum((b - middle) ** 2 for b in y)
    return across / math.sqrt(spread) if spread else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = defaultdict(list)
    for place, value in enumerate(sorted(values)):
        places[value].append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def _is_rated(ratings: Mapping[str, Rating], model: str) -> bool:
    found = ratings.get(model)
    return found is not None and found.standing is EvidenceStanding.RATED


def _mid(rating: Rating) -> float:
    return rating.points.mid


def _mean(some: Sequence[Ability]) -> float:
    return sum(one.mean for one in some) / len(some)


def _spread(some: Sequence[Ability]) -> float:
    mean = _mean(some)
    return math.sqrt(sum((one.mean - mean) ** 2 for one in some) / len(some))


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0
