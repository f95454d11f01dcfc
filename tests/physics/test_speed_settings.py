"""What an operator asks for reaches the speed, or the speed is not shown as if it held."""

from __future__ import annotations

import random
import statistics
from dataclasses import replace
from functools import cache

import pytest

from sitegen.catalog.domain.runs import SpeedRun
from sitegen.fit.assess import assess
from sitegen.fit.assessment import REFERENCE_WORKLOAD, Assessment, FitRequest
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.physics.speed.constants import MEASURED_CACHES
from sitegen.physics.traffic import busiest_share, touched_experts
from sitegen.survey.composed_build import BuildQuestion, verdict_of
from tests.survey.whole_catalog import whole_catalog, whole_engine


@cache
def engine() -> FitEngine:
    return whole_engine()


@cache
def runs() -> dict[str, SpeedRun]:
    return {run.id: run for file in whole_catalog().benchmarks.values() for run in file.runs}


def ask(
    model: str,
    checkpoint: str,
    combo: str,
    runtime: str,
    *,
    workload: Workload = REFERENCE_WORKLOAD,
    settings: Settings = DEFAULTS,
    tp: int | None = None,
) -> Assessment:
    whole = whole_catalog()
    served = whole.runtimes[runtime]
    profile = profile_of(served)
    assert profile is not None
    of = whole.models[model]
    chosen = next(c for c in of.checkpoints if checkpoint in {c.id, c.quantization.id})
    on = runs()[combo].system if combo in runs() else whole.combos[combo]
    return assess(
        engine(),
        FitRequest(
            of, chosen, on, served, profile, workload, settings,
            tensor_parallel_size=tp, pipeline_parallel_size=1 if tp else None,
        ),
    )  # fmt: skip


def server(sequences: int, context_tokens: int = 8_192) -> Assessment:
    """The server of local-inference-lab's runs: 4 RTX PRO 6000, Qwen3.5 397B in NVFP4."""
    return ask(
        "qwen3.5-397b-a17b", "nvfp4", "c1752", "vllm", tp=4,
        workload=Workload(context_tokens, sequences, "f16"),
    )  # fmt: skip


@pytest.mark.parametrize(("run", "context"), [("c1752", 2_048), ("c1758", 131_072)])
def test_the_users_that_are_asked_for_are_the_streams_of_the_aggregate_speed(
    run: str, context: int
) -> None:
    # measured: 413.74 tokens/s of 8 streams at the start of the cache, 397.94 behind 65,536 tokens
    measured = runs()[run].figures.aggregate_tokens_per_s
    assert measured is not None
    assert runs()[run].workload.sequences == 8
    speed = server(8, context).speed
    assert speed is not None
    assert (speed.batch, speed.capped) == (8, False)
    # the source names the Server Edition, whose memory reads 1,597 GB/s; these runs are faster than
    # is foreseen of it
    assert speed.aggregate_tokens_per_s.mid == pytest.approx(measured, rel=0.25)
    assert speed.aggregate_tokens_per_s.low <= measured <= speed.aggregate_tokens_per_s.high


def test_without_a_number_of_users_as_many_are_served_as_fit_up_to_the_policy() -> None:
    found = server(1)
    assert found.speed is not None
    assert found.limits is not None
    assert found.limits.sequences_at[8_192] > 64
    assert (found.speed.batch, found.speed.capped) == (64, True)


def test_the_streams_that_are_served_fit_at_the_context_that_was_asked_for() -> None:
    far = server(1, 262_144)
    assert far.limits is not None
    assert far.limits.sequences_at[8_192] > 64
    assert far.speed is not None
    most = far.speed.batch
    assert 1 < most < 64
    full, over = (server(number, 262_144).busiest for number in (most, most + 1))
    assert full is not None
    assert over is not None
    assert full.utilization.mid <= 1 < over.utilization.mid


def test_a_limit_on_sequences_limits_the_streams() -> None:
    found = ask(
        "qwen3-8b", "bf16", "1x-rtx-pro-6000-blackwell", "vllm", settings=Settings(max_num_seqs=6)
    )
    assert found.speed is not None
    assert (found.speed.batch, found.speed.capped) == (6, False)


def test_each_stream_has_its_share_of_the_speed_of_all() -> None:
    found = ask("qwen3-8b", "bf16", "8x-rtx-pro-6000-server", "vllm")
    assert found.speed is not None
    assert found.plan is not None
    streams = found.speed.batch * found.plan.replicas
    for bound in ("low", "mid", "high"):
        each = getattr(found.speed.each_tokens_per_s, bound)
        assert each * streams == pytest.approx(getattr(found.speed.aggregate_tokens_per_s, bound))
        assert each <= getattr(found.speed.single_tokens_per_s, bound)


