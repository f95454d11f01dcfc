"""What a comparison yields: an error, a reason why there is none, or two verdicts side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen.catalog.domain.provenance import Interval


class Unmapped(Exception):  # noqa: N818 - it is an answer about a record, not a failure
    """A record does not say enough, or says it of something the catalog does not have."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A logged quantity beside the engine's; ``group`` is the log's own family of records."""

    record: str
    runtime: str
    quantity: str
    measured: float
    predicted: Interval
    context: str = ""

    @property
    def error(self) -> float:
        """Relative error of the middle estimate, signed."""
        return self.predicted.mid / self.measured - 1

    @property
    def inside(self) -> bool:
        """Whether the log, rounded to two decimals, can lie between the engine's low and high."""
        half = 0.005
        return self.predicted.low - half <= self.measured <= self.predicted.high + half


@dataclass(frozen=True, slots=True)
class Skipped:
    """A quantity that a record has and the engine was not asked about, with the reason."""

    record: str
    runtime: str
    quantity: str
    reason: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What happened beside what the engine says."""

    record: str
    runtime: str
    outcome: str
    tier: str
    reasons: tuple[str, ...]


Result = Comparison | Skipped | Verdicts


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of one quantity of one runtime: medians and tails, without sign."""

    count: int
    median: float
    p95: float
    inside: float
    worst: tuple[Comparison, ...]


def summarize(found: Iterable[Comparison], *, shown: int = 10) -> Errors:
    """Sum up comparisons, of which there is at least one; ``inside`` is a share."""
    ordered = sorted(found, key=lambda one: abs(one.error))
    errors = [abs(one.error) for one in ordered]
    return Errors(
        count=len(ordered),
        median=_quantile(errors, 0.5),
        p95=_quantile(errors, 0.95),
        inside=sum(one.inside for one in ordered) / len(ordered),
        worst=tuple(reversed(ordered[-shown:])),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolate between the two nearest ranks.

    >>> _quantile([0.0, 1.0, 2.0, 3.0], 0.5)
    1.5
    """
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)
