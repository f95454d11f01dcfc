"""Digests that name what an entry was made of."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

MADE_WITH = (
    "jinja2", "markdown-it-py", "mdit-py-plugins", "markupsafe", "nh3", "numpy", "orjson",
    "pagefind-bin", "pillow", "pydantic", "pygments", "pyyaml",
)  # fmt: skip
"""Packages that bytes of a site come from; another version of one is another program."""


PACKAGE = Path(__file__).parents[1]
CODE = frozenset({".py", ".js", ".json"})
_ENDINGS = tuple(sorted(CODE))


def digest_of(*parts: str | bytes) -> str:
    """Name parts in their order; where one ends and the next begins is part of the name.

    >>> digest_of("ab", "c") == digest_of("a", "bc")
    False
    """
    made = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        made.update(b"%d:" % len(content))
        made.update(content)
    return made.hexdigest()


def code_digest() -> str:
    """Name the program: its own files, Python, and the packages that it makes bytes with."""
    sources = (
        part
        for path in _code()
        for part in (path.relative_to(PACKAGE).as_posix(), path.read_bytes())
    )
    return digest_of(sys.version, *_versions(MADE_WITH), *sources)


def code_times() -> tuple[tuple[str, int], ...]:
    """Say when each file of the program was written: quicker to compare than its name."""
    return tuple(sorted(_times(str(PACKAGE))))


def _times(folder: str) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from () if entry.name == "__pycache__" else _times(entry.path)
            elif entry.name.endswith(_ENDINGS):
                yield entry.path, entry.stat().st_mtime_ns


def _code() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in CODE and path.is_file())


def _versions(names: Iterable[str]) -> list[str]:
    return [f"{name} {_version(name)}" for name in names]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
