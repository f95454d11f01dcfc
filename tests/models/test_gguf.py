"""GGUF files: what decides the type of a tensor, and sizes of files that people publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.models.architecture import Architecture
from sitegen.models.families import architecture
from sitegen.models.gguf.blocks import BLOCKS, NARROWER_BLOCK
from sitegen.models.gguf.checkpoint import tensor_types
from sitegen.models.gguf.mix import DEFAULT_TYPE, RULES
from sitegen.physics.reduced_checkpoint import design_of
from sitegen.units import GB, GIB
from tests.survey.whole_catalog import whole_catalog

VECTORS = Path(__file__).parents[1] / "vectors"
CONFIGS: dict[str, Any] = json.loads((VECTORS / "gguf-configs.json").read_text())["configs"]


def types_of(model: str, file_type: str, *, importance_matrix: bool = False) -> dict[str, str]:
    rows = tensor_types(
        architecture(CONFIGS[model]), file_type, importance_matrix=importance_matrix
    )
    return {f"{row.layer}.{row.tensor.name}": row.type for row in rows}


def file_bytes(model_architecture: Architecture, file_type: str) -> int:
    return sum(row.bytes for row in tensor_types(model_architecture, file_type))


@pytest.mark.parametrize(
    ("ggml_type", "bits"),
    [("q8_0", 8.5), ("q6_K", 6.5625), ("q4_K", 4.5), ("iq4_xs", 4.25), ("q2_K", 2.625)],
)
def test_a_block_has_the_bits_per_weight_its_format_is_known_for(
    ggml_type: str, bits: float
) -> None:
    assert BLOCKS[ggml_type].bits_per_weight == bits


def test_every_type_of_256_elements_has_a_narrower_one() -> None:
    assert {name for name, block in BLOCKS.items() if block.elements == 256} == set(NARROWER_BLOCK)


def test_rules_name_only_file_types_and_block_types_that_exist() -> None:
    assert {rule.type for rule in RULES} <= set(BLOCKS)
    assert {name for rule in RULES for name in rule.file_types.split()} <= set(DEFAULT_TYPE)


def is_reached(position: int) -> bool:
    """Whether some file type of the rule is not caught by an earlier rule in every case."""
    rule = RULES[position]
    earlier = [
        other
        for other in RULES[:position]
        if other.category == rule.category and other.when & rule.when == other.when
    ]
    return any(
        all(name not in other.file_types.split() for other in earlier)
        for name in rule.file_types.split()
    )


def test_every_rule_can_be_reached() -> None:
    assert [rule for position, rule in enumerate(RULES) if not is_reached(position)] == []


@pytest.mark.parametrize(
    ("model", "file_type", "published_bytes"),
    [
        # huggingface.co/datasets/vramneeded/llm-vram-requirements, read 2026-11-20
        ("llama8", "Q4_K_M", 4_920_739_232),
        ("llama8", "Q8_0", 8_540_775_840),
        # geerlingguy/ai-benchmarks lists DeepSeek-R1, the same shapes, with 376.65 GiB
        ("dsv3", "Q4_K_M", round(376.65 * GIB)),
    ],
)
def test_published_files_are_larger_by_their_metadata_only(
    model: str, file_type: str, published_bytes: int
) -> None:
    computed = file_bytes(architecture(CONFIGS[model]), file_type)
    assert computed == pytest.approx(published_bytes, rel=0.002)


def test_a_smaller_sounding_mix_of_gpt_oss_made_from_16_bits_is_larger_than_its_native_format() -> (
    None
):
    gpt_oss = architecture(CONFIGS["gptoss120"])
    widened = sum(row.bytes for row in tensor_types(gpt_oss, "Q4_K_M", requantized=True))
    assert widened > 1.3 * file_bytes(gpt_oss, "MXFP4_MOE")


@pytest.mark.parametrize(
    ("file_type", "gib"),
    [
        ("Q2_K", 58.27), ("Q3_K_S", 58.27), ("Q3_K_M", 58.33), ("Q4_0", 58.32), ("Q4_1", 58.41),
        ("Q4_K_S", 58.45), ("Q4_K_M", 58.46), ("Q5_K_S", 58.56), ("Q5_K_M", 58.57),
        ("Q6_K", 58.94), ("Q8_0", 59.03), ("F16", 60.88),
    ],
)  # fmt: skip
def test_files_of_gpt_oss_keep_their_experts_in_mxfp4_whatever_their_name(
    file_type: str, gib: float
) -> None:
    """Files of unsloth/gpt-oss-120b-GGUF, as ailocalcheck.com lists them (read 2026-11-23).

    A vocabulary of 201,088 entries takes 9 MiB of the file beside the tensors.
    """
    size = file_bytes(architecture(CONFIGS["gptoss120"]), file_type) / GIB
    assert size + 0.009 == pytest.approx(gib, abs=0.012)


@pytest.mark.parametrize(
    ("file_type", "gb"),
    [
        ("Q2_K", 11.5), ("Q3_K_M", 11.5), ("Q4_0", 11.5), ("Q4_1", 11.6), ("Q4_K_M", 11.6),
        ("Q5_K_M", 11.7), ("Q6_K", 12.04), ("F16", 13.8),
    ],
)  # fmt: skip
def test_files_of_gpt_oss_20b_are_as_large_as_published(file_type: str, gb: float) -> None:
    """unsloth/gpt-oss-20b-GGUF as Hugging Face lists it; Q6_K: bartowski's card."""
    size = file_bytes(design_of(whole_catalog().models["gpt-oss-20b"]), file_type) / GB
    assert size + 0.009 == pytest.approx(gb, abs=0.05 if gb != 12.04 else 0.005)


