"""LFM2: short convolutions, and attention in some of the layers."""

from __future__ import annotations

from sitegen.models.cache_kinds import RecurrentState
from sitegen.models.families.blocks import (
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
from sitegen.models.families.interleaved import PRE_NORMS
from sitegen.models.families.layout import Body, Layer, stack
from sitegen.units import pad

WIDTH_MULTIPLE = 256
"""``block_multiple_of`` where the config does not say."""


def _short_convolution(config: Config) -> tuple[Tensors, RecurrentState]:
    """Return a gated convolution over ``L`` tokens: ``3d·d + L·d + d·d`` elements.

    It keeps the last ``L-1`` inputs of every channel and nothing else.

    Source:
        transformers 5.23.0, ``lfm2``; vLLM 0.33, ``mamba_utils.py``, ``short_conv_state_shape``.
    """
    hidden, taps = config.hidden, config.size("conv_L_cache", default=3)
    bias = config.flag("conv_bias")
    tensors = (
        tensor("lin_in", "in", 3 * hidden, hidden),
        tensor("conv", "conv", hidden, taps),
        tensor("lin_out", "out", hidden, hidden),
        *((tensor("bias", "in_bias", 3 * hidden),) if bias else ()),
        *((tensor("bias", "conv_bias", hidden),) if bias else ()),
        *((tensor("bias", "out_bias", hidden),) if bias else ()),
    )
    return tensors, RecurrentState((taps - 1) * hidden, 0, heads=hidden, groups=1)


def _full_layers(config: Config) -> tuple[bool, ...]:
    """Say which layers attend to tokens, by ``layer_types`` or ``full_attn_idxs``."""
    types = config.per_layer("layer_types")
    if types:
        return tuple(kind == "full_attention" for kind in types)
    listed = config.indices("full_attn_idxs")
    if listed is None:
        raise ConfigError("layer_types", "is missing; it says which layers attend to tokens")
    return tuple(index in listed for index in range(config.layers))


def dense_width(config: Config) -> int:
    """Return the feed-forward width that LFM2 makes of ``intermediate_size``.

    Two thirds of it, rounded up to ``block_multiple_of``, unless the config switches that off.
    """
    width = config.size("intermediate_size", "block_ff_dim")
    if not config.flag("block_auto_adjust_ff_dim", default=True):
        return width
    return pad(2 * width // 3, config.size("block_multiple_of", default=WIDTH_MULTIPLE))


def lfm2(config: Config) -> Body:
    """LFM2 and LFM2.5: a short convolution or attention, then a feed-forward block.

    Raises:
        ConfigError: If the config does not say which layers attend to tokens.
    """
    block = feed_forward(config.hidden, dense_width(config))
    return _body(config, tuple((full, block) for full in _full_layers(config)))


def lfm2_moe(config: Config) -> Body:
    """LFM2 MoE: the same with experts behind the first dense layers; a buffer corrects the router.

    Raises:
        ConfigError: If the config does not say which layers attend to tokens.
    """
    dense = feed_forward(config.hidden, config.size("intermediate_size"))
    sparse = mixture(
        config.hidden,
        config.size("num_experts"),
        config.size("moe_intermediate_size"),
        correction=config.flag("use_expert_bias", default=True),
    )
    first = config.count("num_dense_layers", default=2)
    blocks = (sparse if index >= first else dense for index in range(config.layers))
    return _body(config, tuple(zip(_full_layers(config), blocks, strict=True)))


def _body(config: Config, kinds: tuple[tuple[bool, Tensors], ...]) -> Body:
    hidden, heads = config.hidden, heads_of(config)

    def layer(kind: tuple[bool, Tensors]) -> Layer:
        full, block = kind
        if full:
            mixer = (*attention(hidden, heads), *head_norms(heads))
            return Layer((*norms(hidden, *PRE_NORMS), *mixer, *block), heads.cache())
        mixer, state = _short_convolution(config)
        return Layer((*norms(hidden, *PRE_NORMS), *mixer, *block), state)

    return Body(stack(config, kinds, layer), tied=True)
