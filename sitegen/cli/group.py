"""The group of commands with its global options; no command is imported before it is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import sitegen
from sitegen.cli.session import CliSession
from sitegen.problems import did_you_mean

NO_CATALOG = frozenset({"diff"})
"""Commands that read no catalog."""


def catalog_option() -> click.Option:
    """Return the option that lays a private catalog over the project's.

    It may stand before the command or behind it. The help of the group explains it for all.
    """
    return click.Option(
        ["--catalog", "private"],
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Folder of private records, read beside those of the project; of every command.",
        callback=_laid_over,
        expose_value=False,
        hidden=True,
    )


def _laid_over(context: click.Context, _option: click.Parameter, folder: Path | None) -> None:
    session = context.find_object(CliSession)
    if folder is not None and session is not None:
        context.obj = replace(session, private=folder.absolute())


class LazyGroup(click.Group):
    """Knows name, module and one-line help of each command; the module has a ``command``."""

    def __init__(self, commands_by_name: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(**settings)
        self._known = commands_by_name

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name the commands in the order they are met in practice."""
        return list(self._known)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name not in self._known:
            hint = did_you_mean(cmd_name, self._known)
            ctx.fail(f"no command {cmd_name!r}" + (f"; {hint}" if hint else ""))
        command = import_module(self._known[cmd_name][0]).command
        if not isinstance(command, click.Command):
            return None
        if cmd_name not in NO_CATALOG and all(one.name != "private" for one in command.params):
            command.params.append(catalog_option())
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._known.items()])


COMMANDS = {
    "build": (
        "sitegen.cli.commands.build_command",
        "Build the site into public/, all of it or nothing.",
    ),
    "check": (
        "sitegen.cli.commands.check_command",
        "Check the catalog and the texts; write nothing.",
    ),
    "fit": (
        "sitegen.cli.commands.fit_command",
        "Say whether a model runs on some hardware, and how.",
    ),
    "here": (
        "sitegen.cli.commands.here_command",
        "Say what this machine is, for fit, recipe and others.",
    ),
    "import": (
        "sitegen.cli.commands.import_command",
        "Make a benchmark record of what a tool wrote.",
    ),
    "compare": (
        "sitegen.cli.commands.compare_command",
        "Put a start's log, or a benchmark, beside the prediction.",
    ),
    "import-hub": (
        "sitegen.cli.commands.import_hub_command",
        "Propose repositories that a listing has.",
    ),
    "bench-plan": (
        "sitegen.cli.commands.bench_plan_command",
        "Print what to measure on a combo, and how.",
    ),
    "recipe": ("sitegen.cli.commands.recipe_command", "Print the commands that run a model there."),
    "lint-command": (
        "sitegen.cli.commands.lint_command",
        "Find what cannot work in commands and pages.",
    ),
    "explain": (
        "sitegen.cli.commands.explain_command",
        "Show the sum behind a verdict, line by line.",
    ),
    "serve": (
        "sitegen.cli.commands.serve_command",
        "Serve the site to this machine while you edit.",
    ),
    "diff": (
        "sitegen.cli.commands.diff_command",
        "Say which verdicts move between two built sites.",
    ),
    "new": (
        "sitegen.cli.commands.new_command",
        "Write a minimal valid catalog file to start from.",
    ),
}
EPILOG = """\b
Exit status:
  0    clean (a verdict of "not practical" is clean too)
  1    problems found in the catalog, the texts or the pages
  2    wrong usage, an input or output error, or a mistake of ours
  130  interrupted
"""


@click.group(
    cls=LazyGroup,
    commands_by_name=COMMANDS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="Project folder; by default the nearest one upwards that holds catalog/.",
)
@click.option(
    "--catalog",
    "private",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of private records to read beside the project's; also behind the command.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print problems and results only.")
@click.option("-v", "--verbose", is_flag=True, help="Print stage times and every changed file.")
@click.version_option(sitegen.__version__, message="sitegen %(version)s")
@click.pass_context
def cli(
    context: click.Context, root: Path | None, private: Path | None, quiet: bool, verbose: bool
) -> None:
    """Say, with proof, which language models run on which hardware."""
    context.obj = CliSession(
        given_root=root, private=private and private.absolute(), quiet=quiet, verbose=verbose
    )
