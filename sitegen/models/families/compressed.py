"""Families that thin out what attention reads: DeepSeek-V4 compresses, MiniMax-M3 picks blocks."""

from __future__ import annotations

from sitegen.models.cache_kinds import CompressedAttention, FullAttention
from sitegen.models.families.blocks import (
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
from sitegen.models.families.layout import Body, Layer, stack

OVERLAPPING = 4
"""The compression ratio at which windows overlap and an indexer picks vectors (CSA)."""


def hyper_connection(config: Config, name: str) -> Tensors:
    """Return the mixing of ``n`` residual streams around one block: ``(n² + 2n)(n·d + 1) + 3``."""
    streams = config.size("hc_mult")
    width = streams * streams + 2 * streams
    return (
        tensor("router", f"{name}_fn", width, streams * config.hidden),
        tensor("bias", f"{name}_base", width),
        tensor("bias", f"{name}_scale", 3),
    )


def _compressor(config: Config, name: str, ratio: int, width: int) -> Tensors:
    """Return what sums ``ratio`` tokens up into a vector: keys, gates, positions and a norm."""
    wide = 2 * width if ratio == OVERLAPPING else width
    return (
        tensor("latent", f"{name}_kv", wide, config.hidden),
        tensor("latent", f"{name}_gate", wide, config.hidden),
        tensor("bias", f"{name}_position", ratio, wide),
        *norms(width, f"{name}_norm"),
    )


def shared_key_attention(config: Config) -> Tensors:
    """Return attention with one key and value for all heads and an output in groups."""
    hidden, heads, width = config.hidden, config.heads, config.head_dim
    rank, groups = config.size("q_lora_rank"), config.size("o_groups")
    inner = groups * config.size("o_lora_rank")
    return (
        tensor("attn_q_a", "q_a", rank, hidden),
        *norms(rank, "q_a_norm"),
        tensor("attn_q_b", "q_b", heads * width, rank),
        tensor("attn_kv_a", "kv", width, hidden),
        *norms(width, "kv_norm"),
        tensor("attn_o", "o_a", inner, heads * width // groups),
        tensor("attn_o", "o_b", hidden, inner),
        tensor("bias", "sinks", heads),
    )


def _sparse_attention(config: Config, ratio: int) -> Tensors:
    hidden, rank = config.hidden, config.size("q_lora_rank")
    tensors = shared_key_attention(config)
    if ratio:
        tensors += _compressor(config, "compressor", ratio, config.head_dim)
    if ratio == OVERLAPPING:
        index_heads, index_width = config.size("index_n_heads"), config.size("index_head_dim")
        tensors += (
            *_compressor(config, "indexer", ratio, index_width),
            tensor("indexer", "indexer_q", index_heads * index_width, rank),
            tensor("indexer", "indexer_weights", index_heads, hidden),
        )
    return tensors


def ratios(config: Config) -> tuple[int, ...]:
    """Return each layer's compression ratio; the list may go on for prediction layers."""
    listed = config.values.get("compress_ratios")
    if not isinstance(listed, list) or len(listed) < config.layers:
        raise ConfigError("compress_ratios", f"must have an entry for all {config.layers} layers")
    found = tuple(entry for entry in listed[: config.layers] if type(entry) is int and entry >= 0)
    if len(found) != config.layers:
        raise ConfigError("compress_ratios", "must be whole numbers")
    return found


def deepseek_v4(config: Config) -> Body:
    """DeepSeek-V4: one shared key and value of 512, a window of 128 and compressed vectors.

    Layers with ratio 4 keep a vector per four tokens and pick among them by an indexer, those with
    128 read all of few vectors, those with 0 have the window alone. The first layers route by a
    table of token numbers, the others by a router with a correction buffer.

    Source:
        transformers 5.23.0, ``deepseek_v4``; vLLM 0.33 for what is stored.
    """
    hidden, width = config.hidden, config.head_dim
    hashed = config.count("num_hash_layers", default=0)
    rope, window = config.size("qk_rope_head_dim"), config.size("sliding_window")
    index_width = config.size("index_head_dim")
    expert = config.size("moe_intermediate_size")

    def layer(kind: tuple[int, bool]) -> Layer:
        ratio, routed = kind
        tensors = (
            *norms(hidden, *PRE_NORMS),
            *_sparse_attention(config, ratio),
            *hyper_connection(config, "attn_hc"),
            *hyper_connection(config, "ffn_hc"),
            *mixture(
                hidden,
                config.size("n_routed_experts"),
                expert,
                shared=config.count("n_shared_experts", default=0) * expert,
                correction=routed,
            ),
        )
        indexed = index_width if ratio == OVERLAPPING else 0
        return Layer(tensors, CompressedAttention(width, rope, window, ratio, indexed))

    streams = config.size("hc_mult")
    outer = (
        *norms(hidden, "final_norm"),
        tensor("router", "hc_head_fn", streams, streams * hidden),
        tensor("bias", "hc_head_base", streams),
        tensor("bias", "hc_head_scale", 1),
    )
    kinds = ((ratio, index >= hashed) for index, ratio in enumerate(ratios(config)))
    return Body(stack(config, kinds, layer), outer=outer)


def minimax_m3(config: Config) -> Body:
    """MiniMax-M3: sparse layers pick blocks of the cache by an indexer with one key per token.

    Source:
        transformers 5.23.0, ``minimax_m3_vl``; vLLM 0.33 keeps the indexer's keys beside the rest.

    Raises:
        ConfigError: If ``sparse_attention_config`` or ``moe_layer_freq`` is missing.
    """
    hidden, heads = config.hidden, heads_of(config)
    sparse = config.values.get("sparse_attention_config")
    if not isinstance(sparse, dict):
        raise ConfigError("sparse_attention_config", "is missing; it describes the indexer")
    inner = Config(sparse, config.model_type)
    width, index_heads = inner.size("sparse_index_dim"), inner.size("sparse_num_index_heads")
    indexer: Tensors = (
        tensor("indexer", "indexer_q", index_heads * width, hidden),
        tensor("indexer", "indexer_k", width, hidden),
        *norms(width, "indexer_q_norm", "indexer_k_norm"),
    )
    mixer = (*norms(hidden, *PRE_NORMS), *attention(hidden, heads), *head_norms(heads))
    experts = mixture(
        hidden,
        config.size("num_local_experts"),
        config.size("intermediate_size"),
        shared=config.size("shared_intermediate_size") * config.size("n_shared_experts"),
        correction=True,
    )

    def layer(kind: tuple[bool, bool]) -> Layer:
        routed, indexed = kind
        block = experts if routed else feed_forward(hidden, config.size("dense_intermediate_size"))
        cache = FullAttention(heads.kv, heads.key_dim, heads.value_dim, width if indexed else 0)
        return Layer((*mixer, *(indexer if indexed else ()), *block), cache)

    routed = [entry == "1" for entry in config.per_layer("moe_layer_freq")]
    listed = sparse.get("sparse_attention_freq")
    indexed = [entry == 1 for entry in listed] if isinstance(listed, list) else []
    return Body(stack(config, zip(routed, indexed, strict=False), layer))
