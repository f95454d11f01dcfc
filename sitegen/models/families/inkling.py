"""Inkling: relative positions instead of rotary ones, and short convolutions around each block."""

from __future__ import annotations

from sitegen.models.families.blocks import (
    Heads,
    Tensors,
    attention,
    feed_forward,
    head_norms,
    mixture,
    norms,
    tensor,
)
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.interleaved import PRE_NORMS
from sitegen.models.families.layout import Body, Layer, stack


def _mixer(config: Config, heads: Heads, extent: int) -> Tensors:
    """Return attention with its bias by distance, up to ``extent`` tokens, and its convolutions."""
    hidden, taps = config.hidden, config.size("sconv_kernel_size", default=4)
    width = config.size("d_rel")
    return (
        *attention(hidden, heads),
        *head_norms(heads),
        tensor("router", "relative", heads.query * width, hidden),
        tensor("bias", "relative_logits", width, extent),
        tensor("conv", "k_conv", heads.kv * heads.key_dim, taps),
        tensor("conv", "v_conv", heads.kv * heads.value_dim, taps),
        tensor("conv", "attn_conv", hidden, taps),
        tensor("conv", "ffn_conv", hidden, taps),
    )


def inkling(config: Config) -> Body:
    """Inkling and Inkling-Small: five of six layers slide, with KV heads of their own.

    ``intermediate_size`` is a routed expert's width; the first ``dense_mlp_idx`` layers are dense
    and ``dense_intermediate_size`` wide. The router scores the shared experts too. What the
    convolutions keep (three tokens of their inputs, 12 MiB a sequence in Inkling) is not counted.

    Source:
        transformers 5.23.0, ``inkling``; the published counts of both models.

    Raises:
        ConfigError: If ``local_layer_ids`` is missing.
    """
    local = config.indices("local_layer_ids")
    if local is None:
        raise ConfigError("local_layer_ids", "is missing; it says which layers slide")
    hidden, window = config.hidden, config.size("sliding_window_size")
    wide = Heads(config.heads, config.kv_heads, config.head_dim, config.head_dim)
    head = config.size("swa_head_dim")
    near = Heads(
        config.size("swa_num_attention_heads"), config.size("swa_num_key_value_heads"), head, head
    )
    mixers = {
        True: _mixer(config, near, window),
        False: _mixer(config, wide, config.size("rel_extent")),
    }
    width, shared = config.size("intermediate_size"), config.size("n_shared_experts")
    sparse: Tensors = (
        *mixture(
            hidden,
            config.size("n_routed_experts"),
            width,
            shared=shared * width,
            correction=True,
        ),
        tensor("router", "shared_scores", shared, hidden),
    )
    dense = feed_forward(hidden, config.size("dense_intermediate_size"))

    def layer(kind: tuple[bool, bool]) -> Layer:
        slides, routed = kind
        tensors = (
            *norms(hidden, *PRE_NORMS),
            *mixers[slides],
            *(sparse if routed else dense),
            tensor("bias", "global_scale", 1),
        )
        heads = near if slides else wide
        return Layer(tensors, heads.cache(window if slides else 0))

    first = config.count("dense_mlp_idx", default=0)
    kinds = ((i in local, i >= first) for i in range(config.layers))
    outer = norms(hidden, "embed_norm", "final_norm")
    return Body(
        stack(config, kinds, layer), outer=outer, attention_heads=max(wide.query, near.query)
    )
