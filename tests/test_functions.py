"""Functions that a reader holds in mind: short, and not deep."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST_LINES = 60
DEEPEST = 5
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements right inside one, or inside a handler or case; expressions have none."""
    for part in ("body", "handlers", "cases", "orelse", "finalbody"):
        inside = getattr(node, part, ())
        if isinstance(inside, list):
            yield from inside


def depth(node: ast.AST) -> int:
    """Count blocks inside one another; an ``elif`` stands beside its ``if``."""
    found = 0
    for child in statements(node):
        beside = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        found = max(found, depth(child) + (isinstance(child, BLOCKS) and not beside))
    return found


def functions_in(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in statements(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        yield from functions_in(child)


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in sorted((ROOT / "sitegen").rglob("*.py")):
        for node in functions_in(ast.parse(path.read_text("utf-8"))):
            yield f"{path.relative_to(ROOT).as_posix()}:{node.name}", node


def test_no_function_is_long_or_deep() -> None:
    every = list(functions())
    assert len(every) > 3_000
    long = [name for name, one in every if _lines(one) > LONGEST_LINES]
    deep = [name for name, one in every if depth(one) > DEEPEST]
    assert (long, deep) == ([], [])


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def test_functions_are_found_in_every_kind_of_block() -> None:
    inner = "  def {}(): pass\n"
    text = "".join(
        head + inner.format(name)
        for head, name in (
            ("class A:\n", "a"), ("async def o():\n", "b"), ("if x:\n", "c"), ("else:\n", "d"),
            ("try:\n", "e"), ("except E:\n", "f"), ("else:\n", "g"), ("finally:\n", "h"),
            ("for x in y:\n", "i"), ("while x:\n", "j"), ("with x:\n", "k"),
            ("match x:\n case y:\n", "l"),
        )
    )  # fmt: skip
    assert [one.name for one in functions_in(ast.parse(text))] == [*"a", "o", *"bcdefghijkl"]


def test_blocks_are_counted_where_they_stand_inside_one_another() -> None:
    text = "if a:\n for b in c:\n  with d: pass\nelif e:\n pass\n"
    assert depth(ast.parse(text)) == 3
