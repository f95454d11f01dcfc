"""References and directives in Markdown: the grammar of ``{{ … }}`` and ``{% … %}``.

This is a notation of our own, read by two regular expressions. No template engine ever sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sitegen.values import dataclass

REFERENCE = re.compile(r"\{\{ ([^{}\n]+?) \}\}")
"""A reference; the spaces belong to it."""

DIRECTIVE = re.compile(r"^\{% ([^{}\n]+?) %\}[ ]*$", re.MULTILINE)
"""A directive, alone on its line."""

_LOOKS_LIKE = re.compile(r"\{\{\s*[A-Za-z]|\{%")
_WORD = re.compile(r"^[a-z0-9][A-Za-z0-9._-]*$")
_OPTION = re.compile(r"^([a-z-]+)=([a-z0-9][a-z0-9._,-]*)$")


class NotUnderstood(Exception):  # noqa: N818 - says what happened; becomes a problem with a place
    """A reference or directive that names nothing: what is wrong, and what to try."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Notation:
    """A piece of notation: its inner text and where it starts in the text searched."""

    inner: str
    index: int


def find_references(text: str) -> Iterator[Notation]:
    """Yield every reference, in order."""
    for match in REFERENCE.finditer(text):
        yield Notation(match[1], match.start())


def find_directives(text: str) -> Iterator[Notation]:
    """Yield every directive, in order."""
    for match in DIRECTIVE.finditer(text):
        yield Notation(match[1], match.start())


def find_malformed(text: str) -> Iterator[int]:
    """Yield where something looks like the notation and is not."""
    good = {match.start() for match in REFERENCE.finditer(text)}
    good |= {match.start() for match in DIRECTIVE.finditer(text)}
    for match in _LOOKS_LIKE.finditer(text):
        if match.start() not in good:
            yield match.start()


def words_of(inner: str) -> tuple[str, ...]:
    """Split a reference into its words.

    Raises:
        NotUnderstood: If a word has a character that no id or field has.
    """
    words = tuple(inner.split(" "))
    for word in words:
        if not _WORD.match(word):
            raise NotUnderstood(f"'{word}' is not an id or a field", "separate words by one space")
    return words


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive's name and options; ``options`` remembers the order written."""

    name: str
    options: Mapping[str, str]

    def required(self, name: str) -> str:
        """Return an option that must be there."""
        if name not in self.options:
            raise NotUnderstood(f"{{% {self.name} %}} needs {name}=…")
        return self.options[name]

    def ids(self, name: str) -> tuple[str, ...]:
        """Return an option as a list of ids; empty when it was left out."""
        value = self.options.get(name, "")
        return tuple(value.split(",")) if value else ()


def parse_directive(inner: str) -> Directive:
    """Read a directive.

    >>> parse_directive("fits combo=dual-rtx-3090 limit=5").options["limit"]
    '5'

    Raises:
        NotUnderstood: If it is not a name followed by options.
    """
    name, *rest = inner.split(" ")
    options: dict[str, str] = {}
    for word in rest:
        match = _OPTION.match(word)
        if match is None:
            raise NotUnderstood(f"'{word}' is not an option", "write name=value without spaces")
        if match[1] in options:
            raise NotUnderstood(f"the option {match[1]}= stands here twice")
        options[match[1]] = match[2]
    return Directive(name, options)
