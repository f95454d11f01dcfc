"""Where a number comes from: sources, evidence, intervals and constants."""

from __future__ import annotations

from enum import StrEnum

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
    """Published by the vendor."""
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
    """A quantity known between bounds: ``low <= mid <= high``, all in the unit of its name."""

    low: float
    mid: float
    high: float


@dataclass(frozen=True, slots=True)
class Constant:
    """A number the engine uses, with unit (``/1`` for a ratio), status and source."""

    name: str
    unit: str
    value: Interval
    status: Status
    source: Source
    note: str = ""
