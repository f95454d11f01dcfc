"""A format: which paths of its files are kept, how it is told from others, how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from sitegen.importers.measured import ToolRun, UnusableError
from sitegen.importers.wanted import Kept
from sitegen.values import dataclass

Value: TypeAlias = tuple[int, Kept]
"""A value of a file and the line on which it begins."""


def alike(values: Iterable[Value], recognises: Callable[[Kept], bool]) -> Iterator[Value]:
    """Pass on the values of a file that are of one format.

    Raises:
        UnusableError: At the first that is of another.
    """
    for line, found in values:
        if not recognises(found):
            raise UnusableError("what follows is not of the format that the file begins with", line)
        yield line, found


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
    read: Callable[[Iterable[Value]], Iterator[ToolRun]]
