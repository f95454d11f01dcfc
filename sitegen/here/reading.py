"""One machine from the outputs of all its tools; of several that say the same, the best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sitegen.here import amd, apple, intel, linux, nvidia, outputs, windows
from sitegen.here.machine import FoundGpu, InstalledProgram, MachineReport, Pair, PcieLink


def machine_of(texts: Mapping[str, str]) -> MachineReport:
    """Read the outputs of a machine, by the names of ``outputs.FILES``; others are left alone."""

    def of(file: str) -> str:
        return texts.get(file, "")

    profile, sysctl = of("system-profiler.txt"), of("sysctl.txt")
    mac = apple.overview(profile)
    total, free = linux.memory(of(outputs.MEMINFO))
    if total is None:
        total, free = windows.memory(of("windows-memory.txt"))
    processor = linux.processor(of(outputs.CPUINFO)) or mac.get("Chip", "")
    return MachineReport(
        system=of(outputs.SYSTEM).strip() or ("macOS" if mac else ""),
        computer=" ".join(mac[key] for key in ("Model Name", "Model Identifier") if key in mac),
        processor=processor,
        gpus=_gpus(texts, processor),
        pairs=_pairs(of("nvidia-smi-topo.txt"), of("rocm-smi-topo.json")),
        links=nvidia.active_links(of("nvidia-smi-nvlink.txt")),
        ram_bytes=total if total is not None else apple.memory_bytes(profile, sysctl),
        ram_free_bytes=free,
        modules=linux.modules(of("dmidecode.txt")),
        wired_limit_bytes=apple.wired_limit_bytes(sysctl),
        page_limit_bytes=linux.page_limit_bytes(of(outputs.SYS)),
        programs=tuple(_programs(texts)),
        answered=tuple(file for file in outputs.FILES if of(file).strip()),
    )


def _pairs(topo: str, rocm: str) -> tuple[Pair, ...]:
    return (*nvidia.topology(topo), *amd.topology(rocm))


def _gpus(texts: Mapping[str, str], processor: str) -> tuple[FoundGpu, ...]:
    """List the GPUs of every vendor by its own tool, and others by what the system says."""

    def of(file: str) -> str:
        return texts.get(file, "")

    links = of("nvidia-smi-nvlink.txt")
    own = [
        *_first(nvidia.queried(of("nvidia-smi-query.csv")), nvidia.tabled(of("nvidia-smi.txt")),
                nvidia.named_by_links(links)),
        *_first(amd.of_amd_smi(of("amd-smi-static.json"), of("amd-smi-metric.json")),
                amd.of_rocm_smi(of("rocm-smi.json"))),
        *_intel(of("xpu-smi-discovery.txt"), of("xpu-smi.txt")),
        *apple.displays(of("system-profiler.txt")),
    ]  # fmt: skip
    bus = linux.pci_gpus(of("lspci.txt"))
    known = {found_gpu.vendor for found_gpu in own}
    cards = linux.sys_gpus(of(outputs.SYS))
    own += [
        _named(found_gpu, cards, bus, processor)
        for found_gpu in cards
        if found_gpu.vendor not in known
    ]
    known = {found_gpu.vendor for found_gpu in own}
    own += [found_gpu for found_gpu in bus if found_gpu.vendor not in known]
    if not own and apple.overview(of("system-profiler.txt")).get("Chip", "").startswith("Apple"):
        own = [FoundGpu(apple.overview(of("system-profiler.txt"))["Chip"], "apple", 0)]
    return tuple(_linked(_linked(found_gpu, cards), bus) for found_gpu in own)


def _first(*lists: tuple[FoundGpu, ...]) -> tuple[FoundGpu, ...]:
    return next((some for some in lists if some), ())


def _intel(discovery: str, table: str) -> Iterator[FoundGpu]:
    """Read the devices of ``discovery``, with the memory in use that only the table has."""
    rows = intel.tabled(table)
    free = {one.index: one.free_bytes for one in rows}
    found = intel.discovered(discovery)
    for one in found or rows:
        yield replace(one, free_bytes=free[one.index]) if free.get(one.index) else one


def _named(
    card: FoundGpu, cards: tuple[FoundGpu, ...], bus: tuple[FoundGpu, ...], processor: str
) -> FoundGpu:
    """Name a GPU of ``/sys`` as ``lspci`` or the processor's name does; no vendor tool is there.

    A processor says which of the chips that share a device it has.
    """
    same = [one for one in bus if one.vendor == card.vendor]
    alone = sum(one.vendor == card.vendor for one in cards) == 1
    by_address = [one for one in same if card.address and one.address == card.address]
    listed = by_address or (same if alone and len(same) == 1 else [])
    name = listed[0].name if listed else ""
    chip = linux.graphics_of(processor) if card.vendor == "amd" else ""
    if chip and (chip.casefold() in name.casefold() or (alone and not name)):
        return replace(card, name=chip)
    return replace(card, name=name)


def _linked(found_gpu: FoundGpu, others: Iterable[FoundGpu]) -> FoundGpu:
    """Fill in the link that the system says of the same address."""
    same = next((o for o in others if found_gpu.address and o.address == found_gpu.address), None)
    if same is None or found_gpu is same:
        return found_gpu
    mine, theirs = found_gpu.pcie, same.pcie
    merged = PcieLink(
        mine.generation or theirs.generation,
        mine.width or theirs.width,
        mine.most_generation or theirs.most_generation,
        mine.most_width or theirs.most_width,
    )
    return replace(found_gpu, pcie=merged)


def _programs(texts: Mapping[str, str]) -> Iterator[InstalledProgram]:
    """Name drivers first, then runtimes by what they printed."""
    yield from nvidia.programs(texts.get("nvidia-smi.txt", ""))
    if "nvidia-smi.txt" not in texts:
        found = nvidia.queried(texts.get("nvidia-smi-query.csv", ""))
        if found and found[0].driver:
            yield InstalledProgram("NVIDIA driver", found[0].driver)
    yield from amd.rocm_programs(texts.get("rocm-smi.json", ""))
    for line in texts.get(outputs.PROGRAMS_FILE, "").splitlines():
        name, _, version = line.partition(": ")
        if version:
            yield InstalledProgram(name.strip(), version.strip())
