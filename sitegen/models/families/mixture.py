"""Mixture families whose layers all have experts (but for a list of dense ones)."""

from __future__ import annotations

from sitegen.models.families.blocks import (
    Tensors,
    attention,
    feed_forward,
    head_norms,
    heads_of,
    layer_norms,
    mixture,
    norms,
    tensor,
    wide_norms,
)
from sitegen.models.families.config import Config
from sitegen.models.families.layout import Body, Layer, stack, windows

PRE_NORMS = ("attn_norm", "ffn_norm")


def mixtral(config: Config) -> Body:
    """Mixtral: experts in every layer, nothing shared."""
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads),
        *mixture(hidden, config.size("num_local_experts"), config.size("intermediate_size")),
    )
    return Body(stack(config, windows(config), lambda width: Layer(tensors, heads.cache(width))))


def phimoe(config: Config) -> Body:
    """Phi-3.5-MoE: LayerNorm, biases on attention and on the head."""
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *layer_norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *mixture(hidden, config.size("num_local_experts"), config.size("intermediate_size")),
    )
    outer = list(layer_norms(hidden, "final_norm"))
    if config.flag("lm_head_bias"):
        outer.append(tensor("bias", "head_bias", config.size("vocab_size")))
    return Body((Layer(tensors, heads.cache()),) * config.layers, outer=tuple(outer))


def qwen2_moe(config: Config) -> Body:
    """Qwen1.5 MoE and Qwen2 MoE: biases on queries, keys and values, a gated shared expert."""
    mixer = attention(config.hidden, heads_of(config), biases="qkv")
    return _qwen(config, mixer, shared=config.size("shared_expert_intermediate_size"))


def qwen3_moe(config: Config) -> Body:
    """Qwen3 MoE: norms on the heads of queries and keys, nothing shared."""
    heads = heads_of(config)
    biases = "qkvo" if config.flag("attention_bias") else ""
    return _qwen(config, (*attention(config.hidden, heads, biases=biases), *head_norms(heads)))


def _qwen(config: Config, mixer: Tensors, *, shared: int = 0) -> Body:
    """Experts in every ``decoder_sparse_step``-th layer but those listed as dense."""
    heads, hidden = heads_of(config), config.hidden
    dense = config.indices("mlp_only_layers") or frozenset()
    step = config.size("decoder_sparse_step", default=1)
    experts, width = config.size("num_experts"), config.size("moe_intermediate_size")

    def layer(sparse: bool) -> Layer:
        block = (
            mixture(hidden, experts, width, shared=shared, shared_gate=shared > 0)
            if sparse
            else feed_forward(hidden, config.size("intermediate_size"))
        )
        return Layer((*norms(hidden, *PRE_NORMS), *mixer, *block), heads.cache())

    sparse = (i not in dense and (i + 1) % step == 0 for i in range(config.layers))
    return Body(stack(config, sparse, layer))


def gpt_oss(config: Config) -> Body:
    """gpt-oss: biases everywhere, a sink per head, every other layer slides.

    Source:
        transformers 5.23.0, ``gpt_oss``; gpt-oss-120b's config (18 of 36 layers slide over 128).
    """
    heads, hidden = heads_of(config), config.hidden
    experts, width = config.size("num_local_experts"), config.size("intermediate_size")
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo"),
        tensor("bias", "sinks", heads.query),
        *mixture(hidden, experts, width),
        tensor("bias", "router_bias", experts),
        tensor("bias", "gate_bias", width, replicas=experts),
        tensor("bias", "up_bias", width, replicas=experts),
        tensor("bias", "down_bias", hidden, replicas=experts),
    )
    widths = windows(config, every=2)
    return Body(stack(config, widths, lambda width: Layer(tensors, heads.cache(width))))


def minimax_m2(config: Config) -> Body:
    """MiniMax-M2: q and k norms over all heads, a correction buffer beside the router."""
    heads, hidden = heads_of(config), config.hidden
    experts, width = config.size("num_local_experts"), config.size("intermediate_size")
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads),
        *wide_norms(heads),
        *mixture(hidden, experts, width, correction=True),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers)


def mellum(config: Config) -> Body:
    """Mellum 2: Qwen3 MoE's layers, of which those typed so slide.

    Source:
        transformers 5.23.0, ``mellum``.
    """
    heads, hidden = heads_of(config), config.hidden
    biases = "qkvo" if config.flag("attention_bias") else ""
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases=biases),
        *head_norms(heads),
        *mixture(hidden, config.size("num_experts"), config.size("moe_intermediate_size")),
    )
    spans = windows(config) if config.per_layer("layer_types") else (0,) * config.layers
    return Body(stack(config, spans, lambda width: Layer(tensors, heads.cache(width))))


def hunyuan_v1_moe(config: Config) -> Body:
    """Hunyuan A13B: norms on the heads, one shared expert as wide as a routed one.

    Source:
        transformers 5.23.0, ``hunyuan_v1_moe``.
    """
    heads, hidden = heads_of(config), config.hidden
    width = config.size("intermediate_size")
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *head_norms(heads),
        *mixture(hidden, config.size("num_experts"), width, shared=width),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers)


def olmoe(config: Config) -> Body:
    """OLMoE: q and k norms over all heads, experts in every layer.

    Source:
        transformers 5.23.0, ``olmoe``.
    """
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *wide_norms(heads),
        *mixture(hidden, config.size("num_experts"), config.size("intermediate_size")),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers)


def granitemoe(config: Config) -> Body:
    """Granite 3 MoE: Llama's attention, experts in every layer; the head is tied.

    Source:
        transformers 5.23.0, ``granitemoe``.
    """
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *mixture(hidden, config.size("num_local_experts"), config.size("intermediate_size")),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers, tied=True)
