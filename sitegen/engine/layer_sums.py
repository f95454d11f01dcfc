"""Adds up what the tensors of a layer weigh, by shard kind, and what of it is linear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sitegen.engine.architecture import NOT_LINEAR, SHARD_OF_GROUP, SHARED_GROUPS, Shard
from sitegen.engine.weights import CheckpointWeights, LayerWeights, SizeEvidence
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
class Outside:
    """What stands outside layers; ``head_bytes`` of a tied model is what a second copy takes."""

    tensors: tuple[StoredTensor, ...]
    tied: bool
    second_copy_bytes: int

    def bytes_of(self, *groups: str) -> int:
        """Bytes of the tensors of these groups."""
        return sum(tensor.bytes for tensor in self.tensors if tensor.group in groups)


def checkpoint_weights(
    layers: Sequence[LayerSum], outside: Outside, evidence: SizeEvidence, *, on_host: bool
) -> CheckpointWeights:
    """Put layers and what surrounds them together; ``on_host`` is about the embedding."""
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
        embedding_on_host=on_host,
    )
