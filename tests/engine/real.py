"""The real catalog with its models and combos, for tests of what a page of it says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog

ROOT = Path(__file__).parents[2]


@cache
def catalog() -> Catalog:
    """Parse it once."""
    paths = sorted((ROOT / "catalog").rglob("*.yaml"))
    return parse_catalog({p.relative_to(ROOT).as_posix(): p.read_text() for p in paths})
