"""Cells of tables and pages: numbers, names and verdicts as values with units, not text."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from sitegen.catalog.domain.provenance import Evidence, Interval
from sitegen.fit.assessment import FitTier
from sitegen.physics.bounds.judgement import ClaimVerdict
from sitegen.values import dataclass


class Unit(StrEnum):
    """The unit that a number is printed in; ``render.filters`` rounds each."""

    GIB = "gib"
    """Bytes of memory, printed in GiB."""
    GB = "gb"
    """Bytes of a file, printed in decimal GB."""
    KIB = "kib"
    """Bytes of memory per token, printed in KiB."""
    GB_PER_S = "gb-per-s"
    """Bytes per second, printed in GB/s."""
    TFLOPS = "tflops"
    """Operations per second, printed in TFLOPS."""
    TOPS = "tops"
    """Whole-number operations per second, printed in TOPS."""
    MHZ = "mhz"
    """Hertz, printed in MHz."""
    PERCENT = "percent"
    """A ratio, printed in percent."""
    TOKENS = "tokens"
    MILLIONS = "millions"
    """Tokens, printed in millions."""
    TOKENS_PER_S = "tokens-per-s"
    COUNT = "count"
    PARAMETERS = "parameters"
    """A number of parameters, printed in billions."""
    BITS = "bits"
    """Bits per weight."""
    MICROSECONDS = "microseconds"
    """Seconds, printed in µs."""
    MILLISECONDS = "milliseconds"
    """Seconds, printed in ms."""
    SECONDS = "seconds"
    WATTS = "watts"
    BTU_PER_H = "btu-per-h"
    MILLIMETRES = "millimetres"
    USD = "usd"
    USD_EXACT = "usd-exact"
    """Money whose cents count."""
    USD_PER_MILLION = "usd-per-million"
    """Money per million tokens; small amounts count."""
    USD_PER_KWH = "usd-per-kwh"
    USD_PER_MONTH = "usd-per-month"
    USD_PER_HOUR = "usd-per-hour"
    KWH = "kwh"
    HOURS = "hours"
    MONTHS = "months"
    POINTS = "points"
    """Rating points that a quantization loses."""
    RATIO = "ratio"
    """One number over another, printed as it is."""
    GB_AS_PRINTED = "gb-as-printed"
    """A size in what a page calls GB."""
    PLAIN = "plain"
    """A number whose unit is said elsewhere."""


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A number known exactly, or well enough to print one value."""

    value: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Span:
    """A number known between bounds; ``with_mid`` prints the best estimate before the bounds."""

    low: float
    mid: float
    high: float
    unit: Unit
    with_mid: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link: a site URL (``/models/x/``) or ``https://…``, and its text.

    ``label`` is what a screen reader says where the text is only a sign.
    """

    url: str
    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class TierMark:
    """A verdict, printed as glyph, word and colour; ``too_close`` adds that it may tip."""

    tier: FitTier
    too_close: bool = False


@dataclass(frozen=True, slots=True)
class ClaimMark:
    """The engine's verdict on a claim, printed as glyph, word and colour."""

    verdict: ClaimVerdict


@dataclass(frozen=True, slots=True)
class Flag:
    """A warning of a few words beside a verdict."""

    text: str


@dataclass(frozen=True, slots=True)
class EvidenceMark:
    """The word that says how a number is known."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Absent:
    """A fact that nobody recorded, or that does not exist here; says which."""

    why: str = "not recorded"


@dataclass(frozen=True, slots=True)
class Code:
    """Text that a machine reads: an id, a flag, a repository."""

    text: str


@dataclass(frozen=True, slots=True)
class Small:
    """A remark of second rank."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Parts:
    """Pieces of one sentence or value, printed one after the other without a separator."""

    parts: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Pieces that stand on lines of their own."""

    lines: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """A list that opens on demand."""

    summary: str
    items: tuple[Cell, ...]


Cell: TypeAlias = (
    str | NumberCell | Span | Link | TierMark | EvidenceMark | Absent | Code | Small | Parts | Lines
    | Folded | Flag | ClaimMark
)  # fmt: skip

NOT_APPLICABLE = Absent("not applicable")
NOT_RECORDED = Absent("not recorded")


def span(interval: Interval, unit: Unit, *, with_mid: bool = False) -> Span:
    """Print an interval in a unit."""
    return Span(interval.low, interval.mid, interval.high, unit, with_mid)


def rate_span(tokens_per_s: Interval) -> Span:
    """Print a speed in tokens/s: its middle, then its bounds in brackets."""
    return span(tokens_per_s, Unit.TOKENS_PER_S, with_mid=True)


def recorded(value: float | None, unit: Unit) -> Cell:
    """Print a number, or say that it is not recorded."""
    return NOT_RECORDED if value is None else NumberCell(value, unit)


def joined(cells: tuple[Cell, ...], *, separator: str = ", ") -> Cell:
    """Put a separator between pieces; nothing at all says so."""
    if not cells:
        return Absent("none")
    parts: list[Cell] = [cells[0]]
    for cell in cells[1:]:
        parts += [separator, cell]
    return Parts(tuple(parts))
