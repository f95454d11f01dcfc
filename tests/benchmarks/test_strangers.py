"""Rows that were never seen: kept as predicted, judged on one standard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.strangers import rows as record
from benchmarks.strangers import tables
from benchmarks.strangers.predict import strangers_of
from benchmarks.strangers.rows import MEMORY, SPEED, VERDICT, Record, Row
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project

ROW = Row(
    run="a", source="s", kind=SPEED, quantity="decode", vote="s m", program="llama-cpp",
    hardware="nvidia consumer", known_source=False, left_out_before=False,
    measured=100, low=80, mid=110, high=130, naive=200,
)  # fmt: skip
VERDICT_ROW = replace(ROW, kind=VERDICT, quantity="verdict", naive_fits=True)


@pytest.mark.parametrize(
    ("outcome", "tier", "reasons", "agrees"),
    [
        ("failed", "not-practical", (), True),
        ("failed", "borderline", ("KV_BELOW_CONTEXT",), True),
        ("failed", "borderline", ("UNCERTAIN",), False),
        ("failed", "comfortable", (), False),
        ("ran", "comfortable", (), True),
        ("ran", "borderline", ("UNCERTAIN",), True),
        ("ran", "borderline", ("KV_BELOW_CONTEXT",), False),
        ("ran", "not-practical", ("GPU_UNSUPPORTED",), False),
    ],
)
def test_what_ran_and_what_failed_are_held_to_one_standard(
    outcome: str, tier: str, reasons: tuple[str, ...], agrees: bool
) -> None:
    row = replace(VERDICT_ROW, outcome=outcome, tier=tier, reasons=reasons)
    assert tables.agrees(row) is agrees
    assert tables.naive_agrees(row) is (outcome == "ran")


def test_near_repeats_share_a_vote_and_the_largest_source_can_be_set_aside() -> None:
    far = replace(ROW, run="b", source="t", vote="t m", mid=150, high=155, low=145)
    rows = [ROW, replace(ROW, run="c"), far]
    assert tables.votes(rows) == 2
    assert tables.calibration(rows) == pytest.approx((2 / 3, 0.5))
    assert tables.median(rows) == pytest.approx(0.1)
    without = tables.cells(rows)[8]
    assert without == "50.0%"


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = (ROW, replace(ROW, kind=MEMORY, quantity="weights", rounding=0.5), VERDICT_ROW)
    made = Record("2026-11-23", "abc", rows, {"speed: no rate": 2})
    for one in (made, replace(made, fitted_since="2026-11-29")):
        record.write(tmp_path / "2026-11-23.jsonl", one)
        assert record.read(tmp_path / "2026-11-23.jsonl") == one


def test_records_say_which_rows_no_constant_rests_on() -> None:
    catalog = parse_catalog(read_project(Path(__file__).parents[2]).catalog)
    assert strangers_of(catalog) == record.ids()


def test_every_row_of_the_records_stands_in_one_table() -> None:
    rows = [row for path in record.paths() for row in record.read(path).rows]
    assert {row.kind for row in rows} == {MEMORY, SPEED, VERDICT}
    assert len({(row.run, row.kind, row.quantity) for row in rows}) > 0.9 * len(rows)
    assert all(row.measured > 0 for row in rows if row.kind != VERDICT)
    assert sum("| all | " in line for line in tables.lines(rows)) == 2
