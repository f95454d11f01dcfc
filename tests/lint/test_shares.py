"""Shares of llama.cpp's GPUs: what no order of the GPUs can hold is an error, all else is said."""

from __future__ import annotations

import pytest

from sitegen.lint.rules.fit import MIXED, ORDER
from tests.lint.support import codes, linted, only

COMMAND = "llama-server -m /m/{file} -ngl all -c 8192 --tensor-split {shares}{more}\n"
MIXED_PAIR = "# my RTX 4090 + RTX 3060 12GB\n"
LARGE, SMALL = "Qwen3-32B-Q6_K.gguf", "Qwen3-8B-Q8_0.gguf"


def command(shares: str, file: str = LARGE, more: str = "", machine: str = MIXED_PAIR) -> str:
    return machine + COMMAND.format(file=file, shares=shares, more=more)


@pytest.mark.parametrize("shares", ["1,1", "0.5,0.5", "1/1", "12,11"])
def test_a_share_that_no_order_of_unequal_gpus_holds_is_named(shares: str) -> None:
    problem = only(command(shares))
    assert problem.code == "split-size"
    assert problem.span.column == command(shares).splitlines()[1].index(shares) + 1


def test_the_message_has_both_sides() -> None:
    assert only(command("1,1")).message == (
        "the shares need 12.3 + 12.1 GiB for weights; the GPUs have 23.5 + 11.8 GiB"
    )


@pytest.mark.parametrize("shares", ["2,1", "1,2", "24,12"])
def test_shares_that_an_order_holds_are_no_error_and_the_rest_is_said(shares: str) -> None:
    seen = linted(command(shares))
    assert seen.problems == ()
    assert ORDER in str(seen)
    assert MIXED not in str(seen)


@pytest.mark.parametrize(
    "more", [" --n-cpu-moe 9", " --split-mode row", " --device CUDA1,CUDA0", " -ngl 20"]
)
def test_what_may_lie_elsewhere_is_not_counted(more: str) -> None:
    assert codes(command("1,1", more=more)) == []


def test_equal_gpus_are_held_to_uneven_shares_too() -> None:
    machine = "# on 2x RTX 4090\n"
    assert codes(command("1,0", machine=machine)) == ["split-size"]
    assert codes(command("6,5", machine=machine)) == []
    assert codes(command("1,0", file=SMALL, machine=machine)) == []


def test_a_gpu_may_be_given_nothing() -> None:
    assert codes(command("1,0", file=SMALL)) == []
    assert codes(command("nan,1")) == []
    assert codes(command("0,0")) == []
