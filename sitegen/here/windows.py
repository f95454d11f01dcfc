"""What Windows says of its memory, beside what tools of the makers say."""

from __future__ import annotations

import re

from sitegen.units import KIB


def memory(text: str) -> tuple[int | None, int | None]:
    """Return what Windows counts as RAM, and what is free, both of which it prints in KiB.

    >>> memory("TotalVisibleMemorySize : 16671872")
    (17071996928, None)
    """
    found = dict(re.findall(r"^(\w+)\s*:\s*(\d+)\s*$", text, re.MULTILINE))
    total, free = found.get("TotalVisibleMemorySize"), found.get("FreePhysicalMemory")
    return (int(total) * KIB if total else None, int(free) * KIB if free else None)
