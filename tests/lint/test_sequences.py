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


@pytest.mark.parametrize("sequences", [2, 4])
def test_a_hint_has_room_for_every_sequence(sequences: int) -> None:
    """On an RTX 3090 a cache of 16,384 tokens is safe, however many sequences share it."""
    text = f"llama-server -m Qwen3-32B-Q4_K_M.gguf -ngl 99 -c 32768 -np {sequences}"
    problem = only(text, combo="1x-rtx-3090")
    assert problem.code == "context-too-long"
    assert problem.message.endswith(f"; {16384 // sequences:,} tokens each are safe")
    assert problem.hint == text.replace("32768", "16384")
    assert codes(problem.hint, combo="1x-rtx-3090") == []


def test_a_plan_that_fits_has_room_for_every_sequence() -> None:
    """Of a smaller file that is offered in place of one too large."""
    text = "llama-server -hf unsloth/Qwen3-32B-GGUF:Q8_0 -ngl 99 -c 8192 -np 2"
    problem = only(text, combo="1x-rtx-3090")
    assert problem.code == "does-not-fit"
    assert " -c 8192 -np 2" in problem.hint


def test_a_window_is_counted_for_each_sequence() -> None:
    """Gemma 3 keeps a window for each sequence, so that eight have less than one has alone."""
    text = "llama-server -hf unsloth/gemma-3-27b-it-GGUF:Q4_K_M --no-mmproj -ngl 99 -c {} -np {}"
    one, eight = (only(text.format(262144, n), combo="1x-rtx-3090").hint for n in (2, 8))
    assert tokens(eight) < tokens(one)
    assert codes(eight, combo="1x-rtx-3090") == []


def tokens(command: str) -> int:
    """Read the context of a command."""
    words = command.split()
    return int(words[words.index("-c") + 1])
