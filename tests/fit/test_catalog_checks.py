"""Rules over a catalog that only the engine can judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Json, LanguageModel
from sitegen.fit.catalog_checks import check
from tests.fit.questions import catalog, model


def with_model(changed: LanguageModel) -> Catalog:
    return replace(catalog(), models={changed.id: changed})


def codes(found: Catalog) -> list[str]:
    return [problem.code for problem in check(found)]


def test_the_real_profiles_and_assumptions_are_complete() -> None:
    assert codes(catalog()) == []


def test_a_published_count_must_be_what_the_config_adds_up_to() -> None:
    exact = replace(model("llama70"), published_parameters=70_553_706_496)
    assert codes(with_model(exact)) == []
    wrong = replace(exact, published_parameters=70_600_000_000)
    assert codes(with_model(wrong)) == ["count-differs"]


def test_an_unknown_family_gets_the_nearest_known_one() -> None:
    problems = check(with_model(model("llama70", model_type="lama")))
    assert [(p.code, p.hint) for p in problems] == [("unknown-family", "did you mean 'llama'?")]


def test_an_incomplete_config_names_the_key_that_is_missing() -> None:
    whole = model("llama70")
    config = {key: value for key, value in whole.config.items() if key != "num_hidden_layers"}
    problems = check(with_model(replace(whole, config=config)))
    assert [p.code for p in problems] == ["incomplete-config"]
    assert "num_hidden_layers" in problems[0].message


def _llama(changes: Mapping[str, Json]) -> LanguageModel:
    whole = model("llama70")
    return replace(whole, config={**whole.config, **changes})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vocab_size": 2**24, "hidden_size": 2**24}, ["parameters"]),
        ({"max_position_embeddings": 2**40}, ["cache"]),
        ({"head_dim": 2**24, "num_key_value_heads": 64}, ["parameters", "cache"]),
    ],
)
def test_a_model_that_nothing_can_count_is_refused(
    changes: dict[str, int], words: list[str]
) -> None:
    problems = check(with_model(_llama(changes)))
    assert [p.code for p in problems] == ["model-size"] * len(words)
    for problem, word in zip(problems, words, strict=True):
        assert word in problem.message
        assert problem.hint


def test_a_window_that_nothing_can_count_is_refused() -> None:
    """Gemma 3 27B caches 16 heads of 2 x 128 numbers for each token of a window."""
    whole = model("gemma27")
    text = whole.config["text_config"]
    assert isinstance(text, dict)
    wide = replace(whole, config={"text_config": {**text, "sliding_window": 2**40}})
    (problem,) = check(with_model(wide))
    assert "numbers in the cache" in problem.message
    assert codes(with_model(whole)) == []


def test_the_config_of_a_checkpoint_is_counted_too() -> None:
    whole = model("llama70")
    odd = replace(whole.checkpoints[0], config_overrides={"intermediate_size": 2**40})
    problems = check(with_model(replace(whole, checkpoints=(odd,))))
    assert [p.code for p in problems] == ["model-size"]


def test_a_checkpoint_cannot_keep_a_group_that_does_not_exist() -> None:
    whole = model("llama70")
    odd = replace(whole.checkpoints[0], kept=("attn_queue",))
    problems = check(with_model(replace(whole, checkpoints=(odd,))))
    assert [p.code for p in problems] == ["unknown-group"]


@pytest.mark.parametrize(
    ("fp8", "codes"),
    [
        (("attn_q", "attn_k"), ["group-kept-twice"]),
        (("attn_k",), []),
        (("attn_queue",), ["unknown-group"]),
    ],
)
def test_a_group_that_is_kept_in_fp8_exists_and_is_not_kept_at_16_bits(
    fp8: tuple[str, ...], codes: list[str]
) -> None:
    whole = model("llama70")
    odd = replace(whole.checkpoints[0], kept=("attn_q", "attn_v"), kept_fp8=fp8)
    problems = check(with_model(replace(whole, checkpoints=(odd,))))
    assert [p.code for p in problems] == codes


def test_a_profile_states_every_constant_of_its_memory_model_and_no_other() -> None:
    vllm = catalog().runtimes["vllm"]
    profile = vllm.profiles[-1]
    constants = dict(profile.constants)
    constants["kv_block_token"] = constants.pop("kv_block_tokens")
    broken = replace(vllm, profiles=(replace(profile, constants=constants),))
    found = replace(catalog(), runtimes={"vllm": broken})
    problems = check(found)
    assert [p.code for p in problems] == ["unused-constant"]
    assert problems[0].hint == "did you mean 'kv_block_tokens'?"
    del constants["kv_block_token"]
    broken = replace(vllm, profiles=(replace(profile, constants=constants),))
    (problem,) = check(replace(catalog(), runtimes={"vllm": broken}))
    assert problem.code == "missing-constant"
    assert "kv_block_tokens" in problem.message


@pytest.mark.parametrize(
    ("key", "wrong"), [("num_key_value_heads", "num_kv_heads"), ("num_hidden_layers", "num_layer")]
)
def test_a_key_that_no_other_config_of_the_family_has_may_be_misspelled(
    key: str, wrong: str
) -> None:
    whole = replace(model("llama70"), published_parameters=70_553_706_496)
    config = {wrong if name == key else name: value for name, value in whole.config.items()}
    models = {"a": replace(whole, config=config), "b": whole}
    (problem,) = check(replace(catalog(), models=models))
    assert problem.hint == f"no other config of this family has '{wrong}': did you mean '{key}'?"


def test_an_assumption_that_the_engine_reads_must_have_a_record() -> None:
    kept = {k: v for k, v in catalog().assumptions.items() if k != "comfortable-utilization"}
    problems = check(replace(catalog(), assumptions=kept))
    assert [(p.code, p.hint) for p in problems] == [
        ("missing-assumption", "add catalog/assumptions/comfortable-utilization.yaml")
    ]
