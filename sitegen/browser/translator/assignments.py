"""Which names a function's body assigns to, and what; whether it yields."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Walk statements without the functions inside them."""
    for node in nodes:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from own_nodes(ast.iter_child_nodes(node))


def yields(node: ast.FunctionDef) -> bool:
    """Whether a function is a generator."""
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in own_nodes(node.body))


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assignments(body: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield names with what is assigned to them, ``None`` where that is a part of something."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, None
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, COMPREHENSIONS):
            yield from _walrus(node)
            continue
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _bound(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            yield from _bound(node.target, node.value)
        elif isinstance(node, ast.For):
            whole = node.iter if isinstance(node.target, ast.Name) and _counts(node.iter) else None
            yield from _bound(node.target, ast.Constant(0) if whole is not None else None)
        yield from assignments(ast.iter_child_nodes(node))


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
