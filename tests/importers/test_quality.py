"""What makes a run unusable, and how runs of one load are joined."""

from __future__ import annotations

import json
from array import array
from dataclasses import replace

import pytest

from sitegen.importers.latency import merged, of_requests
from sitegen.importers.measured import LatencyMs, ToolRun, UnusableError
from sitegen.importers.quality import doubts, refusals
from tests.importers.reading import FILES, only, plain, runs, told

GOOD = ToolRun(
    1, concurrency=4, completed=95, failed=5, duration_s=30.0, aggregate_tokens_per_s=300.0,
    generated_tokens=100, latencies={"ttft": LatencyMs(50.0, 45.0, 80.0, 120.0)},
)  # fmt: skip


def test_one_request_in_twenty_may_fail_and_no_more() -> None:
    assert list(refusals(GOOD)) == []
    assert list(refusals(replace(GOOD, completed=94, failed=6))) == [
        "6.0% of the requests failed (at most 5% may)"
    ]


def test_failures_without_a_count_of_answers_say_nothing() -> None:
    assert list(refusals(replace(GOOD, completed=None, failed=6))) == []


def test_a_run_without_an_answer_is_refused() -> None:
    assert list(refusals(replace(GOOD, completed=0, failed=0))) == [
        ("the server answered no request")
    ]
    saved = {**plain("vllm/saved.json"), "completed": 0, "failed": 320, "latencies": []}
    assert "the server answered no request" in list(
        refusals(told(json.dumps(saved).encode())[1][0])
    )


@pytest.mark.parametrize(
    "latency",
    [LatencyMs(p50_ms=50.0, p95_ms=40.0), LatencyMs(p50_ms=50.0, p99_ms=49.9),
     LatencyMs(p95_ms=90.0, p99_ms=80.0)],
)  # fmt: skip
def test_percentiles_that_fall_are_refused(latency: LatencyMs) -> None:
    (reason,) = refusals(replace(GOOD, latencies={"e2e": latency}))
    assert reason == "a higher percentile of e2e is shorter than a lower one"


def test_equal_percentiles_are_none_that_fall() -> None:
    flat = LatencyMs(10.0, 10.0, 10.0, 10.0)
    assert list(refusals(replace(GOOD, latencies={"e2e": flat}))) == []


def test_a_cancelled_run_is_refused() -> None:
    whole = {**plain("aiperf/profile_export_aiperf.json"), "was_cancelled": True}
    assert list(refusals(told(json.dumps(whole).encode())[1][0])) == ["the run was cancelled"]
    assert list(refusals(only("aiperf/profile_export_aiperf.json"))) == []


@pytest.mark.parametrize("log", ["summary", "detail"])
def test_a_result_that_loadgen_calls_invalid_is_refused(log: str) -> None:
    content = (FILES / f"mlperf/mlperf_log_{log}.txt").read_bytes()
    broken = content.replace(b"Result is : VALID", b"Result is : INVALID")
    broken = broken.replace(b'"value": "VALID"', b'"value": "INVALID"')
    assert broken != content
    assert list(refusals(told(broken)[1][0])) == ["LoadGen calls the result invalid"]
    assert list(refusals(told(content)[1][0])) == []


@pytest.mark.parametrize(
    "figure", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b'"fast"', b"-4.5"]
)
def test_a_figure_that_is_none_is_refused(figure: bytes) -> None:
    saved = plain("vllm/saved.json")
    throughput = json.dumps(saved["output_throughput"]).encode()
    content = (FILES / "vllm/saved.json").read_bytes()
    broken = content.replace(
        b'"output_throughput": ' + throughput, b'"output_throughput": ' + figure
    )
    assert broken != content
    with pytest.raises(UnusableError):
        told(broken)


def test_a_short_run_is_doubted_and_not_refused() -> None:
    short = replace(GOOD, duration_s=9.9)
    assert list(refusals(short)) == []
    assert list(doubts(short)) == ["it lasted 9.9 s: runs under 10 s are too short"]
    assert list(doubts(replace(GOOD, duration_s=10.0))) == []


def test_a_mixed_test_of_llama_bench_is_of_neither_rate() -> None:
    (reason,) = refusals(only("llama-bench/mixed.json"))
    assert "neither" in reason


def test_a_run_without_a_speed_is_refused() -> None:
    assert list(refusals(replace(GOOD, aggregate_tokens_per_s=None))) == ["it states no speed"]


def test_every_sample_can_be_used_but_the_mixed_one() -> None:
    for path in sorted(FILES.rglob("*.*")):
        if path.name not in {"README.md", "mixed.json"}:
            for run in told(path.read_bytes())[1]:
                assert list(refusals(run)) == [], path


def sampled(times: list[float], seconds: float) -> ToolRun:
    column = array("d", times)
    return replace(
        GOOD, completed=len(times), failed=0, duration_s=seconds,
        aggregate_tokens_per_s=100 * len(times) / seconds,
        latencies={"e2e": of_requests(column)}, decode_tokens_per_s=50.0,
    )  # fmt: skip


def test_a_merge_is_of_the_requests_and_not_of_the_percentiles() -> None:
    fast, slow = sampled([10.0] * 100, 10.0), sampled([90.0] * 50, 20.0)
    (one,) = merged([fast, slow])
    assert one.latencies["e2e"].percentiles == (10.0, 90.0, 90.0)
    averaged = (10.0 + 90.0) / 2
    assert one.latencies["e2e"].p50_ms != averaged
    assert (one.completed, one.duration_s) == (150, 30.0)
    assert one.aggregate_tokens_per_s == pytest.approx(100 * 150 / 30)
    assert one.percentiles_from == "requests"


def test_runs_without_their_requests_are_not_merged() -> None:
    with pytest.raises(UnusableError, match="percentiles of ttft cannot be averaged"):
        merged([GOOD, replace(GOOD, line=2)])


def test_runs_of_different_loads_stay_apart() -> None:
    other = replace(GOOD, concurrency=8)
    assert merged([GOOD, other]) == (GOOD, other)
    assert len(merged(runs("vllm/appended.jsonl"))) == 4


def test_the_rate_of_merged_runs_is_of_the_latency_that_each_rate_is_of() -> None:
    one = replace(
        sampled([10.0] * 10, 10.0), decode_from="mean ITL", decode_tokens_per_s=50.0,
        latencies={name: of_requests(array("d", [ms] * 10))
                   for name, ms in (("tpot", 40.0), ("itl", 20.0))},
    )  # fmt: skip
    (found,) = merged([one, one])
    assert found.decode_tokens_per_s == pytest.approx(50.0)  # not 25: TPOT counts the first token
    (other,) = merged([replace(one, decode_from="mean TPOT")] * 2)
    assert other.decode_tokens_per_s == pytest.approx(25.0)
