"""The smallest machine with a GPU that runs a model: tables of model and GPU pages, and a twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, DedicatedMemory, Gpu, UnifiedMemory, Vendor
from sitegen.fit.assessment import FitTier
from sitegen.ownership.prices import size_of
from sitegen.quality.values import Ratings, Use
from sitegen.site.cells import (
    Absent,
    Cell,
    Lines,
    Link,
    NumberCell,
    Small,
    TierMark,
    Unit,
    rate_span,
    span,
)
from sitegen.site.composed_address import with_model, write_build
from sitegen.site.json.schema.pages import GpusNeededRow
from sitegen.site.json.shaped import by_column
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.hardware import installed_memory
from sitegen.site.tables.running_costs import power_cell
from sitegen.site.urls import CUSTOM_URL, url_of, view_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.prices import gpu_price_cell
from sitegen.site.words.quality import rating_cell
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import flag_words, longest_context
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.composed_build import build_of
from sitegen.survey.gpu_counts import COUNTS
from sitegen.survey.results import Survey
from sitegen.units import GIB

SHOWN = 16
"""GPUs on a model's page; its files have all."""
NUMBERS = {1: "One", 2: "Two", 3: "Three", 4: "Four", 6: "Six", 8: "Eight"}

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


def needs_by_model(survey: Survey, alike: Alike) -> Mapping[str, tuple[GpusNeeded, ...]]:
    """Sort by model what cards need of which the catalog has a machine."""
    found: dict[str, list[GpusNeeded]] = {}
    for gpu_id in sorted({gpu_id for gpu_id, _, _ in alike}):
        for need in survey.needs.get(gpu_id, ()):
            if isinstance(need.gpu.memory, DedicatedMemory):
                found.setdefault(need.model.id, []).append(need)
    return {model_id: tuple(listed) for model_id, listed in found.items()}


def counts_table(needs: Iterable[GpusNeeded], alike: Alike, usd_per_kwh: float | None) -> Table:
    """List GPUs by memory, each with the fewest that run one model, the plan and what it costs.

    Verdicts have a column only where they differ.
    """
    ordered = sorted(needs, key=lambda need: (_memory_bytes(need.gpu), need.gpu.id))
    columns = (
        Column("GPU"),
        Column("Memory", numeric=True, note="each"),
        Column("Needed", numeric=True, note="in one machine"),
        *((Column("Verdict"),) if _differ(ordered) else ()),
        Column("File", note="opens commands"),
        Column("Runtime", note="plan"),
        Column("Max context", numeric=True, note="one sequence"),
        Column("Costs", numeric=True, note="GPUs only"),
        Column("Electricity", numeric=True, note="for 1M tokens", key="power"),
    )
    rows: list[Row] = []
    for need in ordered:
        listed = alike.get((need.gpu.id, need.count, need.link.id if need.link else ""))
        build = write_build(build_of(need.machine))
        own = f"{CUSTOM_URL}#{with_model(build, need.model.id)}"
        view = own if listed is None else view_of(listed.id, need.model.id)
        rows.append(_row(need, view, usd_per_kwh, with_verdict=_differ(ordered)))
    most = COUNTS[-1]
    return Table(
        "gpus-needed",
        "The fewest GPUs of one kind",
        columns,
        tuple(rows),
        counted=True,
        note=f"We leave out a GPU if {most} of them are not enough.",
        sortable=True,
        ascends_by=1,
    )


def usual_gpus(catalog: Catalog) -> tuple[str, ...]:
    """Return ids of GPUs, those first that most sources of runs name."""
    ran = Counter(
        gpu_id
        for source in catalog.benchmarks.values()
        for gpu_id in {one.gpu.id for run in source.runs for one in run.system.gpus}
    )
    return tuple(sorted(ran, key=lambda gpu_id: (-ran[gpu_id], gpu_id)))


def counts_extract(every: Table, usual: Sequence[str]) -> Table:
    """Cut the table to the ``SHOWN`` GPUs that readers are most likely to have."""
    if len(every.rows) <= SHOWN:
        return every
    by_id = {row.id: row for row in every.rows}
    first = [id_ for id_ in (f"needs-{gpu_id}" for gpu_id in usual) if id_ in by_id][:SHOWN]
    kept = {*first, *[row.id for row in every.rows if row.id not in first][: SHOWN - len(first)]}
    rows = tuple(row for row in every.rows if row.id in kept)
    rest = len(every.rows) - len(rows)
    note = f"The GPUs with the most published runs. {rest} more are in data.csv and index.json."
    return replace(every, rows=rows, note=f"{note} {every.note}", counted=False, in_files=False)


def _differ(needs: Iterable[GpusNeeded]) -> bool:
    return len({(need.tier, need.too_close) for need in needs}) > 1


