"""Files of a site of which some are described: their bytes are read when somebody asks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping

from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """The manifest's entry of one file."""

    sha256: str
    size: int


def described(content: bytes) -> ManifestEntry:
    """Describe the bytes of a file.

    >>> described(b"").size
    0
    """
    return ManifestEntry(hashlib.sha256(content).hexdigest(), len(content))


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """What is known of a file whose bytes lie elsewhere, and who fetches them by its path."""

    entry: ManifestEntry
    fetch: Callable[[str], bytes]


class SiteFiles(Mapping[str, bytes]):
    """Bytes by path, in path order; those that are only described are fetched each time."""

    def __init__(
        self, here: Mapping[str, bytes], elsewhere: Mapping[str, DescribedFile] | None = None
    ) -> None:
        """Take files that are held and files that are described, with different paths."""
        self._files: dict[str, bytes | DescribedFile] = {**here, **(elsewhere or {})}

    def __getitem__(self, path: str) -> bytes:
        """Return the bytes of a file."""
        found = self._files[path]
        return found.fetch(path) if isinstance(found, DescribedFile) else found

    def __iter__(self) -> Iterator[str]:
        """Iterate over paths."""
        return iter(sorted(self._files))

    def __len__(self) -> int:
        """Count files."""
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        """Return whether there is such a file, without fetching it."""
        return path in self._files

    def entry(self, path: str) -> ManifestEntry:
        """Describe a file; one that is held is read."""
        found = self._files[path]
        return found.entry if isinstance(found, DescribedFile) else described(found)

    def and_these(self, more: Mapping[str, bytes]) -> SiteFiles:
        """Return these files and others that are held, which replace files of their paths."""
        joined = SiteFiles({})
        joined._files = {**self._files, **more}
        return joined
