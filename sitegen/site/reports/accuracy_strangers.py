"""Strangers first: how far off the engine is for what no constant had seen, beside what it knew."""

from __future__ import annotations

from sitegen.published.accuracy.speed import SpeedAccuracy
from sitegen.published.accuracy.strangers import (
    Group,
    memory_pairs,
    speed_pairs,
    verdict_groups,
)
from sitegen.published.accuracy.values import AccuracyReport
from sitegen.site.cells import Absent, Cell, NumberCell, Unit
from sitegen.site.reports.accuracy import OUTCOMES
from sitegen.site.reports.accuracy_speed import QUANTITIES
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.accuracy import WORDS, error

NAMES = {**{quantity.value: words.name for quantity, words in WORDS.items()}, **QUANTITIES}


def strangers_table(report: AccuracyReport | None, speeds: SpeedAccuracy | None) -> Table | None:
    """List errors for strangers by quantity, those for known figures beside them."""
    pairs = (
        *(speed_pairs(speeds, QUANTITIES) if speeds else ()),
        *(memory_pairs(report) if report else ()),
    )
    if not pairs:
        return None
    columns = (
        Column("Quantity"),
        Column("Figures", numeric=True, note="never seen"),
        Column("Sources", numeric=True),
        Column("Median error", numeric=True),
        Column("Within our interval", numeric=True),
        Column("Common rule", numeric=True, note="median error"),
        Column("Figures", numeric=True, note="known"),
        Column("Median error", numeric=True, note="known"),
        Column("Within our interval", numeric=True, note="known"),
    )
    rows = tuple(
        Row((NAMES[one.quantity], *_full(one.strangers), *_short(one.known))) for one in pairs
    )
    return Table(
        "strangers",
        "Errors on figures new to the engine, and on figures used to fit or check it",
        columns,
        rows,
    )


def _full(found: Group) -> tuple[Cell, ...]:
    return (
        NumberCell(found.figures, Unit.COUNT),
        NumberCell(found.sources, Unit.COUNT),
        NumberCell(found.median, Unit.PERCENT),
        NumberCell(found.inside, Unit.PERCENT),
        error(found.naive_median),
    )


def _short(found: Group | None) -> tuple[Cell, ...]:
    if found is None:
        return (NumberCell(0, Unit.COUNT), Absent("none known"), Absent("none known"))
    return (
        NumberCell(found.figures, Unit.COUNT),
        NumberCell(found.median, Unit.PERCENT),
        NumberCell(found.inside, Unit.PERCENT),
    )


def standard_table(report: AccuracyReport) -> Table:
    """Count verdicts on one standard for what ran and what failed, and for the common rule."""
    columns = (
        Column("Records"),
        Column("What happened"),
        Column("Assessed", numeric=True),
        Column("The verdict agrees", numeric=True),
        Column("Of these, borderline", numeric=True),
        Column("Called comfortable", numeric=True),
        Column("The common rule agrees", numeric=True),
    )
    rows = tuple(
        Row(
            (
                "never seen" if stranger else "known",
                OUTCOMES[outcome],
                NumberCell(found.judged, Unit.COUNT),
                NumberCell(found.agree, Unit.COUNT),
                NumberCell(found.agree_borderline, Unit.COUNT),
                NumberCell(found.counts.get((outcome, "comfortable"), 0), Unit.COUNT),
                NumberCell(found.naive_agree, Unit.COUNT),
            )
        )
        for stranger, outcome, found in verdict_groups(report)
    )
    return Table("standard", "Verdicts on all records, judged by the same standard", columns, rows)
