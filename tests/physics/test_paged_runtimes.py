"""Runtimes that serve from a pool, checked by hand arithmetic and against public logs."""

from __future__ import annotations

from dataclasses import astuple, replace

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier
from sitegen.fit.fit_engine import expert_tiles
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.models.cache_kinds import FullAttention, LatentAttention, RecurrentState
from sitegen.physics import cache_types
from sitegen.physics.gpu_groups import exact_set
from sitegen.physics.memory.block_layout import BlockRules, CacheType, block_layout
from sitegen.physics.memory.paged import PagedEngine, as_typed
from sitegen.physics.memory.paged_profile import FixedBytes, LayerPeak, RankPlace
from sitegen.physics.memory.paged_replica import PagedReplica
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Settings, Workload
from sitegen.physics.reduced_checkpoint import reduce_checkpoint
from sitegen.physics.tensor_cut import RankCut, rank_weights
from sitegen.units import GIB, MIB
from tests.fit.questions import ask, catalog, combo, engine, model, with_visible
from tests.physics.shapes import shape_of, step_of
from tests.survey.whole_catalog import whole_catalog, whole_engine

PLAIN = Workload(8_192, 1, "f16")


def lay_out(
    what: LanguageModel,
    checkpoint: str,
    where: Combo,
    runtime: str,
    version: str = "",
    *,
    split: tuple[int, int] = (1, 1),
    workload: Workload = PLAIN,
    settings: Settings | None = None,
) -> PagedReplica:
    """One replica on the first GPUs of a combo."""
    served = catalog().runtimes[runtime]
    profile = profile_of(served, version)
    assert profile is not None
    chosen = next(c for c in what.checkpoints if c.id == checkpoint)
    prepared = engine().prepare(ServedCheckpoint(what, chosen, served, profile))
    assert isinstance(prepared.memory, PagedEngine)
    settings = settings or Settings()
    size = split[0] * split[1] * settings.attention_copies
    devices = exact_set(where, size, catalog().assumptions)
    return prepared.memory.replica(prepared.reduced, devices, split, workload, settings)


def test_sglang_reserves_chunk_graphs_and_ranks_and_gives_the_rest_to_weights_and_cache() -> None:
    """SGLang 0.5.23, ``memory_hook.py``, on an H100 of 81,559 MiB with default settings.

    512 + 1.5 x 8,192 tokens + 1,024 / 8 ranks + 2 x 256 sequences + 8 x 58 prefill graphs
    = 13,904 MiB; (81,559 - 13,904) / 81,559 = 0.82952, rounded to three digits 0.830.
    """
    h100 = with_visible(combo("h100-sxm"), 81_559 * MIB)
    found = lay_out(model("llama8"), "bf16", h100, "sglang")
    context = found.shape.fixed[0].context[1]
    assert found.budget_bytes == int(0.830 * (81_559 * MIB - context))
    # what the pool gets is that share without the weights: free memory after loading, less 17 %
    assert found.pool_bytes(0) == found.budget_bytes - found.shape.fixed[0].weights[1]


@pytest.mark.parametrize(
    ("gpu", "mib", "tp", "share"),
    [
        # 512 + 1.5 x 4,096 + 128 + 2 x 48 + 8 x 50 = 7,280
        ("rtx-4090", 24_564, 1, 0.704),
        # 512 + 6,144 + 4 x 128 + 2 x 160 + 400 = 7,888
        ("rtx-4090", 24_564, 4, 0.679),
        # 512 + 1.5 x 2,048 + 128 + 2 x 8 + 8 x 42 = 4,064
        ("rtx-4080", 16_376, 1, 0.752),
    ],
)
def test_sglang_reserves_less_on_smaller_gpus(gpu: str, mib: int, tp: int, share: float) -> None:
    where = with_visible(combo(*([gpu] * tp), link="pcie-4-x16" if tp > 1 else ""), mib * MIB)
    found = lay_out(model("llama8"), "fp8", where, "sglang", split=(tp, 1))
    fixed = found.shape.fixed[0]
    free = mib * MIB - fixed.context[1] - fixed.communication[1]
    assert found.budget_bytes == int(share * free)


