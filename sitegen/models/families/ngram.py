"""Qwen3.8-Flash-Next: residual streams, an indexer, and a table of n-grams beside the tokens'."""

from __future__ import annotations

from functools import cache
from itertools import count, islice

from sitegen.models.cache_kinds import FullAttention, RecurrentState
from sitegen.models.families.blocks import (
    Tensors,
    attention,
    head_norms,
    heads_of,
    mixture,
    norms,
    tensor,
)
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.layout import Body, Layer, stack
from sitegen.models.families.recurrent import delta_net
from sitegen.units import pad

MOST_ROWS = 1_000_000_000
"""Largest size of one n-gram table that is believed."""
MOST_HEADS = 1_024
"""Most hash functions of one layer that are believed."""


@cache
def _primes_from(start: int, length: int) -> tuple[int, ...]:
    """Return the first primes that are not below ``start``."""
    primes = (n for n in count(start) if all(n % d for d in range(2, int(n**0.5) + 1)))
    return tuple(islice(primes, length))


def _mix(config: Config, name: str, *, combine: bool) -> Tensors:
    """Return what joins the residual streams before a block and deals its result out to them."""
    streams, rank = config.size("hc_count"), config.size("hc_lowrank")
    wide = streams * config.hidden
    return (
        *norms(wide, f"{name}_norm"),
        tensor("latent", f"{name}_down", rank, wide),
        tensor("latent", f"{name}_up", wide, rank),
        *((tensor("router", f"{name}_inject", streams, wide),) if combine else ()),
    )


def _heads(config: Config) -> int:
    """Return the hash functions of one reading layer: some for each length of n-gram from 2 on."""
    return (config.size("ngram_size") - 1) * config.size("heads_per_ngram")


def _ngram_layer(config: Config) -> Tensors:
    """Return what puts the n-grams' embedding into every residual stream."""
    hidden, wide = config.hidden, config.size("hc_count") * config.hidden
    width = config.size("ple_embed_dim", default=hidden)
    return (
        tensor("latent", "ngram_key", wide, width),
        tensor("latent", "ngram_value", hidden, width),
        *norms(wide, "ngram_key_norm", "ngram_query_norm", "ngram_conv_norm"),
        tensor("conv", "ngram_conv", wide, config.size("ple_conv_kernel_size", default=4)),
        tensor("buffer", "ngram_multipliers", config.size("ngram_size")),
        tensor("buffer", "ngram_sizes_and_offsets", 2, _heads(config)),
    )


def _ngram_table(config: Config, layers: int) -> Tensors:
    """Return the tables of n-grams: a prime number of rows for each head, padded together.

    Source:
        transformers 5.23.0, ``qwen4_exp``, ``Qwen4ExpTextNGramEmbedding``.
    """
    heads = _heads(config)
    base = config.size("ngram_vocab_size_base")
    if base > MOST_ROWS:
        raise ConfigError("ngram_vocab_size_base", f"is {base}; at most {MOST_ROWS} make sense")
    if heads > MOST_HEADS:
        raise ConfigError("heads_per_ngram", f"makes {heads} heads, {MOST_HEADS} at most")
    width = config.size("ple_embed_dim", default=config.hidden) // heads
    multiple = config.size("make_ngram_vocab_size_divisible_by", default=128)
    primes = _primes_from(base, layers * heads)
    rows = (sum(primes[i * heads : (i + 1) * heads]) for i in range(layers))
    return tuple(
        tensor("layer_embed", f"ngram_table_{index}", pad(total, multiple), width)
        for index, total in enumerate(rows)
    )


def qwen4_exp(config: Config) -> Body:
    """Qwen3.8-Flash-Next: gated DeltaNet, and attention behind an indexer in every fourth layer.

    The indexer keeps one key per ``indexer_compress_ratio`` tokens. ``ple_layer_ids``, numbered
    from one, are the layers that read n-grams; they keep a convolution's inputs more.

    Source:
        transformers 5.23.0, ``qwen4_exp``; SGLang 0.5.23, ``qwen4_exp.py``, for what is stored.

    Raises:
        ConfigError: If ``layer_types`` is missing.
    """
    types = config.per_layer("layer_types")
    if not types:
        raise ConfigError("layer_types", "is missing; it says which layers are linear")
    hidden, heads = config.hidden, heads_of(config)
    reading = config.indices("ple_layer_ids") or frozenset()
    index_width = config.size("indexer_head_dim")
    index_heads = config.size("indexer_n_heads") + config.size("indexer_kv_heads", default=1)
    experts = mixture(
        hidden,
        config.size("num_experts"),
        config.size("moe_intermediate_size"),
        shared=config.size("shared_expert_intermediate_size"),
        shared_gate=True,
    )
    streams = (*_mix(config, "attn_hc", combine=True), *_mix(config, "ffn_hc", combine=True))
    full = (
        *attention(hidden, heads, gated=True),
        *head_norms(heads),
        tensor("indexer", "indexer_qk", index_heads * index_width, hidden),
        *norms(index_width, "indexer_q_norm", "indexer_k_norm"),
    )
    kept = max(1, index_width // config.size("indexer_compress_ratio", default=1))

    def layer(kind: tuple[bool, bool]) -> Layer:
        linear, ngrams = kind
        if not linear:
            cache_of = FullAttention(heads.kv, heads.key_dim, heads.value_dim, kept)
            return Layer((*streams, *full, *experts), cache_of)
        mixer, state = delta_net(config)
        if not ngrams:
            return Layer((*streams, *mixer, *experts), state)
        taps = config.size("ple_conv_kernel_size", default=4)
        more = (taps - 1) * config.size("ngram_size") * config.size("hc_count") * hidden
        wider = RecurrentState(
            state.convolution_elements + more,
            state.state_elements,
            state.heads,
            state.groups,
            state.state_bits,
        )
        return Layer((*streams, *_ngram_layer(config), *mixer, *experts), wider)

    kinds = ((t == "linear_attention", i + 1 in reading) for i, t in enumerate(types))
    outer = (
        *_mix(config, "output_hc", combine=False),
        *_ngram_table(config, len(reading)),
    )
    return Body(stack(config, kinds, layer), outer=outer)
