"""Boards and scores to domain values: names become models, by the map of their source."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.authored import Authored
from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.scores import Board, Caution, Score, ScoreSheet, ScoreTable, Use
from sitegen.catalog.records.scores import BoardRecord, NamesRecord, ScoreRecord, ScoreTableRecord
from sitegen.catalog.resolve.parts import resolve_sources

OUTSIDE = "~"
"""First character of a model that is not in the catalog."""


def resolve_board(authored: Authored[BoardRecord]) -> Board:
    """Turn a board into its domain value."""
    record = authored.record
    return Board(
        id=authored.id,
        name=record.name,
        use=Use(record.use),
        unit=record.unit,
        higher_is_better=record.higher_is_better,
        evaluator=Evaluator(record.evaluator),
        evaluated_by=record.evaluated_by,
        url=record.url,
        license=record.license,
        family=record.family or authored.id,
        renewed=record.renewed,
        questions=record.questions,
        caution=Caution(record.caution) if record.caution else None,
        note=record.note,
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def resolve_scores(
    authored: Authored[ScoreRecord],
    names: Mapping[str, Authored[NamesRecord]],
    now: Mapping[str, str],
) -> ScoreSheet:
    """Turn the scores of a source into domain values.

    Args:
        authored: The record.
        names: Every name map by id.
        now: Ids of models of today by ids of before.
    """
    record = authored.record
    meant = _meant(names[record.names].record, now)
    return ScoreSheet(
        id=authored.id,
        title=record.title,
        names=record.names,
        evaluator=Evaluator(record.evaluator),
        evaluated_by=record.evaluated_by,
        date=record.date,
        tables=tuple(_table(table, record.date, meant) for table in record.tables),
        sources=resolve_sources(record.sources),
        span=authored.span,
    )


def outside(name: str) -> str:
    """Name a model that is not in the catalog, the same for all sources that write it alike.

    >>> outside("GPT-5 (high)")
    '~gpt-5'
    """
    return OUTSIDE + name.partition("(")[0].strip().lower()


def _meant(names: NamesRecord, now: Mapping[str, str]) -> Mapping[str, tuple[str, bool]]:
    """Return the model of each name, and whether it is a sibling."""
    meant = {name: (outside(name), False) for name in names.outside}
    meant |= {name: (now.get(id_, id_), True) for name, id_ in names.siblings.items()}
    meant |= {name: (now.get(id_, id_), False) for name, id_ in names.exact.items()}
    return meant


def _table(
    record: ScoreTableRecord, date: str, meant: Mapping[str, tuple[str, bool]]
) -> ScoreTable:
    scores: list[Score] = []
    for name, given in record.scores.items():
        model, sibling = meant[name]
        if isinstance(given, tuple):
            scores.append(Score(model, sibling, *given))
        else:
            scores.append(Score(model, sibling, given, None, None))
    return ScoreTable(
        board=record.board,
        version=record.version,
        mode=record.mode or "",
        effort=record.effort,
        date=record.date or date,
        scores=tuple(scores),
    )
