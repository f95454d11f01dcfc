"""``sitegen lint-command``: what cannot work in commands and configurations."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from sitegen.cli.commands.check_command import format_option, print_problems, status_of
from sitegen.cli.session import CliSession, pass_session

if TYPE_CHECKING:
    from sitegen.cli.lint_files import Sources
    from sitegen.lint.facts import LintContext
    from sitegen.lint.files import Linted

EPILOG = """\b
Examples:
  sitegen lint-command README.md --combo 4-nodes-2x-rtx-4090-ray-serve
  sitegen lint-command docs/ --format sarif > findings.sarif
  sitegen lint-command --command 'vllm serve Qwen/Qwen3-32B -tp 3' --combo 3x-rtx-4090
  sitegen recipe qwen3-32b 2x-rtx-4090 --runtime vllm | sitegen lint-command -
"""


AUTO = "auto"
"""In place of a combo: the smallest that runs each command."""
LONGEST_NAME = 80
"""Characters of a name that are printed."""
MOST_NAMED = 4


@click.command("lint-command", epilog=EPILOG)
@click.argument("places", nargs=-1, metavar="[FILE|FOLDER|-]...")
@click.option("--command", "typed", multiple=True, metavar="TEXT", help="Check this command.")
@click.option(
    "--combo",
    default="",
    metavar="ID|auto",
    help="The combo that the commands are for; auto names the smallest one for each.",
)
@format_option("findings")
@pass_session
def command(
    session: CliSession, /, places: tuple[str, ...], typed: tuple[str, ...], combo: str, form: str
) -> int:
    """Find mistakes in launch commands, scripts, pages and configurations.

    Reads shell, Markdown, HTML, YAML (Ray Serve, docker compose, Kubernetes, llama-swap, charts),
    JSON (Infernet) and Python. It takes the hardware from the text nearest to a command; --combo
    sets it for everything. The last lines say what it did not recognise.
    """
    from sitegen.cli.lint_files import sources_of
    from sitegen.lint.files import lint

    if not places and not typed:
        raise click.UsageError(
            "name a file or a folder, use - for standard input, or give --command"
        )
    sources, problems = sources_of(places, typed)
    facts = facts_of(session, combo)
    found = {one.path: lint(one, facts, kind, beside) for one, kind, beside in sources}
    if _may_ask(found.values(), combo):
        asked = click.prompt("Which combo is it for (empty for none)", default="", err=True)
        if asked:
            facts = facts_of(session, asked)
            found = {one.path: lint(one, facts, kind, beside) for one, kind, beside in sources}
    problems += tuple(sorted(one for each in found.values() for one in each.problems))
    print_problems(problems, form)
    _say(session, sources, tuple(found.values()))
    session.summarize(len(sources), problems)
    return status_of(problems)


def facts_of(session: CliSession, combo: str) -> LintContext:
    """Read the catalog and the tables of options.

    Raises:
        click.UsageError: If no combo has the id.
        ProblemsFound: If the catalog is broken.
    """
    from sitegen.catalog.load import parse_catalog
    from sitegen.cli.questions.choose import record
    from sitegen.cli.questions.projects import readable_root
    from sitegen.fit.fit_engine import FitEngine
    from sitegen.lint.facts import LintContext
    from sitegen.lint.options import option_tables

    catalog = parse_catalog(session.read(readable_root(session)).catalog)
    auto = combo == AUTO
    asked = record("--combo", "combo", combo, catalog.combos) if combo and not auto else None
    return LintContext(FitEngine(catalog), option_tables(), asked, auto)


def _may_ask(linteds: Iterable[Linted], combo: str) -> bool:
    """Whether somebody is there to say which hardware is meant, and it would help."""
    attended = sys.stdin.isatty() and sys.stderr.isatty()
    return attended and not combo and any(one.without_hardware for one in linteds)


def _say(session: CliSession, sources: Sources, linteds: tuple[Linted, ...]) -> None:
    launches = sum(one.launches for one in linteds)
    for each in (one for linted in linteds for one in linted.smallest):
        said = each.combo or "no combo in the catalog runs this command as written"
        session.note(f"{each.place}: {each.model}: {said}")
    unnamed = sum(one.without_hardware for one in linteds)
    if unnamed and not any(one.smallest for one in linteds):
        session.note(
            f"{unnamed} of {launches} commands name no hardware, so sitegen did not check whether "
            "they fit (--combo ID names the combo, --combo auto looks for the smallest)"
        )
    machines = sum(one.unknown_machines for one in linteds)
    if machines:
        session.note(f"{machines} of them name GPUs that sitegen did not recognise")
    models = [name for one in linteds for name in one.unknown_models]
    if models:
        session.note(
            f"{len(models)} of {launches} commands load a model that sitegen did not recognise "
            f"({_listed(models)}): it did not check whether they fit"
        )
    for read in dict.fromkeys(one for linted in linteds for one in linted.by_name):
        session.note(f"{read.place}: sitegen read {read.name} as {read.meant}, from its name alone")
    unnamed_models = sum(one.unnamed_models for one in linteds)
    if unnamed_models:
        session.note(
            f"{_calls(unnamed_models)} without a model that sitegen can read: it did not check "
            "whether one fits"
        )
    for why, places in _by_reason(linteds).items():
        session.note(
            f"sitegen did not check the memory of {_commands(len(places))} "
            f"({_listed(places)}): {why}"
        )
    versions = sum(one.other_versions for one in linteds)
    if versions:
        session.note(f"{_calls(versions)} for a version whose options sitegen does not know")
    unlisted = [said for one in linteds for said in one.unlisted]
    if unlisted:
        session.note(
            f"{_options(len(unlisted))} unknown: from a newer version, from a custom build, or "
            f"wrong ({_listed(unlisted)})"
        )
    guarded = [place for one in linteds for place in one.maybe_guarded]
    if guarded:
        session.note(
            f"{_servers(len(guarded))} on every address without a key ({_listed(guarded)}): "
            "check that a firewall, a proxy or a container keeps others out"
        )
    unread = [place for one in linteds for place in one.unread]
    if unread:
        session.note(
            f"{len(unread)} command{' starts' if len(unread) == 1 else 's start'} a model server "
            f"in a way that sitegen cannot read ({_listed(unread)})"
        )
    if not sources:
        session.note("no file that sitegen reads")


def _by_reason(linteds: Iterable[Linted]) -> dict[str, list[str]]:
    """List the commands whose memory was not checked by why."""
    found: dict[str, list[str]] = {}
    for one in (each for linted in linteds for each in linted.unweighed):
        found.setdefault(one.why, []).append(one.place)
    return found


def _commands(count: int) -> str:
    return "1 command" if count == 1 else f"{count} commands"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def _options(count: int) -> str:
    return "1 option is" if count == 1 else f"{count} options are"


def _servers(count: int) -> str:
    return "1 server listens" if count == 1 else f"{count} servers listen"


def _calls(count: int) -> str:
    return f"{count} command is" if count == 1 else f"{count} commands are"


def _listed(names: list[str]) -> str:
    """List the first of some names, each once, and of a long one its beginning."""
    different = [_short(name) for name in dict.fromkeys(names)]
    more = len(different) - MOST_NAMED
    return ", ".join(different[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
