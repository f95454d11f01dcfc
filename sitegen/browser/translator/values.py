"""Values of Python as data that the translated modules read: JSON with a table of what is shared.

A value that is made of others stands in the table once, after all that it is made of. An entry
is a list: the number of its shape, then its parts; a part that is a table entry itself is written
``[number]``. Shapes say what to make: a list, a dictionary with these keys, an object of a class.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

LIST, DICTIONARY, SET = 0, 1, 2
"""The first shapes; those after them have keys."""

Token = str
"""JSON of a part."""


class ValueWriter:
    """Writes values and everything they are made of."""

    def __init__(
        self, names: Mapping[tuple[str, str], str], wanted: Callable[[str, str], bool]
    ) -> None:
        """Take the classes' names in the script, and which fields of a class are read there."""
        self._names = names
        self._wanted = wanted
        self._words: dict[object, Token] = {}
        self._entries: list[str] = []
        self._numbers: dict[str, int] = {}
        self._shapes: dict[tuple[str, tuple[str, ...]], int] = {}
        self._seen: dict[int, tuple[object, Token]] = {}
        self._kept: dict[type, tuple[str, ...]] = {}

    def token(self, value: object) -> Token:
        """Write a value.

        Raises:
            TypeError: If it is of a kind that the script does not know.
        """
        kind = type(value)
        if kind is int or kind is float:
            return repr(value)
        if kind is str or value is None or kind is bool or isinstance(value, StrEnum):
            return self._simple(value)
        known = self._seen.get(id(value))
        if known is None:
            # the value is kept beside its token, so that its identity stays its own
            known = self._seen[id(value)] = value, self._composite(value)
        return known[1]

    def _simple(self, value: object) -> Token:
        known = self._words.get(value)
        if known is None:
            plain = str(value) if isinstance(value, StrEnum) else value
            known = self._words[value] = json.dumps(plain)
        return known

    def _composite(self, value: object) -> Token:
        if isinstance(value, list | tuple) and type(value) in {list, tuple}:
            return self._entry(LIST, [self.token(one) for one in value])
        if isinstance(value, set | frozenset):
            # in an order of its own: that of a set changes from run to run
            return self._entry(SET, [self.token(one) for one in sorted(value, key=repr)])
        if isinstance(value, Mapping):
            return self._mapping(value)
        return self._object(value)

    def _mapping(self, value: Mapping[Any, object]) -> Token:
        if value and all(isinstance(key, str) for key in value):
            keys = tuple(str(key) for key in value)
            if any(key.isdigit() for key in keys):
                raise TypeError(f"keys that JavaScript would sort: {keys[:5]}")
            if len(keys) <= 64:
                return self._entry(self._shape("", keys), [self.token(v) for v in value.values()])
        parts = [self.token(part) for pair in value.items() for part in pair]
        return self._entry(DICTIONARY, parts)

    def _object(self, value: object) -> Token:
        kind = type(value)
        name = self._names.get((kind.__module__, kind.__name__), "")
        if kind not in self._kept:
            of_kind = (
                [one.name for one in fields(kind)]
                if is_dataclass(kind)
                else list(getattr(value, "_fields", None) or vars(value))
            )
            self._kept[kind] = tuple(one for one in of_kind if self._wanted(kind.__name__, one))
        kept = self._kept[kind]
        return self._entry(
            self._shape(name or f"?{kind.__name__}", kept),
            [self.token(getattr(value, one)) for one in kept],
        )

    def _shape(self, name: str, keys: tuple[str, ...]) -> int:
        return self._shapes.setdefault((name, keys), len(self._shapes) + 3)

    def _entry(self, shape: int, parts: list[Token]) -> Token:
        text = f"[{','.join([str(shape), *parts])}]"
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._entries)
            self._entries.append(text)
        return f"[{number}]"

    def pieces(self, root: object, count: int) -> list[str]:
        """Write everything as JSON texts of about one size, to be read in their order.

        Each holds entries; the first one also the shapes and the root's place.
        """
        place = self.token(root)
        shapes = json.dumps([[name, *keys] for name, keys in self._shapes], separators=(",", ":"))
        each = sum(len(one) + 1 for one in self._entries) / count
        shares: list[list[str]] = [[] for _ in range(count)]
        before = 0
        for one in self._entries:
            shares[min(int(before / each), count - 1)].append(one)
            before += len(one) + 1
        texts = [f'"entries":[{",".join(share)}]}}' for share in shares]
        return [f'{{"shapes":{shapes},"root":{place},{texts[0]}', *(f"{{{t}" for t in texts[1:])]


def script_text(text: str) -> str:
    """Write a text as a string of a script; it cannot end the script element that holds it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    escaped = escaped.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return "'" + escaped.replace("</", "<\\/") + "'"
