"""How far a long build is: one line at a terminal, from the second second on.

A process of its own writes it, so that a build that computes for a minute need not think of it,
and no thread stands in the way of processes that the build starts.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sitegen.pipeline.lifelines import dies_with

AFTER_S = 1.0
STAGES = {
    "parse": "reading the catalog",
    "survey": "assessing models on machines",
    "collect": "preparing pages",
    "render": "writing pages",
    "finish": "checking links and packing",
}
"""What is done in each stage of a build, in order."""
_END = b"\0"


def is_wanted() -> bool:
    """Whether somebody looks: at a terminal that can go back to the beginning of a line."""
    hidden = os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return sys.stderr.isatty() and not hidden and hasattr(os, "fork")


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Hand out what takes the name of each stage when it begins; the line is gone afterwards."""
    if quiet or not is_wanted():
        yield lambda _stage: None
        return
    sys.stderr.flush()
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        _show(reading, parent)
    os.close(reading)

    def told(stage: str) -> None:
        with suppress(OSError):
            os.write(writing, f"{stage}\n".encode())

    try:
        yield told
    finally:
        with suppress(OSError):
            os.write(writing, _END)
        os.close(writing)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


def line(stage: str, seconds: float) -> str:
    """Say how far a build is.

    >>> line("survey", 12.7)
    'assessing models on machines (2 of 5), 12 s'
    """
    at = list(STAGES).index(stage) + 1
    return f"{STAGES[stage]} ({at} of {len(STAGES)}), {int(seconds)} s"


def _show(reading: int, parent: int) -> None:
    """Write the line once a second until the end is told; never returns."""
    shown = 0
    with suppress(BaseException):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        dies_with(parent)
        os.closerange(3, reading)
        os.closerange(reading + 1, 256)  # a lock that the parent holds is not ours to keep
        started, stage = time.monotonic(), ""
        while True:
            if select.select([reading], [], [], AFTER_S)[0]:
                heard = os.read(reading, 4096)
                if not heard or _END in heard:
                    break
                stage = heard.decode().split("\n")[-2]
            passed = time.monotonic() - started
            if stage in STAGES and passed >= AFTER_S:
                text = line(stage, passed)
                os.write(2, f"\r{text.ljust(shown)}".encode())
                shown = len(text)
        if shown:
            os.write(2, b"\r" + b" " * shown + b"\r")
    os._exit(0)
