"""One publication at a time: a lock file beside the output folder."""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sitegen.output.errors import BuildInProgress, PublishError

_OURS = re.compile(rb"(sitegen ([0-9]+)\n)?")
"""Text of a lock: empty where a build was killed before it had written it."""


def lock_path(out: Path) -> Path:
    """Where the lock of an output folder lives."""
    return out.parent / f".{out.name}.lock"


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold the lock of ``out``; the kernel lets go of it when the process dies, however it dies.

    Raises:
        BuildInProgress: If another process holds it.
        PublishError: If something that no build of ours made has its name.
    """
    path = lock_path(out)
    descriptor = _acquire(path)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"sitegen {os.getpid()}\n".encode(), 0)
        yield
    finally:
        with suppress(OSError):  # the site stands all the same; a lock that nobody holds is no lock
            path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path) -> int:
    while True:
        if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
            raise _foreign(path)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(path, flags, 0o644)
        try:
            _lock(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        if _still_there(path, descriptor):
            return descriptor
        os.close(descriptor)


def _lock(path: Path, descriptor: int) -> None:
    """Lock a file that is ours; its text is not changed."""
    text = _OURS.fullmatch(os.pread(descriptor, 64, 0))
    if text is None:
        raise _foreign(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = text[2].decode() if text[2] else "unknown"
        message = f"build in progress (pid {owner}); wait for it or stop it"
        raise BuildInProgress(message) from None


def _foreign(path: Path) -> PublishError:
    return PublishError(
        f"{path} is in the way: a build needs a lock with that name, and sitegen did not make "
        "this one; move it away, or publish into another folder"
    )


def _still_there(path: Path, descriptor: int) -> bool:
    """Return whether the locked file is still at ``path``: its last holder may have removed it."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
