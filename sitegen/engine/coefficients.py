"""A checkpoint reduced to the numbers that the kernel needs: widths, caches and bytes by layer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.engine.architecture import (
    SHARED_GROUPS,
    Architecture,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    LayerCache,
    RecurrentState,
    SlidingAttention,
    active_parameters,
    parameters,
)
from sitegen.engine.families import architecture as architecture_of
from sitegen.engine.quantize import weigh
from sitegen.engine.speed_classes import weights_class
from sitegen.engine.weights import CheckpointWeights, LayerWeights
from sitegen.values import dataclass

NUMBERS = Mapping[str, Any]
"""What the kernel calls ``m``: JSON-able, string keys."""

ATTENTION_GROUPS = frozenset({"attn_q", "attn_k", "attn_v", "attn_o"})
FEED_FORWARD_GROUPS = frozenset({"ffn_gate", "ffn_up", "ffn_down"})
EXPERT_GROUPS = frozenset({"exp_gate", "exp_up", "exp_down"})
PREDICTION_KEYS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
"""Keys of a config that count its prediction layers."""
BLOCK_WEIGHTS = 32
"""Weights in a block of GGUF's plain types: Q8_0, Q4_0, IQ4_NL, MXFP4."""
PLAIN_BLOCKS = frozenset({"gguf-8", "gguf-plain", "gguf-mxfp4"})
"""Kinds of weights that are stored in those."""
SUPERBLOCK_WEIGHTS = 256
"""Weights in a block of its K types and those with a table of codes."""


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """A model's checkpoint as the engine sees it; compared by identity, since an engine keeps one.

    ``numbers`` is the kernel's ``m``. ``id`` is unique in a catalog.
    """

    id: str
    architecture: Architecture
    weights: CheckpointWeights
    numbers: NUMBERS
    parameters: int
    active_parameters: int
    weights_class: str
    """Kind of kernel that multiplies by the weights; selects speed constants."""
    least_gpu_bytes: int
    """Weights that no plan can keep off the GPUs, unless they stay in system RAM."""
    likeness: str
    """The same where ``numbers`` are the same."""


def design_of(model: LanguageModel, checkpoint: Checkpoint | None = None) -> Architecture:
    """Read a model's config, with a checkpoint's overrides, as tensors and caches.

    Raises:
        ValueError: If the family is unknown or the config incomplete.
    """
    return counted(model, checkpoint)[0]


def counted(model: LanguageModel, checkpoint: Checkpoint | None) -> tuple[Architecture, int, int]:
    """Return the design of a checkpoint with its parameters, all and active; read once."""
    overrides = checkpoint.config_overrides if checkpoint else {}
    return _read(json.dumps({**model.config, **overrides}, sort_keys=True))


@lru_cache(maxsize=4096)
def _read(config: str) -> tuple[Architecture, int, int]:
    """Read and count each distinct config once: most checkpoints of a model share one."""
    design = architecture_of(json.loads(config))
    return design, parameters(design), active_parameters(design)


def coefficients(
    model: LanguageModel, checkpoint: Checkpoint, *, expert_tiles: tuple[int, ...] = ()
) -> Coefficients:
    """Reduce a checkpoint to kernel numbers.

    Args:
        model: The model.
        checkpoint: One of its checkpoints.
        expert_tiles: Multiples to which the runtime pads experts on each rank when it loads them:
            of the width and the hidden size, for gate and up and then for down.

    Raises:
        ValueError: If the family is unknown or its config incomplete.

    Source:
        vLLM 0.33 (padding of MXFP4 experts); the rest restates the config.
    """
    design, every, active = counted(model, checkpoint)
    weights = weigh(design, checkpoint, vision_parameters=model.vision_parameters)
    apart = model.vision_parameters if checkpoint.quantization.format == "gguf" else 0
    numbers = {
        **_numbers(design, weights, checkpoint, 2 * apart),
        **_expert_shape(design, expert_tiles),
        **_prediction_layers(design, weights, model, checkpoint),
    }
    return Coefficients(
        id=f"{model.id}--{checkpoint.id}",
        architecture=design,
        weights=weights,
        numbers=numbers,
        parameters=every,
        active_parameters=active,
        weights_class=weights_class(checkpoint.quantization),
        least_gpu_bytes=weights.head_bytes + sum(layer.total_bytes for layer in weights.layers),
        likeness=hashlib.sha256(repr(numbers).encode()).hexdigest()[:16],
    )


