"""One replica of a paged runtime on its GPUs: utilization, ledger and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.catalog.domain.provenance import Interval
from sitegen.engine import kernel
from sitegen.engine.assessment import GpuLedger, Limits, Settings
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Device, DeviceSet
from sitegen.engine.ledger import closed_ledger, exact, reserved, worst


def seen_bytes(device: Device, settings: Settings) -> int:
    """Return the total that the runtime takes its share of: visible, or shared memory's limit."""
    if device.reserved.mid > 0:
        return device.usable_bytes(raised=settings.raised_limit)
    return device.visible_bytes


@dataclass(frozen=True, slots=True)
class PagedShape:
    """Everything about a paged replica that does not depend on whose GPU it is.

    ``layers``, ``counts`` (layers by kind), ``fixed``, ``fixed_totals`` and ``geometry`` hold one
    entry per pipeline stage.
    """

    layers: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]
    fixed: tuple[Mapping[str, Any], ...]
    fixed_totals: tuple[tuple[int, int, int], ...]
    geometry: tuple[Mapping[str, Any], ...]
    in_flight_tokens: int
    block_tokens: int
    max_num_seqs: int
    with_graphs: bool


@dataclass(frozen=True, slots=True)
class PagedReplica:
    """One replica on its GPUs: stage ``s`` holds ranks ``s*tp`` to ``s*tp + tp - 1``."""

    coefficients: Coefficients
    devices: DeviceSet
    tp: int
    pp: int
    shape: PagedShape
    settings: Settings
    budget_bytes: int
    """What a rank may fill: every rank takes the same share, so the smallest GPU decides."""

    def _stage_devices(self, stage: int) -> tuple[Device, ...]:
        return self.devices.devices[stage * self.tp : (stage + 1) * self.tp]

    def pool_bytes(self, stage: int, bound: int = 1) -> int:
        """KV pool of a stage at a bound of its fixed part (0 low, 1 mid, 2 high)."""
        return self.budget_bytes - self.shape.fixed_totals[stage][bound]

    def request_bytes(self, stage: int, context_tokens: int) -> int:
        """Cache of one request on a rank of a stage."""
        geometry = self.shape.geometry[stage]
        return kernel.request_bytes(geometry, context_tokens, self.shape.in_flight_tokens)

    def utilization(self, context_tokens: int, sequences: int) -> Interval:
        """Need over budget of the busiest rank, at each bound; may exceed 1."""
        return worst(
            self._stage_utilization(stage, context_tokens, sequences) for stage in range(self.pp)
        )

    def _stage_utilization(self, stage: int, context_tokens: int, sequences: int) -> Interval:
        cache = self.request_bytes(stage, context_tokens) * sequences
        low, mid, high = self.shape.fixed_totals[stage]
        budget = max(1, self.budget_bytes)
        return Interval((low + cache) / budget, (mid + cache) / budget, (high + cache) / budget)

    def ledger(self, context_tokens: int, sequences: int) -> tuple[GpuLedger, ...]:
        """One ledger per rank."""
        ledgers = []
        for stage in range(self.pp):
            one = self.request_bytes(stage, context_tokens)
            for t, device in enumerate(self._stage_devices(stage)):
                node, gpu = self.devices.ranks[stage * self.tp + t]
                ledgers.append(self._rank_ledger(stage, device, node, gpu, one * sequences))
        return tuple(ledgers)

    def _rank_ledger(
        self, stage: int, device: Device, node: int, gpu: int, cache: int
    ) -> GpuLedger:
        fixed = self.shape.fixed[stage]
        state = min(cache, self._state_bytes(stage))
        lines = {
            "reserved_os": reserved(device, self.settings),
            "context": Interval(*fixed["context"]),
            "weights": Interval(*fixed["weights"]),
            "kv": exact(cache - state),
            "state": exact(state),
            "compute": Interval(*fixed["compute"]),
            "communication": Interval(*fixed["communication"]),
            "graphs": Interval(*fixed["graphs"]),
            "fragmentation": exact(0),
        }
        budget = self.budget_bytes
        outside = {"reserved_os"} if self.shape.with_graphs else {"reserved_os", "graphs"}
        return closed_ledger(
            node=node,
            gpu=gpu,
            device=device,
            layers=self.shape.layers[stage],
            budget=exact(budget),
            lines=lines,
            outside=frozenset(outside),
        )

    def _state_bytes(self, stage: int) -> int:
        geometry = self.shape.geometry[stage]
        return sum(
            row["n"] * row["state"] if geometry["uniform"] else
            row["groups"] * geometry["size"] * geometry["page"]
            for row in geometry["rows"]
            if row["cache"] == "state"
        )  # fmt: skip

    def limits(self, longest: int, contexts: tuple[int, ...]) -> Limits:
        """How far the replica goes; the stage with the least room decides."""
        block = self.shape.block_tokens
        stages = range(self.pp)
        flight = self.shape.in_flight_tokens

        def reach(bound: int) -> int:
            return min(
                kernel.max_context(
                    self.shape.geometry[s], self.pool_bytes(s, bound), flight, longest, block
                )
                for s in stages
            )

        return Limits(
            max_context_tokens=reach(1),
            max_context_tokens_low=reach(2),
            sequences_at={
                tokens: min(
                    kernel.sequences_at(
                        self.shape.geometry[s],
                        self.pool_bytes(s),
                        tokens,
                        flight,
                        self.shape.max_num_seqs,
                    )
                    for s in stages
                )
                for tokens in contexts
            },
            kv_pool_tokens=min(
                kernel.pool_tokens(self.shape.geometry[s], self.pool_bytes(s)) for s in stages
            ),
            kv_bytes_per_token_per_gpu=max(
                kernel.bytes_per_token(self.shape.geometry[s]) for s in stages
            ),
            startable_sequences=self._startable(),
        )

    def _startable(self) -> int | None:
        """Most sequences that CUDA graphs can be captured for; ``None`` where all have a block.

        Source:
            vLLM, pull request 38270 (2026-03-26): it refuses to start with more.
        """
        found = [
            kernel.state_blocks(self.shape.geometry[s], self.pool_bytes(s, 2))
            for s in range(self.pp)
        ]
        fewest = min((n for n in found if n >= 0), default=self.shape.max_num_seqs)
        too_few = fewest < self.shape.max_num_seqs and not self.settings.enforce_eager
        return fewest if too_few else None
