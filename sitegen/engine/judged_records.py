"""What others published beside the engine: logs, speeds, claims, and what is above a bound."""

from __future__ import annotations

from sitegen.engine.accuracy.report import accuracy
from sitegen.engine.accuracy.values import AccuracyReport
from sitegen.engine.accuracy_speed import SpeedAccuracy, compare_speeds
from sitegen.engine.claims import JudgedPage, judge_pages
from sitegen.engine.evidence import EvidenceIndex
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


def keep_apart(engine: FitEngine) -> tuple[Quarantined, ...]:
    """Find the runs that break a physical bound, and let the engine take them for no evidence."""
    found = quarantine(engine) if engine.catalog.benchmarks else ()
    engine.evidence = EvidenceIndex(engine.catalog, frozenset(one.run.id for one in found))
    return found


def judge_records(engine: FitEngine, kept_apart: tuple[Quarantined, ...]) -> JudgedRecords:
    """Judge every record of the engine's catalog; ``kept_apart`` is found already."""
    catalog = engine.catalog
    return JudgedRecords(
        memory=accuracy(engine) if catalog.measurements else None,
        speed=compare_speeds(catalog, engine.weighed) if catalog.benchmarks else None,
        claims=judge_pages(engine) if catalog.claims else (),
        quarantined=kept_apart,
    )