def test_sglang_keeps_ten_gib_of_a_large_gpu_and_more_for_latent_attention() -> None:
    """DeepSeek-V3 over eight H200 of 143,771 MiB.

    512 + 12,288 + 8 x 128 + 2 x 512 + 1,536 for latent prefill graphs = 16,384 MiB: 0.886.
    """
    h200 = with_visible(combo(*["h200-sxm"] * 8, link="nvswitch-gen3"), 143_771 * MIB)
    found = lay_out(model("dsv3"), "fp8-block", h200, "sglang", split=(8, 1))
    fixed = found.shape.fixed[0]
    free = 143_771 * MIB - fixed.context[1] - fixed.communication[1]
    assert found.budget_bytes == int(0.886 * free)


def test_sglang_hands_the_pool_out_token_by_token() -> None:
    """Kimi K2.6 logs 13.71 GB for 209,413 tokens; it caches as DeepSeek-V3 does: 61 x 576 x 2."""
    found = lay_out(
        model("dsv3"),
        "bf16",
        combo(*["h200-sxm"] * 8, link="nvswitch-gen3"),
        "sglang",
        split=(8, 1),
    )
    blocks = found.shape.blocks[0]
    assert blocks.token_pool(GIB) == GIB
    assert blocks.token_bytes() == 61 * 576 * 2
    assert blocks.pool_tokens(int(13.71 * GIB)) == pytest.approx(209_413, rel=0.001)


def test_sglang_sizes_the_sliding_pool_as_a_share_of_the_main_one() -> None:
    """Gemma 3 27B: 10 global and 52 sliding layers of 8,192 B; 0.8 tokens of the second a token."""
    found = lay_out(model("gemma27"), "bf16", combo("h100-sxm"), "sglang")
    assert found.shape.blocks[0].token_bytes() == int(10 * 8_192 + 0.8 * 52 * 8_192)


def test_sglang_keeps_three_slots_of_recurrent_state_for_a_request() -> None:
    """Qwen3.8-27B on a GB10: 360 slots take 0.99 + 50.77 GB (log of 2026-09-20)."""
    what = model("qwen35_27", mamba_ssm_dtype="float32")
    found = lay_out(what, "bf16", combo("h100-sxm"), "sglang")
    blocks = found.shape.blocks[0]
    row = next(row for row in blocks.rows if row.kept.word == "state")
    # the pool of tokens is what the state's 0.9 of each 1.9 bytes leaves
    assert blocks.token_pool(19 * GIB) == pytest.approx(10 * GIB, rel=1e-5)
    assert row.layers * row.kept.state_bytes / 3 * 360 == pytest.approx(
        (0.99 + 50.77) * GIB, rel=0.005
    )


def test_sglang_takes_from_the_pool_what_its_reserve_cannot_hold() -> None:
    """A share of 0.99 leaves less than graphs and activations need: the budget shrinks to that."""
    h100 = combo("h100-sxm")
    found = lay_out(
        model("llama8"), "bf16", h100, "sglang", settings=Settings(memory_fraction=0.99)
    )
    fixed, seen = found.shape.fixed[0], h100.gpus[0].visible_bytes
    outside = fixed.context[1] + fixed.compute[1] + fixed.graphs[1]
    assert found.budget_bytes == seen - outside


def test_tensorrt_llm_takes_nine_tenths_of_what_is_free() -> None:
    """A log of a 31.84 GiB GPU: 17.83 GiB free when the cache is sized, 16.05 GiB allotted."""
    profile = profile_of(catalog().runtimes["tensorrt-llm"])
    assert profile is not None
    memory = PagedEngine(profile)
    held = int((31.84 - 17.83) * GIB)
    nothing = (0, 0, 0)
    fixed = FixedBytes((held, held, held), nothing, nothing, nothing, nothing)
    budget, counted = memory.constants.share.budget(
        memory.constants, shape_of(), RankPlace(step_of(), 1, 1, 0), fixed, 0, int(31.84 * GIB), 0
    )
    assert counted == held
    assert (budget - counted) / GIB == pytest.approx(16.05, abs=0.01)


