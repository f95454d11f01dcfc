"""Input of the linter: files, folders, standard input, and the tables of options."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from sitegen.catalog.text.source_text import MAX_BYTES, SourceText, decode
from sitegen.cli.exits import CommandError
from sitegen.lint.reading import SUFFIXES, kind_of
from sitegen.problems import Problem, SourceSpan

SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
MOST_FILES = 20_000
Sources = tuple[tuple[SourceText, str], ...]


def sources_of(
    places: tuple[str, ...], typed: tuple[str, ...]
) -> tuple[Sources, tuple[Problem, ...]]:
    """Read everything that was named.

    Returns:
        Each text with how it is read (empty where its name says so), and a problem for each file
        that is too large or no text.

    Raises:
        CommandError: If a place does not exist, or a folder holds too many files.
        OSError: If a file cannot be read.
    """
    found: list[tuple[SourceText, str]] = []
    problems: list[Problem] = []
    for at, text in enumerate(typed, 1):
        name = "--command" if len(typed) == 1 else f"--command#{at}"
        found.append((SourceText(name, _plain_lines(text)), "bash"))
    for place in dict.fromkeys(places):
        if place == "-":
            _decoded("-", sys.stdin.buffer.read(MAX_BYTES + 1), found, problems)
            continue
        for path in _files(Path(place)):
            with path.open("rb") as stream:
                _decoded(path.as_posix(), stream.read(MAX_BYTES + 1), found, problems)
    return tuple(found), tuple(problems)


def _decoded(
    name: str, content: bytes, found: list[tuple[SourceText, str]], problems: list[Problem]
) -> None:
    if len(content) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES // 2**20} MiB"
        problems.append(Problem(SourceSpan(name), "too-large", message, "split it"))
        return
    text, problem = decode(name, content)
    if problem is not None:
        problems.append(problem)
    elif text is not None:
        found.append((SourceText(name, _plain_lines(text)), ""))


def _plain_lines(text: str) -> str:
    """End lines with line feeds, without the mark that editors of Windows put before them."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _files(place: Path) -> Iterator[Path]:
    """Yield a file itself, or the files of a folder that the linter reads, in order."""
    try:
        status = place.stat()
    except FileNotFoundError as error:
        raise CommandError(f"{place} does not exist") from error
    if stat.S_ISDIR(status.st_mode):
        yield from _inside(place)
    elif stat.S_ISREG(status.st_mode):
        yield place
    else:
        raise CommandError(f"{place} is neither a file nor a folder")


def _inside(folder: Path) -> Iterator[Path]:
    count = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in SKIPPED)
        for name in sorted(names):
            path = Path(here, name)
            suffix = path.suffix.removeprefix(".").lower()
            known = suffix in SUFFIXES or kind_of(name, "") in {"modelfile", "dockerfile"}
            if not known or name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            count += 1
            if count > MOST_FILES:
                raise CommandError(f"{folder} holds more than {MOST_FILES} files to read")
            yield path
