"""Writing a tree of files to a folder of its own and flushing it to the disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sitegen.output.swap import sync_folder

WRITERS = 8
"""Threads that write: a disk flushes many files at once in the time of a few."""


def write_tree(files: Mapping[str, bytes], root: Path) -> None:
    """Write and flush every file, with modes that do not depend on the umask.

    Args:
        files: Content by relative POSIX path; the paths are safe already.
        root: The folder to make; must not exist.

    Raises:
        OSError: With the file's name.
    """
    root.mkdir(mode=0o700)
    folders = {root}
    for path in sorted(files):
        for parent in reversed((root / path).parents[: path.count("/")]):
            if parent not in folders:
                parent.mkdir()
                folders.add(parent)
    with ThreadPoolExecutor(WRITERS) as writers:
        for _ in writers.map(lambda path: _write_file(root / path, files[path]), sorted(files)):
            pass
    for folder in sorted(folders, reverse=True):
        folder.chmod(0o755)
        sync_folder(folder)


def _write_file(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o644)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fchmod(descriptor, 0o644)
        os.fsync(descriptor)
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
    finally:
        os.close(descriptor)


def carry_over(paths: Iterable[str], old: Path, fresh: Path) -> None:
    """Copy what is not ours from the old tree into the new one, symlinks as symlinks."""
    for path in paths:
        source, target = old / path, fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir() and not source.is_symlink():
            target.mkdir()
        else:
            shutil.copy2(source, target, follow_symlinks=False)
