"""Values of YAML, JSON and Python literals with the place of each, in one shape."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, TypeAlias, TypeGuard

import yaml

from sitegen.catalog.text.source_text import line_starts
from sitegen.values import dataclass

Scalar: TypeAlias = "str | int | float | bool | None"
DEEPEST = 40
"""Levels of a configuration that are looked at."""
MOST_NODES = 20_000
LONGEST_NUMBER = 18
LARGEST = 10**18
"""Whole numbers beyond it are nobody's setting; Python would not even write the longest out."""
MOST_ITEMS = 10_000
SMALLEST = 1e-4
_WHOLE = re.compile(r"\d{1,9}\.0*")


@dataclass(frozen=True, slots=True)
class Tree:
    """A value: a mapping, a list, or a scalar; ``known`` is false for what a program computes.

    ``start`` and ``end`` are indices into the text that it was read from.
    """

    start: int
    end: int
    scalar: Scalar = None
    items: tuple[Tree, ...] = ()
    fields: dict[str, Tree] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    kind: str = "scalar"
    """``scalar``, ``list`` or ``mapping``."""
    known: bool = True

    def at(self, *path: str) -> Tree | None:
        """Follow keys of mappings."""
        here: Tree | None = self
        for name in path:
            here = here.fields.get(name) if here is not None else None
        return here

    def text(self) -> str:
        """Write a scalar as a command line would; empty for anything else."""
        if self.kind != "scalar" or not self.known or self.scalar is None:
            return ""
        if isinstance(self.scalar, bool):
            return "true" if self.scalar else "false"
        return str(self.scalar)

    def walk(self) -> Iterator[Tree]:
        """Yield this value and all inside it."""
        waiting, seen = [self], {id(self)}
        while waiting:
            one = waiting.pop()
            yield one
            for inner in (*one.items, *one.fields.values()):
                if id(inner) not in seen:  # what an alias repeats is looked at once
                    seen.add(id(inner))
                    waiting.append(inner)


def amount(tree: Tree | None) -> float:
    """Read a value as a number; 0 for anything else, and for what is unknown."""
    value = tree.scalar if tree is not None and tree.known else None
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return float(value)
    return float(value) if isinstance(value, int | float) else 0.0


def of_yaml(text: str) -> Iterator[Tree]:
    """Yield the documents of a YAML or JSON text; nothing where it cannot be read.

    Events of the C parser are followed by hand: it is never asked to build anything, because it
    does not survive deep nesting.
    """
    starts = line_starts(text)
    builder = _Builder(starts, len(text))
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.DocumentEndEvent):
                if builder.done is not None:
                    yield builder.done
                builder = _Builder(starts, len(text))
            elif not builder.add(event):
                return
    except (yaml.YAMLError, ValueError, RecursionError):
        return


class _Builder:
    """Builds one document from its events."""

    def __init__(self, starts: Sequence[int], size: int) -> None:
        self.starts, self.size = starts, size
        self.stack: list[tuple[yaml.Event, list[Tree]]] = []
        self.done: Tree | None = None
        self.anchors: dict[str, Tree] = {}
        self.nodes = 0

    def add(self, event: yaml.Event) -> bool:
        """Take an event; return whether to go on."""
        self.nodes += 1
        if len(self.stack) > DEEPEST or self.nodes > MOST_NODES:
            return False
        start, end = self._index(event.start_mark), self._index(event.end_mark)
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self.stack.append((event, []))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            opened, parts = self.stack.pop()
            self._put(_built(opened, parts, self._index(opened.start_mark), end), opened)
        elif isinstance(event, yaml.ScalarEvent):
            plain = event.implicit[0]
            value = plain_scalar(event.value) if plain else event.value
            self._put(Tree(start, end, value), event)
        elif isinstance(event, yaml.AliasEvent):
            found = self.anchors.get(event.anchor or "", Tree(start, end, known=False))
            self._put(found, None)
        return True

    def _index(self, mark: Any) -> int:
        """Return the index of a mark; the two parsers have a type of marks each."""
        line = min(mark.line, len(self.starts) - 1)
        return int(min(self.starts[line] + mark.column, self.size))

    def _put(self, tree: Tree, event: yaml.Event | None) -> None:
        name = getattr(event, "anchor", None)
        if name:
            self.anchors[name] = tree
        if self.stack:
            self.stack[-1][1].append(tree)
        else:
            self.done = tree


def _built(opened: yaml.Event, parts: list[Tree], start: int, end: int) -> Tree:
    if isinstance(opened, yaml.SequenceStartEvent):
        return Tree(start, end, items=tuple(parts), kind="list")
    return collected(parts, start, end)


def collected(parts: Sequence[Tree], start: int, end: int) -> Tree:
    """Make a mapping of its keys and values, in turn."""
    fields: dict[str, Tree] = {}
    keys: dict[str, int] = {}
    for at in range(0, len(parts) - 1, 2):
        key, value = parts[at], parts[at + 1]
        if key.text() == "<<" and value.kind == "mapping":
            fields = {**value.fields, **fields}
            continue
        fields[key.text()] = value
        keys[key.text()] = key.start
    return Tree(start, end, fields=fields, keys=keys, kind="mapping")


