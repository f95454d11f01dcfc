"""The group of commands with its global options; no command is imported before it is called."""

from __future__ import annotations

from pathlib import Path

import click

import sitegen
from sitegen.cli.lazy import LazyGroup
from sitegen.cli.session import Session

COMMANDS = {
    "build": ("sitegen.cli.build_command", "Build the site into public/, all of it or nothing."),
    "check": ("sitegen.cli.check_command", "Check the catalog and the texts; write nothing."),
    "fit": ("sitegen.cli.fit_command", "Say whether a model runs on some hardware, and how."),
    "import": ("sitegen.cli.import_command", "Make a benchmark record of what a tool wrote."),
    "import-hub": ("sitegen.cli.import_hub_command", "Propose repositories that a listing has."),
    "bench-plan": ("sitegen.cli.bench_plan_command", "Print what to measure on a combo, and how."),
    "recipe": ("sitegen.cli.recipe_command", "Print the commands that run a model there."),
    "lint-command": ("sitegen.cli.lint_command", "Find what cannot work in commands and pages."),
    "explain": ("sitegen.cli.explain_command", "Show the sum behind a verdict, line by line."),
    "serve": ("sitegen.cli.serve_command", "Serve the site to this machine while you edit."),
    "diff": ("sitegen.cli.diff_command", "Say which verdicts move between two built sites."),
    "new": ("sitegen.cli.new_command", "Write a minimal valid catalog file to start from."),
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
@click.option("-q", "--quiet", is_flag=True, help="Print problems and results only.")
@click.option("-v", "--verbose", is_flag=True, help="Print stage times and every changed file.")
@click.version_option(sitegen.__version__, message="sitegen %(version)s")
@click.pass_context
def cli(context: click.Context, root: Path | None, quiet: bool, verbose: bool) -> None:
    """Say, with proof, which language models run on which hardware."""
    context.obj = Session(given_root=root, quiet=quiet, verbose=verbose)
