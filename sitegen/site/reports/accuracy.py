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
    "median": "median error, excluding disputed figures",
    "p95": "95th percentile of errors, excluding disputed figures",
    "coverage": "share of detailed logs that we could compare",
    "agree": "verdicts that agree",
    "inside": "figures between low and high, excluding disputed figures",
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
    return Table("goals", "Goals", columns, rows)


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
        Column("95th percentile", numeric=True, note="of errors", key="95 of 100"),
        Column("Within our interval", numeric=True),
        Column("Width", numeric=True, note="(high − low) ÷ mid"),
        Column("Without disputed", numeric=True, note="median, 95th percentile"),
        Column("Common rule", numeric=True, note="median error"),
    )
    return Table(id, caption, columns, tuple(Row(_slice(one)) for one in slices))


def _slice(one: Slice) -> tuple[Cell, ...]:
    errors, sound = one.errors, one.undisputed
    name = WORDS[one.quantity].name
    return (
        Lines((name, Small(one.name))) if one.name else name,
        NumberCell(errors.count, Unit.COUNT),
        NumberCell(errors.median, Unit.PERCENT),
        NumberCell(errors.p95, Unit.PERCENT),
        NumberCell(errors.inside, Unit.PERCENT),
        NumberCell(errors.width, Unit.PERCENT),
        Parts((NumberCell(sound.median, Unit.PERCENT), ", ", NumberCell(sound.p95, Unit.PERCENT)))
        if sound.count
        else Absent("all disputed"),
        error(errors.naive_median),
    )


def verdicts_table(verdicts: Verdicts) -> Table:
    """Count outcomes beside tiers."""
    columns = (
        Column("What happened"),
        *(Column(tier.value.replace("-", " ").capitalize(), numeric=True) for tier in FitTier),
        Column("The common rule agreed", numeric=True),
    )
    said = {
        "ran": verdicts.naive_agree,
        "failed": sum(n for (what, _), n in verdicts.counts.items() if what == "failed")
        - verdicts.naive_fits_though_failed,
    }
    said["ran"] -= said["failed"]
    rows = tuple(
        Row(
            (
                words,
                *(
                    NumberCell(verdicts.counts.get((outcome, tier.value), 0), Unit.COUNT)
                    for tier in FitTier
                ),
                NumberCell(said[outcome], Unit.COUNT),
            )
        )
        for outcome, words in OUTCOMES.items()
    )
    return Table("verdicts", "Verdicts compared with what happened", columns, rows)


def disagreements_table(report: AccuracyReport, catalog: Catalog) -> Table:
    """List runs whose outcome the verdict did not foresee, with what is known of the cause."""
    columns = (
        Column("Run"),
        Column("What happened", key="happened"),
        Column("Verdict"),
        Column("Likely cause"),
    )
    rows = tuple(
        Row(
            (
                _run(judged_quantity, catalog),
                OUTCOMES[judged_quantity.outcome].lower(),
                TierMark(FitTier(judged_quantity.tier)),
                judged_quantity.disputed or judged_quantity.cause or Absent("not known"),
            )
        )
        for judged_quantity in report.judged
        if judged_quantity.outcome in OUTCOMES and not judged_quantity.agrees
    )
    return Table("disagreements", "Verdicts that were wrong", columns, rows, counted=True)


def worst_table(report: AccuracyReport, catalog: Catalog) -> Table:
    """List the figures that are furthest off."""
    columns = (
        Column("Run"),
        Column("Quantity"),
        Column("Logged", numeric=True),
        Column("Estimated", numeric=True),
        Column("Error", numeric=True, key="off"),
        Column("Likely cause"),
    )
    rows = tuple(
        Row(
            (
                _run(comparison, catalog),
                WORDS[comparison.quantity].name,
                figure(comparison.quantity, comparison.measured),
                estimate(comparison),
                off(comparison.error),
                comparison.disputed or comparison.cause or Absent("not known"),
            )
        )
        for comparison in report.worst
    )
    return Table("worst", "Our biggest misses", columns, rows, counted=True)


def coverage_table(report: AccuracyReport) -> Table:
    """List, by quantity, what was compared and why the rest was not."""
    columns = (
        Column("Quantity"),
        Column("Checkable", numeric=True, note="records"),
        Column("Compared", numeric=True),
        Column("Not covered", numeric=True, note="by the engine"),
        Column("Incomplete", numeric=True, note="records"),
        Column("Reasons"),
    )
    rows = tuple(
        Row(
            (
                WORDS[quantity].name,
                NumberCell(coverage.usable, Unit.COUNT),
                NumberCell(coverage.compared, Unit.COUNT),
                NumberCell(coverage.uncovered, Unit.COUNT),
                NumberCell(coverage.unsaid, Unit.COUNT),
                Folded(
                    "reasons",
                    tuple(
                        Parts((f"{reason}: ", NumberCell(count, Unit.COUNT)))
                        for reason, count in coverage.reasons.items()
                    ),
                )
                if coverage.reasons
                else Absent("none left"),
            )
        )
        for quantity, coverage in report.coverage.items()
    )
    return Table("coverage", "Records with which we can check each quantity", columns, rows)


def comparisons_table(comparisons: tuple[Comparison, ...], catalog: Catalog) -> Table:
    """List every figure with the estimate, the common rule's, and the source."""
    columns = (
        Column("Run"),
        Column("Quantity"),
        Column("Logged", numeric=True),
        Column("Estimated", numeric=True),
        Column("Error", numeric=True, key="off"),
        Column("Common rule", numeric=True, note="error"),
        Column("Within our interval"),
        Column("Source"),
    )
    rows = tuple(
        Row(
            (
                _run(comparison, catalog),
                WORDS[comparison.quantity].name,
                figure(comparison.quantity, comparison.measured),
                estimate(comparison),
                off(comparison.error),
                error(comparison.naive_error),
                "yes" if comparison.inside else "no",
                source_cell(catalog.measurements[comparison.origin.source].sources[0]),
            )
        )
        for comparison in comparisons
    )
    return Table("figures", "Every figure", columns, rows, counted=True)


def _run(comparison: Comparison | JudgedQuantity, catalog: Catalog) -> Cell:
    origin = comparison.origin
    model = catalog.models.get(origin.model)
    name: Cell = Link(url_of("model", model.id), model.name) if model else origin.model
    recipe = catalog.quantizations.get(origin.checkpoint)
    checkpoint = recipe.name if recipe else origin.checkpoint
    words = " ".join(word for word in (checkpoint, origin.program, origin.version) if word)
    return Lines((name, Small(words), Small(origin.run)))
