"""Every sensible build: a number of equal GPUs a machine, equal machines, links and RAM."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    Gpu,
    InstalledGpu,
    Interconnect,
    UnifiedMemory,
    Vendor,
)
from sitegen.fit.usual_links import link_inside, own_links
from sitegen.ownership.prices import Basis, Counted, to_buy, to_rent
from sitegen.survey.gpu_counts import (
    COUNTS,
    POWERS,
    counts_of,
    equal_machines,
    installed_kinds,
)
from sitegen.units import GIB
from sitegen.values import dataclass

MACHINES = (2, 4, 8)
"""Equal machines that people join by a network."""
RAM_GIB = (64, 256)
"""RAM beside cards that layers and experts may lie in."""
EVERYWHERE = "ethernet-10g"
FAST = "ethernet-100g"
FASTEST = "infiniband-ndr"
"""Networks between machines: the first for all, the second for cards, the third for servers."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Equal GPUs: a card, or a chip with a size of memory."""

    installed: InstalledGpu

    @property
    def id(self) -> str:
        """The GPU's id; for a chip with the memory of the machine in GiB."""
        gpu = self.installed.gpu
        if isinstance(gpu.memory, UnifiedMemory):
            return f"{gpu.id}-{self.installed.installed_bytes // GIB}gib"
        return gpu.id


@dataclass(frozen=True, slots=True)
class Build:
    """A build and its parts.

    Attributes:
        kind: Its GPUs, all alike.
        gpus: Of each machine.
        machines: Equal ones.
        node_link: Between the GPUs of a machine; ``None`` for one.
        network: Between machines; ``None`` for one.
        ram_gib: RAM that layers may lie in; 0 where none may.
    """

    kind: Kind
    gpus: int
    machines: int
    node_link: Interconnect | None
    network: Interconnect | None
    ram_gib: int = 0

    @property
    def id(self) -> str:
        """Name it by all that it is made of: the same hardware, the same words."""
        words = [f"{self.kind.id}:{self.gpus}"]
        if self.node_link:
            words.append(self.node_link.id)
        if self.network:
            words += [f"nodes-{self.machines}", self.network.id]
        if self.ram_gib:
            words.append(f"ram-{self.ram_gib}")
        return "+".join(words)

    @property
    def fit_options(self) -> str:
        """The words by which ``sitegen fit`` is asked about it."""
        gpu = self.kind.installed.gpu
        words = ["--gpu", f"{gpu.id}:{self.gpus}"]
        if isinstance(gpu.memory, UnifiedMemory):
            words += ["--unified-memory-gib", f"{self.kind.installed.installed_bytes // GIB}"]
        if self.node_link:
            words += ["--node-link", self.node_link.id]
        if self.network:
            words += ["--nodes", f"{self.machines}", "--link", self.network.id]
        if self.ram_gib:
            words += ["--ram-gib", f"{self.ram_gib}"]
        return " ".join(words)

    @property
    def all_gpus(self) -> int:
        """GPUs of all machines."""
        return self.gpus * self.machines

    @property
    def without_ram(self) -> Build:
        """The same build where nothing may lie in RAM."""
        return replace(self, ram_gib=0)

    @property
    def usd(self) -> Counted | None:
        """The price of one of its GPUs; ``None`` without a current price."""
        found = to_buy(self.kind.installed.gpu, memory_bytes=self._size)
        return None if found is None or found.basis is Basis.LAUNCH else found

    @property
    def rent_usd(self) -> Counted | None:
        """The price of an hour of one of its GPUs."""
        return to_rent(self.kind.installed.gpu, memory_bytes=self._size)

    @property
    def _size(self) -> int:
        installed = self.kind.installed
        unified = isinstance(installed.gpu.memory, UnifiedMemory)
        return installed.installed_bytes if unified else 0

    def combo(self) -> Combo:
        """Return it as the engine judges it: headless, on Linux or macOS."""
        return equal_machines(
            self.kind.installed,
            self.gpus,
            self.node_link,
            id_=self.id,
            name=self.id,
            machines=self.machines,
            network=self.network,
            ram_bytes=self.ram_gib * GIB if self.ram_gib else None,
        )