def _numbers(
    design: Architecture,
    weights: CheckpointWeights,
    checkpoint: Checkpoint,
    projector: int,
) -> NUMBERS:
    """Numbers of the kernel; ``projector`` is an image tower in a file of its own, at 16 bits."""
    kinds, sequence = _layer_kinds(design.caches, weights.layers)
    states = [cache for cache in design.caches if isinstance(cache, RecurrentState)]
    element_bits = checkpoint.quantization.element_bits
    return {
        "element_bits": element_bits,
        "layers": design.layers,
        "hidden": design.hidden_size,
        "vocabulary": design.vocabulary,
        "heads": design.attention_heads,
        "kv_heads": _dividing_kv_heads(design.caches),
        "experts": design.experts,
        "experts_per_token": design.experts_per_token,
        "active_width": max(
            max(design.feed_forward_sizes, default=0),
            design.experts_per_token * design.expert_size + design.shared_size,
        ),
        "dense_width": max(design.feed_forward_sizes, default=0),
        "expert_width": design.experts_per_token * design.expert_size,
        "expert_size": design.expert_size,
        "cut_block": _cut_block(checkpoint),
        "narrow_width": max((*design.feed_forward_sizes, design.expert_size)),
        **_attention_widths(design),
        "low_rank": _low_rank(design),
        "recurrent_heads": sorted({state.heads for state in states}),
        "recurrent_groups": sorted({state.groups for state in states}),
        **_widths(design, checkpoint),
        "kinds": kinds,
        "sequence": sequence,
        "embedding": weights.embedding_bytes,
        "head": weights.head_bytes,
        "tied": 1 if weights.tied else 0,
        "final": weights.final_bytes,
        "vision": weights.vision_bytes,
        "projector": projector,
        "rotary": _rotary_bytes(design, element_bits),
        "attention_outputs": design.attention_heads * _value_width(design),
    }


def _cut_block(checkpoint: Checkpoint) -> int:
    """Weights that a GGUF file stores together in a row, which no cut may part; 1 at 16 bits.

    Source:
        ggml's table of block sizes, as vendored in llama-cpp-python 0.3.36.
    """
    kind = checkpoint.quantization.gguf_file_type
    if kind.startswith("IQ4_NL") or (
        kind and weights_class(checkpoint.quantization) in PLAIN_BLOCKS
    ):
        return BLOCK_WEIGHTS
    if kind and weights_class(checkpoint.quantization) != "gguf-16":
        return SUPERBLOCK_WEIGHTS
    return 1


def _value_width(design: Architecture) -> int:
    """Elements of one attention head's output."""
    return design.low_rank[2] if any(design.low_rank) else design.head_dim


def _prediction_layers(
    design: Architecture, weights: CheckpointWeights, model: LanguageModel, checkpoint: Checkpoint
) -> dict[str, Any]:
    """Multi-token prediction: weights ``[low, mid, high]``, layers of cache and whose cache.

    A quantized checkpoint keeps these layers as wide as it computes or in the format of the
    others; which, only its file tells: the kind reading is the others' format, the harsh one the
    full width. A model's native checkpoint stores them as it stores the rest.

    Source:
        vLLM 0.33, ``model_executor/models/*_mtp.py``: each prediction layer caches as one more
        layer of attention.
    """
    if not model.mtp_parameters:
        return {"mtp": [0, 0, 0], "mtp_layers": 0, "mtp_like": 0}
    whole = model.mtp_parameters * checkpoint.quantization.element_bits // 8
    held = sum(layer.total_bytes for layer in weights.layers)
    elements = max(1, parameters(design) - 2 * design.vocabulary * design.hidden_size)
    alike = min(whole, int(model.mtp_parameters * held / elements))
    attention = [i for i, cache in enumerate(design.caches) if _remembers_tokens(cache)]
    stated = [model.config.get(key) for key in PREDICTION_KEYS]
    layers = next((n for n in stated if isinstance(n, int) and n > 0), 1)
    return {
        "mtp": [alike, alike if checkpoint.native else whole, whole],
        "mtp_layers": layers,
        "mtp_like": attention[-1] if attention else 0,
    }


def _remembers_tokens(cache: LayerCache) -> bool:
    return isinstance(cache, FullAttention | LatentAttention | SlidingAttention)


def _attention_widths(design: Architecture) -> dict[str, int]:
    """Floats of one token's attention output, queries (with a gate where there is one), keys."""
    heads = design.attention_heads * design.head_dim
    queries = max((t.rows * t.copies for t in design.tensors if t.group == "attn_q"), default=heads)
    caches = [c for c in design.caches if isinstance(c, FullAttention | SlidingAttention)]
    keys = max((c.kv_heads * c.key_dim for c in caches), default=0)
    return {"attention_width": heads, "query_width": max(heads, queries), "key_width": keys}


def _rotary_bytes(design: Architecture, element_bits: int) -> int:
    """Table of sines and cosines that a paged runtime holds on every rank.

    Source:
        vLLM ``layers/rotary_embedding``; Llama 4 Scout, with ten million positions, logs 2.5 GiB
        more on each of four GPUs than its share of the checkpoint.
    """
    _, rope, _, rank = design.low_rank
    return element_bits // 8 * design.rotary_positions * (rope if rank else design.head_dim)


