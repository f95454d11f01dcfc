"""Putting one folder in another's place: in one step where the system can, else in two renames."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from enum import StrEnum
from pathlib import Path

from sitegen.output.scratch import NEW, OLD, is_folder, leftovers, remove, sync_folder

MODE_VARIABLE = "SITEGEN_SWAP"
"""Environment variable that forces a mode; for tests and for file systems that misbehave."""
_RENAME_EXCHANGE = 2  # linux/fs.h
_RENAME_SWAP = 2  # sys/stdio.h of macOS
_AT_FDCWD = -100
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV}


class SwapMode(StrEnum):
    """How the folders changed places."""

    FIRST = "first"
    """There was no folder; one rename."""
    EXCHANGE = "exchange"
    """One system call; no moment without a site."""
    RENAMES = "renames"
    """Two renames; a crash between them is repaired by the next run."""


def swap(scratch: Path, out: Path) -> SwapMode:
    """Put the new tree of ``scratch`` where ``out`` is; there the old one waits for ``repair``.

    Raises:
        OSError: If the system refuses; then ``out`` is as it was.
    """
    sync_folder(scratch)
    fresh = scratch / NEW
    if not os.path.lexists(out):
        fresh.rename(out)
        return SwapMode.FIRST
    if os.environ.get(MODE_VARIABLE) != SwapMode.RENAMES:
        try:
            _exchange(fresh, out)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
        else:
            return SwapMode.EXCHANGE
    _two_renames(scratch, out)
    return SwapMode.RENAMES


def _exchange(path: Path, other: Path) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        function = getattr(library, "renamex_np", None)
        arguments: tuple[object, ...] = (os.fsencode(path), os.fsencode(other), _RENAME_SWAP)
    else:
        function = getattr(library, "renameat2", None)
        here = _AT_FDCWD
        arguments = (here, os.fsencode(path), here, os.fsencode(other), _RENAME_EXCHANGE)
    if function is None:
        raise OSError(errno.ENOSYS, "this system cannot exchange folders")
    if function(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(path), None, str(other))


def _two_renames(scratch: Path, out: Path) -> None:
    """Move the old folder away, then the new one in; the folder moved away is the journal."""
    out.rename(scratch / OLD)
    try:
        (scratch / NEW).rename(out)
    except BaseException:
        (scratch / OLD).rename(out)
        raise


def repair(out: Path) -> str:
    """Finish or undo a killed run's switch beside ``out``; say in words which, if any.

    Call it only while holding the lock: then every scratch folder belongs to a dead process. Where
    a site has moved away and none has taken its place, the new one was complete, so it goes in.
    What does not carry our mark is not touched, whatever its name.

    Raises:
        OSError: If the system refuses.
    """
    done = ""
    killed = leftovers(out)
    moved_away = next((scratch for scratch in killed if is_folder(scratch / OLD)), None)
    if moved_away is not None and not os.path.lexists(out):
        complete = is_folder(moved_away / NEW)
        (moved_away / (NEW if complete else OLD)).rename(out)
        done = f"put the {'new' if complete else 'old'} site back that a killed build left behind"
    for scratch in killed:
        remove(scratch)
    return done


def tidy(out: Path) -> None:
    """Remove leftovers beside ``out``; the next run removes those that resist.

    By now the new site stands, or the old one still does: a failure must not hide which.
    """
    with contextlib.suppress(OSError):
        repair(out)


def flush_switch(out: Path) -> None:
    """Make the switch survive a power cut, where the file system can promise that."""
    with contextlib.suppress(OSError):
        sync_folder(out.parent)
