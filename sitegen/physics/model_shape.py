"""A checkpoint as the memory and speed formulas see it: widths, and bytes layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sitegen.models.cache_kinds import LayerCache
from sitegen.models.image_tower import ImageTower
from sitegen.models.weights.checkpoint import LayerWeights
from sitegen.units import ceil_div, pad
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class LayerKind:
    """Layers that weigh and remember the same."""

    cache: LayerCache
    weights: LayerWeights


@dataclass(frozen=True, slots=True)
class LatentWidths:
    """Head widths of latent attention and the rank of what it caches; zeros for other attention."""

    nope: int
    rope: int
    value: int
    rank: int

    @property
    def attended(self) -> int:
        """Elements that attention multiplies for two tokens and a query head."""
        return self.nope + self.rope + self.value


@dataclass(frozen=True, slots=True)
class TensorWidths:
    """Widths that a tensor split must divide.

    ``every`` are all of them, those of ``grouped`` must leave whole quantization groups of
    ``group`` on each rank, those of ``blocked`` whole FP8 blocks of ``block``; 0 for none. The
    ``dense`` ones leave out what only experts have, which expert parallelism deals out whole.
    """

    every: tuple[int, ...]
    dense: tuple[int, ...]
    grouped: tuple[int, ...]
    dense_grouped: tuple[int, ...]
    blocked: tuple[int, ...]
    dense_blocked: tuple[int, ...]
    group: int
    block: int


@dataclass(frozen=True, slots=True)
class PredictionLayers:
    """Multi-token prediction: weights at each bound, layers, the layer whose cache they have."""

    weights_bytes: tuple[int, int, int]
    layers: int
    like_layer: int


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Numbers of one checkpoint; sizes in bytes, widths in elements.

    Attributes:
        element_bits: Width that the checkpoint computes with.
        layers: Layers of the model.
        hidden: Hidden size.
        vocabulary: Rows of the head.
        heads: Query heads, the largest count.
        kv_heads: KV heads that a tensor split must divide; 0 without any.
        experts: Routed experts of a layer, 0 for dense models.
        experts_per_token: Experts that a token goes through.
        expert_size: Width of one routed expert.
        expert_hidden: Hidden size that experts read.
        expert_tiles: Multiples to which a runtime pads an expert on each rank: of width and hidden
            size for gate and up, then for down; empty for none.
        active_width: Feed-forward width that a token goes through, the largest.
        dense_width: Widest dense feed-forward.
        expert_width: Width of all experts of a token together.
        narrow_width: Widest single feed-forward matrix.
        gated: Feed-forward layers multiply by a gate.
        capped_logits: Logits go through a soft cap.
        score_heads: Heads of an indexer that scores every cell and keeps blocks; 0 without one.
        attention_width: Elements of a token's attention output.
        attention_outputs: The same where heads have their own width of values.
        query_width: Elements of a token's queries, with a gate where there is one.
        key_width: Elements of a token's keys.
        latent: Widths of latent attention.
        recurrent_heads: Heads of recurrent layers.
        recurrent_groups: Groups of recurrent layers.
        widths: What a tensor split must divide.
        cut_block: Weights that a GGUF file stores together, which no cut may part.
        kinds: Layers that differ.
        sequence: For each layer, which of ``kinds`` it is.
        embedding_bytes: Token embedding.
        head_bytes: Output head, or a second copy of the embedding where it is tied.
        tied: Head and embedding are one tensor.
        final_bytes: Final norm, and what else stands outside layers.
        vision_bytes: Vision tower in the checkpoint.
        tower: What a trial run encodes.
        projector_bytes: Vision tower in a file of its own.
        rotary_bytes: Table of sines and cosines of all positions.
        prediction: Multi-token prediction.
    """

    element_bits: int
    layers: int
    hidden: int
    vocabulary: int
    heads: int
    kv_heads: int
    experts: int
    experts_per_token: int
    expert_size: int
    expert_hidden: int
    expert_tiles: tuple[int, ...]
    active_width: int
    dense_width: int
    expert_width: int
    narrow_width: int
    gated: bool
    capped_logits: bool
    score_heads: int
    attention_width: int
    attention_outputs: int
    query_width: int
    key_width: int
    latent: LatentWidths
    recurrent_heads: tuple[int, ...]
    recurrent_groups: tuple[int, ...]
    widths: TensorWidths
    cut_block: int
    kinds: tuple[LayerKind, ...]
    sequence: tuple[int, ...]
    embedding_bytes: int
    head_bytes: int
    tied: bool
    final_bytes: int
    vision_bytes: int
    tower: ImageTower
    projector_bytes: int
    rotary_bytes: int
    prediction: PredictionLayers

    def kind_counts(self, start: int, stop: int) -> list[int]:
        """Count the layers of each kind from layer ``start`` to the one before ``stop``."""
        counts = [0] * len(self.kinds)
        for at in self.sequence[start:stop]:
            counts[at] += 1
        return counts

    def ungrouped(self) -> ModelShape:
        """Return the same without groups and blocks, which runtimes may pad."""
        return replace(self, widths=replace(self.widths, group=0, block=0))

    def expert_padding(self, ranks: int) -> float:
        """Elements that a rank stores of its share of an expert, over those of the share.

        Widths are padded after the cut over ``ranks``, each rank for itself.

        Source:
            vLLM 0.33, ``fused_moe/oracle/mxfp4.py``.
        """
        if len(self.expert_tiles) == 0 or self.expert_size == 0:
            return 1.0
        tiles, width, hidden = self.expert_tiles, self.expert_size, self.expert_hidden
        cut = ceil_div(width, ranks)
        gate_and_up = 2 * pad(cut, tiles[0]) * pad(hidden, tiles[1])
        stored = gate_and_up + pad(cut, tiles[2]) * pad(hidden, tiles[3])
        return stored * ranks / (3 * width * hidden)


def stage_layers(layers: int, stages: int) -> tuple[int, ...]:
    """Split layers over pipeline stages; what is left over goes to the stages before the last.

    >>> stage_layers(94, 4)
    (23, 24, 24, 23)

    Source:
        vLLM 0.33, ``distributed/utils.py``, ``get_pp_indices``.
    """
    base, rest = layers // stages, layers % stages
    return tuple(
        base + (1 if stages > 1 and 0 <= stages - 2 - stage < rest else 0)
        for stage in range(stages)
    )


def of_layers(counts: Sequence[int], shape: ModelShape) -> list[tuple[int, LayerKind]]:
    """Pair the kinds of which there are layers with how many."""
    return [pair for pair in zip(counts, shape.kinds, strict=True) if pair[0] > 0]
