"""Classes of loss: what the evidence cannot tell apart is one class."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sitegen.quality.curve import SURE
from sitegen.quality.types import Scale, TypeLoss


def class_of(points: float, starts: tuple[float, ...]) -> int:
    """Return the class of an expected loss.

    >>> class_of(0.0, (0.1, 0.5)), class_of(0.1, (0.1, 0.5)), class_of(3, (0.1, 0.5))
    (0, 1, 2)
    """
    return sum(1 for start in starts if points >= start)


def class_starts(ordered: Iterable[TypeLoss], scale: Scale) -> tuple[float, ...]:
    """Cut types, the least loss first, where the evidence tells them apart.

    The first class ends before the first type that may lose (above its 90 % interval, on any model)
    more than the sharpest test can show. Every other class is led by its least loss and ends before
    the first type that is worse than its leader with 95 % probability and by at least the scale's
    step. Only a type whose own figures narrow its interval opens a class. The cuts lie on the
    expected loss, so a larger loss is never in a better class.

    Args:
        ordered: What types lose over models.
        scale: Has the resolution of the sharpest test.

    Returns:
        The expected loss that begins each class after the first.
    """
    starts: list[float] = []
    leader: TypeLoss | None = None
    for one in ordered:
        if not one.narrowed:
            continue
        if leader is None:
            opens = one.anyone.high > scale.resolution
        else:
            opens = _surely_worse(one, leader) and (
                one.points.mid - leader.points.mid >= max(scale.resolution, scale.step)
            )
        if opens:
            starts.append(one.points.mid)
            leader = one
    return tuple(starts)


def _surely_worse(one: TypeLoss, leader: TypeLoss) -> bool:
    """Whether a type is worse than another with 95 % probability."""
    if one.belief is None or leader.belief is None:
        return one.belief is not None
    spread = math.hypot(one.belief.deviation, leader.belief.deviation)
    return one.belief.mean - leader.belief.mean > SURE * spread