def plain_scalar(text: str) -> Scalar:
    """Read a scalar without quotes: numbers and truth, all else as it stands.

    A fraction that is a whole number, or very large or small, keeps the way it is written, which no
    number tells: ``amount`` reads it.
    """
    low = text.lower()
    if low in {"true", "false"}:
        return low == "true"
    if low in {"", "null", "~"}:
        return None
    try:
        if len(text) <= LONGEST_NUMBER:
            return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return text
    size = abs(value)
    return value if SMALLEST < size < LARGEST and size % 1 != 0 else text


def of_python(node: ast.expr, starts: Sequence[int], lines: list[str], depth: int = 0) -> Tree:
    """Turn a literal of a program into a value; what is computed is unknown."""
    start = place(node.lineno, node.col_offset, starts, lines)
    end = place(node.end_lineno or node.lineno, node.end_col_offset or 0, starts, lines)
    if depth > DEEPEST:
        return Tree(start, end, known=False)
    if isinstance(node, ast.Constant) and _is_scalar(node.value):
        return Tree(start, end, node.value)
    if isinstance(node, ast.List | ast.Tuple):
        items = tuple(of_python(one, starts, lines, depth + 1) for one in node.elts)
        return Tree(start, end, items=items, kind="list")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _repeated(node, starts, lines, depth)
    if isinstance(node, ast.Dict | ast.Call):
        return _mapping(node, starts, lines, depth)
    return _negative(node, Tree(start, end, known=False))


def _is_scalar(value: object) -> TypeGuard[Scalar]:
    within = not isinstance(value, int) or abs(value) <= LARGEST
    return isinstance(value, str | int | float | bool | None) and within


def _negative(node: ast.expr, unknown: Tree) -> Tree:
    """Read a number below zero; anything else is unknown."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        value = inner.value if isinstance(inner, ast.Constant) else None
        if isinstance(value, int | float) and abs(value) <= LARGEST:
            return Tree(unknown.start, unknown.end, -value)
    return unknown


def _mapping(
    node: ast.Dict | ast.Call, starts: Sequence[int], lines: list[str], depth: int
) -> Tree:
    """Read ``{...}`` and ``dict(...)``; any other call is unknown."""
    if isinstance(node, ast.Dict):
        return _dictionary(node, starts, lines, depth)
    found = of_keywords(node, starts, lines, depth)
    plain = isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args
    return found if plain else Tree(found.start, found.end, known=False)


def _dictionary(node: ast.Dict, starts: Sequence[int], lines: list[str], depth: int) -> Tree:
    start = place(node.lineno, node.col_offset, starts, lines)
    end = place(node.end_lineno or node.lineno, node.end_col_offset or 0, starts, lines)
    pairs = [
        (key.value, value, key)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]
    fields = {name: of_python(value, starts, lines, depth + 1) for name, value, _ in pairs}
    keys = {name: place(k.lineno, k.col_offset, starts, lines) for name, _, k in pairs}
    whole = len(pairs) == len(node.keys)
    return Tree(start, end, fields=fields, keys=keys, kind="mapping", known=whole)


def of_keywords(node: ast.Call, starts: Sequence[int], lines: list[str], depth: int = 0) -> Tree:
    """Turn the keywords of a call into a mapping."""
    start = place(node.lineno, node.col_offset, starts, lines)
    end = place(node.end_lineno or node.lineno, node.end_col_offset or 0, starts, lines)
    named = [one for one in node.keywords if one.arg is not None]
    fields = {str(k.arg): of_python(k.value, starts, lines, depth + 1) for k in named}
    keys = {str(k.arg): place(k.lineno, k.col_offset, starts, lines) for k in named}
    whole = len(named) == len(node.keywords)
    return Tree(start, end, fields=fields, keys=keys, kind="mapping", known=whole)


def _repeated(node: ast.BinOp, starts: Sequence[int], lines: list[str], depth: int) -> Tree:
    """Read ``[{...}] * 4`` as a list of four."""
    left = of_python(node.left, starts, lines, depth + 1)
    right = of_python(node.right, starts, lines, depth + 1)
    times = right.scalar
    if left.kind == "list" and isinstance(times, int) and 0 < times * len(left.items) <= MOST_ITEMS:
        return Tree(left.start, right.end, items=left.items * times, kind="list")
    return Tree(left.start, right.end, known=False)


def place(line: int, column: int, starts: Sequence[int], lines: list[str]) -> int:
    """Return the index of a line and a column in bytes, as Python counts them."""
    text = lines[line - 1] if line <= len(lines) else ""
    if text.isascii():
        return starts[line - 1] + min(column, len(text))
    return starts[line - 1] + len(text.encode()[:column].decode(errors="ignore"))
