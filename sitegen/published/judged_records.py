"""Publications of others beside the engine: logs, speeds, claims, and figures above a bound."""

from __future__ import annotations

from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.quarantine import Quarantined, quarantine
from sitegen.published.accuracy.report import accuracy
from sitegen.published.accuracy.speed import SpeedAccuracy, compare_speeds
from sitegen.published.accuracy.values import AccuracyReport
from sitegen.published.claims.judge import JudgedPage, judge_pages
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class JudgedRecords:
    """Comparisons of a catalog's records with the engine, and its judgements of them.

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
        speed=compare_speeds(catalog, engine.reduced) if catalog.benchmarks else None,
        claims=judge_pages(engine) if catalog.claims else (),
        quarantined=quarantine(catalog, engine.reduced),
    )
