"""Kinds of layers: which layers of a model hold tensors of the same groups and shapes."""

from __future__ import annotations

from functools import lru_cache

from sitegen.models.architecture import Architecture, Tensor
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class LayerKinds:
    """A model's inventory without repetition.

    Attributes:
        outside: Tensors that belong to no layer: embedding, head, final norm, vision tower.
        kinds: The tensors of one layer of each kind, in order of first appearance.
        kind_of_layer: Index into ``kinds``, one per layer.
    """

    outside: tuple[Tensor, ...]
    kinds: tuple[tuple[Tensor, ...], ...]
    kind_of_layer: tuple[int, ...]


@lru_cache(maxsize=1024)
def layer_kinds(architecture: Architecture) -> LayerKinds:
    """Sort the layers of ``architecture`` into kinds.

    A model has tens of layers and one to four kinds, and every checkpoint of it is weighed kind
    by kind, so the result is remembered.
    """
    of_layer: list[list[Tensor]] = [[] for _ in range(architecture.layers)]
    outside: list[Tensor] = []
    for tensor in architecture.tensors:
        (outside if tensor.layer < 0 else of_layer[tensor.layer]).append(tensor)
    index: dict[tuple[tuple[str, int, int, int], ...], int] = {}
    kinds: list[tuple[Tensor, ...]] = []
    kind_of_layer: list[int] = []
    for tensors in of_layer:
        shape = tuple((t.group, t.rows, t.columns, t.copies) for t in tensors)
        if shape not in index:
            index[shape] = len(kinds)
            kinds.append(tuple(tensors))
        kind_of_layer.append(index[shape])
    return LayerKinds(tuple(outside), tuple(kinds), tuple(kind_of_layer))
