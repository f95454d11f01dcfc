"""``sitegen bench-plan``: the commands of the measurements that would say most about a combo."""

from __future__ import annotations

import click

from sitegen.cli.exits import CLEAN
from sitegen.cli.session import CliSession, pass_session

EPILOG = """\b
Examples:
  sitegen bench-plan 2x-rtx-4090
  sitegen bench-plan 2x-rtx-4090 --model qwen3-32b --most 1
  sitegen bench-plan here
"""


@click.command("bench-plan", epilog=EPILOG)
@click.argument("combo_id", metavar="COMBO")
@click.option("--model", "model_id", metavar="ID", default="", help="Only for this model.")
@click.option(
    "--most",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    help="Number of sessions to print.",
)
@pass_session
def command(session: CliSession, combo_id: str, model_id: str, most: int) -> int:
    """Print what to measure on a combo, starting with what settles the most verdicts.

    Each session lists the commands that start the server, measure it and record the result.
    """
    from sitegen.cli.commands.recipe_text import print_session
    from sitegen.cli.questions.bench_sessions import planned

    catalog, sessions = planned(session, combo_id, model_id)
    for one in sessions[:most]:
        print_session(one, catalog)
    if not sessions:
        click.echo("Nothing to measure: no model that needs a measurement runs there.")
    elif len(sessions) > most:
        session.note(f"{len(sessions) - most} more with --most {len(sessions)}")
    return CLEAN
