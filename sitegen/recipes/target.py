"""Inputs of every recipe from an assessment: GPUs of each replica, context, names, switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from sitegen.catalog.domain.hardware import Combo, Node, UnifiedMemory, Vendor
from sitegen.catalog.domain.models import Json
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import GpuLedger, Limits, ParallelPlan
from sitegen.recipes.placement import Rank, replicas_of, vendors, visible
from sitegen.recipes.shell import Option, Variable, quoted, quoted_path
from sitegen.values import dataclass

FIRST_PORT = 8000
MODELS = "/models"
"""Where checkpoints without a repository lie on Linux; on a Mac it is in the user's home."""


@dataclass(frozen=True)
class Target:
    """An assessment with a plan, as recipes ask about it.

    ``port_step`` is added to every port of a server, where other servers have the first ones.
    ``together`` says that one server of a machine runs all its replicas.
    """

    assessment: Assessment
    plan: ParallelPlan
    limits: Limits
    port_step: int = 0
    together: bool = False

    @classmethod
    def of(cls, assessment: Assessment, port_step: int = 0) -> Target | None:
        """Read an assessment; ``None`` where nothing is to be run."""
        runs = assessment.tier is not FitTier.NOT_PRACTICAL
        if assessment.plan is None or assessment.limits is None or not runs:
            return None
        return cls(assessment, assessment.plan, assessment.limits, port_step)

    @property
    def combo(self) -> Combo:
        """The hardware."""
        return self.assessment.combo

    @cached_property
    def replicas(self) -> tuple[tuple[Rank, ...], ...]:
        """GPUs of every replica."""
        return replicas_of(self.combo, self.plan)

    @cached_property
    def span(self) -> tuple[int, ...]:
        """Nodes of the first replica."""
        return tuple(sorted({node for node, _ in self.plan.ranks}))

    @cached_property
    def vendors(self) -> tuple[Vendor, ...]:
        """Vendors of the GPUs in use."""
        return vendors(self.combo, self.plan.ranks)

    @property
    def per_node(self) -> tuple[int, ...]:
        """GPUs that the first replica takes of each of its nodes."""
        return tuple(sum(1 for node, _ in self.plan.ranks if node == at) for at in self.span)

    @property
    def served_name(self) -> str:
        """Name that clients ask for."""
        return self.assessment.model.id

    @property
    def repository(self) -> str:
        """Repository whose files make exactly this checkpoint, empty where none is known.

        What computes with 32 bits is made while the model's own 16-bit files are loaded.
        """
        checkpoint, model = self.assessment.checkpoint, self.assessment.model
        if checkpoint.repository or not self.widened:
            return checkpoint.repository
        natives = (c for c in model.checkpoints if c.native and c.quantization.nominal_bits == 16)
        return next((c.repository for c in natives), "")

    @property
    def hub_file(self) -> str:
        """Repository and type of a GGUF file, as llama.cpp and Ollama take them; may be empty."""
        checkpoint = self.assessment.checkpoint
        kind = checkpoint.variant or checkpoint.quantization.gguf_file_type
        return f"{checkpoint.repository}:{kind}" if checkpoint.repository and kind else ""

    @property
    def widened(self) -> bool:
        """Whether the runtime has to be told to compute with 32 bits."""
        return self.assessment.checkpoint.quantization.element_bits > 16

    @property
    def context_tokens(self) -> int:
        """Context that fits: the longest that is safe, or the one the verdict was reached at.

        Where several sequences were asked for, it is what was asked.
        """
        reached = self.assessment.verdict_context_tokens
        return self.limits.context_to_start(reached, self.assessment.workload.sequences)

    @property
    def tight(self) -> bool:
        """Whether the high estimate of memory does not hold the context that is named."""
        return self.limits.max_context_tokens_low < self.context_tokens

    @property
    def memory_fraction(self) -> float | None:
        """Share of a GPU that the runtime fills: the operator's, or its own default's."""
        if self.assessment.settings.memory_fraction is not None:
            return self.assessment.settings.memory_fraction
        constant = self.assessment.profile.constants.get("memory_fraction")
        return None if constant is None else round(constant.value.mid, 3)

    @property
    def max_num_seqs(self) -> int | None:
        """Sequences that the scheduler may hold, where a limit has to be named."""
        chosen, most = self.assessment.settings.max_num_seqs, self.limits.startable_sequences
        return min((one for one in (chosen, most) if one), default=None)

    @property
    def most_at_once(self) -> int:
        """Sequences of the verdict's context that a replica holds, where one was asked for."""
        asked = self.assessment.workload
        return self.limits.sequences_at.get(asked.context_tokens, 0) if asked.sequences == 1 else 0

    def raised_limits(self, vendor: Vendor, unit_bytes: int) -> dict[int, list[int]]:
        """Limits of shared memory to raise, each with the nodes that it is for.

        Empty where the defaults do; nodes of unlike memory have unlike limits.
        """
        found: dict[int, list[int]] = {}
        if not self.assessment.settings.raised_limit:
            return found
        for at, gpu in sorted({rank for ranks in self.replicas for rank in ranks}):
            installed = self.combo.nodes[at].gpus[gpu]
            memory = installed.gpu.memory
            if installed.gpu.vendor is vendor and isinstance(memory, UnifiedMemory):
                kept = memory.reserve_of(installed.installed_bytes)
                limit = (installed.visible_bytes - kept) // unit_bytes
                found.setdefault(limit, []).append(at)
        return found

    @property
    def busiest(self) -> GpuLedger | None:
        """The GPU that decides."""
        return self.assessment.busiest

    def ports(self, servers: int, first: int = FIRST_PORT) -> list[int]:
        """Number the servers of a machine: one port each."""
        return [first + self.port_step + at for at in range(servers)]

    def machine_ports(self, first: int = FIRST_PORT) -> list[int]:
        """Number the servers of the machine that starts most."""
        return self.ports(max(len(replicas) for _, replicas in self.by_node()), first)

    def node(self, at: int) -> Node:
        """A node of the combo."""
        return self.combo.nodes[at]

    def shown(self, ranks: tuple[Rank, ...]) -> str:
        """Assign the variable that shows the GPUs of a replica inside a machine; may be empty."""
        at = ranks[0][0]
        return visible(self.node(at), tuple(gpu for _, gpu in ranks))

    def by_node(self) -> tuple[tuple[tuple[int, ...], tuple[tuple[Rank, ...], ...]], ...]:
        """Group nodes that start the same servers: node indices, and the replicas of the first."""
        at_node: dict[int, list[tuple[Rank, ...]]] = {}
        for replica in self.replicas:
            at_node.setdefault(replica[0][0], []).append(replica)
        if self.together:
            at_node = {at: [_joined(found)] for at, found in at_node.items()}
        alike: dict[tuple[tuple[int, ...], ...], list[int]] = {}
        for at, found in at_node.items():
            alike.setdefault(tuple(tuple(g for _, g in r) for r in found), []).append(at)
        return tuple((tuple(nodes), tuple(at_node[nodes[0]])) for nodes in alike.values())

    def replica_options(self, ranks: tuple[Rank, ...]) -> list[Option]:
        """Tell a server how many replicas it runs on these GPUs; nothing for one."""
        found = self.assessment.runtime.replicas
        number = len(ranks) // len(self.plan.ranks)
        return [(found.option, str(number))] if found and number > 1 else []

    @property
    def log_words(self) -> str:
        """Name the log in which a server tells of a replica."""
        if self.plan.replicas == 1:
            return "the server's log"
        return f"the log of each {'copy of the model' if self.together else 'server'}"

    @property
    def joined(self) -> Target:
        """The same, with one server for all replicas of a machine, where the runtime has one."""
        return replace(self, together=True) if self._runs_replicas else self

    @property
    def _runs_replicas(self) -> bool:
        """Whether one server runs the replicas of a machine as the plan has them.

        A runtime that spreads experts over the replicas runs another plan than the one assessed.
        """
        found = self.assessment.runtime.replicas
        several = any(len(replicas) > 1 for _, replicas in self.by_node())
        if found is None or len(self.span) > 1 or not several:
            return False
        if self.assessment.settings.attention_copies > 1:
            return False
        return found.experts_stay_whole or not _sparse(self.assessment.model.config)

    def model_variable(self, path: str) -> Variable:
        """Name the checkpoint: its repository, else the folder or file it has to be in."""
        if self.repository:
            return Variable("MODEL", quoted(self.repository))
        return Variable("MODEL", quoted_path(path), "see the step about the files")

    @property
    def on_macs(self) -> bool:
        """Whether the plan runs on Macs."""
        return self.vendors == (Vendor.APPLE,)

    @property
    def folder(self) -> str:
        """Folder in which a recipe expects a checkpoint without a repository, for the shell.

        Source:
            Apple Platform Security, "Signed system volume security": nobody writes at the root of
            a Mac's disk.
        """
        name = f"{self.assessment.model.id}-{self.assessment.checkpoint.id}"
        return f"$HOME{MODELS}/{name}" if self.on_macs else f"{MODELS}/{name}"


def _sparse(config: Mapping[str, Json]) -> bool:
    """Return whether a config speaks of experts, in the part about text too."""
    text = config.get("text_config")
    inside = list(text) if isinstance(text, dict) else []
    return any("expert" in name for name in [*config, *inside])


def _joined(replicas: list[tuple[Rank, ...]]) -> tuple[Rank, ...]:
    """Put the GPUs of replicas behind one another, as a server gives them to its copies."""
    return tuple(rank for replica in replicas for rank in replica)
