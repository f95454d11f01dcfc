"""Runtimes that place whole layers: buffers beside probes and logs, plans worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Json
from sitegen.fit.assessment import FitTier
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.models.cache_kinds import CellGrid
from sitegen.physics.gpu_groups import exact_set
from sitegen.physics.memory.layer_layout import (
    GpuLayers,
    deal_slots,
    dealt_layout,
    level_slots,
    split_layout,
)
from sitegen.physics.memory.layer_split import LayerSplitEngine
from sitegen.physics.memory.layer_split_profile import (
    Allocation,
    GraphPlace,
    SplitProfile,
    StaticGraph,
)
from sitegen.physics.memory.profile_constants import profile_of, split_profile
from sitegen.physics.memory.stated_constants import default_context_tokens
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.plan import PlanKind, Reason, Settings, Workload
from sitegen.physics.reduced_checkpoint import reduce_checkpoint
from sitegen.physics.speed.roofline import LinkSpeed, tensor_link_s
from sitegen.physics.valid_splits import refusal
from sitegen.units import GIB, MIB
from tests.fit.questions import ROOT, ask, catalog, combo, engine, model
from tests.physics.shapes import shape_of
from tests.survey.whole_catalog import whole_catalog

PROBES = json.loads((ROOT / "tests/vectors/llama-cpp-buffers.json").read_text())
"""What llama-fit-params printed for header-only F16 files on CPU devices behind RPC servers.

