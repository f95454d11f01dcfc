"""Ten fits worked out by hand, with their logs where somebody ran them.

The numbers come from the sums beside them (integer bytes of public configs), from llama-fit-params
and from start-up logs, not from this engine.
"""

from __future__ import annotations

import pytest

from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import FitTier, PlanGoal
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.physics.memory.paged_replica import PagedReplica
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import PlanKind, Reason, Settings, Workload
from sitegen.units import GIB, MIB
from tests.fit.questions import ask, catalog, combo, engine, model


def lines(found: object, name: str) -> list[float]:
    """MiB of one ledger line on every GPU, at the middle."""
    return [gpu.lines[name].mid / MIB for gpu in found.ledger]  # type: ignore[attr-defined]


def test_llama_70b_q4_k_m_on_two_4090_leaves_two_gib_and_fits_14336_tokens() -> None:
    two = combo("rtx-4090", "rtx-4090", link="pcie-4-x16")
    found = ask(model("llama70"), "q4-k-m", two, "llama-cpp", "8000")
    assert found.plan is not None
    assert found.plan.layers_per_stage == (41, 39)
    assert lines(found, "weights") == pytest.approx([20_038.8, 19_940.6], abs=0.2)
    assert lines(found, "kv") == [1_312, 1_248]
    assert lines(found, "compute") == pytest.approx([312, 426], abs=1)
    assert lines(found, "context") == pytest.approx([380, 380], abs=2)
    assert found.tier is FitTier.BORDERLINE
    assert [reason.code for reason in found.reasons] == ["HEADROOM"]
    assert found.limits is not None
    assert found.limits.max_context_tokens == 14_336
    quantized = ask(
        model("llama70"), "q4-k-m", two, "llama-cpp", "8000", workload=Workload(8_192, 1, "q8_0")
    )
    assert quantized.limits is not None
    # 26,368 by sum; logs show one layer more, widened for flash attention
    assert 25_000 <= quantized.limits.max_context_tokens <= 26_368
    assert found.speed is not None
    assert found.speed.single_tokens_per_s.low < 19.06 < found.speed.single_tokens_per_s.high


def test_qwen_72b_awq_on_two_4090_has_no_room_for_32k() -> None:
    padded = model("qwen25_72", intermediate_size=29_696)
    two = combo("rtx-4090", "rtx-4090", link="pcie-4-x16")
    found = ask(padded, "awq-4bit-g128", two, "vllm")
    assert found.tier is FitTier.BORDERLINE
    assert found.limits is not None
    assert 500 <= found.limits.kv_pool_tokens <= 6_400
    assert lines(found, "weights")[0] == pytest.approx(19.37 * 1_024, rel=0.005)
    assert lines(found, "compute")[0] == pytest.approx(0.58 * 1_024, rel=0.02)


def test_qwen_72b_fp16_on_four_4090_is_refused_for_its_weights() -> None:
    four = combo(*["rtx-4090"] * 4, link="pcie-4-x16")
    found = ask(model("qwen25_72"), "bf16", four, "vllm", tp=4)
    assert found.tier is FitTier.NOT_PRACTICAL
    assert [reason.code for reason in found.reasons] == ["WEIGHTS_EXCEED"]
    assert found.shortage_bytes > 12 * GIB  # 145.4 GB in four is 33.9 GiB on 24 GiB cards


def test_tp_4_pp_2_on_two_nodes_of_two_gpus_is_refused_for_its_world_size() -> None:
    where = combo("rtx-4090", "rtx-4090", nodes=2, link="pcie-4-x16", network="ethernet-10g")
    found = ask(model("llama8"), "bf16", where, "vllm", tp=4, pp=2)
    assert found.tier is FitTier.NOT_PRACTICAL
    assert [(r.code, dict(r.arguments)) for r in found.reasons] == [
        ("WORLD", {"needed": 8, "available": 4})
    ]


def test_an_unpadded_4_bit_qwen_72b_cannot_be_cut_in_two() -> None:
    two = combo("rtx-4090", "rtx-4090", link="pcie-4-x16")
    found = ask(model("qwen25_72"), "w4a16-g128", two, "vllm", tp=2)
    assert [(r.code, dict(r.arguments)) for r in found.reasons] == [
        ("TP_GROUP", {"size": 29_568, "tp": 2, "group": 128})
    ]


