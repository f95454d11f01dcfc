"""A checkpoint reduced to what the formulas need: widths, caches and bytes by layer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization
from sitegen.models.architecture import SHARED_GROUPS, Architecture, active_parameters, parameters
from sitegen.models.cache_kinds import (
    FullAttention,
    LatentAttention,
    LayerCache,
    RecurrentState,
    SlidingAttention,
)
from sitegen.models.families import architecture as architecture_of
from sitegen.models.families.towers import image_tower
from sitegen.models.image_tower import UNKNOWN_TOWER, ImageTower
from sitegen.models.weights.checkpoint import CheckpointWeights, LayerWeights, weigh_checkpoint
from sitegen.physics.model_shape import (
    LatentWidths,
    LayerKind,
    ModelShape,
    PredictionLayers,
    TensorWidths,
)
from sitegen.values import dataclass

ATTENTION_GROUPS = frozenset({"attn_q", "attn_k", "attn_v", "attn_o"})
FEED_FORWARD_GROUPS = frozenset({"ffn_gate", "ffn_up", "ffn_down"})
EXPERT_GROUPS = frozenset({"exp_gate", "exp_up", "exp_down"})
GATES = frozenset({"ffn_gate", "exp_gate"})
CAPPED_FAMILIES = frozenset({"gemma2", "gemma4_text", "gemma4_unified_text"})
"""Families whose configs set ``final_logit_softcapping``."""
BLOCK_FAMILIES = frozenset({"minimax_m3_vl", "minimax_m3_vl_text"})
"""Families whose indexer scores every cell for each KV head, and keeps blocks of them."""
PREDICTION_KEYS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")
"""Keys of a config that count its prediction layers."""
BLOCK_WEIGHTS = 32
"""Weights in a block of GGUF's plain types: Q8_0, Q4_0, IQ4_NL, MXFP4."""
PLAIN_BLOCKS = frozenset({"gguf-8", "gguf-plain", "gguf-mxfp4"})
"""Kinds of weights that are stored in those."""
SUPERBLOCK_WEIGHTS = 256
"""Weights in a block of its K types and those with a table of codes."""


def weights_class(quantization: Quantization) -> str:
    """Name the kind of kernel that multiplies by these weights.

    Block formats of GGUF are told apart by how they are unpacked: plain blocks, K blocks, blocks
    with a grid of codes (``IQ1`` to ``IQ3``), and those with sixteen values (``IQ4``).
    """
    kind = quantization.gguf_file_type
    if not kind:
        bits = int(quantization.linears.weight_bits)
        packed = quantization.format in {"mlx", "exl2", "exl3"}
        return f"{quantization.format}-{bits}" if packed else quantization.format
    if kind.startswith("IQ4"):
        return "gguf-iq4"
    if kind.startswith("IQ"):
        return "gguf-table"
    if "_K" in kind:
        return "gguf-k"
    return {"F16": "gguf-16", "BF16": "gguf-16", "Q8_0": "gguf-8"}.get(
        kind, "gguf-mxfp4" if "MXFP4" in kind else "gguf-plain"
    )


@dataclass(frozen=True, slots=True, eq=False)
class ReducedCheckpoint:
    """A model's checkpoint as the engine sees it; compared by identity, since an engine keeps one.

    ``id`` is unique in a catalog.
    """

    id: str
    architecture: Architecture
    weights: CheckpointWeights
    shape: ModelShape
    parameters: int
    active_parameters: int
    weights_class: str
    """Kind of kernel that multiplies by the weights; selects speed constants."""
    least_gpu_bytes: int
    """Weights that no plan can keep off the GPUs, unless they stay in system RAM."""
    shape_key: str
    """The same where ``shape`` is the same."""


def design_of(model: LanguageModel, checkpoint: Checkpoint | None = None) -> Architecture:
    """Read a model's config, with a checkpoint's overrides, as tensors and caches.

    Raises:
        ValueError: If the family is unknown or the config incomplete.
    """
    return design_and_parameters(model, checkpoint)[0]


def design_and_parameters(
    model: LanguageModel, checkpoint: Checkpoint | None
) -> tuple[Architecture, int, int]:
    """Return the design of a checkpoint with its parameters, all and active; read once."""
    overrides = checkpoint.config_overrides if checkpoint else {}
    return _read(json.dumps({**model.config, **overrides}, sort_keys=True))


