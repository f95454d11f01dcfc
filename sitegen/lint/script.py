"""What a shell text consists of: commands with words, faults, here-documents."""

from __future__ import annotations

import re

from sitegen.values import dataclass

_WHOLE = re.compile(r"[0-9]{1,18}")


def whole_number(text: str) -> int | None:
    """Read a count; ``None`` for what is none, and for what is too long to be one.

    >>> whole_number("8"), whole_number("²"), whole_number("-1"), whole_number("9" * 5_000)
    (8, None, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command: ``text`` with quotes and known variables resolved.

    ``start`` and ``end`` are indices into the text that was read; ``known`` is false where a part
    of the word is nobody's to know.
    """

    text: str
    start: int
    end: int
    known: bool = True
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that breaks a command before its words are looked at."""

    code: str
    index: int
    follows: int = 0
    """Where the part begins that the shell does not see as part of the command."""


@dataclass(frozen=True, slots=True)
class HereDocument:
    """Text that a command is fed, with the file that it is written to, where that is plain.

    ``fed`` are the words of that command in front of it. ``expands`` says that the shell puts
    variables in, and takes backslashes away.
    """

    start: int
    end: int
    target: str
    expands: bool
    fed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command.

    ``adjoins`` says that it stands on the line after the command before it.
    """

    words: tuple[Word, ...]
    variables: tuple[tuple[str, Word], ...]
    start: int
    end: int
    background: bool = False
    adjoins: bool = False
    comments: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """What a shell text consists of."""

    commands: tuple[Command, ...]
    documents: tuple[HereDocument, ...]
    faults: tuple[Fault, ...]
