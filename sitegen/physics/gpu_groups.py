"""GPUs as a runtime finds them: visible and reserved memory, groups that serve a replica."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sitegen.catalog.domain.hardware import (
    Combo,
    Gpu,
    InstalledGpu,
    Interconnect,
    Node,
    OperatingSystem,
    UnifiedMemory,
    Vendor,
)
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.physics.memory.profile_constants import scaled
from sitegen.values import dataclass

ZERO = Interval(0, 0, 0)

Assumptions = Mapping[str, Constant]


@dataclass(frozen=True, slots=True)
class UsableGpu:
    """One GPU of a node with the memory that the system reserves.

    ``visible_bytes = reserved + usable`` at each bound; ``context`` is the memory of a GPU context,
    which a layer-split runtime pays on every GPU it touches.
    """

    gpu: Gpu
    visible_bytes: int
    reserved: Interval
    raised_reserved: Interval
    """Memory that stays reserved after the user raises the system's limit (unified memory)."""
    context: Interval
    load_spike: Interval = ZERO
    """Memory that loading takes beside the model, where the file cache shares the memory."""

    def usable_bytes(self, *, raised: bool = False) -> int:
        """Memory that a process can use, at the middle estimate."""
        return self.visible_bytes - int((self.raised_reserved if raised else self.reserved).mid)


@dataclass(frozen=True, slots=True)
class Hops:
    """Boundaries between stages that a token crosses, by the link that it takes there.

    Attributes:
        network: Interconnect between nodes, ``None`` for one node.
        across: Boundaries between nodes.
        link: Interconnect inside a node, ``None`` for one GPU a node.
        inside: Boundaries inside nodes.
    """

    network: Interconnect | None
    across: int
    link: Interconnect | None
    inside: int

    @property
    def count(self) -> int:
        """All boundaries."""
        return self.across + self.inside


NO_HOPS = Hops(None, 0, None, 0)
"""One stage hands nothing over."""


@dataclass(frozen=True, slots=True)
class GpuGroup:
    """GPUs that can serve one replica, and how many such groups the combo has.

    Attributes:
        ranks: ``(node, gpu)`` indices of the first such set.
        gpus: One per rank.
        replicas: Disjoint groups of this shape in the combo.
        per_node: GPUs the set takes in each node it touches.
        link: Interconnect inside a node, ``None`` for one GPU a node.
        network: Interconnect between nodes, ``None`` for one node.
        ram_bytes: RAM for offload, operating system deducted; 0 where unknown or several nodes.
        ram_bandwidth_bytes_per_s: Of that RAM.
    """

    ranks: tuple[tuple[int, int], ...]
    gpus: tuple[UsableGpu, ...]
    replicas: int
    per_node: int
    link: Interconnect | None
    network: Interconnect | None
    ram_bytes: int
    ram_bandwidth_bytes_per_s: Interval
    nodes: int
    """Number of nodes that the group spans."""
    mixed: bool
    """Whether its GPUs differ in model or memory."""
    smallest: UsableGpu
    """The GPU with the least usable memory."""
    usable_bytes: int
    """Memory that all its GPUs can fill together, any limit raised: nothing larger fits."""
    visible_bytes: int
    """Memory of all its GPUs together that a process sees."""
    slot: str = ""
    """Id of the link between the GPUs of a node, empty for a single one and without RAM to read:
    what their slots carry."""

    def hops(self, tp: int) -> Hops:
        """Count the boundaries that a token crosses between stages of ``tp`` GPUs."""
        starts = range(tp, len(self.ranks), tp)
        if self.network is None:
            return Hops(None, 0, self.link, len(starts))
        across = sum(self.ranks[at - 1][0] != self.ranks[at][0] for at in starts)
        return Hops(self.network, across, self.link, len(starts) - across)

    def slowest(self, start: int, stop: int) -> UsableGpu:
        """Return the GPU with the least bandwidth among some ranks."""
        if not self.mixed:
            return self.gpus[start]
        some = self.gpus[start:stop]
        return min(some, key=lambda d: d.gpu.memory_bandwidth_bytes_per_s)


