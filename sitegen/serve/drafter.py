"""Drafts in a process that stays: what it has read and judged is there after the next edit."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from sitegen.pipeline.lifelines import dies_with, give_back_memory
from sitegen.problems import Problem, ProblemsFound
from sitegen.values import dataclass

Answer = Mapping[str, bytes] | tuple[Problem, ...] | str
"""Files by path, the problems of the sources, or what went wrong in one line."""

IDLE_S = 0.5
"""Seconds without a question after which memory is given back: an editor waits for an answer."""


class DraftFailed(Exception):  # noqa: N818 - the name says what happened
    """A draft could not be made; the message says how."""


class NoDrafts(DraftFailed):
    """The process that makes drafts has ended."""


@dataclass(slots=True)
class Drafter:
    """Asks a process for drafts of a project, one question at a time."""

    root: Path
    store: Path
    """Folder of the store: what was judged before is not judged again."""
    private: Path | None = None
    """A private catalog, laid over the project's."""
    _process: SpawnProcess | None = field(default=None, init=False)
    _line: Connection | None = field(default=None, init=False)
    _turn: threading.Lock = field(default_factory=threading.Lock, init=False)

    def start(self) -> None:
        """Begin the process; it reads the project when it is first asked to."""
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        arguments = (self.root, self.private, self.store, os.getpid(), theirs)
        self._process = context.Process(target=_answer, args=arguments)
        self._process.start()
        theirs.close()

    def renew(self) -> None:
        """Have the newest sources read.

        Raises:
            ProblemsFound: With their problems; drafts are made of the last good ones.
            DraftFailed: If the program failed on them.
            NoDrafts: If the process has ended.
        """
        self._ask("")

    def files(self, path: str) -> Mapping[str, bytes]:
        """Return the file at a path as the newest sources make it; nothing where there is no draft.

        Raises:
            ProblemsFound: With what a document refers to in vain.
            DraftFailed: If a template failed.
            NoDrafts: If the process has ended.
        """
        return self._ask(path)

    def stop(self) -> None:
        """End the process."""
        process = self._process
        if process is not None and process.is_alive():
            process.kill()

    def _ask(self, question: str) -> Mapping[str, bytes]:
        with self._turn:
            line = self._line
            if line is None:
                raise NoDrafts("nobody makes drafts")
            try:
                line.send(question)
                answer: Answer = line.recv()
            except (EOFError, OSError) as error:
                self._line = None
                raise NoDrafts("the process that makes drafts has ended") from error
        if isinstance(answer, str):
            raise DraftFailed(answer)
        if isinstance(answer, tuple):
            raise ProblemsFound(answer)
        return answer


def _answer(root: Path, private: Path | None, store: Path, parent: int, line: Connection) -> None:
    os.setpgid(0, 0)
    dies_with(parent)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    from sitegen.inputs import KnownFiles, read_project
    from sitegen.pipeline.drafts import Drafts
    from sitegen.pipeline.memory import NO_PAST, Past
    from sitegen.store import code_digest, code_times, open_store

    times = code_times()
    opened = open_store(store)
    drafts = Drafts(Past(opened, code_digest()) if opened else NO_PAST)
    known = KnownFiles()
    gc.freeze()
    with suppress(EOFError, OSError):
        while True:
            if not line.poll(IDLE_S):
                give_back_memory()
            question = str(line.recv())
            if not question and code_times() != times:  # this process knows the old program
                return
            answer: Answer
            try:
                if question:
                    answer = dict(drafts.files(question))
                else:
                    drafts.renew(read_project(root, private, known=known))
                    answer = {}
            except ProblemsFound as found:
                answer = found.problems
            except Exception as error:  # whatever it is, the server says it and goes on
                answer = f"{type(error).__name__}: {error}"
            line.send(answer)
