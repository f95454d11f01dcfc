"""Parameter counts, exact to the last one: against torch's meta device and published totals."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.models.architecture import Architecture, active_parameters, parameters
from sitegen.models.cache_kinds import NoCache
from sitegen.models.families import FAMILIES, ConfigError, architecture
from tests.models.families.known import COUNTS, config_of, design_of, model_ids, record

LIKE_LLAMA = {"baichuan", "exaone"}
"""Families whose own code vLLM 0.33 loads as Llama's layers with fused projections."""

REPOSITORIES = {record(model)["repository"]: model for model in model_ids()}


def counted(design: Architecture) -> tuple[int, int]:
    """Count parameters, and what is beside them."""
    count = parameters(design)
    return count, parameters(design, buffers=True) - count


def test_catalog_models_count_as_torch_does() -> None:
    expected = {
        name: (count["parameters"], count["buffers"]) for name, count in COUNTS["catalog"].items()
    }
    assert {name: counted(design_of(REPOSITORIES[name])) for name in expected} == expected


def test_configs_count_as_torch_does() -> None:
    for case in COUNTS["configs"]:
        expected = case["parameters"], case["buffers"]
        assert counted(architecture(case["config"])) == expected, case["model"]


def test_published_counts_are_sums_of_text_vision_and_prediction_layers() -> None:
    wrong = []
    for model in model_ids():
        if "published_parameters" in record(model):
            content, design = record(model), design_of(model)
            beside = content.get("vision_parameters", 0) + content.get("mtp_parameters", 0)
            sums = {parameters(design) + beside, parameters(design, buffers=True) + beside}
            wrong += [model] if content["published_parameters"] not in sums else []
    assert wrong == []


def test_every_family_is_verified_by_torch_or_by_a_published_count() -> None:
    verified = {design_of(REPOSITORIES[name]).family for name in COUNTS["catalog"]}
    verified |= {architecture(case["config"]).family for case in COUNTS["configs"]}
    verified |= {design_of(m).family for m in model_ids() if "published_parameters" in record(m)}
    same_as_flat = {"qwen2_vl_text", "qwen2_5_vl_text", "minimax_m3_vl_text"}
    assert set(FAMILIES) - verified == same_as_flat | {"baichuan", "PanguEmbedded"}