def usable_gpu(
    installed: InstalledGpu, node: Node, index: int, assumptions: Assumptions
) -> UsableGpu:
    """Describe one GPU of a node; ``index`` 0 carries the desktop, where there is one."""
    gpu, visible = installed.gpu, installed.visible_bytes
    reserved = _reserved(installed, node, index, assumptions)
    raised = reserved
    if isinstance(gpu.memory, UnifiedMemory):
        kept = float(min(gpu.memory.reserve_of(installed.installed_bytes), reserved.mid))
        raised = Interval(min(kept, reserved.low), kept, kept)
    spike = assumptions.get(f"load-spike-{gpu.id}-gib")
    held = scaled(spike) if spike else ZERO
    return UsableGpu(gpu, visible, reserved, raised, _context(gpu, assumptions), held)


def resized(usable_gpu: UsableGpu, visible_bytes: int) -> UsableGpu:
    """Return a chip with shared memory in another size, of which its system holds back a share."""
    memory = usable_gpu.gpu.memory
    if not isinstance(memory, UnifiedMemory):
        raise TypeError(usable_gpu.gpu.id)
    reserved = memory.fraction_of(visible_bytes).left_of(1).times(visible_bytes)
    kept = float(min(memory.reserve_of(visible_bytes), reserved.mid))
    raised = Interval(min(kept, reserved.low), kept, kept)
    return UsableGpu(
        usable_gpu.gpu, visible_bytes, reserved, raised, usable_gpu.context, usable_gpu.load_spike
    )


def _reserved(
    installed: InstalledGpu, node: Node, index: int, assumptions: Assumptions
) -> Interval:
    memory = installed.gpu.memory
    if isinstance(memory, UnifiedMemory):
        share = memory.fraction_of(installed.installed_bytes)
        return share.left_of(1).times(installed.visible_bytes)
    if node.operating_system is OperatingSystem.WINDOWS:
        return scaled(assumptions["reserved-windows-gib"])
    if node.display_attached and index == 0:
        return scaled(assumptions["reserved-display-gib"])
    return ZERO


def _context(gpu: Gpu, assumptions: Assumptions) -> Interval:
    if gpu.vendor is Vendor.CPU:
        return ZERO
    if gpu.vendor is Vendor.APPLE:
        return scaled(assumptions["gpu-context-unified-mib"])
    if gpu.vendor is not Vendor.NVIDIA or gpu.multiprocessors is None:
        return scaled(assumptions["gpu-context-other-mib"])
    base = scaled(assumptions["gpu-context-base-mib"]).mid
    each = scaled(assumptions["gpu-context-per-multiprocessor-mib"]).mid
    spread = scaled(assumptions["gpu-context-spread-mib"]).mid
    mid = base + each * gpu.multiprocessors
    return Interval(max(0.0, mid - spread), mid, mid + spread)


def gpu_groups(combo: Combo, assumptions: Assumptions) -> tuple[GpuGroup, ...]:
    """List the sets of GPUs worth considering for a replica, smallest first.

    Inside a node: runs of equal GPUs in powers of two, all of them, and the whole node where it
    is mixed. Across nodes: powers of two of equal nodes, all of them, and all nodes.
    """
    found: dict[tuple[tuple[int, int], ...], GpuGroup] = {}
    for candidate in (*_inside(combo, assumptions), *_across(combo, assumptions)):
        found.setdefault(candidate.ranks, candidate)
    return tuple(sorted(found.values(), key=lambda s: (len(s.ranks), s.ranks)))


def _sizes(most: int) -> list[int]:
    return sorted({size for size in (1, 2, 4, 8, 16, 32, 64) if size < most} | {most})


