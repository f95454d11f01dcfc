"""Tensor and expert parallelism: which sizes a model allows, and what a rank then holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sitegen.physics.model_shape import ModelShape
from sitegen.units import ceil_div, pad
from sitegen.values import dataclass

VOCABULARY_ROWS = 64
"""Rows of embedding and head are padded to this multiple before the cut (vLLM 0.33,
``layers/vocab_parallel_embedding.py``)."""


class CutConflict(NamedTuple):
    """Why a tensor split is not valid: ``size`` does not divide by ``tp`` ranks.

    ``group`` is the size of a quantization group or block that would be cut; else 0.
    """

    code: str
    size: int
    tp: int
    group: int


@dataclass(frozen=True, slots=True)
class RankCut:
    """How many ranks share the weights: ``tp`` cut attention, which is repeated ``dp`` times.

    Experts lie over all of them, dealt out whole where ``expert_parallel``.
    """

    tp: int
    dp: int = 1
    expert_parallel: bool = False


def tensor_conflict(shape: ModelShape, tp: int, *, expert_parallel: bool) -> CutConflict | None:
    """Name what a split over ``tp`` ranks cannot cut; ``None`` where it is valid.

    Source:
        vLLM 0.33, ``config/model.py``, ``layers/linear.py`` and
        ``quantization/utils/marlin_utils.py``.
    """
    if tp == 1:
        return None
    if shape.heads % tp != 0:
        return CutConflict("TP_HEADS", shape.heads, tp, 0)
    kv_heads = shape.kv_heads
    if kv_heads > 0 and max(tp, kv_heads) % min(tp, kv_heads) != 0:
        return CutConflict("TP_KV_HEADS", kv_heads, tp, 0)
    for size in (*shape.recurrent_heads, *(one for one in shape.recurrent_groups if one > 1)):
        if size % tp != 0:
            return CutConflict("TP_STATE", size, tp, 0)
    return _width_conflict(shape, tp, expert_parallel)


def _width_conflict(shape: ModelShape, tp: int, expert_parallel: bool) -> CutConflict | None:
    widths = shape.widths
    every = widths.dense if expert_parallel else widths.every
    grouped = widths.dense_grouped if expert_parallel else widths.grouped
    blocked = widths.dense_blocked if expert_parallel else widths.blocked
    for size in every:
        if size % tp != 0:
            return CutConflict("TP_FFN", size, tp, 0)
    for size in grouped:
        if widths.group > 0 and (size // tp) % widths.group != 0:
            return CutConflict("TP_GROUP", size, tp, widths.group)
    for size in blocked:
        if widths.block > 0 and (size // tp) % widths.block != 0:
            return CutConflict("TP_FP8_BLOCK", size, tp, widths.block)
    return None


def rank_weights(
    shape: ModelShape, counts: Sequence[int], cut: RankCut, *, first: bool, last: bool
) -> int:
    """Weights of one rank of a stage that holds ``counts`` layers of each kind.

    The first stage has embedding and vision tower, the last one norm and head; a tied head is a
    copy of the embedding where the last stage is not the first.

    Source:
        vLLM 0.33, ``layers/linear.py``: KV heads are repeated once ranks outnumber them.
    """
    tp = cut.tp
    together = cut.dp == 1 and not cut.expert_parallel and len(shape.expert_tiles) == 0
    share = min(tp, shape.kv_heads) if shape.kv_heads > 0 else tp
    total = 0
    for count, kind in zip(counts, shape.kinds, strict=True):
        weights = kind.weights
        if together:
            one = ceil_div(weights.split_bytes + weights.expert_bytes, tp)
        else:
            one = ceil_div(weights.split_bytes, tp)
            one += expert_bytes(shape, weights.expert_bytes, cut)
        total += count * (one + weights.replicated_bytes + ceil_div(weights.kv_bytes, share))
    rows = pad(shape.vocabulary, VOCABULARY_ROWS)
    embedding = ceil_div(shape.embedding_bytes * rows // shape.vocabulary, tp)
    if first:
        total += embedding + ceil_div(shape.vision_bytes, tp)
    if last:
        total += shape.final_bytes
        if not shape.tied:
            total += ceil_div(shape.head_bytes * rows // shape.vocabulary, tp)
        elif not first:
            total += embedding
    return total


def expert_bytes(shape: ModelShape, whole: int, cut: RankCut) -> int:
    """Routed experts of one layer on one rank, of ``whole`` bytes: cut by width, or dealt out.

    Source:
        vLLM 0.33, ``layers/fused_moe/expert_map_manager.py`` (experts dealt out whole) and
        ``fused_moe/oracle/mxfp4.py`` (padding).
    """
    ranks = cut.tp * cut.dp
    if len(shape.expert_tiles) > 0 and shape.experts > 0:
        if cut.expert_parallel:
            part = ceil_div(shape.experts, ranks) / shape.experts
            return int(whole * part * shape.expert_padding(1))
        return int(whole / ranks * shape.expert_padding(ranks))
    if cut.expert_parallel and shape.experts > 0:
        return ceil_div(whole * ceil_div(shape.experts, ranks), shape.experts)
    return ceil_div(whole, ranks)
