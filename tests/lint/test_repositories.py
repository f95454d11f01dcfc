"""Published repositories that a command names are known, with what they hold."""

from __future__ import annotations

from functools import cache

import pytest

from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.fit_request import question_from
from sitegen.lint.checkpoints import Repositories, kind_of, loaded_as
from sitegen.survey.verdict_policy import answered
from tests.lint.support import codes, only
from tests.survey.whole_catalog import whole_catalog, whole_engine


@cache
def known() -> Repositories:
    return Repositories(whole_catalog())


@pytest.mark.parametrize(
    ("name", "model", "checkpoint"),
    [
        ("Qwen/Qwen3-32B-AWQ", "qwen3-32b", "awq-4bit-g128"),
        ("redhatai/qwen3-32b-fp8-dynamic", "qwen3-32b", "fp8"),
        ("nvidia/Qwen3.6-35B-A3B-NVFP4", "qwen3.6-35b-a3b", "nvfp4"),
        ("mlx-community/Qwen3-8B-4bit", "qwen3-8b", "mlx-4bit"),
        ("unsloth/Qwen3-32B-GGUF", "qwen3-32b", "q4-k-m"),
        ("unsloth/Qwen3-32B-GGUF:Q8_0", "qwen3-32b", "q8-0"),
        ("hf.co/unsloth/Qwen3-32B-GGUF:q6_k", "qwen3-32b", "q6-k"),
        ("bartowski/google_gemma-3-27b-it-GGUF:Q8_0", "gemma-3-27b-it", "q8-0"),
        ("ggml-org/gpt-oss-120b-GGUF", "gpt-oss-120b", "mxfp4-moe"),
        ("unsloth/gemma-4-26B-A4B-it-GGUF:UD-Q4_K_XL", "gemma-4-26b-a4b-it", "ud-q4-k-xl"),
    ],
)
def test_a_published_repository_is_known(name: str, model: str, checkpoint: str) -> None:
    found = known().find(name)
    assert found is not None
    assert found.checkpoint is not None
    assert (found.model.id, found.checkpoint.id) == (model, checkpoint)


def test_a_mix_that_the_catalog_does_not_list_leaves_the_model_known() -> None:
    found = known().find("unsloth/Qwen3-32B-GGUF:UD-Q3_K_XL")
    assert found is not None
    assert (found.model.id, found.checkpoint) == ("qwen3-32b", None)


def test_the_file_of_a_repository_is_known_by_its_name() -> None:
    found = known().find("unsloth/Qwen3-32B-GGUF", "Qwen3-32B-Q5_K_M.gguf")
    assert found is not None
    assert found.checkpoint is not None
    assert found.checkpoint.id == "q5-k-m"
    mixed = known().find("unsloth/Qwen3-32B-GGUF", "Qwen3-32B-UD-Q5_K_XL.gguf")
    assert mixed is not None
    assert mixed.checkpoint is None


def test_every_published_checkpoint_is_found_by_what_loads_it() -> None:
    for model in whole_catalog().models.values():
        for one in model.checkpoints:
            if one.repository:
                found = known().find(loaded_as(one))
                assert found is not None
                assert found.model.id == model.id
                assert found.checkpoint is not None
                assert kind_of(found.checkpoint) == kind_of(one)


@pytest.mark.parametrize(
    ("command", "combo", "code"),
    [
        ("vllm serve Qwen/Qwen3-32B-AWQ -tp 6", "6x-rtx-3090", "tensor-split"),
        ("vllm serve Qwen/Qwen3-32B-AWQ --max-model-len 131072", "1x-rtx-3090",
         "context-beyond-model"),
        ("llama-server -hf ggml-org/gpt-oss-120b-GGUF -ngl 99", "1x-rtx-3090", "does-not-fit"),
        ("llama-server -hf bartowski/google_gemma-3-27b-it-GGUF:Q8_0 -ngl 99 -c 8192",
         "1x-rtx-3090", "does-not-fit"),
    ],
)  # fmt: skip
def test_a_command_with_published_files_is_judged(command: str, combo: str, code: str) -> None:
    assert code in codes(command, combo=combo)


def test_flash_attention_and_the_micro_batch_of_a_launch_are_judged() -> None:
    """Scores of 2,048 x 40,960 x 32 heads in 32 bits are 10 GiB beside 15 of weights and cache."""
    launch = "llama-server -hf unsloth/Qwen3-8B-GGUF:Q8_0 -ngl 99 -c 40960 -b 2048 -ub 2048"
    assert not {"does-not-fit", "may-not-fit"} & {*codes(f"{launch} -fa on", combo="1x-rtx-3090")}
    assert "may-not-fit" in codes(f"{launch} -fa off", combo="1x-rtx-3090")


def test_the_projector_of_a_repository_is_counted_unless_it_is_left_out() -> None:
    """Gemma 4 31B in IQ4_XS with 64,000 tokens fills an RTX 4090; its projector is 1.15 GB."""
    launch = "llama-server -hf unsloth/gemma-4-31B-it-GGUF:IQ4_XS -ngl 99 -c 64000"
    refused = {"does-not-fit", "may-not-fit"}
    assert refused & {*codes(launch, combo="1x-rtx-4090")}
    for without in ("--no-mmproj", "--no-mmproj-offload"):
        assert not refused & {*codes(f"{launch} {without}", combo="1x-rtx-4090")}


@pytest.mark.parametrize(
    ("command", "asked", "offered"),
    [
        ("llama-server -m Qwen3-32B-Q8_0.gguf -ngl 99 -c 8192",
         FitOptions(targets=("qwen3-32b", "1x-rtx-3090"), runtime="llama-cpp", context=8_192),
         "llama-server -ngl 99 -c 8192 -hf "),
        ("vllm serve Qwen/Qwen2.5-72B-Instruct -tp 2 --max-model-len 8192",
         FitOptions(targets=("qwen2.5-72b-instruct", "2x-rtx-a6000"), runtime="vllm",
                    context=8_192),
         "vllm serve "),
    ],
)  # fmt: skip
def test_another_file_is_the_one_that_fit_picks_for_the_same_runtime_and_context(
    command: str, asked: FitOptions, offered: str
) -> None:
    engine = whole_engine()
    picked = answered(engine, question_from(asked, engine))
    assert picked is not None
    assert picked.checkpoint.repository
    hint = only(command, combo=asked.targets[1]).hint
    assert hint.startswith(f"this plan fits: {offered}")
    assert loaded_as(picked.checkpoint) in hint
