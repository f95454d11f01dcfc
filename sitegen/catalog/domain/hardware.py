"""Hardware as memory and bandwidth see it, and prices: GPUs, interconnects, nodes, combos."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

from sitegen.catalog.domain.provenance import Evidence, Interval, Source
from sitegen.problems import SourceSpan
from sitegen.values import dataclass


class Vendor(StrEnum):
    """Who makes the GPU; runtimes support vendors, not single GPUs.

    ``CPU`` is no vendor: a processor of any make that computes by itself, from its own RAM.
    """

    NVIDIA = "nvidia"
    AMD = "amd"
    INTEL = "intel"
    APPLE = "apple"
    CPU = "cpu"


class OperatingSystem(StrEnum):
    """The operating system of a node; it decides how much memory is reserved."""

    LINUX = "linux"
    WINDOWS = "windows"
    MACOS = "macos"


@dataclass(frozen=True, slots=True)
class DedicatedMemory:
    """Memory on the card.

    ``installed_bytes`` is the marketing size; ``visible_bytes`` is what a process sees.
    """

    installed_bytes: int
    visible_bytes: int
    visible_evidence: Evidence


@dataclass(frozen=True, slots=True)
class UnifiedMemory:
    """Memory shared by CPU and GPU; how much a machine has is the node's choice.

    Attributes:
        options_bytes: Sizes that are sold.
        default_fraction: Share of installed memory that the GPU may use out of the box.
        raised_reserve_bytes: What must stay with the operating system when the limit is raised.
        larger_fractions: Share from a size upwards, where the system gives more of a large memory.
        larger_reserves: What must stay from a size upwards.
    """

    options_bytes: tuple[int, ...]
    default_fraction: Interval
    raised_reserve_bytes: int
    larger_fractions: tuple[tuple[int, Interval], ...] = ()
    larger_reserves: tuple[tuple[int, int], ...] = ()

    def fraction_of(self, installed_bytes: int) -> Interval:
        """Return the share of so much memory that the GPU may use out of the box."""
        return _for_size(installed_bytes, self.default_fraction, self.larger_fractions)

    def reserve_of(self, installed_bytes: int) -> int:
        """Return what must stay with the system of so much memory when the limit is raised."""
        return _for_size(installed_bytes, self.raised_reserve_bytes, self.larger_reserves)


T = TypeVar("T")


def _for_size(size: int, usual: T, larger: tuple[tuple[int, T], ...]) -> T:
    """Return what holds for a size: the last of what starts at a size, the smallest first."""
    found = usual
    for least, value in larger:
        if size >= least:
            found = value
    return found


@dataclass(frozen=True, slots=True)
class GpuBody:
    """A GPU as an object in a case; cards as their reference design has them.

    Attributes:
        form: ``card``, ``sxm``, ``oam``, ``laptop``; empty where unknown or part of another chip.
        slots: Expansion slots that a card covers.
        cooler: ``active``, ``passive`` or empty.
    """

    form: str = ""
    slots: int | None = None
    length_mm: int | None = None
    power_connectors: str = ""
    cooler: str = ""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU model. Rates are decimal (bytes/s, dense FP16 operations/s with FP32 accumulate)."""

    id: str
    name: str
    vendor: Vendor
    architecture: str
    segment: str
    """``consumer``, ``workstation``, ``datacenter``, ``integrated``."""
    memory: DedicatedMemory | UnifiedMemory
    memory_bandwidth_bytes_per_s: int
    fp16_flops_per_s: float | None
    fp8_flops_per_s: float | None
    compute_capability: tuple[int, int] | None
    """NVIDIA only, e.g. ``(8, 9)``."""
    multiprocessors: int | None
    """Streaming multiprocessors (NVIDIA) or compute units (AMD); sizes the GPU context."""
    bus: str
    """Interconnect id of the host link, e.g. ``pcie-4-x16``; empty where it has none."""
    links: tuple[str, ...]
    """Ids of the GPU-to-GPU interconnects this GPU has beside its bus."""
    tdp_watts: int | None
    launch_price_usd: int | None
    launched: str
    notes: str
    sources: tuple[Source, ...]
    span: SourceSpan
    body: GpuBody = GpuBody()
    prices: tuple[Price, ...] = ()
    """Of one of them, as observed."""
    fp4_flops_per_s: float | None = None
    int8_ops_per_s: float | None = None
    rates_at_hz: int | None = None
    """Clock that the arithmetic rates are stated at."""
    ram_link_bytes_per_s: Interval | None = None
    """Rate at which it reads the RAM of a processor on its own module; ``None`` behind PCIe."""

    @property
    def sees_system_memory(self) -> bool:
        """Whether CUDA counts all memory of the system as the GPU's own."""
        return self.vendor is Vendor.NVIDIA and isinstance(self.memory, UnifiedMemory)


