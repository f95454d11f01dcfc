"""Benchmark opportunities in words and tables: what to measure, and what it would settle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Gpu
from sitegen.catalog.domain.models import LanguageModel, Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.open_verdict import ToMeasure, Uncertain
from sitegen.site.cells import (
    Cell,
    Folded,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    span,
)
from sitegen.site.table import Column, Row, Table, first_rows
from sitegen.site.urls import url_of
from sitegen.site.words.plans import split_words
from sitegen.site.words.verdicts import row_link
from sitegen.survey.benchmark_priorities import BenchmarkSession, Opportunity, SettledRow

URL = "/benchmarks/opportunities/"

QUANTITY_WORDS: Mapping[Uncertain, str] = {
    Uncertain.RUNTIME_OVERHEAD: "runtime overhead",
    Uncertain.COMPUTE: "activation peak",
    Uncertain.GRAPHS: "CUDA graph memory",
    Uncertain.WEIGHTS: "memory of the loaded weights",
    Uncertain.RESERVED: "memory reserved by the system",
    Uncertain.START_UP: "memory after startup (without the KV cache)",
    Uncertain.SPEED: "single-user decode speed",
    Uncertain.RUN: "decode speed, and memory after startup",
}
OF_ESTIMATE = "memory on the fullest GPU, or speed for one user"


def measure_words(measure: ToMeasure, catalog: Catalog) -> Parts:
    """Say what to measure, of which model, with which runtime and where."""
    parts: list[Cell] = [QUANTITY_WORDS[measure.quantity]]
    if measure.model_id:
        parts += [" of ", named("model", measure.model_id, catalog.models)]
        if measure.checkpoint_id:
            parts.append(f" {_checkpoint(measure, catalog)}")
    joint = " with " if measure.runtime_id else " on the "
    return Parts((*parts, joint, machine_words(measure, catalog)))


def _checkpoint(measure: ToMeasure, catalog: Catalog) -> str:
    model = catalog.models.get(measure.model_id)
    found = (c for c in (model.checkpoints if model else ()) if c.id == measure.checkpoint_id)
    checkpoint = next(found, None)
    return checkpoint.quantization.name if checkpoint else measure.checkpoint_id


def named(kind: str, id: str, table: Mapping[str, Gpu | LanguageModel | Runtime]) -> Cell:
    """Link a record by its name; an id that names nothing stays what it is."""
    return Link(url_of(kind, id), table[id].name) if id in table else id


def machine_words(measure: ToMeasure, catalog: Catalog) -> Parts:
    """Name the runtime, the split, the GPUs and the link that a measurement needs."""
    parts: list[Cell] = []
    if measure.runtime_id:
        runtime = named("runtime", measure.runtime_id, catalog.runtimes)
        known, version = catalog.runtimes.get(measure.runtime_id), measure.runtime_version
        parts += [runtime, f" {version if known is None else known.release(version)}"]
    count = sum(number for _, number in measure.gpus)
    tp, pp = measure.tensor_parallel_size, measure.pipeline_parallel_size
    if tp * pp > 1:
        parts.append(f", {split_words(tp, pp)}")
    elif count > 1:
        parts.append(f", layers split over {count} GPUs")
    if measure.gpus:
        parts += [" on " if parts else "", *_gpus(measure, catalog)]
    if count > 1 and measure.link_id:
        link = catalog.interconnects.get(measure.link_id)
        parts.append(f" over {link.name if link else measure.link_id}")
    return Parts(tuple(parts))


def _gpus(measure: ToMeasure, catalog: Catalog) -> tuple[Cell, ...]:
    parts: list[Cell] = []
    for gpu_id, number in measure.gpus:
        times = f"{number} × " if number else ""
        parts += [" + " if parts else "", times, named("gpu", gpu_id, catalog.gpus)]
    return tuple(part for part in parts if part)


def interval(opportunity: Opportunity) -> Cell:
    """Print between which bounds the quantity is thought to lie, over all rows it settles."""
    bounds = [settled.option.bounds for settled in opportunity.settles]
    widest = Interval(min(b.low for b in bounds), bounds[0].mid, max(b.high for b in bounds))
    speed = opportunity.measure.quantity is Uncertain.SPEED
    return span(widest, Unit.TOKENS_PER_S if speed else Unit.GIB)


def _outcome(settled: SettledRow, *, here: bool) -> Cell:
    """Name a row and the tier that each end of the interval would give it."""
    verdict, option = settled.row.pick, settled.option
    name: Cell = verdict.model.name
    if not here:
        text = f"{verdict.model.name} on {verdict.combo.name}"
        name = Link(row_link(verdict), text)
    low, high = TierMark(option.tier_at_low), TierMark(option.tier_at_high)
    if option.tier_at_low is option.tier_at_high:
        return Parts((name, ": ", low))
    return Parts((name, ": ", low, " at the low end, ", high, " at the high end"))


def _settles(settled: Iterable[SettledRow], *, here: bool) -> Cell:
    items = tuple(_outcome(one, here=here) for one in settled)
    word = "verdict" if len(items) == 1 else "verdicts"
    return Folded(f"{len(items)} {word}", items)


SHOWN = 6
"""Measurements that a combo's page lists; its files have them all."""


