"""A machine in the catalog's words: which GPUs it has, what joins them, and the combo it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    Gpu,
    InstalledGpu,
    Interconnect,
    Node,
    OperatingSystem,
    UnifiedMemory,
)
from sitegen.catalog.domain.provenance import Interval
from sitegen.here.machine import FoundGpu, MachineReport
from sitegen.importers.spellings.gpus import GpuNames
from sitegen.problems import SourceSpan
from sitegen.units import GIB
from sitegen.values import dataclass

THIS_MACHINE = SourceSpan("<this machine>")
WORD = "here"
"""What stands for this machine where a combo or a GPU is named."""
_PCIE = re.compile(r"pcie-(\d+)-x(\d+)")


class UnjudgedError(Exception):
    """Why a machine makes no combo, in words for the person at it."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A GPU with the ids of the catalog that its name and memory may mean: one, several or none.

    ``or_another`` says that its name may also mean a GPU that has no record.
    """

    found: FoundGpu
    ids: tuple[str, ...]
    or_another: bool = False

    @property
    def id(self) -> str:
        """The one id; empty where there is none or where it is open."""
        return self.ids[0] if len(self.ids) == 1 and not self.or_another else ""


def recognised(machine: MachineReport, catalog: Catalog) -> tuple[Recognised, ...]:
    """Name every GPU by the catalog's own rule for names of drivers."""
    names = GpuNames(catalog.gpus)
    return tuple(_recognised(one, names) for one in machine.gpus)


def _recognised(found_gpu: FoundGpu, names: GpuNames) -> Recognised:
    if found_gpu.name.endswith("..."):  # a name that the table cut may be any of several
        return Recognised(found_gpu, ())
    device = _device(found_gpu.name)
    alternatives = [ids for name in _alternatives(device) if (ids := _ids(name, found_gpu, names))]
    if "/" in device:
        found = dict.fromkeys(id for ids in alternatives for id in ids)
        return Recognised(found_gpu, tuple(found), len(alternatives) < len(_alternatives(device)))
    found_ids = alternatives[0] if alternatives else _ids(found_gpu.name, found_gpu, names)
    return Recognised(found_gpu, found_ids)


def _ids(name: str, found_gpu: FoundGpu, names: GpuNames) -> tuple[str, ...]:
    """List the ids that a name may mean, with the memory of a card, without that of a chip."""
    size = found_gpu.memory_bytes / GIB if found_gpu.memory_bytes else None
    found = [id for id in names.meant(name, size) if _is_of(found_gpu, names.gpus[id])]
    if not found:
        found = [id for id in names.meant(name) if _is_of(found_gpu, names.gpus[id])]
        found = [id for id in found if isinstance(names.gpus[id].memory, UnifiedMemory)]
    if found_gpu.vendor == "nvidia" and "NVL" not in name.upper():  # the driver names those so
        found = [id for id in found if not id.endswith("-nvl")] or found
    return tuple(found)


def _is_of(found_gpu: FoundGpu, gpu: Gpu) -> bool:
    return not found_gpu.vendor or found_gpu.vendor == gpu.vendor.value


def _device(name: str) -> str:
    """Return the product that a list of PCI devices has in brackets, else the name.

    >>> _device("Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [RX 9070/9070 XT]")
    'RX 9070/9070 XT'
    """
    inside = re.findall(r"\[([^\][]+)\]", name)
    return next((one for one in reversed(inside) if "/ATI" not in one), name)


def _alternatives(device: str) -> list[str]:
    """List the products that share a device: what stands before the first number is theirs all.

    >>> _alternatives("Radeon RX 6700/6700 XT / 6800M")
    ['Radeon RX 6700', 'Radeon RX 6700 XT', 'Radeon RX 6800M']
    """
    parts = [part.strip() for part in device.split("/")]
    series = re.match(r"\D*", parts[0])
    prefix = series[0] if series else ""
    return [parts[0], *(one if one.startswith(prefix) else prefix + one for one in parts[1:])]


