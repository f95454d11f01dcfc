"""The model families that runtimes name, held to those that have a formula."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.authored import Authored, CatalogRecords, leaves
from sitegen.catalog.records.models import RuntimeRecord
from sitegen.catalog.text.source_text import quoted
from sitegen.models.families import FAMILIES
from sitegen.models.families.names import CLASS_OF_TYPE
from sitegen.problems import Problem, did_you_mean

KEYS = frozenset({"families", "tensor_families", "stage_families"})
"""Keys of a runtime's record that list families, wherever they stand in it."""


def check(records: CatalogRecords) -> tuple[Problem, ...]:
    """Report every family that no model can have: what is said of it would hold for nothing."""
    return tuple(problem for runtime in records.runtimes.values() for problem in _unknown(runtime))


def _unknown(runtime: Authored[RuntimeRecord]) -> Iterator[Problem]:
    for path, key, item in leaves(runtime.record):
        whole = path[0] == "model_limits" and item in CLASS_OF_TYPE
        if key in KEYS and item not in FAMILIES and not whole:
            given = str(item)
            hint = (
                did_you_mean(given, FAMILIES) or "write the `model_type` of the model's text part"
            )
            message = f"no family is called {quoted(given)}"
            yield runtime.problem(path, "unknown-family", message, hint)
