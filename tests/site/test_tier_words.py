"""The words of a verdict are written in one place of the program; templates and scripts read it."""

from __future__ import annotations

import ast
import re
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


TEMPLATES = SITEGEN.parent / "templates"
IN_A_SENTENCE = re.compile(
    r"\b(?:is|are|or|of|ends:|than) (?:comfortable|borderline|not practical)\b"
)


def test_templates_and_scripts_read_the_words() -> None:
    paths = sorted(path for kind in ("*.html", "*.js") for path in TEMPLATES.rglob(kind))
    assert len(paths) > 40
    texts = {path.relative_to(TEMPLATES).as_posix(): path.read_text("utf-8") for path in paths}
    # ``comfortably`` is the name under which they read the word, so that a sentence has it alone.
    asked = re.compile(r"\$\{comfortably\}|\{\{ comfortably \}\}|data-comfortably|, comfortably \}")
    said = [
        name
        for name, text in texts.items()
        if tiers.COMFORTABLY in asked.sub("", text) or IN_A_SENTENCE.search(text)
    ]
    assert said == []