def test_open_pangu_counts_as_its_files_do() -> None:
    """Bytes of its files, as a copy of openPangu Embedded 7B lists them, less stored frequencies.

    Source:
        github.com/IDLEOAK/openpangu-lightweight-methods, ``model.safetensors.index.json``.
    """
    config: dict[str, Any] = {
        "model_type": "PanguEmbedded", "bias": True, "hidden_size": 4096,
        "intermediate_size": 12800, "num_attention_heads": 32, "num_hidden_layers": 34,
        "num_key_value_heads": 8, "tie_word_embeddings": False, "vocab_size": 153376,
    }  # fmt: skip
    assert counted(architecture(config)) == (16_061_784_576 // 2 - 34 * 64 * 2, 0)


@pytest.mark.parametrize("family", sorted(LIKE_LLAMA))
def test_families_that_no_library_has_any_more_are_laid_out_like_llama(family: str) -> None:
    config = config_of("llama-2-13b")
    assert architecture(config | {"model_type": family}).tensors == architecture(config).tensors
    model = {"baichuan": "baichuan2-7b-base", "exaone": "exaone-3.5-7.8b-instruct"}[family]
    hidden, width, layers, kv, vocabulary = {
        "baichuan": (4096, 11008, 32, 4096, 125696),
        "exaone": (4096, 14336, 32, 1024, 102400),
    }[family]
    layer = 2 * hidden * hidden + 2 * hidden * kv + 3 * hidden * width + 2 * hidden
    assert parameters(design_of(model)) == layers * layer + (2 * vocabulary + 1) * hidden


@pytest.mark.parametrize("model", ["minimax-m3", "step-3.7-flash"])
def test_nested_and_flat_configs_count_alike(model: str) -> None:
    config = config_of(model)
    inner = config.pop("text_config", config)
    name = {"minimax-m3": "minimax_m3_vl_text", "step-3.7-flash": "step3p5"}[model]
    nested: dict[str, Any] = {"model_type": "outer", "text_config": {**inner, "model_type": name}}
    assert architecture(nested).tensors == design_of(model).tensors


def test_kimi_k3_adds_up_by_hand_and_comes_to_its_published_2_8_trillion() -> None:
    design = design_of("kimi-k3")
    hidden, heads, head, latent = 7168, 96, 128, 3584
    inner = heads * head
    delta = 3 * inner * hidden + 3 * inner * 4 + head * hidden + inner * head + inner + heads
    delta += heads * hidden + inner * hidden + head + hidden * inner
    query = 1536 * hidden + 1536 + heads * 192 * 1536
    full = query + 576 * hidden + 512 + heads * 256 * 512 + 2 * hidden * inner
    residuals = 2 * 2 * hidden
    experts = 896 * hidden + 2 * latent * hidden + latent + 896 * 3 * latent * 3072
    sparse = experts + 3 * hidden * 2 * 3072
    layers = 69 * delta + 24 * full + 93 * (2 * hidden + residuals) + 92 * sparse
    layers += 3 * hidden * 33792
    assert parameters(design) == layers + 2 * 163840 * hidden + 3 * hidden
    assert parameters(design) / 1e12 == pytest.approx(2.8, abs=0.05)


def test_pruned_layers_of_nemotron_super_lack_attention() -> None:
    design = design_of("llama-3.3-nemotron-super-49b-v1")
    silent = [cache for cache in design.caches if isinstance(cache, NoCache)]
    assert (design.layers, len(silent)) == (80, 31)
    assert design.feed_forward_sizes[0] == 28672


def test_text_part_of_a_vision_config_counts_like_the_flat_config() -> None:
    flat = config_of("qwen2.5-vl-7b-instruct")
    text = {**flat, "model_type": "qwen2_5_vl_text"}
    nested = architecture({"model_type": "qwen2_5_vl", "text_config": text})
    assert nested.tensors == architecture(flat).tensors


def test_kimi_k2_has_its_published_count_with_buffers() -> None:
    assert parameters(design_of("kimi-k2-instruct"), buffers=True) == 1_026_408_232_448


def test_deepseek_v3_has_its_published_count_with_buffers() -> None:
    assert parameters(design_of("deepseek-v3"), buffers=True) == 671_026_419_200


def test_indexer_is_the_difference_between_deepseek_v32_and_v3() -> None:
    difference = parameters(design_of("deepseek-v3.2")) - parameters(design_of("deepseek-v3"))
    per_layer = 64 * 128 * 1536 + 128 * 7168 + 2 * 128 + 64 * 7168
    assert difference == 61 * per_layer == 61 * 13_959_424


def test_the_n_gram_table_of_flash_next_is_sixteen_primes_of_rows() -> None:
    table = [t for t in design_of("qwen3.8-flash-next").tensors if t.group == "layer_embed"]
    assert [(t.rows, t.columns, t.layer) for t in table] == [(320_001_536, 160, -1)]
    primes = (20_000_003, 20_000_023)  # the first two of the sixteen
    assert all(n % d for n in primes for d in range(2, 4473))
    assert 0 <= 320_001_536 - 16 * 20_000_000 < 2_000


def test_qwen_1_counts_gate_and_up_projection_together() -> None:
    config = config_of("qwen-72b")
    halved = {**config, "model_type": "qwen2", "intermediate_size": 24_576}
    assert architecture(config).tensors == architecture(halved).tensors
    with pytest.raises(ConfigError, match="must be even"):
        architecture({**config, "intermediate_size": 49_151})


def test_a_layer_of_llama_70b_adds_up_by_hand() -> None:
    layer = [t for t in design_of("llama-3.1-70b-instruct").tensors if t.layer == 7]
    attention = 2 * 8192 * 8192 + 2 * 1024 * 8192
    assert sum(t.elements for t in layer) == attention + 3 * 8192 * 28672 + 2 * 8192


@pytest.mark.parametrize(
    ("model", "billions"),
    [
        ("llama-3.1-8b-instruct", 7.505),
        ("llama-3.1-70b-instruct", 69.50),
        ("mixtral-8x7b-instruct-v0.1", 12.749),
        ("deepseek-v3", 36.63),
        ("qwen3-30b-a3b", 3.042),
        ("qwen3-235b-a22b", 21.568),
        ("gpt-oss-120b", 5.133),
        ("gpt-oss-20b", 3.608),
        ("qwen3-next-80b-a3b-instruct", 3.564),
        ("qwen3.5-122b-a10b", 9.008),
    ],
)
def test_active_parameters_leave_out_lookup_and_idle_experts(model: str, billions: float) -> None:
    assert active_parameters(design_of(model)) / 1e9 == pytest.approx(billions, abs=0.006)


def test_experts_of_gpt_oss_120b_are_what_its_card_says_is_in_mxfp4() -> None:
    experts = [t for t in design_of("gpt-oss-120b").tensors if t.group.startswith("exp_")]
    assert sum(t.elements for t in experts) == 114_661_785_600


def test_deepseek_v41_reads_16_billion_parameters_a_token_and_keeps_two_tables() -> None:
    design = design_of("deepseek-v4.1-flash")
    table = [t for t in design.tensors if t.group == "layer_embed"]
    assert [(t.rows, t.columns) for t in table] == [(384_006_168, 256), (384_016_682, 256)]
    assert active_parameters(design) / 1e9 == pytest.approx(16, rel=0.02)


def test_both_models_of_inkling_have_heads_eight_layers_ahead_of_one_shape() -> None:
    for model, hidden, dense in (("inkling", 6144, 24576), ("inkling-small", 4096, 16384)):
        config = config_of(model)["text_config"]
        kinds = [(64, 16, 512), (64, 8, 1024)] if hidden == 6144 else [(32, 8, 512), (32, 8, 1024)]
        one = [
            2 * hidden * 128 * (query + kv) + 16 * (hidden * query + extent) + 2 * kv * 128 * 4
            for query, kv, extent in kinds
        ]
        rest = 256 + 10 * hidden + 3 * hidden * dense + 1 + 2 * hidden * hidden + 2 * hidden
        assert config["hidden_size"] == hidden
        assert record(model)["mtp_parameters"] == 6 * one[0] + 2 * one[1] + 8 * rest


def test_the_two_halves_of_ernie_vl_are_the_text_model_and_experts_for_images() -> None:
    text = design_of("ernie-4.5-21b-a3b-pt")
    assert design_of("ernie-4.5-vl-28b-a3b-pt").tensors == text.tensors
    experts = 27 * 64 * (3 * 2560 * 512 + 2560 + 1)
    tower = 32 * (12 * 1280 * 1280 + 13 * 1280) + 3 * 14 * 14 * 1280 + 2 * 1280
    resampler = 2 * (5120 * 5120 + 5120) + 2 * 5120 + 10240 * 5120 + 5120
    resampler += 5120 * 5120 + 5120 + 2 * 5120 + 5120 * 2560 + 2560 + 2560
    assert record("ernie-4.5-vl-28b-a3b-pt")["vision_parameters"] == experts + tower + resampler


def test_nemotron_ultra_has_layers_without_either_part() -> None:
    design = design_of("llama-3.1-nemotron-ultra-253b-v1")
    silent = [cache for cache in design.caches if isinstance(cache, NoCache)]
    held = {tensor.layer for tensor in design.tensors}
    assert (design.layers, len(silent)) == (162, 98)
    assert len(set(range(162)) - held) == 81


def test_nvfp4_files_of_nemotron_nano_vl_hold_its_linear_layers_two_to_a_byte() -> None:
    content = record("nemotron-nano-12b-v2-vl")
    groups = {"attn_q", "attn_k", "attn_v", "attn_o", "ffn_up", "ffn_down", "lin_in", "lin_out"}
    linear = sum(
        t.elements for t in design_of("nemotron-nano-12b-v2-vl").tensors if t.group in groups
    )
    assert content["published_parameters"] - linear // 2 == pytest.approx(7_699_118_592, rel=1e-4)


def test_awq_files_of_nemotron_nano_pack_every_linear_layer_in_groups_of_64() -> None:
    design = design_of("nemotron-3-nano-30b-a3b")
    packed = [t for t in design.tensors if t.group.startswith(("attn_", "exp_", "shexp_", "lin_"))]
    linear = sum(t.elements for t in packed)
    modules = 23 * (128 * 2 + 2) + 23 * 2 + 6 * 4
    held = parameters(design) - linear + linear // 8 + linear // 64 + 2 * modules
    assert held == 5_053_827_112
