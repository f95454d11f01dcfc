"""A format: which paths of its files are kept, how it is told from others, how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from sitegen.importers.measured import Measured
from sitegen.importers.wanted import Kept
from sitegen.values import dataclass

Value: TypeAlias = tuple[int, Kept]
"""A value of a file and the line on which it begins."""


@dataclass(frozen=True, slots=True)
class Format:
    """One tool's results.

    Attributes:
        id: As on the command line.
        name: As on pages.
        paths: What of a file is kept, in the words of ``wanted``.
        recognises: Whether a file whose first value is this one is such a file.
        read: Turns the values of a file into runs, one by one.
    """

    id: str
    name: str
    paths: tuple[str, ...]
    recognises: Callable[[Kept], bool]
    read: Callable[[Iterable[Value]], Iterator[Measured]]
