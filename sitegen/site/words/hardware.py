"""Words for hardware: nodes, shapes of combos, facts of links."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from itertools import groupby

from sitegen.catalog.domain.hardware import Combo, Interconnect, Node, UnifiedMemory
from sitegen.ownership.power_and_space import sum_if_known
from sitegen.site.cells import (
    NOT_RECORDED,
    Absent,
    Cell,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Unit,
    joined,
)
from sitegen.site.urls import url_of
from sitegen.values import dataclass


class PoolingShape(StrEnum):
    """The facts that decide whether VRAM pools."""

    ONE_GPU = "one-gpu"
    ONE_NODE = "one-node"
    MANY_NODES = "many-nodes"


SHAPE_WORDS = {
    PoolingShape.ONE_GPU: "One GPU",
    PoolingShape.ONE_NODE: "Several GPUs in one machine",
    PoolingShape.MANY_NODES: "Several machines",
}


def shape_of(combo: Combo) -> PoolingShape:
    """Say what kind of combo it is."""
    if len(combo.nodes) > 1:
        return PoolingShape.MANY_NODES
    return PoolingShape.ONE_GPU if len(combo.gpus) == 1 else PoolingShape.ONE_NODE


def is_mixed(combo: Combo) -> bool:
    """Return whether its GPUs differ, in kind or in memory."""
    return len({(gpu.gpu.id, gpu.installed_bytes) for gpu in combo.gpus}) > 1


def is_unified(combo: Combo) -> bool:
    """Return whether any GPU shares its memory with the CPU."""
    return any(isinstance(gpu.gpu.memory, UnifiedMemory) for gpu in combo.gpus)


def gpu_watts(combo: Combo) -> int | None:
    """Sum the board power of a combo's GPUs; ``None`` where one is not recorded."""
    return sum_if_known(gpu.gpu.tdp_watts for gpu in combo.gpus)


def machine_watts(combo: Combo) -> int | None:
    """Sum what makers say of whole machines; ``None`` where one says nothing."""
    return sum_if_known(node.max_watts for node in combo.nodes)


def most_watts(combo: Combo) -> int | None:
    """Return the power of whole machines, or that of the GPUs where no maker says it."""
    whole = machine_watts(combo)
    return gpu_watts(combo) if whole is None else whole


def power_words(combo: Combo) -> Cell:
    """Print ``most_watts`` and whether it is that of the machines, the GPUs or the chips."""
    watts = most_watts(combo)
    if watts is None:
        return NOT_RECORDED
    if machine_watts(combo) is not None:
        of = "whole machine" if len(combo.nodes) == 1 else "whole machines"
    else:
        chips = all(gpu.gpu.segment == "integrated" for gpu in combo.gpus)
        of = f"{'chip' if chips else 'GPU'}{'s' if len(combo.gpus) > 1 else ''} only"
    return Lines((NumberCell(watts, Unit.WATTS), Small(of)))


def gpus_in_words(node: Node) -> Cell:
    """Name a node's GPUs: ``2 × RTX 4090``, with links."""
    parts: list[Cell] = []
    for (gpu_id, installed), same in groupby(
        node.gpus, key=lambda gpu: (gpu.gpu.id, gpu.installed_bytes)
    ):
        group = tuple(same)
        pieces: list[Cell] = [
            f"{len(group)} × ",
            Link(url_of("gpu", gpu_id), group[0].gpu.name),
            " (",
            NumberCell(installed, Unit.GIB),
            ")",
        ]
        parts.append(Parts(tuple(pieces)))
    return joined(tuple(parts), separator=" + ")


def plain_gpus(where: Combo | Node, times: str = " × ") -> str:
    """Name all GPUs of a combo or of a node without links: ``8 × RTX 4090``."""
    counts: dict[str, int] = {}
    for gpu in where.gpus:
        counts[gpu.gpu.name] = counts.get(gpu.gpu.name, 0) + 1
    return " + ".join(f"{count}{times}{name}" for name, count in counts.items())


def link_words(link: Interconnect | None) -> Cell:
    """Name a link with the bandwidth that a collective reaches on it."""
    if link is None:
        return Absent("none needed")
    if link.bus_bandwidth_bytes_per_s is None:
        return link.name
    bandwidth = NumberCell(link.bus_bandwidth_bytes_per_s.mid, Unit.GB_PER_S)
    return Parts((link.name, " (", bandwidth, ")"))


def ram_words(node: Node) -> Cell:
    """Print a node's system RAM."""
    if any(isinstance(gpu.gpu.memory, UnifiedMemory) for gpu in node.gpus):
        return "shared with the GPU"
    return Absent() if node.ram_bytes is None else NumberCell(node.ram_bytes, Unit.GIB)


VENDOR_NAMES: Mapping[str, str] = {
    "nvidia": "NVIDIA",
    "amd": "AMD",
    "intel": "Intel",
    "apple": "Apple",
    "cpu": "CPU",
}


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Equal nodes in a row; ``first`` is the rank of the first, from 1."""

    first: int
    count: int
    node: Node

    @property
    def heading(self) -> str:
        """``Node 1`` or ``Nodes 1–4``."""
        if self.count == 1:
            return f"Node {self.first}"
        return f"Nodes {self.first}–{self.first + self.count - 1}"


def node_groups(combo: Combo) -> tuple[NodeGroup, ...]:
    """Put equal neighbours together, so that four equal nodes are said once."""
    groups: list[NodeGroup] = []
    first = 1
    for node, same in groupby(combo.nodes, key=_what_counts):
        members = tuple(same)
        del node
        groups.append(NodeGroup(first, len(members), members[0]))
        first += len(members)
    return tuple(groups)


def _what_counts(node: Node) -> tuple[object, ...]:
    return (
        tuple((gpu.gpu.id, gpu.installed_bytes) for gpu in node.gpus),
        node.link.id if node.link else "",
        node.ram_bytes,
        node.operating_system,
        node.display_attached,
    )
