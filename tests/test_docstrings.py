"""Docstrings say what the code has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_a_docstring_names_attributes_that_its_class_has() -> None:
    others = [
        f"{path.relative_to(ROOT).as_posix()}: {node.name}.{name}"
        for path in sorted((ROOT / "sitegen").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
        for name in _said(node) - _had(node)
    ]
    assert others == []


def _said(node: ast.ClassDef) -> set[str]:
    text = (ast.get_docstring(node) or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^ {4}(\w+): ", text, re.MULTILINE))


def _had(node: ast.ClassDef) -> set[str]:
    """Fields, methods, and what a method sets."""
    names = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    names |= {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    fields = (one.target for one in node.body if isinstance(one, ast.AnnAssign))
    return names | {one.id for one in fields if isinstance(one, ast.Name)}
