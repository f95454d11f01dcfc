"""Work shared out to forked processes, each of which ends with its share."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any, TypeVar

T = TypeVar("T")


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
    context = multiprocessing.get_context("fork")
    receivers: list[Connection[Any, Any]] = []
    processes = []
    try:
        for share in range(1, jobs):
            receiver, sender = context.Pipe(duplex=False)
            receivers.append(receiver)
            process = context.Process(target=_answer, args=(work, share, sender, receivers))
            process.start()
            processes.append(process)
            sender.close()
        return [work(0), *(_received(receiver) for receiver in receivers)]
    finally:
        for process in processes:
            process.terminate()
            process.join()


def _answer(
    work: Callable[[int], object],
    share: int,
    sender: Connection[Any, Any],
    receivers: list[Connection[Any, Any]],
) -> None:
    gc.disable()  # a process lives for one share and frees nothing before it ends
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for receiver in receivers:  # else its own copy of the reading end would keep the pipe open
        receiver.close()
    try:
        answer: tuple[object, Exception | None] = (work(share), None)
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
