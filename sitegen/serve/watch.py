"""Noticing edits: a fingerprint of the sources, and when to build after it changed."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from pathlib import Path

from sitegen.values import dataclass

WATCHED = ("catalog", "content", "templates")
_SCRATCH = ("~", ".swp", ".swx", ".tmp", ".bak")


def fingerprint(root: Path, private: Path | None = None) -> Hashable:
    """Names, sizes and times of all sources; editors' scratch files do not count."""
    folders = [*(root / name for name in WATCHED), *([private] if private else [])]
    return tuple(sorted(entry for folder in folders for entry in _stats(folder)))


def _stats(folder: Path) -> Iterator[tuple[str, int, int]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:  # gone between two looks
        return
    for entry in entries:
        if entry.name.startswith((".", "#")) or entry.name.endswith(_SCRATCH):
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _stats(Path(entry.path))
            else:
                status = entry.stat(follow_symlinks=False)
                yield entry.path, status.st_size, status.st_mtime_ns
        except OSError:
            continue


@dataclass(slots=True)
class Debounce:
    """Says when to build: once things are quiet, or at the latest after some looks.

    A storm of saves is one build. An endless storm still gets a build now and then.
    """

    built: Hashable
    patience: int = 8
    _seen: Hashable = None
    _waited: int = 0

    def is_due(self, current: Hashable) -> bool:
        """Take a look; ``True`` means build now, and that ``current`` counts as built."""
        if current == self.built:
            self._waited = 0
            return False
        quiet = current == self._seen
        self._seen = current
        self._waited += 1
        if not quiet and self._waited < self.patience:
            return False
        self.built, self._waited = current, 0
        return True
