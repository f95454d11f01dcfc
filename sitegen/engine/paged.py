"""Ledgers and limits of runtimes that fill a fixed share of the GPU (vLLM and its kin)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sitegen.catalog.domain.models import DefaultsByMemory, RuntimeProfile
from sitegen.catalog.domain.provenance import Interval
from sitegen.engine import kernel
from sitegen.engine.assessment import GpuLedger, Limits, Settings, Workload
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Device, DeviceSet
from sitegen.engine.ledger import closed_ledger, exact, reserved, worst
from sitegen.engine.profiles import numbers

KV_BITS = {"f16": 16, "fp8": 8}
"""KV dtypes a paged runtime offers, in bits per element."""

FAST_LINKS = frozenset({"nvlink", "xgmi", "ualink"})


@dataclass(frozen=True, slots=True)
class PagedShape:
    """Everything about a paged replica that does not depend on whose GPU it is.

    ``layers``, ``fixed`` and ``geometry`` hold one entry per pipeline stage.
    """

    layers: tuple[int, ...]
    fixed: tuple[Mapping[str, Any], ...]
    geometry: tuple[Mapping[str, Any], ...]
    in_flight_tokens: int
    block_tokens: int
    max_num_seqs: int
    with_graphs: bool
    memory_fraction: float


class PagedEngine:
    """A runtime profile with its constants converted once; shapes are remembered."""

    def __init__(self, profile: RuntimeProfile) -> None:
        self.profile = profile
        self.constants = numbers(profile)
        self.shape = lru_cache(maxsize=None)(self._shape)

    def _shape(
        self,
        coefficients: Coefficients,
        tp: int,
        pp: int,
        tokens: int,
        seqs: int,
        kv_dtype: str,
        link: str,
        large: bool,
        eager: bool,
        fraction: float | None,
    ) -> PagedShape:
        m, c = coefficients.numbers, self.constants
        layers = kernel.stage_layers(m["layers"], pp)
        fixed, geometry, start = [], [], 0
        for stage, count in enumerate(layers):
            counts = kernel.kind_counts(m, start, start + count)
            first, last = int(stage == 0), int(stage == pp - 1)
            fixed.append(
                kernel.paged_fixed(
                    m, c, counts, tp, pp, first, last, tokens, seqs, link, int(large), int(eager)
                )
            )
            geometry.append(kernel.paged_geometry(m, c, counts, tp, KV_BITS[kv_dtype]))
            start += count
        return PagedShape(
            layers=tuple(layers),
            fixed=tuple(fixed),
            geometry=tuple(geometry),
            in_flight_tokens=tokens * max(int(c["in_flight_batches"][1]), pp if pp > 1 else 0),
            block_tokens=c["block"],
            max_num_seqs=seqs,
            with_graphs=bool(c["graphs_in_budget"]) and not eager,
            memory_fraction=fraction if fraction is not None else c["memory_fraction"][1],
        )

    def replica(
        self,
        coefficients: Coefficients,
        devices: DeviceSet,
        tp: int,
        pp: int,
        workload: Workload,
        settings: Settings,
    ) -> PagedReplica:
        """Lay a checkpoint out on a set of ``tp * pp`` GPUs."""
        smallest = devices.smallest
        defaults = scheduler_defaults(self.profile, smallest)
        seqs = settings.max_num_seqs or defaults.max_num_seqs
        shape = self.shape(
            coefficients,
            tp,
            pp,
            settings.max_num_batched_tokens or defaults.max_num_batched_tokens,
            seqs,
            workload.kv_dtype,
            link_kind(devices, tp),
            seen_bytes(smallest, settings) >= self.constants["graphs_large_from_bytes"][1],
            settings.enforce_eager,
            settings.memory_fraction,
        )
        return PagedReplica(coefficients, devices, tp, pp, shape, settings)


def scheduler_defaults(profile: RuntimeProfile, device: Device) -> DefaultsByMemory:
    """Find the scheduler defaults for a GPU; the last row of a profile has no lower bound.

    Source:
        vLLM 0.33, ``engine/arg_utils.py``.
    """
    for row in profile.defaults:
        excluded = any(device.gpu.id.startswith(stem) for stem in row.excluded_gpus)
        if device.visible_bytes >= row.min_visible_bytes and not excluded:
            return row
    return profile.defaults[-1]


def link_kind(devices: DeviceSet, tp: int) -> str:
    """``nvlink`` for any fast fabric, ``bus`` for the rest, ``none`` without tensor parallelism."""
    if tp == 1:
        return "none"
    crosses = tp > devices.per_node or devices.link is None
    link = devices.network if crosses else devices.link
    return "nvlink" if link is not None and link.kind in FAST_LINKS else "bus"


def seen_bytes(device: Device, settings: Settings) -> int:
    """Return the total that the runtime takes its share of: visible, or the limit of shared memory."""
    if device.reserved.mid > 0:
        return device.usable_bytes(raised=settings.raised_limit)
    return device.visible_bytes


@dataclass(frozen=True, slots=True)
class PagedReplica:
    """One replica on its GPUs: stage ``s`` holds ranks ``s*tp`` to ``s*tp + tp - 1``."""

    coefficients: Coefficients
    devices: DeviceSet
    tp: int
    pp: int
    shape: PagedShape
    settings: Settings

    def _stage_devices(self, stage: int) -> tuple[Device, ...]:
        return self.devices.devices[stage * self.tp : (stage + 1) * self.tp]

    @property
    def budget_bytes(self) -> int:
        """What a rank may fill: every rank takes the same share, so the smallest GPU decides."""
        seen = min(seen_bytes(d, self.settings) for d in self.devices.devices)
        return int(self.shape.memory_fraction * seen)

    def pool_bytes(self, stage: int, bound: int = 1) -> int:
        """KV pool of a stage at a bound of its fixed part (0 low, 1 mid, 2 high)."""
        fixed = kernel.fixed_total(self.shape.fixed[stage], bound, int(self.shape.with_graphs))
        return self.budget_bytes - fixed

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
        budget = self.budget_bytes
        fixed, graphs = self.shape.fixed[stage], int(self.shape.with_graphs)
        low, mid, high = ((kernel.fixed_total(fixed, b, graphs) + cache) / budget for b in range(3))
        return Interval(low, mid, high)

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
        )
