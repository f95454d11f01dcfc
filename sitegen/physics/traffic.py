"""Bytes that a step reads and operations that it computes, on one rank."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.models.cache_kinds import STATE_READ_BITS
from sitegen.physics.model_shape import LayerKind, ModelShape
from sitegen.physics.powers import power
from sitegen.units import ceil_div


def touched_experts(experts: int, chosen: int, batch: int) -> float:
    """Share of the experts that a step of ``batch`` tokens reads, each token choosing ``chosen``.

    Tokens choose independently of one another: 1 - (1 - chosen / experts) ** batch, by squaring,
    since libraries differ in the last digit of a power.

    Source:
        Probability that none of ``batch`` independent choices names an expert.
    """
    if experts == 0:
        return 1.0
    missed = 1.0
    square = 1 - chosen / experts
    left = batch
    while left > 0:
        if left % 2 == 1:
            missed *= square
        square *= square
        left //= 2
    return 1 - missed


MANY_CHOICES = 100.0
"""Choices of an expert in a step from which on none is left out, to the last digit of a float."""


def read_experts(experts: int, chosen: int, batch: int, unlikeness: float) -> float:
    """Share of the experts that a step of ``batch`` tokens reads, which are more or less alike.

    They touch as many as ``batch`` ** ``unlikeness`` tokens that choose independently; 1 for
    tokens that have nothing in common.

    Source:
        Sums of mixtures in ``catalog/benchmarks``; decision 71 and its assumption
        ``token-unlikeness-exponent``.
    """
    if experts == 0 or chosen >= experts:
        return 1.0
    if batch <= 1:
        return touched_experts(experts, chosen, batch)
    independent = power(batch, unlikeness)
    if independent * chosen / experts > MANY_CHOICES:
        return 1.0
    return 1 - power(1 - chosen / experts, independent)


def dense_read_bytes(
    shape: ModelShape, counts: Sequence[int], tp: int, *, with_head: bool
) -> float:
    """Weights that every token reads, routed experts left out.

    Source:
        The roofline of a decode step: each weight is read once (vLLM 0.33, ``layers/linear.py``,
        for what a rank holds).
    """
    share = min(tp, shape.kv_heads) if shape.kv_heads > 0 else tp
    total = 0.0
    for count, kind in zip(counts, shape.kinds, strict=True):
        weights = kind.weights
        one = weights.split_bytes / tp + weights.kv_bytes / share + weights.replicated_bytes
        total += count * one
    return total + shape.head_bytes / tp if with_head else total


def busiest_share(experts: int, ranks: int, touched: float) -> float:
    """Share of all experts, each whole on one rank, that the busiest rank reads in a step.

    ``touched`` is the share of the experts that the step's tokens choose. The number of them that
    lie on a rank scatters about its mean, and the greatest of ``ranks`` normal numbers lies 0.56
    deviations above it for two and some 0.4 more for each doubling.

    Source:
        Expected maxima of normal samples (Harter 1961); a test compares it with random draws.
    """
    held = ceil_div(experts, ranks)
    above, left = 0.56, ranks
    while left > 2:
        above += 0.4
        left //= 2
    mean = held * touched
    scatter = mean * (1 - touched)
    if scatter <= 0:
        return mean / experts
    return min(held, mean + above * power(scatter, 0.5)) / experts


def expert_read_bytes(
    shape: ModelShape,
    counts: Sequence[int],
    tp: int,
    batch: int,
    unlikeness: float,
    *,
    whole: bool = False,
) -> float:
    """Routed experts that a step of ``batch`` tokens reads on the busiest rank.

    With ``whole`` they are dealt out whole over the ranks of a tensor parallel group.
    ``unlikeness`` tells how alike the choices of tokens are (see ``read_experts``).

    Source:
        Each expert that a token of the step chooses is read once (vLLM 0.33, ``fused_moe``).
    """
    touched = read_experts(shape.experts, shape.experts_per_token, batch, unlikeness)
    part, ranks = touched * shape.expert_padding(tp), tp
    if whole and tp > 1 and shape.experts > 0:
        part, ranks = busiest_share(shape.experts, tp, touched) * shape.expert_padding(1), 1
    total = 0.0
    for count, kind in zip(counts, shape.kinds, strict=True):
        total += count * kind.weights.expert_bytes * part / ranks
    return total


def kind_read_bytes(count: int, kind: LayerKind, tp: int, context_tokens: int, bits: int) -> int:
    """Cache and state that one sequence reads, and state that it writes, in ``count`` layers.

    Source:
        The roofline of a decode step: the cache is read once; a state is read and written, 32 bits
        an element (vLLM 0.33, ``MambaSpec``).
    """
    cache = kind.cache
    per = cache.read_tokens(context_tokens) * cache.token_bytes(tp, bits)
    return count * (per + 2 * cache.state_bytes(tp, STATE_READ_BITS))


def cache_read_bytes(
    shape: ModelShape, counts: Sequence[int], tp: int, context_tokens: int, bits: int
) -> float:
    """Cache and state that one sequence reads, and state that it writes."""
    total = 0.0
    for count, kind in zip(counts, shape.kinds, strict=True):
        total += kind_read_bytes(count, kind, tp, context_tokens, bits)
    return total


def reads_whole_cache(shape: ModelShape) -> bool:
    """Whether a step must read the whole cache, and chooses nothing of it."""
    return not any(kind.cache.chooses for kind in shape.kinds)


def attention_flops(shape: ModelShape, counts: Sequence[int], tokens: int, depth: int) -> float:
    """Operations of causal attention for a prompt of ``tokens`` behind ``depth`` cached ones.

    Source:
        FlashInfer, ``flashinfer.testing.attention_flops``: two operations for each element of keys
        and of values, half of all pairs where attention is causal.
    """
    total = 0.0
    latent, reach = shape.latent.attended, depth + tokens / 2
    for count, kind in zip(counts, shape.kinds, strict=True):
        cache = kind.cache
        width = cache.prompt_width(latent)
        total += count * 2 * shape.heads * width * tokens * cache.prompt_reach(reach)
    return total


def score_count(
    shape: ModelShape, counts: Sequence[int], tokens: int, depth: int, chunk: int
) -> float:
    """Scores of attention that is not fused: each chunk against all that is cached when it ends.

    Source:
        llama.cpp ``src/llama-graph.cpp``, ``build_attn_mha``: without flash attention the scores
        are a tensor of cells, tokens and heads.
    """
    layers = sum(
        count for count, kind in zip(counts, shape.kinds, strict=True) if kind.cache.word != "state"
    )
    return layers * shape.heads * tokens * (depth + (tokens + min(tokens, chunk)) / 2)
