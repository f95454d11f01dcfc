"""One replica of a paged runtime on its GPUs: utilization, ledger and limits."""

from __future__ import annotations

from collections.abc import Hashable

from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.gpu_groups import GpuGroup, UsableGpu
from sitegen.physics.ledger import closed_ledger, reserved
from sitegen.physics.memory.block_layout import BlockLayout
from sitegen.physics.memory.paged_profile import FixedBytes, SparseWorkspace
from sitegen.physics.plan import GpuLedger, Limits, ParallelPlan, Reason, Settings
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.physics.valid_splits import Split, paged_plan
from sitegen.units import Sizes
from sitegen.values import dataclass


def seen_bytes(usable_gpu: UsableGpu, settings: Settings) -> int:
    """Return the total that the runtime takes its share of: visible, or shared memory's limit."""
    if usable_gpu.reserved.mid > 0:
        return usable_gpu.usable_bytes(raised=settings.raised_limit)
    return usable_gpu.visible_bytes


@dataclass(frozen=True, slots=True)
class PagedShape:
    """Everything about a paged replica that does not depend on whose GPU it is.

    ``layers``, ``counts`` (layers by kind), ``fixed`` and ``blocks`` hold one entry per pipeline
    stage; ``inside`` names the lines of ``fixed`` that lie inside the runtime's share.
    ``gathered_bytes`` is what sparse attention gathers of each token, 0 for other attention.
    """

    layers: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]
    fixed: tuple[FixedBytes, ...]
    blocks: tuple[BlockLayout, ...]
    in_flight_tokens: int
    block_tokens: int
    max_num_seqs: int
    with_graphs: bool
    inside: frozenset[str]
    workspace: SparseWorkspace
    gathered_bytes: int


@dataclass(frozen=True, slots=True)
class StageBudget:
    """Budget of a rank of a stage and the memory in use, in bytes at low, mid and high.

    ``start_excess`` is what a start may lack beside a full budget, at the high estimate.
    """

    budgets: Sizes
    counted: Sizes
    start_excess: int


