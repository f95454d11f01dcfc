"""Public logs, copied by hand, beside the engine over the real catalog; and the sums by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.measurements import LeftOutRun, LoggedQuantity, MemoryRun
from sitegen.catalog.domain.provenance import Interval
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.published.accuracy.aggregate import (
    coverage_of,
    errors_of,
    goals_of,
    quantile,
    slices,
    verdicts_of,
)
from sitegen.published.accuracy.older_engines import encodes_for_all, encoding_images
from sitegen.published.accuracy.report import accuracy, compare_run, report_of, worst_of
from sitegen.published.accuracy.strangers import memory_pairs, verdict_groups
from sitegen.published.accuracy.values import Comparison, JudgedQuantity, Origin, Result, Skipped

ROOT = Path(__file__).parents[2]
PATH = "catalog/measurements/hand.yaml"
FLOW = """\
# yaml-language-server: $schema=../../schema/v1/measurement.schema.json
runs:
  - {run}
sources: [{{title: Hand, read: 2026-11-20}}]
"""


@cache
def files() -> Mapping[str, str]:
    everything = read_project(ROOT).catalog
    return {k: v for k, v in everything.items() if not k.startswith("catalog/measurements/")}


@cache
def catalog() -> Catalog:
    return parse_catalog(files())


@cache
def engine() -> FitEngine:
    return FitEngine(catalog())


NAMED = ("gpus", "interconnects", "quantizations", "runtimes", "assumptions")
"""Folders of what records of runs name, beside models."""


def run_of(text: str) -> MemoryRun:
    """Read a run beside all that it may name, and its model with those that came after it."""
    beside = {path: found for path, found in files().items() if path.split("/")[1] in NAMED}
    named = re.findall(r"\bmodel: ([\w.-]+)", text)
    while named:
        path = f"catalog/models/{named[0]}.yaml"
        beside[path] = files()[path]
        named = re.findall(r"^superseded_by: (\S+)$", files()[path], re.MULTILINE)
    found = parse_catalog({**beside, PATH: FLOW.format(run="{" + text + "}")})
    return found.measurements["hand"].runs[0]


def compared(text: str) -> dict[LoggedQuantity, Result]:
    results = compare_run(engine(), "hand", run_of(text))
    return {
        r.quantity if not isinstance(r, JudgedQuantity) else LoggedQuantity.VERDICT: r
        for r in results
    }


def off(result: Result) -> float:
    assert isinstance(result, Comparison)
    return abs(result.error)


H100 = (
    "system: {nodes: [{gpus: [{gpu: h100-sxm}]}], visible_gib: 79.19}, parallel: {tensor: 1}, "
    "settings: {memory_fraction: 0.95}, workload: {context_tokens: 8192}, outcome: ran, quote: x"
)
"""llm-d-planner accuracy logs, vLLM 0.19 on H100 (llm-d-incubation/llm-d-planner @fbd6851)."""
LLAMA = (
    'subject: {model: llama-3.1-8b-instruct, quantization: bf16, runtime: vllm, version: "0.19.0"}'
)


def test_a_dense_model_on_an_h100_is_what_vllm_logged() -> None:
    found = compared(
        f"id: planner-llama31-8b-tp1, {LLAMA}, {H100}, observed: {{weights_gib: 14.99, "
        "non_torch_gib: 0.25, activation_gib: 1.89, kv_pool_gib: 58.11, kv_pool_tokens: 476000}, "
        "usable_for: [weights, kv-per-token, kv-tokens, pool-tokens, kv-pool, activation, verdict]"
    )
    assert off(found[LoggedQuantity.WEIGHTS]) < 0.005
    assert off(found[LoggedQuantity.KV_BYTES]) < 0.001
    assert off(found[LoggedQuantity.KV_TOKENS]) < 0.001
    assert off(found[LoggedQuantity.POOL_TOKENS]) < 0.01
    assert off(found[LoggedQuantity.KV_POOL]) < 0.01
    assert off(found[LoggedQuantity.ACTIVATION]) < 0.02
    verdict = found[LoggedQuantity.VERDICT]
    assert isinstance(verdict, JudgedQuantity)
    assert verdict.tier == "comfortable"
    assert verdict.agrees


def test_a_model_loaded_with_32_bits_is_what_vllm_logged() -> None:
    """`--dtype float32` on one H100, 10,956 blocks of 16 tokens.

    Weights, cache and table of positions take twice as much; of the peak the logits and the
    hidden states alone grow.
    """
    found = compared(
        f"id: planner-llama31-8b-fp32, {LLAMA.replace('bf16', 'fp32')}, {H100}, "
        "observed: {weights_gib: 29.98, activation_gib: 2.21, kv_pool_gib: 42.8, "
        "kv_pool_tokens: 175296}, "
        "usable_for: [weights, kv-per-token, kv-tokens, pool-tokens, kv-pool, activation, verdict]"
    )
    for quantity in (LoggedQuantity.WEIGHTS, LoggedQuantity.KV_BYTES, LoggedQuantity.KV_TOKENS):
        assert off(found[quantity]) < 0.0005
    assert off(found[LoggedQuantity.POOL_TOKENS]) < 0.002
    assert off(found[LoggedQuantity.KV_POOL]) < 0.002
    assert off(found[LoggedQuantity.ACTIVATION]) < 0.015
    token = found[LoggedQuantity.KV_BYTES]
    assert isinstance(token, Comparison)
    assert token.naive == 2 * 32 * 4_096 * 4
    verdict = found[LoggedQuantity.VERDICT]
    assert isinstance(verdict, JudgedQuantity)
    assert verdict.agrees


@pytest.mark.parametrize(("keys", "tokens"), [("fp8", 417_022), ("fp8_per_token_head", 325_335)])
def test_scales_by_head_break_the_pages_of_a_window_apart(keys: str, tokens: int) -> None:
    """Gemma 4 26B on an L40S, 15.18 GiB both times (vLLM issue 40388, 0.26).

    A token takes 8 × 512 bytes in a window's layer and 2 × 1,024 in a global one: blocks of 16
    and 32 tokens fill one page. With scales it takes 4,160 and 2,064, the page of a global layer
    divides no more and is padded at 16 tokens. A request of 32,768 then holds 2,048 global blocks
    and 5 × 576 of windows (1,023 tokens and 8,192 in flight), each 5 layers × 66,560 bytes; vLLM
    counts one block more for each window, which is 0.1 %.
    """
    found = compared(
        "id: x, subject: {model: gemma-4-26b-a4b-it, quantization: fp8, runtime: vllm, "
        'version: "0.26.0"}, system: {nodes: [{gpus: [{gpu: l40s}]}]}, parallel: {tensor: 1}, '
        f"workload: {{context_tokens: 32768, keys: {keys}}}, "
        "settings: {max_num_batched_tokens: 4096}, outcome: ran, quote: x, "
        f"observed: {{kv_pool_gib: 15.18, kv_pool_tokens: {tokens}}}, usable_for: [kv-tokens]"
    )
    assert off(found[LoggedQuantity.KV_TOKENS]) < 0.0013


def test_the_common_rules_stand_beside_each_figure() -> None:
    """8.03 billion × 2 bytes; 2 × 32 × 4,096 × 2 bytes; 0.95 × 79.19 GiB less those weights."""
    found = compared(
        f"id: x, {LLAMA}, {H100}, observed: {{weights_gib: 14.99, kv_pool_gib: 58.11, "
        "kv_pool_tokens: 476000}, usable_for: [weights, kv-per-token, kv-pool]"
    )
    weights, token, pool = (
        found[q] for q in (LoggedQuantity.WEIGHTS, LoggedQuantity.KV_BYTES, LoggedQuantity.KV_POOL)
    )
    assert isinstance(weights, Comparison)
    assert weights.naive == pytest.approx(8_030_261_248 * 2 / 2**30)
    assert isinstance(token, Comparison)
    assert token.naive == 2 * 32 * 4_096 * 2
    assert token.naive_error == pytest.approx(3.0, rel=1e-3)
    assert isinstance(pool, Comparison)
    assert pool.naive == pytest.approx(0.95 * 79.19 - 8_030_261_248 * 2 / 2**30, rel=1e-6)


def test_the_first_stage_of_a_pipeline_holds_what_it_hands_over() -> None:
    found = compared(
        f"id: planner-llama31-8b-pp4, {LLAMA}, parallel: {{tensor: 1, pipeline: 4}}, "
        "system: {nodes: [{gpus: [{gpu: h100-sxm, count: 4}], link: nvlink-4}], "
        "visible_gib: 79.19}, workload: {context_tokens: 8192}, settings: {memory_fraction: 0.95}, "
        "observed: {weights_gib: 4.26, activation_gib: 1.05}, outcome: ran, quote: x, "
        "usable_for: [weights, activation]"
    )
    assert off(found[LoggedQuantity.WEIGHTS]) < 0.005
    assert off(found[LoggedQuantity.ACTIVATION]) < 0.01


def test_a_refusal_says_what_one_request_needs() -> None:
    """vLLM: 5.62 GiB for 40,960 tokens of Qwen3-4B: 36 layers × 8 heads × 128 × 2 × 2 bytes."""
    found = compared(
        "id: x, subject: {model: qwen3-4b, runtime: vllm}, parallel: {tensor: 1}, "
        "workload: {context_tokens: 40960}, observed: {kv_request_gib: 5.62}, outcome: failed, "
        "quote: x, usable_for: [kv-per-token]"
    )
    one = found[LoggedQuantity.KV_BYTES]
    assert isinstance(one, Comparison)
    assert one.predicted.mid == 36 * 8 * 128 * 2 * 2
    assert one.inside


def test_what_a_record_does_not_say_is_a_reason_and_no_error() -> None:
    found = compared(
        "id: x, subject: {model: llama-3.1-8b-instruct, runtime: vllm}, outcome: ran, quote: x, "
        "observed: {weights_gib: 5.2, activation_gib: 1.42}, usable_for: [weights, activation], "
        "unsaid: {weights: neither quantization nor repository stated}"
    )
    weights, activation = found[LoggedQuantity.WEIGHTS], found[LoggedQuantity.ACTIVATION]
    assert isinstance(weights, Skipped)
    assert weights.reason == "neither quantization nor repository stated"
    assert isinstance(activation, Skipped)
    assert activation.reason == "version not stated"
    assert not activation.says_enough


def test_buffers_that_versions_change_are_not_compared_before_the_first_profile() -> None:
    found = compared(
        "id: x, subject: {model: llama-3.1-8b-instruct, quantization: q4-k-m, runtime: ollama, "
        'version: "0.5.7"}, workload: {context_tokens: 8192}, '
        "settings: {gpu_layers: 33, layers: 33}, observed: {compute_gpu_mib: [560.0]}, "
        "outcome: ran, quote: x, usable_for: [compute-buffers]"
    )[LoggedQuantity.COMPUTE_BUFFERS]
    assert isinstance(found, Skipped)
    assert found.reason == "no memory profile of this version"


def test_buffers_of_an_old_load_are_what_llama_cpp_logged() -> None:
    found = compared(
        "id: a0137, subject: {model: llama-2-70b, quantization: q4-0, runtime: llama-cpp, "
        'version: "1691"}, workload: {context_tokens: 512}, '
        "settings: {gpu_layers: 81, layers: 81}, "
        "observed: {model_gpu_mib: [36930.11], kv_mib: [160.0], compute_gpu_mib: [145.0]}, "
        "outcome: ran, quote: x, usable_for: [model-buffers, kv-buffers, compute-buffers]"
    )
    assert off(found[LoggedQuantity.MODEL_BUFFERS]) < 0.001
    assert off(found[LoggedQuantity.KV_BUFFERS]) == 0
    assert off(found[LoggedQuantity.COMPUTE_BUFFERS]) < 0.01


@pytest.mark.parametrize(
    ("said", "mib"),
    [
        # DeepSeek V2 Lite in Ollama of June 2024: 27 layers × 16 heads × (192 + 128) × 2 bytes
        (
            "subject: {model: deepseek-v2-lite, runtime: ollama}, date: '2024-06-05', "
            "workload: {context_tokens: 2048}, settings: {flash_attention: false}",
            540.0,
        ),
        # DeepSeek V3 in May 2025: 61 layers × (576 of keys + 512 of values) × 2 bytes
        (
            "subject: {model: deepseek-v3-0324, runtime: llama-cpp, version: '5331'}, "
            "date: '2025-05-09', workload: {context_tokens: 16384}, "
            "settings: {flash_attention: true}",
            2_074.0,
        ),
        # Gemma 3 27B before windows had caches of their own: 62 layers × 32,768 cells each
        (
            "subject: {model: gemma-3-27b-it, runtime: llama-cpp, version: '5000'}, "
            "program: ik_llama.cpp, date: '2025-04-27', workload: {context_tokens: 32768}, "
            "settings: {flash_attention: true}, assumed: [version]",
            15_872.0,
        ),
        # 72,000 tokens are 2,250 × 32 cells: no padding to 256 without flash attention
        (
            "subject: {model: qwen2.5-7b-instruct-1m, runtime: llama-cpp, version: '4615'}, "
            "date: '2025-02-02', workload: {context_tokens: 72000}",
            3_937.5,
        ),
        # GLM 4.5 Air in ik_llama.cpp: 46 layers and the draft layer
        (
            "subject: {model: glm-4.5-air, runtime: llama-cpp}, program: ik_llama.cpp, "
            "workload: {context_tokens: 65536}, settings: {flash_attention: true}",
            12_032.0,
        ),
    ],
)
def test_caches_of_older_builds_and_forks_are_what_they_logged(said: str, mib: float) -> None:
    """Ollama issue 3390, ik_llama.cpp 394 and 334, llama.cpp issue 11598, GGUF-Tool-Suite."""
    found = compared(
        f"id: x, {said}, outcome: ran, quote: x, observed: {{kv_mib: [{mib}]}}, "
        "usable_for: [kv-buffers]"
    )
    assert off(found[LoggedQuantity.KV_BUFFERS]) < 1e-4


@pytest.mark.parametrize(("program", "alike"), [("program: ik_llama.cpp, ", True), ("", False)])
def test_a_fork_keeps_one_copy_of_its_graph(program: str, *, alike: bool) -> None:
    """Qwen3-VL 235B over three GPUs: Thireus/GGUF-Tool-Suite @384c1f8."""
    run = run_of(
        f"id: a0218, {program}subject: {{model: qwen3-vl-235b-a22b-instruct, quantization: q8-0, "
        "runtime: llama-cpp}, workload: {context_tokens: 4096}, settings: {micro_batch_tokens: "
        "4096, gpu_layers: 95, layers: 95, placed_by_hand: true, flash_attention: true}, outcome: "
        "ran, quote: x, observed: {compute_gpu_mib: [992.06, 868.19, 2502.14]}, "
        "usable_for: [compute-buffers]"
    )
    results = tuple(compare_run(engine(), "hand", run))
    found = [off(result) for result in results]
    assert [result.note for result in results if isinstance(result, Comparison)] == [
        "GPU 1 of 3", "GPU 2 of 3", "GPU 3 of 3",
    ]  # fmt: skip
    assert (max(found) < 0.03) is alike


def test_a_fork_keeps_the_mask_in_32_and_in_16_bits_while_it_attends() -> None:
    """GLM 4.5 over three GPUs at 65,536 tokens: Thireus/GGUF-Tool-Suite @384c1f8."""
    run = run_of(
        "id: a0258, program: ik_llama.cpp, subject: {model: glm-4.5, quantization: iq3-xs, "
        "runtime: llama-cpp}, workload: {context_tokens: 65536}, settings: {micro_batch_tokens: "
        "512, gpu_layers: 94, layers: 94, placed_by_hand: true, flash_attention: true}, outcome: "
        "ran, quote: x, observed: {compute_gpu_mib: [260.0, 260.0, 306.0]}, "
        "usable_for: [compute-buffers]"
    )
    found = [one.predicted.mid for one in compare_run(engine(), "hand", run)
             if isinstance(one, Comparison)]  # fmt: skip
    # 65,536 cells of 6 bytes, and two hidden states with queries and outputs of 96 heads of 128
    attending = 512 * (65_536 * 6 + 4 * (2 * 5_120 + 2 * 96 * 128)) / 2**20
    assert attending == 260
    assert found == pytest.approx([260, 260, 306], rel=1e-3)


@pytest.mark.parametrize("context", [4_096, 65_536])
def test_the_record_of_a_fork_says_what_its_logs_are_compared_with(context: int) -> None:
    """The profile of ik_llama.cpp gives what the fork's habits make of llama.cpp's."""
    text = (
        "id: a0218, {subject: {model: qwen3-vl-235b-a22b-instruct, quantization: q8-0, runtime: "
        f"RUNTIME}}, workload: {{context_tokens: {context}}}, settings: {{micro_batch_tokens: "
        "4096, gpu_layers: 95, layers: 95, placed_by_hand: true, flash_attention: true}, outcome: "
        "ran, quote: x, observed: {compute_gpu_mib: [992.06, 868.19, 2502.14], kv_mib: [752.0]}, "
        "usable_for: [compute-buffers, kv-buffers]"
    ).replace("{subject", "subject", 1)

    def middles(said: str, runtime: str) -> list[tuple[LoggedQuantity, float]]:
        run = run_of(text.replace("id: a0218,", f"id: a0218,{said}").replace("RUNTIME", runtime))
        found = compare_run(FitEngine(catalog()), "hand", run)
        return [(one.quantity, one.predicted.mid) for one in found if isinstance(one, Comparison)]

    as_fork = middles(" program: ik_llama.cpp,", "llama-cpp")
    assert len(as_fork) == 4
    assert middles("", "ik-llama-cpp") == as_fork


def test_a_hybrid_pool_counts_the_smallest_block_of_its_groups() -> None:
    """Gemma 4 31B under vLLM 0.20: some 50 GB, some 55,000 tokens (vLLM issue 43308)."""
    found = compared(
        "id: x, subject: {model: gemma-4-31b-it, quantization: awq-4bit-g128, runtime: vllm, "
        'version: "0.20.0"}, parallel: {tensor: 1}, outcome: ran, quote: x, '
        "observed: {kv_pool_gib: 50.0, kv_pool_tokens: 55000}, usable_for: [kv-tokens]"
    )
    assert off(found[LoggedQuantity.KV_TOKENS]) < 0.02


def test_from_vllm_0_21_on_a_hybrid_counts_requests_and_needs_their_length() -> None:
    logged = (
        "id: x, subject: {model: gemma-4-31b-it, quantization: awq-4bit-g128, runtime: vllm, "
        'version: "VERSION"}, parallel: {tensor: 1}, outcome: ran, quote: x, '
        "observed: {kv_pool_gib: 50.0, kv_pool_tokens: 55000}, usable_for: [kv-tokens]"
    )
    before = compared(logged.replace("VERSION", "0.20.9"))[LoggedQuantity.KV_TOKENS]
    since = compared(logged.replace("VERSION", "0.21.0"))[LoggedQuantity.KV_TOKENS]
    assert isinstance(before, Comparison)
    assert isinstance(since, Skipped)
    assert "the context length" in since.reason


def test_of_several_ranks_another_may_have_less_room() -> None:
    """Qwen3 235B on four H100: 8.11 GiB and 178,880 tokens (vLLM issue 21348)."""
    found = compared(
        "id: x, subject: {model: qwen3-235b-a22b, quantization: fp8-block, runtime: vllm, "
        'version: "0.9"}, parallel: {tensor: 4}, outcome: ran, quote: x, '
        "observed: {kv_pool_gib: 8.11, kv_pool_tokens: 178880}, usable_for: [kv-tokens]"
    )[LoggedQuantity.KV_TOKENS]
    assert isinstance(found, Comparison)
    assert found.inside
    assert found.predicted.high == found.predicted.mid


def test_a_version_without_a_profile_lends_only_what_no_version_changes() -> None:
    """No profile is as old; 69 billion parameters of 16 bits over 8 GPUs weigh the same."""
    found = compared(
        'id: x, subject: {model: llama-2-70b, quantization: bf16, runtime: vllm, version: "0.5"}, '
        "system: {nodes: [{gpus: [{gpu: h100-sxm, count: 8}], link: nvlink-4}]}, "
        "parallel: {tensor: 8}, observed: {weights_gib: 16.1, activation_gib: 1.0}, "
        "outcome: ran, quote: x, usable_for: [weights, activation, verdict]"
    )
    assert off(found[LoggedQuantity.WEIGHTS]) < 0.02
    for quantity in (LoggedQuantity.ACTIVATION, LoggedQuantity.VERDICT):
        missing = found[quantity]
        assert isinstance(missing, Skipped)
        assert missing.reason == "no memory profile of this version"
        assert missing.says_enough


MLLAMA = (
    "subject: {model: llama-3.2-11b-vision-instruct, quantization: bf16, runtime: vllm, "
    'version: "VERSION"}, system: {nodes: [{gpus: [{gpu: a100-80gb-sxm}]}]}, '
    "parallel: {tensor: 1}, workload: {context_tokens: 1024}, quote: x, usable_for: [verdict], "
)


@pytest.mark.parametrize(
    ("version", "settings", "outcome", "tier"),
    [("0.6.3", "", "failed", "not-practical"),
     ("0.6.3", "settings: {max_num_seqs: 32, eager: true}, ", "ran", "comfortable")],
)  # fmt: skip
def test_an_encoder_once_ran_for_every_sequence_of_the_trial_run(
    version: str, settings: str, outcome: str, tier: str
) -> None:
    """Issue 9445 of vLLM: out of memory on an A100 with 80 GB, and not with 32 sequences."""
    text = f"id: x, {MLLAMA.replace('VERSION', version)}{settings}outcome: {outcome}"
    verdict = compared(text)[LoggedQuantity.VERDICT]
    assert isinstance(verdict, JudgedQuantity)
    assert verdict.tier == tier
    assert verdict.agrees


def test_what_an_image_takes_in_the_encoder_is_the_sum_of_its_tensors() -> None:
    """Four tiles of 1,601 positions, padded to 1,608: 6,432; a mask of 6,432 squared, 16 bits."""
    profile = engine().catalog.runtimes["vllm"].profiles[0]
    assert encodes_for_all(profile)
    one, two = (encoding_images(profile, 1, ranks) for ranks in (1, 2))
    parts = 2 * 6_432**2 + 7 * 2 * 6_432 * 1_280 + 2 * 6_432 * 5_120
    found = one.constants["encoder_profile_gib"].value
    assert found.low * 2**30 == pytest.approx(parts)
    assert found.mid - found.low == pytest.approx(2 * 6_432 * 5_120 / 2**30)
    assert two.constants["encoder_profile_gib"].value.low < found.low
    assert one.version != two.version


@pytest.mark.parametrize(("model", "mib"), [("qwen3.5-2b", 796), ("qwen3.6-27b", 1_360)])
def test_a_quantized_cache_takes_scratch_for_the_whole_context(model: str, mib: int) -> None:
    """Measured with llama-server, context 262,144, q8_0, micro-batch 512 (unsloth's test data)."""
    found = compared(
        f"id: x, subject: {{model: {model}, runtime: llama-cpp}}, workload: {{context_tokens: "
        "262144, keys: q8_0}, settings: {micro_batch_tokens: 512, flash_attention: true}, "
        f"observed: {{compute_gpu_mib: [{mib}]}}, outcome: ran, quote: x, "
        "usable_for: [compute-buffers]"
    )
    assert off(found[LoggedQuantity.COMPUTE_BUFFERS]) < 0.05


def test_a_failure_is_never_called_comfortable_for_lack_of_a_context() -> None:
    found = compared(
        "id: x, subject: {model: llama-3.1-70b-instruct, quantization: q4-k-m, "
        "runtime: llama-cpp}, system: {nodes: [{gpus: [{gpu: rtx-3090}]}]}, outcome: failed, "
        "quote: x, usable_for: [verdict]"
    )
    verdict = found[LoggedQuantity.VERDICT]
    assert isinstance(verdict, JudgedQuantity)
    assert verdict.tier == "not-practical"
    assert verdict.agrees
    assert verdict.naive_fits is False


def origin(run: str, *, group: str = "", program: str = "vLLM") -> Origin:
    return Origin(run, "s", program, "", "llama", "m", "", group=group)


def figure(
    run: str, measured: float, low: float, mid: float, high: float, **more: Any
) -> Comparison:
    group, program = more.pop("group", ""), more.pop("program", "vLLM")
    return Comparison(
        origin(run, group=group, program=program), LoggedQuantity.WEIGHTS, measured,
        Interval(low, mid, high), **more,
    )  # fmt: skip


def test_errors_are_relative_and_rounding_is_taken_off() -> None:
    one = figure("a", 10.0, 9.9, 10.05, 10.1, naive=12.0, rounding=0.005)
    assert one.error == pytest.approx(0.005)
    assert one.beyond_rounding == pytest.approx(0.0045)
    assert one.naive_error == pytest.approx(0.2)
    assert one.inside
    assert not replace(one, predicted=Interval(10.006, 10.05, 10.1)).inside
    assert replace(one, predicted=Interval(10.005, 10.05, 10.1)).inside


def test_sums_by_hand() -> None:
    near, far = figure("a", 10.0, 9.9, 10.05, 10.1), figure("b", 10.0, 11, 12, 13, naive=15.0)
    found = errors_of([near, far])
    assert (found.count, found.votes) == (2, 2)
    assert found.median == pytest.approx((0.005 + 0.2) / 2)
    assert found.inside == 0.5
    assert found.naive_median == pytest.approx(0.5)
    assert found.width == pytest.approx((0.2 / 10.05 + 2 / 12) / 2)
    assert [one.origin.run for one in worst_of([near, far])] == ["b", "a"]


def test_near_repeats_share_one_vote() -> None:
    """Three of a group are 0 % off and one of its own is 30 %: the middle lies between."""
    same = [figure(str(i), 10.0, 10, 10, 10, group="g") for i in range(3)]
    other = figure("x", 10.0, 13, 13, 13)
    found = errors_of([*same, other])
    assert (found.count, found.votes, found.inside) == (4, 2, 0.5)
    assert 0 < found.median < 0.3
    assert quantile([(0.0, 1.0)], 0.95) == 0.0


def test_disputed_figures_are_counted_both_ways() -> None:
    sound, wrong = figure("a", 10.0, 10, 10, 10), figure("b", 10.0, 5, 5, 5, disputed="a fork")
    (found,) = slices([sound, wrong], lambda _: "")
    assert (found.errors.count, found.undisputed.count) == (2, 1)
    assert found.undisputed.p95 == 0.0
    goals = {(g.quantity, g.measure): g for g in goals_of([sound, wrong], {}, verdicts_of([]))}
    assert goals[LoggedQuantity.WEIGHTS, "p95"].met


def test_coverage_counts_records_and_tells_silence_from_a_missing_rule() -> None:
    results: list[Result] = [
        figure("a", 1.0, 1, 1, 1),
        Skipped(origin("b"), LoggedQuantity.WEIGHTS, "no recipe for x", says_enough=True),
        Skipped(origin("c"), LoggedQuantity.WEIGHTS, "quantization not stated", says_enough=False),
    ]
    left_out = [
        LeftOutRun("d", "model not in the catalog: y", (LoggedQuantity.WEIGHTS,), says_enough=True),
        LeftOutRun("e", "model not named", (LoggedQuantity.VERDICT,), says_enough=False),
    ]
    found = coverage_of(results, left_out)
    weights = found[LoggedQuantity.WEIGHTS]
    assert (weights.usable, weights.compared, weights.uncovered, weights.unsaid) == (4, 1, 2, 1)
    assert weights.share == pytest.approx(1 / 3)
    assert weights.reasons["model not in the catalog"] == 1
    assert found[LoggedQuantity.VERDICT].compared == 0


def test_a_verdict_agrees_with_what_happened() -> None:
    def judged(outcome: str, tier: str, naive_fits: bool, **more: str) -> JudgedQuantity:
        return JudgedQuantity(origin(outcome + tier), outcome, tier, (), naive_fits, **more)

    found = verdicts_of(
        [
            judged("ran", "comfortable", naive_fits=True),
            judged("ran", "borderline", naive_fits=False),
            judged("ran", "not-practical", naive_fits=True),
            judged("failed", "borderline", naive_fits=True),
            judged("failed", "comfortable", naive_fits=True, disputed="another program"),
            judged("unknown", "comfortable", naive_fits=True),
        ]
    )
    assert (found.judged, found.agree, found.refused_though_ran) == (5, 2, 1)
    assert found.agree_borderline == 1
    assert found.comfortable_though_failed == 1
    assert (found.naive_judged, found.naive_agree, found.naive_fits_though_failed) == (5, 2, 2)


@pytest.mark.parametrize(
    ("outcome", "tier", "reason", "agrees"),
    [("failed", "borderline", "KV_BELOW_CONTEXT", True),
     ("failed", "borderline", "HEADROOM", False),
     ("ran", "borderline", "KV_BELOW_CONTEXT", False), ("ran", "borderline", "LINK_DECODE", True)],
)  # fmt: skip
def test_a_hard_reason_of_memory_says_that_it_fails(
    outcome: str, tier: str, reason: str, *, agrees: bool
) -> None:
    one = JudgedQuantity(origin("x"), outcome, tier, (reason,), naive_fits=True)
    assert one.agrees is agrees


def test_strangers_are_counted_apart() -> None:
    known, new = figure("a", 10, 9, 10, 11), figure("b", 10, 14, 15, 16)
    new = replace(new, origin=replace(new.origin, stranger=True, source="t"))
    failed = JudgedQuantity(
        replace(new.origin, run="c"), "failed", "borderline", (), naive_fits=False
    )
    report = report_of((known, new, failed), ())
    (pair,) = memory_pairs(report)
    assert (pair.strangers.median, pair.strangers.inside, pair.strangers.sources) == (0.5, 0, 1)
    assert pair.known is not None
    assert (pair.known.median, pair.known.inside) == (0, 1)
    ((stranger, outcome, counted),) = verdict_groups(report)
    assert (stranger, outcome, counted.agree, counted.naive_agree) == (True, "failed", 0, 1)


def test_the_report_covers_the_whole_catalog() -> None:
    everything = parse_catalog(read_project(ROOT).catalog)
    report = accuracy(FitEngine(everything))
    assert report.runs == sum(len(m.runs) for m in everything.measurements.values())
    asked = sum(
        len(run.usable_for) for source in everything.measurements.values() for run in source.runs
    )
    answered = {
        (r.origin.run, LoggedQuantity.VERDICT if isinstance(r, JudgedQuantity) else r.quantity)
        for r in report.results
    }
    assert len(answered) == asked + report.files
    assert len(report.worst) == 20
