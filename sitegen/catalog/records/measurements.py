"""Records of memory that others logged: one file per source."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sitegen.catalog.records.parts import IsoDate, Record, Slug, SourceRecord, Text
from sitegen.catalog.records.runs import (
    LeftOutRecord,
    ParallelRecord,
    SubjectRecord,
    SystemRecord,
)

QuantityWord = Literal[
    "weights",
    "kv-per-token",
    "kv-tokens",
    "pool-tokens",
    "kv-pool",
    "activation",
    "non-torch",
    "graphs",
    "model-buffers",
    "kv-buffers",
    "compute-buffers",
    "file-size",
    "verdict",
]
AssumedWord = Literal["version", "gpu", "tensor", "file", "fraction"]
StageWord = Literal["load", "profile", "capture", "cache"]
Mib = tuple[Annotated[float, Field(ge=0)], ...]


class RunWorkloadRecord(Record):
    """What the runtime was asked to hold; what the source leaves out is left out here."""

    context_tokens: int | None = Field(
        default=None,
        gt=0,
        description="Tokens: the longest request (vLLM and its kin), the whole cache (llama.cpp).",
    )
    sequences: int | None = Field(default=None, gt=0, description="Sequences the cache is cut for.")
    keys: str = Field(default="", description="KV dtype of keys as logged; empty: not stated.")
    values: str = Field(default="", description="KV dtype of values; empty: that of the keys.")


class RunSettingsRecord(Record):
    """What the operator chose; what the source leaves out is the runtime's default."""

    memory_fraction: float | None = Field(
        default=None, gt=0, le=1, description="Share of the GPU that the runtime may fill."
    )
    max_num_seqs: int | None = Field(default=None, gt=0, description="Sequences per step at most.")
    max_num_batched_tokens: int | None = Field(
        default=None, gt=0, description="Tokens per step at most."
    )
    eager: bool = Field(default=False, description="No CUDA graphs.")
    micro_batch_tokens: int | None = Field(
        default=None, gt=0, description="Tokens per step of llama.cpp (`--ubatch-size`)."
    )
    flash_attention: bool | None = Field(default=None, description="Whether it was on.")
    backend: Slug | None = Field(
        default=None, description="Backend of the runtime, where its driver limits allocations."
    )
    split_mode: Literal["none", "layer", "row", "tensor", "graph"] | None = Field(
        default=None, description="How llama.cpp spreads the model over GPUs."
    )
    gpu_layers: int | None = Field(default=None, ge=0, description="Layers on GPUs, as logged.")
    layers: int | None = Field(default=None, gt=0, description="Layers counted by the log.")
    placed_by_hand: bool = Field(default=False, description="Tensors were placed one by one.")


class ObservedRecord(Record):
    """Figures as logged, in the log's own unit; every one is of one GPU unless it says so."""

    weights_gib: float | None = Field(default=None, gt=0, description="Model weights.")
    non_torch_gib: float | None = Field(
        default=None, description="Memory outside the allocator: context and communication."
    )
    activation_gib: float | None = Field(
        default=None, gt=0, description="Peak of the profiling run above weights."
    )
    graphs_gib: float | None = Field(default=None, ge=0, description="CUDA graphs.")
    kv_pool_gib: float | None = Field(
        default=None, description="What is left for the KV cache; may be negative in a failure."
    )
    kv_pool_tokens: int | None = Field(default=None, gt=0, description="Tokens the pool holds.")
    kv_request_gib: float | None = Field(
        default=None, gt=0, description="Cache that one request of full length needs."
    )
    file_gib: float | None = Field(default=None, gt=0, description="Size of the model's tensors.")
    model_gpu_mib: Mib = Field(default=(), description="Model buffers on GPUs, in log order.")
    model_host_mib: Mib = Field(default=(), description="Model buffers in system RAM.")
    kv_mib: Mib = Field(default=(), description="Cache buffers of all devices, state included.")
    kv_total_mib: float | None = Field(default=None, gt=0, description="Cache without state.")
    compute_gpu_mib: Mib = Field(default=(), description="Compute buffers on GPUs, in log order.")
    compute_host_mib: Mib = Field(
        default=(), description="Compute buffers in system RAM; recorded only, no rule reads them."
    )