llama.cpp as vendored in llama-cpp-python 0.3.36, probed on 2026-11-20; whole MiB as printed. The
devices have no kernels of a GPU: scratch for a quantized cache and copies of host tensors are not
in the figures.
"""
HALF_BITS = {"f16": 32, "q8_0": 17, "q4_0": 9}


@cache
def probed_model(name: str) -> ModelShape:
    """A model of the real catalog as a 16-bit GGUF file."""
    found = whole_catalog()
    one = found.models[name]
    checkpoint = replace(
        one.checkpoints[0], quantization=found.quantizations["gguf-f16"], config_overrides={}
    )
    return reduce_checkpoint(one, checkpoint).shape


def answering(c: SplitProfile, *, outputs_per_sequence: bool) -> SplitProfile:
    """A profile that reserves logits for each sequence, or for each token."""
    assert isinstance(c.graph, StaticGraph)
    return replace(c, graph=replace(c.graph, outputs_per_sequence=outputs_per_sequence))


def predicted(probe: Mapping[str, Any]) -> tuple[float, list[float]]:
    """Cache in MiB over all devices, compute buffer in MiB of each."""
    shape, profile = probed_model(probe["model"]), profile_of(catalog().runtimes["llama-cpp"])
    assert profile is not None
    c = answering(
        replace(split_profile(profile), split_cache=probe["unified"] == 0, widened_cache=False),
        outputs_per_sequence=bool(probe["outputs"]),
    )
    devices = len(probe["compute_mib"])
    kept = min(probe["experts_on_host"], shape.layers)
    layout = split_layout(shape, [1] * devices, cpu_experts=kept)
    bits, cache_mib, buffers = HALF_BITS[probe["kv"]], 0.0, []
    asked = Allocation(
        probe["context"], probe["sequences"], probe["micro_batch"], (bits, bits),
        flash=probe["flash"] == 1,
    )  # fmt: skip
    for index in range(devices):
        parts = c.parts(shape, layout, index, asked)
        cache_mib += (parts.kv + parts.state) / MIB
        buffers.append(parts.compute / MIB)
    return cache_mib, buffers


@pytest.mark.parametrize("seed", range(40))
def test_levelled_gpus_are_as_even_as_any_split_in_order(seed: int) -> None:
    """Against every way to cut up to nine layers into up to three runs, within a thousandth."""
    random = Random(seed)  # noqa: S311 - a seeded sample
    shares = [random.randint(1, 30) for _ in range(random.randint(1, 3))]
    loads = [random.randint(0, 50) for _ in range(random.randint(1, 9))]

    def fullest(slots: Sequence[int]) -> float:
        return max(
            sum(load for slot, load in zip(slots, loads, strict=True) if slot == at) / share
            for at, share in enumerate(shares)
        )

    every = combinations_with_replacement(range(len(shares)), len(loads))
    slots = level_slots(shares, loads)
    assert slots == sorted(slots)
    even = sum(loads) / sum(shares)
    assert fullest(slots) <= min(map(fullest, every)) + even / 1_000


def test_gpus_without_experts_hold_more_layers_and_none_stays_empty() -> None:
    """DeepSeek V3 on four GPUs: with equal shares the first holds a tenth of the last."""
    files = {one.id: one for one in model("dsv3").checkpoints}
    shape = reduce_checkpoint(model("dsv3"), files["q4-k-m"]).shape
    held = [64 * MIB] * len(shape.kinds)
    level = split_layout(shape, [1] * 4, cpu_experts=40, cache_bytes=held).gpus
    equal = split_layout(shape, [1] * 4, cpu_experts=40).gpus
    assert sum(gpu.layers for gpu in level) == shape.layers
    assert level[0].layers > 2 * equal[0].layers

    def most(gpus: Sequence[GpuLayers]) -> int:
        return max(gpu.weights_bytes for gpu in gpus)

    assert most(level) < 0.6 * most(equal)
    assert min(gpu.weights_bytes for gpu in level) > 0.5 * most(level)


def test_the_cache_is_what_llama_cpp_allocates_in_every_probe() -> None:
    for probe in PROBES:
        found, _ = predicted(probe)
        # printed in whole MiB on each device
        assert abs(found - probe["kv_mib"]) <= len(probe["compute_mib"]), probe


@pytest.mark.parametrize(("held_out", "last"), [(0, 0.15), (1, 0.11)])
def test_compute_buffers_are_those_of_llama_cpp(held_out: int, last: float) -> None:
    """Contexts to 128K, micro-batches, 1 to 4 devices, no flash attention, split caches, logits.

    The formula was found on eight models; seven others were probed afterwards.
    """
    errors = sorted(
        abs(mine / theirs - 1)
        for probe in PROBES
        if probe["held_out"] == held_out
        for mine, theirs in zip(predicted(probe)[1], probe["compute_mib"], strict=True)
    )
    assert len(errors) > 350
    assert errors[len(errors) // 2] < 0.005
    assert errors[int(0.95 * len(errors))] < 0.05
    assert errors[-1] < last


def test_buffers_probed_after_the_formula_was_mended_are_exact() -> None:
    """llama-fit-params of llama-cpp-python 0.3.36 on files made up in four shapes, 2026-11-23.

    With and without flash attention on one to three devices, with a micro-batch beyond the context,
    and at contexts where the logits of Qwen2.5 14B begin behind three other tensors.
    """
    probed = [probe for probe in PROBES if probe["held_out"] == 2]
    assert len(probed) == 188
    for probe in probed:
        for mine, theirs in zip(predicted(probe)[1], probe["compute_mib"], strict=True):
            assert abs(mine - theirs) <= 1, probe


def test_qwen_2_5_14b_lays_its_logits_behind_three_tensors_at_8192_tokens() -> None:
    """345 MiB of compute buffer, not 307, and 690 with twice the micro-batch; 307 at 4,096.

    297 MiB of logits and 10 of hidden states, behind a mask of 8 and three times 10.
    """
    found = {
        (probe["context"], probe["micro_batch"]): (predicted(probe)[1][0], probe["compute_mib"][0])
        for probe in PROBES
        if probe["model"] == "qwen2.5-14b-instruct"
        and (probe["devices"], probe["flash"], probe["sequences"]) == (1, 1, 1)
    }
    for asked, mib in (((4_096, 512), 307), ((8_192, 512), 345), ((8_192, 1_024), 690)):
        assert found[asked][0] == pytest.approx(mib, abs=1)
        assert found[asked][1] == mib


def test_a_micro_batch_is_no_longer_than_the_context() -> None:
    """Yi 34B, -c 2048 -ub 4096 -np 8: 649 MiB, as with -ub 2048; twice that was predicted."""
    asked = [
        probe
        for probe in PROBES
        if (probe["model"], probe["context"], probe["sequences"]) == ("yi-1.5-34b-chat", 2_048, 8)
        and probe["micro_batch"] == 4_096
    ]
    assert [probe["compute_mib"] for probe in asked] == [[649]]
    assert predicted(asked[0])[1] == [pytest.approx(649, abs=1)]


@pytest.mark.parametrize(
    ("cache_type", "flash", "kv_mib", "compute_mib"),
    [
        ("f16", None, 1_536, 345),
        ("f16", False, 1_536, 700),
        ("q8_0:q4_0", None, 624, None),
        ("q5_1:iq4_nl", True, 504, None),
    ],
)
def test_a_request_names_types_of_keys_and_values_and_flash_attention(
    cache_type: str, flash: bool | None, kv_mib: int, compute_mib: int | None
) -> None:
    """llama-fit-params for Qwen2.5 14B, -c 8192 -ub 512, with -fa, -ctk and -ctv, 2026-11-23.

    The probe's device takes no scratch for a quantized cache, which a GPU does.
    """
    one = whole_catalog().models["qwen2.5-14b-instruct"]
    runtime = whole_catalog().runtimes["llama-cpp"]
    profile = profile_of(runtime)
    assert profile is not None
    card = exact_set(combo("a100-80gb-sxm"), 1, engine().assumptions)
    replica = LayerSplitEngine(profile, 64).replica(
        reduce_checkpoint(one, one.checkpoints[0]),
        card,
        Workload(8_192, 1, cache_type),
        Settings(flash_attention=flash),
    )
    lines = replica.ledger(8_192, 1)[0].lines
    assert lines["kv"].mid / MIB == kv_mib
    if compute_mib is not None:
        # only the logits of one sequence are reserved where a runtime knows how many it answers
        c = answering(replica.constants, outputs_per_sequence=False)
        asked = Allocation(8_192, 1, 512, replica.kv_half_bits, replica.flash)
        split = c.parts(replica.reduced.shape, replica.layout, 0, asked)
        assert split.compute / MIB == pytest.approx(compute_mib, abs=1)


def test_old_builds_pad_the_cache_to_256_cells_with_flash_attention() -> None:
    """``get_padding`` of 2024 and 2025: 32 cells without it. 4,100 tokens: 4,128 and 4,352."""
    profile = profile_of(whole_catalog().runtimes["llama-cpp"], "5000")
    assert profile is not None
    one = whole_catalog().models["llama-3.1-8b-instruct"]
    held = []
    for flash in (False, True):
        replica = LayerSplitEngine(profile, 64).replica(
            reduce_checkpoint(one, one.checkpoints[0]),
            exact_set(combo("rtx-3090"), 1, engine().assumptions),
            Workload(4_100, 1, "f16"),
            Settings(flash_attention=flash),
        )
        held.append(replica.ledger(4_100, 1)[0].lines["kv"].mid / (32 * 8 * 128 * 2 * 2))
    assert held == [4_128, 4_352]


def test_builds_of_2023_have_one_scratch_as_large_as_logged() -> None:
    """Logs of b1671 to b1691: 145 MiB for Llama 2 70B and 75 for 13B, at 512 tokens."""
    profile = profile_of(catalog().runtimes["llama-cpp"], "1691")
    assert profile is not None
    graph = split_profile(profile).graph
    assert isinstance(graph, StaticGraph)
    asked = Allocation(512, 1, 512, (32, 32), flash=False)
    grid = CellGrid(
        512, 1, 512, 1, per_sequence=False, windowed=False, value_width=0, indexed=False
    )
    alone = GraphPlace(0, pipelined=False, has_output=True)
    for widths, mib in (((8_192, 28_672, 64, 1_024), 145), ((5_120, 13_824, 40, 5_120), 75)):
        hidden, width, heads, keys = widths
        shape = shape_of(
            hidden=hidden, vocabulary=32_000, heads=heads, dense_width=width,
            attention_width=hidden, query_width=hidden, key_width=keys,
        )  # fmt: skip
        found = graph.compute_bytes(shape, alone, grid, [], asked, scratch=0)
        # 70B: 4 x 512 x (2 x 28,672 + 2 x 8,192) + 4 x 512 x 512 = 145 MiB
        assert found == mib * MIB


def test_a_pipeline_needs_every_layer_on_a_gpu() -> None:
    shape = probed_model("qwen3-30b-a3b")
    assert split_layout(shape, [1, 1]).pipelined
    assert not split_layout(shape, [1, 1], cpu_experts=1).pipelined
    assert not split_layout(shape, [1, 1], cpu_layers=1).pipelined
    assert not split_layout(shape, [1]).pipelined


def test_experts_in_ram_cost_the_first_gpu_a_copy_of_a_tensor() -> None:
    """Qwen3-235B Q8_0, all experts in RAM, 32K, q8_0 cache: a log shows 1,024 MiB.

    One tensor is 128 x 4,096 x 1,536 x 34/32 B = 816 MiB, a third of a layer's experts.
    """
    found = ask(
        model("mixtral"), "q4-k-m", combo("rtx-4090", ram_gib=64), "llama-cpp",
        workload=Workload(8_192, 1, "f16"),
    )  # fmt: skip
    assert found.plan is not None
    assert found.plan.kind is PlanKind.OFFLOAD
    compute = found.ledger[0].lines["compute"]
    # a layer's experts at Q4_K_M are about 800 MiB; without the copy the buffer is 200 MiB
    assert compute.low > 450 * MIB
    assert compute.high > compute.mid > compute.low


def test_exo_deals_layers_by_largest_remainder_with_one_for_each() -> None:
    """61 layers over 512, 128 and 2 GiB: 48.65, 12.16, 0.19 -> 49, 12, 0; the least gets one."""
    assert deal_slots([512, 128, 2], 61) == [0] * 48 + [1] * 12 + [2] + [2]
    assert deal_slots([1, 1, 1], 61).count(0) == 21


@pytest.mark.parametrize(("nodes", "code"), [(2, ""), (3, "TP_HEADS"), (4, "")])
def test_three_macs_are_no_tensor_split(nodes: int, code: str) -> None:
    found = exo_refusal("llama70", nodes)
    assert (found.code if found else "") == code


def exo_refusal(name: str, nodes: int) -> Reason | None:
    """Why exo does not cut a model over so many Macs with RDMA."""
    macs = combo("apple-m3-ultra", nodes=nodes, network="thunderbolt-5-rdma", unified_gib=512)
    runtime = catalog().runtimes["exo"]
    profile = profile_of(runtime)
    assert profile is not None
    whole = next(one for one in model(name).checkpoints if one.id == "bf16")
    subject = ServedCheckpoint(model(name), whole, runtime, profile)
    devices = exact_set(macs, nodes, engine().assumptions)
    return refusal(engine().prepare(subject).reduced, runtime, devices, (nodes, 1))


@pytest.mark.parametrize(
    ("name", "nodes", "code"),
    [
        ("qwen3_30", 4, ""),
        ("qwen3_30", 8, "TP_WHOLE_KV_HEADS"),
        ("dsv3", 8, ""),
        ("qwen25_72", 2, "TP_NOT_HERE"),
    ],
)
def test_exo_repeats_no_kv_head_and_cuts_the_families_of_its_list(
    name: str, nodes: int, code: str
) -> None:
    """Qwen3 30B A3B has 4 KV heads, which vLLM would repeat; latent attention has none."""
    reason = exo_refusal(name, nodes)
    assert (reason.code if reason else "") == code


def macs_of(*unified_gib: int) -> Combo:
    """Macs of one chip with a cable between every two of them, by memory."""
    each = [combo("apple-m3-ultra", unified_gib=gib).nodes[0] for gib in unified_gib]
    whole = combo("apple-m3-ultra", nodes=2, network="thunderbolt-5-rdma", unified_gib=512)
    return replace(whole, nodes=tuple(each))


def test_macs_that_differ_in_memory_cut_layers_and_the_smallest_decides() -> None:
    """Jeff Geerling ran exo's tensor split over two Macs of 512 GB and two of 256 GB."""
    for runtime in ("exo", "mlx-lm"):
        found, alike = (
            cut_over(runtime, *sizes) for sizes in ((512, 512, 256, 256), (256, 256, 256, 256))
        )
        assert found.utilization == alike.utilization
        assert found.single_tokens_per_s == alike.single_tokens_per_s


