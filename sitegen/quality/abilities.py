"""Input and output of the fit of abilities."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class BoardScore:
    """A score on a scale without ends, where more is better, with its sampling variance."""

    model: str
    item: str
    score: float
    variance: float
    weight: float
    evaluator: str


@dataclass(frozen=True, slots=True)
class Ability:
    """Ability in standard deviations over the models that set the scale, with its own."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Item:
    """A board as the fit sees it: score = difficulty + slope · ability, noise beside it."""

    difficulty: float
    slope: float
    noise: float
    models: int


@dataclass(frozen=True, slots=True)
class AbilityFit:
    """Abilities by model and boards by item."""

    abilities: Mapping[str, Ability]
    items: Mapping[str, Item]
