"""What servers are told of a model beside the plan: parsers, templates, code of others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.catalog.domain.models import Publisher
from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Phase, Recipe
from tests.recipes.commands import value
from tests.recipes.everything import asked, recipes
from tests.survey.whole_catalog import whole_catalog

OPTIONS = Path(__file__).parents[2] / "sitegen" / "lint" / "options"


def form(found: Assessment, id_: str) -> Recipe:
    return next(one for one in recipes_for(found) if one.id == id_)


def text(recipe: Recipe) -> str:
    return "\n".join(step.text for step in recipe.steps)


def test_the_models_that_entries_name_are_in_the_catalog_and_named_once() -> None:
    for runtime in whole_catalog().runtimes.values():
        named = [model for entry in runtime.chat_options for model in entry.models]
        assert set(named) <= set(whole_catalog().models)
        assert len(set(named)) == len(named)


def test_most_models_that_are_served_have_an_entry() -> None:
    counts = {
        runtime: sum(len(one.models) for one in whole_catalog().runtimes[runtime].chat_options)
        for runtime in ("vllm", "sglang")
    }
    assert counts["vllm"] >= 120
    assert counts["sglang"] >= 50


def test_options_of_entries_are_options_of_the_runtime() -> None:
    for runtime in whole_catalog().runtimes.values():
        entries = runtime.chat_options
        listed = [option for one in entries for option in (*one.options, *one.of_maker)]
        listed += [option for one in entries for some in one.on_gpus for option in some.options]
        if not listed:
            continue
        known = json.loads((OPTIONS / f"{runtime.id}.json").read_text("utf-8"))["options"]
        for option in listed:
            assert option.split(" ")[0] in known


def test_vllm_is_told_the_parsers_of_its_own_recipe() -> None:
    recipe = form(asked("1x-rtx-4090", "qwen3-32b", "vllm", "awq-4bit-g128"), "vllm")
    assert value(recipe, "--reasoning-parser") == ["qwen3"]
    assert value(recipe, "--tool-call-parser") == ["hermes"]
    assert "--enable-auto-tool-choice" in text(recipe)
    assert "--trust-remote-code" not in text(recipe)


def test_sglang_needs_no_switch_for_tools() -> None:
    recipe = form(asked("2x-rtx-4090", "gpt-oss-20b", "sglang", "mxfp4"), "sglang")
    assert set(value(recipe, "--reasoning-parser")) == {"gpt-oss"}
    assert set(value(recipe, "--tool-call-parser")) == {"gpt-oss"}
    assert "--enable-auto-tool-choice" not in text(recipe)


def test_tensorrt_llm_is_told_the_tokenizer_and_parsers_of_deepseek_v4() -> None:
    recipe = form(
        asked("8x-b200-sxm", "deepseek-v4-flash", "tensorrt-llm", "fp8-block-fp4-experts"),
        "tensorrt-llm",
    )
    assert set(value(recipe, "--custom_tokenizer")) == {"deepseek_v4"}
    assert set(value(recipe, "--reasoning_parser")) == {"deepseek_v4"}
    assert set(value(recipe, "--tool_parser")) == {"deepseek_v4"}
    silent = form(
        asked("1x-h100-sxm", "llama-3.1-8b-instruct", "tensorrt-llm", "bf16"), "tensorrt-llm"
    )
    assert value(silent, "--tool_parser") == []


def test_the_parsers_of_tensorrt_llm_are_choices_of_its_options() -> None:
    """Its server ends with "auto" where it knows no parser, so no entry says that."""
    table = json.loads((OPTIONS / "tensorrt-llm.json").read_text("utf-8"))["options"]
    known = {
        kind: set(table[option].removeprefix("one of ").split("|")) - {"auto"}
        for kind, option in (("reasoning", "--reasoning_parser"), ("tools", "--tool_parser"))
    }
    entries = whole_catalog().runtimes["tensorrt-llm"].chat_options
    assert {one.reasoning for one in entries if one.reasoning} <= known["reasoning"]
    assert {one.tools for one in entries if one.tools} <= known["tools"]


def test_an_option_of_some_gpus_is_told_on_those_alone() -> None:
    """SGLang 0.5.23 chooses the kernels for the experts of Kimi K3 by itself on SM100 alone."""
    told = {}
    for combo in ("12-nodes-8x-h20", "gb300-nvl72"):
        found = asked(combo, "kimi-k3", "sglang", "mxfp4", goal=PlanGoal.LARGEST_MODEL)
        texts = [text(recipe) for recipe in recipes_for(found)]
        told[combo] = any("--moe-runner-backend marlin" in one for one in texts)
    assert told == {"12-nodes-8x-h20": True, "gb300-nvl72": False}


def test_a_template_is_fetched_before_it_is_named() -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    recipe = form(found, "vllm-nodes")
    titles = [step.title for step in recipe.steps]
    fetched = titles.index("Fetch the chat template")
    assert fetched < titles.index("Start vLLM")
    assert value(recipe, "--chat-template") == ["tool_chat_template_deepseekr1.jinja"]
    assert recipe.steps[fetched].text.endswith("/examples/tool_chat_template_deepseekr1.jinja")


def test_code_of_a_repository_runs_only_where_it_is_the_makers_and_with_a_warning() -> None:
    found = asked("8x-h200-sxm", "minimax-m2", "vllm", "fp8-block")
    assert found.checkpoint.publisher is Publisher.OFFICIAL
    recipe = form(found, "vllm")
    assert "--trust-remote-code" in text(recipe)
    assert any("runs Python" in one and "read that code first" in one for one in recipe.warnings)
    others = replace(found, checkpoint=replace(found.checkpoint, publisher=Publisher.OTHER))
    recipe = form(others, "vllm")
    assert "--trust-remote-code" not in text(recipe)
    assert any("left the option out" in one for one in recipe.warnings)


def test_remote_code_is_never_without_its_warning() -> None:
    for recipe in recipes():
        if "trust-remote-code" in text(recipe) or "trust_remote_code" in text(recipe):
            assert any("--trust-remote-code" in one for one in recipe.warnings), recipe.id


@pytest.mark.parametrize("model", ["gpt2", "llama-2-7b"])
def test_a_model_without_an_entry_is_started_as_before(model: str) -> None:
    for runtime in whole_catalog().runtimes.values():
        assert not any(model in one.models for one in runtime.chat_options)


def test_workers_are_not_told_what_only_the_head_answers() -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    recipe = form(found, "vllm-nodes")
    starts = [step for step in recipe.steps if step.phase is Phase.START]
    assert "--reasoning-parser" in starts[0].text
    assert "--reasoning-parser" not in starts[1].text
