"""GPUs, interconnects and combos: from checked records to domain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from sitegen.catalog.authored import Authored
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    FailureMode,
    Gpu,
    GpuBody,
    InstalledGpu,
    Interconnect,
    Node,
    OperatingSystem,
    Operations,
    Price,
    PriceKind,
    UnifiedMemory,
    Vendor,
)
from sitegen.catalog.domain.provenance import Evidence
from sitegen.catalog.records.hardware import (
    ComboRecord,
    GpuRecord,
    InterconnectRecord,
    NodeGpusRecord,
    NodeRecord,
    OperationsRecord,
    PriceRecord,
)
from sitegen.catalog.resolve.parts import (
    checked,
    gb_to_bytes,
    gib_to_bytes,
    resolve_capability,
    resolve_interval,
    resolve_source,
    resolve_sources,
)
from sitegen.units import GB, MIB

TERA = 1e12
MEGA = 1_000_000
MICRO = 1e-6


def resolve_gpu(authored: Authored[GpuRecord], visible_fraction: float | None) -> Gpu:
    """Turn a GPU record into its domain value.

    Args:
        authored: A checked record.
        visible_fraction: Share of installed memory that a process sees where the record does not
            say; ``None`` only if every record says.
    """
    record = authored.record
    return Gpu(
        id=authored.id,
        name=record.name,
        vendor=Vendor(record.vendor),
        architecture=record.architecture,
        segment=record.segment,
        memory=_memory(record, visible_fraction),
        memory_bandwidth_bytes_per_s=gb_to_bytes(record.memory_bandwidth_gb_s),
        fp16_flops_per_s=None if record.fp16_tflops is None else record.fp16_tflops * TERA,
        fp8_flops_per_s=None if record.fp8_tflops is None else record.fp8_tflops * TERA,
        fp4_flops_per_s=None if record.fp4_tflops is None else record.fp4_tflops * TERA,
        int8_ops_per_s=None if record.int8_tops is None else record.int8_tops * TERA,
        rates_at_hz=None if record.rates_at_mhz is None else record.rates_at_mhz * MEGA,
        compute_capability=resolve_capability(record.compute_capability),
        multiprocessors=record.multiprocessors,
        ram_link_bytes_per_s=None
        if record.ram_link_gb_s is None
        else resolve_interval(record.ram_link_gb_s, unit=GB),
        bus=record.bus or "",
        links=record.links,
        tdp_watts=record.tdp_watts,
        body=GpuBody(
            record.form or "",
            record.slots,
            record.length_mm,
            record.power_connectors,
            record.cooler or "",
        ),
        launch_price_usd=record.launch_price_usd,
        launched=record.launched or "",
        notes=record.notes,
        sources=resolve_sources(record.sources),
        span=authored.span,
        prices=tuple(map(_price, record.prices)),
    )


def _price(record: PriceRecord) -> Price:
    """Turn an observed price into its domain value: the decimal that was written, no float."""
    return Price(
        PriceKind(record.kind),
        Decimal(str(record.amount)),
        record.currency,
        record.date,
        None if record.memory_gib is None else gib_to_bytes(record.memory_gib),
        resolve_source(record.source),
    )


def _memory(record: GpuRecord, visible_fraction: float | None) -> DedicatedMemory | UnifiedMemory:
    if record.vram_gib is None:
        fraction = checked(record.unified_default_fraction, "unified-facts")
        reserve_gib = checked(record.unified_raised_reserve_gib, "unified-facts")
        return UnifiedMemory(
            options_bytes=tuple(map(gib_to_bytes, record.unified_memory_options_gib)),
            default_fraction=resolve_interval(fraction),
            raised_reserve_bytes=gib_to_bytes(reserve_gib),
            larger_fractions=tuple(
                (gib_to_bytes(one.from_gib), resolve_interval(one))
                for one in record.unified_larger_fractions
            ),
            larger_reserves=tuple(
                (gib_to_bytes(one.from_gib), gib_to_bytes(one.reserve_gib))
                for one in record.unified_larger_reserves
            ),
        )
    installed = gib_to_bytes(record.vram_gib)
    if record.visible_mib is not None:
        return DedicatedMemory(installed, record.visible_mib * MIB, Evidence.MEASURED)
    visible_bytes = int(installed * checked(visible_fraction, "missing-assumption"))
    return DedicatedMemory(installed, visible_bytes, Evidence.ESTIMATED)


def resolve_interconnect(authored: Authored[InterconnectRecord]) -> Interconnect:
    """Turn an interconnect record into its domain value."""
    record = authored.record
    bandwidth, latency = record.bus_bandwidth_gb_s, record.latency_us
    return Interconnect(
        id=authored.id,
        name=record.name,
        kind=record.kind,
        between_nodes=record.between_nodes,
        rdma=record.rdma,
        nominal_bytes_per_s=None
        if record.nominal_gb_s is None
        else gb_to_bytes(record.nominal_gb_s),
        lanes=record.lanes,
        bus_bandwidth_bytes_per_s=resolve_interval(bandwidth, unit=1e9) if bandwidth else None,
        latency_s=resolve_interval(latency, unit=MICRO) if latency else None,
        evidence=Evidence(record.evidence),
        notes=record.notes,
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def resolve_combo(
    authored: Authored[ComboRecord], gpus: Mapping[str, Gpu], links: Mapping[str, Interconnect]
) -> Combo:
    """Turn a combo record into its domain value; equal nodes and GPUs are listed one by one."""
    record = authored.record
    return Combo(
        id=authored.id,
        name=record.name,
        summary=record.summary,
        nodes=resolve_nodes(record.nodes, gpus, links),
        network=links[record.network] if record.network else None,
        orchestrator=record.orchestrator or "",
        prose=ComboProse(
            why=record.why,
            not_for=record.not_for,
            failure_modes=tuple(
                FailureMode(mode.symptom, mode.check, mode.fix) for mode in record.failure_modes
            ),
            operations=_operations(record.operations),
        ),
        notes=record.notes,
        sources=resolve_sources(record.sources),
        span=authored.span,
        prices=tuple(map(_price, record.prices)),
    )


def _operations(record: OperationsRecord | None) -> Operations:
    if record is None:
        return Operations()
    return Operations(
        record.power,
        record.circuit,
        record.slots,
        record.cooling,
        record.noise,
        record.used_market,
        resolve_sources(record.sources),
    )


def resolve_nodes(
    records: Iterable[NodeRecord], gpus: Mapping[str, Gpu], links: Mapping[str, Interconnect]
) -> tuple[Node, ...]:
    """Turn node records into machines, listed one by one in rank order."""
    machines = [node for node in records for _ in range(node.count)]
    return tuple(
        _node(node, f"node {number}", gpus, links) for number, node in enumerate(machines, 1)
    )


def _node(
    record: NodeRecord, name: str, gpus: Mapping[str, Gpu], links: Mapping[str, Interconnect]
) -> Node:
    bandwidth = record.ram_bandwidth_gb_s
    return Node(
        name=name,
        gpus=tuple(gpu for part in record.gpus for gpu in _installed(part, gpus[part.gpu])),
        link=links[record.link] if record.link else None,
        ram_bytes=None if record.ram_gib is None else gib_to_bytes(record.ram_gib),
        ram_bandwidth_bytes_per_s=None if bandwidth is None else gb_to_bytes(bandwidth),
        operating_system=OperatingSystem(record.os),
        display_attached=record.display,
        max_watts=record.max_watts,
    )


def _installed(record: NodeGpusRecord, gpu: Gpu) -> Iterator[InstalledGpu]:
    """Yield the GPU as often as it is installed.

    All of a unified memory counts as visible here; what the operating system holds back is the
    engine's to subtract.
    """
    if isinstance(gpu.memory, DedicatedMemory):
        one = InstalledGpu(gpu, gpu.memory.installed_bytes, gpu.memory.visible_bytes)
    else:
        installed = gib_to_bytes(checked(record.unified_memory_gib, "unified-memory"))
        one = InstalledGpu(gpu, installed, installed)
    for _ in range(record.count):
        yield one
