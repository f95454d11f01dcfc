"""GPUs of each replica of a plan, and the variables that select them for a process."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Combo, Node, Vendor
from sitegen.physics.plan import ParallelPlan

Rank = tuple[int, int]
"""A GPU as ``(node, gpu)`` indices into the combo."""

VISIBLE = {
    Vendor.NVIDIA: "CUDA_VISIBLE_DEVICES",
    Vendor.AMD: "HIP_VISIBLE_DEVICES",
    Vendor.INTEL: "ZE_AFFINITY_MASK",
}
"""Variables that hide GPUs from a process, by vendor."""


def replicas_of(combo: Combo, plan: ParallelPlan) -> tuple[tuple[Rank, ...], ...]:
    """List the GPUs of every replica, the first as the plan names it.

    A replica inside a machine is repeated in that machine and in its equals; one over machines is
    repeated over the next machines of the same kind.

    Raises:
        ValueError: If the combo has fewer sets of such GPUs than the plan has replicas.
    """
    if plan.replicas == 1:
        return (plan.ranks,)
    nodes = sorted({node for node, _ in plan.ranks})
    inside = _inside(combo, plan.ranks) if len(nodes) == 1 else _across(combo, plan.ranks, nodes)
    found = inside if len(inside) >= plan.replicas else _in_order(combo, plan.ranks)
    if len(found) < plan.replicas:
        raise ValueError(f"{plan.replicas} replicas do not fit on {combo.id}")
    return tuple(found[: plan.replicas])


def _shape(node: Node) -> tuple[tuple[str, int], ...]:
    return tuple((gpu.gpu.id, gpu.visible_bytes) for gpu in node.gpus)


def _inside(combo: Combo, ranks: tuple[Rank, ...]) -> list[tuple[Rank, ...]]:
    """Repeat a run of GPUs of one node along the equal GPUs beside it, and in equal nodes."""
    home, first = ranks[0]
    shape, size = _shape(combo.nodes[home]), len(ranks)
    wanted = shape[first : first + size]
    starts = [first]
    while shape[starts[-1] + size : starts[-1] + 2 * size] == wanted:
        starts.append(starts[-1] + size)
    alike = [at for at, node in enumerate(combo.nodes) if _shape(node) == shape]
    return [tuple((at, s + g) for g in range(size)) for at in alike for s in starts]


def _across(combo: Combo, ranks: tuple[Rank, ...], nodes: list[int]) -> list[tuple[Rank, ...]]:
    """Repeat a set of whole nodes over the following nodes of the same shapes."""
    shapes = {_shape(combo.nodes[at]) for at in nodes}
    alike = [at for at, node in enumerate(combo.nodes) if _shape(node) in shapes]
    found = []
    for start in range(0, len(alike) - len(nodes) + 1, len(nodes)):
        moved = dict(zip(nodes, alike[start : start + len(nodes)], strict=True))
        found.append(tuple((moved[node], gpu) for node, gpu in ranks))
    return found


def _in_order(combo: Combo, ranks: tuple[Rank, ...]) -> list[tuple[Rank, ...]]:
    """Cut all GPUs of the combo into runs: a plan given by size alone."""
    whole, size = every_rank(combo), len(ranks)
    return [tuple(whole[at : at + size]) for at in range(0, len(whole) - size + 1, size)]


def every_rank(combo: Combo) -> list[Rank]:
    """List all GPUs of a combo, machine by machine."""
    return [(n, g) for n, node in enumerate(combo.nodes) for g in range(len(node.gpus))]


def visible(node: Node, gpus: tuple[int, ...]) -> str:
    """Assign the variable that shows a process these GPUs of a node only; empty for all of them.

    The index counts the GPUs of the same vendor: a driver does not see the others.
    """
    if len(gpus) == len(node.gpus):
        return ""
    vendor = node.gpus[gpus[0]].gpu.vendor
    if vendor not in VISIBLE:
        return ""
    mine = [at for at, gpu in enumerate(node.gpus) if gpu.gpu.vendor is vendor]
    return f"{VISIBLE[vendor]}={','.join(str(mine.index(gpu)) for gpu in gpus)}"


def vendors(combo: Combo, ranks: tuple[Rank, ...]) -> tuple[Vendor, ...]:
    """Name the vendors of some GPUs, each once."""
    return tuple(dict.fromkeys(combo.nodes[node].gpus[gpu].gpu.vendor for node, gpu in ranks))


def node_words(nodes: list[int], total: int) -> str:
    """Name machines, counted from 1; empty where there is only one.

    >>> node_words([0, 1, 2, 3], 4), node_words([1, 2], 4), node_words([3], 4), node_words([0], 1)
    ('every node', 'nodes 2 and 3', 'node 4', '')
    >>> node_words([1, 2, 3], 5), node_words([0, 2, 4], 5)
    ('nodes 2 to 4', 'nodes 1, 3 and 5')
    """
    if total == 1:
        return ""
    if len(nodes) == total:
        return "every node"
    if len(nodes) == 1:
        return f"node {nodes[0] + 1}"
    if len(nodes) > 2 and nodes == list(range(nodes[0], nodes[-1] + 1)):
        return f"nodes {nodes[0] + 1} to {nodes[-1] + 1}"
    named = [str(node + 1) for node in nodes]
    return f"nodes {', '.join(named[:-1])} and {named[-1]}"
