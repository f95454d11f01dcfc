"""How converted records are written: short YAML, quoted only where it must be."""

from __future__ import annotations

import re

READ = "2026-11-22"
"""Day on which the collection was read."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ._/+()-]*[A-Za-z0-9)]")
_WORDS = frozenset({"true", "false", "null"})


def quoted(text: str) -> str:
    """Write a text as YAML, without quotes where it cannot be taken for anything else.

    >>> quoted("Q4_K_M"), quoted("8bit: it's"), quoted("3.0")
    ('Q4_K_M', "'8bit: it''s'", "'3.0'")
    """
    text = " ".join(text.split())
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and ": " not in text:
        return text
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def source_lines(title: str, url: str, *, read: str) -> list[str]:
    """Write the one source of a file."""
    return ["sources:", f"  - title: {quoted(title)}", f"    url: {url}", f"    read: '{read}'"]
