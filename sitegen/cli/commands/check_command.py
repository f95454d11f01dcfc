"""``sitegen check``: every problem of the catalog and the texts, and nothing written."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sitegen.cli.exits import CLEAN, PROBLEMS
from sitegen.cli.session import CliSession, pass_session
from sitegen.cli.text.problem_formats import FORMATS
from sitegen.cli.time_limit import ended_after, time_limit_option
from sitegen.pipeline.garbage import collector_paused
from sitegen.problems import Problem, ProblemsFound, Severity, did_you_mean

if TYPE_CHECKING:
    from sitegen.catalog.authored import CatalogRecords
    from sitegen.catalog.domain.catalog import Catalog
    from sitegen.inputs import ProjectFiles
    from sitegen.pipeline.building import BuildResult
    from sitegen.pipeline.sources import BrokenSources

ASKED = ".sitegen-asked.json"
"""Beside ``catalog/``: which addresses answered, and when."""
EPILOG = """\b
Examples:
  sitegen check --format json | jq '.problems[].code'
  sitegen check --fix catalog/gpus/rtx-4090.yaml
  sitegen check --explain unknown-gpu
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
@click.option("--pages", is_flag=True, help="Also render every page in memory and check its links.")
@click.option("--online", is_flag=True, help="Also check whether external addresses still respond.")
@click.option(
    "--allow",
    multiple=True,
    metavar="'ADDRESS DATE REASON'",
    help="With --online, skip addresses with this prefix until that date.",
)
@click.option("--fix", is_flag=True, help="First fix the problems that sitegen can fix, in place.")
@click.option("--select", multiple=True, metavar="CODES", help="Report these codes only.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these codes out.")
@click.option(
    "--explain", metavar="CODE", help="Explain what a code means and how to fix the problem."
)
@click.option(
    "--today",
    metavar="DATE",
    default="",
    help="Refuse sources read after this ISO date. Default: today.",
)
@time_limit_option()
@pass_session
def command(
    session: CliSession,
    /,
    *,
    names: tuple[str, ...],
    form: str,
    fix: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    explain: str | None,
    online: bool,
    allow: tuple[str, ...],
    **how: Any,
) -> int:
    """Check the catalog and the texts, and report all problems at once.

    Only a check with --pages finds a link to a heading, or to a page of no record and no guide,
    that is not there, and a table in a guide that comes out empty.

    With FILE, check only these files. This is quick, because it skips the rules that compare a
    record with other records or with the date; a check without FILE runs them.

    To excuse a problem, add a comment to its line: # sitegen: ignore[code] the reason.
    """
    if explain is not None:
        return explained(explain)
    wanted = _wanted(select, ignore) if select or ignore else None
    paths = frozenset(_below(session, name) for name in names)
    if fix:
        paths = _mended(session, paths)
    files, problems = _found(session, paths, **how)
    if online:
        problems = tuple(sorted({*problems, *_online(session, allow)}))
    if paths:
        problems = tuple(problem for problem in problems if problem.span.path in paths)
    if wanted is not None:
        problems = tuple(problem for problem in problems if wanted(problem.code))
    print_problems(problems, form)
    session.name_version()
    session.summarize(files, problems)
    return status_of(problems)


def _found(
    session: CliSession, paths: frozenset[str], *, pages: bool, today: str, time_limit: int
) -> tuple[int, tuple[Problem, ...]]:
    """Return how many files were read, and their problems."""
    with ended_after(time_limit):
        alone = _alone(session.root, paths) if not pages and not today else None
        if alone is not None:
            return len(paths), alone
        return _problems(session, pages=pages, today=today)


def _online(session: CliSession, allow: tuple[str, ...]) -> tuple[Problem, ...]:
    """Ask the addresses of sources and texts, and remember which answered."""
    from sitegen.cli.calendar_day import day_of_clock
    from sitegen.cli.online import PAUSE_S, Asking, allowed_from, problems_online, remembered_in
    from sitegen.inputs import UnreadFiles

    try:
        allowed = allowed_from(allow)
    except ValueError as error:
        raise click.UsageError(f"--allow: {error}") from error
    try:
        project = session.read()
    except UnreadFiles as unread:
        project = unread.project
    file = session.root / ASKED
    remembered = remembered_in(file)
    texts = {**project.catalog, **project.content}
    try:
        return problems_online(texts, Asking(day_of_clock(()), allowed, remembered, PAUSE_S))
    finally:
        file.write_text(json.dumps(remembered, indent=0, sort_keys=True), encoding="utf-8")


def explained(code: str) -> int:
    """Print what a code means.

    Raises:
        click.UsageError: If there is no such code.
    """
    known = known_codes()
    if code not in known:
        raise click.UsageError(f"--explain: {_no_code(code, known)}")
    sys.stdout.write(known[code])
    return CLEAN


def known_codes() -> Mapping[str, str]:
    """Return what each code means, as the documentation says it."""
    from sitegen.cli.shares import shared
    from sitegen.cli.text.explanations import explanations

    return explanations(shared("docs/problems.md"), shared("docs/linter.md"))


def _no_code(code: str, known: Iterable[str]) -> str:
    hint = did_you_mean(code, known)
    return f"no problem has the code {code!r}" + (f"; {hint}" if hint else "")


