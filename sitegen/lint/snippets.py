"""Pieces of a file in one language each, with the way back to their place in the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import field, replace
from itertools import pairwise

from sitegen.catalog.text.source_text import SourceText
from sitegen.recipes.recipe import Language
from sitegen.values import dataclass

LANGUAGES: Mapping[str, Language] = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "fish", "console", "terminal"), Language.BASH),
    **dict.fromkeys(("shell-session", "shellsession", "sh-session", "ksh"), Language.BASH),
    **dict.fromkeys(("yaml", "yml"), Language.YAML),
    **dict.fromkeys(("json", "json5", "jsonc"), Language.JSON),
    **dict.fromkeys(("python", "py", "python3"), Language.PYTHON),
    **dict.fromkeys(("ini", "systemd", "service", "desktop"), Language.INI),
    "modelfile": Language.MODELFILE,
}
"""Languages by the word that authors name them with."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a reader sees around a snippet, the nearest first.

    Attributes:
        before: Text right above it.
        headings: From the nearest to the title.
        combo: Id that the file names for all of it, empty for none.
        contained: Whether it is run in a container with an address of its own.
        version: Of the programs in the image that it is run in, as ``version_of_image`` says.
        quoted: Whether it is a text of a program, which may tell people of a command.
        variables: What its shell is given where the container says so.
        doubled: Whether its shell is given one dollar for two, because docker compose puts in
            variables of its own for one.
    """

    before: str = ""
    headings: tuple[str, ...] = ()
    combo: str = ""
    contained: bool = False
    version: str = ""
    quoted: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    doubled: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a file.

    ``breaks`` are ``(index in the snippet, index in the file)``, ascending: between two of them
    the characters of both run in step.
    """

    source: SourceText
    text: str
    language: Language
    breaks: tuple[tuple[int, int], ...] = ((0, 0),)
    around: Surroundings = field(default_factory=Surroundings)

    @classmethod
    def whole(cls, source: SourceText) -> Snippet:
        """Take a file as one piece."""
        return cls(source, source.text, Language.BASH)

    def index(self, at: int) -> int:
        """Return the place in the file of a place in the snippet."""
        own, file = self.breaks[max(0, bisect_right(self.breaks, (at, 1 << 60)) - 1)]
        return min(file + at - own, max(0, len(self.source.text) - 1))

    def part(self, start: int, end: int, language: Language) -> Snippet:
        """Cut a piece out that is in a language of its own."""
        breaks = [(0, self.index(start))]
        breaks += [(own - start, file) for own, file in self.breaks if start < own < end]
        return Snippet(self.source, self.text[start:end], language, tuple(breaks), self.around)


def without(part: Snippet, escaped: re.Pattern[str]) -> Snippet:
    """Take the signs away that keep others from the shell."""
    if not escaped.search(part.text):
        return part
    left_out = {
        at for found in escaped.finditer(part.text) for at in range(found.start(), found.end())
    }
    kept = [at for at in range(len(part.text)) if at not in left_out]
    text = "".join(part.text[at] for at in kept)
    breaks = [(0, part.index(kept[0] if kept else 0))]
    breaks += [
        (own, part.index(at))
        for own, (before, at) in enumerate(pairwise(kept), 1)
        if at != before + 1
    ]
    return replace(part, text=text, breaks=tuple(breaks))


@dataclass(frozen=True, slots=True)
class Spot:
    """A character of a snippet."""

    snippet: Snippet
    index: int
