"""The cache of one sequence apart from any plan: for pages, claims and what travels between pools.

A ledger asks the kernel for the same with the runtime's own blocks and the tokens in flight.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitegen.engine import kernel
from sitegen.engine.coefficients import NUMBERS

BITS = 16
"""Width of a cached element on pages and in claims, which name no type of cache."""
AT_REST = 1
"""Tokens in flight of a sequence whose prompt was read: the one that it writes."""
SINGLE_TOKENS: Mapping[str, Any] = {
    "block": 1,
    "hybrid_padding": 0,
    "state_bits": BITS,
    "state_slots": 1,
    "sliding_pool_ratio": [0, 0, 0],
    "state_pool_share": [0, 0, 0],
    "state_blocks_factor": [0, 0, 0],
}
"""A runtime without blocks, in the kernel's words: every token takes its own bytes."""


def sequence_bytes(
    m: NUMBERS,
    tokens: int,
    *,
    in_flight: int = AT_REST,
    bits: int = BITS,
    scales: int = 0,
    state: Mapping[str, Any] | None = None,
) -> int:
    """Return the cache of one sequence over all layers, without the padding of blocks.

    Args:
        m: The checkpoint, as the kernel reads it.
        tokens: Length of the sequence.
        in_flight: Tokens of steps that are scheduled and not finished, which windows keep too.
        bits: Bits of a cached element.
        scales: Bytes of the scale behind each head's keys, and behind its values.
        state: A runtime's constants, where recurrent state shall be as wide as its own.
    """
    widths = {name: state[name] for name in ("state_bits", "state_slots")} if state else {}
    counts = kernel.kind_counts(m, 0, m["layers"])
    c = {**SINGLE_TOKENS, **widths}
    return kernel.request_bytes(
        kernel.paged_geometry(m, c, counts, 1, 1, bits, scales), tokens, in_flight
    )
