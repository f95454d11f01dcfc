"""Measurements of others, by hardware for a model, by model for a GPU; long tables are folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from statistics import median
from typing import TypeVar

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.measurements import MemoryRun
from sitegen.catalog.domain.provenance import Source
from sitegen.catalog.domain.runs import SpeedRun
from sitegen.site.cells import Absent, Cell, Link, NumberCell, Span, Unit
from sitegen.site.table import Column, Fold, Row, Table
from sitegen.site.tables.runs import (
    SPEEDS,
    STARTS,
    Estimates,
    MemoryRuns,
    SpeedRuns,
    memory_runs_table,
    speed_runs_table,
)
from sitegen.site.urls import url_of
from sitegen.site.words.hardware import plain_gpus
from sitegen.values import dataclass

PLAIN_ROWS = 25
"""Rows that a table may have before it is folded by hardware."""
OWN_FOLD = 3
"""Runs of one kind of hardware that make a fold of their own."""
OTHER = "Other hardware"

AnyRun = TypeVar("AnyRun", SpeedRun, MemoryRun)


@dataclass(frozen=True, slots=True)
class MeasuredRuns:
    """Runs of one model: a table, or a fold for each kind of hardware."""

    caption: str
    table: Table | None
    folds: tuple[Fold, ...]


def measured_of_model(
    speeds: SpeedRuns, starts: MemoryRuns, catalog: Catalog, known: Estimates
) -> tuple[MeasuredRuns, ...]:
    """Show what others measured, as far as anybody did."""

    def of_speeds(runs: SpeedRuns, id: str, caption: str) -> Table:
        return speed_runs_table(runs, catalog, known, id=id, caption=caption)

    def of_starts(runs: MemoryRuns, id: str, caption: str) -> Table:
        return memory_runs_table(runs, catalog, id=id, caption=caption)

    found = []
    if speeds:
        found.append(_measured(speeds, of_speeds, "measured-speed", SPEEDS))
    if starts:
        found.append(_measured(starts, of_starts, "measured-memory", STARTS))
    return tuple(found)


Build = Callable[[tuple[tuple[AnyRun, Source], ...], str, str], Table]


def _measured(
    runs: tuple[tuple[AnyRun, Source], ...], build: Build[AnyRun], id: str, caption: str
) -> MeasuredRuns:
    if len(runs) <= PLAIN_ROWS:
        return MeasuredRuns(caption, build(runs, id, caption), ())
    by_hardware: dict[str, list[tuple[AnyRun, Source]]] = {}
    for run in runs:
        by_hardware.setdefault(system_name(run[0].system), []).append(run)
    rare = [name for name, found in by_hardware.items() if len(found) < OWN_FOLD]
    other = [run for name in rare for run in by_hardware.pop(name)]
    named = sorted(by_hardware.items(), key=lambda item: (-len(item[1]), item[0]))
    if other:
        named.append((OTHER, other))
    folds = tuple(
        Fold(f"{name} ({len(found)})", build(tuple(found), f"{id}-{place}", f"{caption}: {name}"))
        for place, (name, found) in enumerate(named, 1)
    )
    return MeasuredRuns(f"{caption} ({len(runs)})", None, folds)


def system_name(system: Combo | None) -> str:
    """Name the GPUs of a system with their counts."""
    return "Hardware not stated" if system is None else plain_gpus(system, "× ")


@dataclass(slots=True)
class RunTally:
    """Measurements of one model on systems with a GPU."""

    speeds: int = 0
    starts: int = 0
    alone: list[float] = field(default_factory=list)
    """Decode speeds of one stream on one such GPU, tokens/s."""


def measured_by_gpu(catalog: Catalog) -> Mapping[str, Mapping[str, RunTally]]:
    """Count the records by GPU and model."""
    found: dict[str, dict[str, RunTally]] = {}

    def tallies(system: Combo | None, model: str) -> list[RunTally]:
        gpus = {installed.gpu.id for installed in system.gpus} if system else set()
        return [found.setdefault(gpu, {}).setdefault(model, RunTally()) for gpu in sorted(gpus)]

    for file in catalog.benchmarks.values():
        for run in file.runs:
            for tally in tallies(run.system, run.subject.model):
                tally.speeds += 1
                speed = run.figures.decode_tokens_per_s
                if speed is not None and _is_plain(run):
                    tally.alone.append(speed)
    for log in catalog.measurements.values():
        for start in log.runs:
            for tally in tallies(start.system, start.subject.model):
                tally.starts += 1
    return found


def _is_plain(run: SpeedRun) -> bool:
    """Return whether a run is one stream on one GPU alone, without speculation or doubt."""
    alone = len(run.system.gpus) == 1 and run.workload.sequences == 1
    in_ram = run.split.cpu_expert_layers > 0
    return alone and not in_ram and not run.speculative and not run.doubt


def measured_of_gpu(found: Mapping[str, RunTally], catalog: Catalog, *, id: str) -> Table:
    """List the models that others ran on a GPU, most records first."""
    columns = (
        Column("Model"),
        Column("Speeds", numeric=True, note="records"),
        Column("Starts", numeric=True, note="records"),
        Column("Decode", numeric=True, note="measured, one user on one GPU"),
    )
    ordered = sorted(found.items(), key=lambda item: (-item[1].speeds - item[1].starts, item[0]))
    rows = tuple(
        Row(
            (
                Link(f"{url_of('model', model)}#measured", catalog.models[model].name),
                NumberCell(tally.speeds, Unit.COUNT),
                NumberCell(tally.starts, Unit.COUNT),
                _range(tally.alone),
            )
        )
        for model, tally in ordered
    )
    return Table(id, "Published runs on this GPU, by model", columns, rows, counted=True)


def _range(speeds: list[float]) -> Cell:
    if not speeds:
        return Absent("none")
    return Span(min(speeds), median(speeds), max(speeds), Unit.TOKENS_PER_S)
