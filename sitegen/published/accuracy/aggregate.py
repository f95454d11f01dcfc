"""Many comparisons as a few numbers: errors, coverage, calibration, verdicts, goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from sitegen.catalog.domain.measurements import LeftOutRun, LoggedQuantity
from sitegen.published.accuracy.values import (
    Comparison,
    Coverage,
    Errors,
    Goal,
    JudgedQuantity,
    Result,
    Skipped,
    Slice,
    Verdicts,
)

LIMITS: tuple[tuple[LoggedQuantity, str, str, float], ...] = (
    (LoggedQuantity.WEIGHTS, "", "median", 0.005),
    (LoggedQuantity.WEIGHTS, "", "p95", 0.04),
    (LoggedQuantity.KV_BYTES, "", "median", 0.002),
    (LoggedQuantity.KV_BYTES, "", "p95", 0.02),
    (LoggedQuantity.KV_TOKENS, "", "median", 0.05),
    (LoggedQuantity.ACTIVATION, "vLLM", "median", 0.06),
    (LoggedQuantity.COMPUTE_BUFFERS, "llama.cpp", "median", 0.03),
    (LoggedQuantity.FILE_SIZE, "", "median", 0.003),
)
"""Errors that the project set out to reach: quantity, program (empty for all), measure, limit."""
COVERAGE_LIMIT = 0.8
AGREEMENT_LIMIT = 0.94
CALIBRATION_LIMIT = 0.85


def errors_of(comparisons: Iterable[Comparison]) -> Errors:
    """Sum up comparisons; all zero where there is none."""
    listed = list(comparisons)
    votes = Counter(_voter(comparison) for comparison in listed)

    def over(value_of: Callable[[Comparison], float | None]) -> list[tuple[float, float]]:
        """Values with their weights: the vote of a group is split between its figures."""
        values = ((value_of(comparison), 1 / votes[_voter(comparison)]) for comparison in listed)
        return sorted((abs(value), weight) for value, weight in values if value is not None)

    sizes, common = over(lambda one: one.error), over(lambda one: one.naive_error)
    return Errors(
        count=len(listed),
        votes=len(votes),
        median=quantile(sizes, 0.5),
        p95=quantile(sizes, 0.95),
        beyond_median=quantile(over(lambda one: one.beyond_rounding), 0.5),
        inside=sum(comparison.inside / votes[_voter(comparison)] for comparison in listed)
        / max(1, len(votes)),
        width=quantile(over(_width), 0.5),
        naive_median=quantile(common, 0.5) if common else None,
    )


def _voter(comparison: Comparison) -> tuple[LoggedQuantity, str]:
    return comparison.quantity, comparison.origin.vote


def _width(comparison: Comparison) -> float:
    interval = comparison.predicted
    return (interval.high - interval.low) / abs(interval.mid) if interval.mid else 0.0


def quantile(ordered: Sequence[tuple[float, float]], share: float) -> float:
    """Interpolate between the values around a share of all weight; 0 for no values.

    Each value stands at the middle of its weight; equal weights give the usual median.

    >>> quantile([(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], 0.5), quantile([], 0.5)
    (1.5, 0.0)
    >>> quantile([(0.0, 0.5), (0.0, 0.5), (1.0, 1.0), (2.0, 1.0)], 0.5)
    1.0
    """
    if not ordered:
        return 0.0
    total = sum(weight for _, weight in ordered)
    places, reached = [], 0.0
    for _, weight in ordered:
        places.append((reached + weight / 2) / total)
        reached += weight
    at = next((i for i, place in enumerate(places) if place >= share), len(places))
    if at == 0 or at == len(places):
        return ordered[min(at, len(places) - 1)][0]
    before, after = places[at - 1], places[at]
    low, high = ordered[at - 1][0], ordered[at][0]
    return low + (high - low) * (share - before) / (after - before)


def slices(
    comparisons: Sequence[Comparison], name_of: Callable[[Comparison], str]
) -> tuple[Slice, ...]:
    """Group comparisons by quantity and a name, in the order of quantities and names."""
    keys = sorted({(list(LoggedQuantity).index(c.quantity), name_of(c)) for c in comparisons})
    result = []
    for index, name in keys:
        quantity = list(LoggedQuantity)[index]
        mine = [c for c in comparisons if c.quantity is quantity and name_of(c) == name]
        sound = [c for c in mine if not c.disputed]
        result.append(Slice(quantity, name, errors_of(mine), errors_of(sound)))
    return tuple(result)


def coverage_of(
    results: Sequence[Result], left_out: Sequence[LeftOutRun]
) -> Mapping[LoggedQuantity, Coverage]:
    """Count, by quantity, the records that were compared and the reasons of the others."""
    return {
        quantity: found
        for quantity in LoggedQuantity
        if (found := _coverage(quantity, results, left_out)).usable
    }


def _coverage(
    quantity: LoggedQuantity, results: Sequence[Result], left_out: Sequence[LeftOutRun]
) -> Coverage:
    compared = {
        r.origin.run
        for r in results
        if (isinstance(r, Comparison) and r.quantity is quantity)
        or (isinstance(r, JudgedQuantity) and quantity is LoggedQuantity.VERDICT)
    }
    skipped = [r for r in results if isinstance(r, Skipped) and r.quantity is quantity]
    missing = [r for r in left_out if quantity in r.usable_for]
    uncovered = sum(r.says_enough for r in skipped) + sum(r.says_enough for r in missing)
    given = [r.reason for r in skipped] + [r.reason for r in missing]
    reasons = Counter(reason.split(":")[0] for reason in given)
    usable = len(compared) + len(skipped) + len(missing)
    return Coverage(
        usable=usable,
        compared=len(compared),
        uncovered=uncovered,
        unsaid=usable - len(compared) - uncovered,
        reasons=dict(reasons.most_common()),
    )


def verdicts_of(judged: Sequence[JudgedQuantity]) -> Verdicts:
    """Count outcomes beside tiers; a run whose outcome is not known is not judged."""
    known = [j for j in judged if j.outcome in {"ran", "failed"}]
    failed = [j for j in known if not j.ran]
    wrong = [j for j in failed if j.tier == "comfortable"]
    common = [j for j in known if j.naive_agrees is not None]
    return Verdicts(
        judged=len(known),
        agree=sum(j.agrees for j in known),
        agree_borderline=sum(j.agrees and j.tier == "borderline" for j in known),
        refused_though_ran=sum(j.ran and not j.agrees for j in known),
        comfortable_though_failed=len(wrong),
        naive_judged=len(common),
        naive_agree=sum(bool(j.naive_agrees) for j in common),
        naive_fits_though_failed=sum(bool(j.naive_fits) for j in failed),
        counts=dict(Counter((j.outcome, j.tier) for j in known)),
    )


def goals_of(
    comparisons: Sequence[Comparison],
    coverage: Mapping[LoggedQuantity, Coverage],
    verdicts: Verdicts,
) -> tuple[Goal, ...]:
    """Say what was to be reached and what is; disputed figures are not counted.

    A goal for which there are no figures is neither reached nor missed, and is not listed.
    Intervals are those of a runtime's own profile, so forks have no part in their calibration, nor
    have files, which are no memory.
    """
    sound = [c for c in comparisons if not c.disputed]
    result = []
    for quantity, program, measure, limit in LIMITS:
        mine = errors_of(
            c for c in sound if c.quantity is quantity and program in {"", c.origin.program}
        )
        if not mine.count:
            continue
        reached = mine.median if measure == "median" else mine.p95
        if quantity is LoggedQuantity.FILE_SIZE:
            reached = mine.beyond_median
        result.append(Goal(quantity, program, measure, limit, reached))
    for quantity, covered in coverage.items():
        result.append(Goal(quantity, "", "coverage", COVERAGE_LIMIT, covered.share))
    if verdicts.judged:
        agree = verdicts.agree / verdicts.judged
        result.append(Goal(LoggedQuantity.VERDICT, "", "agree", AGREEMENT_LIMIT, agree))
    memory = [c for c in sound if not c.origin.kin and c.quantity is not LoggedQuantity.FILE_SIZE]
    if memory:
        inside = errors_of(memory).inside
        result.append(Goal(LoggedQuantity.KV_POOL, "", "inside", CALIBRATION_LIMIT, inside))
    return tuple(result)
