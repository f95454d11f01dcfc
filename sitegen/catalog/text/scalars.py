"""Meaning of an unquoted YAML scalar: the YAML 1.2 core schema, with nothing that surprises.

YAML 1.1 turns ``no`` into false, ``12:30`` into 750 and a date into an object; here they are text.
One step stricter than the core schema: a decimal with a leading zero (``017``) is text, because it
is an octal number to some readers and a decimal one to others.
"""

from __future__ import annotations

import math
import re

WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NUMBER_START = frozenset("-+.0123456789")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_NUMBER = 40
LIMIT = 2**63


class ScalarError(ValueError):
    """An unquoted scalar that is a number, but none a catalog may hold."""


def plain_value(text: str) -> bool | int | float | str | None:
    """Give an unquoted scalar its meaning.

    Args:
        text: The scalar as written, without surrounding space.

    Raises:
        ScalarError: For infinity, not-a-number, and numbers of 2^63 and more.

    Source:
        YAML 1.2.2, section 10.3.2, https://yaml.org/spec/1.2.2/#1032-tag-resolution.

    Example:
        >>> [plain_value(word) for word in ("24", "1e6", "no", "017", "12:30", "2026-02-30", "~")]
        [24, 1000000.0, 'no', '017', '12:30', '2026-02-30', None]
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text, 10)
    if _FLOAT.fullmatch(text):
        return _float(text)
    if _BASED_INTEGER.fullmatch(text):
        return _integer(text[2:], 8 if text[1] == "o" else 16)
    if _NOT_FINITE.fullmatch(text):
        raise ScalarError(f"{text} is not a number that can be compared or printed")
    return text


def _integer(digits: str, base: int) -> int:
    value = int(digits, base) if len(digits) <= _LONGEST_NUMBER else LIMIT
    if not -LIMIT <= value < LIMIT:
        raise ScalarError(f"a number of {len(digits)} digits is too large (the limit is 2^63)")
    return value


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or abs(value) >= LIMIT:
        raise ScalarError(f"{text[:_LONGEST_NUMBER]} is too large (the limit is 2^63)")
    return value
