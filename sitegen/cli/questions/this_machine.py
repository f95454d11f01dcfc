"""``here`` in place of a combo or a GPU: this machine, or a recording (``here:FOLDER``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import click

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.cli import machine_tools
from sitegen.cli.exits import CommandError
from sitegen.cli.questions.choose import record, usage_error
from sitegen.cli.session import CliSession
from sitegen.here.machine import MachineReport
from sitegen.here.reading import machine_of
from sitegen.here.recognised import WORD, UnjudgedError, combo_here


def means_this_machine(word: str) -> bool:
    """Whether a word is ``here`` or ``here:FOLDER``."""
    return word.partition(":")[0] == WORD


def machine_at(folder: str) -> MachineReport:
    """Ask the tools, or read a folder of recordings.

    Raises:
        CommandError: If the folder holds none.
    """
    return machine_of(outputs_at(folder))


@cache
def _asked(programs: bool) -> dict[str, str]:
    return machine_tools.asked(programs=programs)


def outputs_at(folder: str, *, programs: bool = False) -> dict[str, str]:
    """Return what the tools say, or what a folder has of it.

    Raises:
        CommandError: If the folder holds no recording.
    """
    if not folder:
        return _asked(programs)
    try:
        found = machine_tools.recorded(Path(folder))
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror or error}") from error
    if not found:
        raise CommandError(
            f"{folder} contains no recorded outputs; `sitegen here --record` writes them"
        )
    return found


def combo_named(word: str, catalog: Catalog) -> Combo:
    """Look up a combo of the catalog by its id, or make the one that ``here`` means.

    Raises:
        click.UsageError: If there is none, with the nearest id.
    """
    if means_this_machine(word):
        return combo_of("COMBO", word, catalog)
    return record("COMBO", "combo", word, catalog.combos)


def combo_of(option: str, word: str, catalog: Catalog) -> Combo:
    """Make the combo that ``here`` means, and say what must be known of it.

    Raises:
        click.UsageError: If the machine cannot be judged, and why.
    """
    try:
        combo, notes = combo_here(machine_at(word.partition(":")[2]), catalog)
    except UnjudgedError as error:
        raise usage_error(option, str(error)) from error
    for note in notes:
        _say_once(note)
    return combo


@cache
def _say_once(note: str) -> None:
    """Say what must be known; several questions about one machine say it once."""
    context = click.get_current_context(silent=True)
    session = context.find_object(CliSession) if context else None
    (session or CliSession()).note(f"this machine: {note}")
