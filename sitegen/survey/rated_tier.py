"""Which of some rated models are as good as the best of them, and which of those leads.

Source:
    Decision 45.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Protocol, TypeVar


class Rated(Protocol):
    """A rating on the scale of ``sitegen.quality``, with half of its 90 % interval."""

    @property
    def points(self) -> float:
        """The middle of the interval."""

    @property
    def half_width(self) -> float:
        """From the middle to either end."""


R = TypeVar("R", bound=Rated)


def both(one: float, other: float) -> float:
    """Return the half-width of a sum or difference of two independent errors.

    Not ``math.hypot``, whose last digit is another one in browsers (decision 27).
    """
    return sqrt(one * one + other * other)


def as_good(rated: Sequence[R]) -> list[R]:
    """List those that are not worse than the highest rated with 95 % probability, in their order.

    Two independent errors of which each exceeds its half-width one time in ten: their difference
    exceeds the root of the squares' sum as rarely.
    """
    if not rated:
        return []
    first = max(rated, key=lambda one: one.points)
    return [
        one for one in rated if first.points - one.points <= both(first.half_width, one.half_width)
    ]


def best_assured_first(
    tier: Sequence[R], step: float, known: Callable[[R], tuple[float | str, ...]]
) -> list[R]:
    """Order a tier: the best assured ratings first, and those that are equal by ``known``.

    A rating is assured down to the low end of its interval; ends within ``step`` points of the
    highest one are equal.
    """
    least = max(one.points - one.half_width for one in tier) - step
    return sorted(tier, key=lambda one: (one.points - one.half_width < least, *known(one)))
