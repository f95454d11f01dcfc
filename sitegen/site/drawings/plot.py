"""Plots and histograms as values: points, lines and counts over linear or log axes."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log2, log10, sqrt

from sitegen.site.cells import Unit
from sitegen.site.table import Table
from sitegen.values import dataclass

LEAST_SPAN = 10.0
"""High over low of an axis in powers of ten, so that at least one power is on it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction: what it shows, in which unit, from where to where.

    ``logarithmic`` needs a positive ``low``. Values outside the ends are drawn at them.
    ``doubling`` labels powers of two instead of powers of ten.
    """

    label: str
    unit: Unit
    low: float
    high: float
    logarithmic: bool = False
    doubling: bool = False


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


def axis_from_zero(label: str, unit: Unit, values: Iterable[float], *, step: float = 1) -> Axis:
    """Lay an axis from zero to a round multiple of ``step`` above every value.

    >>> axis_from_zero("Memory", Unit.GIB, [21.3 * 2**30], step=2**30).high / 2**30
    25.0
    """
    most = max((value / step for value in values), default=1.0)
    unit_step = 10.0 ** floor(log10(most / 5))
    each = next(unit_step * factor for factor in (1, 2, 5, 10) if most / 5 <= unit_step * factor)
    return Axis(label, unit, 0, step * each * ceil(most / each))


@dataclass(frozen=True, slots=True)
class Point:
    """A value over another; ``name`` is what a pointer over it shows.

    ``low`` and ``high`` bound the value of a point on a line; the area between them is drawn where
    they differ.
    """

    x: float
    y: float
    name: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """A line across the plot at a value of one axis, with its name."""

    value: float
    name: str
    upright: bool = False
    """At a value of the x axis instead of the y axis."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together, drawn as marks, or joined where ``line`` says so.

    ``marked`` draws the marks of a line's points as well.
    """

    name: str
    points: tuple[Point, ...]
    line: bool = False
    marked: bool = False


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
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plot and the table that has its numbers."""

    plot: Plot
    table: Table


def doubling_axis(label: str, unit: Unit, values: Iterable[float], *, step: float = 1) -> Axis:
    """Lay an axis in powers of two times ``step`` around positive values.

    >>> axis = doubling_axis("Memory", Unit.GIB, [5 * 2**30, 70 * 2**30], step=2**30)
    >>> axis.low / 2**30, axis.high / 2**30
    (4.0, 128.0)
    """
    found = [value / step for value in values if value > 0] or [1.0]
    low, high = floor(log2(min(found)) + 1e-9), ceil(log2(max(found)) - 1e-9)
    top = max(high, low + 1)
    return Axis(label, unit, step * 2.0**low, step * 2.0**top, logarithmic=True, doubling=True)


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars over an axis: ``counts[i]`` from ``edges[i]`` to ``edges[i + 1]``.

    ``limits`` stand upright at values of the x axis.
    """

    id: str
    title: str
    description: str
    x: Axis
    y: Axis
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnBars:
    """A histogram and the table that has its numbers."""

    bars: Bars
    table: Table
