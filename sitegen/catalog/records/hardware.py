"""Records of GPUs, interconnects, combos and their prices."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sitegen.catalog.records.parts import (
    EvidenceWord,
    IntervalFromRecord,
    IntervalRecord,
    IsoDate,
    Record,
    Renamable,
    ReserveFromRecord,
    Slug,
    SourceRecord,
    Text,
    VendorWord,
    Version,
)

IsoDay = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}(-\d{2})?$")]
CurrencyWord = Literal["USD", "EUR", "GBP", "CHF", "CAD", "AUD", "JPY", "CNY", "INR", "KRW", "SEK"]


class PriceRecord(Record):
    """One observed price: of a piece to buy, or of an hour's rent of one."""

    kind: Literal["new", "used", "rent"] = Field(
        description="New from a shop, second-hand from anybody, or rent by the hour of one GPU."
    )
    amount: float = Field(
        gt=0, le=1e10, description="As observed, in the currency; never converted."
    )
    currency: CurrencyWord = Field(description="ISO 4217 code of the currency it was asked in.")
    date: IsoDay = Field(description="Day of the observation, or its month.")
    memory_gib: int | None = Field(
        default=None, gt=0, description="Size bought, for a chip that is sold with several."
    )
    source: SourceRecord = Field(description="Source of the price.")


class GpuRecord(Renamable):
    """A GPU model: `catalog/gpus/<id>.yaml`."""

    name: Text = Field(description="Name as printed by the vendor, without the vendor.")
    vendor: VendorWord = Field(
        description="Who makes it; `cpu` is any processor that computes alone."
    )
    architecture: Text = Field(description="Chip generation, e.g. `Ada Lovelace`.")
    segment: Literal["consumer", "workstation", "datacenter", "integrated"] = Field(
        description="Market segment; `integrated` for chips with unified memory."
    )
    vram_gib: float | None = Field(
        default=None,
        gt=0,
        description="Installed memory of a card, in GiB; not for unified memory.",
    )
    visible_mib: int | None = Field(
        default=None,
        gt=0,
        description="Memory that a process sees (CUDA or HIP total), in MiB; left out if unknown.",
    )
    unified_memory_options_gib: tuple[Annotated[int, Field(gt=0)], ...] = Field(
        default=(), description="Sizes sold, for chips that share memory with the CPU."
    )
    unified_default_fraction: IntervalRecord | None = Field(
        default=None, description="Share of unified memory that the GPU may use by default."
    )
    unified_larger_fractions: tuple[IntervalFromRecord, ...] = Field(
        default=(), description="The same share from a size upwards, the smallest size first."
    )
    unified_raised_reserve_gib: float | None = Field(
        default=None, gt=0, description="GiB left to the system when the limit is raised."
    )
    unified_larger_reserves: tuple[ReserveFromRecord, ...] = Field(
        default=(), description="The same from a size upwards, the smallest size first."
    )
    memory_bandwidth_gb_s: float = Field(gt=0, description="Peak memory bandwidth, decimal GB/s.")
    memory_bus_bits: int | None = Field(
        default=None, gt=0, le=16384, description="Width of the memory bus, in bits."
    )
    memory_gbit_s: float | None = Field(
        default=None, gt=0, le=100, description="Data rate of each pin of the memory, Gbit/s."
    )
    fp16_tflops: float | None = Field(
        default=None, gt=0, description="Dense FP16/BF16 tensor TFLOPS with FP32 accumulate."
    )
    fp8_tflops: float | None = Field(
        default=None, gt=0, description="Dense FP8 TFLOPS with FP32 accumulate."
    )
    fp4_tflops: float | None = Field(
        default=None, gt=0, description="Dense FP4 (MXFP4, NVFP4) TFLOPS with FP32 accumulate."
    )
    int8_tops: float | None = Field(
        default=None, gt=0, description="Dense INT8 TOPS: 10^12 operations a second."
    )
    rates_at_mhz: int | None = Field(
        default=None, gt=0, description="Clock that these rates are stated at, MHz."
    )
    compute_capability: Version | None = Field(
        default=None, description="NVIDIA compute capability, quoted, e.g. `'8.9'`."
    )
    multiprocessors: int | None = Field(
        default=None, gt=0, description="Streaming multiprocessors or compute units."
    )
    cores: int | None = Field(
        default=None, gt=0, le=2**20, description="CUDA cores of an NVIDIA GPU."
    )
    bus: Slug | None = Field(default=None, description="Interconnect id of the host link.")
    ram_link_gb_s: IntervalRecord | None = Field(
        default=None,
        description="Rate at which it reads the RAM of a processor on its own module, measured, in "
        "decimal GB/s; left out where the two are joined by PCIe.",
    )
    links: tuple[Slug, ...] = Field(
        default=(), description="Interconnect ids of GPU-to-GPU links beside the bus."
    )
    tdp_watts: int | None = Field(default=None, gt=0, description="Board power in watts.")
    form: Literal["card", "sxm", "oam", "laptop"] | None = Field(
        default=None,
        description="How it is mounted: a PCIe card, a module of a server, part of a laptop.",
    )
    slots: int | None = Field(
        default=None, gt=0, le=4, description="Expansion slots that the reference card covers."
    )
    length_mm: int | None = Field(
        default=None, gt=0, description="Length of the reference card, in millimetres."
    )
    power_connectors: str = Field(
        default="",
        description="Of the reference card, e.g. `2× 8-pin`; `none` where the slot feeds it, empty "
        "where unknown.",
    )
    cooler: Literal["active", "passive"] | None = Field(
        default=None, description="Fans of its own, or a heat sink that the case blows through."
    )
    launch_price_usd: int | None = Field(
        default=None,
        gt=0,
        description="Price at launch, USD; of a chip sold with several sizes of memory the price "
        "with the smallest.",
    )
    launched: IsoDate | None = Field(
        default=None,
        description="Day of sale, not of announcement; year or month where the day is not known. "
        "Of parts sold in servers and workstations, the day their maker launched them.",
    )
    notes: str = Field(default="", description="Note for readers beside the numbers.")
    sources: tuple[SourceRecord, ...] = Field(
        min_length=1, description="Each number must be carried by one of these."
    )
    prices: tuple[PriceRecord, ...] = Field(
        default=(), description="Observed prices of one of them, each with its own source."
    )


