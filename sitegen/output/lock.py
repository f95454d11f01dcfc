"""One publication at a time: a lock file beside the output folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitegen.output.errors import BuildInProgress


def lock_path(out: Path) -> Path:
    """Where the lock of an output folder lives."""
    return out.parent / f".{out.name}.lock"


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold the lock of ``out``; the kernel lets go of it when the process dies, however it dies.

    Raises:
        BuildInProgress: If another process holds it.
    """
    path = lock_path(out)
    descriptor = _acquire(path)
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path) -> int:
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            message = f"build in progress (pid {owner}); wait for it or end it"
            raise BuildInProgress(message) from None
        except BaseException:
            os.close(descriptor)
            raise
        if _still_there(path, descriptor):
            return descriptor
        os.close(descriptor)


def _still_there(path: Path, descriptor: int) -> bool:
    """Whether the locked file is the one at ``path``: its last holder may just have removed it."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
