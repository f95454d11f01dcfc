"""What others published beside the engine: logs, speeds, claims, and what is above a bound."""

from __future__ import annotations

from sitegen.engine.accuracy.report import accuracy
from sitegen.engine.accuracy.values import AccuracyReport
from sitegen.engine.accuracy_speed import SpeedAccuracy, compare_speeds
from sitegen.engine.claims import JudgedPage, judge_pages
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.quarantine import Quarantined, quarantine
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class JudgedRecords:
    """What the records of a catalog say of the engine, and the engine of them.

    ``memory`` and ``speed`` are ``None`` in a catalog without such records.
    """

    memory: AccuracyReport | None
    speed: SpeedAccuracy | None
    claims: tuple[JudgedPage, ...]
    quarantined: tuple[Quarantined, ...]


NOTHING = JudgedRecords(None, None, (), ())
"""Of a catalog without records."""


def judge_records(engine: FitEngine) -> JudgedRecords:
    """Judge every record of the engine's catalog."""
    catalog = engine.catalog
    return JudgedRecords(
        memory=accuracy(engine) if catalog.measurements else None,
        speed=compare_speeds(catalog, engine.weighed) if catalog.benchmarks else None,
        claims=judge_pages(engine) if catalog.claims else (),
        quarantined=quarantine(catalog, engine.weighed),
    )
