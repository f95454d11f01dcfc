"""How llama.cpp's meta backend cuts layers over GPUs: whole blocks and heads, so unevenly.

Source:
    llama.cpp ``src/llama-model.cpp``, ``llama_meta_device_get_split_state`` (pull requests 19378
    and 22729).
"""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.models.cache_kinds import CompressedAttention, FullAttention, SlidingAttention
from sitegen.physics.model_shape import LayerKind, ModelShape
from sitegen.physics.traffic import kind_read_bytes

TILE = 128
"""Least multiple at which a feed-forward width is cut."""


def cut_parts(width: int, granule: int, ranks: int) -> list[int]:
    """Parts of a width cut over all ranks as evenly as multiples of ``granule`` allow.

    >>> cut_parts(8, 1, 3)
    [2, 3, 3]
    """
    parts: list[int] = []
    low = 0
    for rank in range(1, ranks):
        high = width * rank // ranks
        high -= high % granule
        parts.append(high - low)
        low = high
    parts.append(width - low)
    return parts


def widest_part(width: int, granule: int, ranks: int) -> float:
    """Share of a width that the rank with the widest part has: the others wait for it."""
    return max(cut_parts(width, granule, ranks)) / width if width > 0 else 1 / ranks


def turned_part(width: int, granule: int, ranks: int, layers: int) -> float:
    """Share of all layers that the fullest rank holds, where parts move on by a rank each layer."""
    if width == 0 or layers == 0:
        return 1 / ranks
    parts = cut_parts(width, granule, ranks)
    rounds, rest = layers // ranks, layers % ranks
    most = max(
        rounds * width + sum(parts[(rank - turn + ranks) % ranks] for turn in range(rest))
        for rank in range(ranks)
    )
    return most / (width * layers)


def head_granule(shape: ModelShape, kv_heads: int, key_dim: int, ranks: int) -> int:
    """KV heads that stay together so that neither their queries nor a block of weights is cut."""
    query = max(1, shape.heads // max(1, kv_heads)) * key_dim
    block = shape.cut_block
    while block < TILE and block * ranks < query:
        block *= 2
    return _common_multiple(query, block) // query


def _common_multiple(one: int, other: int) -> int:
    """Least number that both divide; the browser's engine has no library for it."""
    divisor, rest = one, other
    while rest > 0:
        divisor, rest = rest, divisor % rest
    return one // divisor * other


def width_granule(shape: ModelShape, width: int) -> int:
    """Multiple that a feed-forward width is cut at: a block, and no less than a kernel's tile."""
    block = shape.cut_block
    return block if block > TILE and width % block == 0 else TILE


def whole_head(shape: ModelShape) -> bool:
    """Whether every rank holds the whole head: it is the embedding, or DeepSeek V4's."""
    return shape.tied or any(isinstance(k.cache, CompressedAttention) for k in shape.kinds)


def whole_shared_bytes(kind: LayerKind) -> int:
    """Shared experts that every rank holds whole; only DeepSeek V4's are cut."""
    return 0 if isinstance(kind.cache, CompressedAttention) else kind.weights.shared_bytes


def expert_part(shape: ModelShape, ranks: int) -> float:
    """Share of every expert on the rank with its widest part."""
    size = shape.expert_size
    return widest_part(size, width_granule(shape, size), ranks)


def attention_part(shape: ModelShape, kind: LayerKind, ranks: int) -> float:
    """Share of a layer's attention on the rank with the most KV heads."""
    cache = kind.cache
    if isinstance(cache, FullAttention | SlidingAttention):
        granule = head_granule(shape, cache.kv_heads, cache.key_dim, ranks)
        return widest_part(cache.kv_heads, granule, ranks)
    return 1 / ranks


def dense_part(shape: ModelShape, kind: LayerKind, ranks: int) -> float:
    """Share of a layer's cut weights, experts apart, on its busiest rank."""
    attention = attention_part(shape, kind, ranks)
    if kind.weights.expert_bytes > 0:
        return attention
    heads = shape.query_width + shape.attention_width
    feed = 3 * shape.dense_width
    wide = widest_part(shape.dense_width, width_granule(shape, shape.dense_width), ranks)
    return (heads * attention + feed * wide) / (heads + feed)


def cache_part(shape: ModelShape, kind: LayerKind, ranks: int, counts: Sequence[int]) -> float:
    """Share of a kind's cache on the fullest rank; parts move on from layer to layer of a kind."""
    cache = kind.cache
    if cache.word == "state":
        return 1 / ranks
    if isinstance(cache, FullAttention | SlidingAttention):
        alike = sum(
            count
            for count, other in zip(counts, shape.kinds, strict=True)
            if other.cache.word == cache.word
        )
        granule = head_granule(shape, cache.kv_heads, cache.key_dim, ranks)
        return turned_part(cache.kv_heads, granule, ranks, alike)
    return 1.0


def rank_bytes(shape: ModelShape, counts: Sequence[int], ranks: int, cuts: Sequence[float]) -> int:
    """Weights of the fullest rank; ``cuts`` are its shares of each kind's cache."""
    size = shape.expert_size
    experts = turned_part(size, width_granule(shape, size), ranks, shape.layers)
    total = 0.0
    for count, kind, cut in zip(counts, shape.kinds, cuts, strict=True):
        weights, whole = kind.weights, whole_shared_bytes(kind)
        one = (
            (weights.split_bytes - whole) / ranks
            + weights.kv_bytes * min(1.0, cut)
            + weights.replicated_bytes
            + whole
        )
        total += count * (one + weights.expert_bytes * experts)
    head = shape.head_bytes if whole_head(shape) else shape.head_bytes / ranks
    return int(total + head) + shape.final_bytes


def dense_read_bytes(
    shape: ModelShape, counts: Sequence[int], ranks: int, *, with_head: bool
) -> float:
    """Weights that every token reads on the busiest rank, routed experts left out."""
    total = 0.0
    for count, kind in zip(counts, shape.kinds, strict=True):
        weights, whole = kind.weights, whole_shared_bytes(kind)
        part = dense_part(shape, kind, ranks)
        one = (weights.split_bytes - whole) * part + weights.replicated_bytes + whole
        total += count * (one + weights.kv_bytes * attention_part(shape, kind, ranks))
    if with_head:
        total += shape.head_bytes if whole_head(shape) else shape.head_bytes / ranks
    return total


def cache_read_bytes(
    shape: ModelShape, counts: Sequence[int], ranks: int, context_tokens: int, bits: int
) -> float:
    """Cache and state that a sequence reads on the busiest rank."""
    total = 0.0
    for count, kind in zip(counts, shape.kinds, strict=True):
        cache, share = kind.cache, 1.0
        if cache.word == "state" or isinstance(cache, FullAttention | SlidingAttention):
            share = attention_part(shape, kind, ranks)
        if count > 0:
            total += share * kind_read_bytes(count, kind, 1, context_tokens, bits)
    return total
