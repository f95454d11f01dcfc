"""Families with multi-head latent attention (MLA): DeepSeek, Kimi K2, GLM-5, LongCat."""

from __future__ import annotations

from sitegen.models.cache_kinds import LatentAttention
from sitegen.models.families.blocks import Tensors, feed_forward, mixture, norms, tensor
from sitegen.models.families.config import Config
from sitegen.models.families.interleaved import routed_block
from sitegen.models.families.layout import Body, Layer, stack


def rotary_width(config: Config) -> int:
    """Return the rotated part of a head; 0 where the config says that nothing is rotated.

    Raises:
        ConfigError: If the config does not say.
    """
    return config.count("qk_rope_head_dim")


def latent_attention(config: Config) -> Tensors:
    """Return MLA's projections.

    With a query rank ``rq·d + rq + H(dn+dr)·rq``, else ``H(dn+dr)·d``; then
    ``(rk+dr)·d + rk + H(dn+dv)·rk + d·H·dv``.

    Source:
        DeepSeek-V2 report, https://arxiv.org/abs/2405.04434; transformers 5.23.0, ``deepseek_v3``.
    """
    hidden, heads = config.hidden, config.heads
    nope, rope = config.size("qk_nope_head_dim"), rotary_width(config)
    value, rank = config.size("v_head_dim"), config.size("kv_lora_rank")
    query_rank = config.count("q_lora_rank", default=0)
    if query_rank:
        query: Tensors = (
            tensor("attn_q_a", "q_a", query_rank, hidden),
            *norms(query_rank, "q_a_norm"),
            tensor("attn_q_b", "q_b", heads * (nope + rope), query_rank),
        )
    else:
        query = (tensor("attn_q", "q", heads * (nope + rope), hidden),)
    return (
        *query,
        tensor("attn_kv_a", "kv_a", rank + rope, hidden),
        *norms(rank, "kv_a_norm"),
        tensor("attn_kv_b", "kv_b", heads * (nope + value), rank),
        tensor("attn_o", "o", hidden, heads * value),
    )


def indexer(config: Config) -> Tensors:
    """Return the indexer of sparse attention (DSA): ``Hi·di·rq + di·d + 2·di + Hi·d`` elements."""
    heads, width = config.size("index_n_heads"), config.size("index_head_dim")
    return (
        tensor("indexer", "indexer_q", heads * width, config.size("q_lora_rank")),
        tensor("indexer", "indexer_k", width, config.hidden),
        *norms(width, "indexer_k_norm"),
        tensor("bias", "indexer_k_norm_bias", width),
        tensor("indexer", "indexer_weights", heads, config.hidden),
    )


def deepseek(config: Config) -> Body:
    """DeepSeek-V2, V3 and R1, Kimi K2, GLM-4.7-Flash, Mistral Small 4.

    The router has a correction buffer except in DeepSeek-V2 and Mistral Small 4. The layers for
    multi-token prediction that checkpoints carry are not part of the model.
    """
    correction = config.model_type not in {"deepseek_v2", "mistral4"}
    return _body(config, (False,) * config.layers, correction=correction)


def sparse_deepseek(config: Config) -> Body:
    """DeepSeek-V3.2 and GLM-5: an indexer picks tokens, on all layers or those typed ``full``."""
    types = config.per_layer("indexer_types") or ("full",) * config.layers
    return _body(config, tuple(kind == "full" for kind in types), correction=True)


def longcat_flash(config: Config) -> Body:
    """LongCat-Flash: each of ``num_layers`` blocks is two layers, and the first has experts beside.

    Both have attention, with a cache of its own, and a dense feed-forward part; the output of the
    experts joins at the end of the second. Of the experts that a token picks a third hold nothing
    on average, so fewer are read than ``moe_topk`` says.

    Source:
        transformers 5.23.0, ``longcat_flash``; LongCat-Flash report, arXiv 2509.01322.
    """
    hidden = config.hidden
    dense = (
        *norms(hidden, "attn_norm", "ffn_norm"),
        *latent_attention(config),
        *feed_forward(hidden, config.size("ffn_hidden_size")),
    )
    experts = mixture(
        hidden,
        config.size("n_routed_experts"),
        config.size("expert_ffn_hidden_size"),
        correction=True,
        idle=config.count("zero_expert_num", default=0),
    )
    cache = LatentAttention(config.size("kv_lora_rank"), rotary_width(config))
    return Body((Layer((*dense, *experts), cache), Layer(dense, cache)) * config.size("num_layers"))


def _body(config: Config, indexed: tuple[bool, ...], *, correction: bool) -> Body:
    hidden = config.hidden
    mixer = (*norms(hidden, "attn_norm", "ffn_norm"), *latent_attention(config))
    rank, rope = config.size("kv_lora_rank"), rotary_width(config)
    width = config.count("index_head_dim", default=0)

    def layer(kind: tuple[bool, bool]) -> Layer:
        with_indexer, sparse = kind
        tensors = (
            *mixer,
            *(indexer(config) if with_indexer else ()),
            *routed_block(config, sparse=sparse, correction=correction),
        )
        return Layer(tensors, LatentAttention(rank, rope, width if with_indexer else 0))

    first = config.count("first_k_dense_replace", default=0)
    return Body(stack(config, ((picks, i >= first) for i, picks in enumerate(indexed)), layer))
