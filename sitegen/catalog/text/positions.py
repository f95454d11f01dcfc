"""Positions of keys and values in a YAML file; computed only when a problem asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import yaml
from yaml import CSafeLoader
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from sitegen.values import dataclass

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and list indices from the root of a file, as pydantic's ``loc``."""


@dataclass(frozen=True, slots=True)
class Place:
    """1-based positions of a value and of its key; the text of an unquoted or quoted scalar."""

    line: int
    column: int
    key_line: int
    key_column: int
    text: str | None


def locate(text: str) -> Mapping[KeyPath, Place]:
    r"""Map every key path of a file that composes without problems to its place.

    >>> locate("gpus:\n  - {gpu: rtx-4090}\n")[("gpus", 0, "gpu")]
    Place(line=2, column=11, key_line=2, key_column=6, text='rtx-4090')
    """
    places: dict[KeyPath, Place] = {}
    path: list[str | int] = []
    open_mappings: list[bool] = []
    key_event: ScalarEvent | None = None
    for event in yaml.parse(text, Loader=CSafeLoader):
        if isinstance(event, CollectionEndEvent):
            open_mappings.pop()
            path.pop()
            continue
        if not isinstance(event, NodeEvent) or isinstance(event, AliasEvent):
            continue
        if open_mappings and open_mappings[-1] and key_event is None:
            if not isinstance(event, ScalarEvent):
                raise TypeError("a key that is no scalar has not composed")
            key_event = event
            path[-1] = event.value
            continue
        if open_mappings and not open_mappings[-1]:
            path[-1] = int(path[-1]) + 1
        places[tuple(path)] = _place(event, key_event or event)
        key_event = None
        if isinstance(event, CollectionStartEvent):
            open_mappings.append(isinstance(event, MappingStartEvent))
            path.append(-1)
    return places


def _place(event: NodeEvent, key: NodeEvent) -> Place:
    text = event.value if isinstance(event, ScalarEvent) else None
    line, column = start(event)
    key_line, key_column = start(key)
    return Place(line, column, key_line, key_column, text)


def start(event: yaml.Event) -> tuple[int, int]:
    """Return the 1-based line and column where an event starts."""
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
