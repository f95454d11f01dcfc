"""The types of KV cache that logged starts name, held to those that runtimes have."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.text.source_text import quoted
from sitegen.physics.cache_types import SPELLINGS, WITHOUT_FORMULA
from sitegen.problems import Problem, did_you_mean

KNOWN = SPELLINGS.keys() | WITHOUT_FORMULA


def check(records: CatalogRecords) -> Iterator[Problem]:
    """Yield a problem for each word that is none: its run would be compared with nothing."""
    for log in records.measurements.values():
        for index, run in enumerate(log.record.runs):
            for key in ("keys", "values"):
                given = getattr(run.workload, key)
                if given and given not in KNOWN:
                    path = ("runs", index, "workload", key)
                    message = f"no runtime has a KV cache of the type {quoted(given)}"
                    hint = did_you_mean(given, KNOWN) or (
                        "write it as the log does; a type that is new here goes into "
                        "sitegen/physics/cache_types.py"
                    )
                    yield log.problem(path, "unknown-cache-type", message, hint)
