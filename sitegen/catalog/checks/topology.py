"""Rules on nodes and the links inside and between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.kinds import Kind
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem, Severity

if TYPE_CHECKING:
    from sitegen.catalog.records.hardware import (
        ComboRecord,
        GpuRecord,
        InterconnectRecord,
        NodeRecord,
    )

LARGEST_COMBO = 4096
_PCIE = re.compile(r"pcie-(\d+)-x(\d+)")
_COUNTED = re.compile(r"((?P<nodes>\d{1,5}) nodes? ?[×x] ?)?(?P<gpus>\d{1,5}) ?[×x] ")
_LEAST_LATENCY_US = 0.1
_ADAPTERS = {"oculink", "thunderbolt"}
"""Kinds that carry PCIe through a cable."""


def _nodes(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[ComboRecord], int, NodeRecord]]:
    for combo in records.combos.values():
        for index, node in enumerate(combo.record.nodes):
            yield combo, index, node


def nodes_with_several_gpus_have_a_link(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure two or more GPUs in a node are joined by a link, and a single one by none."""
    for combo, index, node in _nodes(records):
        gpus = sum(part.count for part in node.gpus)
        if gpus > 1 and node.link is None:
            message = f"{gpus} GPUs in one node need a `link`"
            hint = "name the interconnect between them, e.g. the GPU's bus: pcie-4-x16"
            yield combo.problem(("nodes", index), "node-link-missing", message, hint)
        if gpus == 1 and node.link is not None:
            message = "a node with a single GPU has no link"
            path = ("nodes", index, "link")
            yield combo.problem(path, "node-link-needless", message, "remove it", at_key=True)


