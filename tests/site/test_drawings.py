"""A drawing and the table beside it have the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sitegen.catalog.domain.provenance import Interval
from sitegen.site.cells import Lines, NumberCell, Span, Unit
from sitegen.site.drawings.models import memory_plot
from sitegen.site.drawings.plot import Drawn, doubling_axis
from sitegen.site.pages import combo, model
from sitegen.site.table import Row
from sitegen.site.tables.curves import usable
from tests.site import fabricated


def test_an_axis_ends_on_the_power_of_two_that_its_largest_value_is() -> None:
    axis = doubling_axis("Users", Unit.COUNT, [1, 64])
    assert (axis.low, axis.high) == (1, 64)
    axis = doubling_axis("Users", Unit.COUNT, [8])
    assert (axis.low, axis.high) == (8, 16), "one value has an axis too"


def every() -> Iterator[Drawn]:
    inputs = fabricated.inputs()
    for page in combo.pages(inputs):
        if isinstance(page.view, combo.ComboView):
            yield from page.view.drawn
    for page in model.pages(inputs):
        if page.part:
            continue
        assert isinstance(page.view, model.ModelView)
        if page.view.memory is not None:
            yield page.view.memory
        yield from page.view.throughput


DRAWN = tuple(every())


def numbers(row: Row) -> Iterator[tuple[float, float, float]]:
    """Low, mid and high of every cell that is a number."""
    for cell in row.cells:
        first = cell.lines[0] if isinstance(cell, Lines) else cell
        if isinstance(first, Span):
            yield first.low, first.mid, first.high
        elif isinstance(first, NumberCell):
            yield first.value, first.value, first.value


def test_every_kind_of_drawing_is_there() -> None:
    assert {drawn.plot.id for drawn in DRAWN} == {"context", "load", "weights", "concurrency-1"}


@pytest.mark.parametrize("drawn", DRAWN, ids=lambda drawn: drawn.plot.id)
def test_every_drawn_point_stands_in_the_table_with_its_bounds(drawn: Drawn) -> None:
    rows = {next(numbers(row))[1]: list(numbers(row)) for row in drawn.table.rows}
    for series in drawn.plot.series:
        assert len(series.points) <= len(rows)
        for point in series.points:
            low = point.y if point.low is None else point.low
            high = point.y if point.high is None else point.high
            assert (low, point.y, high) in rows[point.x]


@pytest.mark.parametrize("drawn", DRAWN, ids=lambda drawn: drawn.plot.id)
def test_every_value_and_limit_lies_within_the_axes(drawn: Drawn) -> None:
    plot = drawn.plot
    for series in plot.series:
        for point in series.points:
            assert plot.x.low <= point.x <= plot.x.high
            assert plot.y.low <= (point.low or point.y) <= (point.high or point.y) <= plot.y.high
    for limit in plot.limits:
        axis = plot.x if limit.upright else plot.y
        assert axis.low <= limit.value <= axis.high


def test_the_limits_of_the_context_are_the_budget_and_the_longest_that_fits() -> None:
    plot = next(drawn.plot for drawn in DRAWN if drawn.plot.id == "context")
    found = next(iter(fabricated.SURVEY.combos.values())).largest_single_model
    assert found is not None
    assert found.busiest is not None
    assert found.limits is not None
    values = [limit.value for limit in plot.limits]
    assert values == [found.busiest.budget_bytes, found.limits.max_context_tokens]


def test_a_model_is_drawn_with_the_gpus_whose_memory_lies_in_its_range() -> None:
    plots = [drawn.plot for drawn in DRAWN if drawn.plot.id == "weights"]
    names = {limit.name for plot in plots for limit in plot.limits}
    assert names == {"RTX 4090", "RTX 3060 12GB"}


def test_what_a_mac_may_fill_has_bounds_that_give_the_utilization_beside_it() -> None:
    known = fabricated.ledger(fabricated.MAC, fabricated.PLANS[fabricated.MAC.id], 0.8)[0]
    assert isinstance(usable(known), NumberCell)
    full = Interval(0.7, known.utilization.mid, 0.9)
    shown = usable(replace(known, utilization=full))
    assert isinstance(shown, Span)
    assert (shown.low, shown.high) == pytest.approx((known.need.high / 0.9, known.need.low / 0.7))


def test_a_cache_known_at_two_lengths_is_drawn_and_at_one_is_not() -> None:
    known = fabricated.FACTS[fabricated.SMALL.id]
    gpus = tuple(fabricated.CATALOG.gpus.values())
    two = replace(known, kv_curve=known.kv_curve[:2])
    assert memory_plot(fabricated.SMALL, two, gpus) is not None
    assert memory_plot(fabricated.SMALL, replace(known, kv_curve=known.kv_curve[:1]), gpus) is None