def cut_over(runtime: str, *unified_gib: int) -> Evaluation:
    """The plan of a 70B model that cuts every layer over these Macs."""
    one = catalog().runtimes[runtime]
    profile, macs = profile_of(one), macs_of(*unified_gib)
    assert profile is not None
    checkpoint = next(c for c in model("llama70").checkpoints if c.id == "mlx-8bit")
    prepared = engine().prepare(ServedCheckpoint(model("llama70"), checkpoint, one, profile))
    devices = exact_set(macs, len(unified_gib), engine().assumptions)
    found = prepared.evaluations(devices, Workload(8_192, 1, "f16"), Settings())
    return next(each for each in found if each.split == (len(unified_gib), 1))


def test_latency_of_a_mesh_hardly_grows_with_its_machines() -> None:
    """Exo over RDMA reads Qwen3-235B at 26.2 tokens/s on two Macs and 31.9 on four."""
    shape = probed_model("llama-3.1-70b-instruct")
    mesh, bus = (
        engine().assumptions[f"all-reduce-growth-{kind}"].value for kind in ("mesh", "bus")
    )
    wire = LinkSpeed((68e-6,) * 3, (1e30,) * 3)

    def seconds(machines: int, growth: float) -> float:
        grown = (growth,) * 3
        return tensor_link_s(shape.hidden, shape.layers, machines, 1, link=wire, growth=grown)[1]

    assert seconds(2, mesh.mid) == pytest.approx(161 * 68e-6)
    assert seconds(4, mesh.mid) < 1.5 * seconds(2, mesh.mid)
    assert seconds(4, bus.mid) > 2.3 * seconds(2, mesh.mid)


