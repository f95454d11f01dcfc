"""Cells and tables of GPUs, links and unified memory."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.hardware import Gpu, Interconnect, UnifiedMemory
from sitegen.catalog.domain.provenance import Interval
from sitegen.site.cells import (
    NOT_RECORDED,
    Absent,
    Cell,
    Link,
    NumberCell,
    Parts,
    Unit,
    joined,
    recorded,
    span,
)
from sitegen.site.content.references import Directive, NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.row_filters import gpu_facets
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.prices import gpu_price_cell


def installed_memory(gpu: Gpu) -> Cell:
    """Marketing size of a card, or the sizes that a chip is sold with."""
    if isinstance(gpu.memory, UnifiedMemory):
        return joined(tuple(NumberCell(size, Unit.GIB) for size in gpu.memory.options_bytes))
    return NumberCell(gpu.memory.installed_bytes, Unit.GIB)


def visible_memory(gpu: Gpu) -> Cell:
    """Memory that a process sees."""
    if isinstance(gpu.memory, UnifiedMemory):
        least, most = (gpu.memory.fraction_of(end(gpu.memory.options_bytes)) for end in (min, max))
        shares = Interval(least.low, least.mid, most.high)
        return Parts((span(shares, Unit.PERCENT), " by default"))
    return NumberCell(gpu.memory.visible_bytes, Unit.GIB)


def gpus_table(gpus: Iterable[Gpu], *, id: str, caption: str) -> Table:
    """List GPUs with the figures that decide fit and speed."""
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
                NumberCell(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
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
    """Bandwidth of a link that a collective reaches."""
    if link.bus_bandwidth_bytes_per_s is None:
        return NOT_RECORDED
    return span(link.bus_bandwidth_bytes_per_s, Unit.GB_PER_S)


def latency_cell(link: Interconnect) -> Cell:
    """Time of an empty all-reduce between two ranks on a link."""
    return NOT_RECORDED if link.latency_s is None else span(link.latency_s, Unit.MICROSECONDS)


def unified_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List chips with unified memory by the sizes that they are sold with."""
    known = inputs.catalog.gpus
    only = directive.ids("only")
    chips = [look_up(known, "gpu", name) for name in only] if only else list(known.values())
    vendor = directive.options.get("vendor")
    rows = [
        row
        for chip in chips
        if vendor in {None, chip.vendor}
        for row in _rows(chip, named=bool(only))
    ]
    columns = (
        Column("Chip"),
        Column("Memory", numeric=True, note="of the machine"),
        Column("GPU can use", numeric=True, note="by default"),
        Column("GPU can use", numeric=True, note="limit raised"),
        Column("Bandwidth", numeric=True),
    )
    return Table(id, "Unified memory: how much the GPU can use", columns, tuple(rows))


def _rows(chip: Gpu, *, named: bool) -> list[Row]:
    memory = chip.memory
    if not isinstance(memory, UnifiedMemory):
        if named:
            raise NotUnderstood(f"{chip.id} has memory of its own")
        return []
    return [
        Row(
            (
                Link(url_of("gpu", chip.id), chip.name),
                NumberCell(size, Unit.GIB),
                span(memory.fraction_of(size).times(size), Unit.GIB),
                _raised(size - memory.reserve_of(size), size * memory.fraction_of(size).mid),
                NumberCell(chip.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
            )
        )
        for size in memory.options_bytes
    ]


def _raised(most: float, usual: float) -> Cell:
    """Print what a raised limit leaves; small machines have nothing to give."""
    return NumberCell(most, Unit.GIB) if most > usual else Absent("no gain")
