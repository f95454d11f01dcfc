"""A row of a record of strangers: one figure or outcome beside what was predicted before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
MEMORY, SPEED, VERDICT = "memory", "speed", "verdict"


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of one run.

    Attributes:
        kind: ``memory``, ``speed`` or ``verdict``.
        vote: What shares one vote with it.
        program: Runtime or program that ran.
        hardware: Vendor and segment of the GPUs; empty where the figure needs none.
        known_source: Whether other figures of its file were known to the engine.
        left_out_before: Whether the catalog listed it, but left out or doubted.
        outcome: Of a verdict: ``ran`` or ``failed``.
        tier: Of a verdict: the engine's.
        naive_fits: Of a verdict: the common rule's.
        stand_in: Whether another program ran, which the catalog lacks.
    """

    run: str
    source: str
    kind: str
    quantity: str
    vote: str
    program: str
    hardware: str
    known_source: bool
    left_out_before: bool
    measured: float = 0.0
    low: float = 0.0
    mid: float = 0.0
    high: float = 0.0
    naive: float | None = None
    rounding: float = 0.0
    outcome: str = ""
    tier: str = ""
    reasons: tuple[str, ...] = ()
    naive_fits: bool | None = None
    disputed: str = ""
    stand_in: bool = False

    @property
    def error(self) -> float:
        """Predicted over measured, less one, without sign."""
        return abs(self.mid / self.measured - 1)

    @property
    def inside(self) -> bool:
        """Whether the measured figure, rounded as it is, can lie between low and high."""
        return self.low - self.rounding <= self.measured <= self.high + self.rounding


@dataclass(frozen=True, slots=True)
class Record:
    """Rows predicted on one day, with what the engine was made of."""

    day: str
    constants: str
    """Digest of every constant that a log or a rate can move."""
    rows: tuple[Row, ...]
    left_out: dict[str, int]
    """Rows that say too little or that nothing covers, by reason."""
    fitted_since: str = ""
    """Day from which on constants rest on the rows; empty while they are strangers."""


def read(path: Path) -> Record:
    """Read a record: a line about it, then a row a line, its values in the order of the head."""
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    head = json.loads(first)
    found = (dict(zip(head["columns"], json.loads(line), strict=True)) for line in rest)
    rows = tuple(Row(**{**row, "reasons": tuple(row["reasons"])}) for row in found)
    since = head.get("fitted_since", "")
    return Record(head["day"], head["constants"], rows, head["left_out"], since)


def write(path: Path, record: Record) -> None:
    """Write a record."""
    columns = [field.name for field in fields(Row)]
    about = {"day": record.day, "constants": record.constants, "left_out": record.left_out}
    since = {"fitted_since": record.fitted_since} if record.fitted_since else {}
    lines = [json.dumps({**about, **since, "columns": columns})]
    lines += (json.dumps([_short(value) for value in astuple(row)]) for row in record.rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _short(value: object) -> object:
    return float(f"{value:.9g}") if isinstance(value, float) else value


def paths() -> tuple[Path, ...]:
    """Find the records, oldest first."""
    return tuple(sorted(FOLDER.glob("*.jsonl")))


@cache
def ids() -> frozenset[str]:
    """Ids of the runs and files of all records that no constant rests on."""
    found = (read(path) for path in paths())
    return frozenset(row.run for one in found if not one.fitted_since for row in one.rows)


def sources(rows: Iterable[Row]) -> int:
    """Count files that rows come from."""
    return len({row.source for row in rows})


def largest_source(rows: Sequence[Row]) -> str:
    """Name the file with most rows."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.source] = counts.get(row.source, 0) + 1
    return max(counts, key=lambda name: (counts[name], name))
