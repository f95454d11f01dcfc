"""The adverb of a verdict is written in one place of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from sitegen.site.words import tiers

SITEGEN = Path(tiers.__file__).parents[2]
PLACES = ("site", "render", "browser", "cli")


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of a module that are not docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    said = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_what_a_good_fit_is_called_is_said_once() -> None:
    paths = [path for place in PLACES for path in sorted((SITEGEN / place).rglob("*.py"))]
    assert len(paths) > 200
    found = {
        path.relative_to(SITEGEN).as_posix(): text
        for path in paths
        for text in sentences(path)
        if tiers.COMFORTABLY in text
    }
    assert list(found) == ["site/words/tiers.py"]
