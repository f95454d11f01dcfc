"""From utilization, speed and warnings to a tier and the reasons why it is not better."""

from __future__ import annotations

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.physics.gpu_groups import Assumptions
from sitegen.physics.plan import Reason
from sitegen.values import dataclass

REASONS_FROM_BOUNDS = frozenset(
    {
        "WEIGHTS_EXCEED",
        "DOES_NOT_FIT",
        "KV_BELOW_CONTEXT",
        "UNCERTAIN",
        "HEADROOM",
        "SPEED_FLOOR",
    }
)
"""Reasons that follow from the bounds of memory and speed; all others are a plan's warnings."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers that part the tiers, from the catalog's assumptions."""

    comfortable: float
    floor_tokens_per_s: float
    minimum_tokens_per_s: float
    reduced_context_tokens: int

    @classmethod
    def of(cls, assumptions: Assumptions) -> Thresholds:
        """Read them from the assumption records."""
        return cls(
            comfortable=assumptions["comfortable-utilization"].value.mid,
            floor_tokens_per_s=assumptions["speed-floor-tokens-per-s"].value.mid,
            minimum_tokens_per_s=assumptions["speed-minimum-tokens-per-s"].value.mid,
            reduced_context_tokens=int(assumptions["reduced-context-tokens"].value.mid),
        )

    def tier(
        self, low: float, high: float, reduced_low: float, warnings: int, tokens_per_s: float
    ) -> FitTier:
        """Return the tier of a utilization and a speed; 0 is a speed that is not estimated.

        Source:
            Decision 5.
        """
        if low > 1 and reduced_low > 1:
            return FitTier.NOT_PRACTICAL
        if 0 < tokens_per_s < self.minimum_tokens_per_s:
            return FitTier.NOT_PRACTICAL
        if high > self.comfortable or warnings > 0:
            return FitTier.BORDERLINE
        if 0 < tokens_per_s < self.floor_tokens_per_s:
            return FitTier.BORDERLINE
        return FitTier.COMFORTABLE


@dataclass(frozen=True, slots=True)
class VerdictInputs:
    """Inputs of a verdict.

    ``utilization`` is at the workload, ``reduced`` at the minimum context if
    not even the low estimate fits the workload's, ``reduced_high`` its high estimate where not
    even that does.
    ``single_tokens_per_s`` is decode speed; ``warnings`` are the plan's own reasons.
    """

    utilization: Interval
    reduced: Interval
    reduced_high: float
    single_tokens_per_s: Interval
    warnings: tuple[Reason, ...]
    context_tokens: int
    need_bytes: int
    weights_bytes: int
    budget_bytes: int


def tier_and_reasons(
    inputs: VerdictInputs, limits: Thresholds
) -> tuple[FitTier, tuple[Reason, ...], bool]:
    """Return the tier, its reasons (empty only for comfortable) and whether it is too close."""
    u, reduced, speed = inputs.utilization, inputs.reduced, inputs.single_tokens_per_s
    warnings = len(inputs.warnings)
    tier = limits.tier(u.low, u.high, reduced.low, warnings, speed.high)
    kindest = limits.tier(u.low, u.low, reduced.low, warnings, speed.high)
    harshest = limits.tier(u.high, u.high, inputs.reduced_high, warnings, speed.low)
    reasons: tuple[Reason, ...] = ()
    if tier is not FitTier.COMFORTABLE:
        reasons = _reasons(inputs, limits)
    return tier, reasons, kindest is not harshest


def _reasons(inputs: VerdictInputs, limits: Thresholds) -> tuple[Reason, ...]:
    memory = _memory_reasons(inputs, limits)
    if inputs.reduced.low > 1:
        return memory
    return (*memory, *inputs.warnings, *_speed_reasons(inputs, limits))


def _memory_reasons(inputs: VerdictInputs, limits: Thresholds) -> tuple[Reason, ...]:
    u, reduced = inputs.utilization, inputs.reduced
    if u.low > 1 and reduced.low > 1:
        if inputs.weights_bytes > inputs.budget_bytes:
            arguments = {"weights_bytes": inputs.weights_bytes, "budget_bytes": inputs.budget_bytes}
            return (Reason("WEIGHTS_EXCEED", arguments),)
        return (
            Reason(
                "DOES_NOT_FIT",
                {
                    "need_bytes": inputs.need_bytes,
                    "budget_bytes": inputs.budget_bytes,
                    "context_tokens": limits.reduced_context_tokens,
                },
            ),
        )
    if u.low > 1:
        return (Reason("KV_BELOW_CONTEXT", {"context_tokens": inputs.context_tokens}),)
    if u.high > 1:
        return (Reason("UNCERTAIN", {"low": u.low, "high": u.high}),)
    if u.high > limits.comfortable:
        return (Reason("HEADROOM", {"utilization": u.high}),)
    return ()


def _speed_reasons(inputs: VerdictInputs, limits: Thresholds) -> tuple[Reason, ...]:
    speed = inputs.single_tokens_per_s
    if 0 < speed.high < limits.floor_tokens_per_s:
        arguments = {"tokens_per_s": speed.high, "floor": limits.floor_tokens_per_s}
        return (Reason("SPEED_FLOOR", arguments),)
    return ()
