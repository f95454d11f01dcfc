"""Parsers of chats: those that recipes name exist, and no model is forgotten.

Source:
    The tables of options have the names of vLLM 0.33.0 (``reasoning/__init__.py``,
    ``tool_parsers/__init__.py``) and SGLang 0.5.23 (``srt/parser/reasoning_parser.py``,
    ``srt/function_call/function_call_parser.py``), read 2026-11-27.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sitegen.catalog.domain.models import ChatOptions, LanguageModel
from sitegen.lint.options import option_tables
from sitegen.recipes.versions import READ
from tests.survey.whole_catalog import whole_catalog

OPTIONS = {"reasoning": "--reasoning-parser", "tools": "--tool-call-parser"}
"""Options that take a parser, by its kind."""
RUNTIMES = ("vllm", "sglang")

ALIAS = "another name of a parser that recipes name"
NOT_LISTED = "the catalog has no model of this family"
NO_ONE_MODEL = "made for models without a parser of their own"
UNUSED: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("vllm", "reasoning"): {
        **dict.fromkeys(
            (
                "beam",
                "cohere_command3",
                "cohere_command4",
                "holo2",
                "hy_v4",
                "k2_horizon",
                "minicpmv",
                "muse",
                "plamo3",
                "step3",
                "step5",
            ),
            NOT_LISTED,
        ),
        **dict.fromkeys(("glm47", "musespark1x"), ALIAS),
        "hf": NO_ONE_MODEL,
        "minimax_m2_append_think": "leaves the thoughts in the answer on purpose",
        "openai_gptoss": "vLLM chooses it by itself (is_harmony)",
    },
    ("vllm", "tools"): {
        **dict.fromkeys(
            (
                "beam",
                "cohere_command3",
                "cohere_command4",
                "dots",
                "functiongemma",
                "gigachat3",
                "granite-20b-fc",
                "hy_v4",
                "k2_horizon",
                "muse",
                "plamo3",
                "step3",
                "step5",
                "xlam",
            ),
            NOT_LISTED,
        ),
        **dict.fromkeys(("qwen3_json", "musespark1x"), ALIAS),
        **dict.fromkeys(("hf", "pythonic"), NO_ONE_MODEL),
        "jamba": "made for Jamba 1.5, between the two that the catalog has",
        "llama4_json": "vLLM's documentation recommends llama4_pythonic",
    },
    ("sglang", "reasoning"): {
        **dict.fromkeys(
            (
                "beam",
                "cohere_command4",
                "dots",
                "gigachat35",
                "iquest_q1",
                "k2_horizon",
                "kimi",
                "nanbeige",
                "step3",
            ),
            NOT_LISTED,
        ),
        "minimax-append-think": "leaves the thoughts in the answer on purpose",
        "response_template": NO_ONE_MODEL,
    },
    ("sglang", "tools"): {
        **dict.fromkeys(
            (
                "beam",
                "cohere_command4",
                "dots",
                "gigachat3",
                "gigachat35",
                "iquest_q1",
                "k2_horizon",
                "nanbeige",
                "spark25",
                "step3",
            ),
            NOT_LISTED,
        ),
        "qwen25": ALIAS,
        "response_template": NO_ONE_MODEL,
    },
}
"""Registered parsers that no recipe names, with the reason."""

BASE = "a base model, which has no chat template"
NO_TOOLS = "its chat template has no tools, and it does not think"
NO_SOURCE = "neither its maker nor the runtime names a parser for it"
LEFT_OUT: Mapping[str, Mapping[str, str]] = {
    "": {
        **dict.fromkeys(("llama-3.1-405b",), BASE),
        **dict.fromkeys(
            (
                "codestral-22b-v0.1",
                "qwen2.5-math-1.5b-instruct",
                "qwen2.5-math-7b-instruct",
                "qwen2.5-vl-32b-instruct",
                "qwen2.5-vl-3b-instruct",
                "qwen2.5-vl-72b-instruct",
                "qwen2.5-vl-7b-instruct",
            ),
            NO_TOOLS,
        ),
        **dict.fromkeys(
            (
                "hunyuan-7b-instruct",
                "kimi-linear-48b-a3b-instruct",
                "llama-3.1-nemotron-nano-4b-v1.1",
                "trinity-nano-preview",
            ),
            NO_SOURCE,
        ),
    },
    "vllm": {
        **dict.fromkeys(("ernie-4.5-0.3b-pt", "ernie-4.5-21b-a3b-pt"), NO_TOOLS),
        **dict.fromkeys(
            (
                "granite-3.3-2b-instruct",
                "granite-3.3-8b-instruct",
                "granite-4.1-30b",
                "granite-4.1-3b",
                "granite-4.1-8b",
                "phi-4-mini-reasoning",
                "phi-4-multimodal-instruct",
                "phi-mini-moe-instruct",
            ),
            NO_SOURCE,
        ),
    },
    "sglang": {"granite-4-8b-dense": NO_SOURCE},
}
"""Models without a parser though their maker's earlier ones have one; "" is of both runtimes."""


