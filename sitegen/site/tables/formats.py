"""The quantizations of the catalog: how wide, for which GPUs, loaded by which runtimes."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Quantization
from sitegen.site.cells import Absent, Cell, Quantity, Unit
from sitegen.site.content.references import Directive
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.table import Column, Row, Table


def formats_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List quantizations, widest first."""
    known = inputs.catalog.quantizations
    only = directive.ids("only") or tuple(known)
    chosen = [look_up(known, "quantization", name) for name in only]
    chosen.sort(key=lambda one: (-one.nominal_bits, one.name))
    columns = (
        Column("Quantization"),
        Column("Bits per weight", numeric=True, note="of a quantized layer"),
        Column("Carries a verdict"),
        Column("NVIDIA", note="oldest, and with arithmetic of its own"),
        Column("Other GPUs"),
        Column("Tensor parallel cuts", numeric=True, note="in multiples of"),
        Column("Runtimes"),
    )
    rows = tuple(_row(inputs.catalog, one) for one in chosen)
    return Table(id, "Quantizations", columns, rows, counted=True, sortable=True)


def _row(catalog: Catalog, one: Quantization) -> Row:
    loaders = sorted(r.name for r in catalog.runtimes.values() if one.format in r.formats)
    step = one.tensor_parallel_group or one.tensor_parallel_block
    others = one.other_architectures
    cells: tuple[Cell, ...] = (
        one.name,
        Quantity(one.nominal_bits, Unit.BITS),
        "yes" if one.production else "no, below 4 bits",
        _capabilities(one),
        "all" if others is None else ", ".join(others) or "none",
        Quantity(step, Unit.COUNT) if step else Absent("any width"),
        ", ".join(loaders) if loaders else Absent("none listed"),
    )
    return Row(cells)


def _capabilities(one: Quantization) -> str:
    least, native = one.minimum_compute_capability, one.native_compute_capability
    words = f"from {least[0]}.{least[1]}" if least else "all"
    return f"{words}; own from {native[0]}.{native[1]}" if native else words
