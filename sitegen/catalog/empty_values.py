"""Keys without a value: refused, because an empty key passes for one that was left out."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.authored import PlacedSource
from sitegen.catalog.positions import KeyPath
from sitegen.problems import Problem

_FREE_KEYS = {"config", "config_overrides"}
"""Keys that hold a model's own config, where null means what it means there."""


def empty_values(value: object, source: PlacedSource, path: KeyPath = ()) -> Iterator[Problem]:
    """Yield a problem for each key without a value, model configs left out.

    Args:
        value: The composed value at ``path``.
        source: Its file.
        path: Where the value stands.
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner is None:
                name = ".".join(map(str, (*path, key)))
                message = f"`{name}` has no value"
                yield source.problem((*path, key), "no-value", message, "remove the key or fill it")
            elif isinstance(inner, dict | list) and key not in _FREE_KEYS:
                yield from empty_values(inner, source, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from empty_values(item, source, (*path, index))
