"""Records of runs to domain values: ids of hardware become hardware."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sitegen.catalog.authored import Authored
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    Gpu,
    InstalledGpu,
    Interconnect,
)
from sitegen.catalog.domain.runs import (
    Benchmarks,
    Histogram,
    Latencies,
    Latency,
    LeftOut,
    Load,
    RunSplit,
    RunSubject,
    SpeedFigures,
    SpeedRun,
    SpeedWorkload,
)
from sitegen.catalog.records.benchmarks import (
    BenchmarkRecord,
    LatenciesRecord,
    LatencyRecord,
    LoadRecord,
    SpeedRunRecord,
)
from sitegen.catalog.records.runs import (
    LeftOutRecord,
    ParallelRecord,
    SubjectRecord,
    SystemRecord,
)
from sitegen.catalog.resolve.hardware import resolve_nodes
from sitegen.catalog.resolve.parts import gib_to_bytes, resolve_sources
from sitegen.problems import SourceSpan

Hardware = tuple[Mapping[str, Gpu], Mapping[str, Interconnect]]


def resolve_benchmarks(authored: Authored[BenchmarkRecord], hardware: Hardware) -> Benchmarks:
    """Turn the speed figures of a source into domain values."""
    record = authored.record
    return Benchmarks(
        id=authored.id,
        date=record.date or "",
        runs=tuple(_speed_run(run, record, hardware, authored.span) for run in record.runs),
        left_out=_left_out(record.left_out),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def _speed_run(
    run: SpeedRunRecord, record: BenchmarkRecord, hardware: Hardware, span: SourceSpan
) -> SpeedRun:
    asked, speed_figures_record = run.workload, run.figures
    return SpeedRun(
        id=run.id,
        group=run.group,
        date=run.date or record.date or "",
        at=run.at,
        subject=resolve_subject(run.subject),
        weights_bytes=None if run.weights_gib is None else gib_to_bytes(run.weights_gib),
        system=resolve_system(run.system, run.id, hardware, span),
        power_limit_watts=run.power_limit_watts,
        split=resolve_split(run.parallel),
        workload=SpeedWorkload(
            asked.depth_tokens,
            asked.prompt_tokens,
            asked.generated_tokens,
            asked.sequences,
            asked.kv_dtype,
            asked.micro_batch_tokens,
        ),
        figures=SpeedFigures(
            speed_figures_record.decode_tokens_per_s,
            speed_figures_record.aggregate_tokens_per_s,
            speed_figures_record.prefill_tokens_per_s,
        ),
        timed=run.timed,
        speculative=run.speculative,
        eager=run.eager,
        doubt=run.doubt,
        quote=run.quote,
        notes=run.notes,
        combo=run.combo or "",
        load=None if run.load is None else _load(run.load),
        latency=None if run.latency is None else _latencies(run.latency),
        tool=record.imported.tool if record.imported else "",
        stranger=run.stranger,
        mapped=run.mapped,
    )


def _load(record: LoadRecord) -> Load:
    return Load(**record.model_dump())


def _latencies(record: LatenciesRecord) -> Latencies:
    named = {
        "ttft": record.ttft_ms,
        "tpot": record.tpot_ms,
        "itl": record.itl_ms,
        "e2e": record.e2e_ms,
    }
    found = {name: _latency(one) for name, one in named.items() if one is not None}
    return Latencies(found, record.percentiles_from)


def _latency(record: LatencyRecord) -> Latency:
    histogram_record = record.histogram
    edges = (
        ()
        if histogram_record is None
        else tuple(edge / 1_000 for edge in histogram_record.edges_ms)
    )
    return Latency(
        mean_s=_seconds(record.mean),
        p50_s=_seconds(record.p50),
        p95_s=_seconds(record.p95),
        p99_s=_seconds(record.p99),
        histogram=None if histogram_record is None else Histogram(edges, histogram_record.counts),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1_000


def resolve_subject(record: SubjectRecord) -> RunSubject:
    """Turn what ran into its domain value."""
    return RunSubject(
        record.model,
        record.checkpoint or "",
        record.quantization or "",
        record.runtime,
        record.version,
        record.build,
    )


def resolve_split(record: ParallelRecord) -> RunSplit:
    """Turn how a run was split into its domain value."""
    return RunSplit(
        record.tensor, record.pipeline, record.data, record.expert, record.cpu_expert_layers
    )


def _left_out(records: Iterable[LeftOutRecord]) -> tuple[LeftOut, ...]:
    return tuple(LeftOut(record.id, record.reason) for record in records)


def resolve_system(record: SystemRecord, run: str, hardware: Hardware, span: SourceSpan) -> Combo:
    """Build the combo that a run used; memory that the log shows replaces the catalog's."""
    gpus, links = hardware
    nodes = resolve_nodes(record.nodes, gpus, links)
    if record.visible_gib is not None:
        seen = gib_to_bytes(record.visible_gib)
        nodes = tuple(
            replace(node, gpus=tuple(_as_logged(gpu, seen) for gpu in node.gpus)) for node in nodes
        )
    return Combo(
        id=run,
        name=run,
        summary="",
        nodes=nodes,
        network=links[record.network] if record.network else None,
        orchestrator="",
        prose=ComboProse("", "", ()),
        notes="",
        sources=(),
        span=span,
    )


def _as_logged(gpu: InstalledGpu, seen: int) -> InstalledGpu:
    dedicated = isinstance(gpu.gpu.memory, DedicatedMemory)
    return replace(gpu, visible_bytes=seen) if dedicated else gpu
