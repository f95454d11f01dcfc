"""Families that gate what attention returns: Laguna, Trinity, Muse Glimmer."""

from __future__ import annotations

from sitegen.models.families.blocks import (
    Heads,
    Tensors,
    attention,
    feed_forward,
    head_norms,
    heads_of,
    mixture,
    norms,
    tensor,
)
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.gemma import FOUR_NORMS
from sitegen.models.families.interleaved import PRE_NORMS
from sitegen.models.families.layout import Body, Layer, stack, windows


def element_gate(hidden: int, heads: Heads) -> Tensors:
    """Return a gate with one value per element of every head: ``H·dv x d``."""
    return (tensor("attn_q", "output_gate", heads.query * heads.value_dim, hidden),)


def _query_heads(config: Config) -> tuple[int, ...]:
    """Return each layer's query heads; the same everywhere where no list is given."""
    listed = config.values.get("num_attention_heads_per_layer")
    if listed is None:
        return (config.heads,) * config.layers
    if not isinstance(listed, list) or len(listed) != config.layers:
        message = f"must have one entry for each of the {config.layers} layers"
        raise ConfigError("num_attention_heads_per_layer", message)
    counts = tuple(entry for entry in listed if type(entry) is int and entry >= config.kv_heads)
    if len(counts) != config.layers:
        message = f"must be whole numbers of at least {config.kv_heads}"
        raise ConfigError("num_attention_heads_per_layer", message)
    return counts


def laguna(config: Config) -> Body:
    """Laguna: a softplus gate per head or per element, more query heads where layers slide.

    The router's correction is a parameter. The first layer is dense unless ``mlp_layer_types``
    says otherwise.

    Source:
        transformers 5.23.0, ``laguna``; vLLM 0.33, ``laguna.py``.
    """
    hidden, counts = config.hidden, _query_heads(config)
    per_head = config.values.get("gating", True) in (True, "per-head")
    experts = config.size("num_experts")

    def layer(kind: tuple[int, int, bool]) -> Layer:
        window, query, sparse = kind
        heads = Heads(query, config.kv_heads, config.head_dim, config.head_dim)
        block = (
            (
                *mixture(
                    hidden,
                    experts,
                    config.size("moe_intermediate_size"),
                    shared=config.size("shared_expert_intermediate_size"),
                ),
                tensor("bias", "e_score_correction_bias", experts),
            )
            if sparse
            else feed_forward(hidden, config.size("intermediate_size"))
        )
        gate = (tensor("router", "head_gate", query, hidden),)
        tensors = (
            *norms(hidden, *PRE_NORMS),
            *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
            *head_norms(heads),
            *(gate if per_head else element_gate(hidden, heads)),
            *block,
        )
        return Layer(tensors, heads.cache(window))

    sparse = _sparse_layers(config, 1)
    kinds = zip(_spans(config), counts, sparse, strict=True)
    return Body(stack(config, kinds, layer), attention_heads=max(counts))


def afmoe(config: Config) -> Body:
    """Trinity (AFMoE): a gate per element, four norms, three of four layers slide.

    Source:
        transformers 5.23.0, ``afmoe``; vLLM 0.33, ``afmoe.py``.
    """
    hidden, heads = config.hidden, heads_of(config)
    mixer = (
        *norms(hidden, *FOUR_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *head_norms(heads),
        *element_gate(hidden, heads),
    )

    def layer(kind: tuple[int, bool]) -> Layer:
        window, sparse = kind
        if not sparse:
            block = feed_forward(hidden, config.size("intermediate_size"))
            return Layer((*mixer, *block), heads.cache(window))
        experts, width = config.size("num_experts"), config.size("moe_intermediate_size")
        shared = config.count("num_shared_experts", default=0) * width
        correction = tensor("bias", "expert_bias", experts)
        block = (*mixture(hidden, experts, width, shared=shared), correction)
        return Layer((*mixer, *block), heads.cache(window))

    spans = windows(config, every=config.size("global_attn_every_n_layers", default=4))
    sparse = _sparse_layers(config, config.count("num_dense_layers", default=1))
    return Body(stack(config, zip(spans, sparse, strict=True), layer))


def muse_glimmer(config: Config) -> Body:
    """Muse Glimmer: a gate per element, four norms; the norms on heads have no weights.

    Source:
        transformers 5.23.0, ``muse_glimmer``; vLLM 0.33, ``muse_glimmer.py``.
    """
    hidden, heads = config.hidden, heads_of(config)
    tensors = (
        *norms(hidden, *FOUR_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *element_gate(hidden, heads),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    return Body(stack(config, _spans(config), lambda width: Layer(tensors, heads.cache(width))))


def _spans(config: Config) -> tuple[int, ...]:
    """Return each layer's window; without ``layer_types`` every layer attends to all tokens."""
    return windows(config) if config.per_layer("layer_types") else (0,) * config.layers


def _sparse_layers(config: Config, dense: int) -> tuple[bool, ...]:
    """Say which layers have experts: those typed so, else all but the first ``dense``."""
    types = config.per_layer("mlp_layer_types")
    return tuple(kind == "sparse" for kind in types) or tuple(
        index >= dense for index in range(config.layers)
    )
