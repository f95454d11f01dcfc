"""PowerShell and cmd as a shell of Unix would be told the same, each character with its place."""

from __future__ import annotations

import re
from dataclasses import replace

from sitegen.lint.snippets import Snippet

_TELLS = re.compile(
    r"\$env:\w+[ \t]*="
    r"|^[ \t]*@?setx?[ \t]+\"?[A-Z_][A-Z0-9_]*="
    r"|[ \t][`^][ \t]*$"
    r"|^[ \t]*@echo off"
    r"|\\[\w.-]+\.exe\b"
    r"|^(?:PS )?[A-Z]:\\[^>\n]*>",
    re.MULTILINE | re.IGNORECASE,
)
"""What only PowerShell or cmd is told."""
_WORDS = re.compile(
    r"^[ \t]*\$env:(?P<set>\w+)[ \t]*=[ \t]*"
    r"|\$(?P<open>\{?)env:(?P<read>\w+)"
    r"|^[ \t]*@?setx?[ \t]+(?P<quoted>\"?)(?P<name>[A-Z_][A-Z0-9_]*)="
    r"(?P<value>[^\n\"&]*)\"?(?P<behind>[ \t]*&&?)?"
    r"|%(?P<percent>[A-Z_][A-Z0-9_]*)%"
    r"|(?<=[ \t])(?P<more>[`^])(?=[ \t]*(?:\n|\Z))"
    r"|(?P<folder>\\)(?=[\w.%$-])"
    r"|^(?P<prompt>(?:PS )?[A-Z]:\\[^>\n]*>[ \t]*)"
    r"|^[ \t]*(?P<remark>rem\b|::)",
    re.MULTILINE | re.IGNORECASE,
)
"""What is written in another way there.

Source:
    https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/, pages
    ``about_environment_variables`` and ``about_parsing``, and
    https://learn.microsoft.com/windows-server/administration/windows-commands/set_1.
"""


def is_of_windows(text: str) -> bool:
    r"""Whether a text is for PowerShell or cmd.

    >>> is_of_windows('$env:A = "b"'), is_of_windows("set A=b"), is_of_windows("export A=b \\")
    (True, True, False)
    """
    return _TELLS.search(text) is not None


def as_shell(snippet: Snippet) -> Snippet:
    """Write a piece for PowerShell or cmd as a script; any other is left as it is."""
    text = snippet.text
    if not is_of_windows(text):
        return snippet
    parts: list[str] = []
    breaks: list[tuple[int, int]] = []
    size = last = 0
    for found in _WORDS.finditer(text):
        for part, start in ((text[last : found.start()], last), (_said(found), found.start())):
            if part:
                breaks += _shifted(snippet, start, len(part), size)
                parts.append(part)
                size += len(part)
        last = found.end()
    if last < len(text) or not parts:
        breaks += _shifted(snippet, last, len(text) - last, size)
        parts.append(text[last:])
    return replace(snippet, text="".join(parts), breaks=tuple(breaks) or ((0, 0),))


def _shifted(snippet: Snippet, start: int, length: int, own: int) -> list[tuple[int, int]]:
    """Say where characters of a piece stand in the file, from their new place on."""
    inside = [(own, snippet.index(start))]
    for at, file in snippet.breaks:
        if start < at < start + length:
            inside.append((own + at - start, file))
    return inside


def _said(found: re.Match[str]) -> str:
    """Write a word of Windows as a script does."""
    if found["set"]:
        return f"export {found['set']}="
    if found["read"]:
        return f"${found['open']}{found['read']}"
    if found["name"]:
        behind = "; " if found["behind"] else ""
        return f'export {found["name"]}="{_slashed(found["value"].rstrip())}"{behind}'
    if found["percent"]:
        return "${" + found["percent"] + "}"
    signs = (("more", "\\"), ("folder", "/"), ("remark", "#"))
    return next((sign for name, sign in signs if found[name]), "")


def _slashed(value: str) -> str:
    r"""Write the folders of a value with the slash that scripts know.

    >>> _slashed("C:\\m\\a.gguf")
    'C:/m/a.gguf'
    """
    return re.sub(r"\\(?=[\w.%$-])", "/", value)