def kinds_of(catalog: Catalog) -> tuple[Kind, ...]:
    """List what builds are made of: GPUs of most machines in the catalog first, then by id."""
    owned = Counter(id_ for combo in catalog.combos.values() for id_ in combo.gpu_ids)
    ordered = sorted(catalog.gpus.values(), key=lambda gpu: (-owned[gpu.id], gpu.id))
    return tuple(Kind(one) for gpu in ordered for one in installed_kinds(gpu))


def builds_of(catalog: Catalog, kind: Kind) -> tuple[Build, ...]:
    """List the builds of a kind: one machine with each link and RAM, then several machines."""
    gpu = kind.installed.gpu
    alone = [
        Build(kind, count, 1, link, None)
        for count in _counts(catalog, gpu)
        for link in _node_links(catalog, gpu, count)
    ]
    with_ram = [replace(one, ram_gib=ram) for one in alone for ram in _ram(gpu)]
    several = [
        Build(kind, count, machines, link, network)
        for count in _counts(catalog, gpu)
        if count in POWERS
        for link in _node_links(catalog, gpu, count)[:1]
        for machines in _machines(gpu)
        for network in _networks(catalog, gpu)
    ]
    return (*alone, *with_ram, *several)


def _counts(catalog: Catalog, gpu: Gpu) -> tuple[int, ...]:
    """GPUs of one machine: what pages count, and of every card as many as there are slots."""
    if isinstance(gpu.memory, UnifiedMemory):
        return (1,)
    return COUNTS if gpu.body.form == "card" else counts_of(catalog, gpu)


def _ram(gpu: Gpu) -> tuple[int, ...]:
    """RAM beside the GPUs; a chip has none beside its own."""
    return () if isinstance(gpu.memory, UnifiedMemory) else RAM_GIB


def _machines(gpu: Gpu) -> tuple[int, ...]:
    return () if gpu.body.form == "laptop" or gpu.vendor is Vendor.CPU else MACHINES


def _node_links(catalog: Catalog, gpu: Gpu, count: int) -> tuple[Interconnect | None, ...]:
    """List what joins so many of a GPU in one machine, the widest first.

    That is its own link where it reaches so many, its slot, a narrower slot where the processor
    is a desktop's, and whatever joins so many of it in a machine of the catalog.
    """
    if count == 1:
        return (None,)
    own, inside = own_links(catalog, gpu, count), link_inside(catalog, gpu, count)
    ids = [inside if inside in own else own[-1]] if own else []
    if gpu.body.form == "card" or not ids:
        ids += [gpu.bus] if gpu.bus else []
        ids += _narrower(catalog, gpu)
    ids += [inside] if inside else []
    ids += [
        node.link.id
        for combo in catalog.combos.values()
        for node in combo.nodes
        if node.link and len(node.gpus) == count and {one.gpu.id for one in node.gpus} == {gpu.id}
    ]
    return tuple(catalog.interconnects[id_] for id_ in dict.fromkeys(ids))


def _narrower(catalog: Catalog, gpu: Gpu) -> list[str]:
    """List the narrower slots of a card's generation, which boards for desktops have."""
    if gpu.segment == "datacenter" or not gpu.bus:
        return []
    bus = catalog.interconnects[gpu.bus]
    found = [
        link
        for link in catalog.interconnects.values()
        if link.kind == bus.kind == "pcie"
        and link.id.rpartition("-")[0] == bus.id.rpartition("-")[0]
        and (link.lanes or 0) < (bus.lanes or 0)
    ]
    return [link.id for link in sorted(found, key=lambda link: -(link.lanes or 0))]


def _networks(catalog: Catalog, gpu: Gpu) -> tuple[Interconnect, ...]:
    """List the networks between machines: usual ones, and those of the catalog's own machines."""
    usual = [EVERYWHERE]
    if gpu.segment != "integrated":
        usual.append(FAST)
    if gpu.segment == "datacenter":
        usual.append(FASTEST)
    seen = [
        combo.network.id
        for combo in catalog.combos.values()
        if combo.network and combo.gpu_ids == (gpu.id,)
    ]
    known = (catalog.interconnects.get(id_) for id_ in dict.fromkeys([*usual, *seen]))
    return tuple(link for link in known if link is not None)
