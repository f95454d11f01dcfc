"""DeepSeek-V4.1: layers that share a compressed cache, and tables of n-grams in two of them."""

from __future__ import annotations

from sitegen.models.cache_kinds import CompressedAttention
from sitegen.models.families.blocks import Tensors, mixture, norms, tensor
from sitegen.models.families.compressed import hyper_connection, ratios, shared_key_attention
from sitegen.models.families.config import Config, ConfigError
from sitegen.models.families.interleaved import PRE_NORMS
from sitegen.models.families.layout import Body, Layer, stack

MOST_ROWS = 1_000_000_000
"""Rows of one table that are believed."""


def _sources(config: Config, key: str) -> frozenset[int]:
    found = config.indices(key)
    if found is None:
        raise ConfigError(key, "is missing; it says which layers others share with")
    return found


def _tables(config: Config) -> tuple[int, ...]:
    """Return the rows of each table of n-grams, in the order of ``engram_layer_ids``."""
    listed = config.values.get("engram_num_embeddings")
    rows = listed if isinstance(listed, list) else []
    known = tuple(row for row in rows if type(row) is int and 0 < row <= MOST_ROWS)
    if len(known) != len(_sources(config, "engram_layer_ids")):
        raise ConfigError("engram_num_embeddings", "must give the rows of each reading layer")
    return known


def _reader(config: Config) -> Tensors:
    """Return what a layer adds of the rows that its n-grams point to.

    The rows of all lengths and hash functions, side by side, become one key for each residual
    stream and one value.
    """
    hidden, streams = config.hidden, config.size("hc_mult")
    heads = (config.size("engram_max_ngram_size") - 1) * config.size("engram_n_heads")
    wide = heads * config.size("engram_head_dim")
    return (
        tensor("latent", "engram_kv", hidden * (streams + 1), wide),
        *norms(streams * hidden, "engram_q_weight", "engram_k_weight"),
    )


def _compressor(config: Config, ratio: int) -> Tensors:
    """Return what makes one vector of ``ratio`` tokens, and the indexer's key of it."""
    index_width, width = config.size("index_head_dim"), config.head_dim
    names = ("compressor_kv", "compressor_gate") if ratio > 1 else ("compressor_kv",)
    return (
        *(tensor("latent", name, width, config.hidden) for name in names),
        *norms(width, "compressor_norm"),
        tensor("indexer", "indexer_k", index_width, width),
        *norms(index_width, "indexer_k_norm"),
    )


def _indexer(config: Config) -> Tensors:
    """Return what chooses the kept vectors that a token reads."""
    heads, width = config.size("index_n_heads"), config.size("index_head_dim")
    return (
        tensor("indexer", "indexer_q", heads * width, config.size("q_lora_rank")),
        tensor("indexer", "indexer_weights", heads, config.hidden),
    )


def deepseek_v41(config: Config) -> Body:
    """DeepSeek-V4.1: few layers compress keys and values, those behind them read what they keep.

    ``kv_source_layer_ids`` compress (two tokens to a vector, or one) and hold the keys of the
    indexer, ``index_source_layer_ids`` run it. Every layer has a window of its own. Two corrections
    stand beside the router, for text and for images. The prediction layers are not counted.

    Source:
        transformers at 0a2080b4, ``deepseek_v41``; the list of the checkpoint's 96,085 tensors, by
        public reports of their headers.
    """
    hidden, width = config.hidden, config.head_dim
    rope, window = config.size("qk_rope_head_dim"), config.size("sliding_window")
    index_width = config.size("index_head_dim")
    compressing = _sources(config, "kv_source_layer_ids")
    choosing = _sources(config, "index_source_layer_ids")
    reading = _sources(config, "engram_layer_ids")
    expert, experts = config.size("moe_intermediate_size"), config.size("n_routed_experts")

    def layer(kind: tuple[int, bool, bool, bool]) -> Layer:
        ratio, source, chooses, reads = kind
        tensors = (
            *norms(hidden, *PRE_NORMS),
            *shared_key_attention(config),
            *(_compressor(config, ratio) if source else ()),
            *(_indexer(config) if chooses else ()),
            *(_reader(config) if reads else ()),
            *hyper_connection(config, "attn_hc"),
            *hyper_connection(config, "ffn_hc"),
            *mixture(
                hidden,
                experts,
                expert,
                shared=config.count("n_shared_experts", default=0) * expert,
                correction=True,
            ),
            tensor("buffer", "image_correction_bias", experts),
        )
        if not source:
            return Layer(tensors, CompressedAttention(width, rope, window, 0))
        return Layer(tensors, CompressedAttention(width, rope, window, ratio, index_width))

    kinds = (
        (ratio if i in compressing else 0, i in compressing, i in choosing, i in reading)
        for i, ratio in enumerate(ratios(config))
    )
    outer = (
        *norms(hidden, "final_norm"),
        *(
            tensor("layer_embed", f"engram_table_{index}", rows, config.size("engram_head_dim"))
            for index, rows in enumerate(_tables(config))
        ),
    )
    return Body(stack(config, kinds, layer), outer=outer)