def first_table(every: Table | None) -> Table | None:
    """Return the measurements that settle most, for a page; ``None`` where there is none."""
    return None if every is None else first_rows(every, SHOWN, id="first-opportunities")


def combo_table(
    here: tuple[Opportunity, ...], everywhere: Mapping[ToMeasure, int], catalog: Catalog
) -> Table | None:
    """List what would settle verdicts of one combo, and how many it would settle on all."""
    if not here:
        return None
    columns = (
        Column("Measure"),
        Column("Current estimate", numeric=True, note=OF_ESTIMATE),
        Column("Settles here"),
        Column("Verdicts settled", numeric=True, note="on all machines", key="on all machines"),
    )
    rows = tuple(
        Row(
            (
                measure_words(opportunity.measure, catalog),
                interval(opportunity),
                _settles(opportunity.settles, here=True),
                NumberCell(everywhere[opportunity.measure], Unit.COUNT),
            )
        )
        for opportunity in here
    )
    caption = "What to measure next: what settles most verdicts comes first"
    return Table("opportunities", caption, columns, rows, counted=True)


def measurements_table(
    opportunities: tuple[Opportunity, ...], catalog: Catalog, *, id: str, caption: str
) -> Table:
    """List every measurement by the verdicts that it alone would settle."""
    columns = (
        Column("Measure"),
        Column("Settles", numeric=True, note="verdicts"),
        Column("Current estimate", numeric=True, note=OF_ESTIMATE),
        Column("Verdicts"),
    )
    rows = tuple(
        Row(
            (
                measure_words(opportunity.measure, catalog),
                NumberCell(len(opportunity.settles), Unit.COUNT),
                interval(opportunity),
                _settles(opportunity.settles, here=False),
            )
        )
        for opportunity in opportunities
    )
    return Table(id, caption, columns, rows, counted=True)


def sessions_table(benchmark_sessions: tuple[BenchmarkSession, ...], catalog: Catalog) -> Table:
    """List machines with a runtime by the verdicts that measuring there would settle."""
    columns = (
        Column("Machine and runtime"),
        Column("Settles", numeric=True, note="verdicts"),
        Column("Measurements"),
    )
    rows = tuple(
        Row(
            (
                _table_of(one.measure, catalog),
                NumberCell(one.verdicts, Unit.COUNT),
                _measurements(one, catalog),
            )
        )
        for one in benchmark_sessions
    )
    return Table(
        "sessions", "Verdicts that one session on each machine settles", columns, rows, counted=True
    )


def _table_of(measure: ToMeasure, catalog: Catalog) -> Cell:
    words = machine_words(measure, catalog)
    if not measure.gpus:
        return Parts((*words.parts, " on any GPU"))
    return words if measure.runtime_id else Parts(("Any runtime on ", *words.parts))


def _measurements(benchmark_session: BenchmarkSession, catalog: Catalog) -> Cell:
    items = tuple(_what(opportunity, catalog) for opportunity in benchmark_session.opportunities)
    word = "measurement" if len(items) == 1 else "measurements"
    return Folded(f"{len(items)} {word}", items)


def _what(opportunity: Opportunity, catalog: Catalog) -> Cell:
    parts: list[Cell] = [QUANTITY_WORDS[opportunity.measure.quantity]]
    if opportunity.measure.model_id:
        model = catalog.models.get(opportunity.measure.model_id)
        parts.append(f", {model.name if model else opportunity.measure.model_id}")
    if opportunity.measure.checkpoint_id:
        parts.append(f" {_checkpoint(opportunity.measure, catalog)}")
    return Parts((*parts, f" ({len(opportunity.settles)})"))


def to_settle(measure: ToMeasure, catalog: Catalog) -> Cell:
    """Say in a row that is too close to call which one measurement would settle it.

    What belongs to the row's own model and plan is not named again.
    """
    if measure.model_id:
        return Small(f"To settle the verdict, measure the {QUANTITY_WORDS[measure.quantity]}.")
    return Small(
        Parts(("To settle the verdict, measure the ", measure_words(measure, catalog), "."))
    )