def test_a_tied_embedding_is_stored_once_in_the_type_of_a_head() -> None:
    types = types_of("gemma27", "Q4_K_M")
    assert types["-1.token_embd"] == "q6_K"
    assert "-1.output" not in types


def test_values_of_a_70b_model_get_five_bits_where_a_smaller_one_has_four() -> None:
    assert types_of("llama70", "Q4_K_M")["11.attn_v"] == "q5_K"
    assert types_of("llama8", "Q4_K_M")["5.attn_v"] == "q4_K"


def test_a_family_with_fused_queries_keys_and_values_gives_all_three_the_bits_of_values() -> None:
    types = types_of("phi4", "Q4_K_M")
    assert types["0.attn_qkv"] == "q6_K"
    assert not {"0.attn_q", "0.attn_k", "0.attn_v"} & set(types)


def test_routers_norms_and_biases_stay_at_32_bits() -> None:
    rows = tensor_types(architecture(CONFIGS["gptoss120"]), "Q4_0")
    kept = {row.tensor.group for row in rows if row.type == "f32"}
    assert kept == {"router", "norm", "bias"}


@pytest.mark.parametrize(("file_type", "gib"), [("MXFP4_MOE", 59.02), ("MXFP4_MOE_F16", 60.87)])
def test_a_file_of_gpt_oss_called_f16_keeps_its_experts_in_mxfp4(
    file_type: str, gib: float
) -> None:
    # sizes that llama-bench prints: "gpt-oss 120B MXFP4 MoE", "gpt-oss ?B F16"
    assert round(file_bytes(architecture(CONFIGS["gptoss120"]), file_type) / GIB, 2) == gib


def test_an_importance_matrix_changes_few_mixes() -> None:
    changed = {
        name
        for name in DEFAULT_TYPE
        if types_of("llama8", name) != types_of("llama8", name, importance_matrix=True)
    }
    assert changed == {"IQ3_XXS", "IQ4_XS", "IQ4_NL", "Q4_0", "Q5_0"}


def test_an_unknown_file_type_is_an_error() -> None:
    with pytest.raises(KeyError, match="Q4_K_XL"):
        list(tensor_types(architecture(CONFIGS["llama8"]), "Q4_K_XL"))
