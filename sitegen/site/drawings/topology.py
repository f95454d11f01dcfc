"""A combo as boxes and lines: what the topology is drawn from."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Combo, InstalledGpu
from sitegen.site.cells import Cell, Lines, NumberCell, Parts, Unit
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.hardware import (
    NodeGroup,
    gpus_in_words,
    link_words,
    node_groups,
    plain_gpus,
    ram_words,
)
from sitegen.values import dataclass

MOST_BOXES = 6
"""Nodes drawn one by one; more equal ones are drawn as a stack."""

SYSTEM_NAMES = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}


@dataclass(frozen=True, slots=True)
class DrawnGpu:
    """A GPU's box: its name where GPUs differ, else its place in the node; and its memory."""

    label: str
    memory: NumberCell


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node's box: what joins its GPUs, and which they are unless their boxes say so.

    ``stacked`` is how many equal ones it stands for; ``linked`` says that a link joins its GPUs.
    """

    heading: str
    remark: str
    gpus: tuple[DrawnGpu, ...]
    stacked: int
    linked: bool


@dataclass(frozen=True, slots=True)
class TopologyDrawing:
    """Nodes from top to bottom and the network that joins them; ``network_name`` may be empty."""

    id: str
    title: str
    description: str
    nodes: tuple[DrawnNode, ...]
    network_name: str


def topology(combo: Combo) -> TopologyDrawing:
    """Lay a combo out as boxes."""
    groups = node_groups(combo)
    apart = len(combo.nodes) <= MOST_BOXES
    drawn: list[DrawnNode] = []
    for group in groups:
        if apart:
            drawn += [
                _drawn(group, f"Node {number}", 1)
                for number in range(group.first, group.first + group.count)
            ]
        else:
            drawn.append(_drawn(group, group.heading, group.count))
    network = combo.network.name if combo.network else ""
    return TopologyDrawing(
        "topology",
        f"Topology of {combo.name}",
        (
            f"Nodes: {len(combo.nodes)}. GPUs: {len(combo.gpus)}. The table below lists the same "
            "facts."
        ),
        tuple(drawn),
        network,
    )


def _drawn(group: NodeGroup, heading: str, stacked: int) -> DrawnNode:
    node = group.node
    mixed = len({gpu.gpu.id for gpu in node.gpus}) > 1
    boxes = tuple(_gpu(gpu, number, named=mixed) for number, gpu in enumerate(node.gpus, 1))
    named = () if mixed else (plain_gpus(node),)
    linked = (node.link.name,) if node.link else ()
    joined = node.link is not None and len(node.gpus) > 1
    return DrawnNode(heading, " · ".join((*named, *linked)), boxes, stacked, joined)


def _gpu(gpu: InstalledGpu, number: int, *, named: bool) -> DrawnGpu:
    label = gpu.gpu.name if named else f"GPU {number}"
    return DrawnGpu(label, NumberCell(gpu.installed_bytes, Unit.GIB))


def nodes_table(combo: Combo) -> Table:
    """List the nodes, equal neighbours together, with links, RAM and system."""
    columns = (
        Column("Node"),
        Column("GPUs"),
        Column("Visible", numeric=True, note="per GPU"),
        Column("Link between GPUs"),
        Column("System RAM", numeric=True),
        Column("System"),
    )
    rows = tuple(_row(group) for group in node_groups(combo))
    between = "" if combo.network is None else f"Nodes are joined by {combo.network.name}."
    return Table("nodes", "Nodes and links", columns, rows, note=between)


def _row(group: NodeGroup) -> Row:
    node = group.node
    each: tuple[Cell, ...] = (" each",) if group.count > 1 else ()
    sizes = dict.fromkeys(gpu.visible_bytes for gpu in node.gpus)
    system = SYSTEM_NAMES[node.operating_system]
    return Row(
        (
            group.heading,
            Parts((gpus_in_words(node), *each)),
            Lines(tuple(NumberCell(size, Unit.GIB) for size in sizes)),
            link_words(node.link),
            ram_words(node),
            f"{system}, with a monitor" if node.display_attached else system,
        )
    )