def test_tensorrt_llm_activations_hold_the_logged_execution_context() -> None:
    """TensorRT-LLM issue 2683: 2,265.58 MiB for DeepSeek-V3 over eight H20 at 8,192 tokens."""
    h20 = combo(*["h200-sxm"] * 8, link="nvswitch-gen3")
    found = lay_out(model("dsv3"), "fp8-block", h20, "tensorrt-llm", split=(8, 1))
    low, mid, high = found.shape.fixed[0].compute
    # 2 bytes x 8,192 tokens x 128 heads x 128 x 5 copies x 2.1 for experts
    assert mid == int(2 * 8_192 * 16_384 * 5 * 2.1)
    assert low <= 2_265.58 * MIB <= high


def test_data_parallel_attention_repeats_attention_and_deals_out_experts() -> None:
    """Qwen3-30B-A3B over two data parallel ranks loads 29.88 GiB each (vLLM issue 30942)."""
    pair = combo("h100-sxm", "h100-sxm", link="nvswitch-gen3")
    settings = Settings(data_parallel_size=2)
    found = lay_out(model("qwen3_30"), "bf16", pair, "vllm", settings=settings)
    assert found.shape.fixed[0].weights[1] / GIB == pytest.approx(29.88, rel=0.002)
    # each rank caches every KV head of its own requests
    alone = lay_out(model("qwen3_30"), "bf16", pair, "vllm")
    assert [astuple(one) for one in found.shape.blocks] == [
        astuple(one) for one in alone.shape.blocks
    ]
    one, two = (found.utilization(8_192, n) for n in (1, 2))
    assert one == two
    assert len(found.ledger(8_192, 2)) == 2


def test_experts_dealt_out_whole_are_not_cut_through_a_block() -> None:
    """Experts of 768 in FP8 blocks of 128: four cuts of 192 are refused, whole experts are not."""
    four = combo(*["h200-sxm"] * 4, link="nvswitch-gen3")
    what = model("qwen3_30")
    cut = ask(what, "fp8-block", four, "vllm", tp=4)
    assert [reason.code for reason in cut.reasons] == ["TP_FP8_BLOCK"]
    dealt = Settings(expert_parallel=True)
    whole = ask(what, "fp8-block", four, "vllm", tp=4, settings=dealt)
    assert whole.plan is not None
    dense = ask(model("llama8"), "bf16", four, "vllm", tp=4, settings=dealt)
    assert [reason.code for reason in dense.reasons] == ["EP_UNSUPPORTED"]


def test_ranks_that_share_the_context_hold_a_part_of_every_token() -> None:
    """GLM-5.2 on four GPUs: 8.25 GiB for 164,160 tokens, 6.96 for 554,759 with four sharing.

    78 layers of 656 B (512 + 16 of scales + 64 x 2), 21 with an indexer of 128 + 4: 53,940 B.
    """
    vllm = profile_of(catalog().runtimes["vllm"])
    assert vllm is not None
    shape = shape_of(
        LatentAttention(512, 64, sparse=True), LatentAttention(512, 64, 128, sparse=True)
    )
    rules = replace(PagedEngine(vllm).constants.blocks, hybrid_padding=False)
    alone, shared = (
        block_layout(shape, rules, [57, 21], tp=4, context_ranks=ranks, stored=CacheType(8))
        for ranks in (1, 4)
    )
    assert alone.token_bytes() == 78 * 656 + 21 * 132 == 53_940
    logged = 8.25 * GIB / 164_160
    assert logged == pytest.approx(53_940, rel=0.001)
    assert shared.pool_tokens(int(6.96 * GIB)) == pytest.approx(554_759, rel=0.002)
    whole, part = (one.request_bytes(65_536, 0) for one in (alone, shared))
    assert whole == 4 * part