def _low_rank(design: Architecture) -> list[int]:
    """``[nope, rope, value, KV rank]`` of latent attention, zeros for the rest."""
    return list(design.low_rank)


def _expert_shape(design: Architecture, tiles: tuple[int, ...]) -> dict[str, Any]:
    """Width of an expert, hidden size that it reads, and what a runtime pads them to."""
    reads = max((t.columns for t in design.tensors if t.group == "exp_gate"), default=0)
    return {
        "expert_tiles": list(tiles) if design.expert_size else [],
        "expert_hidden": reads or design.hidden_size,
    }


def _dividing_kv_heads(caches: Sequence[LayerCache]) -> int:
    """KV heads that tensor parallelism must divide: the fewest of any layer, 0 without any."""
    heads = [c.kv_heads for c in caches if isinstance(c, FullAttention | SlidingAttention)]
    return min(heads, default=0)


def _widths(design: Architecture, checkpoint: Checkpoint) -> dict[str, Any]:
    """Widths that a tensor split must divide, and those that its groups and blocks restrict."""
    recipe = checkpoint.quantization
    kept = set(checkpoint.kept)
    kept.update(g for e in recipe.exceptions if e.format.weight_bits >= 16 for g in e.groups)
    quantized: list[int] = []
    if not kept >= FEED_FORWARD_GROUPS:
        quantized += design.feed_forward_sizes
    if design.shared_size and not kept >= SHARED_GROUPS:
        quantized.append(design.shared_size)
    if design.expert_size and not kept >= EXPERT_GROUPS:
        quantized.append(design.expert_size)
    blocked = list(quantized)
    if not any(design.low_rank) and not kept >= ATTENTION_GROUPS:
        quantized.append(design.attention_heads * design.head_dim)
    dense = {*design.feed_forward_sizes, design.shared_size} - {0}
    alone = {design.expert_size} - dense
    return {
        "widths": sorted({*dense, design.expert_size} - {0}),
        "dense_widths": sorted(dense),
        "grouped_widths": sorted(set(quantized)),
        "dense_grouped_widths": sorted(set(quantized) - alone),
        "blocked_widths": sorted(set(blocked)),
        "dense_blocked_widths": sorted(set(blocked) - alone),
        "group": recipe.tensor_parallel_group,
        "block": recipe.tensor_parallel_block,
    }


def _layer_kinds(
    caches: Sequence[LayerCache], layers: Sequence[LayerWeights]
) -> tuple[list[dict[str, Any]], list[int]]:
    """Distinct layers and, for each layer, which of them it is.

    ``sparse`` holds for the model: with an indexer anywhere, every layer stores latent attention
    in the layout of the sparse kernel, where 8 bits keep the rotary part in 16.
    """
    known: dict[tuple[LayerCache, LayerWeights], int] = {}
    sequence = [known.setdefault(pair, len(known)) for pair in zip(caches, layers, strict=True)]
    sparse = any(isinstance(c, LatentAttention) and c.indexer_dim > 0 for c in caches)
    kinds = [
        {
            **_cache_numbers(cache),
            "sparse": 1 if sparse else 0,
            "split": weights.split_bytes,
            "kv": weights.kv_bytes,
            "replicated": weights.replicated_bytes,
            "expert": weights.expert_bytes,
            "shared": weights.shared_bytes,
        }
        for cache, weights in known
    ]
    return kinds, sequence


def _cache_numbers(cache: LayerCache) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "cache": "none", "kv_heads": 0, "key_dim": 0, "value_dim": 0, "window": 0,
        "rank": 0, "rope": 0, "indexer": 0, "convolution": 0, "state": 0, "state_bits": 0,
        "ratio": 0,
    }  # fmt: skip
    if isinstance(cache, FullAttention | SlidingAttention):
        window = cache.window if isinstance(cache, SlidingAttention) else 0
        return {
            **empty,
            "cache": "sliding" if window else "full",
            "kv_heads": cache.kv_heads,
            "key_dim": cache.key_dim,
            "value_dim": cache.value_dim,
            "window": window,
            "indexer": cache.indexer_dim if isinstance(cache, FullAttention) else 0,
        }
    if isinstance(cache, CompressedAttention):
        return {
            **empty,
            "cache": "compressed",
            "key_dim": cache.width,
            "rope": cache.rope_dim,
            "window": cache.window,
            "ratio": cache.ratio,
            "indexer": cache.indexer_dim,
        }
    if isinstance(cache, LatentAttention):
        return {
            **empty,
            "cache": "latent",
            "rank": cache.kv_lora_rank,
            "rope": cache.rope_dim,
            "indexer": cache.indexer_dim,
        }
    if isinstance(cache, RecurrentState):
        return {
            **empty,
            "cache": "state",
            "convolution": cache.convolution_elements,
            "state": cache.state_elements,
            "state_bits": cache.state_bits,
        }
    return empty
