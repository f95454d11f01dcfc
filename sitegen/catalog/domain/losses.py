"""Loss of quality by quantization, as others measured it."""

from __future__ import annotations

from enum import StrEnum

from sitegen.catalog.domain.provenance import Source
from sitegen.problems import SourceSpan
from sitegen.values import dataclass


class Evaluator(StrEnum):
    """The kind of evaluator, by its interest in the result."""

    INDEPENDENT = "independent"
    """Nobody with a stake in the result."""
    PEER = "peer"
    """Who made the method or tool that is measured, or another model."""
    MAKER = "maker"
    """Who made the model."""


@dataclass(frozen=True, slots=True)
class LossRow:
    """One measured file; ``quantization`` is an id, empty where the file is of no plain type."""

    quantization: str
    written: str
    value: float
    error: float | None
    bits: float | None
    tuned: bool
    cache: str


@dataclass(frozen=True, slots=True)
class LossFigures:
    """Figures of one model by one metric; ``model`` is empty where the catalog has no such one."""

    model: str
    name: str
    metric: str
    unit: str
    baseline: str
    baseline_value: float | None
    questions: int | None
    date: str
    note: str
    rows: tuple[LossRow, ...]


@dataclass(frozen=True, slots=True)
class MeasuredLosses:
    """Losses of quantization that one source published."""

    id: str
    title: str
    evaluator: Evaluator
    license: str
    date: str
    note: str
    tables: tuple[LossFigures, ...]
    sources: tuple[Source, ...]
    span: SourceSpan
