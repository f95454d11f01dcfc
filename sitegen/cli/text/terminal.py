"""Text for terminals: nothing from the catalog can move the cursor or colour a line."""

from __future__ import annotations

import os
import unicodedata
from typing import TextIO

import click


def printable(text: str, *, keep_newlines: bool = False) -> str:
    r"""Show control characters, bidirectional controls and lone surrogates as escapes.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    >>> printable("two\nlines")
    'two\\nlines'
    """
    return "".join(
        character
        if _is_plain(character) or (keep_newlines and character == "\n")
        else _escaped(character)
        for character in text
    )


def _is_plain(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def wants_colour(stream: TextIO) -> bool:
    """Whether escapes may be written: a real terminal, and nobody has said no."""
    refused = any(os.environ.get(name) for name in ("NO_COLOR", "CI"))
    return stream.isatty() and not refused and os.environ.get("TERM") != "dumb"


def say(text: str, stream: TextIO, *, style: str = "") -> None:
    """Print a line of already printable text, coloured where that is wanted."""
    coloured = bool(style) and wants_colour(stream)
    line = click.style(text, fg=style, bold=True) if coloured else text
    print(line, file=stream)
