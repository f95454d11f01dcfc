"""A plot as a value: points and lines over two axes, each linear or in powers of ten."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from sitegen.site.cells import Unit

LEAST_SPAN = 10.0
"""High over low of an axis in powers of ten, so that at least one power is on it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction: what it shows, in which unit, from where to where.

    ``logarithmic`` needs a positive ``low``. Values outside the ends are drawn at them.
    """

    label: str
    unit: Unit
    low: float
    high: float
    logarithmic: bool = False


def axis_over(label: str, unit: Unit, values: Iterable[float]) -> Axis:
    """Lay an axis in powers of ten over positive values; few or equal ones get room around them.

    >>> axis = axis_over("Logged", Unit.GIB, [5.0])
    >>> axis.low < 5.0 < axis.high
    True
    """
    found = [value for value in values if value > 0] or [1.0]
    low, high = min(found), max(found)
    if high < LEAST_SPAN * low:
        middle = sqrt(low * high)
        low, high = middle / sqrt(LEAST_SPAN), middle * sqrt(LEAST_SPAN)
    return Axis(label, unit, low, high, logarithmic=True)


@dataclass(frozen=True, slots=True)
class Point:
    """A value over another; ``name`` is what a pointer over it shows."""

    x: float
    y: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together, drawn as marks, or joined where ``line`` says so."""

    name: str
    points: tuple[Point, ...]
    line: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing beside a table that has the same numbers; ``equal`` draws where x equals y."""

    id: str
    title: str
    description: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    equal: bool = False
