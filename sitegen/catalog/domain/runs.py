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
class SpeedRun:
    """One benchmark run and how fast it was."""

    id: str
    subject: RunSubject
    system: Combo
    split: RunSplit
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
