"""Rules on measured losses of quantization: figures that their units allow, and a common scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.kinds import Kind
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.losses import LossRecord

RATING_POINT = "rating-point-log-odds"
"""Assumption that says how many log-odds a rating point is."""
SCALES = (0.001, 10.0)
"""Log-odds that a rating point can be: more would make a scale of two marks, less of thousands."""
BOUNDS = {
    "nats": (0.0, 100.0),
    "ratio": (0.01, 1_000_000.0),
    "percent": (0.0, 200.0),
    "fraction": (0.0, 1.0),
    "percentage points": (-100.0, 100.0),
}
"""Least and largest figure of each unit; a recovery may be above a hundred percent."""


def loss_figures_are_possible(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every figure is one that its unit can have."""
    for source in records.losses.values():
        for authored, path, unit, value in _figures(source):
            low, high = BOUNDS[unit]
            if not low <= value <= high:
                message = f"{written(value)} cannot be a figure in {unit}"
                hint = f"figures in {unit} lie between {written(low)} and {written(high)}"
                yield authored.problem(path, "loss-figure", message, hint)


def losses_have_a_baseline(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the baseline of a test was not nothing: there is no share of that."""
    for source in records.losses.values():
        for index, table in enumerate(source.record.tables):
            if table.baseline_value is not None and table.baseline_value <= 0:
                message = "a loss cannot be computed from a baseline of zero"
                path = ("tables", index, "baseline_value")
                yield source.problem(path, "loss-baseline", message, "leave the figure out")


def losses_have_a_scale(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a catalog with losses says what a rating point is."""
    found = records.assumptions.get(RATING_POINT)
    if found is None:
        broken = RATING_POINT in records.ids[Kind.ASSUMPTION]
        for source in () if broken else list(records.losses.values())[:1]:
            message = f"measured losses need the assumption {quoted(RATING_POINT)}"
            hint = f"add catalog/assumptions/{RATING_POINT}.yaml"
            yield source.problem(("tables",), "missing-assumption", message, hint, at_key=True)
        return
    value = found.record.mid if found.record.value is None else found.record.value
    low, high = SCALES
    if value is not None and not low <= value <= high:
        message = f"{written(value)} log-odds cannot be a rating point"
        hint = f"it lies between {written(low)} and {written(high)}"
        yield found.problem(("value",), "rating-point", message, hint)


def _figures(
    source: Authored[LossRecord],
) -> Iterator[tuple[Authored[LossRecord], KeyPath, str, float]]:
    """Yield each figure with its place and unit."""
    for index, table in enumerate(source.record.tables):
        for place, row in enumerate(table.rows):
            yield source, ("tables", index, "rows", place, "value"), table.unit, row.value
