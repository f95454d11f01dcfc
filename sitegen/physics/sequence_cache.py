"""The cache of one sequence apart from any plan: for pages, claims and what travels between pools.

A ledger asks for the same with the runtime's own blocks and the tokens in flight.
"""

from __future__ import annotations

from sitegen.physics.memory.block_layout import AT_REST, BlockRules, CacheType, block_layout
from sitegen.physics.model_shape import ModelShape

BITS = 16
"""Width of a cached element on pages and in claims, which name no type of cache."""
SINGLE_TOKENS = BlockRules(
    block_tokens=1,
    hybrid_padding=False,
    state_bits=BITS,
    state_slots=1,
    state_pool_share=0.0,
    state_blocks_factor=0.0,
    sliding_pool_ratio=0.0,
)
"""A runtime without blocks: every token takes its own bytes."""
PLAIN_CACHE = CacheType(BITS)


def sequence_bytes(
    shape: ModelShape,
    tokens: int,
    *,
    in_flight: int = AT_REST,
    stored: CacheType = PLAIN_CACHE,
    rules: BlockRules = SINGLE_TOKENS,
) -> int:
    """Return the cache of one sequence over all layers.

    Args:
        shape: The checkpoint.
        tokens: Length of the sequence.
        in_flight: Tokens of steps that are scheduled and not finished, which windows keep too.
        stored: Type of the cache.
        rules: A runtime's blocks; without any, nothing is padded.
    """
    counts = shape.kind_counts(0, shape.layers)
    return block_layout(shape, rules, counts, stored=stored).request_bytes(tokens, in_flight)
