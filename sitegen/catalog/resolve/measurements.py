"""Memory that others logged: from records to domain values."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.authored import Authored
from sitegen.catalog.domain.measurements import (
    LeftOutRun,
    LoggedQuantity,
    Measurements,
    MemoryRun,
    Observed,
    PublishedFile,
    RunSettings,
    RunWorkload,
)
from sitegen.catalog.records.measurements import (
    FileRecord,
    LeftOutRunRecord,
    MeasurementRecord,
    MemoryRunRecord,
    ObservedRecord,
    QuantityWord,
    RunSettingsRecord,
    RunWorkloadRecord,
)
from sitegen.catalog.resolve.parts import resolve_sources
from sitegen.catalog.resolve.runs import Hardware, resolve_split, resolve_subject, resolve_system
from sitegen.units import GB, GIB


def resolve_measurements(authored: Authored[MeasurementRecord], hardware: Hardware) -> Measurements:
    """Turn the memory figures of a source into domain values."""
    record = authored.record
    return Measurements(
        id=authored.id,
        date=record.date or "",
        runs=tuple(_run(run, authored, hardware) for run in record.runs),
        files=tuple(_file(one) for one in record.files),
        left_out=tuple(_left_out(one) for one in record.left_out),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def _run(
    run: MemoryRunRecord, authored: Authored[MeasurementRecord], hardware: Hardware
) -> MemoryRun:
    system = run.system
    return MemoryRun(
        id=run.id,
        subject=resolve_subject(run.subject),
        program=run.program,
        date=run.date or authored.record.date or "",
        system=resolve_system(system, run.id, hardware, authored.span) if system else None,
        split=resolve_split(run.parallel),
        workload=_workload(run.workload),
        settings=_settings(run.settings),
        assumed=run.assumed,
        observed=_observed(run.observed),
        outcome=run.outcome,
        usable_for=tuple(LoggedQuantity(word) for word in run.usable_for),
        unsaid=_by_quantity(run.unsaid),
        uncovered=_by_quantity(run.uncovered),
        causes=_by_quantity(run.causes),
        disputed=_by_quantity(run.disputed),
        group=run.group,
        quote=run.quote,
        notes=run.notes,
        stranger=run.stranger,
    )


def _by_quantity(sentences: Mapping[QuantityWord, str]) -> Mapping[LoggedQuantity, str]:
    return {LoggedQuantity(word): sentence for word, sentence in sentences.items()}


def _workload(record: RunWorkloadRecord) -> RunWorkload:
    return RunWorkload(
        record.context_tokens, record.sequences, record.keys, record.values or record.keys
    )


def _settings(record: RunSettingsRecord) -> RunSettings:
    return RunSettings(
        memory_fraction=record.memory_fraction,
        max_num_seqs=record.max_num_seqs,
        max_num_batched_tokens=record.max_num_batched_tokens,
        eager=record.eager,
        micro_batch_tokens=record.micro_batch_tokens,
        flash_attention=record.flash_attention,
        backend=record.backend or "",
        split_mode=record.split_mode or "",
        gpu_layers=record.gpu_layers,
        layers=record.layers,
        placed_by_hand=record.placed_by_hand,
    )


def _observed(record: ObservedRecord) -> Observed:
    return Observed(
        weights_gib=record.weights_gib,
        non_torch_gib=record.non_torch_gib,
        activation_gib=record.activation_gib,
        graphs_gib=record.graphs_gib,
        kv_pool_gib=record.kv_pool_gib,
        kv_pool_tokens=record.kv_pool_tokens,
        kv_request_gib=record.kv_request_gib,
        file_gib=record.file_gib,
        model_gpu_mib=record.model_gpu_mib,
        model_host_mib=record.model_host_mib,
        kv_mib=record.kv_mib,
        kv_total_mib=record.kv_total_mib,
        compute_gpu_mib=record.compute_gpu_mib,
    )


def _file(record: FileRecord) -> PublishedFile:
    """A file in bytes, whatever unit it was published in."""
    unit, figure = 1, float(record.bytes or 0)
    if record.gb is not None:
        unit, figure = GB, record.gb
    elif record.gib is not None:
        unit, figure = GIB, record.gib
    return PublishedFile(
        id=record.id,
        model=record.model,
        quantization=record.quantization,
        size_bytes=figure * unit,
        rounding_bytes=record.half_digit * unit,
        importance_matrix=record.importance_matrix,
        metadata=record.metadata,
        notes=record.notes,
        stranger=record.stranger,
    )


def _left_out(record: LeftOutRunRecord) -> LeftOutRun:
    quantities = tuple(LoggedQuantity(word) for word in record.usable_for)
    return LeftOutRun(record.id, record.reason, quantities, record.says_enough)
