"""Measurements of others with a model, run by run, each beside its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.measurements import MemoryRun
from sitegen.catalog.domain.provenance import Source
from sitegen.catalog.domain.runs import RunSplit, RunSubject, SpeedRun
from sitegen.published.accuracy.speed import FROM_RAM, SpeedAccuracy, SpeedComparison
from sitegen.site.cells import (
    Absent,
    Cell,
    Flag,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Unit,
    rate_span,
)
from sitegen.site.plain_json import PlainJson
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import run_row_id, url_of
from sitegen.site.words.plans import experts_in_ram
from sitegen.units import GIB
from sitegen.values import dataclass

NOT_STATED = Absent("not stated")
OUTCOMES = {
    "ran": "ran",
    "failed": "failed",
    "partly-on-cpu": "ran partly on the CPU",
    "unknown": "not stated",
}
TIMED = {
    "steady": "after the first token",
    "end-to-end": "prompt included",
    "as-posted": "as posted",
}

SPEEDS = "Published speeds"
STARTS = "Published startup logs"

SpeedRuns = tuple[tuple[SpeedRun, Source], ...]
MemoryRuns = tuple[tuple[MemoryRun, Source], ...]


def speed_runs_by_model(catalog: Catalog) -> Mapping[str, SpeedRuns]:
    """Group the speed records by the model that ran."""
    found: dict[str, list[tuple[SpeedRun, Source]]] = {}
    for file in catalog.benchmarks.values():
        for run in file.runs:
            found.setdefault(run.subject.model, []).append((run, file.sources[0]))
    return {model: tuple(runs) for model, runs in found.items()}


def memory_runs_by_model(catalog: Catalog) -> Mapping[str, MemoryRuns]:
    """Group the memory records by the model that ran."""
    found: dict[str, list[tuple[MemoryRun, Source]]] = {}
    for file in catalog.measurements.values():
        for run in file.runs:
            found.setdefault(run.subject.model, []).append((run, file.sources[0]))
    return {model: tuple(runs) for model, runs in found.items()}


@dataclass(frozen=True, slots=True)
class Estimates:
    """The engine's estimates of runs, by run id: rates, and the bound that a run breaks."""

    rates: Mapping[str, tuple[SpeedComparison, ...]]
    quarantined: frozenset[str] = frozenset()


NO_ESTIMATES = Estimates({})


def estimates(accuracy: SpeedAccuracy | None, quarantined: Iterable[str]) -> Estimates:
    """Index the comparisons by run."""
    found: dict[str, list[SpeedComparison]] = {}
    for one in accuracy.comparisons if accuracy else ():
        found.setdefault(one.run, []).append(one)
    return Estimates({run: tuple(all_) for run, all_ in found.items()}, frozenset(quarantined))


def speed_runs_table(
    runs: SpeedRuns,
    catalog: Catalog,
    known: Estimates = NO_ESTIMATES,
    *,
    id: str,
    caption: str = SPEEDS,
) -> Table:
    """List measured speeds, each beside the engine's."""
    columns = (
        Column("Hardware"),
        Column("Runtime", note="checkpoint, split"),
        Column("Context", numeric=True, note="at the start"),
        Column("Users", numeric=True, key="streams"),
        Column("Decode", numeric=True, note="one user, measured"),
        Column("All users", numeric=True, note="measured", key="all streams"),
        Column("Prefill", numeric=True, note="measured"),
        Column("Estimated", numeric=True, note="low–high"),
        Column("Source"),
    )
    rows = tuple(
        Row(
            (
                hardware(run.system, run.power_limit_watts),
                _ran(run.subject, run.split, catalog, run.speculative),
                _stated(run.workload.depth_tokens, Unit.TOKENS),
                NumberCell(run.workload.sequences, Unit.COUNT),
                _timed(run),
                _stated(run.figures.aggregate_tokens_per_s, Unit.TOKENS_PER_S),
                _stated(run.figures.prefill_tokens_per_s, Unit.TOKENS_PER_S),
                _estimated(run, known),
                _source(source, run.date),
            ),
            id=run_row_id(run.id),
        )
        for run, source in runs
    )
    return Table(id, caption, columns, rows, counted=True)


RATES = {
    "decode": "",
    "decode-of-many": " each user",
    "aggregate": " all users",
    "prefill": " prefill",
}
"""Words after a rate, by what was measured; with experts in system RAM or without."""


def _estimated(run: SpeedRun, known: Estimates) -> Cell:
    """Print the engine's rates for a run, and what keeps the run from being evidence."""
    lines: list[Cell] = []
    if run.id in known.quarantined:
        bound = Link(f"/claims/#quarantined--{run.id}", "faster than the hardware allows")
        lines += [Flag("in quarantine"), Small(bound)]
    if run.doubt:
        lines += [Flag("doubtful"), Small(run.doubt)]
    for one in known.rates.get(run.id, ()):
        rate = rate_span(one.predicted)
        named = RATES[one.quantity.removesuffix(FROM_RAM)]
        lines.append(Small(Parts((rate, named))) if named else rate)
    if run.speculative and run.id in known.rates:
        lines.append(Small("without speculative decoding"))
    if not lines:
        return Absent("not estimated")
    return lines[0] if len(lines) == 1 else Lines(tuple(lines))