def _wanted(select: tuple[str, ...], ignore: tuple[str, ...]) -> Callable[[str], bool]:
    """Return which codes are reported.

    Raises:
        click.UsageError: If a code is none.
    """
    known = known_codes()
    chosen, left_out = (
        {code.strip() for words in option for code in words.split(",")}
        for option in (select, ignore)
    )
    for option, codes in (("--select", chosen), ("--ignore", left_out)):
        for code in sorted(codes - known.keys()):
            raise click.UsageError(f"{option}: {_no_code(code, known)}")
    return lambda code: (not chosen or code in chosen) and code not in left_out


def _mended(session: CliSession, paths: frozenset[str]) -> frozenset[str]:
    """Mend files in place, say which, and return the paths by which they are now called."""
    from sitegen.cli.mending import mend_files

    moved = {}
    for before, after in mend_files(session.root, paths):
        session.note(f"mended {before}" + (f", now {after}" if after != before else ""))
        moved[before] = after
    return frozenset(moved.get(path, path) for path in paths)


def _below(session: CliSession, name: str) -> str:
    path, root, private = Path(normpath(Path(name).absolute())), session.root, session.private
    if private is not None and path.is_file() and path.resolve().is_relative_to(private.resolve()):
        return f"{session.folder}/{path.resolve().relative_to(private.resolve()).as_posix()}"
    if not path.is_file():
        path = Path(normpath(root / name))  # as problems are printed
    if not path.is_file() or not path.is_relative_to(root):
        raise click.UsageError(f"{name}: no such file in {root}")
    return path.relative_to(root).as_posix()


def _alone(root: Path, paths: frozenset[str]) -> tuple[Problem, ...] | None:
    """Read catalog files by themselves, where that is all that was asked and says enough."""
    if not paths or not all(path.startswith("catalog/") for path in paths):
        return None
    with collector_paused():  # the collector would look at every class that is imported here
        from sitegen.catalog.files_alone import problems_of_files
        from sitegen.inputs import read_beside_names

        try:
            found = problems_of_files(read_beside_names(root, sorted(paths)), paths)
        except ProblemsFound as refused:
            return refused.problems
    return None if found is None else tuple(sorted(set(found)))


def _problems(session: CliSession, *, pages: bool, today: str) -> tuple[int, tuple[Problem, ...]]:
    from sitegen.inputs import UnreadFiles
    from sitegen.pipeline.sources import BrokenSources, Parsed, broken_beside, parse

    files, day = 0, ""
    made: BuildResult | Parsed
    try:
        project = session.read()
        files = len(project.catalog) + len(project.content)
        day = _day(session, project.catalog, today)
        with collector_paused():
            made = _with_pages(session, project, day) if pages else parse(project, today=day)
        found = _of_engine(made.records, made.catalog, project.content)
    except UnreadFiles as unread:
        count = len(unread.project.catalog) + len(unread.project.content) + len(unread.problems)
        day = _day(session, unread.project.catalog, today)
        broken = broken_beside(unread, today=day)
        return count, _with_engine(session, broken, unread.project.content)
    except BrokenSources as broken:
        return files, _with_engine(session, broken, project.content)
    except ProblemsFound as refused:
        return files or len({problem.span.path for problem in refused.problems}), refused.problems
    return files, tuple(sorted({*made.warnings, *found}))


def _with_engine(
    session: CliSession, broken: BrokenSources, content: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Add to the problems of sources what the engine finds in the sound part of them."""
    from sitegen.catalog.load import sound_catalog

    catalog, whole = sound_catalog(broken.records, broken.problems)
    if not whole:
        session.note("commands in texts are not checked while the catalog has errors")
    if catalog is None:
        return broken.problems
    found = _of_engine(broken.records, catalog, content if whole else {}, whole=whole)
    return tuple(sorted({*broken.problems, *found}))


def _of_engine(
    records: CatalogRecords, catalog: Catalog, content: Mapping[str, str], *, whole: bool = True
) -> tuple[Problem, ...]:
    """Return what only the engine finds: runs above a bound, and commands that fail."""
    from sitegen.pipeline import beyond_bounds

    with collector_paused():
        above = beyond_bounds.check(records, catalog, whole=whole)
        return (*above, *_of_commands(content, catalog))


def _day(session: CliSession, catalog: Mapping[str, str], today: str) -> str:
    """Return the day after which no source can have been read; nothing where no clock says it.

    Raises:
        click.UsageError: If what was typed is no day.
    """
    from sitegen.cli.calendar_day import day_of_clock, is_day

    if today:
        if not is_day(today):
            raise click.UsageError(f"--today: {today!r} is not an ISO date such as 2026-11-23")
        return today
    day = day_of_clock(catalog.values())
    if not day:
        session.note("warning: most sources were read after today; check this machine's clock")
    return day


def _with_pages(session: CliSession, project: ProjectFiles, today: str) -> BuildResult:
    """Make every page in memory, with the inputs that only pages need."""
    from sitegen.cli.progress import progress
    from sitegen.pipeline.building import build

    with progress(quiet=session.quiet) as told:
        return build(project, today=today, told=told)


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
    if text:  # where nothing is said, nothing is lost on a full disk
        sys.stdout.write(text)
        sys.stdout.flush()


def status_of(problems: tuple[Problem, ...]) -> int:
    """Errors are problems, warnings alone are not."""
    broken = any(problem.severity is Severity.ERROR for problem in problems)
    return PROBLEMS if broken else CLEAN
