"""Cells of GPUs and links, and the table of GPUs."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.hardware import Gpu, Interconnect, UnifiedMemory
from sitegen.site.cells import (
    NOT_RECORDED,
    Cell,
    Link,
    Parts,
    Quantity,
    Unit,
    joined,
    recorded,
    span,
)
from sitegen.site.row_filters import gpu_facets
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.prices import gpu_price_cell


def installed_memory(gpu: Gpu) -> Cell:
    """Marketing size of a card, or the sizes that a chip is sold with."""
    if isinstance(gpu.memory, UnifiedMemory):
        return joined(tuple(Quantity(size, Unit.GIB) for size in gpu.memory.options_bytes))
    return Quantity(gpu.memory.installed_bytes, Unit.GIB)


def visible_memory(gpu: Gpu) -> Cell:
    """What a process sees."""
    if isinstance(gpu.memory, UnifiedMemory):
        return Parts((span(gpu.memory.default_fraction, Unit.PERCENT), " of the memory by default"))
    return Quantity(gpu.memory.visible_bytes, Unit.GIB)


def gpus_table(gpus: Iterable[Gpu], *, id: str, caption: str) -> Table:
    """List GPUs with what decides fit and speed."""
    columns = (
        Column("GPU"),
        Column("Memory", numeric=True, note="installed"),
        Column("Visible", numeric=True, note="to a process"),
        Column("Bandwidth", numeric=True),
        Column("Dense FP16", numeric=True),
        Column("Power", numeric=True),
        Column("Price", numeric=True, note="newest seen"),
        Column("Architecture"),
    )
    rows = tuple(
        Row(
            (
                Link(url_of("gpu", gpu.id), gpu.name),
                installed_memory(gpu),
                visible_memory(gpu),
                Quantity(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
                recorded(gpu.fp16_flops_per_s, Unit.TFLOPS),
                recorded(gpu.tdp_watts, Unit.WATTS),
                gpu_price_cell(gpu),
                gpu.architecture,
            ),
            facets=gpu_facets(gpu),
        )
        for gpu in gpus
    )
    return Table(id, caption, columns, rows, counted=True, sortable=True)


def bandwidth_cell(link: Interconnect) -> Cell:
    """What a collective sees of a link."""
    if link.bus_bandwidth_bytes_per_s is None:
        return NOT_RECORDED
    return span(link.bus_bandwidth_bytes_per_s, Unit.GB_PER_S)


def latency_cell(link: Interconnect) -> Cell:
    """What an empty all-reduce between two ranks costs on a link."""
    return NOT_RECORDED if link.latency_s is None else span(link.latency_s, Unit.MICROSECONDS)
