"""Public start-up logs, copied by hand, beside the engine over the real catalog."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.accuracy import layer_split, serving
from benchmarks.accuracy.report import lines
from benchmarks.accuracy.results import Comparison, Result, Skipped, Verdicts, summarize
from benchmarks.accuracy.world import World, read_world
from sitegen.catalog.domain.provenance import Interval
from sitegen.engine.fit_engine import FitEngine

ROOT = Path(__file__).parents[2]

SERVED: Mapping[str, Any] = dict.fromkeys(
    (
        "runtime_version", "quantization", "gpu", "gpu_mem_total_gib", "nodes", "tp", "pp", "dp",
        "ep", "max_model_len", "kv_cache_dtype", "gpu_memory_utilization", "max_num_seqs",
        "max_num_batched_tokens", "enforce_eager", "weights_gib_per_gpu", "non_torch_gib",
        "activation_peak_gib", "cudagraph_gib", "kv_available_gib_per_gpu", "kv_cache_tokens",
        "gpu_blocks", "block_size", "notes", "model", "gpus_total",
    )
)  # fmt: skip
H100 = {
    "runtime": "vllm", "runtime_version": "0.19.0", "gpu": "H100 80GB",
    "gpu_mem_total_gib": 79.19, "tp": 1, "pp": 1, "gpus_total": 1, "max_model_len": 8192,
    "gpu_memory_utilization": 0.95, "enforce_eager": False, "outcome": "ran",
    "usable": ["weights", "kv_tokens", "kv_bytes_per_token", "activation", "verdict"],
}  # fmt: skip
"""llm-d-planner accuracy logs, vLLM 0.19 on H100 (llm-d-incubation/llm-d-planner @fbd6851)."""

LOADED: Mapping[str, Any] = {
    **dict.fromkeys(
        (
            "runtime_version", "model", "model_file", "quant", "file_size_gib", "gpus", "n_ctx",
            "gpus_total", "n_seq", "kv_type_k", "kv_type_v", "flash_attn", "n_ubatch", "author",
            "layers_offloaded", "layers_total", "tensor_override", "split_mode", "kv_total_mib",
            "buffers_over_file", "date", "notes", "compute_slope_b_per_ctx_tok_per_ubatch",
        )
    ),
    "nodes": 1, "model_buffer_mib": [], "kv_buffer_mib": [], "compute_buffer_mib": [],
    "outcome": "ran",
}  # fmt: skip


@cache
def world() -> World:
    return read_world(ROOT, None)


def served(**said: Any) -> dict[str, Result]:
    found = serving.compare(FitEngine(world().catalog), world(), {**SERVED, **H100, **said})
    return {getattr(r, "quantity", "verdict"): r for r in found}


def loaded(**said: Any) -> dict[str, Result]:
    record = {**LOADED, "id": "log", "runtime": "llama.cpp", **said}
    found = layer_split.compare(FitEngine(world().catalog), world(), record)
    return {getattr(r, "quantity", "verdict"): r for r in found}


def off(result: Result) -> float:
    assert isinstance(result, Comparison)
    return abs(result.error)


def reason(result: Result) -> str:
    assert isinstance(result, Skipped)
    return result.reason


def test_a_dense_model_on_an_h100_is_what_vllm_logged() -> None:
    found = served(
        id="planner-llama31-8b-tp1", model="meta-llama/Llama-3.1-8B-Instruct",
        quantization="bf16", weights_gib_per_gpu=14.99, non_torch_gib=0.25,
        activation_peak_gib=1.89, kv_available_gib_per_gpu=58.11, kv_cache_tokens=476_000,
    )  # fmt: skip
    assert off(found["weights per GPU"]) < 0.005
    assert off(found["KV bytes per token"]) < 0.001
    assert off(found["KV tokens of the logged pool"]) < 0.001
    assert off(found["KV pool"]) < 0.01
    assert off(found["activation peak"]) < 0.02
    verdict = found["verdict"]
    assert isinstance(verdict, Verdicts)
    assert verdict.tier == "comfortable"


def test_ten_million_positions_and_a_vision_tower_weigh_on_every_rank() -> None:
    found = served(
        id="planner-llama4-scout-tp4", model="meta-llama/Llama-4-Scout-17B-16E-Instruct",
        quantization="bf16", tp=4, gpus_total=4, weights_gib_per_gpu=53.12,
    )  # fmt: skip
    assert off(found["weights per GPU"]) < 0.005


def test_the_first_stage_of_a_pipeline_holds_what_it_hands_over() -> None:
    found = served(
        id="planner-llama31-8b-pp4", model="meta-llama/Llama-3.1-8B-Instruct",
        quantization="bf16", pp=4, gpus_total=4, weights_gib_per_gpu=4.26, activation_peak_gib=1.05,
    )  # fmt: skip
    assert off(found["weights per GPU"]) < 0.005
    assert off(found["activation peak"]) < 0.01


def test_what_a_record_does_not_say_is_a_reason_and_no_error() -> None:
    found = served(
        id="x", model="Qwen2.5-7B", quantization=None, runtime_version=None, gpu=None,
        gpu_mem_total_gib=None, weights_gib_per_gpu=5.2, activation_peak_gib=1.42, tp=None,
    )  # fmt: skip
    assert reason(found["weights per GPU"]) == "neither quantization nor repository stated"
    assert reason(found["activation peak"]) == "version not stated"
    unknown = served(id="y", model="nobody/Unheard-Of-7B", weights_gib_per_gpu=1.0)
    assert reason(unknown["weights per GPU"]) == "no config of this model"


def test_another_engine_lends_its_cache_to_the_same_rules() -> None:
    found = served(
        id="sgl-llama31-8b-20480", runtime="sglang", runtime_version=None,
        model="meta-llama/Meta-Llama-3.1-8B-Instruct", quantization="bf16",
        kv_available_gib_per_gpu=2.5, kv_cache_tokens=20_480, usable=["kv_bytes_per_token"],
    )  # fmt: skip
    assert off(found["KV bytes per token"]) < 0.001
    assert reason(found["KV pool"]) == "runtime without a memory profile"


def test_buffers_of_an_old_load_are_what_llama_cpp_logged() -> None:
    found = loaded(
        runtime_version="b1691", model="Llama 2 70B", quant="Q4_0", n_ctx=512, gpus_total=2,
        layers_offloaded=81, layers_total=81, usable=["weights", "kv"],
        model_buffer_mib=[{"device": "all GPUs", "mib": 36_930.11}],
        kv_buffer_mib=[{"device": "all GPUs", "mib": 160.0}],
    )  # fmt: skip
    assert off(found["model buffers"]) < 0.001
    assert off(found["KV buffers"]) == 0


@pytest.mark.parametrize(
    ("model", "mib"), [("Qwen3.5-2B", 796), ("Qwen3.5-4B", 1_330), ("Qwen3.6-27B", 1_360)]
)
def test_a_quantized_cache_takes_scratch_for_the_whole_context(model: str, mib: int) -> None:
    """Measured with llama-server, context 262,144, q8_0, micro-batch 512 (unsloth's test data)."""
    found = loaded(
        model=model, n_ctx=262_144, kv_type_k="q8_0", kv_type_v="q8_0", flash_attn="1",
        n_ubatch=512, gpus_total=1, usable=["compute"],
        compute_buffer_mib=[{"device": "CUDA0", "mib": mib}],
    )  # fmt: skip
    assert off(found["compute buffers"]) < 0.05


def test_a_mix_of_its_maker_is_not_compared_by_the_standard_rules() -> None:
    buffers = [{"device": "CUDA0", "mib": 16_000.0}]
    found = loaded(
        model="Qwen3.6-27B", quant="UD-Q4_K_XL", usable=["weights"], model_buffer_mib=buffers
    )
    assert reason(found["model buffers"]) == "a mix of its maker"


def test_a_failure_is_never_called_comfortable_for_lack_of_a_context() -> None:
    found = loaded(
        model="Meta-Llama-3-70B", quant="Q4_K_M", gpus=["3090 24GB"], gpus_total=1, outcome="oom",
        usable=["verdict"],
    )  # fmt: skip
    verdict = found["verdict"]
    assert isinstance(verdict, Verdicts)
    assert verdict.tier == "not-practical"


def test_the_report_counts_what_was_compared_and_says_why_the_rest_was_not() -> None:
    near = Comparison("a", "vllm", "weights per GPU", 10.0, Interval(9.9, 10.05, 10.1))
    far = Comparison("b", "vllm", "weights per GPU", 10.0, Interval(11, 12, 13))
    skipped = Skipped("c", "vllm", "weights per GPU", "model not named")
    failed = Verdicts("d", "vllm", "oom_load", "comfortable", ())
    text = "\n".join(lines("logs.jsonl", 4, [near, far, skipped, failed]))
    assert "| weights per GPU | vllm | 3 | 2 | model not named 1 |" in text
    assert "Failures called comfortable: 1" in text
    found = summarize([near, far])
    assert found.median == pytest.approx(0.1025)
    assert found.inside == 0.5
    assert [one.record for one in found.worst] == ["b", "a"]
