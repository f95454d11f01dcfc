"""Tables of runtimes and of quantizations: what each can do, and which runtimes load it."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Capabilities, MemoryModel, Quantization, Runtime
from sitegen.site.cells import Absent, Cell, Link, NumberCell, Unit
from sitegen.site.content.references import Directive
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import VENDOR_NAMES

CAPABILITIES: tuple[tuple[str, str], ...] = (
    ("tensor_parallel", "Tensor parallel"),
    ("uneven_tensor_parallel", "Uneven tensor parallel"),
    ("pipeline_parallel", "Pipeline parallel"),
    ("layer_split", "Layer split"),
    ("expert_parallel", "Expert parallel"),
    ("data_parallel", "Replicas behind one endpoint"),
    ("multi_node", "One model over several nodes"),
    ("mixed_gpus", "Mixed GPUs in a replica"),
    ("cpu_offload", "Assessed with layers or experts in system RAM"),
)
MEMORY_WORDS = {
    MemoryModel.PAGED: "paged KV cache",
    MemoryModel.LAYER_SPLIT: "layer split",
    MemoryModel.EAGER_SPLIT: "whole layers; memory grows on demand",
    MemoryModel.UNPROFILED: "not rated",
    MemoryModel.ORCHESTRATOR: "runs other runtimes",
}


def assessed_words(runtime: Runtime) -> str:
    """Say whether the engine assesses a runtime, and what of it the survey judges."""
    words = MEMORY_WORDS[runtime.memory_model]
    if runtime.surveyed_in_full:
        return words
    return f"{words}. We rate the smallest production checkpoint of each model."


def yes_or_no(value: bool) -> str:
    """Print a capability as a word with its glyph."""
    return "✓ yes" if value else "– no"


def has(capabilities: Capabilities, name: str) -> bool:
    """Read a capability by its field's name."""
    return bool(getattr(capabilities, name))


def version_cell(runtime: Runtime) -> Cell:
    """Return the version that is assessed."""
    return runtime.assessed_version or Absent("not assessed")


def runtimes_table(runtimes: Iterable[Runtime], *, id: str, caption: str) -> Table:
    """List runtimes with vendors, capabilities and whether the engine assesses them."""
    columns = (
        Column("Runtime"),
        Column("Version"),
        Column("Memory"),
        Column("GPUs"),
        *(Column(heading) for _, heading in CAPABILITIES),
    )
    rows = tuple(
        Row(
            (
                Link(url_of("runtime", runtime.id), runtime.name),
                version_cell(runtime),
                assessed_words(runtime),
                ", ".join(VENDOR_NAMES[vendor] for vendor in runtime.vendors),
                *(yes_or_no(has(runtime.capabilities, name)) for name, _ in CAPABILITIES),
            )
        )
        for runtime in runtimes
    )
    return Table(id, caption, columns, rows, counted=True)


def formats_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List quantizations, widest first."""
    known = inputs.catalog.quantizations
    only = directive.ids("only") or tuple(known)
    chosen = [look_up(known, "quantization", name) for name in only]
    chosen.sort(key=lambda one: (-one.nominal_bits, one.name))
    columns = (
        Column("Quantization"),
        Column("Bits per weight", numeric=True, note="of a quantized layer"),
        Column("Can get a verdict"),
        Column("NVIDIA", note="oldest, and oldest with native arithmetic"),
        Column("Other GPUs"),
        Column("Tensor parallel cuts", numeric=True, note="in multiples of"),
        Column("Runtimes"),
    )
    rows = tuple(_row(inputs.catalog, quantization) for quantization in chosen)
    return Table(id, "Quantizations", columns, rows, counted=True, sortable=True)


def _row(catalog: Catalog, quantization: Quantization) -> Row:
    loaders = sorted(r.name for r in catalog.runtimes.values() if quantization.format in r.formats)
    step = quantization.tensor_parallel_group or quantization.tensor_parallel_block
    others = quantization.other_architectures
    cells: tuple[Cell, ...] = (
        quantization.name,
        NumberCell(quantization.nominal_bits, Unit.BITS),
        "yes" if quantization.production else "no, below 4 bits",
        _capabilities(quantization),
        "all" if others is None else ", ".join(others) or "none",
        NumberCell(step, Unit.COUNT) if step else Absent("any width"),
        ", ".join(loaders) if loaders else Absent("none listed"),
    )
    return Row(cells)


def _capabilities(quantization: Quantization) -> str:
    least, native = quantization.minimum_compute_capability, quantization.native_compute_capability
    words = f"from {least[0]}.{least[1]}" if least else "all"
    return f"{words}; native from {native[0]}.{native[1]}" if native else words
