"""Rules on an editor's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords, PlacedSource
from sitegen.catalog.stated_numbers import stated_number
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.hardware import ComboRecord


def prose_states_no_number(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a combo's prose states no size, speed, power or price: those are computed."""
    for combo in records.combos.values():
        for path, text in _prose(combo):
            hint = "say it without the number; the page prints the computed one"
            yield from numbers_stated(combo.source, path, text, hint)


def numbers_stated(source: PlacedSource, path: KeyPath, text: str, hint: str) -> Iterator[Problem]:
    """Yield a problem for each number with a unit in the text at a key path, where it stands."""
    at, index = 0, 0
    while found := stated_number(text, at):
        at = found.end()
        index = source.index_of(path, found.group(), after=index)
        message = f"prose states {quoted(found.group())}"
        yield source.text.problem_at("prose-states-number", message, index=index, hint=hint)
        index += 1


def _prose(combo: Authored[ComboRecord]) -> Iterator[tuple[KeyPath, str]]:
    for key in ("summary", "why", "not_for"):
        yield (key,), getattr(combo.record, key)
    if combo.record.operations is not None:
        for key in type(combo.record.operations).model_fields:
            if key != "sources":
                yield ("operations", key), getattr(combo.record.operations, key)
    for index, mode in enumerate(combo.record.failure_modes):
        for key in ("symptom", "check", "fix"):
            yield ("failure_modes", index, key), getattr(mode, key)
