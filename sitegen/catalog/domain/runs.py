"""What others ran and measured, as the catalog states it."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.provenance import Source
from sitegen.problems import SourceSpan


@dataclass(frozen=True, slots=True)
class RunSubject:
    """What ran, by id; ``checkpoint`` and ``quantization`` are empty where not known."""

    model: str
    checkpoint: str
    quantization: str
    runtime: str
    version: str
    build: str


@dataclass(frozen=True, slots=True)
class RunSplit:
    """How a run was split; ``None`` where the source does not say."""

    tensor: int | None
    pipeline: int | None
    data: int | None
    expert: bool


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A published figure that cannot be used, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class SpeedWorkload:
    """What a benchmark asked of the model; ``None`` where the source does not say.

    ``depth_tokens`` are in the cache when generation starts.
    """

    depth_tokens: int | None
    prompt_tokens: int | None
    generated_tokens: int | None
    sequences: int
    kv_dtype: str


@dataclass(frozen=True, slots=True)
class SpeedFigures:
    """What a benchmark measured, in tokens/s; ``None`` where it did not."""

    decode_tokens_per_s: float | None
    aggregate_tokens_per_s: float | None
    prefill_tokens_per_s: float | None


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


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """Speed figures of one source."""

    id: str
    date: str
    runs: tuple[SpeedRun, ...]
    left_out: tuple[LeftOut, ...]
    sources: tuple[Source, ...]
    span: SourceSpan
