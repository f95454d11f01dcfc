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
    LeftOut,
    RunSplit,
    RunSubject,
    SpeedFigures,
    SpeedRun,
    SpeedWorkload,
)
from sitegen.catalog.records.benchmarks import BenchmarkRecord, SpeedRunRecord
from sitegen.catalog.records.runs import (
    LeftOutRecord,
    ParallelRecord,
    SubjectRecord,
    SystemRecord,
)
from sitegen.catalog.resolve_hardware import resolve_nodes
from sitegen.catalog.resolve_parts import gib_to_bytes, resolve_sources
from sitegen.problems import SourceSpan

Hardware = tuple[Mapping[str, Gpu], Mapping[str, Interconnect]]


def resolve_benchmarks(authored: Authored[BenchmarkRecord], hardware: Hardware) -> Benchmarks:
    """Turn the speed figures of a source into domain values."""
    record = authored.record
    return Benchmarks(
        id=authored.id,
        date=record.date or "",
        runs=tuple(
            _speed_run(run, record.date or "", hardware, authored.span) for run in record.runs
        ),
        left_out=_left_out(record.left_out),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def _speed_run(run: SpeedRunRecord, date: str, hardware: Hardware, span: SourceSpan) -> SpeedRun:
    asked, found = run.workload, run.figures
    return SpeedRun(
        id=run.id,
        group=run.group,
        date=run.date or date,
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
        ),
        figures=SpeedFigures(
            found.decode_tokens_per_s, found.aggregate_tokens_per_s, found.prefill_tokens_per_s
        ),
        timed=run.timed,
        speculative=run.speculative,
        eager=run.eager,
        doubt=run.doubt,
        quote=run.quote,
        notes=run.notes,
    )


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
    return RunSplit(record.tensor, record.pipeline, record.data, record.expert)


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
