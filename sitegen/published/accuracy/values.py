"""Results of a comparison: an error, a reason why there is none, or two verdicts side by side."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.measurements import LoggedQuantity
from sitegen.catalog.domain.provenance import Interval
from sitegen.values import dataclass


class Unmapped(Exception):  # noqa: N818 - it is an answer about a record, not a failure
    """A run cannot check a quantity; ``says_enough`` when a rule of ours is missing."""

    def __init__(self, reason: str, *, says_enough: bool = False) -> None:
        super().__init__(reason)
        self.says_enough = says_enough


@dataclass(frozen=True, slots=True)
class Origin:
    """Source and subject of a figure.

    ``source`` is the id of the measurements' file, ``program`` the runtime's name or that of its
    fork. A file size has no runtime.
    """

    run: str
    source: str
    program: str
    version: str
    family: str
    model: str
    checkpoint: str
    kin: bool = False
    """A fork or shell, compared by the rules of the runtime that it comes from."""
    group: str = ""
    """Near-repeats of one experiment share a group, which counts once; empty: a group of its own.
    """
    stranger: bool = False
    """Predicted before any constant had seen it; no constant rests on it."""

    @property
    def vote(self) -> str:
        """The name of a voter, which counts once in every sum."""
        return self.group or self.run


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measured figure beside the engine's and beside the common rule's, in one unit.

    ``rounding`` is half of the last digit of the measured figure: it may lie that far outside the
    interval and still agree. ``cause`` says what is known of the difference, ``disputed`` how the
    figure contradicts its own record; both are empty where there is nothing to say.
    """

    origin: Origin
    quantity: LoggedQuantity
    measured: float
    predicted: Interval
    naive: float | None = None
    rounding: float = 0.0
    cause: str = ""
    disputed: str = ""
    note: str = ""

    @property
    def error(self) -> float:
        """Relative error of the middle estimate, signed."""
        return self.predicted.mid / self.measured - 1

    @property
    def beyond_rounding(self) -> float:
        """Relative error without sign, less what rounding of the measured figure explains."""
        return max(0.0, abs(self.predicted.mid - self.measured) - self.rounding) / self.measured

    @property
    def naive_error(self) -> float | None:
        """Relative error of the common rule, signed; ``None`` where it has nothing to say."""
        return None if self.naive is None else self.naive / self.measured - 1

    @property
    def inside(self) -> bool:
        """Whether the measured figure, rounded as it is, can lie between low and high."""
        low, high = self.predicted.low - self.rounding, self.predicted.high + self.rounding
        return low <= self.measured <= high


HARD = frozenset(
    {
        "WEIGHTS_EXCEED", "DOES_NOT_FIT", "KV_BELOW_CONTEXT", "KV_BELOW_SEQUENCES",
        "ALLOCATION_LIMIT", "STATE_BLOCKS",
    }
)  # fmt: skip
"""Reasons that say of memory that a start as asked for fails, not that it may."""


@dataclass(frozen=True, slots=True)
class JudgedQuantity:
    """The outcome of a run beside the answers of the engine and the common rule."""

    origin: Origin
    outcome: str
    tier: str
    reasons: tuple[str, ...]
    naive_fits: bool | None
    cause: str = ""
    disputed: str = ""

    @property
    def ran(self) -> bool:
        """Whether it started and served."""
        return self.outcome == "ran"

    @property
    def fails(self) -> bool:
        """Whether the engine says that it fails: not practical, or a hard reason of memory."""
        return self.tier == "not-practical" or not HARD.isdisjoint(self.reasons)

    @property
    def agrees(self) -> bool:
        """Whether outcome and verdict are the same: one standard for what ran and what failed."""
        return self.fails != self.ran

    @property
    def naive_agrees(self) -> bool | None:
        """Whether the common rule foresaw the outcome; ``None`` where it has nothing to say."""
        return None if self.naive_fits is None else self.naive_fits == self.ran


@dataclass(frozen=True, slots=True)
class Skipped:
    """A quantity that a record could check and nothing was compared, with the reason."""

    origin: Origin
    quantity: LoggedQuantity
    reason: str
    says_enough: bool
    """The record names model, quantization and shape: the catalog or a rule is missing."""


Result = Comparison | JudgedQuantity | Skipped


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of a set of comparisons: medians and tails without sign, shares of all.

    Near-repeats share one vote, so that an experiment logged twenty times counts once.
    """

    count: int
    votes: int
    median: float
    p95: float
    beyond_median: float
    """Median of what rounding of the measured figure cannot explain."""
    inside: float
    """Share of measured figures within low and high: the calibration."""
    width: float
    """Median of (high − low) / mid: a wide interval is easily right."""
    naive_median: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of the figures that could be compared: how many were, and why the others were not."""

    usable: int
    compared: int
    uncovered: int
    """Not compared although the record says enough."""
    unsaid: int
    reasons: Mapping[str, int]

    @property
    def share(self) -> float:
        """Compared, of those that name model, quantization and shape."""
        return self.compared / max(1, self.compared + self.uncovered)


@dataclass(frozen=True, slots=True)
class Slice:
    """One quantity of one group of records: a program, a family, or everything (empty name)."""

    quantity: LoggedQuantity
    name: str
    errors: Errors
    undisputed: Errors
    """The same without figures that contradict their own record."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Outcomes beside tiers."""

    judged: int
    agree: int
    agree_borderline: int
    """Of those that agree, the ones called borderline."""
    refused_though_ran: int
    comfortable_though_failed: int
    naive_judged: int
    naive_agree: int
    naive_fits_though_failed: int
    counts: Mapping[tuple[str, str], int]
    """How many, by (outcome, tier)."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of the project, and the figure it reached."""

    quantity: LoggedQuantity
    """The quantity; for the calibration (``inside``) all of memory, whatever stands here."""
    program: str
    measure: str
    """``median``, ``p95``, ``coverage``, ``agree`` or ``inside``."""
    limit: float
    reached: float

    @property
    def met(self) -> bool:
        """Whether the figure is on the right side of the limit."""
        if self.measure in {"coverage", "agree", "inside"}:
            return self.reached >= self.limit
        return self.reached <= self.limit


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """Everything that the accuracy page shows of memory."""

    results: tuple[Result, ...]
    by_quantity: tuple[Slice, ...]
    by_program: tuple[Slice, ...]
    by_family: tuple[Slice, ...]
    coverage: Mapping[LoggedQuantity, Coverage]
    verdicts: Verdicts
    worst: tuple[Comparison, ...]
    goals: tuple[Goal, ...]
    sources: int
    runs: int
    files: int
    left_out: int

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Figures beside estimates."""
        return tuple(r for r in self.results if isinstance(r, Comparison))

    @property
    def judged(self) -> tuple[JudgedQuantity, ...]:
        """Outcomes beside verdicts."""
        return tuple(r for r in self.results if isinstance(r, JudgedQuantity))
