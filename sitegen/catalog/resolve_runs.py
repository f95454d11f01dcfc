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
    Measurements,
    MemoryRun,
    RunSplit,
    RunSubject,
    SpeedRun,
)
from sitegen.catalog.records.benchmarks import BenchmarkRecord
from sitegen.catalog.records.measurements import MeasurementRecord
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


def resolve_measurements(authored: Authored[MeasurementRecord], hardware: Hardware) -> Measurements:
    """Turn the memory figures of a source into domain values."""
    record = authored.record
    return Measurements(
        id=authored.id,
        date=record.date or "",
        runs=tuple(
            MemoryRun(
                id=run.id,
                subject=_subject(run.subject),
                system=_system(run.system, run.id, hardware, authored.span) if run.system else None,
                split=_split(run.parallel),
                outcome=run.outcome,
                quote=run.quote,
                notes=run.notes,
            )
            for run in record.runs
        ),
        left_out=_left_out(record.left_out),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def resolve_benchmarks(authored: Authored[BenchmarkRecord], hardware: Hardware) -> Benchmarks:
    """Turn the speed figures of a source into domain values."""
    record = authored.record
    return Benchmarks(
        id=authored.id,
        date=record.date or "",
        runs=tuple(
            SpeedRun(
                id=run.id,
                subject=_subject(run.subject),
                system=_system(run.system, run.id, hardware, authored.span),
                split=_split(run.parallel),
                quote=run.quote,
                notes=run.notes,
            )
            for run in record.runs
        ),
        left_out=_left_out(record.left_out),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def _subject(record: SubjectRecord) -> RunSubject:
    return RunSubject(
        record.model,
        record.checkpoint or "",
        record.quantization or "",
        record.runtime,
        record.version,
        record.build,
    )


def _split(record: ParallelRecord) -> RunSplit:
    return RunSplit(record.tensor, record.pipeline, record.data, record.expert)


def _left_out(records: Iterable[LeftOutRecord]) -> tuple[LeftOut, ...]:
    return tuple(LeftOut(record.id, record.reason) for record in records)


def _system(record: SystemRecord, run: str, hardware: Hardware, span: SourceSpan) -> Combo:
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


def resolve_system(record: SystemRecord, name: str, hardware: Hardware, span: SourceSpan) -> Combo:
    """Build hardware that has no page of its own from the record that describes it."""
    return _system(record, name, hardware, span)