def combo_here(machine: MachineReport, catalog: Catalog) -> tuple[Combo, tuple[str, ...]]:
    """Make the combo that the machine is, with the memory that is free and the links that it has.

    Returns:
        The combo, and what its reader must know beside it.

    Raises:
        UnjudgedError: If no GPU of the catalog is there, or one cannot be told from another.
    """
    known = recognised(machine, catalog)
    notes = [*_unknown(known), *_busy(known)]
    chosen = [one for one in known if one.id and not one.found.partitioned]
    _refuse(known, chosen)
    system = operating_system(machine)
    held = _held_by(system, catalog)
    gpus = tuple(_installed(one.found, catalog.gpus[one.id], machine, held) for one in chosen)
    link, why = node_link(machine, chosen, catalog)
    notes += [why] if why else []
    words = " + ".join(_counted([catalog.gpus[one.id].name for one in chosen]))
    node = Node(
        name="this machine",
        gpus=gpus,
        link=link,
        ram_bytes=None if _shares_memory(gpus) else machine.ram_free_bytes or machine.ram_bytes,
        ram_bandwidth_bytes_per_s=machine.ram_bandwidth_bytes_per_s,
        operating_system=system,
        display_attached=False,  # what a desktop holds is not free already
    )
    combo = Combo(
        id=WORD, name=f"this machine ({words})", summary="", nodes=(node,), network=None,
        orchestrator="", prose=ComboProse("", "", ()), notes="", sources=(), span=THIS_MACHINE,
    )  # fmt: skip
    return combo, tuple(notes)


def _refuse(known: tuple[Recognised, ...], chosen: list[Recognised]) -> None:
    """Say why nothing can be judged, where that is so."""
    if not known:
        raise UnjudgedError(
            "no tool on this machine reports a GPU; `sitegen here` prints what it read"
        )
    for recognised in known:
        if recognised.ids and not recognised.id:
            others = ["a GPU without a record"] if recognised.or_another else []
            may = " or ".join((*recognised.ids, *others))
            raise UnjudgedError(f"{recognised.found.name} may be {may}: give the id to --gpu")
    if not chosen:
        cut = [recognised.found.name for recognised in known if recognised.found.partitioned]
        if cut:
            raise UnjudgedError(
                f"{cut[0]} is cut into instances (MIG), which sitegen does not assess"
            )
        names = ", ".join(recognised.found.name or "a GPU without a name" for recognised in known)
        raise UnjudgedError(f"the catalog has no record of {names}: `sitegen new gpu` starts one")


def _unknown(known: tuple[Recognised, ...]) -> Iterator[str]:
    for one in known:
        if not one.ids:
            yield (
                f"{one.found.name or 'a GPU without a name'} is not in the catalog; sitegen "
                "leaves it out"
            )
        elif one.found.partitioned:
            yield f"{one.found.name} is cut into instances (MIG); sitegen leaves it out"


def _busy(known: tuple[Recognised, ...]) -> Iterator[str]:
    """Say where a program holds so much that the answer is about what it leaves."""
    for one in known:
        total, free = one.found.memory_bytes, one.found.free_bytes
        if one.id and total and free is not None and free < 0.9 * total:
            yield (
                f"GPU {one.found.index}: {free / GIB:.1f} of {total / GIB:.1f} GiB are free; "
                "sitegen counts only these"
            )


def operating_system(machine: MachineReport) -> OperatingSystem:
    """Return the system by its own word, or by what only one of them has."""
    word = machine.system.lower()
    if "macos" in word or "darwin" in word:
        return OperatingSystem.MACOS
    if "windows" in word or any(one.driver_model for one in machine.gpus):
        return OperatingSystem.WINDOWS
    return OperatingSystem.LINUX


def _counted(names: list[str]) -> list[str]:
    return [
        name if names.count(name) == 1 else f"{names.count(name)}× {name}"
        for name in dict.fromkeys(names)
    ]


def _shares_memory(gpus: tuple[InstalledGpu, ...]) -> bool:
    return all(isinstance(one.gpu.memory, UnifiedMemory) for one in gpus)


def _held_by(system: OperatingSystem, catalog: Catalog) -> int:
    """Return what the engine takes off for a system, which is not free already when it is read."""
    if system is not OperatingSystem.WINDOWS:
        return 0
    return int(catalog.assumptions["reserved-windows-gib"].value.mid * GIB)


