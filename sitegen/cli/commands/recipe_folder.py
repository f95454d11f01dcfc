"""``sitegen recipe --out``: a recipe as a folder on the disk, where nothing is lost."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from sitegen.cli.exits import CommandError
from sitegen.cli.session import CliSession
from sitegen.recipes.folder import folder_of
from sitegen.recipes.folder.script import SCRIPT
from sitegen.recipes.folder.settings import ENVIRONMENT
from sitegen.recipes.recipe import Recipe
from sitegen.site.combo.recipes import whole
from sitegen.site.words.plans import plan_words
from sitegen.site.words.verdicts import checkpoint_name


def write_folder(
    session: CliSession, recipes: tuple[Recipe, ...], folder: Path, *, force: bool
) -> None:
    """Write the first recipe into a folder, and name the files.

    Raises:
        CommandError: If it would replace files that it did not write like that.
        OSError: If it cannot be written.
    """
    recipe, *others = recipes
    files = folder_of(recipe, title=_title(recipe), asked=_asked())
    _refuse_other_files(folder, files, force=force)
    for name, text in files.items():
        path = folder / name
        if name == ENVIRONMENT and path.exists():
            session.note(f"kept: {path}, which may hold your settings")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        if name == SCRIPT:
            path.chmod(0o755)
        if name == ENVIRONMENT:
            path.chmod(0o600)
        click.echo(path)
    if others:
        listed = ", ".join(one.id for one in others)
        session.note(f"this is the form {recipe.id}; choose another with --form: {listed}")
    session.note(f"next: {folder / SCRIPT} check")


def _refuse_other_files(folder: Path, files: Mapping[str, str], *, force: bool) -> None:
    """Refuse to replace what has another text, unless told to.

    Raises:
        CommandError: With the files.
    """
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is not a folder")
    changed = [
        name
        for name, text in files.items()
        if name != ENVIRONMENT and (folder / name).exists() and _text(folder / name) != text
    ]
    if changed and not force:
        listed = ", ".join(changed)
        raise CommandError(
            f"{folder} already contains other files with these names: {listed} (replace them with "
            "--force)"
        )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _title(recipe: Recipe) -> str:
    """Say which model runs on which machine, and how it is spread."""
    runs = whole(recipe)
    names = " + ".join(f"{one.model.name}, {checkpoint_name(one)}" for one in runs)
    plans = " + ".join(plan_words(one.plan) for one in runs if one.plan)
    return f"{names} on {recipe.assessment.combo.name} ({plans})"


def _asked() -> str:
    """Repeat the question that was typed, without the place that the answer goes to."""
    words = sys.argv[1:]
    if "--out" in words:
        at = words.index("--out")
        words = [*words[:at], *words[at + 2 :]]
    return shlex.join(["sitegen", *(word for word in words if word != "--force")])
