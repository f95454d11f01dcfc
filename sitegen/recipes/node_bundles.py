"""Where an orchestrator puts the ranks of a replica: bundles of GPUs on the nodes of a cluster."""

from __future__ import annotations

from enum import StrEnum

from sitegen.physics.plan import ParallelPlan
from sitegen.values import dataclass


class Strategy(StrEnum):
    """How a placement group may lie on nodes, as Ray names it."""

    PACK = "PACK"
    """As few nodes as possible, more where it must."""
    STRICT_PACK = "STRICT_PACK"
    """One node, or not at all."""


@dataclass(frozen=True, slots=True)
class PlacementGroup:
    """The bundles of one replica: one GPU each, ``bundles_per_node`` in node order.

    ``strategy`` keeps a plan of one node on one node. ``tensor_parallel_inside_nodes`` says
    whether each tensor parallel group has to be packed on one node to match the plan.
    """

    strategy: Strategy
    bundles_per_node: tuple[int, ...]
    replicas: int
    tensor_parallel_inside_nodes: bool

    @property
    def gpus(self) -> int:
        """GPUs that one replica reserves: tensor times pipeline size, times attention copies."""
        return sum(self.bundles_per_node)


def placement_group(plan: ParallelPlan) -> PlacementGroup:
    """Describe how Ray has to place a plan so that it is the plan that was judged.

    Source:
        Ray documentation, Serve LLM, cross-node parallelism (read 2026-11-20): one bundle per rank,
        PACK by default, which spills a group over nodes without a word where one node is full.
    """
    nodes = sorted({node for node, _ in plan.ranks})
    per_node = tuple(sum(1 for node, _ in plan.ranks if node == at) for at in nodes)
    size = plan.tensor_parallel_size
    groups = [plan.ranks[at : at + size] for at in range(0, len(plan.ranks), size)]
    inside = all(len({node for node, _ in group}) == 1 for group in groups)
    strategy = Strategy.STRICT_PACK if len(nodes) == 1 else Strategy.PACK
    return PlacementGroup(strategy, per_node, plan.replicas, inside)
