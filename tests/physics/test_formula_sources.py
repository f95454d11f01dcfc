"""A formula restates what some program or paper does: its docstring says which."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping

import pytest

from tests.physics.test_physics_translation import PHYSICS

NUMBERS = frozenset({"int", "float", "Bounds", "Sizes"})
AROUND = frozenset({"tuple", "list", "None"})
ROUNDING = frozenset({"ceil_div", "pad", "min", "max", "sum"})
RESTATES_NOTHING: Mapping[str, str] = {
    "cache_kinds.FullAttention.prompt_width": "adds two widths",
    "cache_kinds.SlidingAttention.prompt_width": "adds two widths",
    "cache_kinds.SlidingAttention.read_tokens": "is what a window means",
    "cache_kinds.SlidingAttention.prompt_reach": "is what a window means",
    "model_shape.LatentWidths.attended": "adds widths",
    "model_shape.ModelShape.kind_counts": "counts layers",
    "traffic.cache_read_bytes": "adds kinds of layers, whose formula has a source",
    "block_layout.BlockLayout.state_bytes": "adds the rows' bytes",
    "block_layout.BlockLayout.longest_context": "halves an interval of another formula",
    "block_layout.BlockLayout.sequences": "divides a pool by a request",
    "paged_profile.FixedBytes.total": "adds the lines of a ledger",
}
"""Arithmetic that nobody's program decided, each with what it does instead."""


def is_numeric(function: ast.FunctionDef) -> bool:
    """Whether it returns a number, or several."""
    if function.returns is None:
        return False
    words = {node.id for node in ast.walk(function.returns) if isinstance(node, ast.Name)}
    return bool(words & NUMBERS) and words <= NUMBERS | AROUND


def computes(function: ast.FunctionDef) -> bool:
    """Whether its body has arithmetic."""
    return any(
        isinstance(node, ast.BinOp | ast.AugAssign)
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ROUNDING
        )
        for statement in function.body
        for node in ast.walk(statement)
    )


def unsourced(name: str, source: str) -> Iterator[str]:
    """Public formulas of a module that neither themselves nor what they stand in has a source."""
    tree = ast.parse(source)
    if cites(tree):
        return
    for node in tree.body:
        held: list[tuple[str, ast.stmt]] = [(name, node)]
        if isinstance(node, ast.ClassDef):
            held = [] if cites(node) else [(f"{name}.{node.name}", one) for one in node.body]
        for place, function in held:
            if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
                continue
            if is_numeric(function) and computes(function) and not cites(function):
                yield f"{place}.{function.name}"


def cites(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> bool:
    """Whether a docstring names a source."""
    return "Source:\n" in (ast.get_docstring(node) or "")


def test_every_formula_names_its_source() -> None:
    found = {
        formula
        for module in PHYSICS
        for formula in unsourced(module.__name__.rpartition(".")[2], inspect.getsource(module))
    }
    assert sorted(found - RESTATES_NOTHING.keys()) == []
    assert sorted(RESTATES_NOTHING.keys() - found) == []


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        ("def f(a: int) -> int:\n    return a + 1", ["m.f"]),
        ("def f(a: int) -> Bounds:\n    return (a, a, 2 * a)", ["m.f"]),
        ("def f(a: int) -> tuple[int, int]:\n    return pad(a, 2), a", ["m.f"]),
        ("class C:\n    def f(self) -> float:\n        total = 0.0\n        total += 1\n"
         "        return total", ["m.C.f"]),
        ("def f(a: int) -> int:\n    '''Add.\n\n    Source:\n        A paper.\n    '''\n"
         "    return a + 1", []),
        ("class C:\n    '''C.\n\n    Source:\n        A paper.\n    '''\n"
         "    def f(self) -> int:\n        return 1 + 1", []),
        ("'''M.\n\nSource:\n    A paper.\n'''\ndef f(a: int) -> int:\n    return a + 1", []),
        ("def f(a: int) -> int:\n    return a", []),
        ("def _f(a: int) -> int:\n    return a + 1", []),
        ("def f(a: str) -> str:\n    return a + 'b'", []),
    ],
)  # fmt: skip
def test_what_counts_as_a_formula_without_a_source(source: str, refused: list[str]) -> None:
    assert list(unsourced("m", source)) == refused
