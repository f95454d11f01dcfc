"""What every command shares: the project folder, how much to say, and since when it runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli.exits import CommandError
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

    @property
    def root(self) -> Path:
        """The project folder.

        Raises:
            CommandError: If there is none.
        """
        if self.given_root is not None:
            if not (self.given_root / CATALOG).is_dir():
                raise CommandError(f"{self.given_root} holds no {CATALOG}/ folder (--root)")
            return self.given_root.resolve()
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / CATALOG).is_dir():
                return folder
        raise CommandError(f"no {CATALOG}/ folder in {here} or above it; pass --root")

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
