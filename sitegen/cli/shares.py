"""Where the program finds what comes with it: beside the package, or where it was installed."""

from __future__ import annotations

import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
"""The folder above the package: the project itself where it runs from a copy of it."""
INSTALLED = Path(sys.prefix) / "share" / "sitegen"
"""Where an installation puts the rest (``data-files`` in ``pyproject.toml``)."""


def shared(name: str) -> Path:
    """Return the place of a file or folder that comes with the program, there or not."""
    beside = CHECKOUT / name
    return beside if beside.exists() else INSTALLED / name
