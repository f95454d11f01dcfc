"""``sitegen check``: every problem of the catalog and the texts, and nothing written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from sitegen.cli.exits import CLEAN, PROBLEMS
from sitegen.cli.garbage import collector_paused
from sitegen.cli.session import CliSession, pass_session
from sitegen.cli.text.problem_formats import FORMATS
from sitegen.cli.time_limit import ended_after, time_limit_option
from sitegen.problems import Problem, ProblemsFound, Severity

if TYPE_CHECKING:
    from sitegen.catalog.domain.catalog import Catalog
    from sitegen.inputs import ProjectFiles
    from sitegen.pipeline.building import BuildResult

EPILOG = """\b
Examples:
  sitegen check --format json | jq '.problems[].code'
  sitegen check catalog/gpus/rtx-4090.yaml
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
@click.argument("names", nargs=-1, metavar="[FILE]...")
@format_option("problems")
@click.option("--pages", is_flag=True, help="Also make every page in memory and check its links.")
@click.option(
    "--today", metavar="DATE", default="", help="Refuse sources read after this ISO date."
)
@time_limit_option()
@pass_session
def command(
    session: CliSession,
    *,
    names: tuple[str, ...],
    form: str,
    pages: bool,
    today: str,
    time_limit: int,
) -> int:
    """Check the catalog and the texts; report all problems at once and write nothing.

    With FILE only what is wrong with these files. A record is then read alone, in a moment: rules
    that compare it with other records wait for a check of everything.
    """
    paths = frozenset(_below(session, name) for name in names)
    with ended_after(time_limit):
        alone = _alone(session.root, paths) if not pages and not today else None
        if alone is not None:
            files, problems = len(paths), alone
        else:
            files, problems = _problems(session, pages=pages, today=today)
    if paths:
        problems = tuple(problem for problem in problems if problem.span.path in paths)
    print_problems(problems, form)
    session.summarize(files, problems)
    return status_of(problems)


def _below(session: CliSession, name: str) -> str:
    path, root, private = Path(name).absolute(), session.root, session.private
    if private is not None and path.is_file() and path.resolve().is_relative_to(private.resolve()):
        return f"{session.folder}/{path.resolve().relative_to(private.resolve()).as_posix()}"
    if not path.is_file() or not path.is_relative_to(root):
        raise click.UsageError(f"{name}: there is no such file in {root}")
    return path.relative_to(root).as_posix()


def _alone(root: Path, paths: frozenset[str]) -> tuple[Problem, ...] | None:
    """Read catalog files by themselves, where that is all that was asked and says enough."""
    if not paths or not all(path.startswith("catalog/") for path in paths):
        return None
    with collector_paused():  # the collector would look at every class that is imported here
        from sitegen.catalog.one_record import problems_of_files
        from sitegen.inputs import read_beside_names

        try:
            found = problems_of_files(read_beside_names(root, sorted(paths)), paths)
        except ProblemsFound as refused:
            return refused.problems
    return None if found is None else tuple(sorted(set(found)))


def _problems(session: CliSession, *, pages: bool, today: str) -> tuple[int, tuple[Problem, ...]]:
    from sitegen.pipeline.sources import Parsed, parse

    files = 0
    made: BuildResult | Parsed
    try:
        project = session.read()
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
    from sitegen.lint.facts import LintContext
    from sitegen.lint.files import lint
    from sitegen.lint.options import option_tables

    texts = {path: text for path, text in content.items() if path.endswith(".md")}
    if any("```" in text for text in texts.values()):
        facts = LintContext(FitEngine(catalog), option_tables())
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
