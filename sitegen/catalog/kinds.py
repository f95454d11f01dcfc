"""The kinds of record: their names, folders and authored shapes."""

from __future__ import annotations

from enum import StrEnum

from sitegen.catalog.records.benchmarks import BenchmarkRecord
from sitegen.catalog.records.claims import ClaimRecord
from sitegen.catalog.records.hardware import ComboRecord, GpuRecord, InterconnectRecord
from sitegen.catalog.records.losses import LossRecord
from sitegen.catalog.records.measurements import MeasurementRecord
from sitegen.catalog.records.models import (
    AssumptionRecord,
    ModelRecord,
    QuantizationRecord,
    RuntimeRecord,
)
from sitegen.catalog.records.parts import Record
from sitegen.catalog.records.scores import BoardRecord, NamesRecord, ScoreRecord
from sitegen.values import dataclass


class Kind(StrEnum):
    """What a catalog file describes, in the singular, as messages say it."""

    GPU = "gpu"
    INTERCONNECT = "interconnect"
    COMBO = "combo"
    MODEL = "model"
    QUANTIZATION = "quantization"
    RUNTIME = "runtime"
    ASSUMPTION = "assumption"
    MEASUREMENT = "measurement"
    BENCHMARK = "benchmark"
    CLAIM = "claim"
    LOSS = "loss"
    BOARD = "board"
    SCORE = "score"
    NAMES = "name"

    @property
    def folder(self) -> str:
        """Name of its folder under ``catalog/``."""
        return "losses" if self is Kind.LOSS else f"{self.value}s"

    @property
    def schema_path(self) -> str:
        """Path of its JSON Schema, relative to the project root."""
        return f"schema/v1/{self.value}.schema.json"

    @property
    def modeline(self) -> str:
        """First line of each of its files: tells editors where the schema is."""
        return f"# yaml-language-server: $schema=../../{self.schema_path}"


RECORDS: dict[Kind, type[Record]] = {
    Kind.GPU: GpuRecord,
    Kind.INTERCONNECT: InterconnectRecord,
    Kind.COMBO: ComboRecord,
    Kind.MODEL: ModelRecord,
    Kind.QUANTIZATION: QuantizationRecord,
    Kind.RUNTIME: RuntimeRecord,
    Kind.ASSUMPTION: AssumptionRecord,
    Kind.MEASUREMENT: MeasurementRecord,
    Kind.BENCHMARK: BenchmarkRecord,
    Kind.CLAIM: ClaimRecord,
    Kind.LOSS: LossRecord,
    Kind.BOARD: BoardRecord,
    Kind.SCORE: ScoreRecord,
    Kind.NAMES: NamesRecord,
}
"""The authored shape of each kind."""

FOLDERS: dict[str, Kind] = {kind.folder: kind for kind in Kind}
"""Kind by folder name."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A key that holds the id of another record."""

    kind: Kind
    code: str
    """Code of the problem when no such record exists."""


_INTERCONNECT = Reference(Kind.INTERCONNECT, code="unknown-interconnect")
_RUNTIME = Reference(Kind.RUNTIME, code="unknown-runtime")
_ASSUMPTION = Reference(Kind.ASSUMPTION, code="unknown-assumption")

REFERENCES: dict[str, Reference] = {
    "gpu": Reference(Kind.GPU, code="unknown-gpu"),
    "combo": Reference(Kind.COMBO, code="unknown-combo"),
    "bus": _INTERCONNECT,
    "links": _INTERCONNECT,
    "link": _INTERCONNECT,
    "network": _INTERCONNECT,
    "model": Reference(Kind.MODEL, code="unknown-model"),
    "runtime": _RUNTIME,
    "quantization": Reference(Kind.QUANTIZATION, code="unknown-quantization"),
    "quantizations": Reference(Kind.QUANTIZATION, code="unknown-quantization"),
    "orchestrator": _RUNTIME,
    "drives": _RUNTIME,
    "superseded_by": Reference(Kind.MODEL, code="unknown-model"),
    "board": Reference(Kind.BOARD, code="unknown-board"),
    "names": Reference(Kind.NAMES, code="unknown-name-map"),
    "reference": _ASSUMPTION,
    "memory_rate": _ASSUMPTION,
}
"""Keys that refer, in every kind."""
