"""Provenance of numbers: sources, evidence, intervals and constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from sitegen.units import Bounds
from sitegen.values import dataclass


class Evidence(StrEnum):
    """How a number is known, strongest first."""

    MEASURED = "measured"
    MEASURED_NEAR = "measured-near"
    COMMUNITY = "community"
    EXTRAPOLATED = "extrapolated"
    ESTIMATED = "estimated"


class Status(StrEnum):
    """How a constant was checked."""

    VERIFIED = "verified"
    """Checked by running something, or against logs."""
    CODE = "code"
    """Read in the source code of the version named."""
    PUBLISHED = "published"
    """Published by a vendor or by others."""
    MEASURED = "measured"
    """Measured by a third party."""
    ISSUE = "issue"
    """Said in an issue or pull request."""
    ASSUMED = "assumed"
    """An assumption or a fit; widens the interval."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page, file or log that somebody can open: title, URL (may be empty), ISO date read."""

    title: str
    url: str
    read: str
    fields: tuple[str, ...] = ()
    """Field names of the record that this source carries; empty means all of them."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A quantity known between bounds: ``low <= mid <= high``, all in the unit of its name.

    Arithmetic has names in place of operators: the translator to JavaScript knows no others.
    """

    low: float
    mid: float
    high: float

    @staticmethod
    def exact(value: float) -> Interval:
        """Return an interval without width."""
        return Interval(value, value, value)

    @staticmethod
    def total(parts: Sequence[Interval]) -> Interval:
        """Add intervals up, bound by bound: all of them may be at one end together."""
        return Interval(
            sum(part.low for part in parts),
            sum(part.mid for part in parts),
            sum(part.high for part in parts),
        )

    @staticmethod
    def highest(some: Iterable[Interval]) -> Interval:
        """Return the highest of each bound."""
        lows, mids, highs = zip(*(one.bounds for one in some), strict=True)
        return Interval(max(lows), max(mids), max(highs))

    @property
    def bounds(self) -> Bounds:
        """Low, mid and high."""
        return (self.low, self.mid, self.high)

    def plus(self, other: Interval) -> Interval:
        """Add an interval end to end: low to low, high to high."""
        return Interval(self.low + other.low, self.mid + other.mid, self.high + other.high)

    def minus(self, part: Interval) -> Interval:
        """Take away a part that is at the same end together with the whole."""
        return Interval(self.low - part.low, self.mid - part.mid, self.high - part.high)

    def left_of(self, whole: float) -> Interval:
        """Return what this leaves of a whole: the more is taken, the less is left."""
        return Interval(whole - self.high, whole - self.mid, whole - self.low)

    def times(self, factor: float) -> Interval:
        """Multiply by an exact factor, which is not negative."""
        return Interval(self.low * factor, self.mid * factor, self.high * factor)

    def per(self, count: float) -> Interval:
        """Divide by an exact count, which is positive."""
        return Interval(self.low / count, self.mid / count, self.high / count)

    def over(self, other: Interval) -> Interval:
        """Divide by what is not exact: low is the kindest and high the harshest reading.

        >>> Interval(1, 2, 3).over(Interval(4, 4, 8)).bounds
        (0.125, 0.5, 0.75)
        """
        return Interval(self.low / other.high, self.mid / other.mid, self.high / other.low)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number the engine uses, with unit (``/1`` for a ratio), status and source."""

    name: str
    unit: str
    value: Interval
    status: Status
    source: Source
    note: str = ""