def test_mixtral_takes_all_its_parameters_and_moves_experts_to_ram() -> None:
    one = ask(model("mixtral"), "q4-k-m", combo("rtx-4090", ram_gib=64), "llama-cpp")
    assert one.plan is not None
    assert one.plan.kind is PlanKind.OFFLOAD
    assert one.plan.cpu_expert_layers > 0
    assert one.tier is FitTier.BORDERLINE
    without_ram = ask(model("mixtral"), "q4-k-m", combo("rtx-4090"), "llama-cpp")
    assert without_ram.tier is FitTier.NOT_PRACTICAL
    pair = combo("rtx-3090", "rtx-3090", link="pcie-4-x8")
    layers = ask(model("mixtral"), "q4-k-m", pair, "llama-cpp", pp=2)
    assert layers.tier is FitTier.COMFORTABLE
    assert layers.plan is not None
    assert layers.plan.layers_per_stage == (17, 15)
    assert sum(lines(layers, "weights")) == pytest.approx(27_128, rel=0.005)


def test_mixtral_over_a_pair_is_halved_by_the_cut_that_one_user_gets() -> None:
    pair = combo("rtx-3090", "rtx-3090", link="pcie-4-x8")
    found = ask(model("mixtral"), "q4-k-m", pair, "llama-cpp")
    assert found.plan is not None
    assert (found.plan.kind, found.plan.layers_per_stage) == (PlanKind.TENSOR, (32,))
    # nothing of size is repeated: the head is no embedding, and there are no shared experts
    assert lines(found, "weights") == pytest.approx([27_128 / 2] * 2, rel=0.005)


def test_deepseek_v3_fp8_needs_h200_and_keeps_its_whole_cache_on_every_rank() -> None:
    h100 = combo(*["h100-sxm"] * 8, link="nvswitch-gen3")
    short = ask(model("dsv3"), "fp8-block", h100, "vllm", tp=8)
    assert short.tier is FitTier.NOT_PRACTICAL
    assert lines(short, "weights")[0] == pytest.approx(79.1 * 1_024, rel=0.005)
    h200 = combo(*["h200-sxm"] * 8, link="nvswitch-gen3")
    found = ask(model("dsv3", context_tokens=163_840), "fp8-block", h200, "vllm", tp=8)
    assert found.limits is not None
    assert found.limits.kv_bytes_per_token_per_gpu == 61 * 1_152
    assert found.limits.kv_pool_tokens == pytest.approx(666_000, rel=0.03)
    four = combo(*["h100-sxm"] * 8, nodes=4, link="nvswitch-gen3", network="infiniband-ndr")
    across = ask(model("dsv3"), "fp8-block", four, "vllm", tp=32)
    assert [reason.code for reason in across.reasons] == ["TP_FP8_BLOCK"]
    sixteen = ask(model("dsv3"), "fp8-block", four, "vllm", tp=16)
    assert lines(sixteen, "weights")[0] == pytest.approx(40.0 * 1_024, rel=0.01)


def test_gemma_27b_caches_sixty_two_layers_in_llama_cpp_and_seventy_in_vllm() -> None:
    one = ask(model("gemma27"), "q4-k-m", combo("rtx-4090"), "llama-cpp", "8000")
    assert one.tier is FitTier.COMFORTABLE
    assert lines(one, "weights") == pytest.approx([15_774], abs=1)
    assert lines(one, "kv") == [1_264]
    assert lines(one, "compute") == pytest.approx([523], abs=1)
    assert one.limits is not None
    assert one.limits.max_context_tokens == 73_472
    logged = ask(
        model("gemma27"), "bf16", combo("h100-sxm"), "vllm", "0.19",
        settings=Settings(memory_fraction=0.95),
    )  # fmt: skip
    assert logged.limits is not None
    assert logged.limits.kv_bytes_per_token_per_gpu == 70 * 8_192
    # a log of 19.53 GiB says 36,560 tokens
    assert 19.53 * GIB / logged.limits.kv_bytes_per_token_per_gpu == pytest.approx(36_560, rel=1e-3)


