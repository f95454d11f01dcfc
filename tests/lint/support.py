"""A text under the linter, with the real catalog."""

from __future__ import annotations

from functools import cache

from sitegen.catalog.text.source_text import SourceText
from sitegen.lint.facts import LintContext
from sitegen.lint.files import Linted, lint
from sitegen.lint.options import option_tables
from sitegen.problems import Problem
from tests.recipes.everything import engine
from tests.survey.whole_catalog import whole_catalog


@cache
def facts(combo: str = "") -> LintContext:
    """What the linter knows, with all of it for one combo or none."""
    if not combo:
        return LintContext(engine(), option_tables())
    known = facts()
    made = LintContext(engine(), known.tables, whole_catalog().combos[combo])
    # what the catalog alone says is the same for every combo
    made.hardware, made.repositories, made._designs = (
        known.hardware, known.repositories, known._designs,
    )  # fmt: skip
    return made


def linted(text: str, kind: str = "bash", combo: str = "", path: str = "a.txt") -> Linted:
    """Hold a text against every rule."""
    return lint(SourceText(path, text), facts(combo), kind)


def found(text: str, kind: str = "bash", combo: str = "") -> tuple[Problem, ...]:
    """List what is reported."""
    return linted(text, kind, combo).problems


def codes(text: str, kind: str = "bash", combo: str = "") -> list[str]:
    """List the codes of what is reported, in the order of the text."""
    return [problem.code for problem in found(text, kind, combo)]


def only(text: str, kind: str = "bash", combo: str = "") -> Problem:
    """Return the one thing that is reported."""
    problems = found(text, kind, combo)
    assert len(problems) == 1, "\n".join(map(str, problems))
    return problems[0]
