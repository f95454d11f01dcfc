"""The two drawings of the accuracy page: how errors spread, and estimate against log."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.measurements import LoggedQuantity as Logged
from sitegen.published.accuracy.values import AccuracyReport, Comparison
from sitegen.site.cells import Unit
from sitegen.site.drawings.plot import Axis, Plot, Point, Series, axis_over
from sitegen.site.words.accuracy import WORDS

LEAST, MOST = 1e-4, 10.0
"""Errors that the first drawing tells apart."""
MEMORY_SHOWN = (
    Logged.WEIGHTS, Logged.KV_POOL, Logged.ACTIVATION, Logged.MODEL_BUFFERS, Logged.KV_BUFFERS,
    Logged.COMPUTE_BUFFERS,
)  # fmt: skip


def error_plot(report: AccuracyReport) -> Plot:
    """Draw which share of all figures is within an error, for the engine and the common rules."""
    both = [
        comparison
        for comparison in report.comparisons
        if comparison.naive_error is not None and not comparison.disputed
    ]
    return Plot(
        id="errors",
        title="Share of figures with at most a given error",
        description=(
            "Two rising lines. At every error, the engine's line is above the line of the "
            "common rules. Only figures with a common rule count; the tables below have the "
            "numbers."
        ),
        x=Axis("Largest error", Unit.PERCENT, LEAST, MOST, logarithmic=True),
        y=Axis("Share of figures", Unit.PERCENT, 0, 1),
        series=(
            Series("This engine", _rising(abs(comparison.error) for comparison in both), line=True),
            Series(
                "Common rules",
                _rising(abs(comparison.naive_error or 0) for comparison in both),
                line=True,
            ),
        ),
    )


def _rising(errors: Iterable[float]) -> tuple[Point, ...]:
    """Points of a cumulative share, one step for each error."""
    ordered = sorted(errors)
    count = len(ordered)
    points = [Point(LEAST, sum(e <= LEAST for e in ordered) / max(1, count))]
    points += [
        Point(size, (at + 1) / count) for at, size in enumerate(ordered) if LEAST < size < MOST
    ]
    return (*points, Point(MOST, points[-1].y))


def memory_plot(report: AccuracyReport) -> Plot:
    """Draw estimated over logged bytes of memory."""
    series = tuple(
        Series(WORDS[quantity].name, _points(report.comparisons, quantity))
        for quantity in MEMORY_SHOWN
    )
    sizes = [point.x for one in series for point in one.points]
    return Plot(
        id="memory",
        title="Estimated and logged memory",
        description=(
            "Each mark is one figure from a log. On the dashed line, the estimate and the log are "
            "equal. Both axes are in powers of ten."
        ),
        x=axis_over("Logged", Unit.GIB, sizes),
        y=axis_over("Estimated", Unit.GIB, sizes),
        series=tuple(one for one in series if one.points),
        equal=True,
    )


def _points(comparisons: Iterable[Comparison], quantity: Logged) -> tuple[Point, ...]:
    scale = WORDS[quantity].scale
    return tuple(
        Point(one.measured * scale, max(one.predicted.mid, 0.0) * scale, one.origin.run)
        for one in comparisons
        if one.quantity is quantity and one.measured > 0
    )
