"""Which models a runtime has code for, and on which GPUs it runs a format."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.catalog.domain.models import Checkpoint, Json, KnownModels, Runtime
from sitegen.fit.compatibility import (
    family_refusal,
    limit_of,
    model_refusal,
    reads_images,
    recipe_refusal,
    refusal,
    through_transformers,
)
from sitegen.lint.findings import sentence as finding_words
from sitegen.models.architecture import Architecture
from sitegen.models.families import FAMILIES, architecture
from sitegen.models.families.names import CLASS_OF_TYPE, known_as
from sitegen.models.unpublished import unpublished
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Reason
from sitegen.render.data.grids import plain
from sitegen.site.words.families import FAMILY_NAMES
from sitegen.site.words.sentences import reason_sentence
from tests.survey.whole_catalog import whole_catalog

ASSESSED = tuple(r.id for r in whole_catalog().runtimes.values() if r.assessed_version)


def runtime(id_: str) -> Runtime:
    return whole_catalog().runtimes[id_]


def table_of(id_: str) -> KnownModels:
    table = runtime(id_).known_models
    assert table is not None
    return table


def design(model: str) -> Architecture:
    return architecture(whole_catalog().models[model].config)


def lacking(id_: str) -> set[str]:
    """Name the catalog's models for which a runtime has no code."""
    one = runtime(id_)
    return {
        model.id
        for model in whole_catalog().models.values()
        if model_refusal(architecture(model.config), one, profile_of(one)) is not None
    }


def asked(id_: str, recipe: str, gpu: str, model: str = "llama-3.1-8b-instruct") -> Reason | None:
    one, checkpoint = runtime(id_), made(recipe)
    profile = profile_of(one)
    assert profile is not None
    return refusal(design(model), checkpoint, one, profile, [whole_catalog().gpus[gpu]])


def made(recipe: str) -> Checkpoint:
    return unpublished(whole_catalog().quantizations[recipe])


@pytest.mark.parametrize("id_", ASSESSED)
def test_the_tables_of_an_assessed_runtime_were_read_and_say_where(id_: str) -> None:
    table = table_of(id_)
    assert len(set(table.names)) == len(table.names) > 20
    assert table.version
    assert table.source.title
    assert not set(table.names) & set(table.through_transformers)


@pytest.mark.parametrize("id_", ASSESSED)
def test_every_model_has_an_answer_under_an_assessed_runtime(id_: str) -> None:
    catalog, one = whole_catalog(), runtime(id_)
    for model in catalog.models.values():
        found = model_refusal(architecture(model.config), one, profile_of(one))
        if found is not None:
            assert found.code == "UNSUPPORTED_ARCHITECTURE"
            assert str(found.arguments["family"]) in FAMILY_NAMES


LACKING = {
    "vllm": {
        "baichuan2-7b-base", "llama-3.2-11b-vision-instruct", "llama-3.2-90b-vision-instruct",
        "qwen-72b",
    },
    "sglang": {
        "deepseek-v4.1-flash", "falcon-7b", "falcon-40b", "jamba-v0.1", "jamba2-mini",
    },
    "llama-cpp": {
        "deepseek-v4.1-flash", "ernie-4.5-vl-28b-a3b-pt", "inkling", "inkling-small",
        "ling-2.6-1t", "ling-2.6-flash", "llama-3.2-11b-vision-instruct",
        "llama-3.2-90b-vision-instruct", "longcat-flash-chat", "mimo-7b-base",
        "mistral-large-3-675b-instruct-2512", "phi-4-multimodal-instruct", "ring-2.6-1t",
    },
}  # fmt: skip
"""Looked up by hand in the packages: no other model of the catalog lacks code there."""


@pytest.mark.parametrize("id_", LACKING)
def test_models_without_code_are_those_that_were_looked_up_by_hand(id_: str) -> None:
    assert lacking(id_) == LACKING[id_]


