"""Which of some rated models are as good as the best of them, and which of those leads.

Source:
    Decision 45.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Protocol, TypeVar


class Rated(Protocol):
    """A rating on the scale of ``sitegen.quality``, with half of its 90 % interval.

    ``general`` is the one over all uses where a single board knows the model in this use.
    """

    @property
    def points(self) -> float:
        """The middle of the interval."""

    @property
    def half_width(self) -> float:
        """From the middle to either end."""

    @property
    def general(self) -> float | None:
        """Points over all uses, as far as they have to decide."""


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


def may_be_led_by(
    rated: Sequence[R], is_published: Callable[[R], bool], holds_answer: Callable[[R], bool]
) -> list[R]:
    """List those that may lead an answer, in their order.

    Files that nobody is known to publish lead only where no other does, and then machines with
    too little room for an answer only where no other does.
    """
    found = [one for one in rated if is_published(one)]
    found = found if found else [*rated]
    roomy = [one for one in found if holds_answer(one)]
    return roomy if roomy else found


def is_better(points: float, half_width: float, led: Rated) -> bool:
    """Return whether points beat a rating with 95 % probability."""
    return points - led.points > both(half_width, led.half_width)


def best_assured_first(
    tier: Sequence[R], step: float, known: Callable[[R], tuple[float | str, ...]]
) -> list[R]:
    """Order a tier: the best assured ratings by ``known``, then the others by their points.

    A rating is assured down to the low end of its interval. Equal to the best assured one are
    those whose low end and whose middle are at most ``step`` points below its own. Of those that
    a single board knows, only the best over all uses are.
    """
    surest = max(tier, key=lambda one: one.points - one.half_width)
    low, middle = surest.points - surest.half_width - step, surest.points - step

    def is_equal(one: R) -> bool:
        return one.points - one.half_width >= low and one.points >= middle

    generals = [one.general for one in tier if one.general is not None and is_equal(one)]
    least = max(generals, default=0.0) - step

    def is_first(one: R) -> bool:
        return is_equal(one) and (one.general is None or one.general >= least)

    first = sorted((one for one in tier if is_first(one)), key=known)
    rest = (one for one in tier if not is_first(one))
    return [*first, *sorted(rest, key=lambda one: (-one.points, *known(one)))]


def served_first(
    tier: list[R], step: float, serves: Callable[[R], bool], speed: Callable[[R], float]
) -> list[R]:
    """Let nothing that serves few users lead a tier where what serves many is as good and faster.

    As good is the best rated of those that are faster and at most ``step`` points below the first
    one. What a single board knows is so only beside another such one, and over all uses, too.
    """
    first = tier[0]
    if serves(first):
        return tier
    for one in tier:
        if serves(one) and speed(one) > speed(first) and _is_close(one, first, step):
            return [one, *(other for other in tier if other is not one)]
    return tier


def _is_close(one: Rated, first: Rated, step: float) -> bool:
    if one.points < first.points - step:
        return False
    if one.general is None:
        return True
    return first.general is not None and one.general >= first.general - step
