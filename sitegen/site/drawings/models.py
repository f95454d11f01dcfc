"""Memory of a model's checkpoints as the context grows, beside that of well-known GPUs."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import DedicatedMemory, Gpu
from sitegen.catalog.domain.models import LanguageModel
from sitegen.physics.model_facts import CheckpointFacts, ModelFacts
from sitegen.site.cells import Cell, NumberCell, Unit
from sitegen.site.drawings.plot import Axis, Drawn, Limit, Plot, Point, Series, doubling_axis
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.models import cache_bits
from sitegen.units import GIB

CLASSES = (16.5, 9.0, 7.0, 5.0)
"""Bits per weight: the largest checkpoint under each of these is drawn."""
MOST_LIMITS = 6


def known_sizes(catalog: Catalog) -> tuple[Gpu, ...]:
    """Pick for each memory size the GPU that most combos use; the commonest sizes, rising."""
    uses: dict[str, int] = {}
    for combo in catalog.combos.values():
        for used in {installed.gpu.id for installed in combo.gpus}:
            uses[used] = uses.get(used, 0) + 1
    by_size: dict[int, list[Gpu]] = {}
    for gpu in catalog.gpus.values():
        if isinstance(gpu.memory, DedicatedMemory) and gpu.id in uses:
            by_size.setdefault(round(gpu.memory.installed_bytes / GIB), []).append(gpu)
    found = [max(same, key=lambda gpu: (uses[gpu.id], gpu.id)) for same in by_size.values()]
    common = sorted(found, key=lambda gpu: (-uses[gpu.id], gpu.id))
    return tuple(sorted(_apart(common), key=_visible))


def _visible(gpu: Gpu) -> int:
    return gpu.memory.visible_bytes if isinstance(gpu.memory, DedicatedMemory) else 0


def _apart(gpus: Iterable[Gpu]) -> list[Gpu]:
    """Take sizes that differ enough for their lines to be told apart."""
    chosen: list[Gpu] = []
    for gpu in gpus:
        size = _visible(gpu)
        if len(chosen) < MOST_LIMITS and all(
            size > 1.3 * _visible(other) or 1.3 * size < _visible(other) for other in chosen
        ):
            chosen.append(gpu)
    return chosen


def memory_plot(model: LanguageModel, facts: ModelFacts, gpus: tuple[Gpu, ...]) -> Drawn | None:
    """Draw weights and cache of one sequence over its length, a line per usual checkpoint."""
    shown = _usual(facts.checkpoints)
    if not shown or len(facts.kv_curve) < 2:
        return None
    totals = [
        checkpoint_facts.total_bytes + size
        for checkpoint_facts in shown
        for _, size in facts.kv_curve
    ]
    y = doubling_axis("Weights and cache", Unit.GIB, totals, step=GIB)
    plot = Plot(
        id="weights",
        title=f"Memory of {model.name} by context",
        description=(
            "One rising line per checkpoint: its weights and the cache of one sequence "
            f"({cache_bits(facts)}), without the runtime's overhead. Horizontal lines mark the "
            "memory that a process can use on well-known GPUs. The table below has the same "
            "numbers."
        ),
        x=doubling_axis("Context", Unit.TOKENS, (length for length, _ in facts.kv_curve)),
        y=y,
        series=tuple(
            Series(
                checkpoint_facts.checkpoint.quantization.name,
                tuple(
                    Point(length, checkpoint_facts.total_bytes + size)
                    for length, size in facts.kv_curve
                ),
                line=True,
                marked=True,
            )
            for checkpoint_facts in shown
        ),
        limits=tuple(Limit(_visible(gpu), gpu.name) for gpu in gpus if _within(y, gpu)),
    )
    columns = (
        Column("Context", numeric=True, note="one sequence"),
        Column("Cache", numeric=True, note=cache_bits(facts)),
        *(
            Column(checkpoint_facts.checkpoint.quantization.name, numeric=True)
            for checkpoint_facts in shown
        ),
    )
    rows = tuple(_row(length, size, shown) for length, size in facts.kv_curve)
    caption = "Weights and cache by context"
    return Drawn(plot, Table("weights-table", caption, columns, rows, note=_gpus_note(plot, gpus)))


def _within(axis: Axis, gpu: Gpu) -> bool:
    return axis.low < _visible(gpu) <= axis.high


def _gpus_note(plot: Plot, gpus: tuple[Gpu, ...]) -> str:
    if plot.limits or not gpus:
        return ""
    return "There is no chart, because no single GPU's memory is near the size of this model."


def _row(length: int, cache: int, shown: tuple[CheckpointFacts, ...]) -> Row:
    cells: tuple[Cell, ...] = (
        NumberCell(length, Unit.TOKENS),
        NumberCell(cache, Unit.GIB),
        *(NumberCell(one.total_bytes + cache, Unit.GIB) for one in shown),
    )
    return Row(cells)


def _usual(checkpoints: tuple[CheckpointFacts, ...]) -> tuple[CheckpointFacts, ...]:
    """Choose the largest production checkpoint under each class of bits, largest first."""
    production = [one for one in checkpoints if one.checkpoint.quantization.production]
    found: dict[str, CheckpointFacts] = {}
    for most, least in zip(CLASSES, (*CLASSES[1:], 0.0), strict=True):
        of_class = [one for one in production if least < one.bits_per_weight <= most]
        if of_class:
            first = max(of_class, key=lambda one: (one.total_bytes, one.checkpoint.id))
            found[first.checkpoint.id] = first
    return tuple(found.values())