def _row(need: GpusNeeded, view: str, usd_per_kwh: float | None, *, with_verdict: bool) -> Row:
    gpu, size = need.gpu, size_of(need.machine.gpus[0])
    price = gpu_price_cell(gpu, need.count, memory_bytes=size)
    watts = None if gpu.tdp_watts is None else gpu.tdp_watts * need.count
    return Row(
        (
            Link(url_of("gpu", gpu.id), gpu.name),
            installed_memory(gpu),
            NumberCell(need.count, Unit.COUNT),
            *((TierMark(need.tier, need.too_close),) if with_verdict else ()),
            Link(view, need.checkpoint.quantization.name),
            _runtime_cell(need),
            longest_context(need.max_context_tokens),
            price,
            power_cell(watts, need.single_tokens_per_s, usd_per_kwh),
        ),
        id=f"needs-{gpu.id}",
    )


def _runtime_cell(need: GpusNeeded) -> Cell:
    runtime = need.runtime
    return Lines((Link(url_of("runtime", runtime.id), runtime.name), Small(_plan_words(need))))


def _runtime_words(need: GpusNeeded) -> str:
    return f"{need.runtime.name}, {_plan_words(need)}"


def _plan_words(need: GpusNeeded) -> str:
    if need.gpu.vendor is Vendor.CPU:
        return "on the processor"
    return ", ".join((plan_words(need.plan), *flag_words(need.settings)))


def _memory_bytes(gpu: Gpu) -> int:
    memory = gpu.memory
    return memory.installed_bytes if isinstance(memory, DedicatedMemory) else 0


def counts_twin(needs: Iterable[GpusNeeded]) -> PlainJson:
    """Write the table's rows for the JSON twin, by columns."""
    return by_column(GpusNeededRow, needs)


def runs_tables(needs: Iterable[GpusNeeded], ratings: Ratings) -> Iterator[tuple[str, Table]]:
    """Yield what each machine with a GPU runs that no smaller one does; tight fits come last."""
    groups: dict[tuple[bool, int, int], list[GpusNeeded]] = {}
    for need in needs:
        tight = need.tier is not FitTier.COMFORTABLE
        size = (0, 0) if tight else (need.count, need.machine.installed_vram_bytes)
        groups.setdefault((tight, *size), []).append(need)
    first = True
    for (tight, count, installed), found in sorted(groups.items()):
        heading = _heading(found[0], first=first, tight=tight)
        id_ = "runs-tight" if tight else f"runs-{count}-{installed // GIB}"
        yield heading, _runs_table(found, ratings, id=id_, caption=heading)
        first = False


def _heading(need: GpusNeeded, *, first: bool, tight: bool) -> str:
    if tight:
        return "Borderline on every machine assessed"
    if isinstance(need.gpu.memory, UnifiedMemory):
        machine = f"in {need.machine.installed_vram_bytes // GIB} GiB"
    else:
        machine = f"on {NUMBERS[need.count].lower()} GPU{'' if need.count == 1 else 's'}"
    return f"{'Models' if first else 'More models'} that fit {COMFORTABLY} {machine}"


def _runs_table(needs: Iterable[GpusNeeded], ratings: Ratings, *, id: str, caption: str) -> Table:
    columns = (
        Column("Model", note="best rated first"),
        Column("Rating", numeric=True, note="overall"),
        Column("File", note="runtime, plan"),
        Column("Memory used", numeric=True, note="fullest GPU"),
        Column("Speed", numeric=True, note="one user"),
        Column("Longest context", numeric=True),
        Column("Borderline on"),
    )

    def place(need: GpusNeeded) -> tuple[float, str]:
        known = ratings.of(Use.OVERALL, need.model.id)
        return (-known.points.mid if known and known.is_rated else 0.0, need.model.name)

    builds: dict[str, str] = {}
    rows: list[Row] = []
    for need in sorted(needs, key=place):
        machine = need.machine
        if machine.id not in builds:
            builds[machine.id] = write_build(build_of(machine))
        address = f"{CUSTOM_URL}#{with_model(builds[machine.id], need.model.id)}"
        rows.append(_runs_row(need, ratings, address))
    return Table(id, caption, columns, tuple(rows), counted=True, sortable=True)


def _runs_row(need: GpusNeeded, ratings: Ratings, address: str) -> Row:
    known, speed = ratings.of(Use.OVERALL, need.model.id), need.single_tokens_per_s
    smaller = need.machine if need.tier is not FitTier.COMFORTABLE else need.tight_on
    return Row(
        (
            Link(address, need.model.name),
            rating_cell(known) if known and known.is_rated else Absent("not rated"),
            Lines((need.checkpoint.quantization.name, Small(_runtime_words(need)))),
            span(need.utilization, Unit.PERCENT),
            rate_span(speed) if speed.mid else Absent("not estimated"),
            longest_context(need.max_context_tokens),
            Absent("–") if smaller is None else _machine_words(smaller),
        )
    )


def _machine_words(machine: Combo) -> Cell:
    first = machine.gpus[0]
    if isinstance(first.gpu.memory, UnifiedMemory):
        return NumberCell(first.installed_bytes, Unit.GIB)
    return NumberCell(len(machine.gpus), Unit.COUNT)
