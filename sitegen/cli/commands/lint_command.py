"""``sitegen lint-command``: what cannot work in commands and configurations."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from sitegen.cli.commands.check_command import format_option, print_problems, status_of
from sitegen.cli.session import Session, pass_session

if TYPE_CHECKING:
    from sitegen.catalog.text.source_text import SourceText
    from sitegen.lint.facts import Facts
    from sitegen.lint.files import Linted

EPILOG = """\b
Examples:
  sitegen lint-command README.md --combo 4-nodes-2x-rtx-4090-ray-serve
  sitegen lint-command docs/ --format sarif > findings.sarif
  sitegen lint-command --command 'vllm serve Qwen/Qwen3-32B -tp 3' --combo 3x-rtx-4090
  sitegen recipe qwen3-32b 2x-rtx-4090 --runtime vllm | sitegen lint-command -
"""


@click.command("lint-command", epilog=EPILOG)
@click.argument("places", nargs=-1, metavar="[FILE|FOLDER|-]...")
@click.option("--command", "typed", multiple=True, metavar="TEXT", help="A command itself.")
@click.option("--combo", default="", metavar="ID", help="The hardware that all of it is for.")
@format_option("findings")
@pass_session
def command(
    session: Session, /, places: tuple[str, ...], typed: tuple[str, ...], combo: str, form: str
) -> int:
    """Find what cannot work in commands, scripts, pages and configurations.

    Reads shell, Markdown, HTML, YAML (Ray Serve, docker compose, Kubernetes), JSON (Infernet) and
    Python. Hardware is taken from the text nearest to a command; --combo says it for all of it.
    """
    from sitegen.cli.lint_files import sources_of
    from sitegen.lint.files import lint

    if not places and not typed:
        raise click.UsageError("name a file, a folder, - for standard input, or give --command")
    sources, problems = sources_of(places, typed)
    facts = facts_of(session, combo)
    found = {source.path: lint(source, facts, kind) for source, kind in sources}
    if _may_ask(found.values(), combo):
        asked = click.prompt("Which combo is it for (empty for none)", default="", err=True)
        if asked:
            facts = facts_of(session, asked)
            found = {source.path: lint(source, facts, kind) for source, kind in sources}
    problems += tuple(sorted(one for each in found.values() for one in each.problems))
    print_problems(problems, form)
    _say(session, sources, tuple(found.values()))
    session.summarize(len(sources), problems)
    return status_of(problems)


def facts_of(session: Session, combo: str) -> Facts:
    """Read the catalog and the tables of options.

    Raises:
        click.UsageError: If no combo has the id.
        ProblemsFound: If the catalog is broken.
    """
    from sitegen.catalog.load import parse_catalog
    from sitegen.cli.lint_files import option_tables
    from sitegen.cli.questions.choose import record
    from sitegen.fit.fit_engine import FitEngine
    from sitegen.inputs import read_project
    from sitegen.lint.facts import Facts

    catalog = parse_catalog(read_project(session.root).catalog)
    asked = record("--combo", "combo", combo, catalog.combos) if combo else None
    return Facts(FitEngine(catalog), option_tables(), asked)


def _may_ask(found: Iterable[Linted], combo: str) -> bool:
    """Whether somebody is there to say which hardware is meant, and it would help."""
    attended = sys.stdin.isatty() and sys.stderr.isatty()
    return attended and not combo and any(one.without_hardware for one in found)


def _say(
    session: Session, sources: tuple[tuple[SourceText, str], ...], found: tuple[Linted, ...]
) -> None:
    launches = sum(one.launches for one in found)
    unnamed = sum(one.without_hardware for one in found)
    if unnamed:
        session.note(
            f"{unnamed} of {launches} commands name no hardware: whether they fit was not asked "
            "(--combo ID says what they are for)"
        )
    if not sources:
        session.note("no file that is looked at")