@pytest.mark.parametrize(
    ("id_", "model", "runs"),
    [
        ("exllamav3", "falcon-7b", False),
        ("exllamav3", "starcoder2-7b", False),
        ("exllamav3", "llama-4-scout-17b-16e-instruct", False),
        ("exllamav3", "phi-2", False),
        ("exllamav3", "gemma-7b", False),
        ("exllamav3", "gemma-3-27b-it", True),
        ("exllamav3", "qwen3-32b", True),
        ("exllamav3", "glm-4.5-air", True),
        ("exllamav3", "gemma-4-31b-it", True),
        ("exllamav3", "gemma-4-e2b-it", False),
        ("exllamav2", "falcon-7b", False),
        ("exllamav2", "olmo-3.1-32b-instruct", False),
        ("exllamav2", "qwen1.5-moe-a2.7b", False),
        ("exllamav2", "exaone-4.0-1.2b", False),
        ("exllamav2", "qwen3-32b", True),
        ("exllamav2", "starcoder2-7b", True),
        ("mlx-lm", "falcon-40b", False),
        ("mlx-lm", "llama-3.2-11b-vision-instruct", False),
        ("mlx-lm", "kimi-k2.5", True),
        ("mlx-lm", "phi-3.5-moe-instruct", True),
        ("mlx-lm", "minimax-m2.5", True),
        ("exo", "deepseek-v4-flash", True),
        ("mlx-lm", "deepseek-v4-flash", False),
        ("tensorrt-llm", "gemma-2-9b-it", False),
        ("tensorrt-llm", "deepseek-r1", True),
    ],
)
def test_code_for_a_model_is_what_the_package_was_seen_to_have(
    id_: str, model: str, runs: bool
) -> None:
    assert (model not in lacking(id_)) is runs


def test_a_model_may_run_in_the_code_of_transformers() -> None:
    assert through_transformers(design("olmo-3.1-32b-instruct"), runtime("vllm"))
    assert not through_transformers(design("qwen3-32b"), runtime("vllm"))
    assert "olmo-3.1-32b-instruct" not in lacking("vllm")


def test_an_older_version_that_had_the_code_runs_the_model() -> None:
    vllm, baichuan = runtime("vllm"), design("baichuan2-7b-base")
    assert model_refusal(baichuan, vllm, profile_of(vllm, "0.20")) is None
    assert model_refusal(baichuan, vllm, profile_of(vllm, "0.28")) is not None


def test_the_reason_is_a_plain_sentence() -> None:
    found = asked("exllamav3", "exl3-4.0bpw", "rtx-3090", "falcon-7b")
    assert found is not None
    words = plain(reason_sentence(found, whole_catalog()))
    assert words == "ExLlamaV3 1.6.5 does not support Falcon models."


def test_classes_are_those_that_a_config_states() -> None:
    stated: dict[str, Json] = {
        "model_type": "mistral3",
        "architectures": ["PixtralForConditionalGeneration"],
    }
    assert known_as(stated) == ("PixtralForConditionalGeneration", "mistral3")
    assert known_as({"model_type": "qwen3"}) == ("Qwen3ForCausalLM", "qwen3")
    assert known_as({"text_config": {"model_type": "qwen2"}}) == ("Qwen2ForCausalLM", "qwen2")


def test_every_family_has_a_class_and_a_name() -> None:
    assert set(FAMILIES) <= set(CLASS_OF_TYPE)
    assert set(CLASS_OF_TYPE) <= set(FAMILY_NAMES)


