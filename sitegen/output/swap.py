"""Putting one folder in another's place: in one step where the system can, else in two renames."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
from enum import StrEnum
from pathlib import Path

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


def fresh_path(out: Path) -> Path:
    """Where this process writes the new tree: beside ``out``, so that a rename can move it."""
    return out.parent / f".{out.name}.tmp-{os.getpid()}"


def swap(fresh: Path, out: Path) -> SwapMode:
    """Put ``fresh`` where ``out`` is; the old folder then waits beside it for ``repair``.

    Raises:
        OSError: If the system refuses; then ``out`` is as it was.
    """
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
    _two_renames(fresh, out)
    return SwapMode.RENAMES


def _exchange(one: Path, other: Path) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        function = getattr(library, "renamex_np", None)
        arguments: tuple[object, ...] = (os.fsencode(one), os.fsencode(other), _RENAME_SWAP)
    else:
        function = getattr(library, "renameat2", None)
        here = _AT_FDCWD
        arguments = (here, os.fsencode(one), here, os.fsencode(other), _RENAME_EXCHANGE)
    if function is None:
        raise OSError(errno.ENOSYS, "this system cannot exchange folders")
    if function(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(one), None, str(other))


def _two_renames(fresh: Path, out: Path) -> None:
    """Move the old folder away, then the new one in; the folder moved away is the journal."""
    old = out.parent / f".{out.name}.old-{os.getpid()}"
    out.rename(old)
    try:
        fresh.rename(out)
    except BaseException:
        old.rename(out)
        raise


def repair(out: Path) -> str:
    """Finish or undo what a killed run left beside ``out``; say what was done, if anything.

    Call it only while holding the lock: then every leftover belongs to a dead process. Where a
    folder has moved away and none has taken its place, the new one was complete, so it goes in.

    Raises:
        OSError: If the system refuses.
    """
    done = ""
    moved_away = _leftovers(out, "old")
    if moved_away and not os.path.lexists(out):
        complete = [
            p for p in _leftovers(out, "tmp") if p.name.split("-")[-1] == _owner(moved_away)
        ]
        (complete or moved_away)[0].rename(out)
        done = f"put the {'new' if complete else 'old'} site back that a killed build left aside"
    for leftover in (*_leftovers(out, "tmp"), *_leftovers(out, "old")):
        shutil.rmtree(leftover)
    return done


def _owner(moved_away: list[Path]) -> str:
    """The process id in the name of the folder that moved away."""
    return moved_away[0].name.split("-")[-1]


def _leftovers(out: Path, word: str) -> list[Path]:
    prefix = f".{out.name}.{word}-"
    return sorted(
        path
        for path in out.parent.iterdir()
        if path.name.startswith(prefix) and path.is_dir() and not path.is_symlink()
    )


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tidy(out: Path) -> None:
    """Remove what is left beside ``out``; what fails here, the next run does.

    By now the new site stands, or the old one still does: a failure must not hide which.
    """
    with contextlib.suppress(OSError):
        repair(out)


def flush_switch(out: Path) -> None:
    """Make the switch survive a power cut, where the file system can promise that."""
    with contextlib.suppress(OSError):
        sync_folder(out.parent)
