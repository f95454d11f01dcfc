"""What of a file is kept: named paths and nothing else, so that prompts, names and paths stay out.

A file is read as a stream of events and everything that no path names is dropped as it passes.
That is the allow-list for privacy, and what keeps memory flat however large the file is.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import field
from typing import Any, TypeAlias

from sitegen.values import dataclass

Event: TypeAlias = tuple[str, Any]
"""``start_map``, ``end_map``, ``start_array``, ``end_array``, ``map_key`` or a kind of scalar."""
Kept: TypeAlias = dict[str, Any]
"""An object with the wanted keys: numbers, short texts, lists, further objects, and ``array``
columns of samples under the path that leads to them (``latencies[]``)."""

LONGEST_TEXT = 300
MOST_SAMPLES = 5_000_000
"""Requests of one run whose latencies are held: 40 MB each."""
MOST_KEPT = 200_000
"""Values of one run that are held beside samples."""
MOST_VALUES = 2_000
"""Runs of a file that are held before they are taken."""


class TooLargeError(ValueError):
    """More of what is wanted than any benchmark writes."""


@dataclass(slots=True)
class WantedPath:
    """A place in a file: what is wanted below it."""

    keys: dict[str, WantedPath] = field(default_factory=dict)
    items: WantedPath | None = None
    scalar: bool = False
    column: str = ""
    """Name under which numbers at this place are collected; empty where they are kept singly."""
    holds: bool = False
    """Whether a value of its own has to be made for this place."""


def wanted(paths: Iterable[str]) -> WantedPath:
    """Make a tree of paths.

    A path is keys joined by dots; ``[]`` stands for every item of a list and ``*`` for every key.
    ``~`` before a path collects its numbers in a column of the nearest object above the list.

    >>> tree = wanted(["runs[].speed", "~samples[]"])
    >>> sorted(tree.keys), tree.keys["samples"].items.column
    (['runs', 'samples'], 'samples[]')
    """
    root = WantedPath(holds=True)
    for path in paths:
        _add(root, path.removeprefix("~"), sampled=path.startswith("~"))
    return root


def _add(root: WantedPath, path: str, *, sampled: bool) -> None:
    node, parts = root, path.split(".")
    start = max((at for at, part in enumerate(parts) if part.endswith("[]")), default=0)
    for at, part in enumerate(parts):
        made = not sampled or at < start
        node = node.keys.setdefault(part.removesuffix("[]"), WantedPath())
        node.holds = node.holds or made
        if part.endswith("[]"):
            node.items = node.items or WantedPath()
            node = node.items
            node.holds = node.holds or made
    if sampled:
        node.column = ".".join(parts[start:])
    else:
        node.scalar = True


@dataclass(slots=True)
class _OpenContainer:
    node: WantedPath
    value: Any
    """A dictionary, a list, or ``None`` where nothing of its own is made."""
    is_list: bool
    key: str = ""


class JsonPruner:
    """Takes events and gives the values of a file, one after the other, as far as wanted.

    The items of a list at the top of a file are values of their own, so that a list of a million
    runs is never whole in memory.
    """

    def __init__(self, root: WantedPath) -> None:
        self._root = root
        self._frames: list[_OpenContainer] = []
        self._skipped = 0
        self._kept = 0
        self._whole_list = False
        self.done: list[Kept] = []

    @property
    def between_values(self) -> bool:
        """Whether no value is open."""
        return not self._frames and not self._skipped

    def send(self, event: Event) -> None:
        """Take an event.

        Raises:
            TooLargeError: If more is wanted of one value than can be kept.
        """
        name, value = event
        if self._skipped:
            if name in ("start_map", "start_array"):
                self._skipped += 1
            elif name in ("end_map", "end_array"):
                self._skipped -= 1
        elif name == "map_key":
            self._frames[-1].key = value
        elif name == "start_map":
            self._open({}, is_list=False)
        elif name == "start_array":
            if self._frames or self._whole_list:
                self._open([], is_list=True)
            else:
                self._whole_list = True
        elif name in ("end_map", "end_array"):
            self._close()
        else:
            self._scalar(value)

    def _below(self) -> WantedPath | None:
        frame = self._frames[-1]
        if frame.is_list:
            return frame.node.items
        return frame.node.keys.get(frame.key) or frame.node.keys.get("*")

    def _open(self, value: Any, *, is_list: bool) -> None:
        node: WantedPath | None = self._below() if self._frames else self._root
        wrong = node is not None and (node.items is None if is_list else not node.keys)
        if node is None or wrong or (is_list and not self._frames):
            self._skipped = 1
            return
        self._frames.append(_OpenContainer(node, value if node.holds else None, is_list))

    def _close(self) -> None:
        if not self._frames:
            self._whole_list = False
            return
        frame = self._frames.pop()
        if frame.value is None:
            return
        if self._frames:
            self._attach(frame.value)
        else:
            self._kept = 0
            self.done.append(frame.value)
            if len(self.done) > MOST_VALUES:
                raise TooLargeError(f"more than {MOST_VALUES} runs stand side by side")

    def _scalar(self, value: Any) -> None:
        node = self._below() if self._frames else None
        if node is None:
            return
        if node.column:
            if isinstance(value, int | float) and not isinstance(value, bool):
                self._collect(node.column, value)
        elif node.scalar:
            self._attach(value[:LONGEST_TEXT] if isinstance(value, str) else value)

    def _attach(self, value: Any) -> None:
        self._kept += 1
        if self._kept > MOST_KEPT:
            raise TooLargeError(f"one run has more than {MOST_KEPT:,} values")
        frame = self._frames[-1]
        if frame.is_list:
            frame.value.append(value)
        elif frame.key in frame.node.keys:
            frame.value[frame.key] = value
        else:
            frame.value.setdefault("*", []).append(value)

    def _collect(self, column: str, value: float) -> None:
        inside = next(at for at in range(len(self._frames) - 1, -1, -1) if self._frames[at].is_list)
        samples = self._frames[inside - 1].value.setdefault(column, array("d"))
        if len(samples) >= MOST_SAMPLES:
            raise TooLargeError(f"one run has more than {MOST_SAMPLES:,} requests")
        samples.append(value)

    def take(self) -> list[Kept]:
        """Hand over the values that are complete."""
        done, self.done = self.done, []
        return done