def node_links_stay_inside(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the link of a node is one that runs inside a machine."""
    for combo, index, node in _nodes(records):
        link = records.interconnects.get(node.link or "")
        if link and link.record.between_nodes:
            message = f"{quoted(link.id)} connects machines, not the GPUs inside one"
            hint = "give it as `network`; `link` is the bus or NVLink inside the node"
            yield combo.problem(("nodes", index, "link"), "link-between-nodes", message, hint)


def node_links_are_on_the_gpus(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every GPU of a node has the node's link.

    A GPU has the links of its record, its bus, and anything its bus can be reduced to: an older or
    narrower PCIe slot, or PCIe through a cable. A GPU inside the CPU has the CPU's PCIe ports.
    """
    for combo, index, node in _nodes(records):
        link = records.interconnects.get(node.link or "")
        single = sum(part.count for part in node.gpus) == 1
        if link is None or link.record.between_nodes or single:
            continue  # reported by the rules above
        for gpu in _gpus(records, node):
            if not _has_link(gpu.record, link):
                message = f"{quoted(gpu.id)} has no {quoted(link.id)}"
                path = ("nodes", index, "link")
                yield combo.problem(path, "link-not-on-gpu", message, _links_hint(gpu))


def links_are_no_faster_than_their_line(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no link carries more than its line rate, and none is faster than any that was timed.

    Collectives reach up to 0.96 of the rate of the links here, and an empty one takes 4.5 µs or
    more.
    """
    for link in records.interconnects.values():
        rate, bus = link.record.nominal_gb_s, link.record.bus_bandwidth_gb_s
        if rate is not None and bus is not None and bus.high > rate:
            message = f"collectives at {written(bus.high)} GB/s are faster than the line "
            message += f"({written(rate)} GB/s)"
            hint = (
                "both are decimal GB/s in one direction: is one in Gbit/s, or of both directions?"
            )
            yield link.problem(("bus_bandwidth_gb_s", "high"), "link-figure", message, hint)
        latency = link.record.latency_us
        if latency is not None and latency.low < _LEAST_LATENCY_US:
            message = f"no link answers in {written(latency.low)} µs"
            hint = "it is in microseconds: is the source's in milliseconds or seconds?"
            yield link.problem(("latency_us", "low"), "link-figure", message, hint)


def _gpus(records: CatalogRecords, node: NodeRecord) -> Iterator[Authored[GpuRecord]]:
    """Yield each GPU model of a node once, those whose record or links are broken left out."""
    known = records.ids[Kind.INTERCONNECT]
    for gpu_id in dict.fromkeys(part.gpu for part in node.gpus):
        gpu = records.gpus.get(gpu_id)
        if gpu and all(link in known for link in (gpu.record.bus, *gpu.record.links) if link):
            yield gpu


def _has_link(gpu: GpuRecord, link: Authored[InterconnectRecord]) -> bool:
    if link.id == gpu.bus or link.id in gpu.links:
        return True
    bus, slot = _PCIE.match(gpu.bus or ""), _PCIE.match(link.id)
    if bus and slot:
        return int(slot[1]) <= int(bus[1]) and int(slot[2]) <= int(bus[2])
    if gpu.bus is None and gpu.segment == "integrated" and gpu.vendor != "apple":
        return link.record.kind in {"pcie", *_ADAPTERS}
    return bus is not None and link.record.kind in _ADAPTERS


def _links_hint(gpu: Authored[GpuRecord]) -> str:
    links = [link for link in (gpu.record.bus, *gpu.record.links) if link]
    return f"it has {', '.join(links)}" if links else "it has no link to other GPUs"


def networks_join_nodes(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure two or more nodes are joined by a network, and a single one by none."""
    for combo in records.combos.values():
        nodes = sum(node.count for node in combo.record.nodes)
        network = combo.record.network
        if nodes > 1 and network is None:
            message = f"{nodes} nodes need a `network`"
            hint = "name the interconnect between them, e.g. ethernet-10g"
            yield combo.problem(("nodes",), "network-missing", message, hint, at_key=True)
        if nodes == 1 and network is not None:
            message = "a combo of one node has no network"
            yield combo.problem(("network",), "network-needless", message, "remove it", at_key=True)


def networks_run_between_nodes(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a network runs between machines, and that the GPUs have it if it is their own."""
    for combo in records.combos.values():
        network = records.interconnects.get(combo.record.network or "")
        if network is None:
            continue
        if not network.record.between_nodes:
            message = f"{quoted(network.id)} does not connect machines"
            yield combo.problem(("network",), "network-inside-node", message)
        elif network.record.kind in {"nvlink", "xgmi", "ualink"}:
            for node in combo.record.nodes:
                for gpu in _gpus(records, node):
                    if network.id not in gpu.record.links:
                        message = f"{quoted(gpu.id)} has no {quoted(network.id)}"
                        path = ("network",)
                        yield combo.problem(path, "link-not-on-gpu", message, _links_hint(gpu))


def unified_memory_is_sold(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure nodes say how much unified memory they have, a size that is sold, and only then."""
    for combo, index, node in _nodes(records):
        for place, part in enumerate(node.gpus):
            gpu = records.gpus.get(part.gpu)
            if gpu is None:
                continue
            options, given = gpu.record.unified_memory_options_gib, part.unified_memory_gib
            path = ("nodes", index, "gpus", place, "unified_memory_gib")
            sold = f"it is sold with {', '.join(map(str, options))} GiB"
            if options and given is None:
                message = f"{quoted(gpu.id)} needs `unified_memory_gib`"
                yield combo.problem(path[:-1], "unified-memory", message, sold)
            elif not options and given is not None:
                message = f"{quoted(gpu.id)} has its own memory"
                yield combo.problem(path, "unified-memory", message, "remove it", at_key=True)
            elif given is not None and given not in options:
                message = f"{quoted(gpu.id)} is not sold with {given} GiB"
                yield combo.problem(path, "unified-memory", message, sold)


def names_count_the_gpus(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the name of a combo of one GPU model begins with as many as there are, if it counts.

    A name that begins otherwise counts nothing: `DGX Station`, `RTX 5090 + 2× RTX 3090`.
    """
    for combo in records.combos.values():
        nodes = combo.record.nodes
        counted = _COUNTED.match(combo.record.name)
        if counted is None or len({part.gpu for node in nodes for part in node.gpus}) > 1:
            continue
        said = int(counted["nodes"] or 1) * int(counted["gpus"])
        gpus = sum(node.count * part.count for node in nodes for part in node.gpus)
        if said != gpus and gpus <= LARGEST_COMBO:
            message = f"the name counts {said} GPUs, and the nodes have {gpus}"
            found = combo.problem(("name",), "name-count", message, "correct one of the two")
            yield replace(found, severity=Severity.WARNING)  # the nodes decide what is computed


def combos_have_a_sane_size(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no combo has so many GPUs that listing them one by one would fill memory."""
    for combo in records.combos.values():
        gpus = sum(node.count * part.count for node in combo.record.nodes for part in node.gpus)
        if gpus > LARGEST_COMBO:
            message = f"{gpus} GPUs are more than the {LARGEST_COMBO} a combo may have"
            yield combo.problem(("nodes",), "combo-size", message)
