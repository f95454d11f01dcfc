"""Where llama-quantize finds a tensor: what is true of a model and of a place in it."""

from __future__ import annotations

from functools import cache

from sitegen.engine.architecture import Architecture
from sitegen.engine.caches import FullAttention, LatentAttention, SlidingAttention
from sitegen.engine.gguf_mix import When

SEVENTY_B_FAMILIES = frozenset({"llama", "mistral", "qwen2"})
"""Families in which llama.cpp calls a model of 80 layers 70B (llama-cpp-python 0.3.36)."""

SIXTY_FIVE_B_FAMILIES = frozenset({"llama", "mistral"})
"""Those of them in which it does not, when every query head has its own KV head (LLaMA 65B)."""

SCALAR_HEADS = frozenset({"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"})
"""Hybrid families whose file gives one count of KV heads, not zero on layers without any."""


def model_circumstances(architecture: Architecture, *, importance_matrix: bool) -> When:
    """Return what is true of every tensor of the model."""
    when = When.IMATRIX if importance_matrix else When.NO_IMATRIX
    if query_heads_per_kv_head(architecture) >= 4:
        when |= When.GROUPED_4
    if architecture.experts >= 4:
        when |= When.EXPERTS_4
    if architecture.experts == 8:
        when |= When.EXPERTS_8
    return when


def _more_bits(index: int, count: int) -> bool:
    """Return whether the tensor is in the first or last eighth, or every third between."""
    return index < count // 8 or index >= 7 * count // 8 or (index - count // 8) % 3 == 2


@cache
def value_position(index: int, count: int) -> When:
    """Return where the ``index``-th of ``count`` tensors of category ``attn_v`` stands."""
    where = When.MORE_BITS if _more_bits(index, count) else When.ALWAYS
    if index < 2:
        where |= When.FIRST_2
    if index < 4:
        where |= When.FIRST_4
    return where


@cache
def layer_position(index: int, layers: int) -> When:
    """Return where a feed-forward tensor of layer ``index`` stands."""
    where = When.MORE_BITS if _more_bits(index, layers) else When.ALWAYS
    if index < layers // 16:
        where |= When.FIRST_16TH
    if index < layers // 8:
        where |= When.FIRST_8TH
    elif index < 7 * layers // 8:
        where |= When.MIDDLE
    return where


def query_heads_per_kv_head(architecture: Architecture) -> int:
    """Return llama.cpp's ``n_gqa``: that of the first layer, 0 where it has no KV heads."""
    first = architecture.caches[0]
    if isinstance(first, FullAttention | SlidingAttention):
        return architecture.attention_heads // first.kv_heads
    if isinstance(first, LatentAttention) or architecture.family in SCALAR_HEADS:
        return architecture.attention_heads // architecture.kv_heads
    return 0


def is_seventy_b(architecture: Architecture) -> bool:
    """Return whether llama.cpp gives the model its label 70B and promotes the values."""
    if architecture.layers != 80 or architecture.family not in SEVENTY_B_FAMILIES:
        return False
    grouped = architecture.attention_heads != architecture.kv_heads
    return grouped or architecture.family not in SIXTY_FIVE_B_FAMILIES
