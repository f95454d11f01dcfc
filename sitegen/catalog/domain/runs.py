"""Runs and measurements of others, as the catalog states them."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.provenance import Source
from sitegen.problems import SourceSpan
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class RunSubject:
    """Model and runtime of a run, by id; ``checkpoint`` and ``quantization`` may be empty."""

    model: str
    checkpoint: str
    quantization: str
    runtime: str
    version: str
    build: str


@dataclass(frozen=True, slots=True)
class RunSplit:
    """How a run was split; ``None`` where the source does not say.

    The experts of the first ``cpu_expert_layers`` layers were in system RAM.
    """

    tensor: int | None
    pipeline: int | None
    data: int | None
    expert: bool
    cpu_expert_layers: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A published figure that cannot be used, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class SpeedWorkload:
    """Load of a benchmark; ``None`` where the source does not say.

    ``depth_tokens`` are in the cache when generation starts; a step reads ``micro_batch_tokens`` of
    a prompt, or as many as the runtime does by itself.
    """

    depth_tokens: int | None
    prompt_tokens: int | None
    generated_tokens: int | None
    sequences: int
    kv_dtype: str
    micro_batch_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class SpeedFigures:
    """Speeds of a benchmark in tokens/s; ``None`` where it did not measure one."""

    decode_tokens_per_s: float | None
    aggregate_tokens_per_s: float | None
    prefill_tokens_per_s: float | None


@dataclass(frozen=True, slots=True)
class Histogram:
    """Requests by how long they took: ``counts[i]`` from ``edges_s[i]`` to ``edges_s[i + 1]``."""

    edges_s: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Latency:
    """One latency in seconds; ``None`` where the tool reported none."""

    mean_s: float | None
    p50_s: float | None
    p95_s: float | None
    p99_s: float | None
    histogram: Histogram | None = None


@dataclass(frozen=True, slots=True)
class Latencies:
    """Latencies by name: ``ttft``, ``tpot``, ``itl``, ``e2e``; those that were reported.

    ``percentiles_from`` is ``tool`` or ``requests``: computed of the requests in the file.
    """

    by_name: Mapping[str, Latency]
    percentiles_from: str


@dataclass(frozen=True, slots=True)
class Load:
    """How requests arrived and what became of them; ``None`` and empty where nothing says so.

    ``prefix_cache`` is ``off``, ``cold``, ``warm`` or ``not-said``.
    """

    concurrency: int | None
    request_rate_per_s: float | None
    completed: int | None
    failed: int | None
    duration_s: float | None
    dataset: str
    seed: int | None
    prefix_cache: str


@dataclass(frozen=True, slots=True)
class SpeedRun:
    """One benchmark run and how fast it was.

    Attributes:
        group: Runs of one group are near-repeats: a test set holds all of them or none.
        date: ISO date, empty where unknown.
        weights_bytes: Size of the weights as the log states it.
        power_limit_watts: Of each GPU, where one was set.
        timed: ``steady`` (after the first token), ``end-to-end`` (prompts included) or
            ``as-posted`` (not said).
        speculative: Method of speculative decoding, empty without.
        eager: Without captured graphs.
        doubt: What the source itself finds wrong with it, empty for nothing.
        combo: Id of the combo that it ran on, empty where it is none of the catalog.
        tool: Whose file it was imported from, empty where it was typed.
        stranger: Predicted before any constant had seen it; no constant rests on it.
        mapped: The file was mapped into memory; said only of runs with weights in system RAM.
    """

    id: str
    group: str
    date: str
    at: str
    subject: RunSubject
    weights_bytes: int | None
    system: Combo
    power_limit_watts: int | None
    split: RunSplit
    workload: SpeedWorkload
    figures: SpeedFigures
    timed: str
    speculative: str
    eager: bool
    doubt: str
    quote: str
    notes: str
    combo: str = ""
    load: Load | None = None
    latency: Latencies | None = None
    tool: str = ""
    stranger: bool = False
    mapped: bool = False


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """Speed figures of one source."""

    id: str
    date: str
    runs: tuple[SpeedRun, ...]
    left_out: tuple[LeftOut, ...]
    sources: tuple[Source, ...]
    span: SourceSpan
