"""From utilization, speed and warnings to a tier and the reasons why it is not better."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.catalog.domain.provenance import Interval
from sitegen.engine import kernel
from sitegen.engine.assessment import FitTier, Reason
from sitegen.engine.devices import Assumptions

TIERS = {str(tier): tier for tier in FitTier}
"""Tiers by the kernel's word; a look-up is quicker than the constructor."""


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


@dataclass(frozen=True, slots=True)
class Evidenced:
    """What a verdict rests on.

    ``utilization`` is at the workload, ``reduced`` at the shortest context that still counts.
    ``single_tokens_per_s`` is decode speed; ``warnings`` are the plan's own reasons.
    """

    utilization: Interval
    reduced: Interval
    single_tokens_per_s: Interval
    warnings: tuple[Reason, ...]
    context_tokens: int
    need_bytes: int
    weights_bytes: int
    budget_bytes: int


def judge(facts: Evidenced, limits: Thresholds) -> tuple[FitTier, tuple[Reason, ...], bool]:
    """Return the tier, its reasons (empty only for comfortable) and whether it is too close."""
    u, reduced = facts.utilization, facts.reduced
    tier = _tier(facts, limits, u.low, u.high, reduced.low)
    kindest = _tier(facts, limits, u.low, u.low, reduced.low)
    harshest = _tier(facts, limits, u.high, u.high, reduced.high)
    reasons: tuple[Reason, ...] = ()
    if tier is not FitTier.COMFORTABLE:
        reasons = _reasons(facts, limits)
    return tier, reasons, kindest is not harshest


def _tier(
    facts: Evidenced, limits: Thresholds, low: float, high: float, reduced_low: float
) -> FitTier:
    word = kernel.fit_tier(
        low,
        high,
        reduced_low,
        len(facts.warnings),
        facts.single_tokens_per_s.high,
        limits.comfortable,
        limits.floor_tokens_per_s,
        limits.minimum_tokens_per_s,
    )
    return TIERS[word]


def _reasons(facts: Evidenced, limits: Thresholds) -> tuple[Reason, ...]:
    memory = _memory_reasons(facts, limits)
    if facts.reduced.low > 1:
        return memory
    return (*memory, *facts.warnings, *_speed_reasons(facts, limits))


def _memory_reasons(facts: Evidenced, limits: Thresholds) -> tuple[Reason, ...]:
    u, reduced = facts.utilization, facts.reduced
    if u.low > 1 and reduced.low > 1:
        if facts.weights_bytes > facts.budget_bytes:
            arguments = {"weights_bytes": facts.weights_bytes, "budget_bytes": facts.budget_bytes}
            return (Reason("WEIGHTS_EXCEED", arguments),)
        return (
            Reason(
                "DOES_NOT_FIT",
                {
                    "need_bytes": facts.need_bytes,
                    "budget_bytes": facts.budget_bytes,
                    "context_tokens": limits.reduced_context_tokens,
                },
            ),
        )
    if u.low > 1:
        return (Reason("KV_BELOW_CONTEXT", {"context_tokens": facts.context_tokens}),)
    if u.high > 1:
        return (Reason("UNCERTAIN", {"low": u.low, "high": u.high}),)
    if u.high > limits.comfortable:
        return (Reason("HEADROOM", {"utilization": u.high}),)
    return ()


def _speed_reasons(facts: Evidenced, limits: Thresholds) -> tuple[Reason, ...]:
    speed = facts.single_tokens_per_s
    if 0 < speed.high < limits.floor_tokens_per_s:
        arguments = {"tokens_per_s": speed.high, "floor": limits.floor_tokens_per_s}
        return (Reason("SPEED_FLOOR", arguments),)
    return ()
