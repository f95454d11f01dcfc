"""Public logs, copied by hand, as records: what is mapped, what is left out, and why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.convert_measurements import can_check, main
from benchmarks.measurements.loaded import Loaded
from benchmarks.measurements.parts import Entry, Gaps, Unusable, short
from benchmarks.measurements.published import NOT_GGUF, file_of
from benchmarks.measurements.served import Served
from benchmarks.measurements.sources import source_id, source_of
from benchmarks.measurements.world import World, read_world
from benchmarks.measurements.yaml_text import yaml_text
from tests.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]

SERVED: Mapping[str, Any] = dict.fromkeys(
    (
        "runtime_version", "quantization", "gpu", "gpu_mem_total_gib", "nodes", "tp", "pp", "dp",
        "ep", "max_model_len", "kv_cache_dtype", "gpu_memory_utilization", "max_num_seqs",
        "max_num_batched_tokens", "enforce_eager", "weights_gib_per_gpu", "non_torch_gib",
        "activation_peak_gib", "cudagraph_gib", "kv_available_gib_per_gpu", "kv_cache_tokens",
        "gpu_blocks", "block_size", "max_concurrency", "notes", "model", "gpus_total", "date",
        "source_url",
    )
)  # fmt: skip
H100 = {
    "id": "x", "runtime": "vllm", "runtime_version": "0.19.0", "gpu": "H100 80GB",
    "model": "meta-llama/Llama-3.1-8B-Instruct", "quantization": "bf16",
    "gpu_mem_total_gib": 79.19, "tp": 1, "pp": 1, "gpus_total": 1, "max_model_len": 8192,
    "gpu_memory_utilization": 0.95, "enforce_eager": False, "outcome": "ran", "quote": "a line",
    "source_url": "https://github.com/llm-d-incubation/llm-d-planner/blob/fbd6851/x.log",
    "usable": ["weights", "kv_tokens", "kv_bytes_per_token", "activation", "verdict"],
}  # fmt: skip
"""llm-d-planner accuracy logs, vLLM 0.19 on H100 (llm-d-incubation/llm-d-planner @fbd6851)."""

LOADED: Mapping[str, Any] = {
    **dict.fromkeys(
        (
            "runtime_version", "model", "model_file", "quant", "file_size_gib", "gpus", "n_ctx",
            "gpus_total", "n_seq", "kv_type_k", "kv_type_v", "flash_attn", "n_ubatch", "author",
            "layers_offloaded", "layers_total", "tensor_override", "split_mode", "kv_total_mib",
            "notes", "date", "quote", "group",
        )
    ),
    "nodes": 1, "model_buffer_mib": [], "kv_buffer_mib": [], "compute_buffer_mib": [],
    "outcome": "ran", "id": "A1", "runtime": "llama.cpp",
}  # fmt: skip

PUBLISHED: Mapping[str, Any] = {
    "id": "B1", "kind": "published_file", "format": "gguf", "size_unit": "GB", "bpw": None,
    "size_bytes": None, "notes": "Hugging Face file listing (rounded to 3 figures)",
    "source_url": "https://huggingface.co/someone/Model-GGUF",
}  # fmt: skip


@cache
def world() -> World:
    return read_world(ROOT)


def served(**said: Any) -> Entry:
    return Served(world(), {**SERVED, **H100, **said}, Gaps(), []).run()


def loaded(**said: Any) -> Entry:
    return Loaded(world(), {**LOADED, **said}, Gaps(), []).run()


def reason(call: Any, **said: Any) -> tuple[str, bool]:
    with pytest.raises(Unusable) as found:
        call(**said)
    return str(found.value), found.value.says_enough


def test_a_start_up_log_says_what_ran_on_what() -> None:
    run = served(
        id="planner-llama31-8b-tp1", weights_gib_per_gpu=14.99, activation_peak_gib=1.89,
        kv_available_gib_per_gpu=58.11, kv_cache_tokens=476_000, non_torch_gib=0.25,
    )  # fmt: skip
    assert run["subject"] == {
        "model": "llama-3.1-8b-instruct", "checkpoint": "bf16", "runtime": "vllm",
        "version": "0.19.0",
    }  # fmt: skip
    assert run["system"] == {"nodes": [{"gpus": [{"gpu": "h100-sxm"}]}], "visible_gib": 79.19}
    assert run["settings"] == {"memory_fraction": 0.95}
    assert run["usable_for"] == [
        "weights", "kv-per-token", "kv-tokens", "pool-tokens", "kv-pool", "activation",
        "non-torch", "verdict",
    ]  # fmt: skip
    assert "assumed" not in run


def test_what_the_first_engine_wrote_tells_its_version_and_the_profile_its_scheduler() -> None:
    run = served(
        runtime_version=None, gpu=None, gpu_mem_total_gib=22.06, max_model_len=4096,
        activation_peak_gib=1.4, quote="PyTorch activation peak memory takes 1.40GiB",
    )  # fmt: skip
    assert run["subject"]["version"] == "0.7"
    assert "max_num_batched_tokens" not in run.get("settings", {})
    assert run["system"]["nodes"] == [{"gpus": [{"gpu": "a10"}]}]
    assert run["assumed"] == ["gpu", "version"]


def test_blocks_are_sixteen_tokens_where_the_logged_concurrency_confirms_it() -> None:
    confirmed = served(gpu_blocks=2575, max_model_len=131_072, max_concurrency=0.31)
    assert confirmed["observed"]["kv_pool_tokens"] == 41_200
    other = served(gpu_blocks=2575, max_model_len=131_072, max_concurrency=2.4)
    assert "observed" not in other
    assert (
        other["unsaid"]["kv-tokens"]
        == "the record states no token count, or counts KV blocks without stating their size"
    )


def test_what_a_log_leaves_out_is_a_sentence_by_quantity() -> None:
    run = served(
        model="Qwen2.5-7B", quantization=None, runtime_version=None, gpu=None,
        gpu_mem_total_gib=None, weights_gib_per_gpu=5.2, activation_peak_gib=1.42, tp=None,
    )  # fmt: skip
    assert run["unsaid"]["weights"] == "neither quantization nor repository stated"
    assert run["unsaid"]["activation"] == "version not stated"
    spread = served(tp=None, gpus_total=None)
    assert spread["unsaid"]["kv-per-token"] == "tensor parallel size not stated"
    assert reason(served, model=None) == ("model not named", False)
    unknown = reason(served, model="nobody/Unheard-Of-7B")
    assert unknown == ("model not in the catalog: nobody/Unheard-Of-7B", True)


def test_a_fork_has_a_name_of_its_own() -> None:
    run = served(source_url="https://github.com/nlzy/vllm-gfx906/issues/10")
    assert run["program"] == "vLLM for gfx906"


def test_a_failure_that_only_the_notes_tell_is_a_failure() -> None:
    run = served(outcome="unknown", notes="DOES NOT FIT (out of memory; stage not stated); no")
    assert run["outcome"] == "failed"
    assert run["notes"] == "no"
    assert served(outcome="unknown")["outcome"] == "unknown"


def test_buffers_are_sorted_by_where_they_lie() -> None:
    run = loaded(
        runtime_version="b6110", model="DeepSeek R1", quant="Q4_K_M", n_ctx=4096, gpus_total=2,
        gpus=["RTX 4090", "RTX 4090"], flash_attn="on", n_seq=2, usable=["weights", "verdict"],
        model_buffer_mib=[{"device": "CPU_Mapped", "mib": 500.0}, {"device": "CUDA0", "mib": 9.5}],
    )  # fmt: skip
    assert run["subject"]["version"] == "6110"
    assert run["observed"] == {"model_gpu_mib": [9.5], "model_host_mib": [500.0]}
    assert run["settings"] == {"flash_attention": True}
    assert run["workload"] == {"context_tokens": 4096, "sequences": 2}
    assert run["system"]["nodes"] == [
        {"gpus": [{"gpu": "rtx-4090", "count": 2}], "link": "pcie-4-x16"}
    ]


def test_a_mix_of_its_maker_is_judged_by_its_size_and_never_compared_with_a_rule() -> None:
    said = {"model": "Qwen3.6-27B", "quant": "UD-Q4_K_XL", "usable": ["weights", "verdict"]}
    buffers = [{"device": "CUDA0", "mib": 16_000.0}]
    run = loaded(**said, file_size_gib=16.4, model_buffer_mib=buffers)
    assert run["assumed"] == ["file"]
    assert "custom mix of types" in run["unsaid"]["model-buffers"]
    assert "verdict" not in run.get("unsaid", {}) or run["unsaid"]["verdict"] == "GPU not named"
    assert "custom mix of types" in loaded(**said, model_buffer_mib=buffers)["unsaid"]["verdict"]


def test_a_length_past_which_a_start_fails_is_what_it_is_asked_for() -> None:
    said = {"model": "Qwen3.6-27B", "quant": "Q4_K_M", "usable": ["verdict"], "outcome": "oom"}
    words = "without them, context creation fails past roughly 90K next to 17GB of weights"
    assert loaded(**said, quote=words)["workload"]["context_tokens"] == 90 * 1_024
    assert "context_tokens" not in loaded(**said).get("workload", {})


def test_a_log_without_a_build_is_of_its_day() -> None:
    run = loaded(model="Llama-3.1-8B-Instruct", usable=["kv"], date="2025-01-02")
    assert run["subject"]["version"] == "5000"
    assert run["assumed"] == ["version"]
    assert (
        "version"
        not in loaded(model="Llama-3.1-8B-Instruct", usable=["kv"], date="2026-07-01")["subject"]
    )


def test_a_crash_that_no_line_ascribes_to_memory_is_no_failure_of_memory() -> None:
    said = {"model": "Llama-3.1-8B-Instruct", "usable": ["verdict"], "outcome": "oom"}
    assert loaded(**said)["outcome"] == "failed"
    note = "the excerpt shows the core dump, not an explicit out-of-memory line"
    assert loaded(**said, notes=note)["outcome"] == "unknown"


def test_a_file_of_unknown_scope_has_the_size_of_the_logged_weights() -> None:
    run = served(
        model="someone/Qwen3.8-27B-NVFP4", quantization="nvfp4", tp=2, gpus_total=2,
        weights_gib_per_gpu=12.02, kv_available_gib_per_gpu=10.0,
    )  # fmt: skip
    assert run["observed"]["file_gib"] == 24.04
    assert "file" in run["assumed"]
    assert list(run["uncovered"]) == ["weights"]
    unsized = served(model="someone/Qwen3.8-27B-NVFP4", quantization="nvfp4")
    assert set(unsized["uncovered"]) >= {"verdict"}


def test_sglang_counts_all_ranks_as_tensor_parallel() -> None:
    said = {"runtime": "sglang", "tp": 16, "dp": 2, "gpus_total": 16, "nodes": 2}
    assert served(**said)["parallel"] == {"tensor": 8, "pipeline": 1, "data": 2}
    assert served(**{**said, "runtime": "vllm", "tp": 8})["parallel"]["tensor"] == 8


def test_a_maker_and_a_size_name_no_gpu() -> None:
    run = served(gpu="4 GB GPU", gpu_mem_total_gib=None)
    assert run["unsaid"]["verdict"] == "GPU not named"
    assert (
        "no such GPU" in served(gpu="GeForce 9999", gpu_mem_total_gib=None)["uncovered"]["verdict"]
    )


def test_what_a_log_left_out_cannot_check_is_not_asked_of_it() -> None:
    bare = {**SERVED, **H100, "model": "someone/Unknown-7B", "kv_cache_tokens": 1_000}
    assert not can_check(bare, "kv-tokens")
    assert can_check({**bare, "kv_available_gib_per_gpu": 1.0}, "kv-tokens")
    assert not can_check({**bare, "model": "Unknown", "quantization": None}, "verdict")
    assert can_check(bare, "verdict")


def test_a_published_size_keeps_its_unit_and_its_rounding() -> None:
    log = {**PUBLISHED, "model": "Llama-3.1-8B-Instruct", "quant": "Q4_K_M", "size_value": 4.92}
    found = file_of(world(), log)
    assert (found["gb"], found["half_digit"]) == (4.92, 0.005)
    logged = file_of(world(), {**log, "kind": "engine_logged", "size_unit": "GiB"})
    assert (logged["gib"], logged["metadata"]) == (4.92, False)
    exact = file_of(world(), {**log, "size_unit": "bytes", "size_value": 4_920_734_272})
    assert exact["bytes"] == 4_920_734_272
    up = file_of(world(), {**log, "notes": "column headed 'Size/GB' (tends to be rounded up)"})
    assert up["half_digit"] == 0.2
    tag = {**log, "size_value": 17, "notes": "Ollama tag size quoted in the issue"}
    assert file_of(world(), tag)["half_digit"] == 0.5
    assert file_of(world(), {**tag, "size_value": 9.3})["half_digit"] == 0.05


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"kind": "published_vram_table"}, "not the size of a file"),
        ({"format": "exl2"}, NOT_GGUF),
        ({"quant": "UD-Q4_K_XL"}, "custom mix of types: the name does not state the tensor types"),
        ({"bpw": 3.1}, "custom mix of types: its bits per weight differ from its type"),
        ({"size_unit": None}, "unit not stated"),
    ],
)
def test_what_is_no_standard_file_is_left_out(said: Mapping[str, Any], why: str) -> None:
    """A file of another format says enough all the same: no rule of ours covers it."""
    log = {**PUBLISHED, "model": "Qwen3-32B", "quant": "Q4_K_M", "size_value": 19.8, **said}
    assert reason(file_of, world=world(), log=log) == (why, why == NOT_GGUF)


def test_sources_are_named_by_what_they_are() -> None:
    blob = "https://github.com/a/b/blob/0123456789abcdef/docs/My%20log.txt"
    assert source_id(blob) == "a-b-0123456-docs-my-log"
    assert source_of(blob)["title"] == "a/b at 0123456: docs/My log.txt"
    hidden = source_of("github-file-index:123")
    assert "url" not in hidden
    assert "we did not record its address" in hidden["title"]


def test_quotes_are_cut_at_a_word_and_lose_control_characters() -> None:
    assert short("one\x1b[31m two\nthree four", 16) == "one [31m two …"


def test_the_text_is_yaml_and_says_what_the_record_says() -> None:
    run = served(weights_gib_per_gpu=14.99, quote='says "yes": {a, b} # no')
    record = {"runs": [run], "sources": [source_of("https://example.org/x")]}
    assert read_yaml(yaml_text(record)) == record


def test_the_catalog_of_today_is_left_alone_without_logs(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, [str(tmp_path), "--project", str(ROOT)])
    assert found.exit_code == 2
    assert "serving-memory-logs.jsonl is missing" in found.output
