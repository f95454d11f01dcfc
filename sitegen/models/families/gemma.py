"""Gemma families: embedding tied, four norms per layer from Gemma 2 on, local and global layers."""

from __future__ import annotations

from sitegen.models.cache_kinds import NoCache
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
from sitegen.models.families.layout import Body, Layer, stack, windows

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
    In E2B and E4B each token has an embedding per layer beside the common one, and the last
    ``num_kv_shared_layers`` read another layer's cache: they have neither keys nor values.

    Source:
        transformers 5.23.0, ``gemma4``.

    Raises:
        ConfigError: If no layer is left that has a cache of its own.
    """
    shared = config.count("num_kv_shared_layers", default=0)
    if shared >= config.layers:
        raise ConfigError("num_kv_shared_layers", f"is {shared} of {config.layers} layers")
    own = config.layers - shared

    def layer(kind: tuple[int, bool]) -> Layer:
        return _gemma4_layer(config, *kind)

    spans = windows(config, every=6)
    layers = stack(config, ((window, index < own) for index, window in enumerate(spans)), layer)
    return Body(layers, tied=True, outer=_layer_embeddings(config))


def _gemma4_layer(config: Config, window: int, own: bool) -> Layer:
    """Build a layer; ``own`` says that it has a cache, and shared ones may be twice as wide."""
    hidden, local = config.hidden, heads_of(config)
    keys_as_values = config.flag("attention_k_eq_v")
    global_kv = config.size("num_global_key_value_heads", default=local.kv)
    global_dim = config.size("global_head_dim", default=local.key_dim)
    kv = global_kv if keys_as_values else local.kv
    heads = local if window else Heads(local.query, kv, global_dim, global_dim)
    value = bool(window) or not keys_as_values
    mixer: Tensors = (*attention(hidden, heads, value=value), *head_norms(heads))
    if not own:
        mixer = tuple(row for row in mixer if row.name not in {"k", "v", "k_norm"})
    wide = config.flag("use_double_wide_mlp") and not own
    embedded = config.count("hidden_size_per_layer_input", default=0)
    tensors = (
        *mixer,
        *norms(hidden, *FOUR_NORMS),
        tensor("buffer", "layer_scalar", 1),
        *feed_forward(hidden, config.size("intermediate_size") * (2 if wide else 1)),
        *(_experts(config) if config.flag("enable_moe_block") else ()),
    )
    if embedded:
        tensors += (
            tensor("latent", "inp_gate", embedded, hidden),
            tensor("latent", "proj", hidden, embedded),
            *norms(hidden, "post_layer_input_norm"),
        )
    return Layer(tensors, heads.cache(window) if own else NoCache())


def _layer_embeddings(config: Config) -> Tensors | None:
    """Return E2B's and E4B's table of an embedding per layer, with what projects into it."""
    width = config.count("hidden_size_per_layer_input", default=0)
    if not width:
        return None
    rows = config.size("vocab_size_per_layer_input", default=config.vocabulary)
    return (
        *norms(config.hidden, "final_norm"),
        tensor("layer_embed", "layer_embedding", rows, config.layers * width),
        tensor("layer_embed_proj", "layer_projection", config.layers * width, config.hidden),
        *norms(width, "layer_projection_norm"),
    )


def _experts(config: Config) -> Tensors:
    hidden, experts = config.hidden, config.size("num_experts")
    return (
        *norms(hidden, "ffn_norm_2", "post_ffn_norm_1", "post_ffn_norm_2", "router_scale"),
        *norms(experts, "expert_scale"),
        *mixture(hidden, experts, config.size("moe_intermediate_size")),
    )