def test_a_composed_build_serves_the_users_that_were_typed() -> None:
    whole = whole_catalog()
    found = verdict_of(
        engine(),
        whole.combos["1x-rtx-pro-6000-blackwell"],
        whole.models["qwen3-8b"],
        BuildQuestion(8_192, sequences=5, runtime="vllm"),
    )
    assert found is not None
    assert found.speed is not None
    assert found.speed.batch == 5


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("enforce_eager", Settings(enforce_eager=True)),
        ("expert_parallel", Settings(expert_parallel=True)),
        ("data_parallel_size", Settings(data_parallel_size=2)),
        ("decode_context_parallel_size", Settings(decode_context_parallel_size=2)),
        ("prediction_layers", Settings(prediction_layers=True)),
        ("draft_bytes", Settings(draft_bytes=2**30)),
        ("backend", Settings(backend="opencl")),
    ],
)
def test_a_setting_whose_effect_nobody_measured_leaves_the_speed_out(
    name: str, settings: Settings
) -> None:
    models = {True: ("glm-4.5", "fp8"), False: ("deepseek-r1", "fp8-block")}
    model, checkpoint = models[settings.prediction_layers]
    plain = ask(model, checkpoint, "8x-h200-sxm", "vllm")
    found = ask(model, checkpoint, "8x-h200-sxm", "vllm", settings=settings)
    assert plain.speed is not None
    assert found.unpriced == (name,)
    assert found.speed is None
    assert RANK[found.tier] >= RANK[plain.tier] or name != "enforce_eager"


def test_a_step_reads_the_experts_that_its_tokens_do_not_all_miss() -> None:
    # two of eight: a token misses 3 of 4 experts, three tokens 27 of 64
    read = [touched_experts(8, 2, batch) for batch in (1, 2, 3, 4)]
    assert read == [1 - 3 / 4, 1 - 9 / 16, 1 - 27 / 64, 1 - 81 / 256]
    assert touched_experts(0, 0, 5) == 1, "a dense model reads all it has"


