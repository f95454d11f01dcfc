"""Experts in system RAM and the steps in which prompts are read."""

from __future__ import annotations

import pytest

from sitegen.problems import Severity
from tests.lint.support import codes, only

MIXTURE = "llama-server -hf ggml-org/gpt-oss-120b-GGUF -c 16384 --api-key x"


@pytest.mark.parametrize("moved", ["--n-cpu-moe 25", "-ncmoe 25", "--cpu-moe", "-cmoe"])
def test_experts_in_ram_with_the_usual_steps_are_named_with_the_command_to_type(moved: str) -> None:
    problem = only(f"{MIXTURE} {moved}\n")
    assert (problem.code, problem.severity) == ("small-steps", Severity.WARNING)
    assert problem.hint == f"{MIXTURE} {moved} --ubatch-size 4096 --batch-size 4096"


def test_a_variable_counts_like_the_option_that_it_stands_for() -> None:
    assert codes(f"LLAMA_ARG_N_CPU_MOE=25 {MIXTURE}\n") == ["small-steps"]


@pytest.mark.parametrize(
    "text",
    [
        f"{MIXTURE} --n-cpu-moe 25 -ub 2048 -b 2048",
        f"{MIXTURE} --n-cpu-moe 25 -ub 512",  # somebody chose it
        f"{MIXTURE} --n-cpu-moe 0",
        f"{MIXTURE} --cpu-moe -ngl 0",  # no GPU reads the prompt
        MIXTURE,
        "llama-server -hf unsloth/Qwen3-32B-GGUF:Q4_K_M -c 16384 --api-key x --cpu-moe",  # dense
    ],
)
def test_nothing_is_said_where_steps_are_chosen_or_nothing_is_copied(text: str) -> None:
    assert codes(f"{text}\n") == []
