"""Each tool's file in its own shape: what is told by content, and what each figure becomes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sitegen.importers import FORMATS, chosen
from sitegen.importers.llama_bench import IN_RAM
from sitegen.importers.measured import METRICS, LatencyMs, NamedHardware, ToolRun, UnusableError
from tests.importers.reading import FILES, only, plain, runs, told, values

TOLD = {
    "vllm/saved.json": "vllm",
    "vllm/appended.jsonl": "vllm",
    "vllm/detailed.json": "vllm",
    "vllm/before-failures-were-counted.json": "vllm",
    "vllm/printed.txt": "vllm",
    "llama-bench/bench.json": "llama-bench",
    "llama-bench/bench.jsonl": "llama-bench",
    "llama-bench/bench.csv": "llama-bench",
    "llama-bench/bench.sql": "llama-bench",
    "llama-bench/bench.md": "llama-bench",
    "llama-bench/mixed.json": "llama-bench",
    "guidellm/report.json": "guidellm",
    "guidellm/report.yaml": "guidellm",
    "aiperf/profile_export_aiperf.json": "aiperf",
    "aiperf/profile_export.jsonl": "aiperf-records",
    "genai-perf/profile_export_genai_perf.json": "aiperf",
    "inferencex/agg_bmk.json": "inferencex",
    "inferencex/in-seconds.json": "inferencex",
    "localscore/posted.json": "localscore",
    "mlperf/mlperf_log_summary.txt": "mlperf",
    "mlperf/mlperf_log_detail.txt": "mlperf",
}


def test_every_sample_is_listed() -> None:
    there = {path.relative_to(FILES).as_posix() for path in FILES.rglob("*") if path.is_file()}
    assert there - {"README.md"} == set(TOLD)
    assert set(TOLD.values()) == {one.id for one in FORMATS}


@pytest.mark.parametrize("name", TOLD)
def test_a_format_is_told_by_its_content(name: str) -> None:
    assert told((FILES / name).read_bytes())[0].id == TOLD[name]


@pytest.mark.parametrize("name", TOLD)
def test_a_file_is_refused_under_another_tools_name_with_the_formats_tried(name: str) -> None:
    other = "mlperf" if TOLD[name] == "llama-bench" else "llama-bench"
    with pytest.raises(UnusableError, match=f"in the format {TOLD[name]}, not {other}") as found:
        told((FILES / name).read_bytes(), other)
    assert all(one.id in found.value.hint for one in FORMATS)


@pytest.mark.parametrize("content", [b'{"a": 1}', b"[{}]", b'{"output_throughput": 5}'])
def test_what_is_of_no_format_is_refused_with_the_formats_tried(content: bytes) -> None:
    with pytest.raises(UnusableError, match="not a known format") as found:
        told(content)
    assert "`sitegen new model ID --from config.json`" in found.value.hint
    assert all(one.id in found.value.hint for one in FORMATS)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x00\x01", b"name: x\n", b"%PDF-1.7"])
def test_what_has_no_known_shape_is_refused_with_the_shapes(content: bytes) -> None:
    with pytest.raises(UnusableError, match="none of the formats") as found:
        told(content)
    assert "JSONL" in found.value.hint
    assert "`sitegen compare LOG --contribute`" in found.value.hint


def test_vllm_reports_the_latencies_it_was_asked_for_and_no_other() -> None:
    found, whole = only("vllm/saved.json"), plain("vllm/saved.json")
    assert set(found.latencies) == {"ttft", "tpot", "itl", "e2e"}
    ttft = found.latencies["ttft"]
    assert ttft.percentiles == (whole["median_ttft_ms"], None, whole["p99_ttft_ms"])
    assert ttft.mean_ms == whole["mean_ttft_ms"]
    assert (found.concurrency, found.request_rate_per_s) == (8, None)
    assert (found.completed, found.failed, found.date) == (320, 0, "2026-08-20")
    assert (found.prompt_tokens, found.generated_tokens) == (1024, 128)
    assert found.decode_tokens_per_s == 1000 / whole["mean_tpot_ms"]
    assert found.aggregate_tokens_per_s == whole["output_throughput"]


def test_vllm_appends_a_run_a_line_and_each_knows_its_line() -> None:
    found = runs("vllm/appended.jsonl")
    assert [(run.line, run.concurrency, run.sequences) for run in found] == [
        (1, 1, 1), (2, 2, 2), (3, 4, 4), (4, 8, 8),
    ]  # fmt: skip
    for run in found:
        assert list(run.latencies) == list(METRICS)
        assert all(None not in one.percentiles for one in run.latencies.values())


def test_requests_that_a_former_vllm_did_not_count_are_those_without_an_answer() -> None:
    found = only("vllm/before-failures-were-counted.json")
    assert "failed" not in plain("vllm/before-failures-were-counted.json")
    assert (found.completed, found.failed) == (160, 1)


def test_what_vllm_prints_has_the_same_figures_as_what_it_saves() -> None:
    found = only("vllm/printed.txt")
    assert (found.line, found.model) == (5, "meta-llama/Llama-3.1-8B-Instruct")
    assert found.latencies["ttft"] == LatencyMs(61.2, 58.4, None, 131.9)
    assert (found.completed, found.failed, found.request_rate_per_s) == (118, 2, 2.0)
    assert (found.dataset, found.seed) == ("sharegpt", 0)
    assert found.prompt_tokens == 200
    # 118 requests in 62.5 s, each 61.2 + 219 * 15.3 ms: 1.888 * 3.4119 = 6.44 in flight
    assert found.sequences == 6


def test_samples_with_a_failure_among_them_are_not_used() -> None:
    saved = plain("vllm/detailed.json")
    assert runs("vllm/detailed.json")[0].latencies["ttft"].samples_ms is not None
    (failed,) = told(json.dumps({**saved, "failed": 1}).encode())[1]
    assert all(one.samples_ms is None for one in failed.latencies.values())


@pytest.mark.parametrize("kind", ["jsonl", "csv", "sql"])
def test_llama_bench_says_the_same_through_each_printer(kind: str) -> None:
    def without_lines(found: list[ToolRun]) -> list[ToolRun]:
        return [replace(run, line=0) for run in found]

    expected = without_lines(runs("llama-bench/bench.json"))
    for run, same in zip(without_lines(runs(f"llama-bench/bench.{kind}")), expected, strict=True):
        assert run == same


def test_llama_bench_reads_and_writes_in_one_run_by_depth() -> None:
    shallow, deep = runs("llama-bench/bench.json")
    for run, depth, reading, writing in (
        (shallow, 0, 4021.5, 118.25), (deep, 4096, 3310.75, 101.5),
    ):  # fmt: skip
        assert (run.depth_tokens, run.prompt_tokens, run.generated_tokens) == (depth, 512, 128)
        assert (run.prefill_tokens_per_s, run.decode_tokens_per_s) == (reading, writing)
        assert (run.sequences, run.timed, run.latencies) == (1, "steady", {})
        assert run.hardware == (NamedHardware("NVIDIA GeForce RTX 3090", 2),)
        assert (run.runtime_version, run.date) == ("8190", "2026-03-12")
        assert run.build == "llama.cpp b8190 (8cf427ff), CUDA"


def test_a_table_of_llama_bench_names_no_gpu_and_no_day() -> None:
    shallow, deep = runs("llama-bench/bench.md")
    assert (shallow.prefill_tokens_per_s, shallow.decode_tokens_per_s) == (4021.5, 118.25)
    assert (deep.depth_tokens, deep.decode_tokens_per_s) == (4096, 101.5)
    assert (deep.hardware, deep.date, deep.runtime_version) == ((), "", "8190")


def test_repetitions_are_no_requests() -> None:
    assert len(plain("llama-bench/bench.json")[0]["samples_ts"]) == 5
    assert all(not run.latencies for run in runs("llama-bench/bench.json"))


def test_guidellm_gives_a_run_for_each_strategy_with_its_load() -> None:
    found = runs("guidellm/report.json")
    assert [(run.concurrency, run.request_rate_per_s) for run in found] == [
        (1, None), (4, None), (None, 3.5),
    ]  # fmt: skip
    assert [run.sequences for run in found] == [1, 4, 6]
    assert [(run.completed, run.failed) for run in found] == [(40, 0), (60, 1), (60, 2)]
    assert {run.tool_version for run in found} == {"0.5.1"}
    assert {run.dataset for run in found} == {"synthetic_text"}


def test_guidellm_gives_whole_requests_in_seconds_and_the_rest_in_milliseconds() -> None:
    run, whole = runs("guidellm/report.json")[0], plain("guidellm/report.json")["benchmarks"][0]
    seconds = whole["metrics"]["request_latency"]["successful"]
    first = whole["metrics"]["time_to_first_token_ms"]["successful"]
    assert run.latencies["e2e"].p95_ms == pytest.approx(1000 * seconds["percentiles"]["p95"])
    assert run.latencies["ttft"].p95_ms == first["percentiles"]["p95"]
    assert run.latencies["ttft"].p50_ms == first["percentiles"]["p50"]


def test_a_report_in_yaml_says_what_it_says_in_json() -> None:
    for one, other in zip(runs("guidellm/report.yaml"), runs("guidellm/report.json"), strict=True):
        assert replace(one, line=0) == replace(other, line=0)


def test_aiperf_brings_the_unit_of_each_figure() -> None:
    whole = plain("aiperf/profile_export_aiperf.json")
    found = only("aiperf/profile_export_aiperf.json")
    in_seconds = json.loads(json.dumps(whole))
    for key in ("request_latency", "time_to_first_token", "inter_token_latency"):
        for name, value in whole[key].items():
            if isinstance(value, int | float):
                in_seconds[key][name] = value / 1000
        in_seconds[key]["unit"] = "s"
    (same,) = told(json.dumps(in_seconds).encode())[1]
    for name in found.latencies:
        assert same.latencies[name].percentiles == pytest.approx(found.latencies[name].percentiles)
    assert found.duration_s == 57.14
    assert (found.completed, found.failed, found.concurrency) == (240, 3, 8)
    assert found.hardware == (NamedHardware("NVIDIA GeForce RTX 4090", 2),)


def test_a_unit_that_is_none_of_time_is_refused() -> None:
    whole = plain("aiperf/profile_export_aiperf.json")
    whole["request_latency"]["unit"] = "parsecs"
    with pytest.raises(UnusableError, match="'parsecs' is no unit of time"):
        told(json.dumps(whole).encode())


def test_genai_perf_is_read_as_the_summary_that_aiperf_mimics() -> None:
    found = only("genai-perf/profile_export_genai_perf.json")
    assert (found.concurrency, found.completed, found.failed) == (8, 240, 0)
    assert found.model == "meta-llama/Llama-3.1-8B-Instruct"
    assert found.doubts == ()


def test_requests_of_aiperf_fold_into_one_run() -> None:
    found = only("aiperf/profile_export.jsonl")
    lines = (FILES / "aiperf/profile_export.jsonl").read_text("utf-8").splitlines()
    kept = [
        record
        for record in map(json.loads, lines)
        if record["metadata"]["benchmark_phase"] == "profiling" and not record["error"]
    ]
    times = sorted(record["metrics"]["request_latency"]["value"] for record in kept)
    assert (found.completed, found.failed) == (len(kept), 2) == (118, 2)
    assert found.latencies["e2e"].mean_ms == pytest.approx(sum(times) / len(times))
    assert found.latencies["e2e"].p50_ms == pytest.approx((times[58] + times[59]) / 2)
    assert found.percentiles_from == "requests"


def test_inferencex_rows_are_in_seconds_per_gpu_and_their_reciprocals_are_passed_over() -> None:
    rows, found = plain("inferencex/agg_bmk.json"), runs("inferencex/agg_bmk.json")
    for row, run in zip(rows, found, strict=True):
        assert run.aggregate_tokens_per_s == 2 * row["output_tput_per_gpu"]
        assert run.latencies["ttft"].p99_ms == pytest.approx(1000 * row["p99_ttft"])
        assert run.latencies["tpot"].p99_ms == pytest.approx(1000 / row["p99_intvty"])
        assert run.decode_tokens_per_s == pytest.approx(1 / row["mean_tpot"])
        assert (run.tensor, run.runtime_version, run.concurrency) == (2, "0.11.2", row["conc"])
        assert run.hardware == (NamedHardware("rtx4090", 2),)


def test_localscore_has_means_and_no_percentiles() -> None:
    for run, row in zip(
        runs("localscore/posted.json"), plain("localscore/posted.json")["results"], strict=True
    ):
        assert run.latencies == {"ttft": LatencyMs(mean_ms=row["ttft_ms"])}
        assert (run.decode_tokens_per_s, run.prefill_tokens_per_s) == (
            row["gen_tps"], row["prompt_tps"],
        )  # fmt: skip


@pytest.mark.parametrize("log", ["summary", "detail"])
def test_both_logs_of_mlperf_have_the_same_figures_in_nanoseconds(log: str) -> None:
    found = only(f"mlperf/mlperf_log_{log}.txt")
    assert found.latencies["ttft"] == LatencyMs(160.25, 150.5, 300.75, 460.125)
    assert found.latencies["tpot"] == LatencyMs(17.25, 16.5, 22.75, 27.875)
    assert found.latencies["e2e"] == LatencyMs(5410.0, 5250.0, 11750.0, 14250.0)
    assert (found.aggregate_tokens_per_s, found.request_rate_per_s) == (1240.5, 4.3)
    assert found.sequences == 23  # 4.21 answers a second, 5.41 s each: 22.8
    assert found.generated_tokens == 295  # 1240.5 / 4.21


def test_a_mean_is_never_taken_for_a_median() -> None:
    saved = plain("vllm/saved.json")
    for key in list(saved):
        if key.startswith(("median_", "p99_", "std_")) or key == "latencies":
            del saved[key]
    (found,) = told(json.dumps(saved).encode())[1]
    for name in ("ttft", "tpot", "itl"):
        assert found.latencies[name].mean_ms is not None
        assert found.latencies[name].percentiles == (None, None, None)


@pytest.mark.parametrize(("key", "version"), [("version", 3), ("version", 1), ("version", "2")])
def test_a_guidellm_report_of_another_version_is_doubted(key: str, version: object) -> None:
    whole = plain("guidellm/report.json")
    whole["metadata"][key] = version
    assert all("version" in run.doubts[0] for run in told(json.dumps(whole).encode())[1])
    assert all(not run.doubts for run in runs("guidellm/report.json"))


@pytest.mark.parametrize("version", ["2.0", "0.9", None])
def test_an_aiperf_summary_of_another_schema_is_doubted(version: str | None) -> None:
    whole = plain("aiperf/profile_export_aiperf.json")
    whole["schema_version"] = version
    (found,) = told(json.dumps(whole).encode())[1]
    assert "schema version" in found.doubts[0]
    assert only("aiperf/profile_export_aiperf.json").doubts == ()


def test_files_with_other_keys_of_the_same_names_are_not_taken_for_a_run() -> None:
    with pytest.raises(UnusableError):
        chosen({"results": [], "benchmarks": {}}, "")


@pytest.mark.parametrize(
    "broken",
    [b'{"completed": 1,', b'{"completed": NaN, "output_throughput": 1}', b'{"a": 1}}', b"[1, 2",
     b'{"output_throughput": 123456789012345678901234567890}', b'{"a": "\xff"}'],
)  # fmt: skip
def test_broken_json_is_refused_in_a_sentence(broken: bytes) -> None:
    with pytest.raises(UnusableError) as found:
        list(values(broken))
    assert 0 < len(str(found.value)) < 120
    assert "\n" not in str(found.value)


def test_the_line_of_a_break_is_that_of_the_file() -> None:
    good = (FILES / "vllm/appended.jsonl").read_bytes()
    with pytest.raises(UnusableError) as found:
        list(values(good + b'{"completed": \n'))
    assert found.value.line == 6  # the four lines of the file, the fifth, and then nothing


@pytest.mark.parametrize("name", ["guidellm/report.json", "localscore/posted.json"])
def test_a_second_value_of_another_shape_is_refused_at_its_line(name: str) -> None:
    first = json.dumps(plain(name)).encode()
    with pytest.raises(UnusableError, match="not of the format") as found:
        told(first + b'\n{"completed": 1}\n')
    assert found.value.line == 2


def test_a_request_that_took_less_than_no_time_is_refused() -> None:
    lines = (FILES / "aiperf/profile_export.jsonl").read_text("utf-8").splitlines()
    at, first = next(
        (at, record)
        for at, record in enumerate(map(json.loads, lines), 1)
        if record["metadata"]["benchmark_phase"] == "profiling" and not record["error"]
    )
    first["metrics"]["request_latency"]["value"] = -1.0
    lines[at - 1] = json.dumps(first)
    with pytest.raises(UnusableError, match="negative") as found:
        told("\n".join(lines).encode())
    assert found.value.line == at


def test_requests_whose_clock_ran_backwards_have_no_length() -> None:
    lines = (FILES / "aiperf/profile_export.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    for record in records:
        record["metadata"]["request_end_ns"] = 1
    (found,) = told("\n".join(map(json.dumps, records)).encode())[1]
    assert (found.duration_s, found.aggregate_tokens_per_s) == (None, None)


@pytest.mark.parametrize("stated", [True, "1"])
def test_a_cache_in_system_ram_is_another_plan(stated: object) -> None:
    rows = plain("llama-bench/bench.json")
    for row in rows[2:]:
        row["no_kv_offload"] = stated
    found = told(json.dumps(rows).encode())[1]
    assert found[0].refused == ()
    assert all("system RAM" in run.refused[0] for run in found[1:])
    assert len(found) == 3  # what is refused is not put together


def test_experts_in_system_ram_and_the_size_of_a_step_are_read() -> None:
    rows = plain("llama-bench/bench.json")
    for row in rows:
        row |= {"n_cpu_moe": 24, "n_ubatch": 2_048}
    for run in told(json.dumps(rows).encode())[1]:
        assert (run.cpu_expert_layers, run.micro_batch_tokens, run.refused) == (24, 2_048, ())
        assert run.mapped
    assert all(run.micro_batch_tokens is None for run in runs("llama-bench/bench.json"))


def test_tensors_placed_by_hand_are_another_plan() -> None:
    rows = plain("llama-bench/bench.json")
    for row in rows:
        row["tensor_buft_overrides"] = "ffn_up_exps=CPU"
    assert all("--n-cpu-moe" in run.refused[0] for run in told(json.dumps(rows).encode())[1])


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("n_cpu_moe", "24", (24, None, ())),
        ("n_ubatch", "1024", (0, 1_024, ())),
        ("nkvo", "1", (0, None, (IN_RAM,))),
    ],
)
def test_a_table_has_columns_for_what_varied(
    column: str, value: str, expected: tuple[int, int | None, tuple[str, ...]]
) -> None:
    text = (FILES / "llama-bench/bench.md").read_text("utf-8")
    lines = [
        f"{line} {column if 'model' in line else '---' if '---' in line else value} |"
        if line.startswith("|")
        else line
        for line in text.splitlines()
    ]
    for run in told("\n".join(lines).encode())[1]:
        assert (run.cpu_expert_layers, run.micro_batch_tokens, run.refused) == expected


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("vllm/printed.txt", "15.3", "1.2.3"),
        ("llama-bench/bench.md", "118.25", "1.2.3"),
        ("llama-bench/bench.csv", "118.25", "1.2.3"),
        ("llama-bench/bench.csv", "NVIDIA", 'N"\rVIDIA'),
    ],
)
def test_what_looks_like_a_number_and_is_none_is_said_with_its_line(
    name: str, good: str, bad: str
) -> None:
    content = (FILES / name).read_text("utf-8")
    assert good in content
    with pytest.raises(UnusableError, match=r"no number|cannot be read") as found:
        told(content.replace(good, bad).encode())
    assert found.value.line > 1


def test_an_option_with_digits_of_another_script_is_passed_over() -> None:
    content = (FILES / "vllm/printed.txt").read_text("utf-8")
    assert "seed=0" in content
    (found,) = told(content.replace("seed=0", "seed=²").encode())[1]
    assert found.seed is None


@pytest.mark.parametrize(
    ("name", "key"),
    [("llama-bench/bench.json", "test_time"), ("aiperf/profile_export_aiperf.json", "start_time")],
)
@pytest.mark.parametrize(("said", "day"), [("2026-13-45T10:00", ""), ("yesterday, ", ""),
                                           ("2026-05-02 10:00", "2026-05-02")])  # fmt: skip
def test_a_day_that_is_none_is_not_taken_over(name: str, key: str, said: str, day: str) -> None:
    whole = plain(name)
    for one in whole if isinstance(whole, list) else [whole]:
        one[key] = said
    assert {run.date for run in told(json.dumps(whole).encode())[1]} == {day}


def test_percentiles_of_an_inferencex_file_are_its_own_where_it_holds_samples() -> None:
    whole = plain("inferencex/in-seconds.json")
    (found,) = told(json.dumps({**whole, "ttfts": [0.05] * whole["completed"]}).encode())[1]
    assert found.percentiles_from == "tool"


@pytest.mark.parametrize("figure", [1e308, -1e308, 1e-308, 2**62 * 10.0**6])
def test_a_figure_beyond_all_measure_is_refused(figure: float) -> None:
    for name, key in (
        ("vllm/saved.json", "output_throughput"), ("vllm/saved.json", "mean_tpot_ms"),
        ("inferencex/agg_bmk.json", "tp"), ("guidellm/report.json", "duration"),
    ):  # fmt: skip
        text = (FILES / name).read_text("utf-8")
        start = text.index(":", text.index(f'"{key}":')) + 1
        end = min(at for at in (text.find(",", start), text.find("}", start)) if at > 0)
        with pytest.raises(UnusableError, match=f"{key} is out of range"):
            told((text[:start] + repr(figure) + text[end:]).encode())
