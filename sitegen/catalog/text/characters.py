"""Which characters authored text may contain, and in which normal form."""

from __future__ import annotations

import re
import unicodedata

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
