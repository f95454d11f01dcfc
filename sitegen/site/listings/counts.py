"""How many of each GPU a model needs: the table of a model page, and its twin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, DedicatedMemory, Gpu
from sitegen.engine.findings import GpusNeeded
from sitegen.engine.gpu_counts import COUNTS
from sitegen.site.cells import Cell, Lines, Link, Quantity, Small, TierMark, Unit, recorded
from sitegen.site.listings.hardware import installed_memory
from sitegen.site.page import PlainJson
from sitegen.site.plans import plan_words
from sitegen.site.tables import Column, Row, Table
from sitegen.site.urls import model_row_id, url_of
from sitegen.site.verdicts import longest_context

Alike = Mapping[tuple[str, int, str], Combo]
"""Combos of one kind of GPU in one machine, by GPU, count and link."""


def machines_by_gpu(catalog: Catalog) -> Alike:
    """Index the catalog's machines of equal GPUs."""
    found: dict[tuple[str, int, str], Combo] = {}
    for combo in catalog.combos.values():
        node, kinds = combo.nodes[0], {gpu.gpu.id for gpu in combo.gpus}
        if len(combo.nodes) == 1 and len(kinds) == 1:
            link = node.link.id if node.link else ""
            found.setdefault((node.gpus[0].gpu.id, len(node.gpus), link), combo)
    return found


def counts_table(needs: Iterable[GpusNeeded], alike: Alike) -> Table:
    """List GPUs by memory, each with the fewest that run one model and the plan they run."""
    ordered = sorted(needs, key=lambda need: (_memory_bytes(need.gpu), need.gpu.id))
    columns = (
        Column("GPU"),
        Column("Memory", numeric=True, note="each"),
        Column("Needed", numeric=True, note="in one machine"),
        Column("Verdict"),
        Column("Checkpoint"),
        Column("Runtime", note="plan"),
        Column("Max context", numeric=True, note="one sequence"),
        Column("Price", numeric=True, note="GPUs at launch"),
    )
    rows = tuple(_row(need, alike) for need in ordered)
    most = COUNTS[-1]
    return Table(
        "gpus-needed",
        "The fewest GPUs of one kind",
        columns,
        rows,
        counted=True,
        note=f"GPUs of which {most} are not enough are left out.",
        sortable=True,
        ascends_by=1,
    )


def _row(need: GpusNeeded, alike: Alike) -> Row:
    gpu, runtime, price = need.gpu, need.runtime, need.gpu.launch_price_usd
    head: Cell = Link(url_of("gpu", gpu.id), gpu.name)
    listed = alike.get((gpu.id, need.count, need.link.id if need.link else ""))
    if listed is not None:
        address = f"{url_of('combo', listed.id)}#{model_row_id(need.model.id)}"
        head = Lines((head, Small(Link(address, listed.name))))
    return Row(
        (
            head,
            installed_memory(gpu),
            Quantity(need.count, Unit.COUNT),
            TierMark(need.tier, need.too_close),
            need.checkpoint.quantization.name,
            Lines(
                (
                    Link(url_of("runtime", runtime.id), runtime.name),
                    Small(plan_words(need.plan)),
                )
            ),
            longest_context(need.max_context_tokens),
            recorded(None if price is None else price * need.count, Unit.USD),
        ),
        id=f"needs-{gpu.id}",
    )


def _memory_bytes(gpu: Gpu) -> int:
    memory = gpu.memory
    return memory.installed_bytes if isinstance(memory, DedicatedMemory) else 0


def counts_twin(needs: Iterable[GpusNeeded]) -> list[PlainJson]:
    """Write the table's rows for the JSON twin."""
    return [
        {
            "gpu": need.gpu.id,
            "count": need.count,
            "link": need.link.id if need.link else None,
            "tier": str(need.tier),
            "too_close": need.too_close,
            "checkpoint": need.checkpoint.id,
            "runtime": need.runtime.id,
            "tensor_parallel_size": need.plan.tensor_parallel_size,
            "pipeline_parallel_size": need.plan.pipeline_parallel_size,
            "replicas": need.plan.replicas,
            "utilization": need.utilization.mid,
            "max_context_tokens": need.max_context_tokens,
        }
        for need in needs
    ]