class InterconnectRecord(Renamable):
    """A link: `catalog/interconnects/<id>.yaml`."""

    name: Text = Field(description="Common name.")
    kind: Literal[
        "ethernet", "infiniband", "thunderbolt", "pcie", "nvlink", "xgmi", "ualink", "oculink"
    ] = Field(description="Technology.")
    between_nodes: bool = Field(description="True when it joins machines, false inside one.")
    rdma: bool = Field(default=False, description="Remote direct memory access, no TCP stack.")
    nominal_gb_s: float | None = Field(
        default=None, gt=0, description="Line rate in one direction, decimal GB/s."
    )
    lanes: int | None = Field(
        default=None, gt=0, le=32, description="PCIe lanes that it takes of the processor."
    )
    bus_bandwidth_gb_s: IntervalRecord | None = Field(
        default=None, description="Bandwidth that a collective sees (NCCL busbw), decimal GB/s."
    )
    latency_us: IntervalRecord | None = Field(
        default=None, description="Cost of an empty all-reduce between two ranks, microseconds."
    )
    evidence: EvidenceWord = Field(description="Evidence for bandwidth and latency.")
    notes: str = Field(default="", description="Note for readers beside the numbers.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of the numbers.")


class NodeGpusRecord(Record):
    """GPUs of one model in one node."""

    gpu: Slug = Field(description="GPU id.")
    count: int = Field(default=1, gt=0, le=64, description="How many of them.")
    unified_memory_gib: int | None = Field(
        default=None, gt=0, description="Installed unified memory, for chips that share it."
    )


class NodeRecord(Record):
    """One machine, or several equal ones."""

    count: int = Field(default=1, gt=0, le=128, description="How many equal machines.")
    gpus: tuple[NodeGpusRecord, ...] = Field(min_length=1, description="GPUs in rank order.")
    link: Slug | None = Field(
        default=None,
        description="Interconnect id between the node's GPUs (needed for two or more).",
    )
    ram_gib: int | None = Field(default=None, gt=0, description="System RAM in GiB.")
    ram_bandwidth_gb_s: float | None = Field(
        default=None, gt=0, description="System RAM bandwidth, decimal GB/s."
    )
    os: Literal["linux", "windows", "macos"] = Field(
        default="linux", description="Operating system; decides what is held back."
    )
    display: bool = Field(default=False, description="A desktop runs on the first GPU.")
    max_watts: int | None = Field(
        default=None, gt=0, description="What the whole machine draws at most, by its maker."
    )


class FailureModeRecord(Record):
    """What goes wrong on this combo."""

    symptom: Text = Field(description="What the operator sees.")
    check: Text = Field(description="How to be sure.")
    fix: Text = Field(description="What to do.")


class OperationsRecord(Record):
    """What it takes to keep the combo running; prose that refers to numbers and states none."""

    power: str = Field(default="", description="Supplies, cables and limits of power.")
    circuit: str = Field(default="", description="The socket or the rack it is plugged into.")
    slots: str = Field(default="", description="Slots, lanes, risers and the case.")
    cooling: str = Field(default="", description="Where the heat goes.")
    noise: str = Field(default="", description="What is heard, and where it can stand.")
    used_market: str = Field(default="", description="What to look for second-hand.")
    sources: tuple[SourceRecord, ...] = Field(
        default=(), description="Where facts come from that are nobody's experience with it."
    )


class ComboRecord(Renamable):
    """Nodes and links judged together: `catalog/combos/<id>.yaml`."""

    name: Text = Field(description="Short name, e.g. `4 nodes × 2× RTX 4090`.")
    summary: Text = Field(description="One sentence: who builds this and for what. No sizes.")
    nodes: tuple[NodeRecord, ...] = Field(min_length=1, description="Machines in rank order.")
    network: Slug | None = Field(
        default=None, description="Interconnect id between nodes (needed for two or more)."
    )
    orchestrator: Slug | None = Field(
        default=None, description="Runtime id of the orchestrator it was built for."
    )
    why: str = Field(default="", description="Why somebody picks this combo. No sizes or speeds.")
    not_for: str = Field(default="", description="Unsuitable uses. No sizes or speeds.")
    failure_modes: tuple[FailureModeRecord, ...] = Field(
        default=(), description="Symptom, check, fix."
    )
    operations: OperationsRecord | None = Field(
        default=None, description="Power, room, heat, noise and the used market."
    )
    notes: str = Field(default="", description="What a reader should know beside the facts.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Who built or sells it.")
    prices: tuple[PriceRecord, ...] = Field(
        default=(), description="Observed prices of the whole build, hosts included."
    )
