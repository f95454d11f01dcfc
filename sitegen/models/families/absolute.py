"""Families of 2019 to 2023 that run in many tests: GPT-2, Pythia and GPT-NeoX."""

from __future__ import annotations

from sitegen.models.families.blocks import attention, feed_forward, heads_of, layer_norms, tensor
from sitegen.models.families.config import Config
from sitegen.models.families.layout import Body, Layer

PRE_NORMS = ("attn_norm", "ffn_norm")


def gpt2(config: Config) -> Body:
    """GPT-2: a table of positions, LayerNorm, biases everywhere, head tied.

    Source:
        transformers 5.23.0, ``gpt2``.
    """
    hidden, heads = config.hidden, heads_of(config)
    width = config.size("n_inner", default=4 * hidden)
    tensors = (
        *layer_norms(hidden, *PRE_NORMS),
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
        *layer_norms(hidden, *PRE_NORMS),
        *attention(
            hidden, heads, biases="qkvo" if config.flag("attention_bias", default=True) else ""
        ),
        *feed_forward(hidden, config.size("intermediate_size"), gated=False, bias=True),
    )
    outer = layer_norms(hidden, "final_norm")
    return Body((Layer(tensors, heads.cache()),) * config.layers, outer=outer)