@lru_cache(maxsize=4096)
def _read(config: str) -> tuple[Architecture, int, int]:
    """Read and count each distinct config once: most checkpoints of a model share one."""
    design = architecture_of(json.loads(config))
    return design, parameters(design), active_parameters(design)


def reduce_checkpoint(
    model: LanguageModel, checkpoint: Checkpoint, *, expert_tiles: tuple[int, ...] = ()
) -> ReducedCheckpoint:
    """Reduce a checkpoint to its numbers.

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
    design, every, active = design_and_parameters(model, checkpoint)
    weights = weigh_checkpoint(
        design,
        checkpoint,
        vision_parameters=model.vision_parameters,
        prediction_parameters=model.mtp_parameters,
    )
    apart = model.vision_parameters if checkpoint.quantization.format == "gguf" else 0
    shape = _shape(
        design,
        weights,
        checkpoint,
        tower=image_tower(model.config) if weights.vision_bytes else UNKNOWN_TOWER,
        projector_bytes=2 * apart,
        expert_tiles=expert_tiles,
        prediction=_prediction_layers(design, weights, model, checkpoint),
    )
    return ReducedCheckpoint(
        id=f"{model.id}--{checkpoint.id}",
        architecture=design,
        weights=weights,
        shape=shape,
        parameters=every,
        active_parameters=active,
        weights_class=weights_class(checkpoint.quantization),
        least_gpu_bytes=weights.head_bytes + sum(layer.total_bytes for layer in weights.layers),
        shape_key=hashlib.sha256(repr(shape).encode()).hexdigest()[:16],
    )


def _shape(
    design: Architecture,
    weights: CheckpointWeights,
    checkpoint: Checkpoint,
    *,
    tower: ImageTower,
    projector_bytes: int,
    expert_tiles: tuple[int, ...],
    prediction: PredictionLayers,
) -> ModelShape:
    """Return a checkpoint's numbers; the projector is an image tower in a file of its own."""
    kinds, sequence = _layer_kinds(design.caches, weights.layers)
    states = [cache for cache in design.caches if isinstance(cache, RecurrentState)]
    element_bits = checkpoint.quantization.element_bits
    dense = max(design.feed_forward_sizes, default=0)
    routed = design.experts_per_token * design.expert_size
    attention, queries, keys = _attention_widths(design)
    nope, rope, value, rank = design.low_rank
    return ModelShape(
        element_bits=element_bits,
        layers=design.layers,
        hidden=design.hidden_size,
        vocabulary=design.vocabulary,
        heads=design.attention_heads,
        kv_heads=_dividing_kv_heads(design.caches),
        experts=design.experts,
        experts_per_token=design.experts_per_token,
        expert_size=design.expert_size,
        expert_hidden=_expert_hidden(design),
        expert_tiles=expert_tiles if design.expert_size else (),
        active_width=max(dense, routed + design.shared_size),
        dense_width=dense,
        expert_width=routed,
        narrow_width=max(dense, design.expert_size),
        gated=any(tensor.group in GATES for tensor in design.tensors),
        capped_logits=design.family in CAPPED_FAMILIES,
        score_heads=_dividing_kv_heads(design.caches) if design.family in BLOCK_FAMILIES else 0,
        attention_width=attention,
        attention_outputs=design.attention_heads * _value_width(design),
        query_width=queries,
        key_width=keys,
        latent=LatentWidths(nope, rope, value, rank),
        recurrent_heads=tuple(sorted({state.heads for state in states})),
        recurrent_groups=tuple(sorted({state.groups for state in states})),
        widths=_widths(design, checkpoint),
        cut_block=_cut_block(checkpoint),
        kinds=kinds,
        sequence=sequence,
        embedding_bytes=weights.embedding_bytes,
        head_bytes=weights.head_bytes,
        tied=weights.tied,
        final_bytes=weights.final_bytes,
        vision_bytes=weights.vision_bytes,
        tower=tower,
        projector_bytes=projector_bytes,
        rotary_bytes=_rotary_bytes(design, element_bits),
        prediction=prediction,
    )


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
) -> PredictionLayers:
    """Multi-token prediction: weights at each bound, layers of cache and whose cache.

    A quantized checkpoint keeps these layers as wide as it computes or in the format of the
    others; which, only its file tells: the kind reading is the others' format, the harsh one the
    full width. A model's native checkpoint stores them as it stores the rest.

    Source:
        vLLM 0.33, ``model_executor/models/*_mtp.py``: each prediction layer caches as one more
        layer of attention.
    """
    if not model.mtp_parameters:
        return PredictionLayers((0, 0, 0), 0, 0)
    whole = model.mtp_parameters * checkpoint.quantization.element_bits // 8
    held = sum(layer.total_bytes for layer in weights.layers)
    elements = max(1, parameters(design) - 2 * design.vocabulary * design.hidden_size)
    alike = min(whole, int(model.mtp_parameters * held / elements))
    attention = [i for i, cache in enumerate(design.caches) if _remembers_tokens(cache)]
    stated = [model.config.get(key) for key in PREDICTION_KEYS]
    layers = next((n for n in stated if isinstance(n, int) and n > 0), 1)
    middle = alike if checkpoint.native else whole
    return PredictionLayers((alike, middle, whole), layers, attention[-1] if attention else 0)


