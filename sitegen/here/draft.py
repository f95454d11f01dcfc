"""Records to start from, with what a machine's tools say of it; an editor replaces the rest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, InstalledGpu, UnifiedMemory
from sitegen.here.machine import FoundGpu, MachineReport
from sitegen.here.recognised import combo_here, operating_system
from sitegen.units import GB, GIB, MIB

SOURCES = """\
sources:
  - title: "REPLACE: who has this machine; its tools were asked on this day"
    url: ""
    read: '{today}'
"""
REVIEW = "# A draft from the output of a machine's tools: check every line before you keep it.\n"


def combo_record(machine: MachineReport, catalog: Catalog, *, today: str) -> str:
    """Write a combo without its modeline.

    Raises:
        UnjudgedError: If the machine is no combo of the catalog's GPUs.
    """
    combo, notes = combo_here(machine, catalog)
    lines = [
        *(f"# REPLACE: {note}" for note in notes if "are free" not in note),
        f"name: '{_name(combo)}'",
        'summary: "REPLACE: who builds this and for what, in one sentence without sizes."',
        "nodes:",
        "  - gpus:",
        *_gpus(combo),
        *_host(machine, combo),
    ]
    return REVIEW + "\n".join(lines) + "\n" + SOURCES.format(today=today)


def _name(combo: Combo) -> str:
    return combo.name.partition("(")[2].removesuffix(")").replace("'", "''")


def _gpus(combo: Combo) -> Iterator[str]:
    for (id, _), run in groupby(combo.gpus, key=lambda one: (one.gpu.id, one.installed_bytes)):
        alike = list(run)
        yield f"      - {{gpu: {id}{_count(alike)}{_memory(alike[0])}}}"


def _count(alike: list[InstalledGpu]) -> str:
    return f", count: {len(alike)}" if len(alike) > 1 else ""


def _memory(installed: InstalledGpu) -> str:
    shared = isinstance(installed.gpu.memory, UnifiedMemory)
    return f", unified_memory_gib: {installed.installed_bytes // GIB}" if shared else ""


def _host(machine: MachineReport, combo: Combo) -> Iterator[str]:
    """Write what the node has beside its GPUs; RAM as it is counted, where no module says it."""
    node = combo.nodes[0]
    if node.link is not None:
        yield f"    link: {node.link.id}"
    if node.ram_bytes is not None and machine.ram_bytes is not None:
        sold = sum(one.size_bytes for one in machine.modules)
        yield f"    ram_gib: {max((sold or machine.ram_bytes) // GIB, 1)}"
    if node.ram_bytes is not None and node.ram_bandwidth_bytes_per_s:
        yield f"    ram_bandwidth_gb_s: {node.ram_bandwidth_bytes_per_s / GB:g}"
    yield f"    os: {operating_system(machine)}"
    if any(one.display for one in machine.gpus):
        yield "    display: true"


def gpu_record(found_gpu: FoundGpu, *, today: str) -> str:
    """Write a GPU of NVIDIA without its modeline: name, memory and compute capability are read."""
    total = found_gpu.memory_bytes or 24 * GIB
    said = "" if found_gpu.memory_bytes else "  # REPLACE: a stand-in, the tool does not say it"
    name = found_gpu.name.removeprefix("NVIDIA ").removeprefix("GeForce ").replace("'", "''")
    lines = [
        f"name: '{name}'",
        "vendor: nvidia",
        "architecture: Ada Lovelace  # REPLACE: a stand-in",
        "segment: consumer  # REPLACE: a stand-in",
        f"vram_gib: {-(-total // GIB)}{said}",
        f"visible_mib: {total // MIB}  # REPLACE: a process sees less than nvidia-smi counts",
        "memory_bandwidth_gb_s: 1000  # REPLACE: a stand-in",
    ]
    if found_gpu.compute_capability:
        lines.append(f"compute_capability: '{found_gpu.compute_capability}'")
    return REVIEW + "\n".join(lines) + "\n" + SOURCES.format(today=today)
