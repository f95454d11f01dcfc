"""Tables of runtimes and of quantizations: what each can do, and which runtimes load it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Vendor
from sitegen.catalog.domain.models import Capabilities, MemoryModel, Quantization, Runtime
from sitegen.fit.compatibility import newest_nvidia, oldest_nvidia, runs_format
from sitegen.site.cells import Absent, Cell, Lines, Link, NumberCell, Parts, Small, Unit
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
    ("decode_context_parallel", "Shared KV cache (decode context parallel)"),
    ("data_parallel", "Replicas behind one endpoint"),
    ("multi_node", "One model over several nodes"),
    ("mixed_gpus", "Mixed GPUs in a replica"),
    ("cpu_offload", "Layers or experts in system RAM, as assessed"),
)
MEMORY_WORDS = {
    MemoryModel.PAGED: "paged KV cache",
    MemoryModel.LAYER_SPLIT: "layer split",
    MemoryModel.EAGER_SPLIT: "whole layers; memory grows on demand",
    MemoryModel.UNPROFILED: "not rated",
    MemoryModel.ORCHESTRATOR: "runs other runtimes",
}


def assessed_words(runtime: Runtime) -> Cell:
    """Say whether the engine assesses a runtime, and what of it the survey judges."""
    words = MEMORY_WORDS[runtime.memory_model]
    if runtime.surveyed_in_full:
        return words
    checkpoint = Link("/framework/#fit-tiers", "production checkpoint")
    return Lines((words, Small(Parts(("only each model's smallest ", checkpoint)))))


def yes_or_no(value: bool) -> str:
    """Print a capability as a word with its glyph."""
    return "✓ yes" if value else "– no"


def has(capabilities: Capabilities, name: str) -> bool:
    """Read a capability by its field's name."""
    return bool(getattr(capabilities, name))


def version_cell(runtime: Runtime) -> Cell:
    """Return the version that is assessed."""
    return runtime.release(runtime.assessed_version) or Absent("not assessed")


def runtimes_table(runtimes: Iterable[Runtime], *, id: str) -> Table:
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
    return Table(id, "Runtimes", columns, rows, counted=True)


def formats_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List quantizations, widest first, with the GPUs on which some assessed runtime runs them."""
    known = inputs.catalog.quantizations
    only = directive.ids("only") or tuple(known)
    chosen = [look_up(known, "quantization", name) for name in only]
    chosen.sort(key=lambda one: (-one.nominal_bits, one.name))
    columns = (
        Column("Quantization"),
        Column("Bits per weight", numeric=True, note="of a quantized layer"),
        Column("Can get a verdict"),
        Column("NVIDIA", note="minimum compute capability, and minimum for native arithmetic"),
        Column("Other GPUs", note="in at least one runtime that we rate"),
        Column("Tensor parallel cuts", numeric=True, note="in multiples of"),
        Column("Runtimes"),
    )
    assessed = tuple(runtime for runtime, _ in inputs.engine.assessed_runtimes())
    rows = tuple(_row(inputs.catalog, assessed, quantization) for quantization in chosen)
    return Table(id, "Quantizations", columns, rows, counted=True, sortable=True)


def _row(catalog: Catalog, assessed: Sequence[Runtime], quantization: Quantization) -> Row:
    loaders = sorted(r.name for r in catalog.runtimes.values() if quantization.format in r.formats)
    step = quantization.tensor_parallel_group or quantization.tensor_parallel_block
    cells: tuple[Cell, ...] = (
        quantization.name,
        NumberCell(quantization.nominal_bits, Unit.BITS),
        "yes" if quantization.production else "no, below 4 bits",
        _capabilities(assessed, quantization),
        _other_gpus(catalog, assessed, quantization),
        NumberCell(step, Unit.COUNT) if step else Absent("any width"),
        ", ".join(loaders) if loaders else Absent("none listed"),
    )
    return Row(cells)


def _capabilities(assessed: Sequence[Runtime], quantization: Quantization) -> str:
    """Name the minimum compute capability on which some runtime runs a format."""
    found = (oldest_nvidia(quantization, runtime) for runtime in assessed)
    least = min((one for one in found if one is not None), default=None)
    if least is None:
        return "none"
    native = quantization.native_compute_capability
    words = f"from {least[0]}.{least[1]}" if any(least) else "all"
    most = _newest(assessed, quantization)
    words = f"{words} to {most[0]}.{most[1]}" if most else words
    return f"{words}; native from {native[0]}.{native[1]}" if native else words


def _newest(assessed: Sequence[Runtime], quantization: Quantization) -> tuple[int, int] | None:
    """Return the compute capability above which no runtime runs a format; ``None`` without one."""
    able = [one for one in assessed if oldest_nvidia(quantization, one) is not None]
    ends = [newest_nvidia(quantization, one) for one in able]
    known = [one for one in ends if one is not None]
    return max(known) if known and len(known) == len(ends) else None


def _other_gpus(catalog: Catalog, assessed: Sequence[Runtime], quantization: Quantization) -> str:
    """Name the architectures of other makers on which some runtime runs a format.

    A maker stands for all of its architectures in the catalog where all of them do.
    """
    named = []
    for vendor in Vendor:
        gpus = [one for one in catalog.gpus.values() if one.vendor is vendor]
        if vendor is Vendor.NVIDIA or not gpus:
            continue
        able = {
            gpu.architecture
            for gpu in gpus
            if any(runs_format(quantization, runtime, gpu) for runtime in assessed)
        }
        whole = able == {gpu.architecture for gpu in gpus}
        names = [VENDOR_NAMES[vendor]] if whole else sorted(able)
        named.append((whole, names))
    if named and all(whole for whole, _ in named):
        return "all"
    return ", ".join(name for _, names in named for name in names) or "none"
