"""Kimi Linear, Kimi K3, GLM-5.3-Flash, Ling: linear attention with a state, latent between."""

from __future__ import annotations

from sitegen.models.cache_kinds import LatentAttention, LayerCache, RecurrentState
from sitegen.models.families.blocks import Tensors, feed_forward, mixture, norms, tensor
from sitegen.models.families.compressed import hyper_connection
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.interleaved import PRE_NORMS, routed_block
from sitegen.models.families.latent import indexer, latent_attention, rotary_width
from sitegen.models.families.layout import Body, Layer, stack


def _delta_attention(config: Config, linear: Config) -> tuple[Tensors, RecurrentState]:
    """Return KDA's tensors and state: a decay per channel where gated DeltaNet has one per head.

    With ``W = nh·dh``: queries, keys and values ``3W·d``, decay ``dh·d + W·dh``, beta ``nh·d``, an
    output gate of full rank (``W·d``, Kimi K3) or of rank ``dh``, a convolution over ``3W`` and the
    output ``d·W``. The recurrence is kept with 32 bits.

    Source:
        transformers 5.23.0, ``kimi_linear``; vLLM 0.33, ``kimi_k3/nvidia/kda.py``.
    """
    hidden, heads = config.hidden, linear.size("num_heads")
    width, taps = linear.size("head_dim"), linear.size("short_conv_kernel_size")
    inner = heads * width
    gate: Tensors = (
        (tensor("lin_in", "g", inner, hidden),)
        if linear.flag("use_full_rank_gate")
        else (tensor("latent", "g_a", width, hidden), tensor("lin_in", "g_b", inner, width))
    )
    tensors = (
        *(tensor("lin_in", name, inner, hidden) for name in ("q", "k", "v")),
        tensor("conv", "conv", 3 * inner, taps),
        tensor("latent", "f_a", width, hidden),
        tensor("lin_in", "f_b", inner, width),
        tensor("bias", "dt_bias", inner),
        tensor("bias", "a_log", heads),
        tensor("lin_ba", "b", heads, hidden),
        *gate,
        *norms(width, "state_norm"),
        tensor("lin_out", "out", hidden, inner),
    )
    state = RecurrentState((taps - 1) * 3 * inner, inner * width, heads, heads, state_bits=32)
    return tensors, state


def kimi_linear(config: Config) -> Body:
    """Kimi Linear 48B and the text part of Kimi K3.

    ``linear_attn_config`` numbers the layers from one. K3 adds an output gate to latent attention,
    a narrower width for routed experts with a norm behind it, and residuals over blocks of layers.

    Raises:
        ConfigError: If ``linear_attn_config`` does not number every layer.
    """
    described = config.values.get("linear_attn_config")
    if not isinstance(described, dict):
        raise ConfigError("linear_attn_config", "is missing; it says which layers are linear")
    linear = Config(described, config.model_type)
    full = linear.indices("full_attn_layers") or frozenset()
    delta = linear.indices("kda_layers") or frozenset()
    if full | delta != frozenset(range(1, config.layers + 1)):
        raise ConfigError("linear_attn_config", "must number every layer once, from 1 on")
    mixers: dict[bool, tuple[Tensors, LayerCache]] = {
        False: _delta_attention(config, linear),
        True: (
            (*latent_attention(config), *_output_gate(config)),
            LatentAttention(config.size("kv_lora_rank"), config.size("qk_rope_head_dim")),
        ),
    }
    residual = "attn_res_block_size" in config.values
    first = config.count("first_k_dense_replace", default=0)

    def layer(kind: tuple[bool, bool]) -> Layer:
        is_full, sparse = kind
        mixer, cache = mixers[is_full]
        tensors = (
            *norms(config.hidden, *PRE_NORMS),
            *mixer,
            *(_block_residuals(config, "attn_res", "ffn_res") if residual else ()),
            *_block(config, sparse=sparse),
        )
        return Layer(tensors, cache)

    kinds = (((i + 1) in full, i >= first) for i in range(config.layers))
    outer = (
        *norms(config.hidden, "final_norm"),
        *(_block_residuals(config, "output_res") if residual else ()),
    )
    return Body(stack(config, kinds, layer), outer=outer)


