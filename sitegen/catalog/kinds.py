"""The kinds of record: their names, folders and authored shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

from sitegen.values import dataclass

if TYPE_CHECKING:
    from sitegen.catalog.records.parts import Record


class Kind(StrEnum):
    """Kind of a catalog file, in the singular, as messages say it."""

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


_SHAPES = {
    Kind.GPU: ("hardware", "GpuRecord"),
    Kind.INTERCONNECT: ("hardware", "InterconnectRecord"),
    Kind.COMBO: ("hardware", "ComboRecord"),
    Kind.MODEL: ("models", "ModelRecord"),
    Kind.QUANTIZATION: ("models", "QuantizationRecord"),
    Kind.RUNTIME: ("models", "RuntimeRecord"),
    Kind.ASSUMPTION: ("models", "AssumptionRecord"),
    Kind.MEASUREMENT: ("measurements", "MeasurementRecord"),
    Kind.BENCHMARK: ("benchmarks", "BenchmarkRecord"),
    Kind.CLAIM: ("claims", "ClaimRecord"),
    Kind.LOSS: ("losses", "LossRecord"),
    Kind.BOARD: ("scores", "BoardRecord"),
    Kind.SCORE: ("scores", "ScoreRecord"),
    Kind.NAMES: ("scores", "NamesRecord"),
}
"""Module below ``sitegen.catalog.records`` and class of each kind's shape."""


class _Records(Mapping[Kind, "type[Record]"]):
    """The shapes, each imported when it is first asked for: a file needs one of them."""

    def __getitem__(self, kind: Kind) -> type[Record]:
        module, name = _SHAPES[kind]
        shape: type[Record] = getattr(import_module(f"sitegen.catalog.records.{module}"), name)
        return shape

    def __iter__(self) -> Iterator[Kind]:
        return iter(_SHAPES)

    def __len__(self) -> int:
        return len(_SHAPES)


RECORDS: Mapping[Kind, type[Record]] = _Records()
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
