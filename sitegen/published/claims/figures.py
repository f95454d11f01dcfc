"""Judging figures that are not computed: prices and what else is held against published ones."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.claims import Figure
from sitegen.physics.bounds.judgement import Arguments, ClaimVerdict, Judgement, Step
from sitegen.published.claims.context import Cases

UNITS: Mapping[str, tuple[str, str, float]] = {
    "USD": ("usd", "PRICE", 1.0),
    "USD/1k tokens": ("usd", "PRICE", 1.0),
    "/1": ("1", "FACTOR", 1.0),
    "GB/s": ("bytes/s", "RATE", 1e9),
    "1/s": ("1/s", "REQUESTS", 1.0),
}
"""What a constant's unit is in a step, what its findings are called, and its scale."""
ENDINGS = {"usd": "usd", "1": "ratio", "bytes/s": "bytes_per_s", "1/s": "per_s"}
"""How an argument in a unit is named."""


def figure(cases: Cases, claim: Figure) -> Judgement:
    """Add up the published figures of all parts and see whether the claimed one lies inside."""
    constants = [cases.engine.assumptions[part.reference] for part in claim.parts]
    unit, name, scale = UNITS[constants[0].unit]
    low, high = (scale * end for end in cases.around(claim.value, claim.value_high))
    steps: list[Step] = []
    for part, constant in zip(claim.parts, constants, strict=True):
        found, source = constant.value, f"assumption:{part.reference}"
        if part.count > 1:
            steps.append(Step("how-many", part.count, "count", "claim"))
        steps.append(Step("published", scale * found.low, unit, source, high=scale * found.high))
    least, most = (
        scale * sum(p.count * end for p, end in zip(claim.parts, ends, strict=True))
        for ends in ([c.value.low for c in constants], [c.value.high for c in constants])
    )
    if len(steps) > 1:
        steps.append(Step("together", least, unit, "engine", high=most))
    end = None if claim.value_high is None else scale * claim.value_high
    steps.append(Step("claimed-figure", scale * claim.value, unit, "claim", high=end))
    ending = ENDINGS[unit]
    arguments: Arguments = {
        "item": claim.item, f"least_{ending}": least, f"most_{ending}": most,
    }  # fmt: skip
    agrees = low <= most and high >= least
    verdict = ClaimVerdict.CONFIRMED if agrees else ClaimVerdict.DISPUTED
    code = f"{name}_{'AGREES' if agrees else 'DIFFERS'}"
    return Judgement(verdict, code, arguments, tuple(steps))
