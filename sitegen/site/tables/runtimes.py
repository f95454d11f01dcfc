"""Tables of runtimes: what each can do."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.models import Capabilities, MemoryModel, Runtime
from sitegen.site.cells import Absent, Cell, Link
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
    ("cpu_offload", "Offload to system RAM"),
)
MEMORY_WORDS = {
    MemoryModel.PAGED: "assessed: paged KV cache",
    MemoryModel.LAYER_SPLIT: "assessed: layer split",
    MemoryModel.EAGER_SPLIT: "assessed: whole layers, memory as it is needed",
    MemoryModel.UNPROFILED: "listed, not assessed",
    MemoryModel.ORCHESTRATOR: "runs other runtimes",
}


def assessed_words(runtime: Runtime) -> str:
    """Say whether the engine assesses a runtime, and what of it the survey judges."""
    words = MEMORY_WORDS[runtime.memory_model]
    if runtime.surveyed_in_full:
        return words
    return f"{words}; of each model the smallest production checkpoint"


def yes_or_no(value: bool) -> str:
    """Print a capability as a word with its glyph."""
    return "✓ yes" if value else "– no"


def has(capabilities: Capabilities, name: str) -> bool:
    """Read a capability by its field's name."""
    return bool(getattr(capabilities, name))


def version_cell(runtime: Runtime) -> Cell:
    """The version that is assessed."""
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
