"""Builds in a process of their own: the server stays quick, and an edit of the code is seen too."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections.abc import Mapping
from dataclasses import field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from sitegen.problems import Problem, ProblemsFound
from sitegen.values import dataclass

Outcome = Mapping[str, bytes] | tuple[Problem, ...] | str
"""Files of a good build, the problems of a bad one, or what went wrong in one line."""


class BuildFailed(Exception):  # noqa: N818 - the name says what happened
    """A build ended without files and without problems; the message says how."""


@dataclass(slots=True)
class Builder:
    """Builds a project when called.

    A fresh interpreter per build has no threads, so it may fork workers, and no old code.
    """

    root: Path
    jobs: int = 1
    _process: SpawnProcess | None = field(default=None, init=False)

    def __call__(self) -> Mapping[str, bytes]:
        """Build and return the files.

        Raises:
            ProblemsFound: As a build does.
            BuildFailed: If the build crashed or was stopped.
        """
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_build_and_send, args=(self.root, self.jobs, sender))
        self._process.start()
        sender.close()
        try:
            outcome: Outcome = receiver.recv()
        except EOFError:
            outcome = "the build was stopped"
        finally:
            receiver.close()
            self._process.join()
        if isinstance(outcome, str):
            raise BuildFailed(outcome)
        if isinstance(outcome, tuple):
            raise ProblemsFound(outcome)
        return outcome

    def stop(self) -> None:
        """End a build that is running."""
        if self._process is not None and self._process.is_alive():
            self._process.terminate()


def _build_and_send(root: Path, jobs: int, sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()  # this process lives for one build
    outcome: Outcome
    try:
        from sitegen.build import build
        from sitegen.inputs import read_project

        outcome = dict(build(read_project(root), jobs=jobs).files)
    except ProblemsFound as found:
        outcome = found.problems
    except Exception as error:  # whatever it is, the server says it and goes on
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        outcome = f"{type(error).__name__}: {error}{notes}"
    sender.send(outcome)
    sender.close()
