"""Configs as people write them: what is filled in, what is refused, in words that help."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.models.architecture import SHARD_OF_GROUP
from sitegen.models.cache_kinds import NoCache
from sitegen.models.families import ConfigError, UnknownFamily, architecture
from tests.models.families.known import config_of, design_of, model_ids


def test_unknown_family_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(UnknownFamily, match=r"'qwen33' is not covered; did you mean 'qwen3'\?"):
        architecture({"model_type": "qwen33"})


def test_family_without_neighbours_is_named_alone() -> None:
    with pytest.raises(UnknownFamily, match=r"'zzz' is not covered$"):
        architecture({"model_type": "zzz"})


def test_missing_model_type_says_what_it_is_for() -> None:
    with pytest.raises(ConfigError, match="model_type: is missing; it says which family"):
        architecture({"hidden_size": 4096})


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("llama-3.1-8b-instruct", "hidden_size"),
        ("llama-3.1-8b-instruct", "vocab_size"),
        ("qwen3-30b-a3b", "moe_intermediate_size"),
        ("qwen3-30b-a3b", "num_experts_per_tok"),
        ("deepseek-v3", "qk_rope_head_dim"),
        ("deepseek-v3.2", "index_head_dim"),
        ("nemotron-3-nano-30b-a3b", "ssm_state_size"),
        ("granite-4.0-h-tiny", "layer_types"),
        ("gpt-oss-20b", "sliding_window"),
        ("gemma-2-9b-it", "sliding_window"),
    ],
)
def test_missing_key_is_named(model: str, key: str) -> None:
    config = config_of(model)
    del config[key]
    with pytest.raises(ConfigError) as caught:
        architecture(config)
    assert caught.value.key == key
    assert "is missing" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"num_hidden_layers": 10**9}, "num_hidden_layers: is 1000000000; at most 1024"),
        ({"intermediate_size": 10**366}, f"intermediate_size: is beyond reason; at most {2**50}"),
        ({"vocab_size": 2**50 + 1}, f"vocab_size: is beyond reason; at most {2**50}"),
        ({"num_hidden_layers": 0}, "num_hidden_layers: must be at least 1, is 0"),
        ({"hidden_size": -4}, "hidden_size: must be a whole number, is -4"),
        ({"hidden_size": 4096.5}, "hidden_size: must be a whole number, is 4096.5"),
        ({"hidden_size": True}, "hidden_size: must be a whole number, is True"),
        ({"vocab_size": "big"}, "vocab_size: must be a whole number, is 'big'"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings: must be true or false"),
        ({"head_dim": None, "hidden_size": 4097}, "head_dim: is missing and hidden_size is no"),
    ],
)
def test_impossible_value_is_refused_in_plain_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        architecture(config_of("llama-3.1-8b-instruct") | change)
    assert words in str(caught.value)


def test_layer_list_of_the_wrong_length_is_refused() -> None:
    config = config_of("gpt-oss-20b") | {"layer_types": ["full_attention"]}
    with pytest.raises(ConfigError, match="layer_types: must have one entry for each of the 24"):
        architecture(config)


def test_list_of_layer_numbers_is_checked() -> None:
    config = config_of("qwen3-30b-a3b") | {"mlp_only_layers": ["first"]}
    with pytest.raises(ConfigError, match="mlp_only_layers: must be a list of layer numbers"):
        architecture(config)


def test_unknown_letter_of_a_pattern_is_refused() -> None:
    config = config_of("nemotron-3-nano-30b-a3b")
    config["hybrid_override_pattern"] = "X" * config["num_hidden_layers"]
    with pytest.raises(ConfigError, match="has 'X'; known are M"):
        architecture(config)


def test_pattern_too_short_for_the_layers_is_refused() -> None:
    config = config_of("mimo-v2-flash")
    config["moe_layer_freq"] = []
    with pytest.raises(ConfigError, match="moe_layer_freq: must have one entry for each"):
        architecture(config)


def test_gemma_4_whose_layers_all_share_a_cache_is_refused() -> None:
    config = config_of("gemma-4-e2b-it")
    config["text_config"]["num_kv_shared_layers"] = 35
    with pytest.raises(ConfigError, match="num_kv_shared_layers: is 35 of 35 layers"):
        architecture(config)


@pytest.mark.parametrize(
    ("model", "key", "value", "words"),
    [
        ("deepseek-v4-flash", "compress_ratios", [0, 4], "must have an entry for all 43 layers"),
        ("deepseek-v4-flash", "compress_ratios", ["4"] * 43, "must be whole numbers"),
        ("kimi-linear-48b-a3b-instruct", "linear_attn_config", None, "which layers are linear"),
        ("kimi-linear-48b-a3b-instruct", "linear_attn_config", {}, "number every layer once"),
        ("glm-5.3-flash", "text_config", {"model_type": "glm5_next_text"}, "widths of linear"),
        ("llama-3.3-nemotron-super-49b-v1", "block_configs", None, "describes each layer"),
        ("llama-3.3-nemotron-super-49b-v1", "block_configs", [7] * 80, "attention and ffn"),
        (
            "llama-3.3-nemotron-super-49b-v1",
            "block_configs",
            [{"attention": {"n_heads_in_group": "8"}, "ffn": {"ffn_mult": 1.0}}] * 80,
            "neither described nor left out",
        ),
    ],
)
def test_layers_described_one_by_one_must_all_be_described(
    model: str, key: str, value: Any, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        architecture(config_of(model) | {key: value})


def test_top_level_fills_in_where_the_text_part_is_silent() -> None:
    config = config_of("gemma-3-27b-it")
    config["vocab_size"] = config["text_config"].pop("vocab_size")
    assert architecture(config).tensors == design_of("gemma-3-27b-it").tensors


def test_top_level_speaks_for_tied_embeddings() -> None:
    config = config_of("qwen3-vl-8b-instruct")
    config["text_config"]["tie_word_embeddings"] = True
    config["tie_word_embeddings"] = False
    assert not architecture(config).tied_embeddings


@pytest.mark.parametrize("model", ["gemma-3-1b-it", "gemma-3-27b-it", "c4ai-command-r-08-2024"])
def test_families_that_tie_by_default_do_so_when_the_config_is_silent(model: str) -> None:
    config = config_of(model)
    config.pop("tie_word_embeddings", None)
    design = architecture(config)
    assert design.tied_embeddings
    assert not [t for t in design.tensors if t.group == "head"]


@pytest.mark.parametrize("model", model_ids())
def test_inventory_uses_known_groups_and_every_layer_has_a_cache(model: str) -> None:
    design = design_of(model)
    assert {t.group for t in design.tensors} <= set(SHARD_OF_GROUP)
    assert len(design.caches) == design.layers
    held = {t.layer for t in design.tensors}
    assert held - {*range(design.layers)} == {-1}
    empty = set(range(design.layers)) - held  # both parts of a layer left out, in Nemotron Ultra
    assert all(isinstance(design.caches[layer], NoCache) for layer in empty)
    assert [t.layer for t in design.tensors] == sorted(t.layer for t in design.tensors)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=70),
    st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=3)), max_size=70),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=3),
)


@given(model=st.sampled_from(model_ids()), place=st.integers(0, 60), value=JUNK, flat=st.booleans())
def test_junk_in_a_config_is_refused_and_never_breaks(
    model: str, place: int, value: Any, flat: bool
) -> None:
    config = config_of(model)
    part = config if flat else config.get("text_config", config)
    part[sorted(part)[place % len(part)]] = value
    try:
        design = architecture(config)
    except (ConfigError, UnknownFamily):
        return
    assert len(design.caches) == design.layers


@pytest.mark.parametrize(
    ("model", "key", "value", "words"),
    [
        ("laguna-xs-2.1", "num_attention_heads_per_layer", [48], "one entry for each of the 40"),
        ("laguna-xs-2.1", "num_attention_heads_per_layer", [4] * 40, "at least 8"),
        ("lfm2-1.2b", "layer_types", None, "which layers attend"),
        ("qwen3.8-flash-next", "layer_types", None, "which layers are linear"),
        ("qwen3.8-flash-next", "ngram_vocab_size_base", 2_000_000_000, "at most 1000000000"),
    ],
)
def test_layers_that_a_new_family_cannot_read_are_refused(
    model: str, key: str, value: object, words: str
) -> None:
    config = config_of(model)
    part = config.get("text_config", config)
    part[key] = value
    with pytest.raises(ConfigError, match=words):
        architecture(config)


def test_lfm2_reads_the_older_list_of_attention_layers_and_widths_that_are_final() -> None:
    config = config_of("lfm2-1.2b")
    listed: list[Any] = [
        i for i, kind in enumerate(config.pop("layer_types")) if kind == "full_attention"
    ]
    older = architecture({**config, "full_attn_idxs": listed})
    assert older.tensors == design_of("lfm2-1.2b").tensors
    final = architecture(
        {
            **config,
            "full_attn_idxs": listed,
            "intermediate_size": 8192,
            "block_auto_adjust_ff_dim": False,
        }
    )
    assert final.tensors == older.tensors


def test_convolutions_with_biases_count_them() -> None:
    config = config_of("lfm2-1.2b")
    biased = architecture({**config, "conv_bias": True})
    more = sum(t.elements for t in biased.tensors) - sum(
        t.elements for t in design_of("lfm2-1.2b").tensors
    )
    assert more == 10 * 5 * 2048