def _remembers_tokens(cache: LayerCache) -> bool:
    return isinstance(cache, FullAttention | LatentAttention | SlidingAttention)


def _attention_widths(design: Architecture) -> tuple[int, int, int]:
    """Floats of one token's attention output, queries (with a gate where there is one), keys."""
    heads = design.attention_heads * design.head_dim
    queries = max((t.rows * t.copies for t in design.tensors if t.group == "attn_q"), default=heads)
    caches = [c for c in design.caches if isinstance(c, FullAttention | SlidingAttention)]
    keys = max((c.kv_heads * c.key_dim for c in caches), default=0)
    return heads, max(heads, queries), keys


def _rotary_bytes(design: Architecture, element_bits: int) -> int:
    """Table of sines and cosines that a paged runtime holds on every rank.

    Source:
        vLLM ``layers/rotary_embedding``; Llama 4 Scout, with ten million positions, logs 2.5 GiB
        more on each of four GPUs than its share of the checkpoint.
    """
    _, rope, _, rank = design.low_rank
    return element_bits // 8 * design.rotary_positions * (rope if rank else design.head_dim)


def _expert_hidden(design: Architecture) -> int:
    """Hidden size that experts read."""
    reads = max((t.columns for t in design.tensors if t.group == "exp_gate"), default=0)
    return reads or design.hidden_size


def _dividing_kv_heads(caches: Sequence[LayerCache]) -> int:
    """KV heads that tensor parallelism must divide: the fewest of any layer, 0 without any."""
    heads = [c.kv_heads for c in caches if isinstance(c, FullAttention | SlidingAttention)]
    return min(heads, default=0)


def _widths(design: Architecture, checkpoint: Checkpoint) -> TensorWidths:
    """Widths that a tensor split must divide, and those that its groups and blocks restrict."""
    recipe = checkpoint.quantization
    kept = {*checkpoint.kept, *checkpoint.kept_fp8}
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
    return TensorWidths(
        every=tuple(sorted({*dense, design.expert_size} - {0})),
        dense=tuple(sorted(dense)),
        grouped=tuple(sorted(set(quantized))),
        dense_grouped=tuple(sorted(set(quantized) - alone)),
        blocked=tuple(sorted(set(blocked))),
        dense_blocked=tuple(sorted(set(blocked) - alone)),
        group=recipe.tensor_parallel_group,
        block=recipe.tensor_parallel_block,
    )


def _layer_kinds(
    caches: Sequence[LayerCache], layers: Sequence[LayerWeights]
) -> tuple[tuple[LayerKind, ...], tuple[int, ...]]:
    """Distinct layers and, for each layer, which of them it is."""
    known: dict[tuple[LayerCache, LayerWeights], int] = {}
    sequence = [known.setdefault(pair, len(known)) for pair in zip(caches, layers, strict=True)]
    sparse = any(isinstance(c, LatentAttention) and c.indexer_dim > 0 for c in caches)
    kinds = [LayerKind(_stored(cache, sparse), weights) for cache, weights in known]
    return tuple(kinds), tuple(sequence)


def _stored(cache: LayerCache, sparse: bool) -> LayerCache:
    """Return how a layer's cache is stored: a window of no size is none, and ``sparse`` spreads."""
    if isinstance(cache, SlidingAttention) and cache.window == 0:
        return FullAttention(cache.kv_heads, cache.key_dim, cache.value_dim)
    if isinstance(cache, LatentAttention) and sparse:
        return replace(cache, sparse=True)
    return cache
