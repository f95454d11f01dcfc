"""Families from before layouts settled, from GPT-2 and GPT-NeoX to ChatGLM, GLM-4 and MiniCPM3."""

from __future__ import annotations

from sitegen.models.cache_kinds import FullAttention
from sitegen.models.families.blocks import (
    Heads,
    attention,
    feed_forward,
    heads_of,
    layer_norms,
    norms,
    tensor,
)
from sitegen.models.families.config import Config
from sitegen.models.families.latent import latent_attention
from sitegen.models.families.layout import Body, Layer

PRE_NORMS = ("attn_norm", "ffn_norm")


def falcon(config: Config) -> Body:
    """Falcon 7B and 40B: attention and feed-forward in parallel, no gate, head tied.

    The 7B has one KV head and one norm; ``new_decoder_architecture`` has two norms.

    Source:
        transformers 5.23.0, ``falcon``; published counts of both.
    """
    hidden = config.hidden
    new = config.flag("new_decoder_architecture")
    one = config.flag("multi_query", default=True) and not new
    kv = 1 if one else config.size("num_kv_heads", default=config.heads)
    heads = Heads(config.heads, kv, config.head_dim, config.head_dim)
    bias = config.flag("bias")
    tensors = (
        *layer_norms(hidden, *(PRE_NORMS if new else ("attn_norm",))),
        *attention(hidden, heads, biases="qkvo" if bias else ""),
        *feed_forward(
            hidden, config.size("ffn_hidden_size", default=4 * hidden), gated=False, bias=bias
        ),
    )
    layers = (Layer(tensors, heads.cache()),) * config.layers
    return Body(layers, tied=True, outer=layer_norms(hidden, "final_norm"))


def phi(config: Config) -> Body:
    """Phi-1.5 and Phi-2: one LayerNorm, biases everywhere, the head's too, no gate.

    Source:
        transformers 5.23.0, ``phi``; the published count of Phi-2.
    """
    hidden, heads = config.hidden, heads_of(config)
    width = config.size("intermediate_size", default=4 * hidden)
    tensors = (
        *layer_norms(hidden, "attn_norm"),
        *attention(hidden, heads, biases="qkvo"),
        *feed_forward(hidden, width, gated=False, bias=True),
    )
    head_bias = tensor("bias", "head_bias", config.size("vocab_size"))
    outer = (*layer_norms(hidden, "final_norm"), head_bias)
    return Body((Layer(tensors, heads.cache()),) * config.layers, outer=outer)


def chatglm(config: Config) -> Body:
    """ChatGLM3 and GLM-4 9B: few KV heads, biases on queries, keys and values.

    Source:
        The models' own ``modeling_chatglm.py``; vLLM 0.33, ``chatglm.py``.
    """
    hidden, width = config.hidden, config.size("kv_channels")
    groups = config.size("multi_query_group_num", default=config.heads)
    kv = groups if config.flag("multi_query_attention") else config.heads
    heads = Heads(config.heads, kv, width, width)
    biased = config.flag("add_qkv_bias") or config.flag("add_bias_linear")
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *attention(hidden, heads, biases="qkv" if biased else ""),
        *feed_forward(hidden, config.size("ffn_hidden_size")),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers)


def glm4(config: Config) -> Body:
    """GLM-4-0414 and GLM-Z1: four norms per layer, biases on queries, keys and values.

    Source:
        transformers 5.23.0, ``glm4``.
    """
    hidden, heads = config.hidden, heads_of(config)
    tensors = (
        *norms(hidden, *PRE_NORMS, "post_attn_norm", "post_ffn_norm"),
        *attention(hidden, heads, biases="qkv" if config.flag("attention_bias") else ""),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    return Body((Layer(tensors, heads.cache()),) * config.layers)


def minicpm3(config: Config) -> Body:
    """MiniCPM3: latent projections whose cache is unfolded to keys and values of every head.

    Source:
        transformers 5.23.0, ``minicpm3``; llama.cpp stores keys of 96 and values of 64.
    """
    hidden = config.hidden
    key = config.size("qk_nope_head_dim") + config.size("qk_rope_head_dim")
    tensors = (
        *norms(hidden, *PRE_NORMS),
        *latent_attention(config),
        *feed_forward(hidden, config.size("intermediate_size")),
    )
    cache = FullAttention(config.heads, key, config.size("v_head_dim"))
    return Body((Layer(tensors, cache),) * config.layers, tied=True)


ABSOLUTE_NORMS = ("attn_norm", "ffn_norm")


def gpt2(config: Config) -> Body:
    """GPT-2: a table of positions, LayerNorm, biases everywhere, head tied.

    Source:
        transformers 5.23.0, ``gpt2``.
    """
    hidden, heads = config.hidden, heads_of(config)
    width = config.size("n_inner", default=4 * hidden)
    tensors = (
        *layer_norms(hidden, *ABSOLUTE_NORMS),
        *attention(hidden, heads, biases="qkvo"),
        *feed_forward(hidden, width, gated=False, bias=True),
    )
    table = tensor("bias", "position_embedding", config.positions, hidden)
    outer = (*layer_norms(hidden, "final_norm"), table)
    return Body((Layer(tensors, heads.cache()),) * config.layers, tied=True, outer=outer)


def gpt_neox(config: Config) -> Body:
    """GPT-NeoX and Pythia: rotary positions, LayerNorm, biases everywhere but in the head.

    Source:
        transformers 5.23.0, ``gpt_neox``.
    """
    hidden, heads = config.hidden, heads_of(config)
    tensors = (
        *layer_norms(hidden, *ABSOLUTE_NORMS),
        *attention(
            hidden, heads, biases="qkvo" if config.flag("attention_bias", default=True) else ""
        ),
        *feed_forward(hidden, config.size("intermediate_size"), gated=False, bias=True),
    )
    outer = layer_norms(hidden, "final_norm")
    return Body((Layer(tensors, heads.cache()),) * config.layers, outer=outer)
