"""The few figures that say how often the engine is right, on the home and the accuracy page."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.published.accuracy.aggregate import quantile
from sitegen.published.accuracy.speed import SpeedAccuracy
from sitegen.published.accuracy.values import AccuracyReport
from sitegen.site.cells import Cell, NumberCell, Unit
from sitegen.values import dataclass

GOALS = {
    "agree": "of verdicts agree with what happened on real machines",
    "inside": "of logged memory figures are between our low and high estimates",
}


@dataclass(frozen=True, slots=True)
class AccuracyFigure:
    """A headline figure of accuracy, with its words."""

    value: Cell
    words: str


def headline_figures(
    memory: AccuracyReport | None, speed: SpeedAccuracy | None
) -> Iterator[AccuracyFigure]:
    """Take the share of right verdicts, of memory inside its interval, and the error of speeds."""
    for goal in memory.goals if memory else ():
        if goal.measure in GOALS:
            yield AccuracyFigure(NumberCell(goal.reached, Unit.PERCENT), GOALS[goal.measure])
    found = [one for one in speed.judged if one.quantity == "decode"] if speed else []
    if found:
        errors = sorted((abs(one.predicted.mid / one.measured - 1), 1.0) for one in found)
        words = f"median error for {len(found):,} published single-user speeds"
        yield AccuracyFigure(NumberCell(quantile(errors, 0.5), Unit.PERCENT), words)