def test_gpt_oss_is_padded_by_vllm_and_runs_on_four_24_gib_gpus_in_llama_cpp() -> None:
    one = ask(model("gptoss120"), "mxfp4", combo("h100-sxm"), "vllm", "0.11")
    assert lines(one, "weights")[0] / 1_024 == pytest.approx(64.38, rel=0.005)  # logged
    assert lines(one, "compute")[0] / 1_024 == pytest.approx(7.38, rel=0.02)  # logged
    later = ask(model("gptoss120"), "mxfp4", combo("h100-sxm"), "vllm", "0.19")
    assert lines(later, "compute")[0] / 1_024 == pytest.approx(2.89, rel=0.05)
    four = ask(
        model("gptoss120"), "mxfp4-moe", combo(*["rtx-4090"] * 4, link="pcie-4-x16"),
        "llama-cpp", goal=PlanGoal.LATENCY,
    )  # fmt: skip
    assert four.tier is FitTier.COMFORTABLE
    assert sum(lines(four, "kv")) == pytest.approx(315, abs=0.5)
    assert four.speed is not None
    assert four.speed.single_tokens_per_s.low < 180.4 < four.speed.single_tokens_per_s.high


def test_qwen3_next_keeps_states_beside_twelve_growing_layers() -> None:
    four = combo(*["rtx-4090"] * 4, link="pcie-4-x16")
    found = ask(model("qwen3next"), "q4-k-m", four, "llama-cpp", tp=1, pp=4)
    assert sum(lines(found, "kv")) == 192
    assert sum(lines(found, "state")) == pytest.approx(75.4, abs=0.05)
    served = _replica(
        model("qwen3next"), "bf16", combo("h200-sxm", "h200-sxm", link="nvswitch-gen3")
    )
    blocks = served.shape.blocks[0]
    attention = next(row for row in blocks.rows if row.kept.word == "full")
    assert blocks.page_bytes == 1_114_112
    assert attention.block_tokens == 544
    # 48 layers in groups of twelve: one page in each slot, even for one token
    assert served.held_bytes(0, 1, 1) == 48 * 1_114_112


