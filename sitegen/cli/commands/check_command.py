"""``sitegen check``: every problem of the catalog and the texts, and nothing written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from sitegen.cli.exits import CLEAN, PROBLEMS
from sitegen.cli.garbage import collector_paused
from sitegen.cli.session import Session, pass_session
from sitegen.cli.text.problem_formats import FORMATS
from sitegen.cli.time_limit import ended_after, time_limit_option
from sitegen.problems import Problem, ProblemsFound, Severity

if TYPE_CHECKING:
    from sitegen.catalog.domain.catalog import Catalog
    from sitegen.inputs import ProjectFiles
    from sitegen.pipeline.building import BuildResult

EPILOG = """\b
Example:
  sitegen check --format json | jq '.problems[].code'
"""


F = TypeVar("F", bound=Callable[..., object])


def format_option(what: str) -> Callable[[F], F]:
    """Return the option that says in which format a command lists what it finds."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(sorted(FORMATS)),
        default="full",
        show_default=True,
        help=f"How {what} are written to standard output.",
    )


@click.command("check", epilog=EPILOG)
@format_option("problems")
@click.option("--pages", is_flag=True, help="Also make every page in memory and check its links.")
@click.option(
    "--today", metavar="DATE", default="", help="Refuse sources read after this ISO date."
)
@time_limit_option()
@pass_session
def command(session: Session, form: str, pages: bool, today: str, time_limit: int) -> int:
    """Check the catalog and the texts; report all problems at once and write nothing."""
    with ended_after(time_limit):
        files, problems = _problems(session.root, pages=pages, today=today)
    print_problems(problems, form)
    session.summarize(files, problems)
    return status_of(problems)


def _problems(root: Path, *, pages: bool, today: str) -> tuple[int, tuple[Problem, ...]]:
    from sitegen.inputs import read_project
    from sitegen.pipeline.sources import Parsed, parse

    files = 0
    made: BuildResult | Parsed
    try:
        project = read_project(root)
        files = len(project.catalog) + len(project.content)
        with collector_paused():
            made = _with_pages(project, today) if pages else parse(project, today=today)
        commands = _of_commands(project.content, made.catalog)
    except ProblemsFound as found:
        return files or len({problem.span.path for problem in found.problems}), found.problems
    return files, tuple(sorted({*made.warnings, *commands}))


def _with_pages(project: ProjectFiles, today: str) -> BuildResult:
    """Make every page in memory, with what only that needs."""
    from sitegen.pipeline.building import build

    return build(project, today=today)


def _of_commands(content: Mapping[str, str], catalog: Catalog) -> Iterator[Problem]:
    """Yield what the linter has against commands in the texts."""
    from sitegen.catalog.text.source_text import SourceText
    from sitegen.fit.fit_engine import FitEngine
    from sitegen.lint.facts import Facts
    from sitegen.lint.files import lint
    from sitegen.lint.options import option_tables

    texts = {path: text for path, text in content.items() if path.endswith(".md")}
    if any("```" in text for text in texts.values()):
        facts = Facts(FitEngine(catalog), option_tables())
        for path, text in texts.items():
            yield from lint(SourceText(path, text.replace("\r\n", "\n")), facts).problems


def print_problems(problems: tuple[Problem, ...], form: str) -> None:
    """Write problems to standard output; nothing else goes there."""
    text = FORMATS[form](problems)
    sys.stdout.write(text)
    sys.stdout.flush()


def status_of(problems: tuple[Problem, ...]) -> int:
    """Errors are problems, warnings alone are not."""
    broken = any(problem.severity is Severity.ERROR for problem in problems)
    return PROBLEMS if broken else CLEAN
