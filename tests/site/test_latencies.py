"""Latencies of imported runs: by load, with what is missing, what to beware of, and bars."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.runs import Load, SpeedRun
from sitegen.site.cells import Absent, Cell, Link, NumberCell, Parts, Span, Unit
from sitegen.site.drawings.latencies import (
    KNOWN,
    NOT_REPORTED,
    OF_REQUESTS,
    WARM,
    LatencyRuns,
    latencies,
)
from sitegen.site.pages import model
from sitegen.site.tables.runs import SpeedRuns
from tests.site import fabricated
from tests.site.fabricated_records import POST

INPUTS = fabricated.inputs()


def shown() -> LatencyRuns:
    """The one set-up of the fabricated site that has latencies."""
    found = [
        one
        for page in model.pages(INPUTS)
        if isinstance(page.view, model.ModelView)
        for one in page.view.latencies
    ]
    assert len(found) == 1
    return found[0]


def runs() -> SpeedRuns:
    """The runs that it shows."""
    return tuple(
        (run, POST)
        for file in INPUTS.catalog.benchmarks.values()
        for run in file.runs
        if run.latency
    )


def changed(**load: object) -> LatencyRuns:
    """The same set-up with another load."""
    (found,) = latencies(
        tuple((_with(run, **load), source) for run, source in runs()), INPUTS.catalog
    )
    return found


def _with(run: SpeedRun, **load: object) -> SpeedRun:
    assert isinstance(run.load, Load)
    return replace(run, load=replace(run.load, **load))  # type: ignore[arg-type]


def test_each_load_has_a_row_for_each_latency_by_rising_load() -> None:
    heads = [row.cells[0] for row in shown().table.rows]
    streams = [cell.parts[0].value for cell in heads if isinstance(cell, Parts)]  # type: ignore[union-attr]
    assert streams == [2, 2, 2, 8, 8, 8, 32, 32, 32]
    assert [row.cells[1] for row in shown().table.rows[:3]] == [
        "first token", "each further token", "whole request",
    ]  # fmt: skip


def test_the_columns_are_mean_median_and_two_high_percentiles() -> None:
    assert [column.heading for column in shown().table.columns][2:6] == [
        "Mean",
        "p50",
        "p95",
        "p99",
    ]
    whole = shown().table.rows[2].cells
    assert whole[2:6] == tuple(NumberCell(v, Unit.SECONDS) for v in (2.8, 2.75, 3.1, 3.9))
    first = shown().table.rows[0].cells
    assert first[3] == NumberCell(0.2, Unit.MILLISECONDS)


def test_what_is_missing_is_not_reported_and_the_option_is_named() -> None:
    token = shown().table.rows[1].cells
    assert token[4] == NOT_REPORTED == Absent("not reported")
    assert "--metric-percentiles 50,95,99" in shown().table.note


def test_the_rate_at_a_p99_is_that_of_the_slowest_requests() -> None:
    column = shown().table.columns[6]
    assert (column.heading, column.note) == ("Slowest 1 %", "rate of one user at p99")
    assert shown().table.rows[1].cells[6] == NumberCell(25.0, Unit.TOKENS_PER_S)  # 1 / 40 ms
    assert shown().table.rows[0].cells[6] == Absent("no rate")


def test_drawn_prompts_of_one_seed_may_have_been_in_the_cache() -> None:
    assert shown().caveats == (WARM,)
    assert changed(dataset="").caveats == (WARM,)
    assert changed(prefix_cache="warm", dataset="sharegpt").caveats == (KNOWN,)
    for load in ({"dataset": "sharegpt"}, {"prefix_cache": "cold"}, {"prefix_cache": "off"}):
        assert changed(**load).caveats == ()


def test_percentiles_of_the_requests_are_said_to_be_that() -> None:
    computed = tuple(
        (replace(run, latency=replace(run.latency, percentiles_from="requests")), source)  # type: ignore[type-var]
        for run, source in runs()
    )
    (found,) = latencies(computed, INPUTS.catalog)
    assert OF_REQUESTS in found.caveats


def test_the_workload_is_said_in_a_line() -> None:
    text = "".join(
        cell if isinstance(cell, str) else f"{cell.low:g} to {cell.high:g}"
        for cell in map(_as_span, shown().workload.parts)
    )
    assert text.startswith(
        "512 to 512 in, 128 to 128 out, random prompts, 40 to 640 requests answered, "
        "1 to 1 failed, each run took 61.5 to 61.5."
    )


def _as_span(cell: Cell) -> str | Span:
    if isinstance(cell, NumberCell):
        return Span(cell.value, cell.value, cell.value, cell.unit)
    return cell if isinstance(cell, str | Span) else ""


def test_runs_over_another_network_or_at_another_depth_are_another_set_up() -> None:
    first, *rest = runs()
    lent = replace(first[0], system=replace(first[0].system, network=fabricated.TEN_GBE))
    deep = replace(first[0], workload=replace(first[0].workload, depth_tokens=4_096))
    for other in (lent, deep):
        found = latencies(((other, first[1]), *rest), INPUTS.catalog)
        assert [len(one.table.rows) for one in found] == [3, 6]


def test_a_rate_of_requests_is_a_load_too() -> None:
    rated = changed(concurrency=None, request_rate_per_s=4.0)
    head = rated.table.rows[0].cells[0]
    assert head == Parts((NumberCell(4.0, Unit.PLAIN), " requests/s"))


def test_bars_have_the_numbers_of_their_table_and_stand_within_their_axes() -> None:
    drawn = shown().histograms
    assert len(drawn) == 3
    for one in drawn:
        assert tuple(row.cells[2].value for row in one.table.rows) == one.bars.counts  # type: ignore[union-attr]
        assert (one.bars.x.low, one.bars.x.high) == (one.bars.edges[0], one.bars.edges[-1])
        assert max(one.bars.counts) <= one.bars.y.high
        assert [limit.name for limit in one.bars.limits] == ["p50", "p95", "p99"]


def test_percentiles_that_lie_side_by_side_share_a_name() -> None:
    def close(run: SpeedRun) -> SpeedRun:
        assert run.latency is not None
        whole = replace(run.latency.by_name["e2e"], p95_s=3.88)
        return replace(run, latency=replace(run.latency, by_name={"e2e": whole}))

    (found,) = latencies(tuple((close(run), source) for run, source in runs()), INPUTS.catalog)
    limits = found.histograms[0].bars.limits
    assert [(limit.value, limit.name) for limit in limits] == [
        (2.75, "p50"), (3.88, "p95, p99"), (3.9, ""),
    ]  # fmt: skip


def test_a_run_on_a_combo_of_the_catalog_leads_to_it() -> None:
    combo = next(iter(INPUTS.catalog.combos.values()))
    on = tuple((replace(run, combo=combo.id), source) for run, source in runs())
    (found,) = latencies(on, INPUTS.catalog)
    assert Link(f"/combos/{combo.id}/", combo.name) in found.workload.parts
    assert not any(
        isinstance(part, Link) and "/combos/" in part.url for part in shown().workload.parts
    )