def test_ranks_share_the_context_only_where_tensor_parallelism_repeats_the_cache() -> None:
    eight = combo(*["h100-sxm"] * 8, link="nvswitch-gen3")
    settings = Settings(decode_context_parallel_size=2)
    refused = ask(model("llama8"), "bf16", eight, "vllm", tp=8, settings=settings)
    assert [reason.code for reason in refused.reasons] == ["DCP_SIZE"]
    fine = ask(model("dsv3"), "fp8-block", combo(*["h200-sxm"] * 8, link="nvswitch-gen3"), "vllm",
               tp=8, settings=settings)  # fmt: skip
    assert fine.plan is not None


@pytest.mark.parametrize("name", ["gemma-3-27b-it", "qwen3.6-35b-a3b", "deepseek-v4-flash"])
def test_ranks_share_no_windows_compressed_keys_or_states(name: str) -> None:
    """``v1/core/single_type_kv_cache_manager.py`` of vLLM 0.33: "DCP not support mamba now"."""
    what, eight = whole_catalog().models[name], combo(*["h200-sxm"] * 8, link="nvswitch-gen3")
    settings = Settings(decode_context_parallel_size=2)
    found = ask(what, what.checkpoints[0].id, eight, "vllm", tp=8, settings=settings)
    assert [reason.code for reason in found.reasons] == ["DCP_KINDS"]


@pytest.mark.parametrize(
    ("gpu", "runtime", "kv_dtype", "ranks", "code"),
    [
        ("h200-sxm", "vllm", "f16", 2, "DCP_CACHE"),
        ("h200-sxm", "vllm", "fp8", 4, ""),
        ("h200-sxm", "vllm", "fp8", 8, "DCP_HEADS"),
        ("b200-sxm", "vllm", "f16", 8, ""),
        ("rtx-pro-6000-blackwell-server", "vllm", "fp8", 2, "DCP_GPU"),
        ("mi300x", "vllm", "f16", 2, "DCP_GPU"),
        ("h200-sxm", "sglang", "fp8", 2, "DCP_GPU"),
        ("b200-sxm", "sglang", "f16", 8, ""),
        ("h200-sxm", "tensorrt-llm", "f16", 2, "DCP_UNSUPPORTED"),
    ],
)
def test_a_cache_of_sparse_attention_is_shared_where_the_backend_can(
    gpu: str, runtime: str, kv_dtype: str, ranks: int, code: str
) -> None:
    """DeepSeek V3.2 has 128 heads, so that eight ranks of eight gather all of them."""
    what = whole_catalog().models["deepseek-v3.2"]
    where, workload = combo(*[gpu] * 8, link="nvswitch-gen3"), Workload(8_192, 1, kv_dtype)
    settings = Settings(decode_context_parallel_size=ranks)
    found = ask(what, "fp8-block", where, runtime, tp=8, workload=workload, settings=settings)
    assert [reason.code for reason in found.reasons if reason.code.startswith("DCP")] == (
        [code] if code else []
    )
    assert (found.plan is None) == bool(code)


