"""The only place where a benchmark file is opened: plain or in an archive, hashed as it is read."""

from __future__ import annotations

import hashlib
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from sitegen.importers.measured import UnusableError
from sitegen.values import dataclass

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MOST_MEMBERS = 10_000
LARGEST_BYTES = 4 * 2**30
"""Of one file, and of all files of an archive together, unpacked."""
MOST_GROWTH = 200
"""Times an archive may grow: results shrink tenfold, bombs a thousandfold."""
SMALL_BYTES = 2**20
"""Archives that unpack to less are never bombs."""
BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
"""What the readers of archives raise where one is torn, lies, or is encrypted."""
TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


class HashedStream(io.RawIOBase):
    """Reads a stream, counts its bytes against a limit and hashes them."""

    def __init__(self, stream: IO[bytes], limit: int = LARGEST_BYTES) -> None:
        self._stream, self._left = stream, limit
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read as ``io`` asks for it.

        Raises:
            UnusableError: If there is more than the limit.
        """
        view = memoryview(buffer)
        try:
            data = self._stream.read(len(view))
        except BROKEN as error:
            raise UnusableError(f"cannot read the archive: {error}") from None
        self._left -= len(data)
        if self._left < 0:
            raise UnusableError("it is larger than the limit when unpacked")
        self._digest.update(data)
        view[: len(data)] = data
        return len(data)

    def finished(self) -> str:
        """SHA-256 of the whole, what nobody wanted to read included."""
        while self.read(2**20):
            pass
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Opened:
    """A file to read: its name for messages, and a way to open it."""

    name: str
    open: Callable[[], IO[bytes]]
    limit: int = LARGEST_BYTES


def opened(path: Path) -> Iterator[Opened]:
    """List what a path holds: itself, or the members of an archive in their order.

    Nothing is unpacked to disk. Members are read one by one, with what they really hold counted.

    Raises:
        UnusableError: If it is no regular file, or an archive that no benchmark makes.
        OSError: If it cannot be read.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise UnusableError("sitegen reads only regular files")
    if zipfile.is_zipfile(path) and path.suffix.lower() == ".zip":
        yield from _zipped(path, status.st_size)
    elif path.name.lower().endswith(TARS):
        yield from _tarred(path, status.st_size)
    else:
        yield Opened(path.name, lambda: path.open("rb"))


def _zipped(path: Path, size: int) -> Iterator[Opened]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _within(len(members), sum(member.file_size for member in members), size)
            for member in members:
                _inside(member.filename)
                kind = stat.S_IFMT(member.external_attr >> 16)
                if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise UnusableError(f"{member.filename[:80]!r} is a link or a device")
                if not member.is_dir():
                    yield Opened(member.filename, _of_zip(archive, member), member.file_size + 1)
    except BROKEN as error:
        raise UnusableError(f"cannot read the archive: {error}") from None


def _of_zip(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    def open_member() -> IO[bytes]:
        try:
            return archive.open(member)
        except BROKEN as error:
            raise UnusableError(f"cannot read the archive: {error}") from None

    return open_member


def _tarred(path: Path, size: int) -> Iterator[Opened]:
    count = total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                count, total = count + 1, total + member.size
                _inside(member.name)
                _within(count, total, size)
                if member.isdir():
                    continue
                if not member.isreg():
                    raise UnusableError(f"{member.name[:80]!r} is a link or a device")
                yield Opened(member.name, _of_tar(archive, member), member.size + 1)
    except (*BROKEN, ValueError) as error:
        raise UnusableError(f"cannot read the archive: {error}") from None


def _of_tar(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def open_member() -> IO[bytes]:
        stream = archive.extractfile(member)
        if stream is None:
            raise UnusableError(f"{member.name[:80]!r} cannot be read")
        return stream

    return open_member


def _within(members: int, unpacked: int, packed: int) -> None:
    """Refuse more than a benchmark writes.

    Raises:
        UnusableError: With what is too much.
    """
    if members > MOST_MEMBERS:
        raise UnusableError(f"the archive has more than {MOST_MEMBERS:,} members")
    grown = unpacked > SMALL_BYTES and unpacked > MOST_GROWTH * max(packed, 1)
    if grown or unpacked > LARGEST_BYTES:
        raise UnusableError("the archive unpacks to far more than any results need")


def _inside(name: str) -> None:
    path = PurePosixPath(name)
    absolute = path.is_absolute() or name[1:2] == ":" or "\\" in name or "\0" in name
    if absolute or ".." in path.parts:
        raise UnusableError(f"{name[:80]!r} leads out of the archive")
