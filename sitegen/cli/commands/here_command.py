"""``sitegen here``: this machine as its own tools describe it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sitegen.cli.exits import CLEAN, CommandError
from sitegen.cli.session import CliSession, pass_session

EPILOG = """\b
Examples:
  sitegen here
  sitegen here --record machine/ && sitegen here --from machine/ --format json
  sitegen fit --best coding --gpu here
  sitegen recipe qwen3-32b here
"""


@click.command("here", epilog=EPILOG)
@click.option(
    "--from", "folder", metavar="FOLDER", default="", help="Read recorded outputs from this folder."
)
@click.option(
    "--record",
    metavar="FOLDER",
    default="",
    help="Write the outputs into this folder, without serial numbers.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="JSON has sizes in bytes, and null for unknown values.",
)
@pass_session
def command(session: CliSession, /, folder: str, record: str, form: str) -> int:
    """Describe this machine: GPUs, free memory, links, RAM, limits, drivers, runtimes.

    It runs the tools that are installed (nvidia-smi, rocm-smi, amd-smi, xpu-smi, system_profiler,
    lspci, dmidecode) and guesses nothing. Other commands accept `here` as a combo, and
    `here:FOLDER` for the recorded outputs of another machine.
    """
    from sitegen.cli import machine_tools
    from sitegen.cli.questions.projects import catalog_at
    from sitegen.cli.questions.this_machine import outputs_at
    from sitegen.cli.text.here import print_machine, to_here_record
    from sitegen.here.reading import machine_of
    from sitegen.here.recognised import link_words, recognised

    outputs = outputs_at(folder, programs=True)
    if record:
        try:
            written = machine_tools.record(Path(record), outputs)
        except OSError as error:
            raise CommandError(f"{record}: {error.strerror or error}") from error
        session.note(f"{len(written)} outputs written to {record}")
    machine = machine_of(outputs)
    catalog = catalog_at(session)
    known = recognised(machine, catalog)
    link = link_words(machine, known, catalog)
    if form == "json":
        click.echo(json.dumps(to_here_record(machine, known, link), indent=2, allow_nan=False))
    else:
        print_machine(machine, known, link)
    return CLEAN
