"""Text where a number belongs: what the author meant by ``24 GB``."""

from __future__ import annotations

import re

_AMOUNT = re.compile(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z]\S{0,15})?\s*")


def number_hint(key: str, given: object) -> str:
    """Say how to write ``"24 GB"`` or ``"24"`` under a key; empty for what is no amount.

    >>> number_hint("vram_gib", "24 GB")
    'write `vram_gib: 24`'
    >>> number_hint("vram_gib", "24000 MB")
    'write the number alone, in the unit that the key names'
    """
    amount = _AMOUNT.fullmatch(given) if isinstance(given, str) else None
    if amount is None:
        return ""
    number, unit = amount.group(1), amount.group(2) or ""
    number = str(float(number) if "." in number else int(number))
    key_units = [part[:1] for part in key.split("_")[1:]]
    if not unit or unit[:1].lower() in key_units:
        return f"write `{key}: {number}`"
    return "write the number alone, in the unit that the key names"
