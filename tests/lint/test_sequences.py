"""llama.cpp shares the context of a command out among its sequences."""

from __future__ import annotations

import pytest

from sitegen.problems import Severity
from tests.lint.support import codes, only

QWEN = "llama-server -hf unsloth/Qwen3-8B-GGUF:Q4_K_M -ngl 99 -fa on"
"""A model of 40,960 tokens."""
PAIR = "2x-rtx-4090"


@pytest.mark.parametrize(
    "options",
    ["-c 131072 -np 8", "-c 163840 --parallel 4", "-c 40960", "-c 40960 -np -1"],
)
def test_each_sequence_has_its_part_of_the_context(options: str) -> None:
    """131,072 tokens over 8 sequences are 16,384 for each, 163,840 over 4 are 40,960."""
    assert codes(f"{QWEN} {options}", combo=PAIR) == []


def test_a_part_may_be_longer_than_the_model_all_the_same() -> None:
    problem = only(f"{QWEN} -c 131072 -np 2")
    assert (problem.code, problem.severity) == ("context-beyond-model", Severity.WARNING)
    assert problem.message == (
        "the model supports 40,960 tokens, not 65,536 tokens in each of 2 sequences"
    )
    assert problem.hint == f"{QWEN} -c 81920 -np 2"
    assert codes(problem.hint) == []


@pytest.mark.parametrize("unified", ["--kv-unified", "-kvu"])
def test_one_cache_for_all_gives_a_sequence_the_whole(unified: str) -> None:
    problem = only(f"{QWEN} -c 131072 -np 8 {unified}")
    assert problem.message == "the model supports 40,960 tokens, not 131,072 tokens"


def test_a_number_of_sequences_that_nobody_knows_leaves_the_part_open() -> None:
    assert codes(f'{QWEN} -c 131072 -np "$SEQUENCES"') == []
