"""What an option of a Python program takes, read off its definition without running it.

A kind is one of ``nothing`` (a switch), ``int``, ``float``, ``str``, ``json``, ``maybe str`` (a
value may follow), ``many str`` (one or more values), ``two str``, ``one of a|b``, ``such as a|b``
(others may be registered), ``many of a|b``, ``= --name`` (another name of an option), ``gone
advice`` (removed), ``word`` (no option of a command line) and ``unknown``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Options = Iterator[tuple[str, str]]
"""Names with their kinds."""
SCALARS = {"int": "int", "float": "float", "str": "str", "dict": "json", "Path": "str"}
LISTS = {"list", "List", "tuple", "Tuple", "set", "Sequence"}
HUMAN = {"human_readable_int": "str", "human_readable_int_or_auto": "str"}
"""Numbers that may be written 8K or auto: the definition parses them itself."""


@dataclass
class Definitions:
    """Classes with their fields, and names that stand for types, of some Python files."""

    fields: dict[str, dict[str, ast.expr]] = field(default_factory=dict)
    bases: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, ast.expr] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Definitions:
        """Read the files; the first definition of a name counts."""
        found = cls()
        for path in paths:
            for node in _top(ast.parse(path.read_text("utf-8")).body):
                found.add(node)
        return found

    def add(self, node: ast.AST) -> None:
        """Keep a class or an alias."""
        if isinstance(node, ast.ClassDef):
            self.bases.setdefault(node.name, [b.id for b in node.bases if isinstance(b, ast.Name)])
            self.fields.setdefault(
                node.name,
                {
                    one.target.id: one.annotation
                    for one in node.body
                    if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
                },
            )
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self.names.setdefault(node.targets[0].id, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            self.names.setdefault(node.target.id, node.value)

    def members(self, name: str) -> dict[str, ast.expr]:
        """Fields of a class and of those that it is made of."""
        found: dict[str, ast.expr] = {}
        for base in self.bases.get(name, []):
            found |= self.members(base)
        return found | self.fields.get(name, {})

    def kind(self, annotation: ast.expr) -> str:
        """Say what a field with this annotation is set to."""
        hints = list(self.hints(annotation))
        texts = [one for one in hints if isinstance(one, str)]
        literals = [one for one in hints if isinstance(one, list)]
        if "json-class" in texts:
            return "json"
        if "bool" in texts:
            return "maybe str" if "str" in texts else "nothing"
        if literals:
            words = "|".join(map(str, literals[0]))
            return f"such as {words}" if "str" in texts else f"one of {words}"
        many = [one for one in texts if one.startswith("many ")]
        scalars = [SCALARS[one] for one in ("int", "float", "dict", "str") if one in texts]
        return (*many, *scalars, "str")[0]

    def hints(self, node: ast.expr) -> Iterator[str | list[object]]:
        """Yield the types of a union, literals as their values."""
        if isinstance(node, ast.BinOp):
            yield from self.hints(node.left)
            yield from self.hints(node.right)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield from self.hints(ast.parse(node.value, mode="eval").body)
            else:
                yield str(node.value)
        elif isinstance(node, ast.Subscript):
            yield from self._subscript(node)
        else:
            name = node.id if isinstance(node, ast.Name) else ast.unparse(node).split(".")[-1]
            if name in SCALARS or name in {"bool", "Any"}:
                yield name
            elif name in self.names and name not in self.fields:
                yield from self.hints(self.names[name])
            else:
                yield "json-class" if self.fields.get(name) else name

    def _subscript(self, node: ast.Subscript) -> Iterator[str | list[object]]:
        name = ast.unparse(node.value).split(".")[-1]
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            yield [value for part in parts for value in self._literals(part)]
        elif name in {"Optional", "Union"}:
            for part in parts:
                yield from self.hints(part)
            if name == "Optional":
                yield "None"
        elif name in LISTS:
            inner = self.kind(parts[0])
            yield f"many of {inner[7:]}" if inner.startswith("one of") else "many str"
        elif name in {"dict", "Dict", "Mapping"}:
            yield "dict"
        else:  # Annotated, SkipValidation
            yield from self.hints(parts[0])

    def _literals(self, part: ast.expr) -> Iterator[object]:
        if isinstance(part, ast.Constant):
            yield part.value
        elif isinstance(part, ast.Name) and part.id in self.names:
            for hint in self.hints(self.names[part.id]):
                yield from hint if isinstance(hint, list) else []


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, those under a condition too."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            yield from _top(node.body)
            yield from _top(node.orelse)


def switched(name: str, kind: str) -> Options:
    """Yield an option, and for a switch of Boolean options its opposite."""
    yield name, kind
    if kind == "nothing" and name.startswith("--"):
        yield f"--no-{name[2:]}", "nothing"


def named(names: Iterable[str], kind: str) -> Options:
    """Yield the first long name with its kind, the others as its other names."""
    listed = list(names)
    first = next((n for n in listed if n.startswith("--")), listed[0] if listed else "")
    for name in listed:
        yield (name, kind) if name == first else (name, f"= {first}")


def called(path: Path, *functions: str) -> Iterator[tuple[ast.Call, ast.FunctionDef | None]]:
    """Yield the calls of functions in a file, with the function that they stand in."""
    tree = ast.parse(path.read_text("utf-8"))
    inside: dict[ast.AST, ast.FunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            inside |= dict.fromkeys(ast.walk(node), node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if name in functions:
                yield node, inside.get(node)


def of_call(call: ast.Call, types: Mapping[str, ast.expr]) -> str:
    """Say what an option takes by the words of its registration; ``types`` resolves names."""
    given = {one.arg: one.value for one in call.keywords if one.arg}
    action = ast.unparse(given["action"]) if "action" in given else ""
    if action.endswith("BooleanOptionalAction") or "store_" in action or "count" in action:
        return "nothing"
    if "help" in action or "version" in action:
        return "nothing"
    if "is_flag" in given and ast.unparse(given["is_flag"]) == "True":
        return "nothing"
    kind = _of_type(given)
    choices = _choices(given, types)
    many = ast.unparse(given["nargs"]) if "nargs" in given else ""
    if many in {"'?'", '"?"'}:
        return "maybe str"
    if many:
        return f"many of {'|'.join(choices)}" if choices else "many str"
    return f"one of {'|'.join(choices)}" if choices else kind


def _of_type(given: Mapping[str, ast.expr]) -> str:
    kind = ast.unparse(given["type"]) if "type" in given else "str"
    if kind == "bool":
        return "str"
    return {**SCALARS, **HUMAN}.get(kind, "json" if "json" in kind else "str")


def _choices(given: Mapping[str, ast.expr], types: Mapping[str, ast.expr]) -> list[str]:
    node = given.get("choices", given.get("type"))
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Choice"):
        node = node.args[0]
    if isinstance(node, ast.Name):
        node = types.get(node.id)
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        return []
    found = [one.value for one in node.elts if isinstance(one, ast.Constant)]
    return [str(one) for one in found] if len(found) == len(node.elts) else []
