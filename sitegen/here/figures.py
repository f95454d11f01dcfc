"""Numbers and addresses as tools print them; ``None`` where there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sitegen.units import GIB, KIB, MIB

_SIZES = {"b": 1, "kb": KIB, "kib": KIB, "mb": MIB, "mib": MIB, "gb": GIB, "gib": GIB}
"""Tools mean powers of two, whatever they write: ``16 GB`` of RAM are 16 GiB."""
_SIZES |= {"tb": 1024 * GIB, "tib": 1024 * GIB}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b)\b", re.IGNORECASE)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m|\ufffd\[[0-9;]*m|\[[04]m")
PCIE_RATES = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
"""Generation by billions of transfers a second."""


def whole(text: object) -> int | None:
    """Read the number that a text begins with.

    >>> whole(" 16 "), whole("[N/A]"), whole("575 W")
    (16, None, 575)
    """
    found = re.match(r"\s*(\d+)\b", str(text))
    return int(found[1]) if found else None


def size(text: object) -> int | None:
    """Read a size with its unit as bytes.

    >>> size("24576 MiB"), size("16 GB"), size("Not Supported")
    (25769803776, 17179869184, None)
    """
    found = _SIZE.match(str(text))
    return round(float(found[1]) * _SIZES[found[2].lower()]) if found else None


def generation(text: str) -> int | None:
    """Read the generation of PCIe from its rate.

    >>> generation("Speed 16GT/s (ok)"), generation("8.0 GT/s PCIe"), generation("Unknown")
    (4, 3, None)
    """
    found = re.search(r"(\d+(?:\.\d+)?)\s*GT/s", text)
    return PCIE_RATES.get(float(found[1])) if found else None


def address(text: str) -> str:
    """Write an address on the bus in one way.

    >>> address("00000000:0C:00.0"), address("0c:00.0"), address("0000000F:01:00.0")
    ('0c:00.0', '0c:00.0', 'f:01:00.0')
    """
    parts = text.strip().lower().split(":")
    domain = parts[0].lstrip("0") if len(parts) == 3 else ""
    return ":".join([*([domain] if domain else []), *parts[-2:]]) if len(parts) > 1 else ""


def plain(text: str) -> str:
    """Take out the escapes that underline a heading, and what a terminal left of them."""
    return _ESCAPES.sub("", text).replace("\r", "")


def parsed(text: str) -> Mapping[str, Any]:
    """Read the JSON object in a text, behind any warning; empty where there is none."""
    start = text.find("{")
    try:
        found = json.JSONDecoder().raw_decode(text[start:])[0] if start >= 0 else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
