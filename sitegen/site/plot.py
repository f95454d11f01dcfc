"""A plot as a value: points and lines over two axes, each linear or in powers of ten."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.site.cells import Unit


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
