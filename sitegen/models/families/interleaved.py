"""Mixture families in which dense layers lead or alternate with sparse ones."""

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
from sitegen.models.families.config import Config
from sitegen.models.families.layout import Body, Layer, stack, windows

PRE_NORMS = ("attn_norm", "ffn_norm")


def routed_block(config: Config, *, sparse: bool, correction: bool = True) -> Tensors:
    """Return the feed-forward part of GLM-4.5 and DeepSeek layers, dense or with experts."""
    if not sparse:
        return feed_forward(config.hidden, config.size("intermediate_size"))
    width = config.size("moe_intermediate_size")
    shared = config.count("n_shared_experts", default=0) * width
    experts = config.size("n_routed_experts")
    return mixture(config.hidden, experts, width, shared=shared, correction=correction)


def glm4_moe(config: Config) -> Body:
    """GLM-4.5 to 4.7: leading dense layers, shared experts, biases on queries, keys and values."""
    heads, hidden = heads_of(config), config.hidden
    mixer = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkv" if config.flag("attention_bias") else ""),
        *(head_norms(heads) if config.flag("use_qk_norm") else ()),
    )

    def layer(sparse: bool) -> Layer:
        return Layer((*mixer, *routed_block(config, sparse=sparse)), heads.cache())

    first = config.count("first_k_dense_replace", default=0)
    return Body(stack(config, (i >= first for i in range(config.layers)), layer))


def hy_v3(config: Config) -> Body:
    """Hy3: norms on the heads, one dense layer, a shared expert, a correction buffer.

    Source:
        transformers 5.23.0, ``hy_v3``; vLLM 0.33, ``hy_v3.py``.
    """
    heads, hidden = heads_of(config), config.hidden
    mixer = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *head_norms(heads),
    )
    experts, width = config.size("num_experts"), config.size("moe_intermediate_size")
    shared = config.count("num_shared_experts", default=1) * width

    def layer(sparse: bool) -> Layer:
        block = (
            mixture(hidden, experts, width, shared=shared, correction=True)
            if sparse
            else feed_forward(hidden, config.size("intermediate_size"))
        )
        return Layer((*mixer, *block), heads.cache())

    first = config.count("first_k_dense_replace", default=1)
    return Body(stack(config, (i >= first for i in range(config.layers)), layer))


def deepseek_moe(config: Config) -> Body:
    """DeepSeek MoE 16B, the first: plain attention, shared experts, no correction buffer."""
    heads, hidden = heads_of(config), config.hidden
    mixer = (*norms(hidden, *PRE_NORMS), *attention(hidden, heads))

    def layer(sparse: bool) -> Layer:
        block = routed_block(config, sparse=sparse, correction=False)
        return Layer((*mixer, *block), heads.cache())

    first = config.count("first_k_dense_replace", default=0)
    return Body(stack(config, (i >= first for i in range(config.layers)), layer))


def _for_text(config: Config, key: str) -> int:
    """Return a number of which ERNIE 4.5 VL has two, for text and for images: that for text."""
    value = config.values.get(key)
    single = value[0] if isinstance(value, list) and value else value
    return Config({key: single}, config.model_type).size(key)


def ernie4_5_moe(config: Config) -> Body:
    """ERNIE 4.5 MoE: sparse between two layer numbers; its router correction is a parameter.

    ERNIE 4.5 VL has experts of their own for images, which no token of text meets; they belong to
    its vision part.

    Source:
        transformers 5.23.0, ``ernie4_5_moe`` and ``ernie4_5_vl_moe``.
    """
    heads, hidden = heads_of(config), config.hidden
    first = config.count("moe_layer_start_index", default=1)
    last = config.values.get("moe_layer_end_index")
    end = last if isinstance(last, int) and last >= 0 else config.layers - 1
    step = config.size("moe_layer_interval", default=1)
    biases = "qkvo" if config.flag("use_bias") else ""
    mixer = (*norms(hidden, *PRE_NORMS), *attention(hidden, heads, biases=biases))

    def layer(sparse: bool) -> Layer:
        if not sparse:
            block = feed_forward(hidden, config.size("intermediate_size"))
            return Layer((*mixer, *block), heads.cache())
        experts = _for_text(config, "moe_num_experts")
        width = _for_text(config, "moe_intermediate_size")
        shared = config.count("moe_num_shared_experts", default=0) * width
        correction = tensor("bias", "e_score_correction_bias", experts)
        block = (*mixture(hidden, experts, width, shared=shared), correction)
        return Layer((*mixer, *block), heads.cache())

    sparse = ((i + 1) % step == 0 and first <= i <= end for i in range(config.layers))
    return Body(stack(config, sparse, layer), tied=True)


def llama4(config: Config) -> Body:
    """Llama 4: every fourth layer attends to all tokens, the others to chunks of 8,192.

    A chunk is stored as a window of its size, as llama.cpp does; vLLM keeps whole contexts of
    chunked layers unless its hybrid cache is switched on for them. Up to 8,192 tokens both agree.
    Sparse layers are those in ``moe_layers`` or every ``interleave_moe_layer_step``-th.
    """
    heads, hidden = heads_of(config), config.hidden
    step = config.size("interleave_moe_layer_step", default=1)
    listed = config.indices("moe_layers")
    sparse_layers = listed if listed else frozenset(range(step - 1, config.layers, step))
    biases = "qkvo" if config.flag("attention_bias") else ""
    mixer = (*norms(hidden, *PRE_NORMS), *attention(hidden, heads, biases=biases))

    def layer(kind: tuple[int, bool]) -> Layer:
        window, sparse = kind
        width = config.size("intermediate_size")
        block = (
            mixture(hidden, config.size("num_local_experts"), width, shared=width)
            if sparse
            else feed_forward(hidden, config.size("intermediate_size_mlp"))
        )
        return Layer((*mixer, *block), heads.cache(window))

    spans = windows(config, every=4)
    return Body(stack(config, ((w, i in sparse_layers) for i, w in enumerate(spans)), layer))


def mimo_v2_flash(config: Config) -> Body:
    """MiMo-V2-Flash, V2.5, V2.6: sliding layers have other heads; values are narrower than keys.

    ``hybrid_layer_pattern`` holds 1 for a sliding layer, ``moe_layer_freq`` 1 for a sparse one.
    """
    hidden = config.hidden
    full = Heads(config.heads, config.kv_heads, config.head_dim, config.size("v_head_dim"))
    local = Heads(
        config.size("swa_num_attention_heads"),
        config.size("swa_num_key_value_heads"),
        config.size("swa_head_dim"),
        config.size("swa_v_head_dim"),
    )

    def layer(kind: tuple[int, bool]) -> Layer:
        window, sparse = kind
        heads = local if window else full
        reach = "swa" if window else "full"
        sinks = config.flag(f"add_{reach}_attention_sink_bias")
        tensors = (
            *norms(hidden, *PRE_NORMS),
            *attention(hidden, heads),
            *((tensor("bias", "sinks", heads.query),) if sinks else ()),
            *routed_block(config, sparse=sparse),
        )
        return Layer(tensors, heads.cache(window))

    slides = config.per_layer("hybrid_layer_pattern")
    spans = (config.size("sliding_window") if entry == "1" else 0 for entry in slides)
    sparse = (entry == "1" for entry in config.per_layer("moe_layer_freq"))
    layers = stack(config, zip(spans, sparse, strict=False), layer)
    return Body(layers, attention_heads=max(full.query, local.query))