def test_prediction_layers_take_weights_and_the_cache_of_one_more_layer() -> None:
    what = replace(model("glm47"), mtp_parameters=5_539_962_272, id="glm47-mtp")
    eight = combo(*["h200-sxm"] * 8, link="nvswitch-gen3")
    plain, drafted = (
        lay_out(what, "bf16", eight, "vllm", split=(8, 1), settings=Settings(prediction_layers=on))
        for on in (False, True)
    )
    more = drafted.shape.fixed[0].weights[1] - plain.shape.fixed[0].weights[1]
    assert more == -(-2 * 5_539_962_272 // 8)
    per_token = [one.shape.blocks[0].token_bytes() for one in (plain, drafted)]
    assert per_token[1] * 92 == per_token[0] * 93
    none = ask(model("llama8"), "bf16", eight, "vllm", settings=Settings(prediction_layers=True))
    assert none.plan is None
    assert none.verdict_need_bytes == 0


def test_scheduler_defaults_follow_the_version() -> None:
    """Defaults of the OpenAI server in the wheels' ``engine/arg_utils.py``."""

    def sizes(
        gpu: str, version: str, unified_gib: int = 0, context: int = 8_192
    ) -> tuple[int, int]:
        where = combo(gpu, unified_gib=unified_gib)
        asked = Workload(context, 1, "f16")
        shape = lay_out(model("llama8"), "bf16", where, "vllm", version, workload=asked).shape
        flight = 1 if version in {"0.7.3", "0.8.5", "0.11.0", "0.25.0"} else 2
        return shape.in_flight_tokens // flight, shape.max_num_seqs

    # the first engine cut no prompt of up to 32,768 tokens (0.7.3, ``config.py``)
    assert sizes("h100-sxm", "0.7.3", context=1_024) == (2_048, 256)
    assert sizes("h100-sxm", "0.7.3") == (8_192, 256)
    assert sizes("h100-sxm", "0.7.3", context=32_768) == (32_768, 256)
    assert sizes("h100-sxm", "0.7.3", context=65_536) == (2_048, 256)
    assert sizes("a100-80gb-sxm", "0.8.5") == (8_192, 1_024)
    assert sizes("a100-80gb-sxm", "0.11.0") == (2_048, 256)
    assert sizes("b200-sxm", "0.25.0") == (8_192, 1_024)
    assert sizes("b200-sxm", "0.28.0") == (16_384, 1_024)
    assert sizes("dgx-spark", "0.30.0", unified_gib=128) == (8_192, 1_024)
    assert sizes("dgx-spark", "0.33.0", unified_gib=128) == (2_048, 256)


def test_share_and_graphs_follow_the_version() -> None:
    """0.92 and graphs inside the share since 0.20 (wheels' ``config/cache.py``, ``envs.py``)."""
    h100 = combo("h100-sxm")
    for version, share, inside in (("0.19.0", 0.9, False), ("0.20.0", 0.92, True)):
        found = lay_out(model("llama8"), "bf16", h100, "vllm", version)
        assert found.budget_bytes == int(share * h100.gpus[0].visible_bytes)
        assert found.shape.with_graphs is inside


def test_a_start_that_left_no_room_for_the_warm_up_is_not_comfortable() -> None:
    """gpt-oss-20b on one H100 at 0.95 ran out of memory in the sampler's warm-up, vLLM 0.19."""
    h100 = with_visible(combo("h100-sxm"), int(79.19 * GIB))
    settings = Settings(memory_fraction=0.95)
    found = ask(model("gptoss20"), "mxfp4", h100, "vllm", "0.19.0", settings=settings)
    assert found.tier is FitTier.BORDERLINE
    assert [reason.code for reason in found.reasons] == ["START_ROOM"]
    assert found.cure is not None
    assert found.cure.code == "LOWER_MEMORY_FRACTION"


def test_a_regression_of_two_versions_warns_for_the_format_it_hits() -> None:
    """Quantizing to FP8 while loading ran out of memory in 0.13 and 0.14 (pull request 32773)."""
    h200 = combo("h200-sxm")
    for version, codes in (("0.12.0", set()), ("0.14.1", {"KNOWN_DEFECT"}), ("0.15.0", set())):
        found = ask(model("qwen3_30"), "fp8", h200, "vllm", version)
        assert {reason.code for reason in found.reasons} == codes
    untouched = ask(model("qwen3_30"), "bf16", h200, "vllm", "0.13.0")
    assert untouched.reasons == ()


def test_shared_memory_holds_pages_of_the_files_that_were_read() -> None:
    found = lay_out(model("llama8"), "bf16", combo("dgx-spark", unified_gib=128), "vllm").shape
    alone = lay_out(model("llama8"), "bf16", combo("h100-sxm"), "vllm").shape
    low, mid, high = (
        one - other
        for one, other in zip(found.fixed[0].context, alone.fixed[0].context, strict=True)
    )
    weights = 2 * 8_030_261_248
    assert low == 0
    assert mid == pytest.approx(0.06 * weights + 2 * GIB, rel=0.01)
    assert high == pytest.approx(0.12 * weights + 3 * GIB, rel=0.01)


def test_a_command_of_ours_leaves_the_system_its_part_of_a_memory_that_both_fill() -> None:
    """0.92 of 121.69 GiB are 111.9; a pair of DGX Spark had 101.3 to 102.2 free when vLLM began."""
    spark, card = combo("dgx-spark", unified_gib=128), combo("h100-sxm")
    assert lay_out(model("llama8"), "bf16", spark, "vllm").settings.memory_fraction == 0.85
    assert lay_out(model("llama8"), "bf16", card, "vllm").settings.memory_fraction is None
    chosen = Settings(memory_fraction=0.8)
    asked = lay_out(model("llama8"), "bf16", spark, "vllm", settings=chosen)
    assert asked.settings.memory_fraction == 0.8
    profile = catalog().runtimes["vllm"].profiles[-1]
    assert as_typed(profile, Settings()).memory_fraction == 0.92
    assert as_typed(profile, chosen) == chosen


def test_images_widen_the_peak_unless_they_are_switched_off() -> None:
    what = replace(model("llama8"), vision_parameters=400_000_000, id="llama8-vision")
    gpu = combo("rtx-4090")
    seeing = lay_out(what, "fp8", gpu, "vllm").shape.fixed[0].compute
    blind = lay_out(what, "fp8", gpu, "vllm", settings=Settings(text_only=True))
    reading = blind.shape.fixed[0].compute
    assert seeing[1] == 2 * GIB > reading[1] + 4 * 2_048 * 4_096
    assert seeing[2] == int(4.93 * GIB) > reading[2]


def test_only_state_in_blocks_of_the_pool_limits_the_sequences_that_can_start() -> None:
    what = model("qwen35_27", mamba_ssm_dtype="float32")
    for runtime, limited in (("vllm", True), ("sglang", False), ("tensorrt-llm", False)):
        found = lay_out(what, "fp8-block", combo("h100-sxm"), runtime)
        assert (found.startable() is not None) is limited


def test_the_older_engine_allots_the_state_of_every_sequence() -> None:
    """Nemotron Nano 9B v2 asked for 33.75 GiB at once on vLLM 0.10.1 (vLLM issue 23230).

    27 Mamba-2 layers x 128 heads x 80 x 128 elements of four bytes x 256 sequences.
    """
    assert 27 * 128 * 80 * 128 * 4 * 256 / GIB == 33.75
    shape = shape_of(RecurrentState(0, 128 * 80 * 128, 128, 8, state_bits=32))
    rank = RankPlace(step_of(max_num_seqs=256), 1, 1, 0)
    for version, gib in (("0.10.1", 33.75), ("0.11.0", 0)):
        profile = profile_of(catalog().runtimes["vllm"], version)
        assert profile is not None
        constants = PagedEngine(profile).constants
        assert constants.allotted_states(shape, rank, [27]) == gib * GIB


def test_what_computes_with_32_bits_has_a_verdict_and_no_speed() -> None:
    """No GPU's rate of 32-bit arithmetic is recorded: neither decode nor a prompt is estimated."""
    one = combo("h100-sxm")
    plain, wide = (ask(model("llama8"), recipe, one, "vllm") for recipe in ("bf16", "fp32"))
    assert plain.speed is not None
    assert (wide.tier, wide.speed) == (FitTier.COMFORTABLE, None)
    assert wide.reasons == ()
    twice = [2 * x for x in (plain.ledger[0].lines["kv"].mid, plain.weights_bytes)]
    assert [wide.ledger[0].lines["kv"].mid, wide.weights_bytes] == twice
    eight = ask(model("llama8"), "fp32", one, "vllm", workload=Workload(8_192, 1, "fp8"))
    assert 4 * eight.ledger[0].lines["kv"].mid == wide.ledger[0].lines["kv"].mid


@pytest.mark.parametrize(
    ("what", "runtime", "kept"),
    [
        ("llama8", "vllm", {"f16", "fp8", "fp8_per_token_head", "int8_per_token_head"}),
        ("dsv3", "vllm", {"f16", "fp8"}),
        ("llama8", "sglang", {"f16", "fp8"}),
    ],
)
def test_scales_by_head_are_for_runtimes_and_models_that_have_them(
    what: str, runtime: str, kept: set[str]
) -> None:
    served = catalog().runtimes[runtime]
    profile = profile_of(served)
    assert profile is not None
    prepared = engine().prepare(
        ServedCheckpoint(model(what), model(what).checkpoints[0], served, profile)
    )
    assert {word for word in cache_types.BITS if prepared.supports_cache_type(word)} == kept


@pytest.mark.parametrize(
    ("tensor", "expert", "logged", "within"),
    [
        (1, False, 64.38, 0.005),  # vLLM issue 33155: H100, 0.14.1
        (8, False, 9.98, 0.07),  # vLLM pull request 51590: RTX PRO 4500 Blackwell, 0.28.0
    ],
)
def test_mxfp4_experts_are_padded_on_each_rank(
    tensor: int, expert: bool, logged: float, within: float
) -> None:
    """gpt-oss-120b: 2,880 wide experts cut in eight are 360 wide, and stored as 384 and 512."""
    held = mxfp4_rank_gib("gpt-oss-120b", tensor, expert=expert)
    assert held == pytest.approx(logged, rel=within)


def test_mxfp4_experts_of_kimi_k3_are_a_third_wider_on_sixteen_ranks() -> None:
    """3,072 over 16 ranks are 192, in tiles of 128: 256; dealt out whole they keep their width.

    896 experts of 3 x 3,072 x 3,584 numbers at 4.25 bits, in 92 layers: 1,346 GiB.
    """
    cut, whole = (mxfp4_rank_gib("kimi-k3", 16, expert=expert) for expert in (False, True))
    experts = 92 * 896 * 3 * 3_072 * 3_584 * 4.25 / 8 / GIB
    assert cut - whole == pytest.approx(experts / 16 / 3, rel=0.001)
    assert mxfp4_rank_gib("kimi-k3", 8, expert=False) == mxfp4_rank_gib("kimi-k3", 8, expert=True)


def mxfp4_rank_gib(name: str, tensor: int, *, expert: bool) -> float:
    """Weights of one rank of vLLM, without buffers."""
    found = whole_catalog()
    one, profile = found.models[name], profile_of(found.runtimes["vllm"])
    assert profile is not None
    checkpoint = next(c for c in one.checkpoints if c.quantization.id == "mxfp4")
    tiles = expert_tiles(one, checkpoint, profile)
    shape = reduce_checkpoint(one, checkpoint, expert_tiles=tiles).shape
    counts = shape.kind_counts(0, shape.layers)
    cut = RankCut(tensor, expert_parallel=expert)
    return rank_weights(shape, counts, cut, first=True, last=True) / GIB


def test_a_width_that_is_not_in_groups_may_be_cut_anywhere() -> None:
    whole = model("llama70")
    (alike,) = (one for one in whole.checkpoints if one.id == "nvfp4")
    attention = ("attn_q", "attn_k", "attn_v", "attn_o")
    assert reduce_checkpoint(whole, alike).shape.widths.grouped == (8_192, 28_672)
    for mixed in (replace(alike, kept=attention), replace(alike, kept_fp8=attention)):
        assert reduce_checkpoint(whole, mixed).shape.widths.grouped == (28_672,)


def test_the_sampler_takes_its_bytes_of_each_logit_and_one_hidden_state_a_token() -> None:
    """256 sequences of 1,000 logits at six bytes; 16 tokens of 8 numbers of two, by hand."""
    none = (0.0, 0.0, 0.0)
    peak = LayerPeak(none, none, none, (6.0, 6.0, 6.0), (1.0, 1.0, 1.0), none)
    rank = RankPlace(step_of(max_num_seqs=256, max_num_batched_tokens=16), 1, 1, 0)
    narrow = shape_of(vocabulary=1_000, hidden=8)
    assert peak.sampler_bytes(narrow, rank, 1) == 6 * 256 * 1_000 + 16 * 8 * 2 / 2
    # with 32 bits the model's own two bytes of a logit are four
    wide = replace(narrow, element_bits=32)
    assert peak.sampler_bytes(wide, rank, 1) == 8 * 256 * 1_000 + 16 * 8 * 4 / 2


def test_a_model_without_a_state_has_the_whole_pool_for_tokens() -> None:
    """Half of the pool is set aside for states only where there are any."""
    rules = BlockRules(1, False, 16, 1, 0.5, 0.0, 0.0)
    attention, state = FullAttention(8, 128, 128), RecurrentState(0, 1_000, 8, 1)
    plain, hybrid = (
        block_layout(shape_of(*caches), rules, [1] * len(caches), stored=CacheType(16))
        for caches in ((attention,), (attention, state))
    )
    assert plain.request_bytes(100, 1) == 100 * 8 * 256 * 2
    assert hybrid.request_bytes(100, 1) == 2 * 100 * 8 * 256 * 2


def test_a_bridge_of_two_cards_adds_what_the_same_pair_lost_with_it() -> None:
    """club-3090 issues 77 and 74, 73 and 69: the pool of one pair, without and with its bridge.

    10.99 and 10.87 GiB, 9.49 and 9.30; an H100 loses 1.5 GiB and more to its fabric.
    """
    of, where = model("llama70"), {}
    for link in ("pcie-4-x16", "nvlink-bridge-ga102", "nvlink-4"):
        pair = combo("rtx-3090", "rtx-3090", link=link)
        fixed = lay_out(of, "bf16", pair, "vllm", split=(2, 1)).shape.fixed[0]
        where[link] = (fixed.context[1] + fixed.communication[1]) / GIB
    assert 0.06 < where["nvlink-bridge-ga102"] - where["pcie-4-x16"] < 0.25
    assert where["nvlink-4"] - where["pcie-4-x16"] > 1.5


@pytest.mark.parametrize(
    ("version", "kv_dtype", "context", "vectors", "keys"),
    [
        ("0.28", "fp8", 163_840, 5, 0),
        ("0.28", "f16", 163_840, 0, 40),
        ("0.28", "fp8", 1_048_576, 5, 0),
        ("0.33", "fp8", 262_144, 5, 0),
        ("0.33", "fp8", 1_048_576, 2, 0),
        ("0.33", "f16", 1_048_576, 0, 16),
        ("0.22", "fp8", 163_840, 0, 0),
    ],
)
def test_sparse_attention_keeps_room_for_contexts(
    version: str, kv_dtype: str, context: int, vectors: int, keys: int
) -> None:
    """VLLM's own comments count 5 x 163,840 x 576 x 2 bytes (``flashmla_sparse.py``).

    The keys of the indexer take 132 bytes, eight go into a vector's 1,152 (``indexer.py``: 40 x
    163,840 x 132 = 865,075,200 bytes).
    """
    found, workload = whole_catalog(), Workload(context, 1, kv_dtype)
    served, glm = found.runtimes["vllm"], found.models["glm-5.3"]
    profile = profile_of(served, version)
    assert profile is not None
    stored = next(one for one in glm.checkpoints if one.id == "fp8-block")
    prepared = whole_engine().prepare(ServedCheckpoint(glm, stored, served, profile))
    assert isinstance(prepared.memory, PagedEngine)
    gpus = exact_set(found.combos["8x-h200-sxm"], 8, found.assumptions)
    replica = prepared.memory.replica(prepared.reduced, gpus, (8, 1), workload, Settings())
    kept = context * (vectors * 576 * 2 + keys * 132)
    assert replica.workspace_bytes(context) == kept
    without = replica.budgets[0].budgets[1] - replica.budgets[0].counted[1]
    assert without - replica.pool_bytes(0) == kept
    shown = replica.ledger(context, 1)[0].lines["compute"].mid
    assert shown - replica.shape.fixed[0].compute[1] == kept


def test_attention_that_reads_everything_keeps_no_room() -> None:
    replica = lay_out(model("llama70"), "fp8", combo("h200-sxm"), "vllm")
    assert replica.workspace_bytes(131_072) == 0
