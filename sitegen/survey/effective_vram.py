"""Effective VRAM: what one replica can fill under each kind of plan, whatever the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import MemoryModel, Runtime, RuntimeProfile
from sitegen.fit.compatibility import hardware_refusal
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.gpu_groups import DeviceSet
from sitegen.physics.memory.paged import FAST_LINKS, default_step
from sitegen.physics.memory.paged_profile import (
    PagedProfile,
    Rank,
    ReserveForActivations,
    ShareOfFree,
)
from sitegen.physics.memory.paged_replica import seen_bytes
from sitegen.physics.memory.profile_constants import paged_profile
from sitegen.physics.plan import DEFAULTS, PlanKind, Reason, RefusedPlan
from sitegen.survey.results import EffectiveVram


def effective_vram(engine: FitEngine, combo: Combo) -> tuple[EffectiveVram, ...]:
    """List what a replica can fill under every plan worth considering, largest first."""
    found: list[EffectiveVram] = []
    for runtime, profile in engine.surveyed_runtimes():
        for devices, copies in engine.sets(combo):
            if _runs(runtime, devices):
                found += _of_set(runtime, profile, devices, copies)
    return tuple(sorted(found, key=lambda e: (-e.bytes, e.runtime.id, e.replicas)))


def _runs(runtime: Runtime, devices: DeviceSet) -> bool:
    joined = devices.nodes == 1 or runtime.capabilities.multi_node
    return joined and hardware_refusal(runtime, [d.gpu for d in devices.devices]) is None


def _of_set(
    runtime: Runtime, profile: RuntimeProfile, devices: DeviceSet, copies: int
) -> Iterator[EffectiveVram]:
    if runtime.memory_model is MemoryModel.PAGED:
        yield _paged(runtime, profile, devices, copies)
    else:
        usable = sum(d.usable_bytes() for d in devices.devices)
        overhead = sum(int(d.context.mid) for d in devices.devices)
        kind = PlanKind.SINGLE if len(devices.ranks) == 1 else PlanKind.LAYER_SPLIT
        if devices.nodes > 1:
            kind = PlanKind.REMOTE_LAYER_SPLIT
        gpus = len(devices.ranks)
        yield EffectiveVram(runtime, kind, gpus, 1, 1, copies, usable, usable - overhead, None)


def _paged(
    runtime: Runtime, profile: RuntimeProfile, devices: DeviceSet, copies: int
) -> EffectiveVram:
    c = paged_profile(profile)
    size = len(devices.ranks)
    tp = min(size, devices.per_node) if size % max(1, devices.per_node) == 0 else 1
    pp = size // tp
    seen = min(seen_bytes(d, DEFAULTS) for d in devices.devices)
    step = default_step(profile, devices.smallest, (tp, pp))
    fast = devices.link is not None and devices.link.kind in FAST_LINKS
    rank = Rank(replace(step, link="nvlink" if fast else "bus"), tp, pp, 0)
    budget, taken = _budget(c, rank, seen=seen)
    kind = PlanKind.SINGLE
    if tp > 1:
        kind = PlanKind.TENSOR_PIPELINE if pp > 1 else PlanKind.TENSOR
    elif pp > 1:
        kind = PlanKind.PIPELINE
    note = None
    if devices.mixed:
        by_size = sorted(devices.devices, key=lambda d: d.visible_bytes)
        arguments = {"smallest": by_size[0].gpu.id, "largest": by_size[-1].gpu.id}
        note = Reason("MIXED_GPUS_TP_MIN", arguments)
    left = size * (budget - taken)
    return EffectiveVram(runtime, kind, size, tp, pp, copies, size * budget, left, note)


def _budget(c: PagedProfile, rank: Rank, *, seen: int) -> tuple[int, int]:
    """Return what one rank may fill and what of it the runtime takes, before any model."""
    overhead, share = int(c.non_torch_bytes(rank, 1)), c.share
    if isinstance(share, ReserveForActivations):
        fraction = share.usual_fraction(rank, seen, 1, latent=False, sees=False)
        return int(fraction * (seen - overhead)) + overhead, overhead
    taken = overhead
    if c.graphs_in_budget:
        graphs, large = share.graphs, seen >= c.graphs_large_from_bytes
        taken += int((graphs.graphs_large_bytes if large else graphs.graphs_small_bytes)[1])
    if isinstance(share, ShareOfFree):
        return int(share.memory_fraction * seen + (1 - share.memory_fraction) * taken), taken
    return int(share.memory_fraction * seen), taken


def refused_on(combo: Combo) -> tuple[RefusedPlan, ...]:
    """List what this combo refuses whatever the model: tensor parallelism over a slow link."""
    per_node = min(len(node.gpus) for node in combo.nodes)
    total = len(combo.gpus)
    if len(combo.nodes) < 2 or combo.network is None or combo.network.rdma:
        return ()
    sizes = [tp for tp in (2, 4, 8, 16, 32, 64) if per_node < tp <= total]
    reason = Reason("TP_ACROSS_NODES", {"link": combo.network.id})
    return tuple(RefusedPlan(tp, 1, total // tp, reason) for tp in sizes)
