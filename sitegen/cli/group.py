"""The group of commands with its global options; no command is imported before it is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import sitegen
from sitegen.cli.exits import CommandError
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
        help=(
            "Folder of private records to read along with those of the project; works with every "
            "command."
        ),
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
        "Build the whole site into public/, or nothing.",
    ),
    "check": (
        "sitegen.cli.commands.check_command",
        "Check the catalog and the texts without writing anything.",
    ),
    "fit": (
        "sitegen.cli.commands.fit_command",
        "Find out whether a model runs on given hardware, and how.",
    ),
    "here": (
        "sitegen.cli.commands.here_command",
        "Describe this machine, for use in fit, recipe and other commands.",
    ),
    "import": (
        "sitegen.cli.commands.import_command",
        "Turn the output of a benchmark tool into a record.",
    ),
    "compare": (
        "sitegen.cli.commands.compare_command",
        "Compare a startup log or a benchmark with the prediction.",
    ),
    "import-hub": (
        "sitegen.cli.commands.import_hub_command",
        "Propose repositories for checkpoints, from a listing.",
    ),
    "bench-plan": (
        "sitegen.cli.commands.bench_plan_command",
        "Print what to measure on a combo, and how.",
    ),
    "recipe": ("sitegen.cli.commands.recipe_command", "Print the commands that run a model."),
    "lint-command": (
        "sitegen.cli.commands.lint_command",
        "Find mistakes in launch commands and pages.",
    ),
    "explain": (
        "sitegen.cli.commands.explain_command",
        "Show the calculation behind a verdict, line by line.",
    ),
    "serve": (
        "sitegen.cli.commands.serve_command",
        "Serve the site locally while you edit.",
    ),
    "diff": (
        "sitegen.cli.commands.diff_command",
        "Show which verdicts differ between two built sites.",
    ),
    "atlas": (
        "sitegen.cli.commands.atlas_command",
        "Assess every sensible build and write files that you can query.",
    ),
    "new": (
        "sitegen.cli.commands.new_command",
        "Write a minimal valid catalog file to start from.",
    ),
}
EPILOG = """\b
Exit status:
  0    success (a verdict of "not practical" is a success too)
  1    problems found in the catalog, the texts or the pages
  2    wrong usage, an input or output error, or an internal error
  130  interrupted
"""


@click.group(
    cls=LazyGroup,
    commands_by_name=COMMANDS,
    epilog=EPILOG,
    invoke_without_command=True,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="Project folder. Default: the nearest folder upwards that contains catalog/.",
)
@click.option(
    "--catalog",
    "private",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of private records to read along with the project's; also allowed after the "
    "command.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only problems and results.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Print the time of each stage and every changed file."
)
@click.option(
    "--show-config", is_flag=True, help="Print the project's settings and where they are set."
)
@click.version_option(sitegen.__version__, message="sitegen %(version)s")
@click.pass_context
def cli(
    context: click.Context,
    *,
    root: Path | None,
    private: Path | None,
    quiet: bool,
    verbose: bool,
    show_config: bool,
) -> None:
    """Say, with proof, which language models run on which hardware."""
    session = CliSession(
        given_root=root,
        private=private and private.absolute(),
        quiet=quiet,
        verbose=verbose,
        commands=tuple(COMMANDS),
    )
    context.obj = session
    if show_config or context.invoked_subcommand in session.settings.tables:
        _take_settings(context, session, show=show_config)
    elif context.invoked_subcommand is None:
        context.fail("Missing command.")


def _take_settings(context: click.Context, session: CliSession, *, show: bool) -> None:
    """Make what the project has set the defaults of its commands; show it where that is asked."""
    from sitegen.cli.project_file import ProjectFileError

    def known(name: str) -> click.Command | None:
        return cli.get_command(context, name)

    try:
        context.default_map = session.settings.defaults(known)
        lines = [*session.settings.lines(known)]
    except ProjectFileError as error:
        raise CommandError(str(error)) from error
    if show:
        click.echo("\n".join(lines) if lines else "nothing is set")
        context.exit()
