"""llama.cpp's tensor split: memory beside probes of its meta backend, speed beside layers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Json
from sitegen.fit.assessment import PlanGoal
from sitegen.physics import meta_cut, traffic
from sitegen.physics.memory.layer_layout import meta_layout
from sitegen.physics.memory.layer_split_profile import Allocation, GpuParts
from sitegen.physics.memory.profile_constants import profile_of, split_profile
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.plan import PlanKind, Settings, Workload
from sitegen.physics.reduced_checkpoint import reduce_checkpoint
from sitegen.physics.speed.roofline import tensor_link_s
from sitegen.units import MIB
from tests.fit.questions import ask, catalog, combo, model
from tests.physics.shapes import link, shape_of, thrice

Probe = tuple[int, float, float]
"""Devices; MiB of weights and of cache on the fullest."""
SHAPE: dict[str, Json] = {
    "num_hidden_layers": 6, "hidden_size": 2_048, "head_dim": 128, "vocab_size": 32_000,
    "max_position_embeddings": 32_768,
}  # fmt: skip
DENSE: dict[str, Json] = {
    "model_type": "qwen3", "num_attention_heads": 16, "num_key_value_heads": 8,
    "intermediate_size": 6_144, "tie_word_embeddings": False, **SHAPE,
}  # fmt: skip
TIED = {**DENSE, "tie_word_embeddings": True}
MIXTURE: dict[str, Json] = {
    "model_type": "qwen3_moe", "num_attention_heads": 32, "num_key_value_heads": 4,
    "intermediate_size": 6_144, "moe_intermediate_size": 768, "num_experts": 16,
    "num_experts_per_tok": 4, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "tie_word_embeddings": False, **SHAPE,
}  # fmt: skip
# Printed by llama.cpp as vendored in llama-cpp-python 0.3.36 for F16 files of these shapes, with
# LLAMA_SPLIT_MODE_TENSOR over CPU devices, 8,192 tokens, on 2026-11-23. The graph's buffer was
# 66.50 MiB in every one, with one device as with eight.
PROBES: tuple[tuple[dict[str, Json], tuple[Probe, ...]], ...] = (
    (DENSE, ((1, 701.11, 192.0), (2, 350.61, 96.0), (3, 233.78, 64.0), (4, 175.36, 48.0),
             (8, 87.73, 24.0))),
    (TIED, ((1, 701.11, 192.0), (2, 413.11, 96.0), (3, 317.11, 64.0), (4, 269.11, 48.0),
            (8, 197.11, 24.0))),
    (MIXTURE, ((1, 1205.86, 96.0), (2, 603.36, 48.0), (3, 402.53, 32.0), (4, 302.11, 24.0),
               (8, 163.48, 12.0))),
)  # fmt: skip
COMPUTE_MIB = 66.50


def reduced(config: dict[str, Json]) -> ModelShape:
    """A probed model as a 16-bit GGUF file."""
    one = replace(model("qwen3_30"), config=config)
    checkpoint = replace(one.checkpoints[0], quantization=catalog().quantizations["gguf-f16"])
    return reduce_checkpoint(one, checkpoint).shape


def parts(shape: ModelShape, devices: int, half_bits: int = 32) -> GpuParts:
    """What the fullest device holds at 8,192 tokens."""
    profile = profile_of(catalog().runtimes["llama-cpp"], "9000")
    assert profile is not None
    c = replace(split_profile(profile), widened_cache=False)
    asked = Allocation(8_192, 1, 512, (half_bits, half_bits), flash=True)
    return c.parts(shape, meta_layout(shape, devices), 0, asked)


@pytest.mark.parametrize(("config", "probes"), PROBES)
def test_weights_and_cache_are_those_that_the_meta_backend_allocates(
    config: dict[str, Json], probes: tuple[Probe, ...]
) -> None:
    shape = reduced(config)
    for devices, weights, cache in probes:
        held = parts(shape, devices)
        # parts of a layer differ by device, and six layers do not even out over eight devices
        assert held.weights / MIB == pytest.approx(weights, rel=0.02 if devices == 8 else 0.001)
        assert held.kv / MIB == pytest.approx(cache, rel=1e-6)


def test_the_graph_is_reserved_as_if_nothing_was_cut() -> None:
    for config, _ in PROBES:
        shape = reduced(config)
        found = [parts(shape, devices).compute / MIB for devices in (1, 2, 4, 8)]
        assert found == [pytest.approx(COMPUTE_MIB, abs=0.01)] * 4


def test_a_quantized_cache_is_cut_too() -> None:
    # the probe: 25.50 MiB on each of four devices
    assert parts(reduced(DENSE), 4, half_bits=17).kv / MIB == pytest.approx(25.5)


def test_eight_heads_over_three_devices_are_two_three_and_three_by_turns() -> None:
    # four layers of eight heads: three cycles of eight and one layer's largest part
    assert meta_cut.cut_parts(8, 1, 3) == [2, 3, 3]
    assert meta_cut.turned_part(8, 1, 3, 4) == (8 + 3) / 32
    assert meta_cut.turned_part(8, 1, 3, 3) == 1 / 3
    assert meta_cut.widest_part(8, 1, 3) == 3 / 8


def test_an_expert_of_three_blocks_over_eight_devices_is_read_at_the_pace_of_one_block() -> None:
    # 768 in blocks of 256: five of eight devices have nothing of a layer
    assert meta_cut.cut_parts(768, 256, 8) == [0, 0, 256, 0, 0, 256, 0, 256]
    assert meta_cut.widest_part(768, 256, 8) == 1 / 3


def test_a_width_is_cut_at_whole_blocks_and_at_no_less_than_a_kernels_tile() -> None:
    def granule(block: int, width: int) -> int:
        return meta_cut.width_granule(shape_of(cut_block=block), width)

    assert granule(256, 768) == 256
    assert granule(256, 640) == 128, "blocks that do not divide the width"
    assert granule(32, 768) == 128, "blocks of less than a tile"


def test_of_nothing_every_device_holds_its_share() -> None:
    assert meta_cut.turned_part(0, 128, 2, 4) == meta_cut.turned_part(8, 1, 2, 0) == 1 / 2
    assert meta_cut.turned_part(1, 1, 2, 1) == 1, "one of one goes to a single device"


def test_blocks_of_weights_keep_heads_together() -> None:
    shape = shape_of(heads=32, cut_block=256)
    # 128 elements of one query are half a block; 512 of four queries are two
    assert meta_cut.head_granule(shape, 32, 128, 2) == 2
    assert meta_cut.head_granule(shape, 8, 128, 2) == 1


def test_shared_experts_stay_whole_on_every_gpu() -> None:
    shape, shared = reduced(MIXTURE), 10 * MIB
    kinds = []
    for kind in shape.kinds:
        split = kind.weights.split_bytes + shared
        weights = replace(kind.weights, split_bytes=split, shared_bytes=shared)
        kinds.append(replace(kind, weights=weights))
    more = meta_layout(replace(shape, kinds=tuple(kinds)), 4).gpus[0].weights_bytes
    plain = meta_layout(shape, 4).gpus[0].weights_bytes
    assert more - plain == pytest.approx(6 * shared, abs=8)


NVLINK = combo("rtx-3090", "rtx-3090", link="nvlink-bridge-ga102")


def chosen(name: str, where: Combo, version: str = "", **asked: Any) -> PlanKind | None:
    """The kind of plan that one user of llama.cpp gets."""
    found = ask(
        model(name), "q4-k-m", where, "llama-cpp", version, settings=Settings(**asked),
        goal=PlanGoal.LATENCY,
    )  # fmt: skip
    return found.plan.kind if found.plan else None


def speed(where: Combo, version: str) -> float:
    found = ask(model("llama70"), "q4-k-m", where, "llama-cpp", version, goal=PlanGoal.LATENCY)
    assert found.speed is not None
    return found.speed.single_tokens_per_s.mid


def test_over_nvlink_a_dense_model_is_written_faster_cut_than_in_layers() -> None:
    assert chosen("llama70", NVLINK) is PlanKind.TENSOR
    assert chosen("llama70", NVLINK, "5000") is PlanKind.LAYER_SPLIT
    # two GPUs read at once: below twice the speed, and well above once
    assert 1.4 < speed(NVLINK, "") / speed(NVLINK, "5000") < 2


@pytest.mark.parametrize(
    ("name", "where", "version", "asked"),
    [
        ("llama70", NVLINK, "5000", {}),  # a build from before the mode
        ("llama70", NVLINK, "", {"flash_attention": False}),  # which the mode needs
        ("dsv3", combo(*["h100-sxm"] * 8, link="nvlink-4"), "", {}),  # a family it refuses
        ("llama70", combo(*["arc-a770-16gb"] * 4), "", {}),  # another maker
        ("llama70", combo("rtx-3090", "rtx-4090", link="pcie-4-x16"), "", {}),  # unequal GPUs
        ("llama70", combo("rtx-3090", nodes=2, network="infiniband-hdr"), "", {}),  # two machines
    ],
)
def test_layers_stay_whole_where_the_mode_does_not_run(
    name: str, where: Combo, version: str, asked: dict[str, Any]
) -> None:
    assert chosen(name, where, version, **asked) is not PlanKind.TENSOR


def test_layers_stay_whole_with_a_cache_that_the_mode_aborts_on() -> None:
    def with_cache(kv_dtype: str) -> PlanKind | None:
        found = ask(
            model("llama70"), "q4-k-m", NVLINK, "llama-cpp", goal=PlanGoal.LATENCY,
            workload=Workload(8_192, 1, kv_dtype),
        )  # fmt: skip
        return found.plan.kind if found.plan else None

    assert with_cache("q8_0") is PlanKind.TENSOR
    assert with_cache("q5_1") is PlanKind.LAYER_SPLIT
    assert with_cache("q8_0:iq4_nl") is PlanKind.LAYER_SPLIT


def test_any_number_of_gpus_can_share_a_layer() -> None:
    three = combo("rtx-3090", "rtx-3090", "rtx-3090", link="pcie-4-x16")
    found = ask(model("llama70"), "q4-k-m", three, "llama-cpp", tp=3)
    assert found.plan is not None
    assert (found.plan.kind, found.plan.tensor_parallel_size) == (PlanKind.TENSOR, 3)
    assert [gpu.layers for gpu in found.ledger] == [80, 80, 80]


def test_a_size_asked_for_is_refused_with_the_rule_where_the_family_is_not_cut() -> None:
    found = ask(
        model("dsv3"), "q4-k-m", combo(*["h100-sxm"] * 8, link="nvlink-4"), "llama-cpp", tp=8
    )
    assert [reason.code for reason in found.reasons] == ["TP_NOT_HERE"]


def test_a_cut_always_talks_and_never_reads_less_than_its_share() -> None:
    shape = reduced(DENSE)
    counts = shape.kind_counts(0, shape.layers)
    whole = traffic.dense_read_bytes(shape, counts, 1, with_head=True)
    for ranks in (2, 3, 4, 8):
        assert meta_cut.dense_read_bytes(shape, counts, ranks, with_head=True) >= whole / ranks
        paid = tensor_link_s(
            shape.hidden, shape.layers, ranks, 1, link=link(1e-6, 1e11), growth=thrice(1.0)
        )
        assert paid[1] > 0
