"""How far the ratings can be trusted: halves, boards and sources left out, pairs, and weights.

Run as ``python -m benchmarks.quality_checks``; prints every figure, about a minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from unittest.mock import patch

from benchmarks.quality.pairs import PAIRS
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.scores import Use
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.quality import policy
from sitegen.quality.held_out import (
    BoardLeftOut,
    boards_left_out,
    halves_agree,
    sources_left_out,
    spearman,
)
from sitegen.quality.losses import losses_of
from sitegen.quality.ratings import RatingsWithFits, Scores, rate
from sitegen.quality.values import EvidenceStanding, Rating

HALVES = 40
SOURCES = ("artificial-analysis", "lmarena", "livebench", "euroeval", "oobabooga", "bigcodebench",
           "evalplus", "zeroeval", "aider", "lechmazur", "ruler", "llm-stats")  # fmt: skip
SHOWN = 15


def main() -> None:
    """Print every check."""
    catalog = parse_catalog(read_project(Path.cwd()).catalog)
    scores = Scores.of(catalog)
    rated = rate(scores)
    for lines in (
        _ranking(rated),
        _coverage(rated),
        _halves(scores),
        _boards(catalog, scores),
        _sources(scores),
        _pairs(rated),
        _weights(scores, rated),
        _losses(catalog),
    ):
        print("\n".join(lines), end="\n\n")


def _ranking(rated: RatingsWithFits) -> Iterator[str]:
    for use in Use:
        yield f"== {use.value}"
        for one in rated.ratings.ranked(use)[:SHOWN]:
            half = one.points.high - one.points.mid
            yield (
                f"  tier {one.tier} {one.place:3d} {one.model:38s} {one.points.mid:5.1f} ± "
                f"{half:4.1f}  {one.independent} independent of {one.boards}, to {one.newest}"
                f"{', ' + one.mode if one.mode else ''}"
            )


def _coverage(rated: RatingsWithFits) -> Iterator[str]:
    yield "== models by use: rated, provisional, the maker's word"
    for use, ratings in rated.ratings.by_use.items():
        counts = Counter(one.standing for one in ratings.values())
        yield f"  {use.value:22s} " + " ".join(
            f"{counts[standing]:4d}" for standing in EvidenceStanding
        )


def _halves(scores: Scores) -> Iterator[str]:
    yield f"== {HALVES} random halves of the evaluators: differences inside the 90 % interval"
    for one in halves_agree(scores, HALVES):
        if one.halves:
            yield (
                f"  {one.use.value:22s} {one.halves:3d} halves, {one.models:4d} models, "
                f"inside {one.coverage:.3f}, Spearman {one.rank_agreement:.2f}"
            )


def _boards(catalog: Catalog, scores: Scores) -> Iterator[str]:
    boards = [board for board in catalog.boards.values() if board.evaluator == "independent"]
    found = boards_left_out(scores, boards)
    yield "== boards left out in turn: Spearman with the rating of the use, and overall"
    yield from map(_board_line, found)
    for uses in ((Use.LONG_CONTEXT,), (Use.MULTILINGUAL,), (Use.VISION,)):
        some = [one.by_use for one in found if one.use in uses]
        yield f"  median {uses[0].value}: {median(some):.2f} over {len(some)}"
    apart = {Use.LONG_CONTEXT, Use.MULTILINGUAL, Use.VISION}
    text = sorted(max(one.by_use, one.overall) for one in found if one.use not in apart)
    at_least = sum(value >= 0.85 for value in text)
    yield f"  median of the rest: {median(text):.2f}; {at_least} of {len(text)} at 0.85 or more"


def _board_line(one: BoardLeftOut) -> str:
    return (
        f"  {one.item[:52]:52s} {one.use.value:22s} n={one.models:3d} "
        f"use {one.by_use:5.2f} overall {one.overall:5.2f}"
    )


def _sources(scores: Scores) -> Iterator[str]:
    yield "== sources left out in turn: models that stay rated overall, their order, what moves"
    for one in sources_left_out(scores, {source: {source} for source in SOURCES}):
        moved = ", ".join(f"{model} {points:+.1f}" for model, points in one.moved)
        yield f"  {one.source}: {one.rated} of {one.rated_with}, Spearman {one.order:.3f}; {moved}"
        yield from (f"  {_board_line(board)}" for board in one.boards)


def _pairs(rated: RatingsWithFits) -> Iterator[str]:
    right = apart = 0
    for use, better, worse in PAIRS:
        first, second = (rated.ratings.of(Use(use), model) for model in (better, worse))
        if first is None or second is None:
            yield f"  not rated: {better} {worse}"
            continue
        right += first.points.mid > second.points.mid
        apart += first.points.low > second.points.high
    yield f"== pairs: {right} of {len(PAIRS)} in order, {apart} with intervals apart"


def _weights(scores: Scores, rated: RatingsWithFits) -> Iterator[str]:
    yield "== weights halved and doubled: order overall, models whose tier changes by two or more"
    full = {one.model: one for one in rated.ratings.ranked(Use.OVERALL)}
    for name in ("SIBLING_WEIGHT", "MORE_OF_A_FAMILY", "MORE_OF_AN_EVALUATOR", "USUAL_QUESTIONS"):
        for factor in (0.5, 2.0):
            value = getattr(policy, name) * factor
            with patch.object(policy, name, int(value) if name.endswith("QUESTIONS") else value):
                other = rate(scores, uses=(Use.OVERALL,))
            yield f"  {name} × {factor:g}: {_change(full, other)}"


def _change(full: Mapping[str, Rating], other: RatingsWithFits) -> str:
    found = {one.model: one for one in other.ratings.ranked(Use.OVERALL)}
    both = sorted(full.keys() & found.keys())
    first, second = ([side[model].points.mid for model in both] for side in (full, found))
    moved = [model for model in both if abs(full[model].tier - found[model].tier) >= 2]
    return f"Spearman {spearman(first, second):.4f}, {len(moved)} models"


def _losses(catalog: Catalog) -> Iterator[str]:
    found = losses_of(catalog)
    yield f"== losses; resolution {found.resolution:.2f} points, classes from {found.starts}"
    for one in found.types:
        yield (
            f"  {one.class_} {one.quantization:22s} {one.bits:5.2f} bits {one.points.low:6.2f} "
            f"{one.points.mid:6.2f} {one.points.high:6.2f} {one.known_by:6s} "
            f"{len(one.models)} models, {len(one.sources)} sources"
        )


if __name__ == "__main__":
    main()
