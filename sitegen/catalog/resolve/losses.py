"""Measured losses of quantization to domain values: ids of before become those of today."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.authored import Authored
from sitegen.catalog.domain.losses import Evaluator, LossFigures, LossRow, MeasuredLosses
from sitegen.catalog.kinds import Kind
from sitegen.catalog.records.losses import LossRecord, LossRowRecord, LossTableRecord
from sitegen.catalog.resolve.parts import resolve_sources


def resolve_losses(
    authored: Authored[LossRecord], now: Mapping[Kind, Mapping[str, str]]
) -> MeasuredLosses:
    """Turn the losses of a source into domain values.

    Args:
        authored: The record.
        now: Ids of today by ids of before, for each kind.
    """
    record = authored.record
    return MeasuredLosses(
        id=authored.id,
        title=record.title,
        evaluator=Evaluator(record.evaluator),
        license=record.license,
        date=record.date,
        note=record.note,
        tables=tuple(_figures(table, record.date, now) for table in record.tables),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def _figures(
    record: LossTableRecord, date: str, now: Mapping[Kind, Mapping[str, str]]
) -> LossFigures:
    model = record.model or ""
    return LossFigures(
        model=now[Kind.MODEL].get(model, model),
        name=record.name,
        metric=record.metric,
        unit=record.unit,
        baseline=record.baseline,
        baseline_value=record.baseline_value,
        questions=record.questions,
        date=record.date or date,
        note=record.note,
        rows=tuple(_row(row, now[Kind.QUANTIZATION]) for row in record.rows),
    )


def _row(record: LossRowRecord, today: Mapping[str, str]) -> LossRow:
    given = record.quantization or ""
    return LossRow(
        quantization=today.get(given, given),
        written=record.written,
        value=record.value,
        error=record.error,
        bits=record.bits,
        tuned=record.tuned,
        cache=record.cache,
    )
