"""How far a combo's answers go: memory over the context, decode speed over the streams."""

from __future__ import annotations

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.site.cells import EvidenceMark, Lines, NumberCell, Unit, span
from sitegen.site.drawings.ledger import usable
from sitegen.site.drawings.plot import (
    Drawn,
    Limit,
    Plot,
    Point,
    Series,
    axis_from_zero,
    doubling_axis,
)
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.verdicts import checkpoint_name
from sitegen.survey.results import ComboSurvey
from sitegen.units import GIB

FEWEST_POINTS = 3
"""Points below which a drawing says no more than its numbers."""


def context_plot(survey: ComboSurvey) -> Drawn | None:
    """Draw what the busiest GPU needs over the context, for the combo's first answer."""
    assessment, curve = survey.lead, survey.context_curve
    if assessment is None or assessment.busiest is None or len(curve) < FEWEST_POINTS:
        return None
    budget = assessment.busiest.budget_bytes
    fillable = usable(assessment.busiest)
    points = tuple(
        _point(context_point.context_tokens, context_point.need) for context_point in curve
    )
    longest = assessment.limits.max_context_tokens if assessment.limits else 0
    reach = (Limit(longest, "longest context", upright=True),) if longest else ()
    what = _named(assessment)
    plot = Plot(
        id="context",
        title=f"Memory over the context: {what}",
        description=(
            "A rising line with its bounds: what the busiest GPU needs for one sequence of a "
            "length. One limit is what the runtime may fill, the other the longest context that "
            "fits. The table below has the same numbers."
        ),
        x=doubling_axis("Context", Unit.TOKENS, (point.x for point in points)),
        y=axis_from_zero(
            "Busiest GPU",
            Unit.GIB,
            (budget, *(context_point.need.high for context_point in curve)),
            step=GIB,
        ),
        series=(Series("Needed, low to high", points, line=True, marked=True),),
        limits=(Limit(budget, "what the runtime may fill"), *reach),
    )
    rows = tuple(
        Row(
            (
                NumberCell(context_point.context_tokens, Unit.TOKENS),
                span(context_point.need, Unit.GIB, with_mid=True),
                fillable,
                span(context_point.utilization, Unit.PERCENT),
            )
        )
        for context_point in curve
    )
    columns = (
        Column("Context", numeric=True, note="one sequence"),
        Column("Needs", numeric=True, note="busiest GPU, low–high"),
        Column("Usable", numeric=True),
        Column("Utilization", numeric=True, note="low–high"),
    )
    return Drawn(plot, Table("context-table", f"Memory by context: {what}", columns, rows))


def load_plot(survey: ComboSurvey) -> Drawn | None:
    """Draw decode speed over the streams that are served at once, for the first answer."""
    assessment, curve = survey.lead, survey.load_curve
    if assessment is None or assessment.speed is None or len(curve) < FEWEST_POINTS:
        return None
    together = tuple(
        _point(load_point.streams, load_point.all_tokens_per_s) for load_point in curve
    )
    each = tuple(_point(load_point.streams, load_point.each_tokens_per_s) for load_point in curve)
    values = [bound for point in (*together, *each) for bound in (point.low, point.high)]
    what = _named(assessment)
    plot = Plot(
        id="load",
        title=f"Decode speed over the streams: {what}",
        description=(
            "Two lines with their bounds over the number of streams served at once: the speed of "
            "all together rises, that of each falls. The table below has the same numbers."
        ),
        x=doubling_axis("Streams at once", Unit.COUNT, (point.x for point in together)),
        y=doubling_axis("Decode", Unit.TOKENS_PER_S, (value for value in values if value)),
        series=(
            Series("All streams", together, line=True, marked=True),
            Series("Each stream", each, line=True, marked=True),
        ),
    )
    mark = EvidenceMark(assessment.speed.evidence)
    rows = tuple(
        Row(
            (
                NumberCell(load_point.streams, Unit.COUNT),
                Lines((span(load_point.each_tokens_per_s, Unit.TOKENS_PER_S, with_mid=True), mark)),
                Lines((span(load_point.all_tokens_per_s, Unit.TOKENS_PER_S, with_mid=True), mark)),
            )
        )
        for load_point in curve
    )
    columns = (
        Column("Streams", numeric=True, note="at once"),
        Column("Each stream", numeric=True, note="low–high"),
        Column("All streams", numeric=True, note="low–high"),
    )
    return Drawn(plot, Table("load-table", f"Decode speed by streams: {what}", columns, rows))


def _named(assessment: Assessment) -> str:
    return f"{assessment.model.name} at {checkpoint_name(assessment)}, {assessment.runtime.name}"


def _point(x: float, value: Interval) -> Point:
    return Point(x, value.mid, low=value.low, high=value.high)
