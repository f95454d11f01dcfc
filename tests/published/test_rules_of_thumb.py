"""The common rules, by hand: they must be what calculators do, not what the engine does."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.published import rules_of_thumb
from sitegen.units import GIB

ROOT = Path(__file__).parents[2]


@cache
def catalog() -> Catalog:
    return parse_catalog(read_project(ROOT).catalog)


@pytest.mark.parametrize(
    ("recipe", "bits"),
    [
        ("q4-k-m", 4), ("q8-0", 8), ("iq2-xxs", 2), ("bf16", 16), ("gguf-f16", 16), ("fp8", 8),
        ("awq-4bit-g128", 4), ("int8-w8a8", 8), ("bnb-nf4-double", 4), ("nvfp4", 4),
        ("mlx-6bit", 6), ("exl3-2.5bpw", 2.5),
    ],
)  # fmt: skip
def test_the_bits_are_those_of_the_name(recipe: str, bits: float) -> None:
    assert rules_of_thumb.nominal_bits(catalog().quantizations[recipe]) == bits


def test_weights_are_parameters_times_bits() -> None:
    """70 billion at 4 bits, cut over two GPUs: 17.5 GB each."""
    recipe = catalog().quantizations["q4-k-m"]
    assert rules_of_thumb.weight_bytes(70_000_000_000, recipe, 2) == 17_500_000_000


def test_the_cache_forgets_grouped_heads() -> None:
    """Llama 3.1 70B: 2 × 80 × 8,192 × 2 bytes = 2.5 MiB a token; it is an eighth of that."""
    assert rules_of_thumb.cache_bytes_per_token(80, 8_192) == 8 * 2 * 80 * 8 * 128 * 2


def test_memory_of_all_cards_is_added_up_and_a_fifth_is_all_that_else_needs() -> None:
    """30 billion at 8 bits and a fifth are 36 GB: over two cards of 18 GB, says the rule."""
    recipe = catalog().quantizations["q8-0"]
    assert rules_of_thumb.fits(30_000_000_000, recipe, 2 * 18_000_000_000)
    assert not rules_of_thumb.fits(30_000_000_000, recipe, 2 * 18_000_000_000 - 1)


def test_a_pool_is_what_weights_leave() -> None:
    assert rules_of_thumb.pool_bytes(80 * GIB, 0.9, 16 * GIB) == 56 * GIB


def test_a_fifth_of_the_weights_stands_for_the_rest() -> None:
    assert rules_of_thumb.peak_bytes(10 * GIB) == pytest.approx(2 * GIB)


def test_every_rule_says_where_it_is_met() -> None:
    assert all(rule.words and rule.met_in for rule in rules_of_thumb.RULES)
    assert all(rule.url.startswith("https://") or not rule.url for rule in rules_of_thumb.RULES)
