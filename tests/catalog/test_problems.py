"""Every problem of the catalog: found where it is, alone, and documented as it is printed.

``python -m tests.catalog.test_problems`` writes the examples anew after a wording has changed; read
the difference before you commit it.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from sitegen.catalog.files_alone import problems_of_files
from sitegen.catalog.load import parse_catalog
from sitegen.problems import Problem, ProblemsFound
from tests.catalog.problem_cases import CASES, Case
from tests.catalog.sample import SAMPLE, changed

ROOT = Path(__file__).parents[2]
TODAY = "2026-11-20"
COMPANIONS = {"more-problems": {"unknown-key"}}
"""Codes that only ever stand beside another."""

DOCUMENT = (ROOT / "docs/problems.md").read_text()
DOCUMENTED = dict(
    re.findall(r"^### `([a-z0-9-]+)`\n(.*?)(?=^##|\Z)", DOCUMENT, flags=re.MULTILINE | re.DOTALL)
)
CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
REPORTERS = {"Finding", "Problem", "Reference", "problem", "problem_at", "report", "_problem"}


@cache
def problems_of(case: Case) -> tuple[Problem, ...]:
    """Make a case's mistake and read the catalog."""
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(changed(case.path, case.old, case.new), today=TODAY)
    return found.value.problems


def example(code: str) -> Problem:
    """Return the problem of the first case of a code."""
    case = next(case for case in CASES if case.code == code)
    return next(problem for problem in problems_of(case) if problem.code == code)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.new[:20]!r}")
def test_a_mistake_is_the_only_one_reported_and_points_into_the_text(case: Case) -> None:
    problems = problems_of(case)
    expected = {case.code} | COMPANIONS.get(case.code, set())
    assert {problem.code for problem in problems} == expected, "\n".join(map(str, problems))
    files = changed(case.path, case.old, case.new)
    for problem in problems:
        lines = files.get(problem.span.path, "").split("\n")
        assert 1 <= problem.span.line <= max(1, len(lines))
        assert 1 <= problem.span.column <= len(lines[problem.span.line - 1]) + 1
        assert str(problem).replace("\n", "").isprintable()
        assert not problem.message.endswith(".")
        assert len(problem.message) < 250


def test_a_file_alone_shows_nothing_that_the_whole_catalog_does_not_show() -> None:
    for case in CASES:
        files = changed(case.path, case.old, case.new)
        alone = problems_of_files(files, {case.path}) if case.path in files else None
        assert {*(alone or ())} <= {*problems_of(case)}, case
    for path in SAMPLE:
        assert not problems_of_files(SAMPLE, {path}), path


def test_the_sample_has_no_problem() -> None:
    assert len(parse_catalog(SAMPLE, today=TODAY).gpus) == 3


def test_the_documentation_shows_each_problem_as_it_is_printed() -> None:
    for code in sorted({case.code for case in CASES}):
        assert f"```text\n{example(code)}\n```" in DOCUMENTED[code], code


def test_every_code_in_the_source_is_documented_and_no_other() -> None:
    assert codes_in_source() == set(DOCUMENTED)


def codes_in_source() -> set[str]:
    """Return every code that a call in sitegen gives to a problem."""
    codes: set[str] = set()
    for path in (ROOT / "sitegen").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _name(node.func) in REPORTERS:
                keywords = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
                literals = [
                    argument.value
                    for argument in (*node.args[:2], *keywords)
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                ]
                codes.update(text for text in literals[:1] if CODE.fullmatch(text))
    return codes


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _blessed(section: re.Match[str]) -> str:
    """Return a section of the documentation with the example that is printed today."""
    code = section[1]
    if code not in {case.code for case in CASES}:
        return section[0]
    heading, _, rest = section[0].partition("```text\n")
    return f"{heading}```text\n{example(code)}\n```{rest.partition('```')[2]}"


if __name__ == "__main__":
    sections = re.compile(r"^### `([a-z0-9-]+)`\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
    (ROOT / "docs/problems.md").write_text(sections.sub(_blessed, DOCUMENT))
