"""The reasons of a verdict at the very edge between them."""

from __future__ import annotations

import pytest

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.fit.verdict import Thresholds, VerdictInputs, tier_and_reasons

LIMITS = Thresholds(
    comfortable=0.9, floor_tokens_per_s=10, minimum_tokens_per_s=1, reduced_context_tokens=2_048
)
BUDGET = 1_000


def asked(utilization: Interval, reduced: Interval, weights: int = BUDGET // 2) -> VerdictInputs:
    return VerdictInputs(
        utilization=utilization,
        reduced=reduced,
        reduced_high=reduced.high,
        single_tokens_per_s=Interval(20, 30, 40),
        warnings=(),
        context_tokens=32_768,
        need_bytes=1_200,
        weights_bytes=weights,
        budget_bytes=BUDGET,
    )


@pytest.mark.parametrize(
    ("weights", "reason"), [(BUDGET, "DOES_NOT_FIT"), (BUDGET + 1, "WEIGHTS_EXCEED")]
)
def test_weights_that_fill_a_gpu_to_the_byte_do_not_exceed_it(weights: int, reason: str) -> None:
    full = Interval(1.1, 1.2, 1.3)
    tier, reasons, close = tier_and_reasons(asked(full, full, weights), LIMITS)
    assert (tier, close) == (FitTier.NOT_PRACTICAL, False)
    assert [one.code for one in reasons] == [reason]


@pytest.mark.parametrize(
    ("low", "reduced", "tier", "reason"),
    [
        (1.1, 1.0, FitTier.BORDERLINE, "KV_BELOW_CONTEXT"),
        (1.1, 1.01, FitTier.NOT_PRACTICAL, "DOES_NOT_FIT"),
        (1.0, 0.8, FitTier.BORDERLINE, "UNCERTAIN"),
    ],
)
def test_what_fills_a_gpu_to_the_byte_fits(
    low: float, reduced: float, tier: FitTier, reason: str
) -> None:
    inputs = asked(Interval(low, low + 0.05, low + 0.1), Interval(reduced, reduced, reduced))
    found, reasons, _ = tier_and_reasons(inputs, LIMITS)
    assert (found, [one.code for one in reasons]) == (tier, [reason])
