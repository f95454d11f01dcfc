"""A model as tensors and caches: what its config says, before any quantization."""

from __future__ import annotations

from enum import StrEnum

from sitegen.models.cache_kinds import LayerCache
from sitegen.values import dataclass


class Shard(StrEnum):
    """The way in which tensor parallelism splits a tensor."""

    SPLIT = "split"
    """Cut over all ranks: queries, outputs, feed-forward, embedding, head."""
    KV = "kv"
    """Cut by KV head, replicated once ranks outnumber KV heads."""
    REPLICATED = "replicated"
    """Whole on every rank: norms, router, low-rank projections, small biases."""
    EXPERT = "expert"
    """Routed experts: cut like SPLIT, or dealt out whole under expert parallelism."""


SHARD_OF_GROUP = {
    "embed": Shard.SPLIT, "head": Shard.SPLIT, "vision": Shard.SPLIT,
    "layer_embed": Shard.SPLIT, "layer_embed_proj": Shard.REPLICATED,
    "norm": Shard.REPLICATED, "bias": Shard.REPLICATED, "buffer": Shard.REPLICATED,
    "router": Shard.REPLICATED, "latent": Shard.REPLICATED, "conv": Shard.SPLIT,
    "attn_q": Shard.SPLIT, "attn_k": Shard.KV, "attn_v": Shard.KV, "attn_o": Shard.SPLIT,
    "attn_q_a": Shard.REPLICATED, "attn_q_b": Shard.SPLIT, "attn_kv_a": Shard.REPLICATED,
    "attn_kv_b": Shard.SPLIT, "indexer": Shard.REPLICATED,
    "ffn_gate": Shard.SPLIT, "ffn_up": Shard.SPLIT, "ffn_down": Shard.SPLIT,
    "shexp_gate": Shard.SPLIT, "shexp_up": Shard.SPLIT, "shexp_down": Shard.SPLIT,
    "exp_gate": Shard.EXPERT, "exp_up": Shard.EXPERT, "exp_down": Shard.EXPERT,
    "lin_in": Shard.SPLIT, "lin_ba": Shard.SPLIT, "lin_out": Shard.SPLIT,
}  # fmt: skip
"""Every tensor group a family may use, with its place under tensor parallelism (vLLM 0.33)."""

SHARED_GROUPS = frozenset({"shexp_gate", "shexp_up", "shexp_down"})
"""Experts that every token goes through."""

NOT_LINEAR = frozenset({
    "embed", "head", "vision", "norm", "bias", "buffer", "router", "conv",
    "layer_embed", "layer_embed_proj",
})  # fmt: skip
"""Groups that recipes leave at 16 bits unless they name them."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One row of the inventory: ``copies`` matrices of ``rows`` (out) by ``columns`` (in).

    ``layer`` is -1 for embedding, head, final norm and vision tower. Vectors have one column.
    """

    layer: int
    group: str
    name: str
    rows: int
    columns: int = 1
    copies: int = 1

    @property
    def elements(self) -> int:
        """How many numbers it holds."""
        return self.rows * self.columns * self.copies

    @property
    def shard(self) -> Shard:
        """Its place under tensor parallelism."""
        return SHARD_OF_GROUP[self.group]


@dataclass(frozen=True, slots=True, eq=False)
class Architecture:
    """Everything that memory needs to know of a config; compared by identity, for it is large.

    Attributes:
        family: The config's text ``model_type``.
        attention_heads: Query heads; the largest count where layers differ.
        kv_heads: KV heads; the largest count where layers differ; 1 for latent attention.
        feed_forward_sizes: Distinct dense and shared feed-forward widths, largest first.
        expert_size: Width of one routed expert, 0 for dense models.
        shared_size: Total width of the shared experts, 0 for none.
        low_rank: ``(nope, rope, value)`` head dims and KV rank of latent attention, or zeros.
        tied_embeddings: The head reuses the embedding table.
        tensors: The inventory, in layer order.
        caches: One per layer.
        max_position: Longest position in the config, in tokens.
        rotary_positions: Rows of the table of sines and cosines; linear scaling lengthens it.
        known_as: Names under which runtimes look it up: classes, last its outer ``model_type``.
        special_keys: Keys of the config that a runtime may refuse although it knows the class.
    """

    family: str
    hidden_size: int
    vocabulary: int
    layers: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    feed_forward_sizes: tuple[int, ...]
    expert_size: int
    shared_size: int
    experts: int
    experts_per_token: int
    low_rank: tuple[int, int, int, int]
    tied_embeddings: bool
    tensors: tuple[Tensor, ...]
    caches: tuple[LayerCache, ...]
    max_position: int
    rotary_positions: int
    known_as: tuple[str, ...]
    special_keys: tuple[str, ...]


def parameters(architecture: Architecture, *, buffers: bool = False) -> int:
    """Count the parameters; with ``buffers`` also those that a checkpoint stores beside them."""
    return sum(t.elements for t in architecture.tensors if buffers or t.group != "buffer")


def active_parameters(architecture: Architecture) -> int:
    """Count the parameters that one token multiplies with.

    All but the embedding lookup and the experts that are not chosen; the head's product is
    counted even where it is tied to the embedding.

    Source:
        Compared with the model cards of gpt-oss (5.13 B, 3.61 B) and DeepSeek-V3 (37 B with the
        embedding).
    """
    total = 0
    for tensor in architecture.tensors:
        if tensor.group in {"buffer", "embed", "layer_embed"}:
            continue
        chosen = min(architecture.experts_per_token, tensor.copies)
        routed = tensor.shard is Shard.EXPERT or tensor.copies > 1
        total += tensor.rows * tensor.columns * (chosen if routed else tensor.copies)
    if architecture.tied_embeddings:
        total += architecture.vocabulary * architecture.hidden_size
    return total