@dataclass(frozen=True, slots=True)
class PagedReplica:
    """One replica on its GPUs: stage ``s`` holds ranks ``s*tp`` to ``s*tp + tp - 1``.

    With ``dp`` copies of the attention, copy ``d`` holds the ``tp * pp`` ranks after the copies
    before it; a request lives in one copy. It is started for contexts of ``context_tokens``.
    """

    reduced: ReducedCheckpoint
    group: GpuGroup
    tp: int
    pp: int
    dp: int
    shape: PagedShape
    budgets: tuple[StageBudget, ...]
    settings: Settings
    context_tokens: int

    @property
    def split(self) -> Split:
        """Tensor and pipeline parallel size."""
        return self.tp, self.pp

    def plan(self, replicas: int) -> ParallelPlan:
        """Describe the replica, which the combo runs ``replicas`` times."""
        return paged_plan(self.group, self.split, self.shape.layers, replicas)

    def host_bytes(self, context_tokens: int, sequences: int) -> int:
        """Bytes in system RAM: always 0."""
        return 0

    def effective_bytes(self) -> int:
        """Memory that the replica can fill: each rank counts as the smallest."""
        return self.budget_bytes * len(self.group.ranks)

    @property
    def budget_bytes(self) -> int:
        """Budget of a rank: every rank takes the same share, so the smallest GPU decides."""
        return min(stage.budgets[1] for stage in self.budgets)

    def workspace_bytes(self, context_tokens: int) -> int:
        """Room of a rank for contexts of this length that sparse attention gathers."""
        return self.shape.workspace.reserved_bytes(self.shape.gathered_bytes, context_tokens)

    def pool_bytes(self, stage: int, bound: int = 1) -> int:
        """KV pool of a stage at a bound of its fixed part (0 low, 1 mid, 2 high)."""
        return self._room(stage, bound) - self.workspace_bytes(self.context_tokens)

    def _room(self, stage: int, bound: int) -> int:
        """Bytes of a stage for its pool and what grows with the context."""
        found = self.budgets[stage]
        return found.budgets[bound] - found.counted[bound]

    def held_bytes(self, stage: int, context_tokens: int, sequences: int) -> int:
        """Cache of the replica's requests on a rank of a stage."""
        shape, held = self.shape, -(-sequences // self.dp)
        return shape.blocks[stage].held_bytes(context_tokens, shape.in_flight_tokens, held)

    def utilization(self, context_tokens: int, sequences: int) -> Interval:
        """Need over budget of the busiest rank, at each bound; may exceed 1."""
        stages = [self._stage_utilization(s, context_tokens, sequences) for s in range(self.pp)]
        return stages[0] if self.pp == 1 else Interval.highest(stages)

    def _stage_utilization(self, stage: int, context_tokens: int, sequences: int) -> Interval:
        cache = self.held_bytes(stage, context_tokens, sequences)
        return self._utilized(stage, cache + self.workspace_bytes(context_tokens))

    def _utilized(self, stage: int, growing: int) -> Interval:
        """Need over budget with this many bytes of cache and what else grows with the context."""
        found = self.budgets[stage]
        low, mid, high = found.counted
        least, usual, most = found.budgets
        return Interval(
            (low + growing) / max(1, least),
            (mid + growing) / max(1, usual),
            (high + growing) / max(1, most),
        )

    def ledger(self, context_tokens: int, sequences: int) -> tuple[GpuLedger, ...]:
        """One ledger per rank."""
        caches = [self.held_bytes(s, context_tokens, sequences) for s in range(self.pp)]
        workspace = self.workspace_bytes(context_tokens)
        ledgers: list[GpuLedger] = []
        alike: dict[Hashable, GpuLedger] = {}
        for at, (node, gpu) in enumerate(self.group.ranks):
            stage = at // self.tp % self.pp
            usable = self.group.gpus[at]
            key = (stage, usable.gpu.id, usable.visible_bytes, usable.reserved)
            if key not in alike:
                alike[key] = self._rank_ledger(stage, usable, node, gpu, caches[stage], workspace)
            ledgers.append(alike[key].at(node, gpu))
        return tuple(ledgers)

    def _rank_ledger(
        self, stage: int, usable_gpu: UsableGpu, node: int, gpu: int, cache: int, workspace: int
    ) -> GpuLedger:
        fixed = self.shape.fixed[stage]
        state = min(cache, self.shape.blocks[stage].state_bytes())
        lines = {
            "reserved_os": reserved(usable_gpu, self.settings),
            "context": Interval(*fixed.context),
            "weights": Interval(*fixed.weights),
            "kv": Interval.exact(cache - state),
            "state": Interval.exact(state),
            "compute": Interval(*fixed.compute).plus(Interval.exact(workspace)),
            "communication": Interval(*fixed.communication),
            "graphs": Interval(*fixed.graphs),
            "fragmentation": Interval.exact(0),
        }
        budgets = self.budgets[stage].budgets
        inside = {*self.shape.inside, "kv", "state", "fragmentation"}
        if not self.shape.with_graphs and "graphs" in inside:
            inside.discard("graphs")
        return closed_ledger(
            node=node,
            gpu=gpu,
            usable_gpu=usable_gpu,
            layers=self.shape.layers[stage],
            budget=Interval(min(budgets), budgets[1], max(budgets)),
            lines=lines,
            outside=frozenset(set(lines) - inside),
            utilization=self._utilized(stage, cache + workspace),
        )

    def limits(self, longest: int, contexts: tuple[int, ...]) -> Limits:
        """How far the replica goes; the stage with the least room decides."""
        stages = range(self.pp)
        return Limits(
            max_context_tokens=self.longest(longest),
            max_context_tokens_low=self.longest(longest, 2),
            sequences_at={tokens: self.sequences(tokens) for tokens in contexts},
            kv_pool_tokens=min(self._pool_tokens(s) for s in stages),
            kv_bytes_per_token_per_gpu=max(blocks.token_bytes() for blocks in self.shape.blocks),
            startable_sequences=self.startable(),
        )

    def _pool_tokens(self, stage: int) -> int:
        """Tokens that a stage's pool holds."""
        blocks = self.shape.blocks[stage]
        return blocks.pool_tokens(blocks.token_pool(self.pool_bytes(stage)))

    def tokens_by_request(self, context_tokens: int) -> int:
        """Tokens of the pool as vLLM logs them when it is started for a context."""
        flight, workspace = self.shape.in_flight_tokens, self.workspace_bytes(context_tokens)
        return min(
            self.shape.blocks[s].tokens_by_request(
                self.shape.blocks[s].token_pool(self._room(s, 1) - workspace),
                context_tokens,
                flight,
            )
            for s in range(self.pp)
        )

    def longest(self, most: int, bound: int = 1) -> int:
        """Longest context of one sequence, up to ``most`` tokens, at a bound of the fixed part."""
        shape = self.shape
        flight, block = shape.in_flight_tokens, shape.block_tokens
        return min(
            shape.blocks[s].longest_context(
                self._room(s, bound), flight, most, block, self.workspace_bytes
            )
            for s in range(self.pp)
        )

    def sequences(self, context_tokens: int) -> int:
        """Sequences of a length that are resident at once, over all copies of the attention."""
        flight, most = self.shape.in_flight_tokens, self.shape.max_num_seqs
        workspace = self.workspace_bytes(context_tokens)
        return self.dp * min(
            self.shape.blocks[s].sequences(
                self._room(s, 1) - workspace, context_tokens, flight, most
            )
            for s in range(self.pp)
        )

    def most_sequences(self, context_tokens: int, wanted: int) -> int:
        """Count the sequences of a length that are resident at once, up to ``wanted``."""
        return min(wanted, self.sequences(context_tokens))

    def start_warnings(self) -> tuple[Reason, ...]:
        """Say which default may keep the runtime from starting, whatever the request needs."""
        found = []
        most = self.startable()
        if most:  # without room for a single one, memory is the reason
            arguments = {"asked": self.shape.max_num_seqs, "most": most}
            found.append(Reason("STATE_BLOCKS", arguments))
        excess = max(stage.start_excess for stage in self.budgets)
        if excess > 0:
            found.append(Reason("START_ROOM", {"excess_bytes": excess}))
        return tuple(found)

    def startable(self) -> int | None:
        """Most sequences that CUDA graphs can be captured for; ``None`` where all have a block.

        Source:
            vLLM, pull request 38270 (2026-03-26): it refuses to start with more.
        """
        found = [self.shape.blocks[s].state_blocks(self.pool_bytes(s)) for s in range(self.pp)]
        fewest = min((n for n in found if n >= 0), default=self.shape.max_num_seqs)
        too_few = fewest < self.shape.max_num_seqs and not self.settings.enforce_eager
        return fewest if too_few else None