class MemoryRunRecord(Record):
    """One start of a runtime: what it was asked for and what it logged."""

    id: Slug = Field(description="Unique over all measurements.")
    subject: SubjectRecord = Field(description="What ran.")
    program: str = Field(
        default="",
        max_length=60,
        description="Name of a fork or shell of the runtime, whose rules it follows.",
    )
    date: IsoDate | None = Field(default=None, description="ISO date, where runs of a file differ.")
    system: SystemRecord | None = Field(default=None, description="On what, where stated.")
    parallel: ParallelRecord = Field(default=ParallelRecord(), description="How it was split.")
    workload: RunWorkloadRecord = Field(
        default=RunWorkloadRecord(), description="What it was asked to hold."
    )
    settings: RunSettingsRecord = Field(
        default=RunSettingsRecord(), description="What the operator chose."
    )
    assumed: tuple[AssumedWord, ...] = Field(
        default=(),
        description=(
            "Facts that the source does not state but its date, memory size or GPU count implies."
        ),
    )
    observed: ObservedRecord = Field(default=ObservedRecord(), description="What it logged.")
    outcome: Literal["ran", "failed", "partly-on-cpu", "unknown"] = Field(
        description="Whether it started and served."
    )
    stage: StageWord | None = Field(
        default=None, description="Where a failure happened; recorded only, no rule reads it."
    )
    usable_for: tuple[QuantityWord, ...] = Field(
        default=(), description="Quantities that its figures can check."
    )
    unsaid: dict[QuantityWord, Text] = Field(
        default={}, description="Quantities for which the source says too little, and what."
    )
    uncovered: dict[QuantityWord, Text] = Field(
        default={}, description="Quantities that no rule of the engine covers, and why."
    )
    causes: dict[QuantityWord, Text] = Field(
        default={}, description="What is known of a difference between figure and estimate."
    )
    disputed: dict[QuantityWord, Text] = Field(
        default={}, description="Figures that contradict the record itself, and how."
    )
    stranger: bool = Field(
        default=False,
        description="Predicted before any constant had seen it; no constant rests on it.",
    )
    group: str = Field(default="", description="Near-repeats of one experiment share a group.")
    quote: Text = Field(description="The lines of the log, as short as they can be.")
    notes: str = Field(default="", description="What a reader should know beside the figures.")


class FileRecord(Record):
    """A published size of a GGUF file; one of `gb`, `gib` and `bytes` is given."""

    id: Slug = Field(description="Unique over all measurements.")
    model: Slug = Field(description="Model id.")
    quantization: Slug = Field(description="Quantization id.")
    gb: float | None = Field(default=None, gt=0, description="Decimal GB, as published.")
    gib: float | None = Field(default=None, gt=0, description="GiB, as published.")
    bytes: int | None = Field(default=None, gt=0, description="Exact count of bytes.")
    half_digit: float = Field(
        default=0.0,
        ge=0,
        description="Half of the last digit of the figure; all of it where pages round up.",
    )
    importance_matrix: bool = Field(
        default=False, description="Made with an importance matrix, which changes few types."
    )
    metadata: bool = Field(
        default=True, description="Whether the tokenizer and other metadata are in the figure."
    )
    stranger: bool = Field(
        default=False,
        description="Predicted before any constant had seen it; no constant rests on it.",
    )
    notes: str = Field(default="", description="What a reader should know beside the figure.")


class LeftOutRunRecord(LeftOutRecord):
    """A logged start that no comparison can use, and why."""

    usable_for: tuple[QuantityWord, ...] = Field(
        default=(), description="Quantities that its figures could check."
    )
    says_enough: bool = Field(
        default=False,
        description="It names model, quantization and shape: the catalog or a rule is missing.",
    )


class MeasurementRecord(Record):
    """Memory figures of one source: `catalog/measurements/<id>.yaml`."""

    date: IsoDate | None = Field(default=None, description="ISO date of the runs, where stated.")
    runs: tuple[MemoryRunRecord, ...] = Field(default=(), description="What can be compared.")
    files: tuple[FileRecord, ...] = Field(default=(), description="Published sizes of files.")
    left_out: tuple[LeftOutRunRecord, ...] = Field(default=(), description="What cannot, and why.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of the scores.")
