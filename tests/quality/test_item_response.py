"""Abilities of invented models whose truth is known: the intervals say how far off they are."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from sitegen.quality.abilities import BoardScore
from sitegen.quality.item_response import fit
from sitegen.quality.policy import SURE

OLD = tuple(f"old-{number}" for number in range(20))
NEW = tuple(f"new-{number}" for number in range(20))
BOARDS_EACH = 4
NOISE = 0.5
DRAWS = 30


def scores(seed: int, shared: int) -> tuple[dict[str, float], list[BoardScore]]:
    """Draw abilities, and scores on boards of old and of new models that share some old ones."""
    draw = random.Random(seed)  # noqa: S311 - a fixed sequence
    truth = {model: draw.gauss(0, 1) for model in (*OLD, *NEW)}
    entries: list[BoardScore] = []
    for era, models in (("old", OLD), ("new", (*OLD[:shared], *NEW))):
        for number in range(BOARDS_EACH):
            board, difficulty = f"{era}-{number}", draw.gauss(0, 1)
            entries += [
                BoardScore(
                    model, board, difficulty + truth[model] + draw.gauss(0, NOISE), 0, 1, board
                )
                for model in models
            ]
    return truth, sorted(entries, key=lambda entry: (entry.model, entry.item))


def inside(seed: int, shared: int) -> float:
    """Return the share of models whose 90 % interval holds their true place among all."""
    truth, entries = scores(seed, shared)
    fitted = fit(entries, scale_by=frozenset(truth)).abilities
    middle = fmean(truth.values())
    spread = fmean((ability - middle) ** 2 for ability in truth.values()) ** 0.5
    return fmean(
        abs(fitted[model].mean - (truth[model] - middle) / spread) <= SURE * fitted[model].deviation
        for model in truth
    )


@pytest.mark.parametrize("shared", [1, 10])
def test_intervals_hold_the_truth_however_few_models_link_the_boards(shared: int) -> None:
    assert 0.82 <= fmean(inside(seed, shared) for seed in range(DRAWS)) <= 0.95


def test_models_that_hardly_any_board_links_to_the_others_are_less_sure() -> None:
    few, many = (fit(scores(1, shared)[1], scale_by=frozenset(OLD)).abilities for shared in (1, 15))
    assert fmean(few[model].deviation / many[model].deviation for model in NEW) > 1.25
