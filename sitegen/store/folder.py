"""Entries as files: written beside their place and renamed, checked when read, oldest out first."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sitegen.values import dataclass

FOLDER = ".sitegen-cache"
LIMIT_BYTES = 512 * 2**20
"""What a store holds after a build; what was not used for longest goes first."""
MOST_ENTRY_BYTES = 256 * 2**20
"""Size of an entry, unpacked: a larger one is not kept, and not believed."""
_MAGIC = b"sitegen store 1\n"
_DIGEST_BYTES = 16
_UNFINISHED = ".part"
_ABANDONED_S = 3600.0
"""Age of a file under its passing name that no living build is writing any more."""
_OUTSIDERS = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class FolderStore:
    """Bytes by key below one folder; every failure of the disk is an entry that is not there.

    Several builds may use one store: an entry appears whole, by a rename, and two that write the
    same key write the same bytes. What a killed build leaves has a passing name and is removed
    an hour later.
    """

    root: Path

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under a key; ``None`` if there are none or they are damaged."""
        path = self._path(key)
        try:
            written = path.read_bytes()
        except OSError:
            return None
        content = _unpacked(written, key)
        with suppress(OSError):
            if content is None:
                path.unlink()
            else:
                os.utime(path)  # used now
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep bytes under a key; on a full or read-only disk nothing is kept."""
        if len(content) > MOST_ENTRY_BYTES:
            return
        path = self._path(key)
        beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}{_UNFINISHED}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                beside.write_bytes(_packed(content, key))
                beside.replace(path)
            except OSError:
                beside.unlink(missing_ok=True)
        except OSError:
            return

    def touch(self, key: str) -> bool:
        """Return whether there is an entry under a key, and count it as used now."""
        try:
            os.utime(self._path(key))
        except OSError:
            return False
        return True

    def trim(self, limit_bytes: int = LIMIT_BYTES) -> None:
        """Remove the entries that were used least recently until the rest is small enough."""
        entries = sorted(self._entries(time.time() - _ABANDONED_S), reverse=True)
        held = 0
        for _, size, path in entries:
            held += size
            if held > limit_bytes:
                with suppress(OSError):
                    path.unlink()

    def _entries(self, abandoned: float) -> Iterator[tuple[float, int, Path]]:
        """Yield each entry's last use, size and path; remove unfinished ones."""
        for folder in _folders(self.root):
            for path, status in _files(folder):
                if not path.name.endswith(_UNFINISHED):
                    yield status.st_mtime, status.st_size, path
                elif status.st_mtime < abandoned:
                    with suppress(OSError):
                        path.unlink()

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.root / name[:2] / name[2:]


def open_store(root: Path) -> FolderStore | None:
    """Open the store in a folder, or make one; ``None`` where that is not safe or not possible.

    A folder that others may write to is not used, nor one that a link leads to.
    """
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = root.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return None
        if status.st_mode & _OUTSIDERS:
            return None
        ignored = root / ".gitignore"
        if not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")
    except OSError:
        return None
    return FolderStore(root)


def _packed(content: bytes, key: str) -> bytes:
    small = zlib.compress(content, 1)
    return _MAGIC + _digest(small, key) + small


def _unpacked(written: bytes, key: str) -> bytes | None:
    """Return the content of an entry that is whole and stands under its own key."""
    start = len(_MAGIC) + _DIGEST_BYTES
    small = written[start:]
    if written[: len(_MAGIC)] != _MAGIC or written[len(_MAGIC) : start] != _digest(small, key):
        return None
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(small, MOST_ENTRY_BYTES)
    except zlib.error:
        return None
    return content if unpacking.eof else None


def _digest(small: bytes, key: str) -> bytes:
    made = hashlib.blake2b(key.encode() + b"\0", digest_size=_DIGEST_BYTES)
    made.update(small)
    return made.digest()


def _folders(root: Path) -> Iterator[Path]:
    with suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            if len(entry.name) == 2 and entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    yield Path(entry.path), status
