"""Dense families: every layer is grouped-query attention and one feed-forward block."""

from __future__ import annotations

from sitegen.models.cache_kinds import NoCache
from sitegen.models.families.blocks import (
    attention,
    feed_forward,
    head_norms,
    heads_of,
    layer_norms,
    norms,
    tensor,
    wide_norms,
)
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.layout import Body, Layer, stack, windows

PRE_NORMS = ("attn_norm", "ffn_norm")
POST_NORMS = ("post_attn_norm", "post_ffn_norm")


def _dense(
    config: Config,
    widths: tuple[int, ...],
    *,
    biases: str = "",
    head_norm: bool = False,
    tied: bool = False,
) -> Body:
    """Build the layout most families share: two norms, attention, gated feed-forward."""
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases=biases),
        *(head_norms(heads) if head_norm else ()),
        *feed_forward(hidden, config.size("intermediate_size"), bias=config.flag("mlp_bias")),
    )
    layers = stack(config, widths, lambda width: Layer(tensors, heads.cache(width)))
    return Body(layers, tied=tied)


def _full(config: Config) -> tuple[int, ...]:
    return (0,) * config.layers


def llama(config: Config) -> Body:
    """Llama, Granite, SmolLM3 (tied by default there), InternLM2, openPangu: all is attended to.

    openPangu calls the biases ``bias``, as vLLM 0.33 reads them for all of these.
    """
    biased = config.flag("attention_bias") or config.flag("bias")
    biases = "qkvo" if biased else ""
    return _dense(config, _full(config), biases=biases, tied=config.model_type == "smollm3")


def mistral(config: Config) -> Body:
    """Mistral and Ministral: ``sliding_window`` is null (full attention) except in 7B v0.1."""
    return _dense(config, windows(config))


def phi3(config: Config) -> Body:
    """Phi-3, Phi-3.5 and Phi-4.

    The ``sliding_window`` of the config is ignored: vLLM 0.33 and llama.cpp both keep every token.
    """
    return _dense(config, _full(config))


def qwen2(config: Config) -> Body:
    """Qwen2, Qwen2.5, their vision models and MiMo 7B: biases on queries, keys and values.

    Layers from ``max_window_layers`` on slide, but only where ``use_sliding_window`` says so.
    """
    widths = _full(config)
    if config.flag("use_sliding_window"):
        width = config.size("sliding_window")
        first = config.count("max_window_layers", default=0)
        widths = tuple(width if layer >= first else 0 for layer in range(config.layers))
    return _dense(config, widths, biases="qkv")


def qwen(config: Config) -> Body:
    """Qwen 1: Qwen2's layers; ``intermediate_size`` counts gate and up projection together.

    Source:
        vLLM 0.9, ``qwen.py``; the published count of Qwen-72B.

    Raises:
        ConfigError: If that width cannot be halved.
    """
    both = config.size("intermediate_size")
    if both % 2:
        raise ConfigError("intermediate_size", f"is {both}; it holds two widths and must be even")
    halved = Config({**config.values, "intermediate_size": both // 2}, config.model_type)
    return _dense(halved, _full(config), biases="qkv")


def qwen3(config: Config) -> Body:
    """Qwen3, Qwen3-VL and Hunyuan 0.5B to 7B: norms on the heads of queries and keys.

    Source:
        transformers 5.23.0, ``hunyuan_v1_dense``.
    """
    biases = "qkvo" if config.flag("attention_bias") else ""
    return _dense(config, _full(config), biases=biases, head_norm=True)


def apertus(config: Config) -> Body:
    """Apertus: norms on the heads, a feed-forward block without gate whose xIELU has two weights.

    Source:
        transformers 5.23.0, ``apertus``.
    """
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *head_norms(heads),
        *feed_forward(hidden, config.size("intermediate_size"), gated=False),
        tensor("bias", "xielu", 2),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers)


def seed_oss(config: Config) -> Body:
    """Seed-OSS: input and output biases of attention are switched apart."""
    biases = "qkv" if config.flag("attention_bias", default=True) else ""
    biases += "o" if config.flag("attention_out_bias") else ""
    return _dense(config, _full(config), biases=biases)


def olmo(config: Config) -> Body:
    """OLMo 2 and 3: norms after the blocks, q and k norms over all heads; OLMo 3 slides 3 of 4."""
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *wide_norms(heads),
        *norms(hidden, *POST_NORMS),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    widths = windows(config, every=4) if config.model_type == "olmo3" else _full(config)
    return Body(stack(config, widths, lambda width: Layer(tensors, heads.cache(width))))


def exaone4(config: Config) -> Body:
    """EXAONE 4: norms after the blocks and on the heads; three of four layers slide, if any."""
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *attention(hidden, heads),
        *head_norms(heads),
        *norms(hidden, *POST_NORMS),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    widths = windows(config, every=4) if config.values.get("sliding_window") else _full(config)
    return Body(stack(config, widths, lambda width: Layer(tensors, heads.cache(width))))


def cohere(config: Config) -> Body:
    """Command R, Command A and Aya: one norm feeds attention and feed-forward in parallel.

    Command R+ (``use_qk_norm``) has a norm with a weight per head of queries and keys; Cohere 2
    slides three of four layers. The head is tied unless the config says otherwise.
    """
    heads, hidden = heads_of(config), config.hidden
    tensors = (
        *norms(hidden, "attn_norm"),
        *attention(hidden, heads, biases="qkvo" if config.flag("attention_bias") else ""),
        *(wide_norms(heads) if config.flag("use_qk_norm") else ()),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    widths = windows(config, every=4) if config.model_type == "cohere2" else _full(config)
    layers = stack(config, widths, lambda width: Layer(tensors, heads.cache(width)))
    return Body(layers, tied=True)


def starcoder2(config: Config) -> Body:
    """StarCoder2: LayerNorm, a feed-forward block without gate, biases everywhere."""
    heads, hidden = heads_of(config), config.hidden
    bias = config.flag("use_bias", default=True)
    tensors = (
        *layer_norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkvo" if bias else ""),
        *feed_forward(hidden, config.size("intermediate_size"), gated=False, bias=bias),
    )
    layers = stack(config, windows(config), lambda width: Layer(tensors, heads.cache(width)))
    return Body(layers, tied=True, outer=layer_norms(hidden, "final_norm"))


def mllama(config: Config) -> Body:
    """Llama 3.2 Vision: some layers attend to the image only and cache no text.

    The embedding has eight rows more than the vocabulary, for image tokens. The image's own keys
    and values are not counted, as in every other vision model here.

    Raises:
        ConfigError: If ``cross_attention_layers`` is missing.
    """
    crossing = config.indices("cross_attention_layers")
    if crossing is None:
        raise ConfigError("cross_attention_layers", "is missing; it lists the layers on images")
    heads, hidden = heads_of(config), config.hidden
    shared = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    gates = (tensor("bias", "attn_gate", 1), tensor("bias", "ffn_gate", 1))
    text = Layer(shared, heads.cache())
    image = Layer((*shared, *head_norms(heads), *gates), NoCache())
    layers = tuple(image if index in crossing else text for index in range(config.layers))
    return Body(layers, embedding_rows=config.size("vocab_size") + 8)
