"""The address of a composed build: what it says, and what it makes of nonsense."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.browser_parity import random_build
from sitegen.fit.assessment import PlanGoal
from sitegen.site.composed_address import (
    MOST,
    read_state,
    state_of_list,
    unread,
    usual_combo,
    usual_state,
    write_state,
)
from sitegen.site.pages.custom import NETWORK
from sitegen.survey.composed_build import EqualGpus, build_of, verdict_of
from tests.spelled_out import compare_with, digests, spelled_out
from tests.survey.whole_catalog import whole_catalog, whole_engine

ADDRESSES = (
    "machine=2;rtx-3090*2+apple-m3-ultra*1@512;pcie-4-x8;128;90;windows;display"
    "&network=ethernet-25g&context=32768&users=4&kv=8&goal=latency&runtime=vllm",
    "machine=1;h100-sxm*8;nvswitch-gen3;1024;0;linux;&context=8192&model=qwen3-8b",
    "combo=2x-rtx-3090-nvlink&users=2",
    "users=16&goal=throughput&runtime=vllm&for=answer&file=fp8&model=qwen3-8b",
)


def test_the_usual_build_has_the_page_s_own_address() -> None:
    usual = usual_state(whole_catalog())
    assert write_state(usual, whole_catalog()) == ""
    assert read_state("", whole_catalog()) == usual
    assert read_state("#", whole_catalog()) == usual
    combo = usual_combo(whole_catalog())
    assert combo is not None
    assert usual.build == build_of(combo)


def test_an_address_says_all_that_was_chosen() -> None:
    state = read_state(
        "#machine=2;rtx-3090*2+apple-m3-ultra*1@512;pcie-4-x8;128;90;windows;display"
        "&network=ethernet-25g&context=32768&users=4&kv=8&goal=latency&runtime=vllm",
        whole_catalog(),
    )
    machines = state.build.nodes[0]
    assert machines.gpus == (EqualGpus("rtx-3090", 2), EqualGpus("apple-m3-ultra", 1, 512 * 2**30))
    assert (machines.count, machines.link, machines.display_attached) == (2, "pcie-4-x8", True)
    assert (machines.ram_bytes, machines.ram_bytes_per_s) == (128 * 2**30, 90 * 10**9)
    assert machines.operating_system == "windows"
    assert state.build.network == "ethernet-25g"
    asked = state.asked
    assert (asked.context_tokens, asked.sequences, asked.kv_bits) == (32_768, 4, 8)
    assert (asked.goal, asked.runtime) == (PlanGoal.LATENCY, "vllm")


def test_any_build_comes_back_from_its_address() -> None:
    dice = random.Random(11)  # noqa: S311 - a seeded sample
    for _ in range(300):
        state = read_state(random_build(dice, whole_catalog()), whole_catalog())
        assert read_state(write_state(state, whole_catalog()), whole_catalog()) == state


def test_an_address_opens_a_file_of_a_model_and_its_list_has_all_files() -> None:
    state = read_state(ADDRESSES[-1], whole_catalog())
    assert (state.asked.file, state.model) == ("fp8", "qwen3-8b")
    assert write_state(state, whole_catalog()) == ADDRESSES[-1]
    assert state_of_list(state).asked.file == ""
    assert read_state("file=fp8&model=no-such", whole_catalog()).asked.file == ""
    model, combo = whole_catalog().models["qwen3-8b"], whole_catalog().combos["1x-rtx-4090"]
    found = verdict_of(whole_engine(), combo, model, state.asked)
    assert found is not None
    assert (found.checkpoint.id, found.runtime.id) == ("fp8", "vllm")


@pytest.mark.parametrize("combo", ["2x-rtx-3090-proxmox-vm", "gb200-nvl72", "1x-rtx-3090"])
def test_a_combo_keeps_its_name(combo: str) -> None:
    state = read_state(f"combo={combo}", whole_catalog())
    assert state.build == build_of(whole_catalog().combos[combo])
    assert write_state(state, whole_catalog()) == f"combo={combo}"


@pytest.mark.parametrize(
    "text",
    [
        "machine=", "machine=;;;;;;", "machine=x;rtx-3090*y", "combo=no-such", "context=-1&users=0",
        "machine=1;no-such-gpu*4", "kv=5&goal=speed&runtime=none&model=none", "&&==&=&#",
        "context=99999999999999999999", "context=²", "users=٣",
    ],
)  # fmt: skip
def test_nonsense_is_taken_as_usual(text: str) -> None:
    state = read_state(text, whole_catalog())
    assert state.build.nodes
    assert read_state(write_state(state, whole_catalog()), whole_catalog()) == state


UNREAD = (
    "combo=no-such", "machine=1;no-such-gpu*4", "machine=1;rtx-3090*1+no-such*1",
    "machine=x;rtx-3090*1", "machine=1;rtx-3090*999", "machine=1;apple-m3-ultra*1@7",
    "machine=1;rtx-3090*2;no-link", "machine=1;rtx-3090*1;;many", "machine=1;rtx-3090*1;;;;dos",
    "network=pcie-4-x16", "context=0", "context=much", "users=1025", "kv=5", "goal=speed",
    "runtime=none", "model=none", "for=fun", "file=none", "other=1",
)  # fmt: skip


def test_what_is_taken_as_usual_is_named() -> None:
    every = "&".join(UNREAD)
    assert unread(f"#{every}&users=4&goal=&context=", whole_catalog()) == UNREAD


def test_an_address_that_we_wrote_is_known_whole() -> None:
    dice = random.Random(5)  # noqa: S311 - a seeded sample
    written = [random_build(dice, whole_catalog()) for _ in range(300)]
    for text in (*ADDRESSES, *written, *(f"combo={id}" for id in whole_catalog().combos)):
        state = read_state(text, whole_catalog())
        assert unread(write_state(state, whole_catalog()), whole_catalog()) == (), text


def test_a_place_on_the_page_is_no_build() -> None:
    assert unread("#content", whole_catalog()) == ()


def test_no_address_makes_more_gpus_than_the_page_judges() -> None:
    for text in ("machine=99999;rtx-3090*999", "&".join(["machine=64;rtx-3090*2"] * 9)):
        machines = read_state(text, whole_catalog()).build.nodes
        assert sum(one.count * sum(c.count for c in one.gpus) for one in machines) <= MOST


def test_memory_beyond_a_million_gib_is_taken_as_a_million() -> None:
    machine = "machine=1;rtx-3090*1;;{0};{0}"
    (most,) = read_state(machine.format(2**20), whole_catalog()).build.nodes
    assert (most.ram_bytes, most.ram_bytes_per_s) == (2**50, 2**20 * 10**9)
    (more,) = read_state(machine.format(2**20 + 1), whole_catalog()).build.nodes
    assert more == most


def test_a_number_of_nine_digits_is_the_most_and_a_longer_one_is_nonsense() -> None:
    usual = usual_state(whole_catalog()).asked.context_tokens
    longest = read_state("context=" + "9" * 9, whole_catalog()).asked.context_tokens
    assert longest == 1 << 24
    assert read_state("context=" + "9" * 10, whole_catalog()).asked.context_tokens == usual


def test_letters_at_random_break_nothing() -> None:
    dice = random.Random(12)  # noqa: S311 - a seeded sample
    letters = string.ascii_lowercase + string.digits + "=&;*+@#-é%"
    for _ in range(500):
        text = "".join(dice.choice(letters) for _ in range(dice.randint(0, 60)))
        read_state(f"machine={text}&context={text}", whole_catalog())


def test_machines_begin_with_a_network_that_the_catalog_has() -> None:
    assert whole_catalog().interconnects[NETWORK].between_nodes


def read_and_written(address: str) -> Iterator[str]:
    """Yield the state that an address means, and that of each address that differs in a piece."""
    pieces = re.split(r"(?<=[=;*@+&])|(?=[=;*@+&])", address)
    others = [address]
    for at in range(len(pieces)):
        for new in ("", "0", "1", "3", "99999999", "x"):
            others.append("".join([*pieces[:at], new, *pieces[at + 1 :]]))
    for other in others:
        state = read_state(other, whole_catalog())
        yield f"{other}: {spelled_out(state)} {write_state(state, whole_catalog())}"


def test_an_address_with_one_piece_changed_means_the_same_as_before() -> None:
    made = ((address, "\n".join(read_and_written(address))) for address in ADDRESSES)
    compare_with(Path(__file__).parent / "addresses.txt", digests(made))