@dataclass(frozen=True, slots=True)
class Interconnect:
    """A link inside a node or between nodes.

    ``latency_s`` is the end-to-end cost of one all-reduce between two ranks without payload,
    ``bus_bandwidth_bytes_per_s`` what a collective sees, ``nominal_bytes_per_s`` the line rate
    in one direction (``None`` where no source gives one).
    """

    id: str
    name: str
    kind: str
    """``ethernet``, ``infiniband``, ``thunderbolt``, ``pcie``, ``nvlink``, ``xgmi``, ``ualink``."""
    between_nodes: bool
    rdma: bool
    nominal_bytes_per_s: int | None
    bus_bandwidth_bytes_per_s: Interval | None
    latency_s: Interval | None
    evidence: Evidence
    notes: str
    sources: tuple[Source, ...]
    span: SourceSpan
    lanes: int | None = None
    """PCIe lanes that it takes of the processor."""


@dataclass(frozen=True, slots=True)
class InstalledGpu:
    """One GPU in one node, with the memory it has there.

    For dedicated memory ``installed_bytes`` and ``visible_bytes`` repeat the GPU's; for unified
    memory they are the node's choice.
    """

    gpu: Gpu
    installed_bytes: int
    visible_bytes: int


@dataclass(frozen=True, slots=True)
class Node:
    """One machine: its GPUs in order, the link between them, its RAM and operating system."""

    name: str
    gpus: tuple[InstalledGpu, ...]
    link: Interconnect | None
    """Between the node's GPUs; ``None`` for a single GPU."""
    ram_bytes: int | None
    """System RAM beside the GPUs; ``None`` where unknown (then nothing is offloaded)."""
    ram_bandwidth_bytes_per_s: int | None
    operating_system: OperatingSystem
    display_attached: bool
    max_watts: int | None = None
    """The most that the whole machine draws, by its maker."""


@dataclass(frozen=True, slots=True)
class FailureMode:
    """A failure, its symptom and its remedy."""

    symptom: str
    check: str
    fix: str


@dataclass(frozen=True, slots=True)
class Operations:
    """Operation of a combo in an editor's words; each part may be empty."""

    power: str = ""
    circuit: str = ""
    slots: str = ""
    cooling: str = ""
    noise: str = ""
    used_market: str = ""
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class ComboProse:
    """An editor's words about a combo; refers to numbers and states none."""

    why: str
    not_for: str
    failure_modes: tuple[FailureMode, ...]
    operations: Operations = Operations()


@dataclass(frozen=True)
class Combo:
    """Nodes and links judged together. Nodes are listed one by one, in rank order."""

    id: str
    name: str
    summary: str
    nodes: tuple[Node, ...]
    network: Interconnect | None
    """Between nodes; ``None`` for one node."""
    orchestrator: str
    """Runtime id of the orchestrator the combo was built for (``ray-serve``), or empty."""
    prose: ComboProse
    notes: str
    sources: tuple[Source, ...]
    span: SourceSpan
    prices: tuple[Price, ...] = ()
    """Of the whole build, as observed."""

    @cached_property
    def gpus(self) -> tuple[InstalledGpu, ...]:
        """All GPUs, node by node."""
        return tuple(gpu for node in self.nodes for gpu in node.gpus)

    @cached_property
    def gpu_ids(self) -> tuple[str, ...]:
        """Ids of the kinds of its GPUs, in order."""
        return tuple(sorted({one.gpu.id for one in self.gpus}))

    @cached_property
    def is_datacenter(self) -> bool:
        """Whether all GPUs are made for servers."""
        return all(one.gpu.segment == "datacenter" for one in self.gpus)

    @property
    def installed_vram_bytes(self) -> int:
        """The plain sum, which no verdict uses."""
        return sum(gpu.installed_bytes for gpu in self.gpus)


class PriceKind(StrEnum):
    """The thing that the amount buys."""

    NEW = "new"
    """One piece from a shop."""
    USED = "used"
    """One piece second-hand."""
    RENT = "rent"
    """An hour of one GPU, or of a whole build."""


@dataclass(frozen=True, slots=True)
class Price:
    """One observed price; ``date`` is an ISO day or month.

    ``memory_bytes`` is the size that was bought, of a chip that is sold with several.
    """

    kind: PriceKind
    amount: Decimal
    currency: str
    date: str
    memory_bytes: int | None
    source: Source
