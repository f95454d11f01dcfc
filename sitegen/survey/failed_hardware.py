"""The combos that are left when one GPU or one node is gone."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo, Node
from sitegen.survey.answers import LossKind
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Reduced:
    """A combo without some GPUs, which are ``gpu_ids`` of ``node``; one of ``alike`` such losses.

    Its id is its own, so that an assessment on it is not taken for one on the whole combo.
    """

    combo: Combo
    kind: LossKind
    node: int
    gpu_ids: tuple[str, ...]
    alike: int


def reduced_combos(combo: Combo) -> tuple[Reduced, ...]:
    """List what is left after each kind of loss; empty for a single GPU, which leaves nothing.

    A node of one GPU is lost with it and counts as a node. The last of equal nodes and GPUs is
    taken, so that what is left consists of the sets of GPUs that the whole combo has too.
    """
    return (*_without_gpu(combo), *_without_node(combo))


def _without_gpu(combo: Combo) -> Iterator[Reduced]:
    for at, alike_nodes in _last_of_each_kind(combo):
        node = combo.nodes[at]
        if len(node.gpus) < 2:
            continue
        positions: dict[Hashable, list[int]] = {}
        for index, gpu in enumerate(node.gpus):
            positions.setdefault((gpu.gpu.id, gpu.visible_bytes), []).append(index)
        for indices in positions.values():
            last = indices[-1]
            kept = (*node.gpus[:last], *node.gpus[last + 1 :])
            smaller = replace(node, gpus=kept, link=node.link if len(kept) > 1 else None)
            nodes = (*combo.nodes[:at], smaller, *combo.nodes[at + 1 :])
            yield Reduced(
                replace(combo, id=f"{combo.id}--without-gpu-{at}-{last}", nodes=nodes),
                LossKind.GPU,
                at,
                (node.gpus[last].gpu.id,),
                alike_nodes * len(indices),
            )


def _without_node(combo: Combo) -> Iterator[Reduced]:
    if len(combo.nodes) < 2:
        return
    for at, alike in _last_of_each_kind(combo):
        nodes = (*combo.nodes[:at], *combo.nodes[at + 1 :])
        left = replace(
            combo,
            id=f"{combo.id}--without-node-{at}",
            nodes=nodes,
            network=combo.network if len(nodes) > 1 else None,
        )
        lost = tuple(gpu.gpu.id for gpu in combo.nodes[at].gpus)
        yield Reduced(left, LossKind.NODE, at, lost, alike)


def _last_of_each_kind(combo: Combo) -> Iterator[tuple[int, int]]:
    """Yield the last node of each kind, and how many there are."""
    kinds: dict[Hashable, list[int]] = {}
    for at, node in enumerate(combo.nodes):
        kinds.setdefault(_kind(node), []).append(at)
    for members in kinds.values():
        yield members[-1], len(members)


def _kind(node: Node) -> Hashable:
    return (
        tuple((gpu.gpu.id, gpu.visible_bytes) for gpu in node.gpus),
        node.link.id if node.link else "",
        node.ram_bytes,
        node.ram_bandwidth_bytes_per_s,
        node.operating_system,
        node.display_attached,
    )
