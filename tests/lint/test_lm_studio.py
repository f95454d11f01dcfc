"""The command line of LM Studio: what it loads, how much of it on the GPU, and where it serves."""

from __future__ import annotations

import pytest

from tests.lint.support import codes, linted, only

CARD = "1x-rtx-3090"


@pytest.mark.parametrize(
    ("asked", "file", "context"),
    [
        (32768, "Q4_K_M", 8192),  # 8 GiB of cache beside 16.6 of weights: no file of 4 bits
        (16384, "IQ4_XS", 16384),  # 18.4 GiB and 4 are too near 23.6; 16.6 and 4 are not
    ],
)
def test_a_file_that_is_to_lie_on_the_gpu_is_weighed(asked: int, file: str, context: int) -> None:
    problem = only(f"lms load qwen/qwen3-32b@q8_0 --gpu max --context-length {asked}\n", combo=CARD)
    assert problem.code == "does-not-fit"
    fits = f"lms load unsloth/Qwen3-32B-GGUF@{file} --gpu max --context-length {context}"
    assert problem.hint == f"this plan fits: {fits}"


def test_a_file_that_fits_is_no_problem() -> None:
    assert codes("lms load qwen/qwen3-8b@q4_k_m --gpu max -c 8192\n", combo=CARD) == []


@pytest.mark.parametrize("share", ["--gpu off", "--gpu 0.5", ""])
def test_what_may_lie_in_system_ram_is_not_weighed(share: str) -> None:
    found = linted(f"lms load qwen/qwen3-32b@q8_0 {share}\n", combo=CARD)
    assert [one.why for one in found.unweighed] == ["a part of the model may be in system RAM"]


def test_the_type_of_a_file_that_is_not_named_is_not_guessed() -> None:
    found = linted("lms load qwen/qwen3-32b --gpu max\n", combo=CARD)
    assert found.problems == ()
    assert [one.why for one in found.unweighed] == [
        "the model is known, but the size of these files is not"
    ]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("--gpu 1.5", "option-value"),
        ("--gpu all", "option-value"),
        ("--context-length 32k", "option-value"),
        ("--contex-length 8192", "unknown-option"),
        ("--context-length 9999999", "context-beyond-model"),
    ],
)
def test_options_are_held_to_what_it_takes(options: str, code: str) -> None:
    assert codes(f"lms load qwen/qwen3-8b@q4_k_m {options}\n") == [code]


def test_its_server_is_seen_where_it_listens() -> None:
    assert codes("lms server start --port 1234\n") == []
    assert codes("lms server start --bind 0.0.0.0\n") == ["exposed"]
    assert codes("lms server start --port 99999\n") == ["option-value"]
    assert codes("lms server stop\nlms unload --all\n") == []
