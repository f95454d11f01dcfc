"""Judging claims without a model or hardware: counts, sums, prices, a page's own tier rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from sitegen.catalog.domain.claims import Count, FigureClaim, Open, Sum, TierRule
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.physics.bounds.judgement import Arguments, ClaimVerdict, Judgement, Step
from sitegen.published.claims.context import ClaimContext

CONFIRMED, DOUBTFUL = ClaimVerdict.CONFIRMED, ClaimVerdict.DOUBTFUL
DISPUTED, IMPOSSIBLE = ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE
OPERATIONS: Mapping[str, Callable[[tuple[float, ...]], float]] = {
    "sum": math.fsum,
    "product": math.prod,
    "difference": lambda terms: terms[0] - math.fsum(terms[1:]),
    "quotient": lambda terms: terms[0] / math.prod(terms[1:]) if math.prod(terms[1:]) else math.inf,
}


def tier_rule(cases: ClaimContext, claim: TierRule) -> Judgement:
    """Hold a page's rule against ours: nothing above what there is counts as a fit."""
    comfortable = cases.engine.assumptions["comfortable-utilization"].value.mid
    source = "assumption:comfortable-utilization"
    steps = (
        Step("claimed-utilization", claim.utilization, "1", "claim"),
        Step("all-memory", 1.0, "1", "engine"),
        Step("comfortable", comfortable, "1", source),
    )
    arguments = {"utilization": claim.utilization, "comfortable": comfortable}
    fits = claim.called != FitTier.NOT_PRACTICAL
    full = claim.utilization >= 1 if claim.above else claim.utilization > 1
    if fits and full:
        return Judgement(IMPOSSIBLE, "MORE_THAN_ALL", arguments, steps)
    ours = FitTier.COMFORTABLE if claim.utilization <= comfortable else FitTier.BORDERLINE
    if claim.utilization > 1:
        ours = FitTier.NOT_PRACTICAL
    if ours == claim.called:
        return Judgement(CONFIRMED, "RULE_AGREES", arguments, steps)
    return Judgement(DISPUTED, "RULE_DIFFERS", {**arguments, "tier": ours.value}, steps)


def count(cases: ClaimContext, claim: Count) -> Judgement:
    """Count the list under a number."""
    steps = [Step("claimed-count", claim.stated, "count", "claim")]
    if claim.comfortable_on is not None:
        return _comfortable(cases, claim.stated, claim.comfortable_on, steps)
    if claim.listed is None:
        missing = {"missing": "the list that it counts"}
        return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", missing, tuple(steps))
    steps.append(Step("listed", claim.listed, "count", "claim"))
    arguments = {"claimed": claim.stated, "listed": claim.listed}
    agrees = claim.stated == claim.listed
    code = "COUNT_AGREES" if agrees else "COUNT_DIFFERS"
    return Judgement(CONFIRMED if agrees else IMPOSSIBLE, code, arguments, tuple(steps))


def _comfortable(cases: ClaimContext, stated: int, on: Combo, steps: list[Step]) -> Judgement:
    """See whether so many models of the catalog, with ≥ 4 bits, are comfortable on hardware.

    The catalog is larger than any page: fewer would refute the number, more leave it possible.
    """
    found = 0
    for model in cases.engine.catalog.models.values():
        found += not model.superseded_by and _is_comfortable(cases, model, on)
        if found == stated:
            break
    steps.append(Step("comfortable-models", found, "count", "engine"))
    arguments = {"claimed": stated, "found": found}
    if found < stated:
        return Judgement(DISPUTED, "FEWER_ARE_COMFORTABLE", arguments, tuple(steps))
    return Judgement(CONFIRMED, "SO_MANY_ARE_COMFORTABLE", arguments, tuple(steps))


def _is_comfortable(cases: ClaimContext, model: LanguageModel, on: Combo) -> bool:
    production = (c.quantization for c in model.checkpoints if c.quantization.production)
    return any(
        one.tier is FitTier.COMFORTABLE
        for recipe in production
        for one in cases.assessments(model, recipe, on)
    )


def total(cases: ClaimContext, claim: Sum) -> Judgement:
    """Do the page's own arithmetic again."""
    exact = OPERATIONS[claim.operation](claim.terms)
    low, high = cases.around(claim.result, claim.result_high)
    steps = (
        *(Step("term", term, "1", "claim") for term in claim.terms),
        Step(f"result-{claim.operation}", exact, "1", "engine"),
        Step("claimed-result", claim.result, "1", "claim", high=claim.result_high),
    )
    agrees = low <= exact <= high
    code = "SUM_AGREES" if agrees else "SUM_DIFFERS"
    arguments = {"exact": exact, "claimed": claim.result}
    return Judgement(CONFIRMED if agrees else IMPOSSIBLE, code, arguments, steps)


def open_question(_: ClaimContext, claim: Open) -> Judgement:
    """Say what a figure does not say."""
    arguments = {"missing": ", ".join(claim.missing)}
    return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", arguments, ())


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


def figure(cases: ClaimContext, claim: FigureClaim) -> Judgement:
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
