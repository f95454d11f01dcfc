"""A combo from the command line: ``--gpu rtx-4090:2 --nodes 4 --link ethernet-10g``."""

from __future__ import annotations

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
    Vendor,
)
from sitegen.cli.questions.choose import record, usage_error
from sitegen.cli.questions.fit_options import FitOptions
from sitegen.cli.questions.this_machine import combo_of, means_this_machine
from sitegen.problems import SourceSpan
from sitegen.units import GIB

COMMAND_LINE = SourceSpan("<command line>")
MOST_GPUS = 64


def own_combo(options: FitOptions, catalog: Catalog) -> Combo:
    """Build the combo that ``--gpu``, ``--nodes`` and the links describe.

    Raises:
        click.UsageError: Naming the option that is wrong or missing.
    """
    node = _node(options, catalog)
    nodes = tuple(replace(node, name=f"node {number}") for number in range(1, options.nodes + 1))
    words = " + ".join(options.gpu)
    return Combo(
        id="command-line",
        name=words if options.nodes == 1 else f"{options.nodes} nodes × {words}",
        summary="",
        nodes=nodes,
        network=_network(options, catalog),
        orchestrator="",
        prose=ComboProse("", "", ()),
        notes="",
        sources=(),
        span=COMMAND_LINE,
    )


def _node(options: FitOptions, catalog: Catalog) -> Node:
    """Build one node: of the GPUs that were named, or as this machine is."""
    if any(means_this_machine(word) for word in options.gpu):
        return _node_here(options, catalog)
    gpus = tuple(gpu for word in options.gpu for gpu in _installed(word, options, catalog))
    first = gpus[0].gpu
    return Node(
        name="node 1",
        gpus=gpus,
        link=_node_link(options, gpus, catalog),
        ram_bytes=None if options.ram_gib is None else options.ram_gib * GIB,
        ram_bandwidth_bytes_per_s=None,
        operating_system=OperatingSystem.MACOS
        if first.vendor is Vendor.APPLE
        else OperatingSystem.LINUX,
        display_attached=False,
    )


def _node_here(options: FitOptions, catalog: Catalog) -> Node:
    """Take the node that was read, with what was typed beside it in place of what was read."""
    if len(options.gpu) > 1:
        raise usage_error("--gpu", "`here` is the whole machine: give no other --gpu")
    if options.unified_memory_gib is not None:
        raise usage_error("--unified-memory-gib", "sitegen reads the memory size from the machine")
    node = combo_of("--gpu", options.gpu[0], catalog).nodes[0]
    if options.node_link:
        node = replace(node, link=_node_link(options, node.gpus, catalog))
    return node if options.ram_gib is None else replace(node, ram_bytes=options.ram_gib * GIB)


def _installed(word: str, options: FitOptions, catalog: Catalog) -> Iterator[InstalledGpu]:
    """Read ``rtx-4090:2``."""
    name, _, number = word.partition(":")
    count = int(number) if number.isascii() and number.isdigit() else 0
    if number and not 0 < count <= MOST_GPUS:
        raise usage_error("--gpu", f"{number!r} is not a number of GPUs from 1 to {MOST_GPUS}")
    gpu = record("--gpu", "GPU", name, catalog.gpus)
    for _ in range(count or 1):
        yield _one(gpu, options)


def _one(gpu: Gpu, options: FitOptions) -> InstalledGpu:
    option = "--unified-memory-gib"
    memory = gpu.memory
    if isinstance(memory, DedicatedMemory):
        return InstalledGpu(gpu, memory.installed_bytes, memory.visible_bytes)
    sizes = tuple(size // GIB for size in memory.options_bytes)
    listed = "sizes that we list: " + ", ".join(f"{size}" for size in sizes) + " GiB"
    if options.unified_memory_gib is None and len(sizes) != 1:
        raise usage_error(option, f"how much memory does the {gpu.name} have?", listed)
    chosen = options.unified_memory_gib or sizes[0]
    if chosen not in sizes:
        hint = f"{listed}{_why_not_listed(gpu, chosen)}"
        raise usage_error(option, f"we do not list the {gpu.name} with {chosen} GiB", hint)
    return InstalledGpu(gpu, chosen * GIB, chosen * GIB)


def _why_not_listed(gpu: Gpu, size: int) -> str:
    """Quote the sentence of a record's note that says why a size of a chip is not listed."""
    for sentence in gpu.notes.split(". "):
        if "not list" in sentence and str(size) in sentence.split():
            return f". {sentence.strip().removesuffix('.')}"
    return ""


def _node_link(
    options: FitOptions, gpus: tuple[InstalledGpu, ...], catalog: Catalog
) -> Interconnect | None:
    """The link inside a node: as given, else the host link of its first GPU."""
    option = "--node-link"
    if options.node_link:
        link = record(option, "interconnect", options.node_link, catalog.interconnects)
        if link.between_nodes:
            raise usage_error(option, f"{link.id} connects nodes", "give it to --link")
        return link if len(gpus) > 1 else None
    if len(gpus) == 1:
        return None
    bus = gpus[0].gpu.bus
    if not bus:
        raise usage_error(option, "which interconnect connects the GPUs of a node?")
    return record(option, "interconnect", bus, catalog.interconnects)


def _network(options: FitOptions, catalog: Catalog) -> Interconnect | None:
    if options.nodes == 1:
        if options.link:
            raise usage_error("--link", "it connects nodes, and there is only one", "give --nodes")
        return None
    if not options.link:
        raise usage_error("--link", f"which interconnect connects the {options.nodes} nodes?")
    link = record("--link", "interconnect", options.link, catalog.interconnects)
    if not link.between_nodes:
        raise usage_error("--link", f"{link.id} stays inside a node", "give it to --node-link")
    return link
