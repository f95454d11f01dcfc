"""Rules on architectures: a word that no table knows would reverse verdicts in silence."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.architectures import ARCHITECTURES, BESIDE_NVIDIA
from sitegen.catalog.authored import CatalogRecords, guess, leaves
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem, listed

_LIST = "sitegen/catalog/architectures.py"


def architectures_are_listed(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a GPU's architecture is one of its maker's, and limits name some that exist."""
    for gpu in records.gpus.values():
        vendor, given = gpu.record.vendor, gpu.record.architecture
        if given not in ARCHITECTURES[vendor]:
            message = f"no architecture of {vendor} is called {quoted(given)}"
            hint = _hint(given, ARCHITECTURES[vendor])
            yield gpu.problem(("architecture",), "unknown-architecture", message, hint)
    for limited in (*records.quantizations.values(), *records.runtimes.values()):
        for path, key, item in leaves(limited.record):
            if key == "other_architectures" and item is not None and item not in BESIDE_NVIDIA:
                given = str(item)
                message = f"no architecture other than NVIDIA's is called {quoted(given)}"
                hint = _hint(given, BESIDE_NVIDIA)
                yield limited.problem(path, "unknown-architecture", message, hint)
    yield from _of_environments(records)


def _of_environments(records: CatalogRecords) -> Iterator[Problem]:
    every = frozenset().union(*ARCHITECTURES.values())
    for runtime in records.runtimes.values():
        for index, entry in enumerate(runtime.record.environment):
            for place, given in enumerate(entry.architectures):
                if given not in every:
                    path = ("environment", index, "architectures", place)
                    message = f"no architecture is called {quoted(given)}"
                    hint = _hint(given, every)
                    yield runtime.problem(path, "unknown-architecture", message, hint)


def _hint(given: str, known: frozenset[str]) -> str:
    near = guess(given, known) or f"listed are {listed(known)}."
    return f"{near} Or add a new one to {_LIST}"
