"""Coverage and errors as tables that a terminal and a Markdown file both show well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.catalog.domain.measurements import LoggedQuantity
from sitegen.published.accuracy.values import AccuracyReport, Comparison, Goal, Slice

WORST_OF_EACH = 10


def lines(report: AccuracyReport) -> Iterator[str]:
    """Yield the whole report."""
    counted = f"{report.sources} sources, {report.runs} runs, {report.files} files"
    yield f"{counted}; {report.left_out} logs left out"
    yield ""
    yield from _goals(report.goals)
    yield from _coverage(report)
    yield from _slices("quantity", report.by_quantity)
    yield from _slices("program", report.by_program)
    yield from _slices("family", report.by_family)
    yield from _verdicts(report)
    yield from _worst(report)


def _goals(goals: Iterable[Goal]) -> Iterator[str]:
    yield "| goal | measure | limit | reached | |"
    yield "|---|---|---:|---:|---|"
    for goal in goals:
        named = "all of memory" if goal.measure == "inside" else goal.quantity.value
        what = " ".join(word for word in (goal.program, named) if word)
        met = "met" if goal.met else "NOT met"
        yield f"| {what} | {goal.measure} | {goal.limit:.2%} | {goal.reached:.2%} | {met} |"
    yield ""


def _coverage(report: AccuracyReport) -> Iterator[str]:
    yield "| quantity | could check | compared | not covered | says too little | share | why not |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for quantity, found in report.coverage.items():
        why = "; ".join(f"{reason} {count}" for reason, count in found.reasons.items())
        yield (
            f"| {quantity.value} | {found.usable} | {found.compared} | {found.uncovered} "
            f"| {found.unsaid} | {found.share:.0%} | {why} |"
        )
    yield ""


def _slices(word: str, slices: Iterable[Slice]) -> Iterator[str]:
    heads = "figures | votes | median | p95 | beyond rounding | inside | width | undisputed | naive"
    yield f"| quantity | {word} | {heads} |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for one in slices:
        errors = one.errors
        common = "" if errors.naive_median is None else f"{errors.naive_median:.1%}"
        yield (
            f"| {one.quantity.value} | {one.name} | {errors.count} | {errors.votes} "
            f"| {errors.median:.2%} | {errors.p95:.1%} | {errors.beyond_median:.2%} "
            f"| {errors.inside:.0%} | {errors.width:.0%} "
            f"| {one.undisputed.median:.2%}, {one.undisputed.p95:.1%} | {common} |"
        )
    yield ""


def _verdicts(report: AccuracyReport) -> Iterator[str]:
    found = report.verdicts
    yield f"Verdicts: {found.agree} of {found.judged} agree; naive {found.naive_agree}."
    for (outcome, tier), count in sorted(found.counts.items()):
        yield f"  {outcome}, called {tier}: {count}"
    for one in report.judged:
        if one.outcome in {"ran", "failed"} and not one.agrees:
            said = ", ".join(one.reasons)
            yield f"  {one.origin.run} {one.outcome}, called {one.tier}: {said} ({one.cause})"
    yield ""


def _worst(report: AccuracyReport) -> Iterator[str]:
    for quantity in LoggedQuantity:
        mine = [c for c in report.comparisons if c.quantity is quantity]
        for one in sorted(mine, key=lambda c: -abs(c.error))[:WORST_OF_EACH]:
            yield f"{quantity.value}: {_line(one)}"


def _line(one: Comparison) -> str:
    origin = one.origin
    mark = "" if one.inside else " outside"
    words = " ".join((origin.program, origin.version, origin.model, origin.checkpoint, one.note))
    return (
        f"{one.error:+8.1%}{mark} {origin.run}: logged {one.measured:,.6g}, "
        f"engine {one.predicted.mid:,.6g} ({words.strip()}) {one.disputed or one.cause}"
    )