def _installed(found_gpu: FoundGpu, gpu: Gpu, machine: MachineReport, held: int) -> InstalledGpu:
    """Install a GPU with what it has free now; ``held`` is taken off by the engine once more."""
    if isinstance(gpu.memory, DedicatedMemory):
        visible = gpu.memory.visible_bytes
        free = (
            visible if found_gpu.free_bytes is None else min(visible, found_gpu.free_bytes) + held
        )
        return InstalledGpu(gpu, gpu.memory.installed_bytes, max(free, 1))
    installed = shared_memory_bytes(found_gpu, gpu, machine)
    limited = replace(gpu, memory=_limited(found_gpu, gpu.memory, installed, machine))
    return InstalledGpu(limited, installed, installed)


def shared_memory_bytes(found_gpu: FoundGpu, gpu: Gpu, machine: MachineReport) -> int:
    """Return the size that is sold and holds what the system counts and the firmware set aside.

    Raises:
        UnjudgedError: If the machine does not say its memory, or none is sold with as much.
    """
    memory = gpu.memory
    if not isinstance(memory, UnifiedMemory):
        raise TypeError(gpu.id)
    if machine.ram_bytes is None:
        raise UnjudgedError(f"no tool reports how much memory the {gpu.name} has")
    aside = found_gpu.memory_bytes or 0 if found_gpu.vendor == "amd" else 0
    there = sum(one.size_bytes for one in machine.modules) or machine.ram_bytes + aside
    fitting = [size for size in sorted(memory.options_bytes) if size >= there]
    if not fitting:
        raise UnjudgedError(f"the {gpu.name} is not listed with {there / GIB:.0f} GiB")
    return fitting[0]


def _limited(
    found_gpu: FoundGpu, memory: UnifiedMemory, installed: int, machine: MachineReport
) -> UnifiedMemory:
    """Hold a chip with shared memory to the limit that its system has, and to what is free.

    On AMD it is the larger of what may be mapped (GTT) and what the firmware set aside: a runtime
    fills one of the two.
    """
    limit = machine.wired_limit_bytes
    if found_gpu.mapped_bytes is not None:
        limit = max(found_gpu.mapped_bytes, found_gpu.memory_bytes or 0)
    free = installed if machine.ram_free_bytes is None else machine.ram_free_bytes
    if found_gpu.vendor == "amd" and found_gpu.free_bytes:
        free = max(free, found_gpu.free_bytes)
    raised = min(installed, max(memory.reserve_of(installed), installed - free))
    usual = memory.fraction_of(installed).mid * installed
    if limit is None and free >= usual:
        return replace(memory, raised_reserve_bytes=raised, larger_reserves=())
    most = usual if limit is None else limit
    share = min(most, free, installed) / installed
    return replace(
        memory,
        default_fraction=Interval(share, share, share),
        raised_reserve_bytes=raised,
        larger_fractions=(),
        larger_reserves=(),
    )


def node_link(
    machine: MachineReport, chosen: list[Recognised], catalog: Catalog
) -> tuple[Interconnect | None, str]:
    """Return the link that joins the GPUs of a machine, and what is to be said of it.

    A machine is judged by its slowest pair: a bridge between some of its GPUs is not its link.

    Raises:
        UnjudgedError: If no tool says what joins them, and the catalog neither.
    """
    if len(chosen) < 2:
        return None, ""
    direct = _direct(machine, chosen, catalog)
    if direct is not None:
        return direct, ""
    found = [_pcie(one, catalog) for one in chosen]
    slowest = min(found, key=lambda one: one.nominal_bytes_per_s or 0)
    bridged = any(re.match(r"NV\d", pair.word) for pair in machine.pairs)
    why = [] if machine.pairs else ["no tool reports how the GPUs are connected; we assume PCIe"]
    if bridged:
        why.append(
            "NVLink connects only some of the GPUs; we assume PCIe, which connects the others"
        )
    why += [_beside(one, slowest) for one in chosen if _beside(one, slowest)][:1]
    return slowest, "; ".join(why)


