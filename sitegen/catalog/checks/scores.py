"""Rules on boards, scores and names: every name means one model, every score can be one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords, guess
from sitegen.catalog.checks.provenance import bad_date, bad_dates
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.scores import NamesRecord, ScoreTableRecord

LARGEST = {"percent": 100.0, "elo": 5_000.0}
"""Largest score of a unit; others have no bound but the one below."""
BOUND = 1_000_000.0


def names_are_mapped(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every name of a score stands in the name map of its file."""
    for sheet in records.scores.values():
        names = records.names.get(sheet.record.names)
        if names is None:
            continue  # a map that is broken or does not exist is reported as such
        known = frozenset(name for _, name, _ in _entries(names))
        for index, table in enumerate(sheet.record.tables):
            for name in table.scores.keys() - known:
                message = f"no name map says which model {quoted(name)} is"
                nearest = guess(name, known)
                add = f"add it to catalog/names/{names.id}.yaml: exact, siblings or outside"
                hint = f"{nearest}; or {add}" if nearest else add
                path = ("tables", index, "scores", name)
                yield sheet.problem(path, "unknown-name", message, hint, at_key=True)


def names_mean_one_model(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a name has one meaning, whatever its letter case, spaces and hyphens are."""
    for names in records.names.values():
        meant: dict[str, tuple[KeyPath, str, str]] = {}
        for path, name, model in _entries(names):
            where, first, other = meant.setdefault(_plain(name), (path, name, model))
            decided = first != name and {first, name} <= names.record.decided.keys()
            if (first == name and where != path) or (model != other and not decided):
                message = f"{quoted(name)} means {_meaning(model)}, and {quoted(first)} means "
                message += _meaning(other)
                hint = "keep one of the two, or say under `decided` why both are right"
                yield names.problem(path, "two-way-name", message, hint, at_key=True)


def decided_names_exist(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a decision is about a name of the map."""
    for names in records.names.values():
        known = frozenset(name for _, name, _ in _entries(names))
        for name in names.record.decided.keys() - known:
            message = f"{quoted(name)} is decided, but is nowhere in the map"
            path = ("decided", name)
            yield names.problem(path, "unknown-name", message, guess(name, known), at_key=True)


def scores_are_possible(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure every score is one that its unit can have, inside its interval."""
    for sheet in records.scores.values():
        for index, table in enumerate(sheet.record.tables):
            board = records.boards.get(table.board)
            unit = board.record.unit if board is not None else "points"
            for name, message in _impossible(table, unit):
                path: KeyPath = ("tables", index, "scores", name)
                yield sheet.problem(path, "score", message)


def dates_of_scores_are_real(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure dates of scores and losses are in the calendar, and none is in the future."""
    for sheet in records.scores.values():
        dates = [table.date for table in sheet.record.tables]
        yield from bad_dates(sheet, sheet.record.date, "tables", dates, records.today)
    for source in records.losses.values():
        dates = [table.date for table in source.record.tables]
        yield from bad_dates(source, source.record.date, "tables", dates, records.today)
    for names in records.names.values():
        yield from bad_date(names, ("reviewed",), names.record.reviewed, records.today)


def _impossible(table: ScoreTableRecord, unit: str) -> Iterator[tuple[str, str]]:
    """Yield each name whose score cannot be, and why."""
    largest = LARGEST.get(unit, BOUND)
    smallest = 0.0 if unit in LARGEST else -BOUND
    for name, given in table.scores.items():
        value, low, high = given if isinstance(given, tuple) else (given, given, given)
        if not smallest <= value <= largest:
            yield name, f"{written(value)} cannot be a score in {unit}"
        elif not low <= value <= high:
            yield name, f"{written(value)} does not lie between {written(low)} and {written(high)}"


def _entries(names: Authored[NamesRecord]) -> Iterator[tuple[KeyPath, str, str]]:
    """Yield each name with its place and the id it means; empty for a model outside."""
    record = names.record
    for key, section in (("exact", record.exact), ("siblings", record.siblings)):
        for name, model in section.items():
            yield (key, name), name, model
    for index, name in enumerate(record.outside):
        yield ("outside", index), name, ""


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()


def _meaning(model: str) -> str:
    return quoted(model) if model else "no model of the catalog"
