"""Input of the linter: files, folders, standard input, and what files beside them pin."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from sitegen.catalog.text.source_text import MAX_BYTES, SourceText, decode
from sitegen.cli.exits import CommandError
from sitegen.lint.manifests import FOLDERS, PAGES, Pins, pins_of, speaks_of_versions, together
from sitegen.lint.reading import SUFFIXES, kind_of
from sitegen.problems import Problem, SourceSpan

SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
MOST_FILES = 20_000
MOST_BESIDE = 200
"""Files of a folder that are asked for versions."""
MOST_BYTES_BESIDE = 4 * 2**20
"""Of a file that is asked for versions: locks of large projects have some megabytes."""
DEEPEST = 40
"""Folders above a file that are looked through for its repository."""
NONE: Mapping[str, str] = {}
Sources = tuple[tuple[SourceText, str, Mapping[str, str]], ...]


def sources_of(
    places: tuple[str, ...], typed: tuple[str, ...]
) -> tuple[Sources, tuple[Problem, ...]]:
    """Read everything that was named.

    Returns:
        Each text with how it is read (empty where its name says so) and what files beside it pin,
        and a problem for each file that is too large or no text.

    Raises:
        CommandError: If a place does not exist, or a folder holds too many files.
        OSError: If a file cannot be read.
    """
    found: list[tuple[SourceText, str, Mapping[str, str]]] = []
    problems: list[Problem] = []
    for at, typed_text in enumerate(typed, 1):
        name = "--command" if len(typed) == 1 else f"--command#{at}"
        found.append((SourceText(name, _plain_lines(typed_text)), "bash", NONE))
    beside = _Beside()
    for place in dict.fromkeys(places):
        if place == "-":
            text = _decoded("-", sys.stdin.buffer.read(MAX_BYTES + 1), problems)
            found += [(one, "", NONE) for one in text]
            continue
        for path in _files(Path(place)):
            with path.open("rb") as stream:
                text = _decoded(path.as_posix(), stream.read(MAX_BYTES + 1), problems)
            found += [(one, "", beside.versions(path, Path(place))) for one in text]
    return tuple(found), tuple(problems)


class _Beside:
    """What files beside others pin, each folder read once."""

    def __init__(self) -> None:
        self._pins: dict[Path, Mapping[Path, Pins]] = {}

    def versions(self, path: Path, given: Path) -> Mapping[str, str]:
        """Return the versions that files in a file's folder and above it pin.

        Up to the root of its repository: the nearest folder with a ``.git``, else the folder that
        was given to read. What the file says itself is read in it.
        """
        whole, top = path.absolute(), given.absolute()
        above = whole.parents[:DEEPEST]
        root = next((one for one in above if (one / ".git").exists()), None)
        if root is None:
            root = top if top in above else above[0]
        inside = above[: above.index(root) + 1]
        return together(
            pins
            for folder in inside
            for place, pins in self._of(folder).items()
            if place != whole and pins
        )

    def _of(self, folder: Path) -> Mapping[Path, Pins]:
        if folder not in self._pins:
            self._pins[folder] = dict(_pins_in(folder))
        return self._pins[folder]


def _pins_in(folder: Path) -> Iterator[tuple[Path, Pins]]:
    """Yield what the files of a folder pin, and those of folders that are made for it."""
    for inside in ("", *sorted(FOLDERS)):
        speaking = (one for one in _held(folder / inside, inside) if _speaks(one, inside))
        for path in islice(speaking, MOST_BESIDE):
            try:
                if path.is_symlink() or not path.is_file():
                    continue
                with path.open("rb") as stream:
                    text = stream.read(MOST_BYTES_BESIDE).decode("utf-8", "replace")
            except OSError:
                continue  # what cannot be read pins nothing
            yield path, pins_of(path.name, text)


def _speaks(path: Path, inside: str) -> bool:
    return speaks_of_versions(path.name, inside)


def _held(folder: Path, inside: str) -> Iterator[Path]:
    """Yield the paths in a folder in order, and those below where it holds pages."""
    for here, folders, names in os.walk(folder):  # a folder that is not there has none
        folders[:] = sorted(one for one in folders if inside in PAGES and one[:1] != ".")
        yield from (Path(here, name) for name in sorted(names))


def _decoded(name: str, content: bytes, problems: list[Problem]) -> tuple[SourceText, ...]:
    """Return the text of a file, once; nothing where it is too large or none."""
    if len(content) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES // 2**20} MiB"
        problems.append(Problem(SourceSpan(name), "too-large", message, "split it"))
        return ()
    text, problem = decode(name, content)
    if problem is not None:
        problems.append(problem)
        return ()
    return () if text is None else (SourceText(name, _plain_lines(text)),)


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
