"""Old data says that it is old: on its page, and in one list; the date is that of the data."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sitegen.pipeline.pages import render
from sitegen.site.collect import collect_pages
from sitegen.site.dates import STALE_DAYS, age_days, is_stale, newest
from sitegen.site.freshness import data_date, stale_records
from tests.render.built import parse, project, words
from tests.site import fabricated

BADGE = "Last reviewed on 2026-11-20"


def made(data_date_of_site: str) -> dict[str, bytes]:
    """The invented site, whose sources were read on 2026-11-20, at another date of the data."""
    settings = replace(fabricated.SETTINGS, data_date=data_date_of_site)
    site = collect_pages(replace(fabricated.inputs(), settings=settings))
    return render(site, project().templates, project().assets)


@pytest.mark.parametrize(
    ("date", "stale"), [("2026-11-20", False), ("2027-05-19", False), ("2027-05-20", True)]
)
def test_a_page_is_marked_from_the_day_after_the_last(date: str, stale: bool) -> None:
    assert age_days("2026-11-20", "2027-05-19") == STALE_DAYS
    files = made(date)
    for path in ("gpus/rtx-4090", "combos/four-by-two", "models/small-8b", "runtimes/vllm"):
        assert (BADGE in words(parse(files[f"{path}/index.html"]))) is stale
    assert BADGE not in words(parse(files["framework/index.html"]))


def test_the_status_page_lists_exactly_the_records_that_are_marked() -> None:
    result = json.loads(made("2027-05-20")["status/index.json"])["result"]
    listed = {(one["kind"], one["id"]) for one in result["stale"]}
    catalog = fabricated.CATALOG
    assert {id_ for kind, id_ in listed if kind == "gpu"} == set(catalog.gpus)
    assert {id_ for kind, id_ in listed if kind == "model"} == set(catalog.models)
    assert {one["days"] for one in result["stale"]} >= {181}
    heading = f"Records waiting for a review ({len(result['stale'])})"
    assert heading in words(parse(made("2027-05-20")["status/index.html"]))
    assert json.loads(made("2026-11-20")["status/index.json"])["result"]["stale"] == []


def test_one_source_read_again_makes_a_record_fresh() -> None:
    (old,) = fabricated.SOURCES
    again = replace(fabricated.RTX_4090, sources=(old, replace(old, read="2027-05-20")))
    catalog = replace(fabricated.CATALOG, gpus={again.id: again})
    assert data_date(catalog) == "2027-05-20"
    listed = {(one.kind, one.id) for one in stale_records(catalog, data_date(catalog))}
    assert ("gpu", "rtx-4090") not in listed
    assert ("model", "small-8b") in listed


def test_a_date_without_a_day_counts_from_its_first_and_one_that_is_none_says_nothing() -> None:
    assert is_stale("2026-05", "2026-11-20")
    assert not is_stale("2026-06", "2026-11-20")
    assert not is_stale("", "2026-11-20")
    assert newest(["2026-11", "2026-11-02", "2025"]) == "2026-11-02"


def test_the_status_page_counts_what_there_is() -> None:
    result = json.loads(made("2026-11-20")["status/index.json"])["result"]
    rows = [row for survey in fabricated.SURVEY.combos.values() for row in survey.rows]
    assert sum(result["verdicts"].values()) == len(rows) == 12
    assert result["too_close"] == sum(row.verdict.too_close for row in rows)
    assert result["records"]["GPUs"] == 3
    assert result["quarantined"] == len(fabricated.RECORDS.quarantined)