def link_words(machine: MachineReport, known: tuple[Recognised, ...], catalog: Catalog) -> str:
    """Say which interconnect of the catalog joins the GPUs; empty where that is not known."""
    chosen = [one for one in known if one.id]
    if len(chosen) < 2 or not (machine.pairs or any(pcie_id(one.found) for one in chosen)):
        return ""
    try:
        link, why = node_link(machine, chosen, catalog)
    except UnjudgedError:
        return ""
    name = "" if link is None else f"{link.name} ({link.id})"
    return f"{name}: {why}" if name and why else name


def _direct(
    machine: MachineReport, chosen: list[Recognised], catalog: Catalog
) -> Interconnect | None:
    """Return NVLink or xGMI where every pair has it and the GPU's record names it."""
    if len({recognised.found.vendor for recognised in chosen}) > 1:
        return None  # tools number GPUs of their own vendor
    indices = {recognised.found.index for recognised in chosen}
    words = [p.word for p in machine.pairs if {p.first, p.second} <= indices]
    wanted = len(indices) * (len(indices) - 1) // 2
    kind = "nvlink" if all(re.match(r"NV\d", word) for word in words) else "xgmi"
    if len(words) != wanted or (kind == "xgmi" and set(words) != {"XGMI"}):
        return None
    gpus = [catalog.gpus[recognised.id] for recognised in chosen]
    shared = [id for id in gpus[0].links if all(id in gpu.links for gpu in gpus)]
    named = [catalog.interconnects[id] for id in shared]
    named = [link for link in named if link.kind == kind]
    if not named:
        return None
    return named[-1] if _switched(machine, words) else named[0]


def _switched(machine: MachineReport, words: list[str]) -> bool:
    """Return whether all links of a GPU lead to each of several others, which only a switch can."""
    per_gpu = {len(one.rates_bytes_per_s) for one in machine.links}
    most = max(per_gpu, default=0)
    return len(words) > 1 and all(word == f"NV{most}" for word in words)


def pcie_id(found_gpu: FoundGpu) -> str:
    """Name the link of a GPU: the lanes that it has, at the generation that both ends allow.

    A GPU that rests lowers its generation, so that the one of the moment says little.
    """
    link = found_gpu.pcie
    at = link.most_generation or link.generation
    lanes = link.width or link.most_width
    return f"pcie-{at}-x{lanes}" if at and lanes else ""


def _pcie(recognised: Recognised, catalog: Catalog) -> Interconnect:
    """Return the link of a GPU, or the fastest of the catalog that is not faster."""
    name = pcie_id(recognised.found)
    known = {id: link for id, link in catalog.interconnects.items() if _PCIE.fullmatch(id)}
    if not name:
        bus = catalog.gpus[recognised.id].bus
        if bus not in catalog.interconnects:
            raise UnjudgedError(
                f"no tool reports what connects {recognised.found.name} to the others: give "
                "--node-link"
            )
        return catalog.interconnects[bus]
    if name in known:
        return known[name]
    slower = [link for id, link in known.items() if _speed(id) <= _speed(name)]
    return max(slower, key=lambda link: _speed(link.id), default=min(
        known.values(), key=lambda link: _speed(link.id)
    ))  # fmt: skip


def _speed(id: str) -> float:
    found = _PCIE.fullmatch(id)
    return 0.0 if found is None else 2.0 ** int(found[1]) * int(found[2])


def _beside(recognised: Recognised, judged: Interconnect) -> str:
    """Say where the link that is judged is another than the one that was read."""
    name = pcie_id(recognised.found)
    if not name:
        return f"no tool reports the link of {recognised.found.name}; we assume {judged.name}"
    if _speed(name) < _speed(judged.id):
        return f"{recognised.found.name} runs at {spoken_pcie(name)}, slower than {judged.name}"
    return ""


def spoken_pcie(id: str) -> str:
    """Say a link's id.

    >>> spoken_pcie("pcie-4-x8")
    'PCIe 4.0 x8'
    """
    found = _PCIE.fullmatch(id)
    return f"PCIe {found[1]}.0 x{found[2]}" if found else id
