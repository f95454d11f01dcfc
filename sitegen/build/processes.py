"""Work shared out to forked processes, each of which ends with its share."""

from __future__ import annotations

import fcntl
import gc
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from sitegen.values import dataclass

T = TypeVar("T")

PIPE_BYTES = 1 << 20


def processes_for(jobs: int, pieces: int) -> int:
    """Return how many processes are worth it; 1 where the system cannot fork."""
    forkable = "fork" in multiprocessing.get_all_start_methods()
    return jobs if forkable and pieces >= jobs else 1


def turns(pieces: Iterable[T], jobs: int) -> Callable[[], Iterator[T]]:
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


def shared_out(work: Callable[[int], T], jobs: int) -> list[T]:
    """Return ``[work(0), …, work(jobs - 1)]``, the first computed here, the others beside.

    A process is forked and so sees all that its parent has made. It sends one answer and ends. If
    the parent is killed meanwhile, the answer finds no reader and the process ends too; workers
    that wait for more tasks, as those of an executor do, would wait forever. What is computed here
    needs no sending.

    Raises:
        Exception: Whatever ``work`` raises.
        RuntimeError: If a process ends without an answer.
    """
    if jobs == 1:
        return [work(0)]
    begun: list[_Begun] = []
    try:
        for share in range(1, jobs):
            begun.append(_begun(partial(work, share), begun))
        return [work(0), *(_received(one.receiver) for one in begun)]
    finally:
        for one in begun:
            one.end()


@contextmanager
def beside(work: Callable[[], T], jobs: int) -> Iterator[Callable[[], T]]:
    """Begin a piece of work in a process of its own; what it hands out waits for the answer.

    Where there is one process, the work is done when its answer is asked for.

    Raises:
        RuntimeError: When asked, if the process ended without an answer.
    """
    if processes_for(jobs, jobs) == 1:
        yield cache(work)
        return
    begun = _begun(work, ())
    try:
        yield cache(lambda: _received(begun.receiver))
    finally:
        begun.end()


@dataclass(frozen=True, slots=True)
class _Begun:
    """A process at work, and where its answer will be read."""

    process: BaseProcess
    receiver: Connection[Any, Any]

    def end(self) -> None:
        self.process.terminate()
        self.process.join()


def _begun(work: Callable[[], object], before: Iterable[_Begun]) -> _Begun:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # fewer turns between writer and reader
        with suppress(OSError):  # what the system allows is its own affair
            fcntl.fcntl(receiver.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    # a copy of a reading end would keep its pipe open
    receivers = [*(one.receiver for one in before), receiver]
    process = context.Process(target=_answer, args=(work, sender, receivers))
    process.start()
    sender.close()
    return _Begun(process, receiver)


def _answer(
    work: Callable[[], object], sender: Connection[Any, Any], receivers: list[Connection[Any, Any]]
) -> None:
    gc.disable()  # a process lives for one share and frees nothing before it ends
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for receiver in receivers:
        receiver.close()
    try:
        answer: tuple[object, Exception | None] = (work(), None)
    except Exception as error:  # raised again where it can be heard
        answer = (None, error)
    try:
        sender.send(answer)
    except BrokenPipeError:
        return


def _received(receiver: Connection[Any, Any]) -> Any:
    try:
        result, error = receiver.recv()
    except EOFError as missing:
        raise RuntimeError("a process ended without an answer") from missing
    if error is not None:
        raise error
    return result
