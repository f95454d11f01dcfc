"""The page about the linter: its codes are those of the rules."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sitegen.lint.rules.text import MESSAGES
from tests.lint.mutants import mutants

ROOT = Path(__file__).parents[2]
RULES = ROOT / "sitegen" / "lint" / "rules"


def reported() -> set[str]:
    """Every code that a rule gives to a finding."""
    codes = {code for code, _, _ in MESSAGES.values()}
    for path in RULES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and len(node.args) > 1:
                name, code = ast.unparse(node.func), node.args[1]
                if name in {"finding", "warning", "say"} and isinstance(code, ast.Constant):
                    codes.add(str(code.value))
    return codes


def test_every_code_is_on_the_page_and_no_other() -> None:
    page = (ROOT / "docs" / "linter.md").read_text("utf-8")
    table = page.partition("## Codes")[2]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == reported()


def test_every_code_has_a_mutant() -> None:
    assert reported() == {mutant.code for mutant in mutants()} - {"unseen"}
