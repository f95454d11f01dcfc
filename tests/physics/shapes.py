"""Small values for the arithmetic: what a test does not name is nothing, or takes no part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sitegen.models.cache_kinds import LayerCache
from sitegen.models.image_tower import UNKNOWN_TOWER
from sitegen.models.weights.checkpoint import LayerWeights
from sitegen.physics.memory.paged_profile import SchedulerStep
from sitegen.physics.model_shape import (
    LatentWidths,
    LayerKind,
    ModelShape,
    PredictionLayers,
    TensorWidths,
)
from sitegen.physics.speed.roofline import LinkSpeed, StageConstants, Work
from sitegen.units import Bounds

WEIGHTLESS = LayerWeights(0, 0, 0, 0, 0)
EMPTY = ModelShape(
    element_bits=16, layers=0, hidden=0, vocabulary=1, heads=0, kv_heads=0, experts=0,
    experts_per_token=0, expert_size=0, expert_hidden=0, expert_tiles=(), active_width=0,
    dense_width=0, expert_width=0, narrow_width=0, gated=True, capped_logits=False, score_heads=0,
    attention_width=0, attention_outputs=0, query_width=0, key_width=0,
    latent=LatentWidths(0, 0, 0, 0), recurrent_heads=(),
    recurrent_groups=(), widths=TensorWidths((), (), (), (), (), (), 0, 0), cut_block=1, kinds=(),
    sequence=(), embedding_bytes=0, head_bytes=0, tied=False, final_bytes=0, vision_bytes=0,
    tower=UNKNOWN_TOWER,
    projector_bytes=0, rotary_bytes=0, prediction=PredictionLayers((0, 0, 0), 0, 0),
)  # fmt: skip
PEAKS = StageConstants(
    dense=(1, 1, 1), expert=(1, 1, 1), cache=(1, 1, 1), compute=(1, 1, 1), attention=(1, 1, 1),
    overhead=(0, 0, 0), stream=(0, 0, 0), fixed=(0, 0, 0), hop=(0, 0, 0), batch=(1, 1, 1),
    link=1, link_prompt=1, mixture=0, recurrent=0, compute_experts=1, expert_rows=0,
)  # fmt: skip
"""A stage that reaches all of the peaks and spends nothing beside."""
IDLE = Work(
    dense=0, expert=0, cache=0, scores=0, flops=0, attention=0, unpack=0, least=0, layers=0,
    mixture=0, recurrent=0, rows=1, steps=1, streams=1,
)  # fmt: skip
STEP = SchedulerStep(
    max_num_batched_tokens=0, max_num_seqs=0, graph_batch=0, fabric=0.0, large=False, eager=False,
    shared=False, images=False, data_parallel_size=1, expert_parallel=False,
    context_parallel_size=1, prediction_layers=False, draft_bytes=0,
)  # fmt: skip


def shape_of(*caches: LayerCache, **fields: Any) -> ModelShape:
    """A shape of weightless kinds of layers that differ in their caches."""
    kinds = tuple(LayerKind(cache, WEIGHTLESS) for cache in caches)
    return replace(EMPTY, kinds=kinds, **fields)


def step_of(**fields: Any) -> SchedulerStep:
    """One step on a single GPU."""
    return replace(STEP, **fields)


def work(**fields: Any) -> Work:
    """One step of one sequence through no layers."""
    return replace(IDLE, **fields)


def shares(**fields: Any) -> StageConstants:
    """The peaks, but for what is named."""
    return replace(PEAKS, **fields)


def thrice(value: float) -> Bounds:
    """A figure without a width."""
    return value, value, value


def link(latency_s: float, bytes_per_s: float) -> LinkSpeed:
    """A link whose figures have no width."""
    return LinkSpeed(thrice(latency_s), thrice(bytes_per_s))
