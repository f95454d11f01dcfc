"""The cache of one sequence: one function for pages, claims and ledgers, held to runtimes' code."""

from __future__ import annotations

import pytest

from sitegen.fit.fit_engine import FitEngine
from sitegen.models.cache_kinds import Kept
from sitegen.physics.memory.block_layout import (
    AT_REST,
    BlockLayout,
    BlockRow,
    CacheType,
    block_layout,
)
from sitegen.physics.memory.profile_constants import paged_profile, profile_of
from sitegen.physics.model_facts import IN_FLIGHT_TOKENS, model_facts
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.reduced_checkpoint import reduce_checkpoint
from sitegen.physics.sequence_cache import sequence_bytes
from sitegen.published.claims.context import ClaimContext
from sitegen.units import GIB
from tests.survey.whole_catalog import whole_catalog

PACKED_PAGE = 21 * (37_440 + 8_640) + 20 * 1_728
"""Bytes of a block of DeepSeek V4 Flash in vLLM 0.33: 21 layers store 64 vectors of 584 bytes and
64 keys of 132 a block of 256 tokens, 20 layers two vectors, all padded to 576."""


def blocks_of(name: str, version: str = "") -> tuple[BlockLayout, int]:
    """A model's cache in vLLM on one rank, and the batches that it keeps in flight."""
    found = whole_catalog()
    profile = profile_of(found.runtimes["vllm"], version)
    assert profile is not None
    shape, c = shape_of(name), paged_profile(profile)
    counts = shape.kind_counts(0, shape.layers)
    return block_layout(shape, c.blocks, counts, stored=CacheType(16)), c.in_flight_batches


def shape_of(name: str) -> ModelShape:
    one = whole_catalog().models[name]
    return reduce_checkpoint(one, one.checkpoints[0]).shape


def test_windows_hold_what_is_in_flight_while_a_prompt_is_read() -> None:
    """Gemma 3 27B: 10 global and 52 sliding layers of 16 heads x 128 x 2 x 2 bytes."""
    shape = shape_of("gemma-3-27b-it")
    token = 16 * 128 * 2 * 2
    assert sequence_bytes(shape, 8_192) == (10 * 8_192 + 52 * 1_024) * token
    assert sequence_bytes(shape, 8_192, in_flight=IN_FLIGHT_TOKENS) == 62 * 8_192 * token
    assert sequence_bytes(shape, 131_072, in_flight=8_192) == (10 * 131_072 + 52 * 9_215) * token


@pytest.mark.parametrize(("version", "batches"), [("0.25.0", 1), ("0.26.0", 2), ("0.33.0", 2)])
def test_vllm_counts_two_steps_in_flight_since_0_26(version: str, batches: int) -> None:
    """Wheels' ``kv_cache_interface.py``: ``max_in_flight_tokens`` came with 0.26."""
    assert blocks_of("gemma-3-27b-it", version)[1] == batches


def test_deepseek_v4_takes_blocks_of_the_widest_group() -> None:
    """The plan of vLLM 0.33 (``kv_cache_planning.py``) for DeepSeek V4 Flash, by hand.

    256,000 tokens, 8,192 in flight: 1,000 blocks of compressed vectors; windows of 43 layers in two
    groups, 130 blocks and a spare one each; sums of 21 layers over 8 tokens in blocks of four,
    2,050 and one; sums of 20 layers over 128 tokens in blocks of eight, 1,040 and one.
    """
    found, _ = blocks_of("deepseek-v4-flash")
    assert found.page_bytes == PACKED_PAGE == 1_002_240
    blocks = 1_000 + 2 * 131 + 2_051 + 1_041
    request = found.request_bytes(256_000, 8_192)
    assert request == blocks * PACKED_PAGE
    # a start of 0.22.1 logged 9.757 requests in 37.93 GiB, whose layout wastes 5 % less
    assert 37.93 * GIB / request == pytest.approx(9.757, rel=0.05)


def test_the_cache_of_deepseek_v4_at_rest_is_what_its_layout_adds_up_to() -> None:
    """8,192 tokens, Flash: vectors a quarter and a 128th of the tokens, windows, running sums."""
    vectors = 21 * 8_192 * (584 + 132) // 4 + 20 * 8_192 * 5
    windows = 43 * 128 * 584
    sums = 21 * 8 * 16 * (512 + 128) + 20 * 128 * 8 * 512
    assert sequence_bytes(shape_of("deepseek-v4-flash"), 8_192) == vectors + windows + sums


@pytest.mark.parametrize(
    ("window", "block", "at_rest", "reading"), [(4, 4, 2, 8_194), (512, 32, 17, 1_041)]
)
def test_a_request_at_rest_keeps_no_more_than_its_window(
    window: int, block: int, at_rest: int, reading: int
) -> None:
    """VLLM issue 54703 (2026-09): blocks of two windows at rest, and with 2 x 16,384 in flight."""
    row = BlockRow(Kept("sliding", window, 1_024, 0), 1, 1, block, 1)
    found = BlockLayout((row,), 1, block * 1_024, False, 1, 0.0, 0.0, 0.0)
    assert found.request_bytes(131_072, AT_REST) == at_rest * block * 1_024
    assert found.request_bytes(131_072, 32_768) == reading * block * 1_024
    assert found.held_bytes(131_072, 32_768, 3) == (reading + 2 * at_rest) * block * 1_024


def test_a_pool_holds_the_window_of_each_request_and_one_step() -> None:
    """Gemma 4 31B on an H200 (vLLM pull request 39866): 29,500 blocks, five groups of windows.

    Windowed layers keep 16 heads x 256 x 2 x 2 bytes of a token, the others 4 x 512 x 2 x 2, so 32
    tokens to a block of 16: 2,048 blocks of a prompt of 65,536. A group of windows keeps 65 blocks
    of 1,024 tokens, with 8,192 tokens in flight 577.
    """
    found, _ = blocks_of("gemma-4-31b-it", "0.25.0")
    page = found.page_bytes * found.group_layers
    assert found.held_bytes(65_536, 8_192, 1) == (2_048 + 5 * 577) * page
    assert found.held_bytes(65_536, 8_192, 4) == (4 * 2_048 + 5 * (577 + 3 * 65)) * page
    assert found.sequences(29_500 * page, 65_536, 8_192, 256) == 1 + (29_500 - 4_933) // 2_373


@pytest.mark.parametrize("in_flight", [AT_REST, IN_FLIGHT_TOKENS])
def test_pages_and_ledgers_part_by_the_padding_of_blocks_alone(in_flight: int) -> None:
    """99 times apart for DeepSeek V4 and 10 for MiMo V2 before they shared a function."""
    for name in whole_catalog().models:
        printed = sequence_bytes(shape_of(name), 8_192, in_flight=in_flight)
        charged = blocks_of(name)[0].request_bytes(8_192, in_flight)
        # V4.1: a group of its windows fills 4 x 37,440 of a block's 460,224 bytes.
        most = 460_224 / (4 * 37_440) if name == "deepseek-v4.1-flash" else 1.27
        assert printed <= charged <= most * printed, name


def test_claims_are_judged_by_the_figure_that_pages_print() -> None:
    found = whole_catalog()
    cases = ClaimContext(FitEngine(found))
    for name in ("gemma-3-27b-it", "deepseek-v4-pro", "qwen3-next-80b-a3b-instruct"):
        facts = model_facts(found.models[name])
        for length, printed in facts.kv_bytes_at:
            assert cases.cache_bytes(found.models[name], length) == printed