def test_exo_counts_the_cache_that_its_placement_forgets() -> None:
    """Two Macs of 96 GiB hold 140 GB of weights; each still needs half of 32K tokens of cache."""
    macs = combo("apple-m3-ultra", nodes=2, network="thunderbolt-5", unified_gib=96)
    found = ask(
        model("llama70"), "mlx-8bit", macs, "exo", workload=Workload(32_768, 1, "f16"),
    )  # fmt: skip
    assert found.plan is not None
    assert found.plan.layers_per_stage == (40, 40)
    cache_mib = [gpu.lines["kv"].mid / MIB for gpu in found.ledger]
    assert cache_mib == [40 * 32_768 * 4_096 / MIB] * 2


def test_exo_keeps_embedding_and_head_on_every_machine() -> None:
    shape = probed_model("llama-3.1-70b-instruct")
    everywhere = dealt_layout(shape, [1, 1], everywhere=True).gpus
    layers = dealt_layout(shape, [1, 1], everywhere=False).gpus
    both = shape.embedding_bytes + shape.head_bytes + shape.final_bytes
    assert everywhere[0].weights_bytes == layers[0].weights_bytes + both
    assert everywhere[1].weights_bytes == layers[1].weights_bytes + shape.embedding_bytes


def test_mlx_uses_what_macos_grants_and_more_when_the_limit_is_raised() -> None:
    """DeepSeek V3 at 4.5 bits is 352 GiB: 512 GiB grant 475,136 MiB, as a log of one says."""
    large = combo("apple-m3-ultra", unified_gib=512)
    found = ask(model("dsv3"), "mlx-4bit", large, "mlx-lm")
    assert found.ledger[0].budget_bytes == pytest.approx(475_136 * 2**20, rel=0.001)
    assert found.tier is FitTier.COMFORTABLE
    small = ask(model("dsv3"), "mlx-4bit", combo("apple-m3-ultra", unified_gib=256), "mlx-lm")
    assert small.tier is FitTier.NOT_PRACTICAL
    raised = ask(model("qwen25_72"), "mlx-8bit", combo("apple-m3-ultra", unified_gib=88), "mlx-lm")
    # 72.7 billion weights at 8.5 bits are 71.9 GiB, beside 66 GiB granted and 76 raised
    assert "OS_LIMIT" in {reason.code for reason in raised.reasons}
    assert raised.settings.raised_limit


