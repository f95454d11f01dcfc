"""Writing a tree of files to a folder of its own and flushing it to the disk."""

from __future__ import annotations

import os
import shutil
import stat
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from sitegen.output.described import ManifestEntry, described
from sitegen.output.ownership import MANIFEST, is_touched
from sitegen.output.scratch import sync_folder

FLUSHERS = 8
"""Threads that flush: a disk flushes many files at once in the time of a few."""


class TreeWriter:
    """Writes files to a folder of its own as they are handed over, and flushes them at the end.

    Processes that are forked from this one may write too. Modes do not depend on the umask. The
    paths are safe already; ``root`` must not exist. A file that stands in the published folder
    already gets a second name there, in place of a copy.
    """

    def __init__(self, root: Path, published: Path, listed: Mapping[str, ManifestEntry]) -> None:
        """Take the folder to write, and the published one with what its manifest lists."""
        self.root = root
        self._at, self._published, self._listed = f"{root}{os.sep}", f"{published}{os.sep}", listed
        self._folders: set[str] = set()
        self._since = 0
        with suppress(OSError):
            self._since = (published / MANIFEST).lstat().st_ctime_ns

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files, by relative POSIX path.

        Raises:
            OSError: With the file's name, if the system refuses.
        """
        for path in sorted(files):
            self.put(path, described(files[path]), partial(files.__getitem__, path))

    def put(self, path: str, entry: ManifestEntry, content: Callable[[], bytes]) -> None:
        """Write one file, whose bytes are asked for where it does not stand as published.

        Raises:
            OSError: With the file's name, if the system refuses.
        """
        self._make_folders(path)
        fresh = self._at + path
        if entry == self._listed.get(path) and self._linked(self._published + path, fresh, content):
            return
        _write(fresh, content())

    def _make_folders(self, path: str) -> None:
        """Make the folders that a file stands in; another process may have made some."""
        folder = path.rpartition("/")[0]
        missing = [] if self._folders else [str(self.root)]
        while folder and folder not in self._folders:
            missing.append(self._at + folder)
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]
        self._folders.add("")
        for made in sorted(missing):
            with suppress(FileExistsError):
                os.mkdir(made)  # noqa: PTH102 - thousands of them
                Path(made).chmod(0o755)

    def has(self, path: str, size: int) -> bool:
        """Return whether a file is written, here or by a process forked from this one.

        A second name of a published file that was written to since is taken back.
        """
        fresh = self._at + path
        try:
            found = os.lstat(fresh)
        except FileNotFoundError:
            return False
        if found.st_size == size and (found.st_nlink == 1 or found.st_mtime_ns < self._since):
            return True
        os.unlink(fresh)  # noqa: PTH108
        return False

    def flush(self, paths: Iterable[str]) -> None:
        """Flush the files that are new, then every folder.

        Raises:
            OSError: With the file's name.
        """
        listed = [self._at + path for path in paths]
        new = [path for path in listed if os.lstat(path).st_nlink == 1]
        folders = {Path(path).parent for path in listed}
        folders |= {
            one for inner in folders for one in inner.parents if one.is_relative_to(self.root)
        }
        with ThreadPoolExecutor(FLUSHERS) as flushers:
            # Writing begins for all before the first is waited for.
            for step in (_begin_to_flush, _flush):
                deque(flushers.map(step, new), 0)
            deque(flushers.map(sync_folder, folders), 0)

    def _linked(self, old: str, fresh: str, content: Callable[[], bytes]) -> bool:
        """Give a published file a second name if it is what would be written; it was flushed then.

        A file that nobody has touched since the manifest was written is what the manifest says;
        any other is read. One that has two names already is somebody's copy of the site, too: it
        is left alone.
        """
        try:
            found = os.lstat(old)
            is_ours = found.st_mode == stat.S_IFREG | 0o644 and found.st_uid == os.geteuid()
            if not is_ours or found.st_nlink != 1:
                return False
            if is_touched(found, self._since) and _read(old) != content():
                return False
            os.link(old, fresh)
        except OSError:  # not every file system has second names
            return False
        given = os.lstat(fresh)
        if (given.st_ino, given.st_dev, given.st_size, given.st_mtime_ns) == (
            found.st_ino, found.st_dev, found.st_size, found.st_mtime_ns,
        ):  # fmt: skip
            return True
        os.unlink(fresh)  # noqa: PTH108 - another file has taken its place meanwhile
        return False


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _write(path: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o644)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fchmod(descriptor, 0o644)
    except OSError as error:
        error.filename = error.filename or path
        raise
    finally:
        os.close(descriptor)


def _begin_to_flush(path: str) -> None:
    """Ask the system to write a file to the disk, and do not wait for it."""
    if hasattr(os, "posix_fadvise"):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def _flush(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        error.filename = error.filename or path
        raise
    finally:
        os.close(descriptor)


def carry_over(paths: Iterable[str], old: Path, fresh: Path) -> None:
    """Copy files that are not ours from the old tree into the new one, symlinks as symlinks."""
    for path in paths:
        source, target = old / path, fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir() and not source.is_symlink():
            target.mkdir()
        else:
            shutil.copy2(source, target, follow_symlinks=False)
