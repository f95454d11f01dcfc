"""Which hardware of the catalog a published speed figure ran on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.measurements import names
from benchmarks.speeds.subjects import LeftOutError, Row
from sitegen.catalog.domain.hardware import Gpu, UnifiedMemory
from sitegen.importers.spellings.gpus import GpuNames
from sitegen.units import GIB

ABSENT = (
    r"rx 580", r"6500 xt", r"iris|alder lake", r"130v|140v|185h", r"840m|890m", r"a400\b",
    r"5000 blackwell 72", r"m1 ultra.*48",
)  # fmt: skip
"""GPUs that the catalog lacks though a part of their name is that of another."""

MACHINES = (
    (r"framework (desktop|mainboard)", "strix-halo"), (r"\bgb10\b", "dgx-spark"),
    (r"orin", "jetson-agx-orin-64gb"), (r"5060 ti", "rtx-5060-ti-16gb"),
    (r"mac studio", "apple-m3-ultra"),
)  # fmt: skip
"""Machines of which sources name no GPU, and GPUs of which they leave the memory open."""

SMALL_HOST = re.compile(r"\bpi (5|cm5|500)")
"""Hosts that no combo has: geerlingguy's tables show a GPU under one beside the same GPU in a
desktop, which is up to half as fast again."""
OFFLOADED = re.compile(r"-ot cutoff\S*")
"""Words of a note that put layers on the processor."""

DEVICES = re.compile(r"\bdevice: ((?:ROCm|CUDA|Vulkan)\d(?:,(?:ROCm|CUDA|Vulkan)\d)*)")
"""GPUs as llama.cpp lists those that it used."""
LINKS = (
    (r"pcie 3\.0 x16", "pcie-3-x16"), (r"pcie 3\.0 x8", "pcie-3-x8"),
    (r"200 ?g", "ethernet-200g"), (r"connectx-7|rdma$", "ethernet-200g"),
    (r"thunderbolt 5 rdma", "thunderbolt-5-rdma"), (r"infiniband", "infiniband-ndr"),
    (r"1 gbit", "ethernet-1g"), (r"xgmi", "xgmi-mi100"),
)  # fmt: skip
NETWORKS = {"dgx-spark": "ethernet-200g", "strix-halo": "ethernet-2.5g"}
"""What joins such boxes in the catalog's own combos, where a source does not say."""


@dataclass(frozen=True, slots=True)
class System:
    """Hardware as a record's ``system`` wants it."""

    record: dict[str, Any]
    gpus: tuple[Gpu, ...]
    memory_bytes: int
    power_limit_watts: int | None
    notes: tuple[str, ...]


def system_of(row: Row, known: GpuNames) -> System:
    """Map the hardware.

    Raises:
        LeftOutError: If it is no GPU, not in the catalog, or partly system RAM.
    """
    words = str(row["hardware"])
    text = words.lower().replace("×", "x").replace("\u2011", "-")
    if "cpu only" in text or "(cpu)" in text or ("raspberry" in text and "nvidia" not in text):
        raise LeftOutError("The model ran on a CPU.")
    if not re.search(
        r"rtx|gtx|rx |gpu|nvidia|amd|arc|apple|\bm\d\b|h\d00|a\d|b200|h20|mi\d"
        r"|spark|strix|v100|p40|\bt4\b|radeon|tesla|mac |jetson|framework|7900",
        text,
    ):
        raise LeftOutError("The model ran on a CPU.")  # fmt: skip
    for pattern in ABSENT:
        if re.search(pattern, text):
            raise LeftOutError(f"The catalog has no such GPU: {words}.")
    if re.search(r"xeon|epyc|i9-10900x|-ot |-ngl|experts", text) and not re.search(
        r"7282|i9-9900x \+", text
    ):
        raise LeftOutError(
            "Part of the model ran from system RAM, whose bandwidth the source does not state."
        )
    if SMALL_HOST.search(text):
        raise LeftOutError(
            "A Raspberry Pi feeds the GPU; the source's own pairs of runs show how much speed that "
            "costs."
        )
    placed = f"{row.get('split_mode') or ''} {OFFLOADED.findall(row['notes'])}"
    if re.search(r"offload|-ot|partial", placed):
        raise LeftOutError(
            "Part of the model ran from system RAM; the source does not fully state which part."
        )
    found, notes = _gpus(text, row, known)
    return _assembled(row, text, found, notes)


