"""A histogram as a value: counts between edges, beside a table that has the same numbers."""

from __future__ import annotations

from sitegen.site.drawings.plot import Axis, Limit
from sitegen.site.table import Table
from sitegen.values import dataclass


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
