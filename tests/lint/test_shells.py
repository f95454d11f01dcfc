"""Variables as fish, Supervisor and docker compose write them, each at its place."""

from __future__ import annotations

import pytest

from sitegen.lint.reading import kind_of
from tests.lint.support import codes, found, linted

SUPERVISED = """\
[supervisord]
environment=LLAMA_ARG_FLASH_ATTN="off"

[program:model]
environment=LLAMA_ARG_CTX_SIZE="8k",LLAMA_ARG_THREADS=8,
    LLAMA_ARG_CACHE_TYPE_V='q8_0'
command=llama-server -hf bartowski/Qwen_Qwen3-8B-GGUF

[program:other]
environment=OLLAMA_CONTEXT_LENGTH=32k
command=ollama serve
"""
COMPOSED = """\
services:
  model:
    image: vllm/vllm-openai:v0.33.0
    environment:
      MODEL: gpt2
      MORE: --hots 1
    {command}
"""

DOUBLED = (
    'command: sh -c "vllm serve $$MODEL $$MORE"',
    'command: ["sh", "-c", "vllm serve $$MODEL $${MORE}"]',
    'entrypoint: sh\n    command: -c "vllm serve $$MODEL $$MORE"',
    "entrypoint:\n      - bash\n      - -c\n      - |\n        vllm serve $$MODEL $$MORE",
)


def places(text: str, kind: str) -> list[tuple[int, int, str]]:
    return [(one.span.line, one.span.column, one.code) for one in found(text, kind)]


def test_variables_of_supervisor_s_programs_are_read_where_they_stand() -> None:
    assert places(SUPERVISED, "ini") == [
        (2, 35, "option-conflict"),
        (5, 33, "option-value"),
        (10, 35, "option-value"),
    ]


def test_a_program_of_supervisor_is_given_its_own_variables_and_no_other_s() -> None:
    other = SUPERVISED.replace("    LLAMA_ARG_CACHE", "    LLAMA_ARGS_CACHE")
    moved = other.replace("environment=OLLAMA", "environment=LLAMA_ARG_CACHE_TYPE_V=q8_0,OLLAMA")
    for text in (other, moved):
        assert "option-conflict" not in codes(text, "ini")


UNIT = "# of a server\n\n[Unit]\n\n[Service]\nExecStart=vllm serve gpt2 --hots 1\n"


@pytest.mark.parametrize("text", [SUPERVISED, UNIT])
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_a_paste_is_read_by_its_sections(text: str, fence: str) -> None:
    pasted = f"{fence}{text}{fence}"
    assert codes(pasted, kind_of("", pasted)) == codes(text, "ini") != []


def test_what_supervisor_puts_in_is_unknown() -> None:
    text = SUPERVISED.replace('"8k"', '"%(ENV_CONTEXT)s"')
    assert (5, 33, "option-value") not in places(text, "ini")


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("-x", "bash"), ("-gx", "bash"), ("--global --export", "bash"), ("-gx", "text"),
        ("-Ux", "markdown"),
    ],
)  # fmt: skip
def test_fish_sets_variables_for_what_follows(options: str, kind: str) -> None:
    line = f"set {options} OLLAMA_CONTEXT_LENGTH 32k"
    fence = ("```fish\n", "\n```") if kind == "markdown" else ("", "")
    text = f"{fence[0]}{line}\nollama serve{fence[1]}\n"
    at = (2 if fence[0] else 1, line.index("32k") + 1)
    assert places(text, kind) == [(*at, "option-value")]


def test_a_variable_of_fish_stands_for_its_value() -> None:
    assert codes("set -l PORT 80800\nvllm serve gpt2 --port $PORT\n") == ["option-value"]
    assert codes("set -gx MODEL gpt2\nvllm serve $MODEL --hots 1\n") == ["unknown-option"]
    hidden = "# two RTX 4090\nset -gx CUDA_VISIBLE_DEVICES 0\nvllm serve gpt2 -tp 2\n"
    assert codes(hidden) == codes(hidden.replace("set -gx ", "export ").replace("ES 0", "ES=0"))
    assert codes(hidden) != []


@pytest.mark.parametrize("line", ["set -x", "set -euxo pipefail", "set -e PORT 80800", "set -x M"])
def test_set_of_other_shells_sets_no_variable(line: str) -> None:
    assert codes(f"{line}\nvllm serve gpt2 --port $PORT\n") == []


@pytest.mark.parametrize("command", DOUBLED)
def test_two_dollars_of_compose_are_one_for_the_container_s_shell(command: str) -> None:
    text = COMPOSED.format(command=command)
    (problem,) = found(text, "yaml")
    assert problem.code == "unknown-option"
    line = text.splitlines()[problem.span.line - 1]
    assert line[problem.span.column - 1 :].startswith(("$$MORE", "$${MORE}"))


@pytest.mark.parametrize(
    "command",
    [
        'command: sh -c "vllm serve $$MODEL $MORE"',
        'command: sh -c "vllm serve $$MODEL $MORE $$MORE"',
        'command: ["--model", "$$MODEL", "--port", "$$PORT"]',
    ],
)
def test_what_compose_puts_in_itself_and_what_no_shell_reads_is_unknown(command: str) -> None:
    seen = linted(COMPOSED.format(command=command), "yaml")
    assert (seen.launches, seen.problems) == (1, ())