def memory_runs_table(
    runs: MemoryRuns, catalog: Catalog, *, id: str, caption: str = STARTS
) -> Table:
    """List logged starts."""
    columns = (
        Column("Hardware"),
        Column("Runtime", note="checkpoint, split"),
        Column("Context", numeric=True),
        Column("Outcome"),
        Column("Logged", note="per GPU unless stated otherwise"),
        Column("Source"),
    )
    rows = tuple(
        Row(
            (
                NOT_STATED if run.system is None else hardware(run.system),
                _ran(run.subject, run.split, catalog),
                _stated(run.workload.context_tokens, Unit.TOKENS),
                OUTCOMES[run.outcome],
                _logged(run),
                _source(source, run.date),
            ),
            id=run_row_id(run.id),
        )
        for run, source in runs
    )
    return Table(id, caption, columns, rows, counted=True)


def hardware(system: Combo, power_limit_watts: int | None = None) -> Cell:
    """Name the GPUs with their counts, and what joins them."""
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for node in system.nodes:
        for installed in node.gpus:
            counts[installed.gpu.id] = counts.get(installed.gpu.id, 0) + 1
            names[installed.gpu.id] = installed.gpu.name
    parts: list[Cell] = []
    for gpu_id, count in counts.items():
        parts += [" + "] if parts else []
        parts += [f"{count}× ", Link(url_of("gpu", gpu_id), names[gpu_id])]
    remarks: list[Cell] = []
    if len(system.nodes) > 1:
        network = system.network.name if system.network else "link not stated"
        remarks.append(Small(f"{len(system.nodes)} machines, {network}"))
    if power_limit_watts is not None:
        limit = NumberCell(power_limit_watts, Unit.WATTS)
        remarks.append(Small(Parts(("limited to ", limit))))
    name = Parts(tuple(parts))
    return Lines((name, *remarks)) if remarks else name


def _ran(subject: RunSubject, split: RunSplit, catalog: Catalog, speculative: str = "") -> Cell:
    ran = catalog.runtimes[subject.runtime]
    runtime = Link(url_of("runtime", ran.id), ran.name)
    version = f" {ran.release(subject.version)}" if subject.version else ""
    degrees = (("TP", split.tensor), ("PP", split.pipeline), ("DP", split.data))
    words = [
        ran_file(subject, catalog),
        *(f"{word} {size}" for word, size in degrees if (size or 1) > 1),
    ]
    if split.cpu_expert_layers:
        words.append(experts_in_ram(split.cpu_expert_layers))
    lines: list[Cell] = [Parts((runtime, version)), Small(", ".join(words))]
    if speculative:
        lines.append(Small(f"speculative decoding: {speculative}"))
    return Lines(tuple(lines))


def ran_file(subject: RunSubject, catalog: Catalog) -> str:
    """Name the format of the file that ran, as the page of its model names it."""
    model = catalog.models.get(subject.model)
    listed = {one.id: one.quantization for one in model.checkpoints} if model else {}
    known = catalog.quantizations
    found = known.get(subject.quantization) or listed.get(subject.checkpoint)
    found = found or known.get(subject.checkpoint)
    return found.name if found else subject.checkpoint or "as released"


def _stated(value: float | None, unit: Unit) -> Cell:
    return NOT_STATED if value is None else NumberCell(value, unit)


def _timed(run: SpeedRun) -> Cell:
    if run.figures.decode_tokens_per_s is None:
        return NOT_STATED
    speed = NumberCell(run.figures.decode_tokens_per_s, Unit.TOKENS_PER_S)
    return Lines((speed, Small(TIMED[run.timed])))


def _logged(run: MemoryRun) -> Cell:
    seen = run.observed
    in_gib = (
        ("weights", seen.weights_gib),
        ("activations", seen.activation_gib),
        ("graphs", seen.graphs_gib),
        ("KV pool", seen.kv_pool_gib),
    )
    parts = [(name, value * GIB) for name, value in in_gib if value is not None]
    in_mib = (
        ("model buffers on all GPUs", seen.model_gpu_mib),
        ("KV cache in total", seen.kv_mib),
        ("compute buffers on all GPUs", seen.compute_gpu_mib),
    )
    parts += [(name, sum(values) * 2**20) for name, values in in_mib if values]
    if not parts:
        return Absent("no figures")
    return Lines(tuple(Parts((f"{name} ", NumberCell(value, Unit.GIB))) for name, value in parts))


def _source(source: Source, date: str) -> Cell:
    cell = source_cell(source)
    return Lines((cell, Small(date))) if date else cell


def twin_of_speed(runs: SpeedRuns) -> Iterator[dict[str, PlainJson]]:
    """Give the measured speeds as a JSON twin carries them."""
    for run, source in runs:
        yield {
            "id": run.id,
            "gpus": ", ".join(gpu.gpu.id for node in run.system.nodes for gpu in node.gpus),
            "runtime": run.subject.runtime,
            "version": run.subject.version,
            "checkpoint": run.subject.checkpoint or run.subject.quantization,
            "depth_tokens": run.workload.depth_tokens,
            "sequences": run.workload.sequences,
            "decode_tokens_per_s": run.figures.decode_tokens_per_s,
            "aggregate_tokens_per_s": run.figures.aggregate_tokens_per_s,
            "prefill_tokens_per_s": run.figures.prefill_tokens_per_s,
            "timed": run.timed,
            "speculative": run.speculative,
            "source": source.url or source.title,
            "combo": run.combo,
            "request_rate_per_s": run.load.request_rate_per_s if run.load else None,
            "latencies": _twin_of_latencies(run),
        }


def _twin_of_latencies(run: SpeedRun) -> PlainJson:
    if run.latency is None:
        return {}
    return {
        name: {"mean_s": one.mean_s, "p50_s": one.p50_s, "p95_s": one.p95_s, "p99_s": one.p99_s}
        for name, one in run.latency.by_name.items()
    }
