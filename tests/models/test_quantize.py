"""What checkpoints weigh: sums a reader can check by hand, and files that people publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.catalog.domain.models import Checkpoint, TensorFormat
from sitegen.catalog.domain.provenance import Evidence
from sitegen.catalog.load import parse_catalog
from sitegen.models.families import architecture
from sitegen.models.weights.checkpoint import (
    CheckpointWeights,
    SizeEvidence,
    formatted_bytes,
    weigh_checkpoint,
)
from sitegen.units import GB, GIB, MIB

ROOT = Path(__file__).parents[2]
CONFIGS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "gguf-configs.json").read_text()
)["configs"]
RECIPES = parse_catalog(
    {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for path in sorted((ROOT / "catalog" / "quantizations").glob("*.yaml"))
    }
).quantizations


def weights_of(
    model: str,
    recipe: str,
    *,
    kept: tuple[str, ...] = (),
    kept_fp8: tuple[str, ...] = (),
    published_bytes: int | None = None,
    vision_parameters: int = 0,
    prediction_parameters: int = 0,
    **overrides: int,
) -> CheckpointWeights:
    checkpoint = Checkpoint(
        id=recipe,
        quantization=RECIPES[recipe],
        repository="",
        published_bytes=published_bytes,
        config_overrides={},
        kept=kept,
        kept_fp8=kept_fp8,
        native=False,
        evidence=Evidence.ESTIMATED,
        sources=(),
        prediction_layers=int(prediction_parameters > 0),
    )
    config = {**CONFIGS[model], **overrides}
    return weigh_checkpoint(
        architecture(config),
        checkpoint,
        vision_parameters=vision_parameters,
        prediction_parameters=prediction_parameters,
    )


def test_llama_70b_in_16_bits_is_two_bytes_per_parameter() -> None:
    # layers 80 · 855,654,400, embedding and head 2 · 128,256 · 8,192, final norm 8,192
    assert weights_of("llama70", "bf16").total_bytes == 2 * 70_553_706_496


def test_llama_70b_loaded_with_32_bits_is_four_bytes_per_parameter() -> None:
    assert weights_of("llama70", "fp32").total_bytes == 4 * 70_553_706_496
    assert weights_of("gemma27", "fp32", vision_parameters=423_060_294).vision_bytes == (
        4 * 423_060_294
    )
    assert weights_of("llama70", "fp32", kept=("attn_q",)).total_bytes == 4 * 70_553_706_496


def test_llama_70b_awq_is_39_77_gb() -> None:
    # 80 · 855,638,016 elements of linears · 4.15625 bits, embedding, head and norms 16 bits
    linears = 80 * 855_638_016 * 4.15625 / 8
    rest = 2 * (2 * 128_256 * 8_192 + 80 * 16_384 + 8_192)
    weights = weights_of("llama70", "awq-4bit-g128")
    assert weights.total_bytes == linears + rest
    assert weights.total_bytes / GB == pytest.approx(39.77, abs=0.005)
    assert weights.linear_bits_per_weight == 4.15625


def test_padded_qwen_72b_awq_is_41_60_gb() -> None:
    # the published repository has 41.6 GB; its feed-forward width is padded to 29,696
    weights = weights_of("qwen25_72", "awq-4bit-g128", intermediate_size=29_696)
    assert weights.total_bytes / GB == pytest.approx(41.60, abs=0.005)


@pytest.mark.parametrize(("model", "card_gib"), [("gptoss120", 60.8), ("gptoss20", 12.8)])
def test_gpt_oss_has_the_size_on_its_model_card(model: str, card_gib: float) -> None:
    assert weights_of(model, "mxfp4").total_bytes / GIB == pytest.approx(card_gib, abs=0.05)


def test_gpt_oss_120b_is_mxfp4_experts_and_the_rest_at_16_bits() -> None:
    experts, everything = 114_661_785_600, 116_829_156_672
    total = experts * 4.25 / 8 + 2 * (everything - experts)
    assert weights_of("gptoss120", "mxfp4").total_bytes == total


def test_deepseek_v3_fp8_is_one_byte_per_weight_and_a_scale_per_block() -> None:
    # 671.03 G parameters, 1.85 G of embedding and head with two bytes, 0.16 GB of scales
    assert weights_of("dsv3", "fp8-block").total_bytes / GB == pytest.approx(673.15, abs=0.005)


@pytest.mark.parametrize(
    ("recipe", "mib"),
    [
        ("q4-k-m", 40_543.11), ("q8-0", 71_494), ("q6-k", 55_199), ("q5-k-m", 47_628),
        ("q4-k-s", 38_471), ("q4-0", 38_111), ("iq4-xs", 36_489), ("q3-k-m", 32_673),
        ("q2-k", 25_146), ("iq2-xxs", 18_205),
    ],
)  # fmt: skip
def test_llama_70b_in_gguf_has_the_size_llama_quantize_prints(recipe: str, mib: float) -> None:
    weights = weights_of("llama70", recipe)
    assert weights.total_bytes / MIB == pytest.approx(mib, abs=0.5)
    assert weights.evidence is SizeEvidence.MIX_RULE


@pytest.mark.parametrize(
    ("model", "recipe", "repository_bytes"),
    [
        # sizes of the weights of mlx-community's repositories, as exo's model cards list them
        ("glm47", "mlx-4bit", 198_556_925_568),
        ("glm47", "mlx-6bit", 286_737_579_648),
        ("llama70", "mlx-4bit", 39_688_355_840),
        ("llama70", "mlx-8bit", 74_964_549_632),
        ("llama70", "mlx-bf16", 141_107_412_992),
    ],
)
def test_mlx_repositories_are_exact_to_the_byte(
    model: str, recipe: str, repository_bytes: int
) -> None:
    assert weights_of(model, recipe).total_bytes == repository_bytes


def test_a_vision_tower_stays_at_16_bits_whatever_the_recipe() -> None:
    # two repositories of Qwen3.5-27B differ from their text parts by the same tower
    four = 16_054_266_848 - weights_of("qwen35_27", "mlx-4bit").total_bytes
    eight = 29_500_943_328 - weights_of("qwen35_27", "mlx-8bit").total_bytes
    assert four == eight
    with_tower = weights_of("qwen35_27", "mlx-4bit", vision_parameters=four // 2)
    assert with_tower.vision_bytes == four
    assert with_tower.total_bytes == 16_054_266_848


def test_gguf_leaves_the_vision_tower_to_a_file_of_its_own() -> None:
    assert weights_of("gemma27", "q4-k-m", vision_parameters=423_060_294).vision_bytes == 0


@pytest.mark.parametrize("recipe", sorted(RECIPES))
@pytest.mark.parametrize("model", ["llama8", "gemma27", "dsv3", "qwen3next", "gptoss20"])
def test_the_parts_sum_to_the_file(model: str, recipe: str) -> None:
    weights = weights_of(model, recipe)
    parts = sum(layer.total_bytes for layer in weights.layers)
    parts += weights.embedding_bytes + weights.final_bytes + weights.vision_bytes
    parts += 0 if weights.tied else weights.head_bytes
    assert parts == weights.total_bytes
    assert 1.5 < weights.linear_bits_per_weight <= RECIPES[recipe].element_bits


def test_a_tied_head_costs_the_file_nothing_and_a_second_copy_the_table() -> None:
    weights = weights_of("gemma27", "bf16")
    assert weights.tied
    assert weights.head_bytes == weights.embedding_bytes == 2 * 262_208 * 5_376
    assert weights.total_bytes == 2 * 27_009_346_304


def test_exl_quantizes_a_copy_of_a_tied_table() -> None:
    weights = weights_of("gemma27", "exl3-4.0bpw")
    assert not weights.tied
    assert weights.head_bytes == 262_208 * 5_376 * 6 // 8


def test_groups_that_a_checkpoint_keeps_have_16_bits() -> None:
    attention = ("attn_q", "attn_k", "attn_v", "attn_o")
    kept = weights_of("llama8", "nvfp4", kept=attention)
    # 32 layers · (q 4,096² + o 4,096² + k, v 2 · 1,024 · 4,096) elements, 16 instead of 4.5 bits
    difference = 32 * 41_943_040 * (16 - 4.5) / 8
    assert kept.total_bytes - weights_of("llama8", "nvfp4").total_bytes == difference


def test_groups_that_a_checkpoint_stores_in_fp8_have_8_bits() -> None:
    weights = weights_of("llama8", "nvfp4", kept_fp8=("attn_q", "attn_k", "attn_v", "attn_o"))
    attention = 32 * (2 * 4_096 * 4_096 + 2 * 1_024 * 4_096)
    feed_forward = 32 * 3 * 4_096 * 14_336
    plain = 2 * 128_256 * 4_096 + (2 * 32 + 1) * 4_096  # embedding, head and norms
    assert weights.total_bytes == attention * 1 + feed_forward * 9 // 16 + plain * 2


def test_a_head_can_be_stored_in_fp8() -> None:
    less = weights_of("llama8", "nvfp4").total_bytes
    less -= weights_of("llama8", "nvfp4", kept_fp8=("head",)).total_bytes
    assert less == 128_256 * 4_096


def test_a_file_that_agrees_confirms_the_computed_size() -> None:
    computed = weights_of("llama8", "q4-k-m")
    confirmed = weights_of("llama8", "q4-k-m", published_bytes=4_920_739_232)
    assert confirmed.evidence is SizeEvidence.PUBLISHED
    assert confirmed.layers == computed.layers


def test_a_custom_mix_is_scaled_to_its_published_size() -> None:
    published = round(1.05 * weights_of("llama8", "q4-k-m").total_bytes)
    scaled = weights_of("llama8", "q4-k-m", published_bytes=published)
    assert scaled.evidence is SizeEvidence.PUBLISHED
    assert scaled.total_bytes == pytest.approx(published, abs=200)
    assert scaled.head_bytes == weights_of("llama8", "q4-k-m").head_bytes


def test_prediction_layers_of_a_file_are_no_weights() -> None:
    computed = weights_of("llama8", "q4-k-m")
    guesses = 400_000_000
    ahead = guesses * computed.linear_bits_per_weight / 8
    plain = round(computed.total_bytes + ahead)
    agrees = weights_of("llama8", "q4-k-m", published_bytes=plain, prediction_parameters=guesses)
    assert agrees.total_bytes == computed.total_bytes
    richer = weights_of(
        "llama8", "q4-k-m", published_bytes=round(1.05 * plain), prediction_parameters=guesses
    )
    held = guesses * richer.linear_bits_per_weight / 8
    assert richer.total_bytes + held == pytest.approx(1.05 * plain, rel=1e-6)


def test_a_repository_with_draft_layers_does_not_inflate_the_model() -> None:
    # the hub counts 685 G parameters of DeepSeek-V3: multi-token prediction is in the repository
    published = round(weights_of("dsv3", "fp8-block").total_bytes * 685 / 671)
    weights = weights_of("dsv3", "fp8-block", published_bytes=published)
    assert weights.evidence is SizeEvidence.RECIPE
    assert weights.total_bytes / GB == pytest.approx(673.15, abs=0.005)


def test_a_block_that_ends_early_has_a_scale_of_its_own() -> None:
    block = TensorFormat(weight_bits=8, group_size=128, block_rows=128, scale_bits=32)
    assert formatted_bytes(200, 300, 1, block) == 200 * 300 + 2 * 3 * 4


@pytest.mark.parametrize(
    ("group_size", "scales"), [(0, 64), (-1, 1), (32, 64 * 2)], ids=["row", "tensor", "group"]
)
def test_scales_are_one_per_row_tensor_or_group(group_size: int, scales: int) -> None:
    stored_as = TensorFormat(weight_bits=8, group_size=group_size, scale_bits=16)
    assert formatted_bytes(64, 64, 3, stored_as) == 3 * (64 * 64 + 2 * scales)


def test_production_means_four_bits_in_the_linears() -> None:
    assert {r.id for r in RECIPES.values() if r.production != (r.nominal_bits >= 4)} == set()
    assert not RECIPES["q3-k-l"].production
    assert RECIPES["iq4-xs"].production
