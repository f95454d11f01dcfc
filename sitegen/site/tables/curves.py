"""Tables of a verdict's reach: memory over the context, speed over the streams."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.physics.plan import GpuLedger
from sitegen.site.cells import Cell, EvidenceMark, Lines, NumberCell, Unit, rate_span, span
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.verdicts import checkpoint_name
from sitegen.survey.curves import ContextPoint, LoadPoint

FEWEST_POINTS = 3
"""Points below which a curve says no more than the verdict."""


def context_table(assessment: Assessment, curve: Sequence[ContextPoint]) -> Table | None:
    """List what the fullest GPU needs for one sequence of each length."""
    if assessment.busiest is None or len(curve) < FEWEST_POINTS:
        return None
    fillable = usable(assessment.busiest)
    rows = tuple(
        Row(
            (
                NumberCell(point.context_tokens, Unit.TOKENS),
                span(point.need, Unit.GIB, with_mid=True),
                fillable,
                span(point.utilization, Unit.PERCENT),
            )
        )
        for point in curve
    )
    columns = (
        Column("Context", numeric=True, note="one sequence"),
        Column("Needs", numeric=True, note="fullest GPU, low–high"),
        Column("Usable", numeric=True),
        Column("Utilization", numeric=True, note="low–high"),
    )
    return Table("context-table", f"Memory by context: {named(assessment)}", columns, rows)


def load_table(assessment: Assessment, curve: Sequence[LoadPoint]) -> Table | None:
    """List the speed of each stream and of all, by the streams that are served at once."""
    if assessment.speed is None or len(curve) < FEWEST_POINTS:
        return None
    mark = EvidenceMark(assessment.speed.evidence)

    def speed(value: Cell) -> Cell:
        return Lines((value, mark))

    rows = tuple(
        Row(
            (
                NumberCell(point.streams, Unit.COUNT),
                speed(rate_span(point.each_tokens_per_s)),
                speed(rate_span(point.all_tokens_per_s)),
            )
        )
        for point in curve
    )
    columns = (
        Column("Users", numeric=True, note="concurrent", key="streams"),
        Column("Each user", numeric=True, note="low–high", key="each_stream"),
        Column("All users", numeric=True, note="low–high", key="all_streams"),
    )
    return Table(
        "load-table", f"Generation speed by number of users: {named(assessment)}", columns, rows
    )


def named(assessment: Assessment) -> str:
    """Name what a curve is of."""
    return f"{assessment.model.name} at {checkpoint_name(assessment)}, {assessment.runtime.name}"


def usable(gpu: GpuLedger) -> Cell:
    """Print what the runtime may fill: with bounds where the system's own part has them.

    The utilization beside it is need over this, at each bound.
    """
    need, full = gpu.need, gpu.utilization
    bounds = need.high / full.high, gpu.budget_bytes, need.low / full.low
    least, mid, most = (NumberCell(round(bound), Unit.GIB) for bound in bounds)
    return mid if least == most else span(Interval(least.value, mid.value, most.value), Unit.GIB)
