"""The speed model, as sums that a reader can redo."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.fit.assessment import REFERENCE_WORKLOAD
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.models.cache_kinds import (
    FullAttention,
    LatentAttention,
    RecurrentState,
    SlidingAttention,
)
from sitegen.physics.gpu_groups import NO_HOPS, GpuGroup, exact_set
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Settings
from sitegen.physics.speed.constants import computed_as, matmul_efficiency
from sitegen.physics.speed.estimate import SpeedModel
from sitegen.physics.speed.pipeline import ReplicaPipeline
from sitegen.physics.speed.roofline import stage_seconds, stage_terms, streamed_s, tensor_link_s
from sitegen.physics.traffic import attention_flops, cache_read_bytes, score_count
from sitegen.published.accuracy.speed import compare_speeds
from sitegen.published.accuracy.speed_runs import (
    BenchmarkPlans,
    Case,
    judgeable,
    predicted,
    timings,
)
from tests.fit.questions import catalog, combo, engine, model
from tests.physics.shapes import PEAKS, link, shape_of, shares, thrice, work
from tests.survey.whole_catalog import whole_catalog

WORK = work(dense=0.04, flops=0.01, layers=80)


def llama_70b_link_s(tokens: int, latency_us: float, gb_s: float) -> float:
    """What a Llama of 80 layers and 8,192 wide pays for a step cut over two GPUs."""
    found = link(latency_us * 1e-6, gb_s * 1e9)
    return tensor_link_s(8_192, 80, 2, tokens, link=found, growth=thrice(0.0))[1]


@pytest.mark.parametrize(
    ("latency_us", "gb_s", "milliseconds"),
    [
        (5, 288, 0.8), (20, 8, 3.5), (56, 20, 9.1), (68, 6, 11.3), (70, 2.5, 12.2),
        (90, 1.1, 16.8), (300, 2.2, 49.2), (160, 0.28, 35.0), (200, 0.118, 54.2),
        (2_000, 0.06, 364),
    ],
)  # fmt: skip
def test_two_ranks_of_a_70b_pay_161_all_reduces_a_token(
    latency_us: float, gb_s: float, milliseconds: float
) -> None:
    # 2 x 80 + 1 all-reduces of 16 KiB: latency plus half the payload twice over the bus
    paid = llama_70b_link_s(1, latency_us, gb_s)
    assert paid * 1e3 == pytest.approx(milliseconds, rel=0.015, abs=0.06)


def test_gigabit_ethernet_takes_three_quarters_of_a_minute_for_a_prompt() -> None:
    # 161 x (200 us + 2,048 x 16 KiB / 0.118 GB/s)
    paid = llama_70b_link_s(2_048, 200, 0.118)
    assert paid == pytest.approx(161 * (200e-6 + 2_048 * 16_384 / 0.118e9))
    assert 45 < paid < 47


def test_a_stage_is_bound_by_the_slower_of_memory_and_compute() -> None:
    found = shares(dense=thrice(0.5), compute=thrice(0.1))
    assert stage_seconds(WORK, found)[1] == pytest.approx(max(0.04 / 0.5, 0.01 / 0.1))


def test_overhead_counts_layers_experts_states_steps_and_streams() -> None:
    done = replace(WORK, mixture=40, recurrent=60, steps=4, streams=8)
    found = shares(overhead=thrice(1e-5), mixture=0.5, recurrent=0.25, stream=thrice(2e-5))
    other = stage_terms(done, found)[2][1]
    assert other == pytest.approx(4 * (80 + 20 + 15) * 1e-5 + 8 * 2e-5)


def test_attention_over_a_prompt_sees_half_of_it_on_average() -> None:
    full = shape_of(FullAttention(8, 128, 128), heads=64)
    found = attention_flops(full, [80], 2_048, 0)
    assert found == 80 * 2 * 64 * 256 * 2_048 * 1_024
    windowed = shape_of(SlidingAttention(8, 128, 128, 512), heads=64)
    assert attention_flops(windowed, [80], 2_048, 0) == found / 2


def test_scores_of_attention_that_is_not_fused_go_through_memory() -> None:
    # two chunks of 512: the first sees 512 tokens, the second 1,024, on each of 32 heads
    shape = shape_of(FullAttention(8, 128, 128), RecurrentState(0, 1, 1, 1), heads=32)
    found = score_count(shape, [10, 30], 1_024, 0, 512)
    assert found == 10 * 32 * (512 * 512 + 512 * 1_024)
    assert score_count(shape, [10, 30], 1_024, 100, 512) == found + 10 * 32 * 1_024 * 100
    bare = stage_seconds(WORK, PEAKS)[1]
    moved = stage_seconds(replace(WORK, scores=0.01), shares(dense=thrice(0.5)))[1]
    assert moved == pytest.approx(0.04 / 0.5 + 0.01 / 0.5)
    assert bare == 0.04


def test_a_rank_holds_the_whole_compressed_key_but_a_share_of_other_keys() -> None:
    latent, grouped = shape_of(LatentAttention(512, 64)), shape_of(FullAttention(8, 128, 128))
    for tp in (1, 8):
        assert cache_read_bytes(latent, [1], tp, 1_000, 16) == 1_152_000
    assert cache_read_bytes(grouped, [1], 8, 1_000, 16) == 512_000


def test_stages_read_a_prompt_behind_one_another() -> None:
    # two stages, four chunks of a second each: five seconds, not eight
    assert streamed_s(8.0, 4.0, 4) == 5.0
    assert streamed_s(8.0, 4.0, 1) == 8.0


def test_products_of_few_rows_are_less_efficient() -> None:
    assert matmul_efficiency(128, 0.5) == matmul_efficiency(4_096, 0.5) == 1
    assert matmul_efficiency(32, 0.5) == 0.5


Question = tuple[str, str, str, int, str]
QUESTIONS: tuple[Question, ...] = (
    ("llama-cpp", "llama70", "q4-k-m", 2, "rtx-4090"),
    ("vllm", "llama70", "awq-4bit-g128", 4, "rtx-3090"),
    ("llama-cpp", "gptoss120", "mxfp4-moe", 4, "rtx-4090"),
)
"""Runtime, model, checkpoint, how many of which GPU."""


@cache
def a_path(question: Question) -> tuple[ReplicaPipeline, GpuGroup]:
    runtime, name, checkpoint, count, gpu = question
    of, where = model(name), combo(*[gpu] * count, link="pcie-4-x16")
    served = catalog().runtimes[runtime]
    found = next(c for c in of.checkpoints if c.id == checkpoint)
    profile = profile_of(served)
    assert profile is not None
    prepared = engine().prepare(ServedCheckpoint(of, found, served, profile))
    devices = exact_set(where, count, catalog().assumptions)
    evaluation = prepared.evaluations(devices, REFERENCE_WORKLOAD, Settings())[0]
    assert evaluation.pipeline is not None
    return evaluation.pipeline, devices


def test_cores_without_helpers_take_their_time_to_unpack_weights() -> None:
    """Llama 3.1 8B on a P40: 15.7 cycles a weight, but for the table of words that is looked up."""
    works = SpeedModel(catalog().assumptions).works

    def unpack_s(checkpoint: str, gpu: str, batch: int = 1) -> float:
        path, _ = a_path(("llama-cpp", "llama8", checkpoint, 1, gpu))
        return works.decode(path, path.stages[0], 1_024, batch).unpack

    weights = 8_030_261_248 - 128_256 * 4_096
    by_hand = weights * 15.7 / (3_840 * 1.531e9)
    assert unpack_s("q4-k-m", "p40") == pytest.approx(by_hand, rel=0.001)
    assert unpack_s("q4-k-m", "p40", batch=8) == unpack_s("q4-k-m", "p40")  # once for all
    assert unpack_s("q8-0", "p40") == 0
    assert unpack_s("q4-k-m", "rtx-3090") == 0  # a pipe of its own, and tensor cores


def test_a_small_card_that_set_no_constant_writes_as_fast_as_its_cores_unpack() -> None:
    """27 runs of one stranger on a GTX 1050 Ti: memory alone would allow twice what it wrote."""
    speeds, ratios = SpeedModel(whole_catalog().assumptions), []
    for _, run, case in BenchmarkPlans(whole_catalog()).all():
        if isinstance(case, Case) and run.stranger and case.group.gpus[0].gpu.id == "gtx-1050-ti":
            ratios += [
                predicted(speeds, case, timing)[1] / timing.measured for timing in timings(case)
            ]
    assert len(ratios) == 27
    assert 0.85 < sorted(ratios)[13] < 1.15


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q[0]}-{q[1]}")
@given(depth=st.integers(0, 60_000), more=st.integers(1, 60_000), batch=st.integers(1, 64))
def test_depth_never_makes_decode_faster(
    question: Question, depth: int, more: int, batch: int
) -> None:
    path, devices = a_path(question)
    speeds = SpeedModel(catalog().assumptions)
    shallow = speeds.step_s(path, devices, depth, batch)
    deep = speeds.step_s(path, devices, depth + more, batch)
    assert all(before <= after for before, after in zip(shallow, deep, strict=True))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q[0]}-{q[1]}")
@given(factor=st.floats(1.01, 8))
def test_more_bandwidth_is_never_slower(question: Question, factor: float) -> None:
    path, devices = a_path(question)
    speeds = SpeedModel(catalog().assumptions)

    def widened(by: float) -> ReplicaPipeline:
        stages = tuple(
            replace(stage, slowest=replace(stage.slowest, gpu=replace(
                stage.slowest.gpu,
                memory_bandwidth_bytes_per_s=int(
                    stage.slowest.gpu.memory_bandwidth_bytes_per_s * by
                ),
            )))
            for stage in path.stages
        )  # fmt: skip
        return replace(path, stages=stages)

    before = speeds.single(path, devices, context=4_096)
    after = speeds.single(widened(factor), devices, context=4_096)
    assert before.low <= after.low
    assert before.high <= after.high


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q[0]}-{q[1]}")
def test_bounds_are_in_order_and_the_largest_part_is_named(
    question: Question,
) -> None:
    path, devices = a_path(question)
    speeds = SpeedModel(catalog().assumptions)
    found = speeds.speed(path, devices, context=4_096, batch=8, replicas=1)
    for one in (found.single_tokens_per_s, found.aggregate_tokens_per_s, found.first_token_s):
        assert one is not None
        assert 0 < one.low < one.mid < one.high
    parts = speeds.parts(path, devices, 4_096)
    assert parts[found.bound] == max(parts.values())
    token = speeds.token_s(path, devices, 4_096, 1)[1]
    assert sum(parts.values()) == pytest.approx(token)


def test_a_gpu_without_a_rate_has_no_first_token_and_decodes_as_its_memory_allows() -> None:
    path, groups = a_path(QUESTIONS[0])
    unknown = replace(path.stages[0].slowest.gpu, fp16_flops_per_s=None)
    stage = replace(path.stages[0], slowest=replace(path.stages[0].slowest, gpu=unknown))
    speeds = SpeedModel(catalog().assumptions)
    without = replace(path, stages=(stage,))
    assert speeds.first_token_s(without, 2_048) is None
    by_memory = speeds.token_s(without, groups, 512, 1)[1]
    known = speeds.token_s(replace(path, stages=path.stages[:1]), groups, 512, 1)[1]
    assert by_memory == pytest.approx(known, rel=0.1)


def test_a_power_limit_slows_arithmetic_more_than_memory() -> None:
    path, devices = a_path(QUESTIONS[1])
    speeds = SpeedModel(catalog().assumptions)
    limited = replace(path, power=0.5)
    decode = speeds.token_s(limited, devices, 512, 1)[1] / speeds.token_s(path, devices, 512, 1)[1]
    whole, slowed = speeds.first_token_s(path, 4_096), speeds.first_token_s(limited, 4_096)
    assert whole is not None
    assert slowed is not None
    assert 1 <= decode < slowed[1] / whole[1]


def test_no_prompt_is_judged_in_a_width_whose_rate_is_not_recorded() -> None:
    """GPUs have a rate of 16-bit arithmetic; weights and cache of 32 bits are read all the same."""
    source, run = next(
        (source.id, run)
        for source in whole_catalog().benchmarks.values()
        for run in source.runs
        if run.subject.runtime == "vllm"
        and run.workload.kv_dtype == "f16"
        and run.figures.prefill_tokens_per_s
    )
    wide = replace(run, subject=replace(run.subject, checkpoint="", quantization="fp32"))
    cases = BenchmarkPlans(whole_catalog())
    for one, judged, bits in ((run, True, 16), (wide, False, 32)):
        case = cases.case(one, source)
        assert isinstance(case, Case)
        assert case.path.kv_bits == bits
        prompts = [t for t in timings(case) if t.quantity == "prefill"]
        assert prompts
        assert {judgeable(case, t) for t in prompts} == {judged}


@pytest.mark.parametrize(("gpu", "widened"), [("a100-80gb-sxm", True), ("rtx-3090", True),
    ("h100-sxm", False), ("rtx-4090", False), ("mi300x", False)])  # fmt: skip
def test_fp8_is_computed_as_bf16_where_tensor_cores_have_no_fp8(gpu: str, widened: bool) -> None:
    """The code of vLLM (``marlin_utils_fp8.py``) widens weights below compute capability 8.9."""
    assert computed_as("fp8", catalog().gpus[gpu]) == ("bf16" if widened else "fp8")
    assert computed_as("awq", catalog().gpus[gpu]) == "awq"


@pytest.mark.parametrize("streams", [2, 32, 64])
def test_streams_of_a_pipeline_wait_for_every_stage(streams: int) -> None:
    """Two GPUs, two stages: half of the streams are in each, and a token passes both.

    Every stream gets a token in the time in which its half passes both stages, so that the batch
    gets at most what one pass of all would give if a stage took no longer for all than for half.
    """
    path, devices = a_path(("vllm", "llama70", "awq-4bit-g128", 2, "rtx-3090"))
    stage = path.stages[0]
    halves = replace(path, tp=1, stages=(stage, stage), hops=NO_HOPS)
    speeds = SpeedModel(catalog().assumptions)
    for low, one in zip(
        speeds.step_s(halves, devices, 8_192, streams),
        speeds.token_s(replace(halves, stages=(stage,)), devices, 8_192, streams // 2),
        strict=True,
    ):
        assert low == pytest.approx(2 * one, rel=0.001)


def test_a_single_stream_of_a_pipeline_takes_the_time_of_one_pass() -> None:
    path, devices = a_path(("vllm", "llama70", "awq-4bit-g128", 2, "rtx-3090"))
    stage = path.stages[0]
    halves = replace(path, tp=1, stages=(stage, stage), hops=NO_HOPS)
    speeds = SpeedModel(catalog().assumptions)
    alone = speeds.token_s(halves, devices, 8_192, 1)
    assert speeds.step_s(halves, devices, 8_192, 1) == pytest.approx(alone)


def test_many_streams_of_fp8_on_four_3090_get_what_bf16_gives() -> None:
    """lottolottolotto-4x3090: 307.5 tokens/s of BF16 to 43 streams, 305.3 of FP8 to 96."""
    runs = {one.run: one for one in compare_speeds(whole_catalog()).comparisons}
    plain, narrow = runs["c0376"], runs["c0380"]
    assert narrow.measured / plain.measured == pytest.approx(0.993, abs=0.001)
    assert narrow.predicted.mid / plain.predicted.mid == pytest.approx(1, abs=0.15)
