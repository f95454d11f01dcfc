"""Edits of a project at random: numbers, words, new and removed records, templates, texts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sitegen.inputs import ProjectFiles, read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.memory import NO_PAST, Past
from sitegen.problems import ProblemsFound

_NUMBER = re.compile(r"(?<=: )\d+(\.\d+)?(?=[\n,}])")
_WORDS = re.compile(r"^( *)(name|notes|summary|title|why|tagline): (['\"]?)(?=[A-Z])", re.MULTILINE)
GUIDE = """---
title: A guide of edit {turn}
description: What the edit with the number {turn} says.
kind: guide
---

Text of the edit {turn}.
"""


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done to which file."""

    path: str
    what: str


def edits(root: Path, seed: int, count: int) -> Iterator[Edit]:
    """Do one edit after another to a project; each stays until the next one is asked for.

    An edit that the sources' rules refuse is still an edit; it is undone before the next one.
    """
    random = Random(seed)  # noqa: S311 - a fixed sequence
    kinds = sorted(path.name for path in (root / "catalog").iterdir())
    wanted = [*kinds, "templates", "content", "new combo", "removed combo"]
    for turn in range(count):
        kind = wanted[turn % len(wanted)] if turn < len(wanted) else random.choice(wanted)
        before = {path: path.read_bytes() for path in _files(root)}
        edit = _edit(root, kind, random, turn)
        yield edit
        if is_broken(root):
            for path in _files(root):
                if path not in before:
                    path.unlink()
            for path, content in before.items():
                path.write_bytes(content)


def _files(root: Path) -> list[Path]:
    folders = ("catalog", "content", "templates")
    return sorted(path for name in folders for path in (root / name).rglob("*") if path.is_file())


def is_broken(root: Path) -> bool:
    """Whether the rules of the sources refuse what they say now."""
    return isinstance(_without_memory(read_project(root)), tuple)


def _edit(root: Path, kind: str, random: Random, turn: int) -> Edit:
    combos = sorted((root / "catalog" / "combos").glob("*.yaml"))
    if kind == "new combo" or (kind == "removed combo" and len(combos) == 1):
        kind = "new combo"  # the last one stays
        path = root / "catalog" / "combos" / f"edit-{turn}.yaml"
        shutil.copy(random.choice(combos), path)
        _sub(path, _WORDS, lambda m: f"{m[0]}Edit {turn} ", random)
        return Edit(path.name, kind)
    if kind == "removed combo":
        path = random.choice(combos)
        path.unlink()
        return Edit(path.name, kind)
    if kind == "templates":
        path = random.choice(sorted((root / "templates").rglob("*.html")))
        path.write_text(path.read_text() + f"<!-- edit {turn} -->\n")
    elif kind == "content" and random.random() < 0.5:
        path = root / "content" / "guides" / f"edit-{turn}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(GUIDE.format(turn=turn))
    else:
        folder = root / "content" if kind == "content" else root / "catalog" / kind
        path = random.choice(sorted(folder.rglob("*.yaml")))
        return Edit(path.name, _number_or_word(path, random, turn))
    return Edit(path.name, kind)


def _number_or_word(path: Path, random: Random, turn: int) -> str:
    """Change a number of a record, or begin one of its texts otherwise, or say a comment."""
    if random.random() < 0.7 and _sub(path, _NUMBER, lambda m: _other(m[0], random), random):
        return "a number"
    if _sub(path, _WORDS, lambda m: f"{m[0]}Edit {turn} ", random):
        return "a word"
    path.write_text(path.read_text() + f"# edit {turn}\n")
    return "a comment"


def _other(number: str, random: Random) -> str:
    factor = random.choice((0.5, 0.9, 1.1, 2))
    if "." in number:
        return f"{float(number) * factor:.3f}"
    return str(max(1, round(int(number) * factor)))


def _sub(path: Path, pattern: re.Pattern[str], other, random: Random) -> bool:  # type: ignore[no-untyped-def]
    text = path.read_text()
    found = list(pattern.finditer(text))
    if not found:
        return False
    match = random.choice(found)
    path.write_text(text[: match.start()] + other(match) + text[match.end() :])
    return True


def outcome(project: ProjectFiles, past: Past) -> dict[str, bytes] | tuple[object, ...]:
    """Build, or say what is wrong with the sources."""
    try:
        return dict(build(project, past=past).files)
    except ProblemsFound as found:
        return found.problems


_LAST: list[tuple[ProjectFiles, dict[str, bytes] | tuple[object, ...]]] = []


def _without_memory(project: ProjectFiles) -> dict[str, bytes] | tuple[object, ...]:
    """Build without memory; asked twice in a row for one project, once."""
    if not _LAST or _LAST[0][0] != project:
        _LAST[:] = [(project, outcome(project, NO_PAST))]
    return _LAST[0][1]


def differing(root: Path, past: Past) -> list[str]:
    """Name what differs between a build with memory and one without."""
    project = read_project(root)
    plain, remembered = _without_memory(project), outcome(project, past)
    if isinstance(plain, dict) and isinstance(remembered, dict):
        paths = plain.keys() | remembered.keys()
        return sorted(path for path in paths if plain.get(path) != remembered.get(path))
    return [] if plain == remembered else ["problems"]
