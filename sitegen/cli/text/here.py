"""A machine in words and as JSON, with what no tool of it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sitegen.cli.text.tables import print_pairs
from sitegen.here.machine import FoundGpu, MachineReport
from sitegen.here.recognised import Recognised, pcie_id, spoken_pcie
from sitegen.units import GB, GIB

UNKNOWN = "unknown: no tool reports it"


def print_machine(machine: MachineReport, known: Iterable[Recognised], link: str) -> None:
    """Print what was read, GPU by GPU, then what they share."""
    rows = [
        ("System", machine.system or UNKNOWN),
        *([("Computer", machine.computer)] if machine.computer else []),
        ("Processor", machine.processor or UNKNOWN),
        ("RAM", _ram(machine)),
        *([] if machine.system.startswith("macOS") else [("RAM modules", _modules(machine))]),
    ]
    gpus = tuple(known)
    several = len({one.found.vendor for one in gpus}) > 1
    for one in gpus:
        rows += _gpu_rows(one, f" of {one.found.vendor}" if several else "")
    if not gpus:
        rows.append(("GPU", "none: no tool on this machine reports one"))
    if len(gpus) > 1:
        rows.append(("Between GPUs", link or UNKNOWN))
        rows += [(f"GPU {p.first} to GPU {p.second}", p.word) for p in machine.pairs]
    if machine.wired_limit_bytes is not None:
        rows.append(("Wired limit of the GPU", f"{_gib(machine.wired_limit_bytes)}"))
    if machine.page_limit_bytes is not None and any(one.found.vendor == "amd" for one in gpus):
        rows.append(("RAM that GPUs may map", _gib(machine.page_limit_bytes)))
    rows += [(one.name, one.version) for one in machine.programs]
    rows.append(("Sources", ", ".join(machine.answered) or "nothing"))
    print_pairs(rows)


def _gpu_rows(recognised: Recognised, vendor: str) -> list[tuple[str, str]]:
    found_gpu = recognised.found
    head = f"GPU {found_gpu.index}{vendor}"
    rows = [
        (head, found_gpu.name or UNKNOWN),
        (f"{head} in the catalog", _ids(recognised)),
        (f"{head} memory", _memory(found_gpu)),
    ]
    if found_gpu.mapped_bytes is not None:
        rows.append((f"{head} may map (GTT)", _gib(found_gpu.mapped_bytes)))
    if found_gpu.vendor != "apple":
        rows.append((f"{head} PCIe", _pcie(found_gpu)))
    if found_gpu.cores is not None:
        rows.append((f"{head} cores", str(found_gpu.cores)))
    for label, value in (
        ("driver", found_gpu.driver),
        ("driver model", found_gpu.driver_model),
        ("compute capability", found_gpu.compute_capability),
        ("target", found_gpu.target),
    ):
        if value:
            rows.append((f"{head} {label}", value))
    if found_gpu.partitioned:
        rows.append((f"{head} is partitioned", "yes (MIG): no program can use the whole GPU"))
    return rows


def _ids(recognised: Recognised) -> str:
    others = ["a GPU without a record"] if recognised.ids and recognised.or_another else []
    return " or ".join((*recognised.ids, *others)) or "no record with this name and memory size"


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"


def _memory(found_gpu: FoundGpu) -> str:
    if found_gpu.vendor == "apple":
        return "shared with the processor"
    if found_gpu.memory_bytes is None:
        return UNKNOWN
    free = "free: unknown" if found_gpu.free_bytes is None else f"{_gib(found_gpu.free_bytes)} free"
    return f"{_gib(found_gpu.memory_bytes)}, {free}"


def _ram(machine: MachineReport) -> str:
    if machine.ram_bytes is None:
        return UNKNOWN
    free = machine.ram_free_bytes
    return f"{_gib(machine.ram_bytes)}, " + (
        "free: unknown" if free is None else f"{_gib(free)} available"
    )


def _modules(machine: MachineReport) -> str:
    if not machine.modules:
        return UNKNOWN + " (dmidecode needs administrator rights)"
    kinds = dict.fromkeys(one.kind for one in machine.modules if one.kind)
    rates = {one.transfers_per_s for one in machine.modules}
    rate = next(iter(rates)) if len(rates) == 1 else None
    channels = (
        "channels unknown" if machine.channels is None else _count(machine.channels, "channel")
    )
    words = [_count(len(machine.modules), "module"), "/".join(kinds), channels]
    words += [f"{rate // 1_000_000} MT/s"] if rate else []
    bandwidth = machine.ram_bandwidth_bytes_per_s
    words += [f"{bandwidth / GB:.1f} GB/s at most"] if bandwidth else []
    return ", ".join(word for word in words if word)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pcie(found_gpu: FoundGpu) -> str:
    link = found_gpu.pcie
    now = " ".join(_parts(link.generation, link.width))
    most = " ".join(_parts(link.most_generation, link.most_width))
    if not now and not most:
        return UNKNOWN
    rests = (
        " (an idle GPU lowers its link speed)"
        if link.generation and link.most_generation and link.generation < link.most_generation
        else ""
    )
    return f"{now or 'unknown'} now, at most {most or 'unknown'}{rests}"


def _parts(generation: int | None, width: int | None) -> Iterator[str]:
    if generation:
        yield f"{generation}.0"
    if width:
        yield f"x{width}"


def to_here_record(
    machine: MachineReport, known: Iterable[Recognised], link: str
) -> dict[str, Any]:
    """Write a machine as JSON: bytes, ``null`` for what no tool says."""
    return {
        "system": machine.system or None,
        "computer": machine.computer or None,
        "processor": machine.processor or None,
        "ram_bytes": machine.ram_bytes,
        "ram_available_bytes": machine.ram_free_bytes,
        "ram_modules": [
            {
                "size_bytes": one.size_bytes,
                "kind": one.kind or None,
                "transfers_per_s": one.transfers_per_s,
                "width_bits": one.width_bits,
                "channel": one.channel or None,
            }
            for one in machine.modules
        ],
        "ram_channels": machine.channels,
        "ram_bandwidth_bytes_per_s": machine.ram_bandwidth_bytes_per_s,
        "gpus": [_gpu_record(one) for one in known],
        "between_gpus": link or None,
        "pairs": [
            {"first": one.first, "second": one.second, "word": one.word} for one in machine.pairs
        ],
        "nvlink": [
            {"gpu": one.index, "active_links_bytes_per_s": list(one.rates_bytes_per_s)}
            for one in machine.links
        ],
        "wired_limit_bytes": machine.wired_limit_bytes,
        "page_limit_bytes": machine.page_limit_bytes,
        "programs": [{"name": one.name, "version": one.version} for one in machine.programs],
        "read_from": list(machine.answered),
    }


def _gpu_record(recognised: Recognised) -> dict[str, Any]:
    found_gpu = recognised.found
    pcie = pcie_id(found_gpu)
    return {
        "index": found_gpu.index,
        "name": found_gpu.name or None,
        "vendor": found_gpu.vendor or None,
        "ids": list(recognised.ids),
        "may_have_no_record": recognised.or_another,
        "memory_bytes": found_gpu.memory_bytes,
        "free_bytes": found_gpu.free_bytes,
        "mapped_bytes": found_gpu.mapped_bytes,
        "mapped_used_bytes": found_gpu.mapped_used_bytes,
        "pcie": spoken_pcie(pcie) if pcie else None,
        "pcie_generation": found_gpu.pcie.generation,
        "pcie_width": found_gpu.pcie.width,
        "most_pcie_generation": found_gpu.pcie.most_generation,
        "most_pcie_width": found_gpu.pcie.most_width,
        "driver": found_gpu.driver or None,
        "driver_model": found_gpu.driver_model or None,
        "compute_capability": found_gpu.compute_capability or None,
        "display": found_gpu.display,
        "partitioned": found_gpu.partitioned,
        "cores": found_gpu.cores,
        "target": found_gpu.target or None,
    }
