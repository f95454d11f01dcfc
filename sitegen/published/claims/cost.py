"""Judging claims about money."""

from __future__ import annotations

from collections import Counter

from sitegen.catalog.domain.claims import ApiCost, BreakEven, PowerCost, Rental, Side
from sitegen.fit.assessment import PlanGoal
from sitegen.ownership import cost
from sitegen.physics.bounds.judgement import Arguments, ClaimVerdict, Judgement, Step
from sitegen.published.claims.context import ClaimContext, fits

CONFIRMED, DOUBTFUL = ClaimVerdict.CONFIRMED, ClaimVerdict.DOUBTFUL
DISPUTED, IMPOSSIBLE = ClaimVerdict.DISPUTED, ClaimVerdict.IMPOSSIBLE
ELECTRICITY = "electricity-price-usd-per-kwh"


def break_even(cases: ClaimContext, claim: BreakEven) -> Judgement:
    """Divide the price by what is saved each month, all figures the page's own."""
    steps = [Step("hardware", claim.hardware_usd, "usd", "claim")]
    replaced = claim.replaced_usd_month
    if replaced is None:
        tokens, price = claim.tokens_per_day or 0.0, claim.api_usd_per_1k_tokens or 0.0
        replaced = cost.api_usd_a_month(tokens, price)
        steps.append(Step("tokens-a-day", tokens, "tokens", "claim"))
        steps.append(Step("api-price", price, "usd", "claim"))
    steps += [
        Step("replaced", replaced, "usd/month", "engine"),
        Step("running", claim.power_usd_month, "usd/month", "claim"),
        Step("saved", replaced - claim.power_usd_month, "usd/month", "engine"),
        Step("claimed-months", claim.months, "months", "claim"),
    ]
    months = cost.break_even_months(
        claim.hardware_usd, replaced_usd_a_month=replaced, running_usd_a_month=claim.power_usd_month
    )
    arguments: dict[str, int | float | str] = {
        "replaced_usd": replaced, "running_usd": claim.power_usd_month, "claimed": claim.months,
    }  # fmt: skip
    if months is None:
        return Judgement(IMPOSSIBLE, "NEVER_BREAKS_EVEN", arguments, tuple(steps))
    steps.insert(-1, Step("break-even", months, "months", "engine"))
    arguments["months"] = months
    low, high = cases.around(claim.months)
    if low <= months <= high:
        return Judgement(CONFIRMED, "BREAK_EVEN_AGREES", arguments, tuple(steps))
    return Judgement(DISPUTED, "BREAK_EVEN_DIFFERS", arguments, tuple(steps))


def power(cases: ClaimContext, claim: PowerCost) -> Judgement:
    """Say which price of electricity the figure implies at full board power, all day."""
    counts = Counter(one.gpu.id for one in claim.on.gpus)
    watts = {one.gpu.id: one.gpu.tdp_watts for one in claim.on.gpus}
    steps: list[Step] = []
    total = 0.0
    for id_, each in watts.items():
        if each is None:
            missing = {"missing": "the power of these GPUs in the catalog"}
            return Judgement(DOUBTFUL, "SAYS_TOO_LITTLE", missing, ())
        total += counts[id_] * each
        steps.append(Step("gpus", counts[id_], "count", "claim", id_))
        steps.append(Step("watts-each", each, "W", f"gpu:{id_}", id_))
    kwh = total / 1_000 * cost.HOURS_A_MONTH
    price = cases.assumption(ELECTRICITY)
    steps += [
        Step("watts", total, "W", "engine"),
        Step("hours", cost.HOURS_A_MONTH, "h", "engine"),
        Step("energy", kwh, "kWh", "engine"),
        Step("claimed-cost", claim.usd_month, "usd/month", "claim"),
        Step("price-implied", claim.usd_month / kwh, "usd/kWh", "engine"),
    ]
    if price is None:
        return Judgement(
            DOUBTFUL, "SAYS_TOO_LITTLE", {"missing": "the price of electricity"}, tuple(steps)
        )
    steps.insert(
        -2,
        Step("electricity", price.value.low, "usd/kWh", f"assumption:{ELECTRICITY}", "",
             price.value.high),
    )  # fmt: skip
    least = cost.power_usd_a_month(total, price.value.low)
    most = cost.power_usd_a_month(total, price.value.high)
    steps.insert(-2, Step("power-cost", least, "usd/month", "engine", high=most))
    low, high = cases.around(claim.usd_month)
    arguments = {"least_usd": least, "most_usd": most, "claimed_usd": claim.usd_month}
    if low <= most and high >= least:
        return Judgement(CONFIRMED, "POWER_AGREES", arguments, tuple(steps))
    return Judgement(DISPUTED, "POWER_DIFFERS", arguments, tuple(steps))


