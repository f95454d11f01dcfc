"""Which names a function's body assigns to, and what; whether it yields."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

WORDS = frozenset({"arg", "attr", "conversion", "ctx", "id", "kind", "op", "ops", "type_comment"})
"""Fields that hold words and signs, and nothing that a name could stand in."""


class InnerFields(dict[type, tuple[str, ...]]):
    """Fields of each kind of node that hold nodes, without some of these, found once."""

    def __init__(self, *without: str) -> None:
        super().__init__()
        self._without = WORDS.union(without)

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        """Find those of a kind."""
        names = () if issubclass(kind, ast.Constant) else kind._fields
        self[kind] = tuple(name for name in names if name not in self._without)
        return self[kind]


EVERY = InnerFields()


def inner_nodes(node: ast.AST, fields: InnerFields = EVERY) -> list[ast.AST]:
    """List the nodes right inside one, in their order, without operators and contexts."""
    found: list[ast.AST] = []
    for name in fields[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def all_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a node and all inside it, in no order."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += inner_nodes(one)


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Walk statements without the functions inside them, in no order."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += inner_nodes(node)


def yields(node: ast.FunctionDef) -> bool:
    """Whether a function is a generator."""
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in own_nodes(node.body))


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assignments(body: Iterable[ast.AST]) -> list[tuple[str, ast.expr | None]]:
    """List names with what is assigned to them, ``None`` where that is a part of something."""
    found: list[tuple[str, ast.expr | None]] = []
    waiting = list(body)[::-1]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name | ast.Constant | ast.Lambda):
            continue
        if isinstance(node, ast.FunctionDef):
            found.append((node.name, None))
            continue
        if isinstance(node, COMPREHENSIONS):
            found += _walrus(node)
            continue
        if isinstance(node, ast.Assign):
            for target in node.targets:
                found += _bound(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            found += _bound(node.target, node.value)
        elif isinstance(node, ast.For):
            whole = node.iter if isinstance(node.target, ast.Name) and _counts(node.iter) else None
            found += _bound(node.target, ast.Constant(0) if whole is not None else None)
        waiting += inner_nodes(node)[::-1]
    return found


def _walrus(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    for one in ast.walk(node):
        if isinstance(one, ast.NamedExpr):
            yield one.target.id, None


def _counts(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    )


def _bound(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            yield from _bound(one, None)
    elif isinstance(target, ast.Starred):
        yield from _bound(target.value, None)
