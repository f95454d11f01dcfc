"""Rules on an editor's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords
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
            found = stated_number(text)
            if found:
                message = f"prose states {quoted(found.group())}"
                hint = "say it without the number; the page prints the computed one"
                yield combo.problem(path, "prose-states-number", message, hint)


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
