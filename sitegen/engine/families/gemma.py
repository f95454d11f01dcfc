"""Gemma families: embedding tied, four norms per layer from Gemma 2 on, local and global layers."""

from __future__ import annotations

from sitegen.engine.families.blocks import (
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
from sitegen.engine.families.config import Config, ConfigError
from sitegen.engine.families.layout import Body, Layer, stack, windows

FOUR_NORMS = ("attn_norm", "post_attn_norm", "ffn_norm", "post_ffn_norm")


def gemma(config: Config) -> Body:
    """Gemma 1: two norms, every layer attends to all tokens."""
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, "attn_norm", "ffn_norm"),
        *attention(hidden, heads),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers, tied=True)


def gemma2(config: Config) -> Body:
    """Gemma 2: every other layer slides."""
    return _gemma(config, every=2, head_norm=False)


def gemma3(config: Config) -> Body:
    """Gemma 3: five of six layers slide, norms on the heads of queries and keys.

    Source:
        Gemma-3-27B's config: 10 global and 52 local layers with a window of 1,024.
    """
    return _gemma(config, every=6, head_norm=True)


def _gemma(config: Config, *, every: int, head_norm: bool) -> Body:
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, *FOUR_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *(head_norms(heads) if head_norm else ()),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    widths = windows(config, every=every)
    layers = stack(config, widths, lambda width: Layer(tensors, heads.cache(width)))
    return Body(layers, tied=True)


def gemma4(config: Config) -> Body:
    """Gemma 4: global layers have heads of their own and may use the keys as values.

    Values are normed before they are cached, so a layer without a value matrix caches both. Each
    layer has one scalar that is a buffer, and in mixture models a dense block beside the experts.

    Raises:
        ConfigError: For E2B and E4B, whose per-layer embeddings and shared caches are not covered.
    """
    for key in ("hidden_size_per_layer_input", "num_kv_shared_layers"):
        if config.count(key, default=0):
            raise ConfigError(key, "is not covered yet (the per-layer embeddings of E2B and E4B)")
    hidden, local = config.hidden, heads_of(config)
    keys_as_values = config.flag("attention_k_eq_v")
    global_kv = config.size("num_global_key_value_heads", default=local.kv)
    global_dim = config.size("global_head_dim", default=local.key_dim)
    kv = global_kv if keys_as_values else local.kv
    full = Heads(local.query, kv, global_dim, global_dim)
    blocks = (
        *norms(hidden, *FOUR_NORMS),
        tensor("buffer", "layer_scalar", 1),
        *feed_forward(hidden, config.size("intermediate_size")),
        *(_experts(config) if config.flag("enable_moe_block") else ()),
    )

    def layer(width: int) -> Layer:
        heads = local if width else full
        value = bool(width) or not keys_as_values
        tensors = (*attention(hidden, heads, value=value), *head_norms(heads), *blocks)
        return Layer(tensors, heads.cache(width))

    return Body(stack(config, windows(config, every=6), layer), tied=True)


def _experts(config: Config) -> Tensors:
    hidden, experts = config.hidden, config.size("num_experts")
    return (
        *norms(hidden, "ffn_norm_2", "post_ffn_norm_1", "post_ffn_norm_2", "router_scale"),
        *norms(experts, "expert_scale"),
        *mixture(hidden, experts, config.size("moe_intermediate_size")),
    )
