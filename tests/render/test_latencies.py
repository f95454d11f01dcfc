"""A model page with imported runs: drawn throughput, percentiles by load, caveat, bars."""

from __future__ import annotations

import json
from functools import cache

import pytest

from sitegen.site.drawings.latencies import WARM
from tests.render.built import files, pages, tree, words


@cache
def path() -> str:
    """The page of the model that somebody measured under load."""
    found = [
        one
        for one in pages()
        if one.startswith("models/")
        and any(e.get("id") == "latency-1-table" for e in tree(one).iter("table"))
    ]
    assert len(found) == 1
    return found[0]


def test_throughput_over_the_streams_is_drawn_above_its_latencies() -> None:
    ids = [element.get("id") for element in tree(path()).iter() if element.get("id")]
    order = [ids.index(id) for id in ("concurrency-1-title", "concurrency-1-table", "latency-1")]
    assert order == sorted(order)


def test_percentiles_stand_in_columns_under_the_workload_and_the_caveat() -> None:
    root = tree(path())
    table = next(e for e in root.iter("table") if e.get("id") == "latency-1-table")
    heads = [words(cell).split()[0] for cell in table.findall("thead/tr/*")]
    assert heads == ["Load", "Latency", "Mean", "p50", "p95", "p99", "Slowest"]
    rows = [[words(cell) for cell in row] for row in table.findall("tbody/tr")]
    assert rows[1][:2] == ["2 users", "each further token"]
    assert rows[1][4] == "not reported"
    text = words(root)
    assert WARM in text
    assert "--metric-percentiles 50,95,99" in text
    assert "random prompts" in text


def test_bars_are_drawn_for_every_bucket_that_has_requests() -> None:
    root = tree(path())
    for at, (low, high) in enumerate(((30, 10), (120, 40), (480, 160)), 1):
        svg = next(
            e
            for e in root.iter()
            if str(e.get("aria-labelledby")).startswith(f"latency-1-histogram-{at}-")
        )
        heights = [
            float(str(rect.get("height"))) for rect in svg.iter() if str(rect.tag).endswith("rect")
        ]
        assert len(heights) == 2
        assert heights[0] / heights[1] == pytest.approx(low / high, rel=0.02)
        names = [e.text for e in svg.iter() if e.get("class") == "named"]
        assert names == ["p50", "p95", "p99"]


def test_the_twin_carries_latencies_in_seconds() -> None:
    twin = json.loads(files()[path().replace("index.html", "index.json")])
    runs = [run for run in twin["result"]["measured_speeds"] if run["latencies"]]
    assert len(runs) == 3
    assert runs[0]["latencies"]["tpot"] == {
        "mean_s": 0.02, "p50_s": 0.019, "p95_s": None, "p99_s": 0.04,
    }  # fmt: skip
