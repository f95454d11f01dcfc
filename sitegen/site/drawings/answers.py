"""Drawings of a verdict's reach: memory over the context, decode speed over the streams."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.site.cells import Unit
from sitegen.site.drawings.plot import (
    Drawn,
    Limit,
    Plot,
    Point,
    Series,
    axis_from_zero,
    doubling_axis,
)
from sitegen.site.tables.curves import context_table, load_table, named
from sitegen.survey.curves import ContextPoint, LoadPoint
from sitegen.units import GIB


def context_plot(assessment: Assessment, curve: Sequence[ContextPoint]) -> Drawn | None:
    """Draw what the fullest GPU needs over the context."""
    table = context_table(assessment, curve)
    if table is None or assessment.busiest is None:
        return None
    budget = assessment.busiest.budget_bytes
    points = tuple(
        _point(context_point.context_tokens, context_point.need) for context_point in curve
    )
    longest = assessment.limits.max_context_tokens if assessment.limits else 0
    reach = (Limit(longest, "longest context", upright=True),) if longest else ()
    plot = Plot(
        id="context",
        title=f"Memory by context length: {named(assessment)}",
        description=(
            "A rising line with its bounds: the memory that the fullest GPU needs for one user, "
            "by context length. Two more lines mark the usable memory and the longest context "
            "that fits. The table below has the same numbers."
        ),
        x=doubling_axis("Context", Unit.TOKENS, (point.x for point in points)),
        y=axis_from_zero(
            "Fullest GPU",
            Unit.GIB,
            (budget, *(context_point.need.high for context_point in curve)),
            step=GIB,
        ),
        series=(Series("Needed, low to high", points, line=True, marked=True),),
        limits=(Limit(budget, "usable memory"), *reach),
    )
    return Drawn(plot, table)


def load_plot(assessment: Assessment, curve: Sequence[LoadPoint]) -> Drawn | None:
    """Draw decode speed over the streams that are served at once."""
    table = load_table(assessment, curve)
    if table is None:
        return None
    together = tuple(
        _point(load_point.streams, load_point.all_tokens_per_s) for load_point in curve
    )
    each = tuple(_point(load_point.streams, load_point.each_tokens_per_s) for load_point in curve)
    values = [bound for point in (*together, *each) for bound in (point.low, point.high)]
    plot = Plot(
        id="load",
        title=f"Speed by number of users: {named(assessment)}",
        description=(
            "Two lines with their bounds: as users are added, the total speed rises and the speed "
            "per user falls. The table below has the same numbers."
        ),
        x=doubling_axis("Concurrent users", Unit.COUNT, (point.x for point in together)),
        y=doubling_axis("Speed", Unit.TOKENS_PER_S, (value for value in values if value)),
        series=(
            Series("All users together", together, line=True, marked=True),
            Series("Each user", each, line=True, marked=True),
        ),
    )
    return Drawn(plot, table)


def _point(x: float, value: Interval) -> Point:
    return Point(x, value.mid, low=value.low, high=value.high)
