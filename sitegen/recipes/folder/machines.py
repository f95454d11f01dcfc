"""Which machines a step is for, and what each has to have."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import DedicatedMemory, InstalledGpu, Node, Vendor
from sitegen.recipes.recipe import Recipe, RecipeStep
from sitegen.recipes.target import Target
from sitegen.units import MIB
from sitegen.values import dataclass


def nodes_named(words: str, total: int) -> list[int]:
    """Count the machines that ``node_words`` names, from 1; a remark behind them is left out.

    >>> nodes_named("", 2), nodes_named("nodes 2 to 4", 5), nodes_named("node 1 (head)", 4)
    ([1, 2], [2, 3, 4], [1])
    >>> nodes_named("nodes 2 and 3", 4), nodes_named("nodes 1, 3 and 5", 5)
    ([2, 3], [1, 3, 5])
    """
    if words in {"", "every node"}:
        return list(range(1, total + 1))
    named = words.partition(" (")[0].partition(" ")[2]
    first, _, last = named.partition(" to ")
    if last:
        return list(range(int(first), int(last) + 1))
    return [int(one) for one in named.replace(" and ", ", ").split(", ")]


@dataclass(frozen=True, slots=True)
class Machines:
    """The machines of a recipe.

    Attributes:
        nodes: As the combo has them.
        span: Machines of one replica.
        repeats: Whether further replicas run on further machines, with the same steps.
        used: GPUs that the plan takes of each machine, by its number from 0.
    """

    nodes: tuple[Node, ...]
    span: int
    repeats: bool
    used: tuple[tuple[InstalledGpu, ...], ...]

    @classmethod
    def of(cls, recipe: Recipe) -> Machines:
        """Count the machines of a recipe, and the GPUs that it takes of each.

        Raises:
            ValueError: If nothing is to be run.
        """
        taken: set[tuple[int, int]] = set()
        span, repeats = 1, False
        for assessment in (recipe.assessment, *recipe.beside):
            target = Target.of(assessment)
            if target is None:
                raise ValueError(f"{assessment.id} has no plan")
            taken |= {rank for replica in target.replicas for rank in replica}
            span = max(span, len(target.span))
            repeats = repeats or (len(target.span) > 1 and target.plan.replicas > 1)
        nodes = recipe.assessment.combo.nodes
        used = tuple(
            tuple(gpu for g, gpu in enumerate(node.gpus) if (n, g) in taken)
            for n, node in enumerate(nodes)
        )
        return cls(nodes, span, repeats, used)

    def of_step(self, step: RecipeStep) -> list[int]:
        """Count the machines that a step is for, from 1."""
        return nodes_named(step.where, len(self.nodes))

    @property
    def total(self) -> int:
        """How many machines there are."""
        return len(self.nodes)

    def megabytes(self, node: int) -> list[int]:
        """List the memory of the GPUs of a machine that a driver should show, largest first."""
        gpus = [one for one in self.nodes[node].gpus if one.gpu.vendor is self.vendor(node)]
        return sorted((one.visible_bytes // MIB for one in gpus), reverse=True)

    def vendor(self, node: int) -> Vendor:
        """Name the vendor of the GPUs of a machine that are used."""
        gpus = self.used[node] or self.nodes[node].gpus
        return gpus[0].gpu.vendor

    def own_memory(self, node: int) -> bool:
        """Return whether the GPUs of a machine have memory of their own."""
        return all(isinstance(one.gpu.memory, DedicatedMemory) for one in self.nodes[node].gpus)
