"""Hybrid families: most layers keep a state of fixed size, some attend to every token."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.models.cache_kinds import NoCache
from sitegen.models.families.blocks import (
    attention,
    feed_forward,
    head_norms,
    heads_of,
    mixture,
    norms,
)
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.layout import Body, Layer, stack
from sitegen.models.families.recurrent import Mamba2, delta_net, mamba1, state_bits

PRE_NORMS = ("attn_norm", "ffn_norm")


def qwen3_next(config: Config) -> Body:
    """Qwen3-Next and Qwen3.5: gated DeltaNet, and gated attention in every fourth layer."""
    hidden, heads = config.hidden, heads_of(config)
    biases = "qkvo" if config.flag("attention_bias") else ""
    block = (
        feed_forward(hidden, config.size("intermediate_size"))
        if config.model_type == "qwen3_5_text"
        else mixture(
            hidden,
            config.size("num_experts"),
            config.size("moe_intermediate_size"),
            shared=config.size("shared_expert_intermediate_size"),
            shared_gate=True,
        )
    )

    def layer(full: bool) -> Layer:
        if full:
            mixer = (*attention(hidden, heads, biases=biases, gated=True), *head_norms(heads))
            return Layer((*norms(hidden, *PRE_NORMS), *mixer, *block), heads.cache())
        mixer, state = delta_net(config)
        return Layer((*norms(hidden, *PRE_NORMS), *mixer, *block), state)

    types = config.per_layer("layer_types")
    step = config.size("full_attention_interval", default=4)
    full = [kind == "full_attention" for kind in types] or [
        (i + 1) % step == 0 for i in range(config.layers)
    ]
    return Body(stack(config, full, layer))


BLOCK_LETTERS: Mapping[str, str] = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}
"""Words of ``layers_block_type`` as letters of ``hybrid_override_pattern``."""


def nemotron_h(config: Config) -> Body:
    """Nemotron-H and Nemotron 3: one block per layer, Mamba-2, attention, feed-forward or experts.

    The feed-forward has no gate (relu²). Only attention and Mamba-2 layers remember anything.

    Raises:
        ConfigError: If no pattern is given or a letter of it is unknown.
    """
    words = config.per_layer("hybrid_override_pattern", "layers_block_type")
    if not words:
        raise ConfigError("hybrid_override_pattern", "is missing; it says what each layer is")
    letters = [BLOCK_LETTERS.get(word, word) for word in words]
    built = {letter: _nemotron_layer(config, letter) for letter in sorted(set(letters))}
    return Body(tuple(built[letter] for letter in letters))


def _nemotron_layer(config: Config, letter: str) -> Layer:
    hidden, norm = config.hidden, norms(config.hidden, "norm")
    if letter == "M":
        mamba = Mamba2(
            config.size("mamba_num_heads"),
            config.size("mamba_head_dim"),
            config.size("n_groups"),
            config.size("ssm_state_size"),
            config.size("conv_kernel"),
            config.flag("use_conv_bias", default=True),
            state_bits(config),
        )
        return Layer((*norm, *mamba.tensors(hidden)), mamba.cache())
    if letter == "*":
        heads = heads_of(config)
        return Layer((*norm, *attention(hidden, heads)), heads.cache())
    if letter == "-":
        block = feed_forward(hidden, config.size("intermediate_size"), gated=False)
        return Layer((*norm, *block), NoCache())
    if letter == "E":
        shared = config.count("moe_shared_expert_intermediate_size", default=0)
        block = mixture(
            hidden,
            config.size("n_routed_experts"),
            config.size("moe_intermediate_size"),
            shared=shared * config.count("n_shared_experts", default=1),
            gated=False,
            correction=True,
            latent=config.count("moe_latent_size", default=0),
        )
        return Layer((*norm, *block), NoCache())
    raise ConfigError("hybrid_override_pattern", f"has {letter!r}; known are M, *, - and E")


def granitemoehybrid(config: Config) -> Body:
    """Granite 4 hybrid: Mamba-2 or attention, then experts (if any) beside a shared block.

    Raises:
        ConfigError: If ``layer_types`` is missing.
    """
    hidden, heads = config.hidden, heads_of(config)
    mamba = Mamba2(
        config.size("mamba_n_heads"),
        config.size("mamba_d_head"),
        config.size("mamba_n_groups"),
        config.size("mamba_d_state"),
        config.size("mamba_d_conv"),
        config.flag("mamba_conv_bias", default=True),
        state_bits(config),
    )
    shared = config.size("shared_intermediate_size")
    experts = config.count("num_local_experts", default=0)
    block = (
        mixture(hidden, experts, config.size("intermediate_size"), shared=shared)
        if experts
        else feed_forward(hidden, shared)
    )

    def layer(full: bool) -> Layer:
        mixer = attention(hidden, heads) if full else mamba.tensors(hidden)
        cache = heads.cache() if full else mamba.cache()
        return Layer((*norms(hidden, *PRE_NORMS), *mixer, *block), cache)

    types = config.per_layer("layer_types")
    if not types:
        raise ConfigError("layer_types", "is missing; it says which layers are mamba")
    return Body(stack(config, (kind == "attention" for kind in types), layer), tied=True)


def jamba(config: Config) -> Body:
    """Jamba: Mamba-1 with attention in one layer per period, experts in every other layer."""
    hidden, heads = config.hidden, heads_of(config)

    def layer(kind: tuple[bool, bool]) -> Layer:
        full, sparse = kind
        width = config.size("intermediate_size")
        mixer, cache = (attention(hidden, heads), heads.cache()) if full else mamba1(config)
        block = (
            mixture(hidden, config.size("num_experts"), width)
            if sparse
            else feed_forward(hidden, width)
        )
        return Layer((*norms(hidden, *PRE_NORMS), *mixer, *block), cache)

    periods = config.size("attn_layer_period"), config.size("expert_layer_period")
    offsets = config.count("attn_layer_offset"), config.count("expert_layer_offset")
    kinds = (
        (i % periods[0] == offsets[0], i % periods[1] == offsets[1]) for i in range(config.layers)
    )
    return Body(stack(config, kinds, layer))