def test_exllamav3_total_of_a_32b_is_within_its_interval() -> None:
    """Pull request 6903 of textgen: 18,665 MiB for a Qwen2.5-32B at 4 bits, 8,192 tokens."""
    config: dict[str, Json] = {
        "model_type": "qwen2", "hidden_size": 5_120, "intermediate_size": 27_648,
        "num_hidden_layers": 64, "num_attention_heads": 40, "num_key_value_heads": 8,
        "vocab_size": 152_064, "max_position_embeddings": 32_768,
        "tie_word_embeddings": False,
    }  # fmt: skip
    qwen = replace(model("qwen25_72"), id="qwen25-32", config=config)
    found = ask(qwen, "exl3-4.0bpw", combo("rtx-3090"), "exllamav3")
    need = found.ledger[0].need
    assert need.low <= 18_665 * MIB <= need.high
    # 64 layers x 8,192 tokens x 2 x 8 x 128 x 2 B, in pages of 256
    assert found.ledger[0].lines["kv"].mid == 2 * GIB
    # 31.2 billion linear weights at half a byte, a head of 152,064 x 5,120 at 6 bits
    assert found.ledger[0].lines["weights"].mid == pytest.approx(15.07 * GIB, rel=0.01)


def test_exllamav3_cuts_over_three_gpus_and_refuses_more_ranks_than_kv_heads() -> None:
    three = combo(*["rtx-3090"] * 3, link="pcie-4-x8")
    found = ask(model("llama70"), "exl3-4.0bpw", three, "exllamav3")
    assert found.plan is not None
    assert (found.plan.kind, found.plan.tensor_parallel_size) == (PlanKind.TENSOR, 3)
    # three KV heads of eight on the busiest: 80 x 8,192 x 3 x 256 x 2 B
    assert found.ledger[0].lines["kv"].mid == 80 * 8_192 * 3 * 512