def rental(cases: ClaimContext, claim: Rental) -> Judgement:
    """Divide the price by the rent; power is left out, as on the page."""
    dear = claim.usd_per_hour_high or claim.usd_per_hour
    least = cost.rented_hours(claim.hardware_usd, dear)
    most = cost.rented_hours(claim.hardware_usd, claim.usd_per_hour)
    steps = (
        Step("hardware", claim.hardware_usd, "usd", "claim"),
        Step("rent", claim.usd_per_hour, "usd/h", "claim", high=claim.usd_per_hour_high),
        Step("hours-equal", least, "h", "engine", high=most),
        Step("claimed-hours", claim.hours, "h", "claim"),
    )
    low, high = cases.around(claim.hours)
    agrees = low <= most and high >= least
    arguments = {"least_hours": least, "most_hours": most, "claimed": claim.hours}
    code = "RENT_AGREES" if agrees else "RENT_DIFFERS"
    return Judgement(CONFIRMED if agrees else DISPUTED, code, arguments, steps)


def api(cases: ClaimContext, claim: ApiCost) -> Judgement:
    """Multiply use and price; without a use, ask whether what serves it could make so much."""
    implied = claim.usd_month / claim.usd_per_1k_tokens * 1_000
    steps = [
        Step("api-price", claim.usd_per_1k_tokens, "usd", "claim"),
        Step("claimed-cost", claim.usd_month, "usd/month", "claim"),
    ]
    if claim.tokens_per_month is None:
        steps.append(Step("tokens-implied", implied, "tokens", "engine"))
        each = implied / (claim.users or 1) / cost.DAYS_A_MONTH
        steps.append(Step("tokens-each-day", each, "tokens", "engine"))
        arguments: Arguments = {"month_tokens": implied, "day_tokens": each}
        most = _most_tokens_a_month(cases, claim.serving) if claim.serving else None
        if most is None:
            return Judgement(DOUBTFUL, "USE_MISSING", arguments, tuple(steps))
        steps.append(Step("tokens-at-most", most, "tokens", "engine"))
        arguments = {**arguments, "most_tokens": most}
        if implied <= most:
            return Judgement(CONFIRMED, "USE_POSSIBLE", arguments, tuple(steps))
        return Judgement(DISPUTED, "USE_ABOVE_SERVED", arguments, tuple(steps))
    exact = claim.tokens_per_month / 1_000 * claim.usd_per_1k_tokens
    steps.insert(1, Step("tokens-a-month", claim.tokens_per_month, "tokens", "claim"))
    steps.insert(2, Step("replaced", exact, "usd/month", "engine"))
    low, high = cases.around(claim.usd_month)
    agrees = low <= exact <= high
    code = "API_COST_AGREES" if agrees else "API_COST_DIFFERS"
    verdict = CONFIRMED if agrees else IMPOSSIBLE
    return Judgement(verdict, code, {"usd": exact, "claimed_usd": claim.usd_month}, tuple(steps))


def _most_tokens_a_month(cases: ClaimContext, side: Side) -> float | None:
    """Return what hardware generates in a month without a pause, for the kindest precision."""
    if side.model is None or side.on is None:
        return None
    rates = [
        found.speed.aggregate_tokens_per_s.high
        for recipe in side.quantizations
        for found in cases.assessments(side.model, recipe, side.on, goal=PlanGoal.THROUGHPUT)
        if found.speed is not None and fits(found)
    ]
    return max(rates) * 3_600 * cost.HOURS_A_MONTH if rates else None