@pytest.mark.parametrize(
    ("id_", "recipe", "gpu", "runs"),
    [
        # vLLM 0.33: Triton's W4A16 kernel takes any ROCm GPU, the XPU one any Intel GPU
        ("vllm", "w4a16-g128", "mi300x", True),
        ("vllm", "awq-4bit-g128", "rx-7900-xtx", True),
        ("vllm", "gptq-4bit-g128", "mi210", True),
        ("vllm", "gptq-4bit-g128", "arc-pro-b60", True),
        ("vllm", "nvfp4", "rtx-3090", True),
        ("vllm", "nvfp4", "h100-sxm", True),
        ("vllm", "nvfp4", "mi300x", False),
        ("vllm", "nvfp4", "arc-pro-b60", False),
        ("vllm", "fp8", "rx-7900-xtx", False),
        ("vllm", "fp8", "rx-9070-xt", True),
        # SGLang 0.5.23: gfx942 and gfx950; no GPTQ on ROCm; Marlin from 8.0 on
        ("sglang", "bf16", "mi300x", True),
        ("sglang", "bf16", "mi100", False),
        ("sglang", "bf16", "mi50-32gb", False),
        ("sglang", "bf16", "rx-7900-xtx", False),
        ("sglang", "gptq-4bit-g128", "mi300x", False),
        ("sglang", "gptq-4bit-g128", "rtx-2080-ti", False),
        ("sglang", "awq-4bit-g128", "mi300x", True),
        ("sglang", "awq-4bit-g128", "rtx-2080-ti", True),
        ("sglang", "w4a16-g128", "mi300x", False),
        ("sglang", "w4a16-g32", "mi300x", True),
        ("sglang", "nvfp4", "h100-sxm", True),
        ("sglang", "nvfp4", "rtx-2080-ti", False),
        ("sglang", "nvfp4", "mi300x", False),
        ("sglang", "mxfp4", "mi300x", False),
        ("sglang", "mxfp4", "mi355x", True),
        # TensorRT-LLM: FP4 on Blackwell, FP8 from Ada on
        ("tensorrt-llm", "nvfp4", "h100-sxm", False),
        ("tensorrt-llm", "nvfp4", "b200-sxm", True),
        ("tensorrt-llm", "fp8", "a100-80gb-sxm", False),
        ("tensorrt-llm", "fp8", "l40s", True),
        ("tensorrt-llm", "mxfp4", "l40s", False),
        ("tensorrt-llm", "mxfp4", "h100-sxm", True),
        ("tensorrt-llm", "awq-4bit-g128", "h100-sxm", False),
        ("tensorrt-llm", "gptq-4bit-g128", "h100-sxm", False),
        ("tensorrt-llm", "int8-w8a8", "h100-sxm", False),
        # INT8: no CUTLASS kernel from compute capability 10.0 on
        ("vllm", "int8-w8a8", "h200-sxm", True),
        ("vllm", "int8-w8a8", "b200-sxm", False),
        ("vllm", "int8-w8a8", "rtx-5090", False),
        ("vllm", "int8-w8a8", "mi300x", True),
        ("sglang", "int8-w8a8", "l40s", True),
        ("sglang", "int8-w8a8", "rtx-pro-6000-blackwell-server", False),
    ],
)
def test_a_format_runs_where_the_runtime_has_kernels_for_it(
    id_: str, recipe: str, gpu: str, runs: bool
) -> None:
    assert (asked(id_, recipe, gpu) is None) is runs


@pytest.mark.parametrize(
    ("recipe", "model", "gpu", "runs"),
    [
        # SGLang 0.5.23: Marlin for dense layers alone, Triton for experts, whose FP8 begins at 8.9
        ("fp8-block", "qwen3.8-27b", "a100-80gb-sxm", True),
        ("fp8-block", "qwen3.5-397b-a17b", "a100-80gb-sxm", False),
        ("fp8", "minimax-m2.7", "rtx-3090", False),
        ("fp8-block", "qwen3.5-397b-a17b", "l40s", True),
        ("fp8-block", "qwen3.5-397b-a17b", "mi300x", True),
        ("fp8-block-fp4-experts", "mimo-v2.6-flash-rl", "l40s", False),
        ("fp8-block-fp4-experts", "mimo-v2.6-flash-rl", "h100-sxm", True),
        # Its Marlin for MXFP4 begins at 9.0; Kimi Linear has no such files
        ("mxfp4", "kimi-k3", "a100-80gb-sxm", False),
        ("mxfp4", "kimi-k3", "h20-96gb", True),
        ("bf16", "kimi-linear-48b-a3b-instruct", "a100-80gb-sxm", True),
        ("mxfp4", "gpt-oss-120b", "a100-80gb-sxm", True),
    ],
)
def test_sglang_runs_experts_on_the_gpus_that_its_kernels_for_experts_are_for(
    recipe: str, model: str, gpu: str, runs: bool
) -> None:
    assert (asked("sglang", recipe, gpu, model) is None) is runs


def test_a_limit_of_experts_says_so() -> None:
    found = asked("sglang", "fp8", "rtx-3090", "qwen3-30b-a3b")
    assert found is not None
    words = "SGLang needs compute capability 8.9 for experts in FP8, but the GPU has 8.6"
    assert finding_words(found, whole_catalog()) == words


