"""Units, percentiles of requests, buckets: against arithmetic that a reader can do."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.importers.figures import MILLISECONDS, STEPS, histogram, milliseconds, percentile
from sitegen.importers.latency import of_requests

TIMES = st.floats(1e-6, 1e7)
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@given(TIMES, st.sampled_from(sorted(SECONDS)), st.sampled_from(sorted(SECONDS)))
def test_a_time_is_the_same_in_every_unit_and_back(seconds: float, one: str, other: str) -> None:
    there = milliseconds(seconds / SECONDS[one], one)
    back = milliseconds(seconds / SECONDS[other], other)
    assert math.isclose(there, back, rel_tol=1e-12)
    assert math.isclose(there / 1000, seconds, rel_tol=1e-12)


@given(st.integers(0, 2**50))
def test_nanoseconds_lose_nothing_on_the_way(nanoseconds: int) -> None:
    assert round(milliseconds(nanoseconds, "ns") * 1e6) == nanoseconds


def test_every_spelling_of_a_unit_is_one_of_four() -> None:
    assert set(MILLISECONDS.values()) == {1e-6, 1e-3, 1.0, 1e3}


@given(st.lists(TIMES, min_size=2, max_size=200))
def test_percentiles_are_those_of_the_standard_library(times: list[float]) -> None:
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    rising = sorted(times)
    for share in (50, 95, 99):
        assert percentile(rising, share / 100) == pytest.approx(cuts[share - 1], rel=1e-9)


@given(st.lists(TIMES, min_size=1, max_size=200))
def test_every_request_is_in_the_bucket_whose_ends_are_around_it(times: list[float]) -> None:
    edges, counts = histogram(times)
    assert sum(counts) == len(times)
    assert len(edges) == len(counts) + 1
    assert list(edges) == sorted(set(edges))
    for at, count in enumerate(counts):
        low, high = edges[at], edges[at + 1]
        inside = [t for t in times if low * (1 + 1e-9) <= t < high * (1 - 1e-9)]
        near = [t for t in times if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]
        first = at == 0 and edges[0] <= 0.001
        assert len(inside) <= count <= len(near) or first


@given(st.lists(TIMES, min_size=1), st.lists(TIMES, min_size=1))
def test_the_buckets_of_two_runs_can_be_laid_over_each_other(
    one: list[float], other: list[float]
) -> None:
    first, second = histogram(one)[0], histogram(other)[0]
    for edges in (first, second):
        for edge in edges:
            mantissa = edge / 10 ** math.floor(math.log10(edge) + 1e-9)
            assert any(math.isclose(mantissa, step, rel_tol=1e-9) for step in STEPS)


def test_few_requests_carry_no_high_percentile() -> None:
    from array import array

    assert of_requests(array("d", range(1, 20))).percentiles == (10.0, None, None)
    p50, p95, p99 = of_requests(array("d", range(1, 21))).percentiles
    assert (p50, p95, p99) == (10.5, 19.05, None)
    p50, p95, p99 = of_requests(array("d", range(1, 101))).percentiles
    assert [p50, p95, p99] == pytest.approx([50.5, 95.05, 99.01])
