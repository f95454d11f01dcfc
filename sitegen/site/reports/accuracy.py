"""Tables of the accuracy page: goals, errors, verdicts, the worst, coverage."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import FitTier
from sitegen.published.accuracy.values import (
    AccuracyReport,
    Comparison,
    Goal,
    JudgedQuantity,
    Slice,
    Verdicts,
)
from sitegen.site.cells import (
    Absent,
    Cell,
    Folded,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
)
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.accuracy import WORDS, error, estimate, figure, off

MEASURES = {
    "median": "median error, disputed figures aside",
    "p95": "95 of 100 errors, disputed figures aside",
    "coverage": "compared, of those that say enough",
    "agree": "verdicts that agree",
    "inside": "figures inside low–high, disputed ones aside",
}
AT_LEAST = {"coverage", "agree", "inside"}
OUTCOMES = {"ran": "Ran", "failed": "Failed"}


def goals_table(report: AccuracyReport) -> Table:
    """List what the project set out to reach beside what it reached."""
    columns = (
        Column("Quantity"),
        Column("Measure"),
        Column("Goal", numeric=True),
        Column("Reached", numeric=True),
        Column("Met"),
    )
    rows = tuple(Row(_goal(goal)) for goal in report.goals)
    return Table("goals", "What it set out to reach", columns, rows)


def _goal(goal: Goal) -> tuple[Cell, ...]:
    bound = "≥ " if goal.measure in AT_LEAST else "≤ "
    name = WORDS[goal.quantity].name
    return (
        "All memory" if goal.measure == "inside" else name,
        f"{MEASURES[goal.measure]}; {goal.program}" if goal.program else MEASURES[goal.measure],
        Parts((bound, NumberCell(goal.limit, Unit.PERCENT))),
        NumberCell(goal.reached, Unit.PERCENT),
        "yes" if goal.met else "no",
    )


def slices_table(slices: Iterable[Slice], caption: str, *, id: str) -> Table:
    """List errors of groups of figures, those of the common rule beside them."""
    columns = (
        Column("Quantity"),
        Column("Figures", numeric=True),
        Column("Median error", numeric=True),
        Column("95 of 100", numeric=True, note="at most"),
        Column("Inside low–high", numeric=True),
        Column("Width", numeric=True, note="high − low, of mid"),
        Column("Without disputed", numeric=True, note="median, 95 of 100"),
        Column("Common rule", numeric=True, note="median error"),
    )
    return Table(id, caption, columns, tuple(Row(_slice(one)) for one in slices))


def _slice(one: Slice) -> tuple[Cell, ...]:
    found, sound = one.errors, one.undisputed
    name = WORDS[one.quantity].name
    return (
        Lines((name, Small(one.name))) if one.name else name,
        NumberCell(found.count, Unit.COUNT),
        NumberCell(found.median, Unit.PERCENT),
        NumberCell(found.p95, Unit.PERCENT),
        NumberCell(found.inside, Unit.PERCENT),
        NumberCell(found.width, Unit.PERCENT),
        Parts((NumberCell(sound.median, Unit.PERCENT), ", ", NumberCell(sound.p95, Unit.PERCENT)))
        if sound.count
        else Absent("all disputed"),
        error(found.naive_median),
    )


def verdicts_table(found: Verdicts) -> Table:
    """Count outcomes beside tiers."""
    columns = (
        Column("What happened"),
        *(Column(tier.value.replace("-", " ").capitalize(), numeric=True) for tier in FitTier),
        Column("The common rule said the same", numeric=True),
    )
    said = {
        "ran": found.naive_agree,
        "failed": sum(n for (what, _), n in found.counts.items() if what == "failed")
        - found.naive_fits_though_failed,
    }
    said["ran"] -= said["failed"]
    rows = tuple(
        Row(
            (
                words,
                *(
                    NumberCell(found.counts.get((outcome, tier.value), 0), Unit.COUNT)
                    for tier in FitTier
                ),
                NumberCell(said[outcome], Unit.COUNT),
            )
        )
        for outcome, words in OUTCOMES.items()
    )
    return Table("verdicts", "Verdicts beside what happened", columns, rows)


def disagreements_table(report: AccuracyReport, catalog: Catalog) -> Table:
    """List runs whose outcome the verdict did not foresee, with what is known of the cause."""
    columns = (Column("Run"), Column("Happened"), Column("Verdict"), Column("Known of the cause"))
    rows = tuple(
        Row(
            (
                _run(one, catalog),
                OUTCOMES[one.outcome].lower(),
                TierMark(FitTier(one.tier)),
                one.disputed or one.cause or Absent("not known"),
            )
        )
        for one in report.judged
        if one.outcome in OUTCOMES and not one.agrees
    )
    return Table("disagreements", "Verdicts that were wrong", columns, rows, counted=True)


def worst_table(report: AccuracyReport, catalog: Catalog) -> Table:
    """List the figures that are furthest off."""
    columns = (
        Column("Run"),
        Column("Quantity"),
        Column("Logged", numeric=True),
        Column("Estimated", numeric=True),
        Column("Off", numeric=True),
        Column("Known of the cause"),
    )
    rows = tuple(
        Row(
            (
                _run(one, catalog),
                WORDS[one.quantity].name,
                figure(one.quantity, one.measured),
                estimate(one),
                off(one.error),
                one.disputed or one.cause or Absent("not known"),
            )
        )
        for one in report.worst
    )
    return Table("worst", "The worst by name", columns, rows, counted=True)


def coverage_table(report: AccuracyReport) -> Table:
    """List, by quantity, what was compared and why the rest was not."""
    columns = (
        Column("Quantity"),
        Column("Could check", numeric=True, note="records"),
        Column("Compared", numeric=True),
        Column("Not covered", numeric=True, note="says enough"),
        Column("Says too little", numeric=True),
        Column("Why not"),
    )
    rows = tuple(
        Row(
            (
                WORDS[quantity].name,
                NumberCell(found.usable, Unit.COUNT),
                NumberCell(found.compared, Unit.COUNT),
                NumberCell(found.uncovered, Unit.COUNT),
                NumberCell(found.unsaid, Unit.COUNT),
                Folded(
                    "reasons",
                    tuple(
                        Parts((f"{reason}: ", NumberCell(count, Unit.COUNT)))
                        for reason, count in found.reasons.items()
                    ),
                )
                if found.reasons
                else Absent("none left"),
            )
        )
        for quantity, found in report.coverage.items()
    )
    return Table("coverage", "What the records can check", columns, rows)


def comparisons_table(found: tuple[Comparison, ...], catalog: Catalog) -> Table:
    """List every figure with the estimate, the common rule's, and the source."""
    columns = (
        Column("Run"),
        Column("Quantity"),
        Column("Logged", numeric=True),
        Column("Estimated", numeric=True),
        Column("Off", numeric=True),
        Column("Common rule", numeric=True, note="error"),
        Column("Inside low–high"),
        Column("Source"),
    )
    rows = tuple(
        Row(
            (
                _run(one, catalog),
                WORDS[one.quantity].name,
                figure(one.quantity, one.measured),
                estimate(one),
                off(one.error),
                error(one.naive_error),
                "yes" if one.inside else "no",
                source_cell(catalog.measurements[one.origin.source].sources[0]),
            )
        )
        for one in found
    )
    return Table("figures", "Every figure", columns, rows, counted=True)


def _run(one: Comparison | JudgedQuantity, catalog: Catalog) -> Cell:
    origin = one.origin
    model = catalog.models.get(origin.model)
    name: Cell = Link(url_of("model", model.id), model.name) if model else origin.model
    words = " ".join(word for word in (origin.checkpoint, origin.program, origin.version) if word)
    return Lines((name, Small(words), Small(origin.run)))