def _inside(combo: Combo, assumptions: Assumptions) -> Iterator[GpuGroup]:
    seen: set[tuple[tuple[str, int], ...]] = set()
    for at, node in enumerate(combo.nodes):
        shape = tuple((g.gpu.id, g.visible_bytes) for g in node.gpus)
        if shape in seen:
            continue
        seen.add(shape)
        alike = sum(_shape(other) == shape for other in combo.nodes)
        for start, stop in _runs(shape):
            for size in _sizes(stop - start):
                ranks = tuple((at, g) for g in range(start, start + size))
                replicas = alike * ((stop - start) // size)
                yield _make(combo, ranks, replicas, size, assumptions)
        if len(set(shape)) > 1:
            ranks = tuple((at, g) for g in range(len(shape)))
            yield _make(combo, ranks, alike, len(shape), assumptions)


def _shape(node: Node) -> tuple[tuple[str, int], ...]:
    return tuple((g.gpu.id, g.visible_bytes) for g in node.gpus)


def _runs(shape: tuple[tuple[str, int], ...]) -> Iterator[tuple[int, int]]:
    start = 0
    for i in range(1, len(shape) + 1):
        if i == len(shape) or shape[i] != shape[start]:
            yield start, i
            start = i


def _across(combo: Combo, assumptions: Assumptions) -> Iterator[GpuGroup]:
    kinds: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for at, node in enumerate(combo.nodes):
        kinds.setdefault(_shape(node), []).append(at)
    for alike in kinds.values():
        for nodes in _sizes(len(alike)):
            if nodes > 1:
                yield _spanning(combo, alike[:nodes], len(alike) // nodes, assumptions)
    if len(kinds) > 1:
        yield _spanning(combo, range(len(combo.nodes)), 1, assumptions)


def _spanning(
    combo: Combo, nodes: Sequence[int], replicas: int, assumptions: Assumptions
) -> GpuGroup:
    """Return all GPUs of some nodes as one set."""
    ranks = tuple((n, g) for n in nodes for g in range(len(combo.nodes[n].gpus)))
    per_node = min(len(combo.nodes[n].gpus) for n in nodes)
    return _make(combo, ranks, replicas, per_node, assumptions)


def _make(
    combo: Combo,
    ranks: tuple[tuple[int, int], ...],
    replicas: int,
    per_node: int,
    assumptions: Assumptions,
) -> GpuGroup:
    nodes = [combo.nodes[n] for n in sorted({n for n, _ in ranks})]
    first = nodes[0]
    ram = 0
    if len(nodes) == 1 and first.ram_bytes is not None:
        ram = max(0, first.ram_bytes - int(scaled(assumptions["ram-reserved-gib"]).mid))
    bandwidth = scaled(assumptions["ram-bandwidth-default-gb-s"])
    if first.ram_bandwidth_bytes_per_s is not None:
        bandwidth = Interval.exact(float(first.ram_bandwidth_bytes_per_s))
    gpus = tuple(
        usable_gpu(combo.nodes[n].gpus[g], combo.nodes[n], g, assumptions) for n, g in ranks
    )
    return GpuGroup(
        ranks=ranks,
        gpus=gpus,
        replicas=replicas,
        per_node=per_node,
        link=first.link if per_node > 1 else None,
        network=combo.network if len(nodes) > 1 else None,
        ram_bytes=ram,
        ram_bandwidth_bytes_per_s=bandwidth,
        nodes=len(nodes),
        mixed=len({(d.gpu.id, d.visible_bytes) for d in gpus}) > 1,
        smallest=min(gpus, key=lambda d: d.usable_bytes()),
        usable_bytes=sum(d.usable_bytes(raised=True) for d in gpus),
        visible_bytes=sum(d.visible_bytes for d in gpus),
        slot=first.link.id if ram and first.link and len(first.gpus) > 1 else "",
    )


def exact_set(combo: Combo, size: int, assumptions: Assumptions) -> GpuGroup:
    """Take the first ``size`` GPUs of a combo in rank order as one set."""
    ranks = tuple((n, g) for n, node in enumerate(combo.nodes) for g in range(len(node.gpus)))
    taken = ranks[:size]
    per_node = min(sum(1 for n, _ in taken if n == at) for at in sorted({n for n, _ in taken}))
    return _make(combo, taken, len(ranks) // size, per_node, assumptions)
