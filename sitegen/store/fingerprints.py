"""Digests that name what an entry was made of."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

MADE_WITH = (
    "jinja2", "markdown-it-py", "mdit-py-plugins", "markupsafe", "nh3", "numpy", "orjson",
    "pagefind-bin", "pillow", "pydantic", "pygments", "pyyaml",
)  # fmt: skip
"""Packages that bytes of a site come from; another version of one is another program."""


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
    package = Path(__file__).parents[1]
    files = sorted(
        path
        for path in package.rglob("*")
        if path.suffix in {".py", ".js", ".json"} and path.is_file()
    )
    sources = (part for path in files for part in (str(path.relative_to(package)), _read(path)))
    return digest_of(sys.version, *_versions(MADE_WITH), *sources)


def _read(path: Path) -> bytes:
    return path.read_bytes()


def _versions(names: Iterable[str]) -> list[str]:
    return [f"{name} {_version(name)}" for name in names]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
