"""Functions that a reader holds in mind: short, and not deep."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST_LINES = 60
DEEPEST = 5
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)


def depth(node: ast.AST) -> int:
    """Count blocks inside one another; an ``elif`` stands beside its ``if``."""
    found = 0
    for child in ast.iter_child_nodes(node):
        beside = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        found = max(found, depth(child) + (isinstance(child, BLOCKS) and not beside))
    return found


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in sorted((ROOT / "sitegen").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT).as_posix()}:{node.name}", node


def test_no_function_is_long_or_deep() -> None:
    every = list(functions())
    assert len(every) > 3_000
    long = [name for name, one in every if _lines(one) > LONGEST_LINES]
    deep = [name for name, one in every if depth(one) > DEEPEST]
    assert (long, deep) == ([], [])


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def test_blocks_are_counted_where_they_stand_inside_one_another() -> None:
    text = "if a:\n for b in c:\n  with d: pass\nelif e:\n pass\n"
    assert depth(ast.parse(text)) == 3
