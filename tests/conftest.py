"""What every test of a process shares: catalogs that were read once.

The same files are the same catalog, which nothing can change: whoever asks for it a second time,
by whatever command, gets the first answer. Processes that a test starts read it themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from sitegen.catalog import load
from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.domain.catalog import Catalog

Parsed = tuple[CatalogRecords, Catalog]
KEPT = 6
"""Catalogs of a process: the whole, parts of it, a small project and changes of it."""


def read_once(parse: Callable[..., Parsed]) -> Callable[..., Parsed]:
    """Remember the last catalogs; problems are found anew."""

    @lru_cache(maxsize=KEPT)
    def parsed(files: tuple[tuple[str, str], ...], today: str) -> Parsed:
        return parse(dict(files), today=today)

    def remembered(files: Mapping[str, str], *, today: str = "") -> Parsed:
        return parsed(tuple(files.items()), today)

    return remembered


load.parse_authored = read_once(load.parse_authored)