def test_a_runtime_without_a_word_on_a_format_leaves_it_to_the_format() -> None:
    recipe = whole_catalog().quantizations["q4-k-m"]
    assert limit_of(recipe, runtime("llama-cpp")) is None
    assert limit_of(whole_catalog().quantizations["nvfp4"], runtime("vllm")) is not None


def test_a_refusal_names_the_newest_gpus_that_have_kernels() -> None:
    found = asked("vllm", "int8-w8a8", "b200-sxm")
    assert found is not None
    assert found.arguments["needs"] == "compute capability 9.0 or lower"
    assert found.arguments["has"] == "10.0"


def test_a_name_keeps_its_first_letter_inside_a_finding_of_the_linter() -> None:
    found = asked("sglang", "bf16", "h100-sxm", "falcon-7b")
    assert found is not None
    assert finding_words(found, whole_catalog()) == "SGLang 0.5.23 does not support Falcon models"


@pytest.mark.parametrize(
    ("id_", "model", "reads"),
    [
        ("llama-cpp", "gemma-4-31b-it", True), ("mlx-lm", "gemma-4-31b-it", False),
        ("exo", "gemma-4-31b-it", True), ("exo", "gemma-3-27b-it", False),
        ("vllm", "mistral-small-3.2-24b-instruct-2506", True), ("sglang", "mimo-v2.5", True),
        ("sglang", "llama-3.2-11b-vision-instruct", True), ("ik-llama-cpp", "glm-4.5v", False),
        ("llama-cpp", "llama-3.2-11b-vision-instruct", False), ("vllm", "qwen3-8b", False),
    ],
)  # fmt: skip
def test_images_are_read_where_the_package_has_code_for_the_tower(
    id_: str, model: str, reads: bool
) -> None:
    found = whole_catalog().models[model]
    assert reads_images(found, architecture(found.config), runtime(id_)) is reads


def test_a_runtime_whose_tables_nobody_read_may_read_images() -> None:
    found = whole_catalog().models["gemma-4-31b-it"]
    unread = replace(runtime("vllm"), known_models=None)
    assert reads_images(found, architecture(found.config), unread)


@pytest.mark.parametrize(
    ("id_", "model", "gpu", "runs"),
    [
        ("vllm", "deepseek-v4-flash-0731", "a100-80gb-sxm", False),
        ("vllm", "deepseek-v4-flash-0731", "h100-sxm", True),
        ("vllm", "deepseek-v4-flash-0731", "rtx-pro-6000-blackwell-server", True),
        ("vllm", "deepseek-v4-flash-0731", "mi300x", True),
        ("vllm", "deepseek-v3.2", "mi250x-gcd", False),
        ("vllm", "deepseek-v3.2", "radeon-ai-pro-r9700", False),
        ("vllm", "glm-5.2", "l40s", False), ("sglang", "deepseek-v3.2", "a100-80gb-sxm", False),
        ("vllm", "deepseek-r1", "a100-80gb-sxm", True),
        ("tensorrt-llm", "deepseek-v4-flash-0731", "h200-sxm", False),
        ("tensorrt-llm", "glm-5.3", "a100-80gb-sxm", False),
        ("tensorrt-llm", "deepseek-v3.2", "a100-80gb-sxm", False),
        ("tensorrt-llm", "glm-5.3", "h100-sxm", True),
    ],
)  # fmt: skip
def test_sparse_attention_needs_the_gpus_that_its_kernels_are_for(
    id_: str, model: str, gpu: str, runs: bool
) -> None:
    """No kernel of vLLM 0.33 for sparse attention is for less than 9 (its issue 50576, too)."""
    catalog = whole_catalog()
    found = family_refusal(design(model), runtime(id_), [catalog.gpus[gpu]])
    assert (found is None) is runs


def test_mlx_lm_loads_gpt_oss_as_it_is_released() -> None:
    """``mlx_lm/utils.py`` 0.32.2 loads ``quant_method: mxfp4`` without conversion."""
    catalog = whole_catalog()
    recipe, mac = catalog.quantizations["mxfp4"], catalog.gpus["apple-m4-max"]
    assert recipe_refusal(recipe, runtime("mlx-lm"), [mac]) is None
    unlike = replace(runtime("mlx-lm"), format_limits=())
    assert recipe_refusal(recipe, unlike, [mac]) is not None
