"""What every command shares: the project folder, how much to say, and since when it runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

import click

from sitegen.cli.exits import CommandError
from sitegen.cli.text.problem_formats import counted
from sitegen.cli.text.terminal import printable, say
from sitegen.problems import Problem
from sitegen.values import dataclass

CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class CliSession:
    """The global options of one run."""

    given_root: Path | None = None
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