def test_the_busiest_rank_reads_what_random_choices_give_it() -> None:
    """Drawn 1,000 times: the most experts of a step on one rank, of all that there are."""
    dice = random.Random(7)  # noqa: S311
    for experts, chosen, ranks, batch in ((160, 8, 8, 1), (256, 8, 4, 8), (128, 8, 8, 64)):
        held, most = experts // ranks, 0
        for _ in range(1_000):
            hit = {one for _ in range(batch) for one in dice.sample(range(experts), chosen)}
            most += max(sum(one // held == rank for one in hit) for rank in range(ranks))
        touched = touched_experts(experts, chosen, batch)
        share = busiest_share(experts, ranks, touched)
        assert share == pytest.approx(most / 1_000 / experts, rel=0.12)


def test_the_speed_is_told_of_those_caches_that_were_measured() -> None:
    measured = {run.workload.kv_dtype for run in runs().values()}
    assert measured == set(MEASURED_CACHES)
    found = ask(
        "qwen3-8b", "bf16", "1x-rtx-pro-6000-blackwell", "vllm",
        workload=Workload(8_192, 1, "fp8_per_token_head"),
    )  # fmt: skip
    assert (found.speed, found.unpriced) == (None, ("kv_dtype",))


VULKAN_BESIDE_ROCM = (
    ("qwen3.6-35b-a3b", "q4-k-m", "c0288", "c0290"),
    ("gemma-4-26b-a4b-it", "q4-k-m", "c0300", "c0302"),
    ("gpt-oss-20b", "mxfp4-moe", "c0324", "c0326"),
)
"""Runs of kyuz0's Strix Halo toolboxes on one day, with ROCm and with Vulkan."""


def test_a_backend_changes_the_speed_as_the_same_machine_s_two_runs_do() -> None:
    differences = []
    for model, checkpoint, rocm, vulkan in VULKAN_BESIDE_ROCM:
        own, other = (runs()[run].figures.decode_tokens_per_s for run in (rocm, vulkan))
        assert own is not None
        assert other is not None
        plain, changed = (
            ask(
                model, checkpoint, rocm, "llama-cpp",
                workload=Workload(1_024, 1, "f16"), settings=Settings(backend=backend),
            ).speed
            for backend in ("", "vulkan-radv")
        )  # fmt: skip
        assert plain is not None
        assert changed is not None
        estimated = changed.single_tokens_per_s.mid / plain.single_tokens_per_s.mid
        differences.append(estimated / (other / own))
    assert 0.9 < statistics.median(differences) < 1.1
    assert all(0.8 < one < 1.2 for one in differences)


def test_scores_that_are_not_fused_slow_a_prompt() -> None:
    # two RTX cards without flash attention, llama.cpp discussion 15013
    for run in ("c2113", "c2115"):
        measured = runs()[run].figures.prefill_tokens_per_s
        assert measured is not None
        fused, bare = (
            ask(
                "llama-2-7b", "q4-0", run, "llama-cpp",
                workload=Workload(512, 1, "f16"), settings=Settings(flash_attention=flash),
            ).speed
            for flash in (True, False)
        )  # fmt: skip
        assert fused is not None
        assert bare is not None
        assert fused.prefill_tokens_per_s is not None
        assert bare.prefill_tokens_per_s is not None
        assert bare.prefill_tokens_per_s.mid < fused.prefill_tokens_per_s.mid
        assert bare.prefill_tokens_per_s.low <= measured <= bare.prefill_tokens_per_s.high


def test_larger_steps_reach_the_reading_of_prompts_and_smaller_ones_leave_it_out() -> None:
    def reading(tokens: int | None) -> tuple[float | None, bool]:
        speed = ask(
            "qwen3-coder-30b-a3b-instruct", "q4-k-m", "1x-rtx-4090", "llama-cpp",
            settings=Settings(micro_batch_tokens=tokens),
        ).speed  # fmt: skip
        assert speed is not None
        read = speed.prefill_tokens_per_s
        return (None if read is None else read.mid), speed.small_steps

    usual, larger = reading(None)[0], reading(2_048)[0]
    assert usual is not None
    assert larger is not None
    assert reading(512) == (usual, False)
    assert larger > usual
    assert reading(128) == (None, True)


@pytest.mark.parametrize(
    ("model", "quantization", "gpu", "least", "most"),
    [
        # llama.cpp pull requests 7860 (RTX 4090) and 8416 (RX 6800): steps of 256 against 512
        ("llama-3-8b-instruct", "q4-k-m", "1x-rtx-4090", 8_532 / 9_267, 0.99),
        # pull request 26977: OLMoE 1B 7B, before and after it
        ("qwen3-coder-30b-a3b-instruct", "q4-k-m", "1x-rtx-4090", 19_003 / 27_705, 20_743 / 27_765),
    ],
)
def test_half_of_the_usual_steps_read_prompts_as_fast_as_others_measured(
    model: str, quantization: str, gpu: str, least: float, most: float
) -> None:
    usual, half = (
        ask(
            model, quantization, gpu, "llama-cpp", settings=Settings(micro_batch_tokens=tokens)
        ).speed
        for tokens in (None, 256)
    )  # fmt: skip
    assert usual is not None
    assert half is not None
    assert usual.prefill_tokens_per_s is not None
    assert half.prefill_tokens_per_s is not None
    by_mid = usual.prefill_tokens_per_s.mid
    assert half.prefill_tokens_per_s.low < least * by_mid
    assert most * by_mid < half.prefill_tokens_per_s.high
    assert least * 0.95 < half.prefill_tokens_per_s.mid / by_mid < most * 1.1


def test_batched_tokens_reach_the_reading_of_prompts() -> None:
    usual = ask("qwen3-8b", "bf16", "1x-rtx-4090", "vllm")
    small = ask(
        "qwen3-8b", "bf16", "1x-rtx-4090", "vllm", settings=Settings(max_num_batched_tokens=256)
    )
    assert usual.speed is not None
    assert small.speed is not None
    assert usual.speed.prefill_tokens_per_s is not None
    assert (small.speed.prefill_tokens_per_s, small.speed.small_steps) == (None, True)
    assert small.speed.single_tokens_per_s == usual.speed.single_tokens_per_s


def test_a_backend_has_an_assessment_of_its_own() -> None:
    question = ("gpt-oss-20b", "mxfp4-moe", "1x-strix-halo", "llama-cpp")
    plain = ask(*question)
    assert ask(*question, settings=Settings(backend="vulkan-radv")).id != plain.id
    assert replace(plain.settings, backend="x") != plain.settings


def test_sequences_are_counted_to_the_policy_and_the_answer_says_so() -> None:
    found = ask("qwen3-0.6b", "q4-k-m", "1x-rtx-pro-6000-blackwell", "llama-cpp")
    assert found.limits is not None
    assert found.limits.sequences_at[8_192] == found.limits.counted_to == 64
    assert found.speed is not None
    assert (found.speed.batch, found.speed.capped) == (64, True)
    paged = ask("qwen3-0.6b", "bf16", "1x-rtx-pro-6000-blackwell", "vllm")
    assert paged.limits is not None
    assert paged.limits.counted_to == 0


def test_more_users_than_the_policy_counts_are_served_where_they_fit() -> None:
    found = ask(
        "qwen3-0.6b", "q4-k-m", "1x-rtx-pro-6000-blackwell", "llama-cpp",
        workload=Workload(2_048, 100, "f16"),
    )  # fmt: skip
    assert found.speed is not None
    assert (found.speed.batch, found.speed.capped) == (100, False)
