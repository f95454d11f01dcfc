"""How a checkpoint lies in runtimes that fill a fixed share of the GPU (vLLM and its kin)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sitegen.catalog.domain.models import DefaultsByMemory, RuntimeProfile
from sitegen.engine import kernel
from sitegen.engine.assessment import Settings, Workload
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Device, DeviceSet
from sitegen.engine.paged_replica import PagedReplica, PagedShape, seen_bytes
from sitegen.engine.plans import Split
from sitegen.engine.profiles import numbers

KV_BITS = {"f16": 16, "fp8": 8}
"""KV dtypes a paged runtime offers, in bits per element."""

FAST_LINKS = frozenset({"nvlink", "xgmi", "ualink"})


@dataclass(frozen=True, slots=True)
class StepSizes:
    """What the profiling run of a paged runtime depends on, GPU and checkpoint apart.

    ``link`` is ``nvlink``, ``bus`` or ``none``; ``large`` tells GPUs with the larger CUDA graphs.
    """

    max_num_batched_tokens: int
    max_num_seqs: int
    link: str
    large: bool
    eager: bool


class PagedEngine:
    """A runtime profile with its constants converted once; shapes are remembered."""

    def __init__(self, profile: RuntimeProfile) -> None:
        self.profile = profile
        self.constants = numbers(profile)
        self.handover_tensors = int(self.constants["handover_tensors"][1])
        self._large_from = self.constants["graphs_large_from_bytes"][1]
        self.shape = lru_cache(maxsize=None)(self._shape)
        self._stages = lru_cache(maxsize=None)(self._stages_of)

    def replica(
        self,
        coefficients: Coefficients,
        devices: DeviceSet,
        split: Split,
        workload: Workload,
        settings: Settings,
    ) -> PagedReplica:
        """Lay a checkpoint out on a set of ``tp * pp`` GPUs."""
        tp, pp = split
        seen = seen_bytes(devices.smallest, settings)
        defaults = scheduler_defaults(self.profile, devices.smallest)
        sizes = StepSizes(
            settings.max_num_batched_tokens or defaults.max_num_batched_tokens,
            settings.max_num_seqs or defaults.max_num_seqs,
            link_kind(devices, tp),
            seen >= self._large_from,
            settings.enforce_eager,
        )
        fraction = settings.memory_fraction or self.constants["memory_fraction"][1]
        return PagedReplica(
            coefficients=coefficients,
            devices=devices,
            tp=tp,
            pp=pp,
            shape=self.shape(coefficients, split, sizes, workload.kv_dtype),
            settings=settings,
            budget_bytes=int(fraction * seen),
        )

    def _shape(
        self, coefficients: Coefficients, split: Split, sizes: StepSizes, kv_dtype: str
    ) -> PagedShape:
        _, pp = split
        layers, counts, geometry = self._stages(coefficients, split, kv_dtype)
        with_graphs = bool(self.constants["graphs_in_budget"]) and not sizes.eager
        fixed = tuple(
            self._fixed(coefficients, split, sizes, list(counts[stage]), stage)
            for stage in range(pp)
        )
        totals = tuple(
            (
                kernel.fixed_total(one, 0, int(with_graphs)),
                kernel.fixed_total(one, 1, int(with_graphs)),
                kernel.fixed_total(one, 2, int(with_graphs)),
            )
            for one in fixed
        )
        flight = max(int(self.constants["in_flight_batches"][1]), pp if pp > 1 else 0)
        return PagedShape(
            layers=layers,
            counts=counts,
            fixed=fixed,
            fixed_totals=totals,
            geometry=geometry,
            in_flight_tokens=sizes.max_num_batched_tokens * flight,
            block_tokens=self.constants["block"],
            max_num_seqs=sizes.max_num_seqs,
            with_graphs=with_graphs,
        )

    def _fixed(
        self,
        coefficients: Coefficients,
        split: Split,
        sizes: StepSizes,
        counts: list[int],
        stage: int,
    ) -> Mapping[str, Any]:
        tp, pp = split
        return kernel.paged_fixed(
            coefficients.numbers,
            self.constants,
            counts,
            tp,
            pp,
            int(stage == 0),
            int(stage == pp - 1),
            sizes.max_num_batched_tokens,
            sizes.max_num_seqs,
            sizes.link,
            int(sizes.large),
            int(sizes.eager),
        )

    def _stages_of(
        self, coefficients: Coefficients, split: Split, kv_dtype: str
    ) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[Mapping[str, Any], ...]]:
        """Layers, layers by kind, and cache geometry of each stage."""
        tp, pp = split
        m, bits = coefficients.numbers, KV_BITS[kv_dtype]
        layers = tuple(kernel.stage_layers(m["layers"], pp))
        counts, geometry, start = [], [], 0
        for number in layers:
            held = kernel.kind_counts(m, start, start + number)
            counts.append(tuple(held))
            geometry.append(kernel.paged_geometry(m, self.constants, held, tp, bits))
            start += number
        return layers, tuple(counts), tuple(geometry)


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
