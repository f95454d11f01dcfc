"""Families whose layers differ in heads or widths: Nemotron's pruned Llamas, Step 3.5 and 3.7."""

from __future__ import annotations

from dataclasses import replace

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
from sitegen.models.families.interleaved import PRE_NORMS
from sitegen.models.families.layout import Body, Layer, stack, windows
from sitegen.units import pad

MOST_HEADS, WIDEST = 1024, 100.0
"""Bounds of what a block may say, far beyond any published one."""

WIDTH_MULTIPLE = 256
"""Multiple to which Nemotron's feed-forward widths are rounded up."""


def nemotron_nas(config: Config) -> Body:
    """Nemotron Super and Ultra from Llama: a search removed attention or narrowed each layer.

    A block says how many query heads share a KV head and how wide its feed-forward block is, as a
    multiple of the hidden size: ``2·m·d/3``, rounded up to 256. Either part may be missing.

    Source:
        vLLM 0.33, ``nemotron_nas.py``; the published count of Llama-3.3-Nemotron-Super-49B.

    Raises:
        ConfigError: If ``block_configs`` does not describe every layer.
    """
    blocks = config.values.get("block_configs")
    if not isinstance(blocks, list):
        raise ConfigError("block_configs", "is missing; it describes each layer")
    return Body(stack(config, map(_shape, blocks), lambda shape: _pruned_layer(config, *shape)))


def _shape(block: object) -> tuple[int, float]:
    """Return a block's query heads per KV head and width factor; 0 for a part that is missing."""
    parts = block if isinstance(block, dict) else {}
    attention_part, ffn = parts.get("attention"), parts.get("ffn")
    if not isinstance(attention_part, dict) or not isinstance(ffn, dict):
        raise ConfigError("block_configs", "must give attention and ffn of each layer")
    group = 0 if attention_part.get("no_op") else attention_part.get("n_heads_in_group")
    factor = 0 if ffn.get("no_op") else ffn.get("ffn_mult")
    known = isinstance(group, int) and 0 <= group <= MOST_HEADS
    if known and isinstance(factor, int | float) and 0 <= factor <= WIDEST:
        return int(group or 0), float(factor)
    raise ConfigError("block_configs", "has a layer that is neither described nor left out")


def _pruned_layer(config: Config, group: int, factor: float) -> Layer:
    hidden, count = config.hidden, config.heads
    tensors: Tensors = ()
    heads = Heads(count, count // group if group else 0, config.head_dim, config.head_dim)
    if group:
        biases = "qkvo" if config.flag("attention_bias") else ""
        tensors += (*norms(hidden, "attn_norm"), *attention(hidden, heads, biases=biases))
    if factor:
        width = pad(int(2 * factor * hidden / 3), WIDTH_MULTIPLE)
        tensors += (*norms(hidden, "ffn_norm"), *feed_forward(hidden, width))
    return Layer(tensors, heads.cache() if group else NoCache())


def step3p5(config: Config) -> Body:
    """Step 3.5 and 3.7 Flash: three of four layers slide and have more query heads.

    ``attention_other_setting`` has the sliding layers' heads; a gate per head follows attention.

    Source:
        transformers 5.23.0, ``step3p7``; vLLM 0.33, ``step3p5.py``.
    """
    hidden, full = config.hidden, heads_of(config)
    other = config.values.get("attention_other_setting")
    local = full
    if isinstance(other, dict):
        count = Config(other, config.model_type).size("num_attention_heads", default=full.query)
        local = replace(full, query=count)
    width = config.size("moe_intermediate_size")

    def layer(kind: tuple[int, bool]) -> Layer:
        window, sparse = kind
        heads = local if window else full
        block = (
            mixture(
                hidden,
                config.size("num_experts", "moe_num_experts"),
                width,
                shared=config.size("share_expert_dim"),
                correction=True,
            )
            if sparse
            else feed_forward(hidden, config.size("intermediate_size"))
        )
        tensors = (
            *norms(hidden, *PRE_NORMS),
            *attention(hidden, heads),
            *head_norms(heads),
            tensor("router", "head_gate", heads.query, hidden),
            *block,
        )
        return Layer(tensors, heads.cache(window))

    first = config.count("first_k_dense_replace", default=0)
    kinds = ((window, i >= first) for i, window in enumerate(windows(config)))
    return Body(stack(config, kinds, layer), attention_heads=max(full.query, local.query))
