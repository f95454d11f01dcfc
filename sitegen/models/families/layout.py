"""Puts layers together: embedding and head around them, and the shapes that memory reads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from sitegen.models.architecture import Architecture, Tensor
from sitegen.models.cache_kinds import FullAttention, LayerCache, SlidingAttention
from sitegen.models.families.blocks import Tensors, norms, tensor
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.names import refused_keys
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: its tensors (their layer number still open) and what it remembers."""

    tensors: Tensors
    cache: LayerCache


@dataclass(frozen=True, slots=True)
class Body:
    """The result of a family function.

    Attributes:
        layers: One per layer; layers of a kind are the same object.
        tied: Whether head and embedding are one where ``tie_word_embeddings`` is not given.
        outer: Tensors outside layers beside embedding and head.
        embedding_rows: Rows of the embedding where they are not the vocabulary.
        attention_heads: Most query heads of a layer, where not ``num_attention_heads``.
    """

    layers: tuple[Layer, ...]
    tied: bool = False
    outer: Tensors | None = None
    embedding_rows: int = 0
    attention_heads: int = 0


Family = Callable[[Config], Body]
Kind = TypeVar("Kind", bound=Hashable)


def windows(config: Config, *, every: int = 0) -> tuple[int, ...]:
    """Return each layer's attention window in tokens, 0 for full attention.

    ``layer_types`` decides where given; otherwise every ``sliding_window_pattern``-th layer (or
    every ``every``-th, the family's default) is full; without either all layers slide.

    Raises:
        ConfigError: If layers slide and the config does not say how far.
    """
    types = config.per_layer("layer_types")
    if types:
        slides = tuple(kind != "full_attention" for kind in types)
        width = config.size("sliding_window", "attention_chunk_size") if any(slides) else 0
        return tuple(width if slide else 0 for slide in slides)
    keys = ("sliding_window", "attention_chunk_size")
    width = config.size(*keys) if every else config.count(*keys, default=0)
    step = config.values.get("sliding_window_pattern") or config.values.get(
        "_sliding_window_pattern"
    )
    if isinstance(step, str):
        return tuple(width if step[i % len(step)] == "L" else 0 for i in range(config.layers))
    period = step if isinstance(step, int) and not isinstance(step, bool) else every
    return tuple(0 if period and (i + 1) % period == 0 else width for i in range(config.layers))


def stack(
    config: Config, kinds: Iterable[Kind], make: Callable[[Kind], Layer]
) -> tuple[Layer, ...]:
    """Build each distinct kind of layer once and repeat it in the order given.

    Raises:
        ConfigError: If the order does not cover every layer.
    """
    order = tuple(kinds)
    built = {kind: make(kind) for kind in dict.fromkeys(order)}
    if len(order) != config.layers:
        raise ConfigError("num_hidden_layers", f"is {config.layers}, {len(order)} are described")
    return tuple(built[kind] for kind in order)


def assemble(config: Config, body: Body, known_as: tuple[str, ...]) -> Architecture:
    """Number the layers' tensors, add embedding, head and final norm, and read off the shapes.

    Raises:
        ConfigError: If a size that every family needs is missing.
    """
    tied = config.flag("tie_word_embeddings", default=body.tied)
    tensors = _inventory(config, body, tied=tied)
    widths = _widths(body.layers)
    return Architecture(
        family=config.model_type,
        hidden_size=config.hidden,
        vocabulary=config.vocabulary,
        layers=len(body.layers),
        attention_heads=body.attention_heads or config.heads,
        kv_heads=_kv_heads(body.layers),
        head_dim=_head_dim(config, body.layers),
        feed_forward_sizes=tuple(sorted({*widths["ffn_up"], *widths["shexp_up"]}, reverse=True)),
        expert_size=max(widths["exp_up"], default=0),
        shared_size=max(widths["shexp_up"], default=0),
        experts=max((t.copies for t in tensors if t.group == "exp_up"), default=0),
        experts_per_token=_experts_per_token(config, widths),
        low_rank=_low_rank(config),
        tied_embeddings=tied,
        tensors=tensors,
        caches=tuple(layer.cache for layer in body.layers),
        max_position=config.positions,
        rotary_positions=config.positions * config.linear_scaling,
        known_as=known_as,
        special_keys=refused_keys(config.values),
    )


def _inventory(config: Config, body: Body, *, tied: bool) -> Tensors:
    """Put embedding, head and final norm before the layers' tensors, which get their numbers."""
    vocabulary, hidden = config.vocabulary, config.hidden
    outer = [tensor("embed", "embedding", body.embedding_rows or vocabulary, hidden)]
    if not tied:
        outer.append(tensor("head", "head", vocabulary, hidden))
    outer += norms(hidden, "final_norm") if body.outer is None else body.outer
    inner = (
        Tensor(index, row.group, row.name, row.rows, row.columns, row.copies)
        for index, layer in enumerate(body.layers)
        for row in layer.tensors
    )
    return (*(Tensor(-1, t.group, t.name, t.rows, t.columns) for t in outer), *inner)


def _distinct(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    return tuple({id(layer): layer for layer in layers}.values())


def _widths(layers: tuple[Layer, ...]) -> Mapping[str, frozenset[int]]:
    """Collect the rows of every ``up`` projection by group."""
    found: dict[str, set[int]] = {"ffn_up": set(), "shexp_up": set(), "exp_up": set()}
    for layer in _distinct(layers):
        for row in layer.tensors:
            if row.group in found:
                found[row.group].add(row.rows)
    return {group: frozenset(rows) for group, rows in found.items()}


def _kv_heads(layers: tuple[Layer, ...]) -> int:
    caches = [layer.cache for layer in _distinct(layers)]
    counts = [c.kv_heads for c in caches if isinstance(c, (FullAttention, SlidingAttention))]
    return max(counts, default=1)


def _head_dim(config: Config, layers: tuple[Layer, ...]) -> int:
    caches = [layer.cache for layer in _distinct(layers)]
    dims = [c.key_dim for c in caches if isinstance(c, (FullAttention, SlidingAttention))]
    if dims:
        return max(dims)
    nope, rope, _, _ = _low_rank(config)
    return nope + rope or config.head_dim


def _experts_per_token(config: Config, widths: Mapping[str, frozenset[int]]) -> int:
    if not widths["exp_up"]:
        return 0
    return config.size(
        "num_experts_per_tok",
        "num_experts_per_token",
        "experts_per_token",
        "top_k_experts",
        "moe_top_k",
        "moe_topk",
        "moe_k",
    )


def _low_rank(config: Config) -> tuple[int, int, int, int]:
    """Return ``(nope, rope, value, rank)`` of latent attention, zeros for any other."""
    rank = config.count("kv_lora_rank", default=0)
    if not rank:
        return (0, 0, 0, 0)
    nope, value = config.size("qk_nope_head_dim"), config.size("v_head_dim")
    return (nope, config.count("qk_rope_head_dim"), value, rank)
