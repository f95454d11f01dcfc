"""Effective VRAM: what one replica can fill under each kind of plan, whatever the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import MemoryModel, Runtime, RuntimeProfile
from sitegen.fit.compatibility import hardware_refusal
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.gpu_groups import GpuGroup
from sitegen.physics.memory.paged import default_step, fabric_share
from sitegen.physics.memory.paged_profile import (
    PagedProfile,
    RankPlace,
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
        for group, replicas in engine.gpu_groups(combo):
            if _runs(runtime, group):
                found += _of_set(runtime, profile, group, replicas)
    return tuple(sorted(found, key=lambda e: (-e.bytes, e.runtime.id, e.replicas)))


def _runs(runtime: Runtime, group: GpuGroup) -> bool:
    joined = group.nodes == 1 or runtime.capabilities.multi_node
    return joined and hardware_refusal(runtime, [d.gpu for d in group.gpus]) is None


def _of_set(
    runtime: Runtime, profile: RuntimeProfile, group: GpuGroup, replicas: int
) -> Iterator[EffectiveVram]:
    if runtime.memory_model is MemoryModel.PAGED:
        yield _paged(runtime, profile, group, replicas)
    else:
        usable = sum(d.usable_bytes() for d in group.gpus)
        overhead = sum(int(d.context.mid) for d in group.gpus)
        kind = PlanKind.SINGLE if len(group.ranks) == 1 else PlanKind.LAYER_SPLIT
        if group.nodes > 1:
            kind = PlanKind.REMOTE_LAYER_SPLIT
        gpus = len(group.ranks)
        yield EffectiveVram(runtime, kind, gpus, 1, 1, replicas, usable, usable - overhead, None)


def _paged(
    runtime: Runtime, profile: RuntimeProfile, group: GpuGroup, replicas: int
) -> EffectiveVram:
    c = paged_profile(profile)
    size = len(group.ranks)
    tp = _tensor_size(group)
    pp = size // tp
    seen = min(seen_bytes(d, DEFAULTS) for d in group.gpus)
    step = default_step(profile, group.smallest, (tp, pp))
    rank = RankPlace(replace(step, fabric=fabric_share(group.link)), tp, pp, 0)
    budget, taken = _budget(c, rank, seen=seen, whole=group.smallest.gpu.sees_system_memory)
    kind = PlanKind.SINGLE
    if tp > 1:
        kind = PlanKind.TENSOR_PIPELINE if pp > 1 else PlanKind.TENSOR
    elif pp > 1:
        kind = PlanKind.PIPELINE
    note = None
    if group.mixed:
        by_size = sorted(group.gpus, key=lambda d: d.visible_bytes)
        arguments = {"smallest": by_size[0].gpu.id, "largest": by_size[-1].gpu.id}
        note = Reason("MIXED_GPUS_TP_MIN", arguments)
    left = size * (budget - taken)
    return EffectiveVram(runtime, kind, size, tp, pp, replicas, size * budget, left, note)


def _tensor_size(group: GpuGroup) -> int:
    """Return over how many GPUs layers are usually cut.

    They are those of a machine. Machines of one GPU each are joined by RDMA to cut layers over
    them, in powers of two.
    """
    size, per_node = len(group.ranks), max(1, group.per_node)
    if per_node == 1 and group.network is not None and group.network.rdma:
        return size if size & (size - 1) == 0 else 1
    return min(size, per_node) if size % per_node == 0 else 1


def _budget(c: PagedProfile, rank: RankPlace, *, seen: int, whole: bool) -> tuple[int, int]:
    """Return what one rank may fill and what of it the runtime takes, before any model.

    ``whole`` says that the GPU's memory is all that the system has, too.
    """
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
    fraction = c.shared_memory_fraction if whole else 0.0
    return int((fraction or share.memory_fraction) * seen), taken


def refused_on(combo: Combo) -> tuple[RefusedPlan, ...]:
    """List what this combo refuses whatever the model: tensor parallelism over a slow link."""
    per_node = min(len(node.gpus) for node in combo.nodes)
    total = len(combo.gpus)
    if len(combo.nodes) < 2 or combo.network is None or combo.network.rdma:
        return ()
    sizes = [tp for tp in (2, 4, 8, 16, 32, 64) if per_node < tp <= total]
    reason = Reason("TP_ACROSS_NODES", {"link": combo.network.id})
    return tuple(RefusedPlan(tp, 1, total // tp, reason) for tp in sizes)