def test_a_quantized_cache_of_exllama_costs_half_a_bit_more_than_its_name() -> None:
    one = combo("rtx-3090")
    eight = ask(
        model("llama8"), "exl3-4.0bpw", one, "exllamav3", workload=Workload(8_192, 1, "q8_0")
    )
    assert eight.ledger[0].lines["kv"].mid == 8_192 * 32 * 2_048 * 8.5 / 8


@pytest.mark.parametrize(
    ("gib", "tokens"), [([12], 4_096), ([24], 32_768), ([24, 24], 262_144), ([16, 8], 32_768)]
)
def test_ollama_chooses_its_context_by_the_memory_of_all_gpus(gib: list[int], tokens: int) -> None:
    profile = profile_of(catalog().runtimes["ollama"])
    assert profile is not None
    assert default_context_tokens(profile, [one * GIB for one in gib]) == tokens
    llama = profile_of(catalog().runtimes["llama-cpp"])
    assert llama is not None
    assert default_context_tokens(llama, [24 * GIB]) is None


def test_ollama_is_left_out_where_llama_cpp_gives_the_same_verdict() -> None:
    runtimes = catalog().runtimes
    fit = engine()
    assert fit.is_redundant_runtime(runtimes["ollama"], "gguf")
    assert not fit.is_redundant_runtime(runtimes["llama-cpp"], "gguf")
    assert fit.is_redundant_runtime(runtimes["exllamav3"], "bf16")
    assert not fit.is_redundant_runtime(runtimes["exllamav3"], "exl3")
    assert not fit.is_redundant_runtime(runtimes["mlx-lm"], "mlx")
    assert not fit.is_redundant_runtime(runtimes["exo"], "mlx")
    assert not fit.is_redundant_runtime(runtimes["mlx-lm"], "bf16")