def test_a_state_in_32_bits_makes_the_161_blocks_that_two_7900_xt_logged() -> None:
    """Qwen3.8-27B, vLLM 0.23.1, TP 2, context 122,633: 3.86 GiB are 161 blocks, 123,399 tokens.

    The log is in vLLM issue 49064 (2026-09-03); Qwen3.5-27B has the same layers. With the state in
    16 bits the pool would hold 315 blocks.
    """
    what = model("qwen35_27", mamba_ssm_dtype="float32")
    pair = combo("h200-sxm", "h200-sxm", link="nvswitch-gen3")
    layout = _replica(what, "bf16", pair, split=(2, 1)).shape.blocks[0]
    attention = next(row for row in layout.rows if row.kept.word == "full")
    assert (attention.block_tokens, layout.page_bytes) == (784, 1_605_632)
    blocks = int(3.86 * GIB) // (layout.group_layers * layout.page_bytes)
    assert blocks == 161
    # three groups of layers with one state each, one group with a block per 784 tokens
    needed = 3 + -(-122_633 // 784)
    assert int(blocks / needed * 122_633) == 123_399


def test_a_hybrid_of_27b_in_fp8_has_fewer_state_blocks_than_vllm_allows_sequences() -> None:
    """Qwen3.6-27B-FP8 on one H100 at 0.95: "available Mamba cache blocks (856)", default 1,024.

    The log is in vllm-project/recipes, pull request 551 (2026-06-15); eager mode captures nothing.
    """
    what = model("qwen35_27", mamba_ssm_dtype="float32")
    h100 = combo("h100-sxm")
    found = ask(what, "fp8-block", h100, "vllm", settings=Settings(memory_fraction=0.95))
    assert found.tier is FitTier.BORDERLINE
    assert "STATE_BLOCKS" in {reason.code for reason in found.reasons}
    assert found.limits is not None
    named = found.limits.startable_sequences
    # what is named starts for sure, and is no more than a third below what was logged
    assert named is not None
    assert 0.66 * 856 < named <= 856
    assert found.cure is not None
    assert (found.cure.code, found.cure.arguments["max_num_seqs"]) == ("LOWER_MAX_NUM_SEQS", 512)
    for settings in (
        Settings(memory_fraction=0.95, enforce_eager=True),
        Settings(memory_fraction=0.95, max_num_seqs=512),
    ):
        started = ask(what, "fp8-block", h100, "vllm", settings=settings)
        assert "STATE_BLOCKS" not in {reason.code for reason in started.reasons}
        assert started.limits is not None
        assert started.limits.startable_sequences is None


def _replica(
    what: LanguageModel, checkpoint: str, where: object, split: tuple[int, int] = (1, 1)
) -> PagedReplica:
    """One replica of a paged runtime."""
    vllm = catalog().runtimes["vllm"]
    profile = profile_of(vllm)
    assert profile is not None
    chosen = next(c for c in what.checkpoints if c.id == checkpoint)
    prepared = engine().prepare(ServedCheckpoint(what, chosen, vllm, profile))
    devices = engine().gpu_groups(where)[0][0]  # type: ignore[arg-type]
    found = prepared.evaluate_split(devices, split, Workload(8_192, 1, "f16"), Settings())
    assert isinstance(found.replica, PagedReplica)
    return found.replica


def test_four_nodes_of_two_4090_offer_forty_gib_per_replica_or_one_pipeline() -> None:
    where = combo("rtx-4090", "rtx-4090", nodes=4, link="pcie-4-x16", network="ethernet-10g")
    replicas = ask(model("llama8"), "bf16", where, "vllm", tp=2, pp=1)
    assert replicas.plan is not None
    assert replicas.plan.replicas == 4
    assert replicas.effective_vram_bytes / GIB == pytest.approx(2 * 21.63, abs=0.02)
    pipeline = ask(model("llama70"), "fp8", where, "vllm", tp=2, pp=4)
    assert pipeline.tier is FitTier.COMFORTABLE
    assert pipeline.effective_vram_bytes / GIB == pytest.approx(8 * 21.63, abs=0.1)
    across = ask(model("llama70"), "fp8", where, "vllm", tp=8, pp=1)
    assert [reason.code for reason in across.reasons] == ["TP_ACROSS_NODES"]


def test_deepseek_v3_q4_needs_the_512_gib_mac_but_no_raised_limit() -> None:
    small = combo("apple-m3-ultra", unified_gib=256)
    assert ask(model("dsv3"), "q4-k-m", small, "llama-cpp").tier is FitTier.NOT_PRACTICAL
    large = ask(model("dsv3"), "q4-k-m", combo("apple-m3-ultra", unified_gib=512), "llama-cpp")
    assert large.tier is FitTier.COMFORTABLE
    assert large.busiest is not None
    assert not large.settings.raised_limit
    assert large.busiest.utilization.mid == pytest.approx(0.81, abs=0.01)


def test_the_profiling_peak_of_llama_8b_is_the_same_on_every_rank() -> None:
    logged_gib = 1.89
    for tp in (1, 2, 4):
        where = combo(*["h100-sxm"] * tp, link="nvswitch-gen3" if tp > 1 else "")
        found = ask(model("llama8"), "bf16", where, "vllm", "0.19", tp=tp)
        assert lines(found, "compute")[0] / 1_024 == pytest.approx(logged_gib, rel=0.01)


def test_several_contexts_that_do_not_fit_are_counted_and_one_is_measured() -> None:
    """Llama 3.1 70B in Q4_K_M leaves room for 14,336 tokens on two RTX 4090: one of 8,192."""
    two, what = combo("rtx-4090", "rtx-4090", link="pcie-4-x16"), model("llama70")

    def because(workload: Workload) -> Reason:
        (reason,) = ask(what, "q4-k-m", two, "llama-cpp", "8000", workload=workload).reasons
        return reason

    many, one = because(Workload(8_192, 4, "f16")), because(Workload(32_768, 1, "f16"))
    assert (many.code, many.arguments["held"]) == ("KV_BELOW_SEQUENCES", 1)
    assert (one.code, one.arguments["max_context_tokens"]) == ("KV_BELOW_CONTEXT", 14_336)