def _gpus(text: str, row: Row, known: GpuNames) -> tuple[list[Gpu], list[str]]:
    parts = re.split(r" \+ |, (?=\d?x?(?:rtx|nvidia))", re.sub(r"i9-9900x \+ ", "", text))
    gpus = known.gpus
    found: list[Gpu] = []
    for part in parts:
        many = re.match(r"\s*(\d+)x ", part)
        one = names.gpu_id(part, known)
        one = one or next((id for pattern, id in MACHINES if re.search(pattern, part)), None)
        if one is None or one not in gpus:
            raise LeftOutError(f"The catalog has no such GPU: {row['hardware']}.")
        found += [gpus[one]] * (int(many.group(1)) if many else 1)
    total = int(row.get("gpus_total") or len(found))
    listed = DEVICES.search(row["notes"])
    if total == 1 and listed:
        total = listed.group(1).count(",") + 1
    if len(found) == 1 and total > 1:
        found *= total
    notes = []
    if re.search(r"(a100|h100)(?!.*(pcie|sxm|nvl))", text):
        notes.append("The source does not state the form factor, so we assume the common one.")
        if "pcie, not nvlink" in str(row.get("interconnect")).lower():
            found = [gpus["a100-80gb-pcie"]] * len(found)
            notes = []
    return found, notes


def _assembled(row: Row, text: str, found: list[Gpu], notes: list[str]) -> System:
    nodes = int(row.get("nodes") or 1)
    first = found[0]
    shared = isinstance(first.memory, UnifiedMemory)
    if shared and len(found) > 1:
        nodes = len(found)
    if len(found) % nodes:
        raise LeftOutError("The source does not state how the GPUs are spread over the machines.")
    each = found[: len(found) // nodes]
    network = None
    stated = str(row.get("interconnect") or "").lower()
    named = next((link for pattern, link in LINKS if re.search(pattern, stated)), None)
    node: dict[str, Any] = {"gpus": _counted(each, text)}
    if nodes > 1:
        node = {"count": nodes, **node}
        network = named or NETWORKS.get(first.id)
        if network is None:
            raise LeftOutError("The source does not state what connected the machines.")
        if named is None:
            notes.append(
                "The source does not state the network, so we assume that of the catalog's combos."
            )
    if len(each) > 1:
        nvlink = [link for link in first.links if "nvlink" in link or "xgmi" in link]
        inside = named if nodes == 1 else None
        if (
            inside is None
            and (
                ("nvlink" in stated and "no " not in stated and "not " not in stated)
                or (
                    "nvlink" in str(row.get("notes")).lower()[:400]
                    and "no nvlink" not in str(row.get("notes")).lower()
                )
            )
            and nvlink
        ):
            inside = nvlink[0]  # fmt: skip
        if inside is None and "sxm" in first.id and nvlink:
            inside = nvlink[-1] if "nvswitch" in nvlink[-1] else nvlink[0]
        if inside is None:
            inside = first.bus
            if not stated:
                notes.append("The source does not state the link, so we assume the GPUs' own bus.")
        node["link"] = inside
    if first.vendor == "apple":
        node["os"] = "macos"
    record: dict[str, Any] = {"nodes": [node]}
    if network:
        record["network"] = network
    return System(record, tuple(found), _memory(node, found), _watts(text, row), tuple(notes))


def _counted(each: list[Gpu], text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for gpu in each:
        if rows and rows[-1]["gpu"] == gpu.id:
            rows[-1]["count"] = rows[-1].get("count", 1) + 1
            continue
        one: dict[str, Any] = {"gpu": gpu.id}
        if isinstance(gpu.memory, UnifiedMemory):
            sold = sorted(gpu.memory.options_bytes)
            size = re.search(r"(\d+)(?:\.\d+)? ?gb", text)
            asked = int(size.group(1)) * GIB if size else sold[-1]
            one["unified_memory_gib"] = next((s for s in sold if s >= asked), sold[-1]) // GIB
        rows.append(one)
    return rows


def _memory(node: Mapping[str, Any], found: list[Gpu]) -> int:
    total = 0
    for gpu in found:
        if isinstance(gpu.memory, UnifiedMemory):
            total += int(node["gpus"][0]["unified_memory_gib"]) * GIB
        else:
            total += gpu.memory.visible_bytes
    return total


def _watts(text: str, row: Row) -> int | None:
    found = re.search(r"\((?:power limit )?(\d{3}) ?w(?: limit)?(?:/card)?\)", text)
    if found is None:
        found = re.search(r"(?:power-limited to|limit) (\d{3}) ?w", str(row.get("notes")).lower())
    if found is None:
        found = re.search(r"(\d{3}) ?w/gpu", str(row.get("notes")).lower())
    return int(found.group(1)) if found else None
