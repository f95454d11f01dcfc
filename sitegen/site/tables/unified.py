"""Unified memory: how much of a machine's RAM a GPU may use, out of the box and raised."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Gpu, UnifiedMemory
from sitegen.site.cells import Absent, Cell, Link, Quantity, Unit, span
from sitegen.site.content.references import Directive, NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of


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
        Column("GPU may use", numeric=True, note="out of the box"),
        Column("GPU may use", numeric=True, note="limit raised"),
        Column("Bandwidth", numeric=True),
    )
    return Table(id, "Unified memory: what a GPU may use", columns, tuple(rows))


def _rows(chip: Gpu, *, named: bool) -> list[Row]:
    memory = chip.memory
    if not isinstance(memory, UnifiedMemory):
        if named:
            raise NotUnderstood(f"{chip.id} has memory of its own")
        return []
    share = memory.default_fraction
    return [
        Row(
            (
                Link(url_of("gpu", chip.id), chip.name),
                Quantity(size, Unit.GIB),
                span(share.times(size), Unit.GIB),
                _raised(size - memory.raised_reserve_bytes, size * share.mid),
                Quantity(chip.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
            )
        )
        for size in memory.options_bytes
    ]


def _raised(most: float, usual: float) -> Cell:
    """Print what a raised limit leaves; small machines have nothing to give."""
    return Quantity(most, Unit.GIB) if most > usual else Absent("no gain")
