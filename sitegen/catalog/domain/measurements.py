"""Memory that others logged, as the catalog states it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.provenance import Source
from sitegen.catalog.domain.runs import RunSplit, RunSubject
from sitegen.problems import SourceSpan
from sitegen.values import dataclass


class LoggedQuantity(StrEnum):
    """Quantities that a logged start can check."""

    WEIGHTS = "weights"
    """Weights per GPU, GiB."""
    KV_BYTES = "kv-per-token"
    """Cache per token and GPU, bytes."""
    KV_TOKENS = "kv-tokens"
    """Tokens of the pool, the engine knowing the pool's size."""
    POOL_TOKENS = "pool-tokens"
    """Tokens of the pool from the GPU's size alone."""
    KV_POOL = "kv-pool"
    """Pool per GPU from the GPU's size alone, GiB."""
    ACTIVATION = "activation"
    """Peak of the profiling run, GiB."""
    NON_TORCH = "non-torch"
    """Memory outside the allocator, GiB."""
    GRAPHS = "graphs"
    """CUDA graphs, GiB."""
    MODEL_BUFFERS = "model-buffers"
    """Model buffers of llama.cpp and its kin, MiB."""
    KV_BUFFERS = "kv-buffers"
    """Cache buffers of all GPUs, MiB."""
    COMPUTE_BUFFERS = "compute-buffers"
    """Compute buffer of each GPU, MiB."""
    FILE_SIZE = "file-size"
    """Published size of a GGUF file, GB."""
    VERDICT = "verdict"
    """Whether it ran."""


@dataclass(frozen=True, slots=True)
class RunWorkload:
    """The load that the run was to hold; ``None`` or empty where the source does not say."""

    context_tokens: int | None
    sequences: int | None
    keys: str
    values: str


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The operator's settings; ``None`` where the source does not say."""

    memory_fraction: float | None
    max_num_seqs: int | None
    max_num_batched_tokens: int | None
    eager: bool
    micro_batch_tokens: int | None
    flash_attention: bool | None
    backend: str
    split_mode: str
    gpu_layers: int | None
    layers: int | None
    placed_by_hand: bool


@dataclass(frozen=True, slots=True)
class Observed:
    """Figures as logged, in the unit of their name."""

    weights_gib: float | None
    non_torch_gib: float | None
    activation_gib: float | None
    graphs_gib: float | None
    kv_pool_gib: float | None
    kv_pool_tokens: int | None
    kv_request_gib: float | None
    file_gib: float | None
    model_gpu_mib: tuple[float, ...]
    model_host_mib: tuple[float, ...]
    kv_mib: tuple[float, ...]
    kv_total_mib: float | None
    compute_gpu_mib: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MemoryRun:
    """One start of a runtime and what it logged.

    ``program`` names a fork or shell of the runtime, else empty; ``assumed`` what the source does
    not say. ``unsaid``, ``uncovered``, ``causes`` and ``disputed`` give a sentence by quantity.
    """

    id: str
    subject: RunSubject
    program: str
    date: str
    system: Combo | None
    split: RunSplit
    workload: RunWorkload
    settings: RunSettings
    assumed: tuple[str, ...]
    observed: Observed
    outcome: str
    usable_for: tuple[LoggedQuantity, ...]
    unsaid: Mapping[LoggedQuantity, str]
    uncovered: Mapping[LoggedQuantity, str]
    causes: Mapping[LoggedQuantity, str]
    disputed: Mapping[LoggedQuantity, str]
    group: str
    quote: str
    notes: str
    stranger: bool = False
    """Predicted before any constant had seen it; no constant rests on it."""


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A published size of a GGUF file.

    ``rounding_bytes`` is half of the figure's last digit; ``metadata`` tells that the tokenizer is
    in it, ``importance_matrix`` that the file was made with one.
    """

    id: str
    model: str
    quantization: str
    size_bytes: float
    rounding_bytes: float
    importance_matrix: bool
    metadata: bool
    notes: str
    stranger: bool = False
    """Predicted before any constant had seen it; no constant rests on it."""


@dataclass(frozen=True, slots=True)
class LeftOutRun:
    """A logged start that no comparison can use, and why."""

    id: str
    reason: str
    usable_for: tuple[LoggedQuantity, ...]
    says_enough: bool
    """It names model, quantization and shape: the catalog or a rule is missing."""


@dataclass(frozen=True, slots=True)
class Measurements:
    """Memory figures of one source."""

    id: str
    date: str
    runs: tuple[MemoryRun, ...]
    files: tuple[PublishedFile, ...]
    left_out: tuple[LeftOutRun, ...]
    sources: tuple[Source, ...]
    span: SourceSpan
