"""Pieces of work shared out to processes of this machine; one that dies loses nothing."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from sitegen.pipeline.lifelines import WorkerKilled, ends_with, killed_by
from sitegen.values import dataclass

TRIES = 3
"""A piece at which so many processes died is not tried again."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A piece that is done: its place in the list, its bytes, and the processor time it took."""

    place: int
    content: bytes
    cpu_s: float


Judge = Callable[[int], Judged]


@dataclass(frozen=True, slots=True, eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection


def judged_here(judge: Judge, places: Sequence[int], jobs: int) -> Iterator[Judged]:
    """Yield pieces as they are done, in any order, from forked processes or from this one.

    A process that is killed is replaced, and its piece is begun anew.

    Raises:
        Exception: Whatever ``judge`` raises.
        WorkerKilled: If ``TRIES`` processes died at one piece.
    """
    if jobs == 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(judge, places)
        return
    open_places = deque(places)
    tries: dict[int, int] = {}
    at_work: dict[Connection, tuple[_Worker, int]] = {}
    try:
        while open_places or at_work:
            while open_places and len(at_work) < jobs:
                worker = _started(judge)
                _give(worker, open_places.popleft(), at_work)
            ready = set(wait(list(at_work)))
            for pipe in [one for one in at_work if one in ready]:
                worker, place = at_work.pop(pipe)
                message = _message(worker)
                if message is None:
                    tries[place] = tries.get(place, 0) + 1
                    if tries[place] == TRIES:
                        raise _death(worker)
                    open_places.appendleft(place)
                    continue
                if isinstance(message, Exception):
                    _stop(worker)
                    raise message
                if open_places:
                    _give(worker, open_places.popleft(), at_work)
                else:
                    _stop(worker)
                yield message
    finally:
        for worker, _ in at_work.values():
            worker.process.terminate()
            _stop(worker)


def _give(worker: _Worker, place: int, at_work: dict[Connection, tuple[_Worker, int]]) -> None:
    """Hand a piece out; a worker that died meanwhile is noticed when its answer is read."""
    with suppress(OSError):
        worker.pipe.send(place)
    at_work[worker.pipe] = (worker, place)


def _message(worker: _Worker) -> Judged | Exception | None:
    try:
        found: Judged | Exception = worker.pipe.recv()
    except (EOFError, OSError):
        return None
    return found


def _death(worker: _Worker) -> Exception:
    worker.process.join()
    status = worker.process.exitcode
    if status is not None and status < 0:
        return killed_by(-status)
    return WorkerKilled("a worker process ended without an answer")


def _stop(worker: _Worker) -> None:
    """Let a worker end: others have copies of its pipe, so that closing it says nothing."""
    with suppress(OSError):
        worker.pipe.send(None)
    worker.pipe.close()
    worker.process.join()


def _started(judge: Judge) -> _Worker:
    context: Any = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(judge, theirs, ours, os.getpid()))
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _work(judge: Judge, pipe: Connection, ours: Connection, parent: int) -> None:
    ends_with(parent)
    ours.close()
    try:
        while (place := pipe.recv()) is not None:
            try:
                pipe.send(judge(place))
            except Exception as error:  # raised again where it can be heard
                pipe.send(error)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
