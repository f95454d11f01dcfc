"""Builds in a process of their own: the server stays quick, and an edit of the code is seen too."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from sitegen.pipeline.lifelines import dies_with, give_back_memory
from sitegen.problems import Problem, ProblemsFound
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class BuiltFiles:
    """Digests of all files of a good build, and the bytes that the server does not have."""

    digests: Mapping[str, str]
    new: Mapping[str, bytes]


Outcome = BuiltFiles | tuple[Problem, ...] | str
"""A good build, the problems of a bad one, or what went wrong in one line."""


IN_BACKGROUND = 15
"""Niceness of a build while somebody looks at drafts."""


class BuildFailed(Exception):  # noqa: N818 - the name says what happened
    """A build ended without files and without problems; the message says how."""


class BuildStopped(BuildFailed):
    """A build was ended from here, because nobody wants what it makes any more."""


@dataclass(slots=True)
class Builder:
    """Builds a project when called.

    A fresh interpreter per build has no threads, so it may fork workers, and no old code. It leads
    a process group of its own, so that it can be ended with all its workers.
    """

    root: Path
    jobs: int = 1
    limit_s: int = 1_800
    store: Path | None = None
    """Folder of what builds remember of one another."""
    private: Path | None = None
    """A private catalog, laid over the project's."""
    _process: SpawnProcess | None = field(default=None, init=False)
    _stopped: bool = field(default=False, init=False)
    _niceness: int = field(default=0, init=False)
    _digests: Mapping[str, str] = field(default_factory=dict, init=False)
    _files: Mapping[str, bytes] = field(default_factory=dict, init=False)

    def __call__(self) -> Mapping[str, bytes]:
        """Build and return the files.

        Raises:
            ProblemsFound: As a build does.
            BuildStopped: If ``stop`` ended it.
            BuildFailed: If the build crashed, was killed or took too long.
        """
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        self._stopped = False
        arguments = (
            _Order(
                self.root,
                self.private,
                self.jobs,
                self.limit_s,
                self.store,
                self._niceness,
                self._digests,
            ),
            os.getpid(),
            sender,
        )
        process = self._process = context.Process(target=_build_and_send, args=arguments)
        process.start()
        if self._niceness and process.pid is not None:  # before it has loaded anything
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, self._niceness)
        sender.close()
        try:
            outcome: Outcome = receiver.recv()
        except (EOFError, OSError):
            outcome = ""
        finally:
            receiver.close()
            process.join()
            give_back_memory()
        if outcome == "":
            raise self._ended(process.exitcode)
        if isinstance(outcome, str):
            raise BuildFailed(outcome)
        if isinstance(outcome, tuple):
            raise ProblemsFound(outcome)
        self._niceness = IN_BACKGROUND  # from now on there is a site to look at meanwhile
        before, new = self._files, outcome.new
        self._files = {path: new[path] if path in new else before[path] for path in outcome.digests}
        self._digests = outcome.digests
        return self._files

    def _ended(self, status: int | None) -> BuildFailed:
        """Say why a build gave no answer."""
        if self._stopped:
            return BuildStopped("the build was stopped")
        if status == -signal.SIGALRM:
            return BuildFailed(f"it took longer than {self.limit_s} s, so sitegen stopped it")
        if status == -signal.SIGKILL:
            return BuildFailed("its process was killed, perhaps because memory ran out")
        return BuildFailed(f"its process ended without an answer (status {status})")

    def stop(self) -> None:
        """End a build that is running, with its workers."""
        process = self._process
        if process is None or process.pid is None or not process.is_alive():
            return
        self._stopped = True
        with suppress(ProcessLookupError):  # it has no group of its own yet, or has ended
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()


@dataclass(frozen=True, slots=True)
class _Order:
    """The order to a process: the project to build, and how."""

    root: Path
    private: Path | None
    jobs: int
    limit_s: int
    store: Path | None
    niceness: int
    held: Mapping[str, str]
    """Digests of the files that the server has."""


def _build_and_send(order: _Order, parent: int, sender: Connection) -> None:
    os.setpgid(0, 0)
    dies_with(parent)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, order.niceness)
    for number in (signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, order.limit_s)
    gc.disable()  # this process lives for one build
    outcome: Outcome
    try:
        from sitegen.inputs import read_project
        from sitegen.pipeline.building import build
        from sitegen.pipeline.lifelines import WorkerKilled
        from sitegen.pipeline.memory import NO_PAST, Past
        from sitegen.store import code_digest, open_store

        store = open_store(order.store) if order.store else None
        past = Past(store, code_digest()) if store else NO_PAST
        project = read_project(order.root, order.private)
        files = build(project, jobs=order.jobs, past=past).files
        digests = {path: files.entry(path).sha256 for path in files}
        new = (path for path, digest in digests.items() if order.held.get(path) != digest)
        outcome = BuiltFiles(digests, {path: files[path] for path in new})
        if store:
            store.trim()
    except ProblemsFound as found:
        outcome = found.problems
    except WorkerKilled as killed:
        outcome = str(killed)
    except Exception as error:  # whatever it is, the server says it and goes on
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        outcome = f"{type(error).__name__}: {error}{notes}"
    sender.send(outcome)
    sender.close()
