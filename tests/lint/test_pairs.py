"""Options that a program refuses together."""

from __future__ import annotations

import pytest

from sitegen.problems import Severity
from tests.lint.support import codes, only

LLAMA = "llama-server -hf unsloth/Qwen3-32B-GGUF:Q4_K_M -ngl 99 -c 16384"


@pytest.mark.parametrize("options", ["-ctk q8_0 -ctv q8_0 -fa off", "-ctv q4_0 --flash-attn 0"])
def test_values_in_few_bits_need_flash_attention(options: str) -> None:
    problem = only(f"{LLAMA} {options}", combo="1x-rtx-3090")
    assert (problem.code, problem.severity) == ("option-conflict", Severity.ERROR)
    assert "need flash attention, which is off" in problem.message
    assert problem.hint == f"{LLAMA} {options.rpartition(' ')[0]} on"
    assert codes(problem.hint, combo="1x-rtx-3090") == []


@pytest.mark.parametrize(
    "options",
    ["-ctk q8_0 -fa off", "-ctv f16 -fa off", "-ctv q8_0", "-ctv q8_0 -fa auto", "-ctv q8_0 -fa on",
     '-ctv "$TYPE" -fa off', '-ctv q8_0 -fa "$FLASH"'],
)  # fmt: skip
def test_keys_and_what_is_not_off_are_left_alone(options: str) -> None:
    assert codes(f"{LLAMA} {options}") == []


def test_the_fork_of_llama_cpp_is_held_to_the_same() -> None:
    text = "~/ik_llama.cpp/build/bin/llama-server -m a.gguf -ctv q8_0 -fa off"
    assert codes(text) == ["option-conflict"]


QWEN = "vllm serve Qwen/Qwen3-8B --max-model-len 8192"


def test_tools_are_called_with_the_parser_of_the_model() -> None:
    """The documentation of vLLM has ``hermes`` for Qwen3."""
    problem = only(f"{QWEN} --enable-auto-tool-choice")
    assert (problem.code, problem.severity) == ("option-conflict", Severity.ERROR)
    assert problem.message == ("vLLM refuses --enable-auto-tool-choice without --tool-call-parser")
    assert problem.hint == "add --tool-call-parser hermes"
    unknown = only("vllm serve some/model --enable-auto-tool-choice")
    assert unknown.hint == "add --tool-call-parser"


@pytest.mark.parametrize(
    "options",
    ["--enable-auto-tool-choice --tool-call-parser hermes", "--tool-call-parser hermes",
     "--enable-auto-tool-choice $MORE", "--enable-auto-tool-choice --config more.yaml"],
)  # fmt: skip
def test_a_parser_that_is_given_or_may_be_is_not_asked_for(options: str) -> None:
    assert codes(f"{QWEN} {options}") == []
