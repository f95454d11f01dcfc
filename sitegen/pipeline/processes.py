"""Work shared out to forked processes, each of which ends with its share."""

from __future__ import annotations

import fcntl
import gc
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from multiprocessing.process import BaseProcess
from typing import Any, BinaryIO, TypeVar

from sitegen.pipeline.lifelines import ends_with, killed_by
from sitegen.values import dataclass

T = TypeVar("T")

# The ratings' matrices are small: more threads of numpy's library only wait for one another where
# processes have the cores. It reads this when it is imported, which ratings do when they are made.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

PIPE_BYTES = 1 << 20
SWITCH_S = 0.0005
"""Seconds after which a busy thread makes room: Python's own 0.005 let writers wait for readers."""


def processes_for(jobs: int, pieces: int) -> int:
    """Return how many processes are worth it; 1 where the system cannot fork."""
    forkable = "fork" in multiprocessing.get_all_start_methods()
    return jobs if forkable and pieces >= jobs else 1


def work_queue(pieces: Iterable[T], jobs: int) -> Callable[[], Iterator[T]]:
    """Deal pieces out to forked processes: each takes the next one whenever it is free.

    Call it before the fork; in every process iterate over what it returned. One process takes all.
    """
    listed = list(pieces)
    if jobs == 1:
        return lambda: iter(listed)
    taken = multiprocessing.get_context("fork").Value("l", 0)

    def mine() -> Iterator[T]:
        while True:
            with taken.get_lock():
                at = taken.value
                taken.value += 1
            if at >= len(listed):
                return
            yield listed[at]

    return mine


def fork_map(work: Callable[[int], Iterable[T]], jobs: int) -> list[T]:
    """Return what ``work(0)`` to ``work(jobs - 1)`` yield, the first computed here, others beside.

    A process is forked and so sees all that its parent has made. Each piece is sent as soon as it
    is made, and read while the parent works. If the parent is killed meanwhile, the processes end
    too, also one that never comes to send anything. What is computed here needs no sending.

    Raises:
        Exception: Whatever ``work`` raises.
        WorkerKilled: If a process is killed.
        RuntimeError: If a process ends before it has said so.
    """
    begun: list[_Begun] = []
    with _prompt_threads(), ThreadPoolExecutor(jobs) as readers:
        try:
            for share in range(1, jobs):  # before any thread: a fork would lose it
                begun.append(_begun(partial(work, share), begun))
            found = [readers.submit(one.pieces) for one in begun]
            return [*work(0), *(piece for one in found for piece in one.result())]
        finally:
            for one in begun:
                one.end()


@contextmanager
def _prompt_threads() -> Iterator[None]:
    """Let a thread that has read run soon, while the others wait for room in their pipes."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


@contextmanager
def in_background(work: Callable[[], T], jobs: int) -> Iterator[Callable[[], T]]:
    """Begin a piece of work in a process of its own; what it hands out waits for the answer.

    Where there is one process, the work is done when its answer is asked for.

    Raises:
        WorkerKilled: When asked, if the process was killed.
        RuntimeError: When asked, if the process ended without an answer.
    """
    if processes_for(jobs, jobs) == 1:
        yield cache(work)
        return
    begun = _begun(lambda: [work()])
    try:
        yield cache(lambda: begun.pieces()[0])
    finally:
        begun.end()


@dataclass(frozen=True, slots=True)
class _Begun:
    """A process at work, and the pipe that its pieces come through."""

    process: BaseProcess
    pipe: BinaryIO

    def pieces(self) -> list[Any]:
        """Read what the process sends until it has ended.

        Raises:
            Exception: Whatever its work raised.
            WorkerKilled: If it was killed.
            RuntimeError: If it ended before it has said so.
        """
        sent = pickle.Unpickler(self.pipe)  # noqa: S301 - nobody but our own fork writes there
        found: list[Any] = []
        while (message := self._next(sent)) is not None:
            piece, error = message
            if error is not None:
                raise error
            found.append(piece)
        return found

    def _next(self, sent: pickle.Unpickler) -> tuple[Any, Exception | None] | None:
        """Read a piece or the error that ended the work; ``None`` at its end."""
        try:
            message: tuple[Any, Exception | None] | None = sent.load()
        except (EOFError, pickle.UnpicklingError) as missing:
            self.process.join()
            status = self.process.exitcode
            if status is not None and status < 0:
                raise killed_by(-status) from missing
            raise RuntimeError("a process ended without an answer") from missing
        return message

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.pipe.close()


def _begun(work: Callable[[], Iterable[object]], before: Iterable[_Begun] = ()) -> _Begun:
    reading, writing = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # fewer turns between writer and reader
        with suppress(OSError):  # what the system allows is its own affair
            fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    # a copy of a reading end would keep its pipe open
    copies = [*(one.pipe.fileno() for one in before), reading]
    context = multiprocessing.get_context("fork")
    process = context.Process(target=_send, args=(work, writing, copies, os.getpid()))
    process.start()
    os.close(writing)
    return _Begun(process, os.fdopen(reading, "rb", PIPE_BYTES))


def _send(
    work: Callable[[], Iterable[object]], writing: int, copies: Iterable[int], parent: int
) -> None:
    ends_with(parent)
    gc.disable()  # a process lives for one share and frees nothing before it ends
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in a job in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for reading in copies:
        os.close(reading)
    with suppress(BrokenPipeError), os.fdopen(writing, "wb", PIPE_BYTES) as pipe:
        pickler = pickle.Pickler(pipe, pickle.HIGHEST_PROTOCOL)  # what was sent is not sent again
        try:
            for piece in work():
                pickler.dump((piece, None))
                pipe.flush()
        except BrokenPipeError:
            raise
        except Exception as error:  # raised again where it can be heard
            pickler.dump((None, error))
        else:
            pickler.dump(None)
