"""Weighs a checkpoint: a model's tensors in a recipe's formats, layer by layer, in exact bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from sitegen.catalog.domain.models import Checkpoint, Quantization, TensorFormat
from sitegen.models.architecture import (
    NOT_LINEAR,
    SHARD_OF_GROUP,
    SHARED_GROUPS,
    Architecture,
    Shard,
    Tensor,
)
from sitegen.models.gguf.checkpoint import TypedTensor, typed_layers
from sitegen.models.layer_kinds import layer_kinds
from sitegen.units import ceil_div
from sitegen.values import dataclass


class StoredTensor(NamedTuple):
    """A tensor in its format: its group, how many numbers, how many bytes."""

    group: str
    elements: int
    bytes: int


class LayerSum(NamedTuple):
    """Sums over one layer; bytes by shard kind in the order of ``Shard``, all and linear ones."""

    elements: int
    bytes: tuple[int, ...]
    linear_elements: int
    linear_bytes: tuple[int, ...]
    shared_bytes: int
    """Of the linears that are split, those of shared experts."""

    def scaled(self, factor: float) -> LayerSum:
        """Multiply the bytes of the linears."""
        linear = tuple(round(factor * size) for size in self.linear_bytes)
        rest = (size - old for size, old in zip(self.bytes, self.linear_bytes, strict=True))
        total = tuple(size + new for size, new in zip(rest, linear, strict=True))
        shared = round(factor * self.shared_bytes)
        return self._replace(bytes=total, linear_bytes=linear, shared_bytes=shared)

    def weights(self) -> LayerWeights:
        """Give the sums the names a ledger uses."""
        size = dict(zip(Shard, self.bytes, strict=True))
        return LayerWeights(
            split_bytes=size[Shard.SPLIT],
            kv_bytes=size[Shard.KV],
            replicated_bytes=size[Shard.REPLICATED],
            expert_bytes=size[Shard.EXPERT],
            shared_bytes=self.shared_bytes,
        )


def sum_layer(tensors: Iterable[StoredTensor]) -> LayerSum:
    """Add up the tensors of one layer."""
    total = dict.fromkeys(Shard, 0)
    linear = dict.fromkeys(Shard, 0)
    elements = linear_elements = shared = 0
    for group, count, size in tensors:
        shard = SHARD_OF_GROUP[group]
        elements += count
        total[shard] += size
        if group not in NOT_LINEAR:
            linear_elements += count
            linear[shard] += size
        if group in SHARED_GROUPS:
            shared += size
    return LayerSum(
        elements, tuple(total.values()), linear_elements, tuple(linear.values()), shared
    )


@dataclass(frozen=True, slots=True)
class NonLayerTensors:
    """Tensors outside layers; ``second_copy_bytes`` is the head of a tied model."""

    tensors: tuple[StoredTensor, ...]
    tied: bool
    second_copy_bytes: int

    def bytes_of(self, *groups: str) -> int:
        """Bytes of the tensors of these groups."""
        return sum(tensor.bytes for tensor in self.tensors if tensor.group in groups)


def checkpoint_weights(
    layers: Sequence[LayerSum], outside: NonLayerTensors, evidence: SizeEvidence
) -> CheckpointWeights:
    """Put layers and what surrounds them together."""
    named = {layer: layer.weights() for layer in set(layers)}
    elements = sum(layer.elements for layer in layers) + sum(t.elements for t in outside.tensors)
    total = sum(sum(layer.bytes) for layer in layers) + sum(t.bytes for t in outside.tensors)
    embedding, head = outside.bytes_of("embed", "layer_embed"), outside.bytes_of("head")
    vision = outside.bytes_of("vision")
    layers_total = sum(sum(layer.bytes) for layer in layers)
    linear_bytes = sum(sum(layer.linear_bytes) for layer in layers)
    linear_elements = sum(layer.linear_elements for layer in layers)
    return CheckpointWeights(
        layers=tuple(named[layer] for layer in layers),
        embedding_bytes=embedding,
        head_bytes=outside.second_copy_bytes if outside.tied else head,
        tied=outside.tied,
        final_bytes=total - layers_total - embedding - head - vision,
        vision_bytes=vision,
        total_bytes=total,
        linear_bits_per_weight=8 * linear_bytes / linear_elements,
        bits_per_weight=8 * total / elements,
        evidence=evidence,
    )


THIRTY_TWO_BITS = TensorFormat(weight_bits=32)
FP8 = TensorFormat(weight_bits=8)
"""Eight bits a weight; scales, of a tensor, of its rows or of large blocks, are not counted."""


HOST_TABLES = frozenset({"embed", "layer_embed"})
"""Tables that llama.cpp and ExLlama keep in system RAM; a tied one is copied to a GPU as head."""

CUSTOM_MIXES = frozenset({"gguf", "exl2", "exl3", "mlx"})
"""Formats in which makers publish mixes of their own under a common name."""

AGREEMENT = 0.01
"""Share by which a published file may differ from its recipe: rounding, metadata, tokenizer."""


def weigh_checkpoint(
    architecture: Architecture,
    checkpoint: Checkpoint,
    *,
    vision_parameters: int = 0,
    prediction_parameters: int = 0,
) -> CheckpointWeights:
    """Return the bytes of a checkpoint by layer.

    Args:
        architecture: The model, with the checkpoint's config overrides applied.
        checkpoint: Its recipe, the groups it keeps at 16 or 8 bits and its published size.
        vision_parameters: Parameters of vision tower and projector, stored as wide as the recipe
            computes; a GGUF file has none of them.
        prediction_parameters: Parameters of the prediction layers. Where the checkpoint says that
            its file holds them, too, they are taken off the published size.

    Returns:
        Exact bytes. Where the published file confirms them within 1 % they stay as computed;
        where a file of a format with custom mixes differs more, or has an id of its own because
        its maker mixed it, the linears are scaled so that the sum is the published size; where
        any other file differs more (it holds draft layers or a second copy), it is not used.

    Raises:
        KeyError: The recipe names an unknown GGUF file type.

    Source:
        llama.cpp 0c1e57098, ``src/models/qwen35.cpp``: tensors of prediction layers are skipped
        unless ``load_mtp`` is set, which is so for speculative decoding alone.
    """
    recipe = checkpoint.quantization
    if recipe.gguf_file_type:
        layers, outside, largest = _gguf(architecture, recipe.gguf_file_type)
        evidence = SizeEvidence.MIX_RULE
    else:
        (layers, outside), largest = _by_recipe(architecture, checkpoint, vision_parameters), 0
        evidence = SizeEvidence.RECIPE
    weights = replace(checkpoint_weights(layers, outside, evidence), largest_tensor_bytes=largest)
    published = checkpoint.published_bytes
    if published is None:
        return weights
    ahead = prediction_parameters if checkpoint.prediction_layers else 0
    ahead_bytes = ahead * weights.linear_bits_per_weight / 8
    own_mix = checkpoint.id != recipe.id and recipe.format in CUSTOM_MIXES
    missing = published - weights.total_bytes - ahead_bytes
    if not own_mix and abs(missing) <= AGREEMENT * published:
        return replace(weights, evidence=SizeEvidence.PUBLISHED)
    factor = 1 + missing / (sum(sum(layer.linear_bytes) for layer in layers) + ahead_bytes)
    if recipe.format not in CUSTOM_MIXES or factor <= 0:
        return weights
    scaled = {layer: layer.scaled(factor) for layer in set(layers)}
    layers = [scaled[layer] for layer in layers]
    return replace(
        checkpoint_weights(layers, outside, SizeEvidence.PUBLISHED),
        largest_tensor_bytes=int(largest * factor),
    )


def format_of(
    group: str, recipe: Quantization, kept: Iterable[str] = (), kept_fp8: Iterable[str] = ()
) -> TensorFormat:
    """Return the format of a tensor group in a recipe that is not GGUF.

    What a checkpoint keeps is as wide as it computes or in FP8, then the recipe's exceptions hold;
    what is no linear is as wide as it computes, buffers have 32 bits.
    """
    plain = TensorFormat(weight_bits=recipe.element_bits)
    if group in kept:
        return plain
    if group in kept_fp8:
        return FP8
    for exception in recipe.exceptions:
        if group in exception.groups:
            return exception.format
    if group == "buffer":
        return THIRTY_TWO_BITS
    return plain if group in NOT_LINEAR else recipe.linears


def formatted_bytes(rows: int, columns: int, replicas: int, stored_as: TensorFormat) -> int:
    """Return the bytes of ``replicas`` matrices with their scales and zero points.

    A block that a row or column ends in the middle of has a scale of its own.

    >>> formatted_bytes(8_192, 28_672, 1, TensorFormat(4, 128, scale_bits=16, zero_bits=4))
    122028032
    """
    if stored_as.group_size > 0:
        scales = ceil_div(columns, stored_as.group_size) * ceil_div(rows, stored_as.block_rows)
    else:
        scales = rows if stored_as.group_size == 0 else 1
    bits = rows * columns * stored_as.weight_bits
    bits += scales * (stored_as.scale_bits + stored_as.zero_bits)
    return replicas * math.ceil(bits / 8)


def _gguf(
    architecture: Architecture, file_type: str
) -> tuple[Sequence[LayerSum], NonLayerTensors, int]:
    typed = typed_layers(architecture, file_type)
    distinct = {id(tensors): tensors for tensors in typed.layers}
    sums = {key: sum_layer(_stored(tensors)) for key, tensors in distinct.items()}
    outside = tuple(_stored(typed.outside))
    second_copy = sum(tensor.bytes for tensor in outside if tensor.group == "embed")
    tied = architecture.tied_embeddings
    on_gpu = [t for t in outside if t.group not in HOST_TABLES or (tied and t.group == "embed")]
    in_layers = max(tensor.bytes for tensors in distinct.values() for tensor in tensors)
    largest = max([in_layers, *(tensor.bytes for tensor in on_gpu)])
    return (
        [sums[id(tensors)] for tensors in typed.layers],
        NonLayerTensors(outside, tied, second_copy),
        largest,
    )


def _stored(tensors: Iterable[TypedTensor]) -> list[StoredTensor]:
    return [StoredTensor(t.tensor.group, t.tensor.elements, t.bytes) for t in tensors]


def _by_recipe(
    architecture: Architecture, checkpoint: Checkpoint, vision_parameters: int
) -> tuple[Sequence[LayerSum], NonLayerTensors]:
    def stored(tensor: Tensor, group: str) -> StoredTensor:
        stored_as = format_of(group, checkpoint.quantization, checkpoint.kept, checkpoint.kept_fp8)
        size = formatted_bytes(tensor.rows, tensor.columns, tensor.copies, stored_as)
        return StoredTensor(group, tensor.elements, size)

    inventory = layer_kinds(architecture)
    sums = [sum_layer(stored(t, t.group) for t in kind) for kind in inventory.kinds]
    outside = [stored(tensor, tensor.group) for tensor in inventory.outside]
    if vision_parameters:
        size = vision_parameters * checkpoint.quantization.element_bits // 8
        outside.append(StoredTensor("vision", vision_parameters, size))
    heads = [stored(t, "head") for t in inventory.outside if t.group == "embed"]
    tied = architecture.tied_embeddings
    if tied and [t.bytes for t in heads] != [t.bytes for t in outside if t.group == "embed"]:
        # a head in a format of its own cannot be the same tensor: EXL quantizes a copy
        tied = False
        outside += heads
    second_copy = sum(head.bytes for head in heads)
    layers = [sums[kind] for kind in inventory.kind_of_layer]
    return layers, NonLayerTensors(tuple(outside), tied, second_copy)


class SizeEvidence(StrEnum):
    """How a checkpoint's size is known, strongest first."""

    PUBLISHED = "published-file"
    MIX_RULE = "mix-rule"
    RECIPE = "recipe"


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """Bytes of one layer, by shard kind.

    ``shared_bytes`` are shared experts, which ``split_bytes`` hold too.
    """

    split_bytes: int
    kv_bytes: int
    replicated_bytes: int
    expert_bytes: int
    shared_bytes: int

    @property
    def total_bytes(self) -> int:
        """All of the layer on one GPU."""
        return self.split_bytes + self.kv_bytes + self.replicated_bytes + self.expert_bytes


@dataclass(frozen=True, slots=True)
class CheckpointWeights:
    """Bytes of a checkpoint.

    Attributes:
        layers: One per layer.
        embedding_bytes: Token embedding table.
        head_bytes: Output head; for tied models the bytes a second copy takes.
        tied: Head and embedding are one tensor in the file.
        final_bytes: Final norm and what else stands outside layers.
        vision_bytes: Vision tower, 0 where the format leaves it out (GGUF keeps it in a file).
        total_bytes: The file: layers, embedding, head once, final, vision.
        linear_bits_per_weight: Average over the linears.
        bits_per_weight: Average over everything.
        evidence: How ``total_bytes`` is known.
        largest_tensor_bytes: Largest tensor that goes to a GPU in one piece; 0 where not counted.
    """

    layers: tuple[LayerWeights, ...]
    embedding_bytes: int
    head_bytes: int
    tied: bool
    final_bytes: int
    vision_bytes: int
    total_bytes: int
    linear_bits_per_weight: float
    bits_per_weight: float
    evidence: SizeEvidence
    largest_tensor_bytes: int = 0