def registered(runtime: str) -> Mapping[str, set[str]]:
    """Names of parsers, by their kind; ``auto`` is none."""
    table = option_tables()[runtime]
    return {kind: {*table.taken(name).choices} - {"auto"} for kind, name in OPTIONS.items()}


def entries(runtime: str) -> tuple[ChatOptions, ...]:
    return whole_catalog().runtimes[runtime].chat_options


def with_parser(runtime: str) -> set[str]:
    """Ids of the models for which a recipe names a parser."""
    return {model for one in entries(runtime) if one.reasoning or one.tools for model in one.models}


def day(model: LanguageModel) -> str:
    """The day of a release; a model without one counts as the newest."""
    return model.released or "9999"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_names_were_read_in_the_version_that_recipes_install(runtime: str) -> None:
    assert option_tables()[runtime].version == READ[runtime]
    assert all(len(names) > 30 for names in registered(runtime).values())


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_each_parser_of_an_entry_is_one_that_the_runtime_registers(runtime: str) -> None:
    known = registered(runtime)
    for entry in entries(runtime):
        assert not entry.reasoning or entry.reasoning in known["reasoning"], entry.models
        assert not entry.tools or entry.tools in known["tools"], entry.models


@pytest.mark.parametrize(("runtime", "kind"), list(UNUSED))
def test_each_registered_parser_is_named_by_a_recipe_or_has_a_reason(
    runtime: str, kind: str
) -> None:
    named = {getattr(entry, kind) for entry in entries(runtime)}
    assert registered(runtime)[kind] - named == set(UNUSED[runtime, kind])


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_no_successor_of_a_model_with_a_parser_is_left_out(runtime: str) -> None:
    models, listed = whole_catalog().models, with_parser(runtime)
    first: dict[str, str] = {}
    for model in (models[one] for one in listed):
        maker = model.organization
        first[maker] = min(first.get(maker, day(model)), day(model))
    later = {
        one
        for one, model in models.items()
        if model.organization in first and day(model) >= first[model.organization]
    }
    assert later - listed == set(LEFT_OUT[""]) | set(LEFT_OUT[runtime])


@pytest.mark.parametrize(
    ("runtime", "model", "reasoning", "tools"),
    [
        ("vllm", "deepseek-v4-flash-0731", "deepseek_v4", "deepseek_v4"),
        ("vllm", "deepseek-v4.1-flash", "deepseek_v41", "deepseek_v41"),
        ("vllm", "glm-4.7-flash", "glm45", "glm47"),
        ("vllm", "ling-3.0-flash", "ling3", "ling3"),
        ("vllm", "muse-glimmer-30b", "muse_glimmer", "muse_glimmer"),
        ("vllm", "nemotron-3-nano-30b-a3b", "nemotron_v3", "qwen3_coder"),
        ("vllm", "qwen3-30b-a3b-thinking-2507", "deepseek_r1", "hermes"),
        ("vllm", "seed-oss-36b-instruct", "seed_oss", "seed_oss"),
        ("sglang", "deepseek-v4-pro", "deepseek-v4", "deepseekv4"),
        ("sglang", "gemma-4-31b-it", "gemma4", "gemma4"),
        ("sglang", "glm-4.5", "glm45", "glm45"),
        ("sglang", "muse-glimmer-30b", "muse", "muse"),
        ("sglang", "qwen3.8-27b", "qwen3", "qwen3_coder"),
    ],
)
def test_models_whose_thoughts_were_once_taken_for_answers(
    runtime: str, model: str, reasoning: str, tools: str
) -> None:
    (entry,) = (one for one in entries(runtime) if model in one.models)
    assert (entry.reasoning, entry.tools) == (reasoning, tools)
