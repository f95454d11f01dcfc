"""The model families that runtimes name, held to those that have a formula."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.records.models import RuntimeRecord
from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.models.families import FAMILIES
from sitegen.problems import Problem, did_you_mean

KEYS = frozenset({"families", "tensor_families", "stage_families"})
"""Keys of a runtime's record that list families, wherever they stand in it."""


def check(records: CatalogRecords) -> tuple[Problem, ...]:
    """Report every family that no model can have: what is said of it would hold for nothing."""
    return tuple(
        problem
        for runtime in records.runtimes.values()
        for problem in _of_record(runtime, (), runtime.record)
    )


def _of_record(runtime: Authored[RuntimeRecord], at: KeyPath, record: Record) -> Iterator[Problem]:
    for key in type(record).model_fields:
        value = getattr(record, key)
        many = isinstance(value, tuple)
        for index, item in enumerate(value if many else (value,)):
            path = (*at, key, index) if many else (*at, key)
            if isinstance(item, Record):
                yield from _of_record(runtime, path, item)
            elif key in KEYS and item not in FAMILIES:
                message = f"no family is called {quoted(item)}"
                hint = (
                    did_you_mean(item, FAMILIES)
                    or "write the `model_type` of the model's text part"
                )
                yield runtime.problem(path, "unknown-family", message, hint)