def glm5_next(config: Config) -> Body:
    """GLM-5.3-Flash: delta attention, latent attention with an indexer in every fourth layer.

    The indexer reads one key per ``index_kpool`` tokens; hyper-connections join the blocks.

    Source:
        transformers 5.23.0, ``glm5_next``; vLLM 0.33 for what is stored.

    Raises:
        ConfigError: If ``linear_attn_config`` or ``layer_types`` is missing.
    """
    described = config.values.get("linear_attn_config")
    if not isinstance(described, dict):
        raise ConfigError("linear_attn_config", "is missing; it has the widths of linear layers")
    types = config.per_layer("layer_types")
    if not types:
        raise ConfigError("layer_types", "is missing; it says which layers are linear")
    hidden, width = config.hidden, config.size("index_head_dim")
    pool = config.size("index_kpool", default=1)
    pooled = (
        tensor("bias", "indexer_position", pool, width),
        tensor("indexer", "indexer_gate", width, hidden),
    )
    cache = LatentAttention(
        config.size("kv_lora_rank"), rotary_width(config), max(1, width // pool)
    )
    mixers: dict[bool, tuple[Tensors, LayerCache]] = {
        False: _delta_attention(config, Config(described, config.model_type)),
        True: ((*latent_attention(config), *indexer(config), *pooled), cache),
    }
    first = config.count("first_k_dense_replace", default=0)

    def layer(kind: tuple[bool, bool]) -> Layer:
        mixer, kept = mixers[kind[0]]
        tensors = (
            *norms(hidden, *PRE_NORMS),
            *mixer,
            *hyper_connection(config, "attn_hc"),
            *hyper_connection(config, "ffn_hc"),
            *routed_block(config, sparse=kind[1]),
        )
        return Layer(tensors, kept)

    kinds = ((t != "linear_attention", i >= first) for i, t in enumerate(types))
    return Body(stack(config, kinds, layer))


LIGHTNING = "BailingMoeV2_5ForCausalLM"
"""The class of Ling and Ring 2.5 and 2.6, whose ``model_type`` is that of Ling 3."""


def _lightning_attention(config: Config) -> tuple[Tensors, RecurrentState]:
    """Return lightning attention's tensors and state: a fixed decay per head, no convolution.

    With ``W = nh·dh``: queries, keys, values and an output gate ``4W·d``, a norm over ``W`` and two
    over heads, the output ``d·W``. The state, ``nh·dh²``, is as wide as the model computes.

    Source:
        vLLM 0.33, ``bailing_moe_linear.py`` and ``mamba/linear/bailing_linear_attn.py``.
    """
    hidden, heads, width = config.hidden, config.heads, config.size("head_dim")
    inner = heads * width
    tensors = (
        *(tensor("lin_in", name, inner, hidden) for name in ("q", "k", "v", "g")),
        *norms(inner, "state_norm"),
        *norms(width, "q_norm", "k_norm"),
        tensor("lin_out", "out", hidden, inner),
    )
    return tensors, RecurrentState(0, inner * width, heads, heads)


def bailing_hybrid(config: Config) -> Body:
    """Ling and Ring from 2.5 on: linear attention, and latent attention in every n-th layer.

    Version 3 has delta attention, its decay and output gate of full rank and its recurrence kept
    with 32 bits, and a gate per head on latent attention; 2.5 and 2.6 have lightning attention.

    Source:
        transformers 5.23.0, ``bailing_hybrid``; vLLM 0.33, ``bailing_moe_v3.py`` and
        ``bailing_moe_linear.py``.
    """
    named = config.values.get("architectures")
    lightning = isinstance(named, list) and LIGHTNING in named
    cache = LatentAttention(config.size("kv_lora_rank"), rotary_width(config))
    gate = () if lightning else (tensor("router", "head_gate", config.heads, config.hidden),)
    mixers: dict[bool, tuple[Tensors, LayerCache]] = {
        False: _lightning_attention(config) if lightning else _full_rank_delta(config),
        True: ((*latent_attention(config), *gate), cache),
    }
    expert = config.size("moe_intermediate_size")
    experts = mixture(
        config.hidden,
        config.size("num_experts"),
        expert,
        shared=config.count("num_shared_experts", default=1) * expert,
        correction=True,
    )

    def layer(kind: tuple[bool, bool]) -> Layer:
        full, sparse = kind
        mixer, kept = mixers[full]
        block = experts if sparse else feed_forward(config.hidden, config.size("intermediate_size"))
        return Layer((*norms(config.hidden, *PRE_NORMS), *mixer, *block), kept)

    group = config.size("layer_group_size")
    first = config.count("first_k_dense_replace", default=0)
    kinds = (((i + 1) % group == 0, i >= first) for i in range(config.layers))
    return Body(stack(config, kinds, layer))


def _full_rank_delta(config: Config) -> tuple[Tensors, RecurrentState]:
    """Return delta attention whose decay and output gate are of full rank."""
    hidden, heads = config.hidden, config.heads
    width, taps = config.size("head_dim"), config.size("short_conv_kernel_size", default=4)
    inner = heads * width
    tensors = (
        *(tensor("lin_in", name, inner, hidden) for name in ("q", "k", "v", "f", "g")),
        tensor("conv", "conv", 3 * inner, taps),
        tensor("bias", "dt_bias", inner),
        tensor("bias", "a_log", heads),
        tensor("lin_ba", "b", heads, hidden),
        *norms(width, "state_norm"),
        tensor("lin_out", "out", hidden, inner),
    )
    state = RecurrentState((taps - 1) * 3 * inner, inner * width, heads, heads, state_bits=32)
    return tensors, state


def _output_gate(config: Config) -> Tensors:
    if not config.flag("mla_use_output_gate"):
        return ()
    return (
        tensor("attn_q", "output_gate", config.heads * config.size("v_head_dim"), config.hidden),
    )


def _block_residuals(config: Config, *names: str) -> Tensors:
    return tuple(
        row
        for name in names
        for row in (*norms(config.hidden, f"{name}_norm"), tensor("router", name, 1, config.hidden))
    )


def _block(config: Config, *, sparse: bool) -> Tensors:
    if not sparse:
        return feed_forward(config.hidden, config.size("intermediate_size"))
    width = config.size("moe_intermediate_size")
    latent = config.count("routed_expert_hidden_size", default=0)
    return (
        *mixture(
            config.hidden,
            config.size("num_experts"),
            width,
            shared=config.count("num_shared_experts", default=0) * width,
            correction=True,
            latent=latent,
        ),
        *(norms(latent, "latent_norm") if config.flag("latent_moe_use_norm") else ()),
    )
