"""Rules on architectures: a word that no table knows would reverse verdicts in silence."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.architectures import ARCHITECTURES, BESIDE_NVIDIA
from sitegen.catalog.authored import Authored, CatalogRecords, guess
from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem, listed

_LIST = "sitegen/catalog/architectures.py"
_KEY = "other_architectures"


def architectures_are_listed(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a GPU's architecture is one of its maker's, and limits name some that exist."""
    for gpu in records.gpus.values():
        vendor, given = gpu.record.vendor, gpu.record.architecture
        if given not in ARCHITECTURES[vendor]:
            message = f"no architecture of {vendor} is called {quoted(given)}"
            hint = _hint(given, ARCHITECTURES[vendor])
            yield gpu.problem(("architecture",), "unknown-architecture", message, hint)
    for authored, path, given in _limits(records):
        if given not in BESIDE_NVIDIA:
            message = f"no architecture beside NVIDIA's is called {quoted(given)}"
            yield authored.problem(
                path, "unknown-architecture", message, _hint(given, BESIDE_NVIDIA)
            )


def _hint(given: str, known: frozenset[str]) -> str:
    return f"{guess(given, known) or f'listed are {listed(known)}'}; or add a new one to {_LIST}"


def _limits(records: CatalogRecords) -> Iterator[tuple[Authored[Record], KeyPath, str]]:
    """Yield each architecture that a quantization or a runtime is limited to, with its place."""
    for recipe in records.quantizations.values():
        yield from _named(recipe, (), recipe.record)
    for runtime in records.runtimes.values():
        yield from _named(runtime, (), runtime.record)
        for key in ("format_limits", "model_limits"):
            for index, limit in enumerate(getattr(runtime.record, key)):
                yield from _named(runtime, (key, index), limit)


def _named(
    authored: Authored[Record], at: KeyPath, record: Record
) -> Iterator[tuple[Authored[Record], KeyPath, str]]:
    for index, given in enumerate(getattr(record, _KEY) or ()):
        yield authored, (*at, _KEY, index), given
