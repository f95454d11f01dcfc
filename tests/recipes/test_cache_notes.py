"""What recipes say about the cache in the log of vLLM, against how that log counts."""

from __future__ import annotations

import re

import pytest

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.recipe import Recipe
from sitegen.recipes.target import Target
from tests.recipes.everything import asked, recipes

NOTE = re.compile(r"^(GPU|XPU) KV cache size: about ([\d,]+) tokens", re.MULTILINE)


def target(recipe: Recipe) -> Target:
    found = Target.of(recipe.assessment)
    assert found is not None
    return found


def noted() -> list[tuple[Recipe, str, int]]:
    """Recipes with a note about the cache: the word for the device and the tokens."""
    found = []
    for recipe in recipes():
        for step in recipe.steps:
            match = NOTE.search(step.expect)
            if match is not None:
                found.append((recipe, match[1], int(match[2].replace(",", ""))))
    return found


def test_no_note_has_fewer_tokens_than_the_server_is_started_for() -> None:
    """The log counts a multiple of the context, and the server does not start below one."""
    seen = noted()
    assert len({recipe.id for recipe, _, _ in seen}) >= 4
    for recipe, _, tokens in seen:
        assert tokens >= target(recipe).context_tokens or target(recipe).tight, recipe.id


def test_the_note_names_the_device_as_the_log_does() -> None:
    words = {target(recipe).vendors[0]: word for recipe, word, _ in noted()}
    assert words == {Vendor.NVIDIA: "GPU", Vendor.AMD: "GPU", Vendor.INTEL: "XPU"}


@pytest.mark.parametrize("model", ["llama-3.1-8b-instruct", "qwen3-32b"])
def test_with_plain_attention_both_ways_to_count_say_the_same(model: str) -> None:
    limits = asked("2x-rtx-4090", model, "vllm", "fp8").limits
    assert limits is not None
    assert limits.tokens_by_request == limits.kv_pool_tokens > 0


@pytest.mark.parametrize(
    ("model", "checkpoint"), [("gemma-3-12b-it", "fp8"), ("gpt-oss-20b", "mxfp4")]
)
def test_windows_make_more_of_a_pool_the_longer_the_context_is(model: str, checkpoint: str) -> None:
    found = asked("2x-rtx-4090", model, "vllm", checkpoint)
    assert found.limits is not None
    context = found.limits.context_to_start(found.verdict_context_tokens, 1)
    assert context == 131_072
    assert found.limits.tokens_by_request > found.limits.kv_pool_tokens
