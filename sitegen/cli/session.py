"""State that every command shares: the project folder, the verbosity, and the start time."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import click

import sitegen
from sitegen.cli.exits import CommandError
from sitegen.cli.project_file import (
    ProjectFileError,
    ProjectSettings,
    older,
    project_settings,
)
from sitegen.cli.text.problem_formats import counted
from sitegen.cli.text.terminal import printable, say
from sitegen.problems import Problem
from sitegen.values import dataclass

if TYPE_CHECKING:
    from sitegen.inputs import ProjectFiles

CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class CliSession:
    """The global options of one run."""

    given_root: Path | None = None
    private: Path | None = None
    """A private catalog, laid over the project's."""
    quiet: bool = False
    verbose: bool = False
    started: float = field(default_factory=time.perf_counter)
    commands: tuple[str, ...] = ()

    @property
    def settings(self) -> ProjectSettings:
        """The project's settings; empty where there is no project.

        Raises:
            CommandError: If its file says something that no setting is.
        """
        root = self.given_root or self._found
        try:
            return project_settings(root, self.commands) if root else ProjectSettings()
        except ProjectFileError as error:
            raise CommandError(str(error)) from error

    @property
    def root(self) -> Path:
        """The project folder.

        Raises:
            CommandError: If there is none.
        """
        if self.given_root is not None:
            if not (self.given_root / CATALOG).is_dir():
                raise CommandError(f"{self.given_root} has no {CATALOG}/ folder (--root)")
            return self.given_root.resolve()
        found = self._found
        if found is None:
            raise CommandError(
                f"no {CATALOG}/ folder in {Path.cwd()} or above it; pass --root, "
                "or make a project with `sitegen new demo FOLDER`"
            )
        return found

    @property
    def _found(self) -> Path | None:
        here = Path.cwd()
        return next((one for one in (here, *here.parents) if (one / CATALOG).is_dir()), None)

    @property
    def folder(self) -> str:
        """The folder that new records go into, as messages say it: the private catalog, if any."""
        from sitegen.inputs import shown_path

        return CATALOG if self.private is None else shown_path(self.root, self.private)

    def read(self, root: Path | None = None) -> ProjectFiles:
        """Read the project, or another, with the private catalog laid over it.

        Raises:
            ProblemsFound: With what cannot be read.
        """
        from sitegen.inputs import read_project

        return read_project(self.root if root is None else root, self.private)

    def note(self, text: str) -> None:
        """Say something beside the result, on standard error."""
        if not self.quiet:
            say(printable(text), sys.stderr)

    def detail(self, text: str) -> None:
        """Say something that only ``--verbose`` wants to know."""
        if self.verbose and not self.quiet:
            say(printable(text), sys.stderr)

    def name_version(self) -> None:
        """Say which sitegen this is, and where the project's own checks run another."""
        mine, theirs = sitegen.__version__, self.settings.version
        if not theirs or theirs == mine:
            self.note(f"sitegen {mine}" + (", as in the project's own checks" if theirs else ""))
            return
        age = "older: update it" if older(mine, theirs) else "newer"
        self.note(f"warning: this is sitegen {mine}, {age}; the project's checks use {theirs}")

    def summarize(self, files: int, problems: Sequence[Problem]) -> None:
        """Say the last line: ``412 files, 3 errors, 1 warning in 0.41 s``."""
        count = counted(problems)
        seconds = time.perf_counter() - self.started
        words = [
            f"{files} {'file' if files == 1 else 'files'}",
            _plural(count["errors"], "error"),
            _plural(count["warnings"], "warning"),
        ]
        style = "red" if count["errors"] else "green"
        if not self.quiet:
            say(f"{', '.join(words)} in {seconds:.2f} s", sys.stderr, style=style)


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


pass_session = click.make_pass_decorator(CliSession)
"""Hands the session to a command as its first argument."""