def test_loading_on_a_dgx_spark_needs_room_for_the_file_cache() -> None:
    """121.69 GiB visible; 18 GiB of spike leave 103 for the weights."""
    spark = combo("dgx-spark", unified_gib=128)
    found = ask(model("llama70"), "q8-0", spark, "llama-cpp")
    assert "LOAD_SPIKE" not in {reason.code for reason in found.reasons}
    devices = exact_set(spark, 1, engine().assumptions)
    assert devices.gpus[0].load_spike.mid == 18 * GIB


def test_rpc_machines_pay_their_own_context_and_hold_whole_layers() -> None:
    pair = combo("rtx-4090", nodes=2, network="ethernet-10g")
    found = ask(model("llama70"), "q4-k-m", pair, "llama-cpp")
    assert found.plan is not None
    assert found.plan.kind is PlanKind.REMOTE_LAYER_SPLIT
    assert found.plan.layers_per_stage == (41, 39)
    assert all(gpu.lines["context"].mid > 300 * MIB for gpu in found.ledger)


def test_no_graph_copy_where_a_part_of_the_model_is_in_ram() -> None:
    memory = LayerSplitEngine(profile_of(catalog().runtimes["llama-cpp"]), 64)  # type: ignore[arg-type]
    two = exact_set(combo("rtx-4090", "rtx-4090", link="pcie-4-x16"), 2, engine().assumptions)
    runtime = catalog().runtimes["llama-cpp"]
    profile = profile_of(runtime)
    assert profile is not None
    mixtral = model("mixtral")
    q4 = next(c for c in mixtral.checkpoints if c.id == "q4-k-m")
    reduced = engine().prepare(ServedCheckpoint(mixtral, q4, runtime, profile)).reduced
    asked = Workload(131_072, 1, "f16")
    whole = memory.replica(reduced, two, asked, Settings())
    spilled = memory.replica(reduced, two, asked, Settings(), cpu_expert_layers=4)
    masks = 2 * 131_072 * 512
    first = [r.ledger(131_072, 1)[1].lines["compute"].mid for r in (whole, spilled)]
    assert first[0] - first[1] >= 3 * masks


def test_an_image_projector_is_a_part_of_its_own_on_the_first_gpu() -> None:
    """Gemma 3 27B: 423 million parameters of SigLIP and projector are 0.79 GiB at 16 bits.

    Its graph took 121 MiB on an MI300X with flash attention; other families' take up to 705.
    """
    seeing = replace(model("llama70"), id="seeing", vision_parameters=423_060_336)
    two = combo("rtx-4090", "rtx-4090", link="pcie-4-x16")
    blind = ask(seeing, "q4-k-m", two, "llama-cpp")
    found = ask(seeing, "q4-k-m", two, "llama-cpp", settings=Settings(images=True))
    first, second = (gpu.lines["projector"] for gpu in found.ledger)
    assert first.bounds == (846_120_672 + 121 * MIB, first.mid, 846_120_672 + 705 * MIB)
    assert first.low < first.mid < first.high
    assert second.bounds == (0, 0, 0)
    assert [gpu.lines["projector"].mid for gpu in blind.ledger] == [0, 0]
    assert found.ledger[0].need.mid - blind.ledger[0].need.mid == first.mid
    assert found.id != blind.id
