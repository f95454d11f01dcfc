"""One authored file as text: allowed characters, its lines, problems that point into them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from sitegen.problems import Problem, SourceSpan
from sitegen.values import dataclass

MAX_BYTES = 2**20
LONGEST_LINE_SHOWN = 200
LONGEST_VALUE_SHOWN = 60
_SMALLEST_IN_FULL, _LARGEST_IN_FULL = 1e-9, 1e18
"""Sizes of numbers that are not zeros for the most part when they are written without exponent."""
_LINE_END = re.compile("\n")
_LOG_COMMAND = re.compile(r"\s*(::|##\[)")
"""Text that a continuous-integration log would take for an instruction to itself."""


def quoted(value: object) -> str:
    """Show an author's value in a message: short, on one line, without control characters.

    >>> quoted("rtx-4900"), quoted(24), quoted(True)
    ("'rtx-4900'", '24', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    if isinstance(value, dict | list | tuple):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value) if isinstance(value, int | float) else visible(f"'{value}'")
    return text if len(text) <= LONGEST_VALUE_SHOWN else f"{text[:LONGEST_VALUE_SHOWN]}…"


def visible(text: str) -> str:
    r"""Replace line breaks, tabs and forbidden characters, one for one, so that columns stay.

    >>> visible("a\tb")
    'a b'
    """
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text.replace("\t", " ").replace("\n", " "))


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's path (POSIX, relative to the project root) and its text, line ends normalized."""

    path: str
    text: str

    def line(self, number: int) -> str:
        """Return the text of a 1-based line for showing; nothing where that would do harm."""
        starts = line_starts(self.text)
        if number >= len(starts):
            return ""
        line = self.text[starts[number - 1] : starts[number] - 1]
        harmless = len(line) <= LONGEST_LINE_SHOWN and not _LOG_COMMAND.match(line)
        return visible(line) if harmless else ""

    def problem(
        self, code: str, message: str, *, line: int = 1, column: int = 1, hint: str = ""
    ) -> Problem:
        """Build a problem at a 1-based line and column of this file."""
        span = SourceSpan(self.path, line, column)
        return Problem(span, code, message, hint, self.line(line))

    def problem_at(self, code: str, message: str, *, index: int, hint: str = "") -> Problem:
        """Build a problem at a character index of this file."""
        starts = line_starts(self.text)
        line = bisect_right(starts, index, 0, len(starts) - 1)
        column = index - starts[line - 1] + 1
        return self.problem(code, message, line=line, column=column, hint=hint)


@lru_cache(maxsize=16)
def line_starts(text: str) -> tuple[int, ...]:
    """Return the index at which each line begins, and after them where one more would."""
    return (0, *(match.end() for match in _LINE_END.finditer(text)), len(text) + 1)


def text_problems(source: SourceText) -> Iterator[Problem]:
    """Yield what is wrong with the size and characters of a file, before any of it is read."""
    if len(source.text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        yield source.problem("too-large", "the file is larger than 1 MiB")
        return
    for index in forbidden_positions(source.text):
        message = f"the character {describe(source.text[index])} is not allowed"
        yield source.problem_at("character", message, index=index, hint="remove it")
    decomposed = decomposed_position(source.text)
    if decomposed is not None:
        message = "letter and accent are two characters here"
        hint = "write the composed letter (Unicode normal form C)"
        yield source.problem_at("not-nfc", message, index=decomposed, hint=hint)


def decode(path: str, content: bytes) -> tuple[str, Problem | None]:
    """Turn a file's bytes into text with single line feeds, or say where they are not UTF-8."""
    try:
        return content.decode("utf-8").replace("\r\n", "\n"), None
    except UnicodeDecodeError as error:
        before = content[: error.start]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    message = f"byte {len(before)} (0x{content[len(before)]:02x}) is not UTF-8"
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        message = "the file is UTF-16, not UTF-8"
    hint = "save the file as UTF-8 without byte order mark"
    return "", SourceText(path, "").problem(
        "not-utf8", message, line=line, column=column, hint=hint
    )


FORBIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"  # invisible
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"  # zero width, bidi, BOM
    "\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e007f"  # invisible tags
    "]"
)
"""Characters that hide, reorder or cut what a reader sees."""

NAMES = {
    "\x00": "NUL",
    "\r": "carriage return",
    "\ufeff": "byte order mark",
    "\xad": "soft hyphen",
}


def describe(character: str) -> str:
    """Name a forbidden character with its code point.

    >>> describe(chr(0x202E)), describe(chr(0))
    ('U+202E RIGHT-TO-LEFT OVERRIDE', 'U+0000 NUL')
    """
    name = NAMES.get(character) or unicodedata.name(character, "control character")
    return f"U+{ord(character):04X} {name}"


def forbidden_positions(text: str, *, limit: int = 20) -> tuple[int, ...]:
    """Return the indices of the first ``limit`` forbidden characters."""
    found: list[int] = []
    for match in FORBIDDEN.finditer(text):
        found.append(match.start())
        if len(found) == limit:
            break
    return tuple(found)


def decomposed_position(text: str) -> int | None:
    """Return where text first differs from its composed form (NFC), or ``None`` when it is NFC.

    >>> decomposed_position("Mu" + chr(0x308) + "nchen")
    1
    """
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return None
    composed = unicodedata.normalize("NFC", text)
    pairs = enumerate(zip(text, composed, strict=False))
    return next((i for i, (ours, nfc) in pairs if ours != nfc), len(composed))


def written(number: float, digits: int = 6) -> str:
    """Return a number as people write it: so many digits, and an exponent only for zeros on end.

    >>> written(24 * 1024), written(24576 * 1024), written(1.008), written(0.00001)
    ('24576', '25,165,824', '1.008', '0.00001')
    >>> written(16.0712, 3), written(70553.7, 3), written(1e300)
    ('16.1', '70,554', '1e+300')
    """
    if number and not _SMALLEST_IN_FULL <= abs(number) < _LARGEST_IN_FULL:
        return f"{number:g}"
    if abs(number) >= 10**digits:
        return f"{number:,.0f}"
    return f"{Decimal(f'{number:.{digits}g}'):f}"
