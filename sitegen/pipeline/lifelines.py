"""Processes that never outlive their parent or hoard memory, and words for one that was killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from contextlib import suppress

LOOK_EVERY_S = 1.0
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class WorkerKilled(Exception):  # noqa: N818 - the name says what happened
    """A process that shared the work was killed from outside; the message says by which signal."""


def killed_by(number: int) -> WorkerKilled:
    """Say that a signal ended a process.

    >>> str(killed_by(9))
    'a worker process was killed (SIGKILL), perhaps because memory ran out'
    """
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    why = ", perhaps because memory ran out" if name == "SIGKILL" else ""
    return WorkerKilled(f"a worker process was killed ({name}){why}")


def dies_with(parent: int) -> bool:
    """Let the kernel kill this process when its parent ends, however that ends; Linux can do it.

    Args:
        parent: Its process id, to notice one that has ended already.
    """
    if sys.platform != "linux":
        return False
    refused = int(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        os._exit(1)
    return refused == 0


def ends_with(parent: int) -> None:
    """End this process when its parent has ended; call it after the last fork of this process.

    Where the kernel cannot do it, a thread looks every second.
    """
    if not dies_with(parent):
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os._exit(1)


def give_back_memory() -> None:
    """Return freed memory to the system, where the C library can; glibc can.

    A process that stays keeps what it has freed, in pieces too small for what it needs next.

    Source:
        glibc, ``malloc_trim(3)``; read 2026-11-23.
    """
    with suppress(AttributeError, OSError, TypeError):  # another C library, another system
        ctypes.CDLL(None).malloc_trim(0)
