"""Parsers of thoughts and tool calls: those of the version that was read, and of others."""

from __future__ import annotations

import pytest

from sitegen.problems import Severity
from tests.lint.support import codes, only

QWEN = "vllm serve Qwen/Qwen3-8B --max-model-len 8192"
SGLANG = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B"


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (f"{QWEN} --tool-call-parser hermess", "hermes"),
        (f"{QWEN} --reasoning-parser deepseek-r1", "deepseek_r1"),
        (f"{SGLANG} --tool-call-parser hermess", "hermes"),
        (f"{SGLANG} --reasoning-parser deepseek_r1", "deepseek-r1"),
    ],
)
def test_a_parser_with_a_slip_is_named_with_the_one_that_is_meant(command: str, meant: str) -> None:
    problem = only(command)
    assert (problem.code, problem.severity) == ("option-value", Severity.WARNING)
    assert problem.hint == f"did you mean '{meant}'?"


@pytest.mark.parametrize("parser", ["turbo", "glm48", "minimax", "hermess"])
def test_a_parser_that_is_not_registered_may_be_one_of_another_version(parser: str) -> None:
    command = f"{QWEN} --tool-call-parser {parser}"
    problem = only(command)
    assert problem.severity is Severity.WARNING
    assert problem.message.startswith(f"vLLM 0.33.0: --tool-call-parser does not know '{parser}'")
    assert only(f"pip install vllm==0.33.0\n{command}").severity is Severity.ERROR
    assert codes(f"pip install vllm==0.40.0\n{command}") == []


@pytest.mark.parametrize(
    "command",
    [
        f"{QWEN} --tool-call-parser hermes --reasoning-parser qwen3",
        f"{QWEN} --tool-call-parser own --tool-parser-plugin own.py",
        f"{QWEN} --reasoning-parser own --reasoning-parser-plugin own.py",
        f'{QWEN} --tool-call-parser "$PARSER"',
        f"{SGLANG} --tool-call-parser auto --reasoning-parser auto",
    ],
)
def test_parsers_that_are_there_come_with_a_plugin_or_are_chosen_are_accepted(command: str) -> None:
    assert codes(command) == []
