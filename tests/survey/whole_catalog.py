"""The real catalog with its models and claims, parsed once, and an engine over it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.published.claims.context import Cases

ROOT = Path(__file__).parents[2]


@cache
def whole_catalog() -> Catalog:
    """Parse every record of the catalog."""
    files = sorted((ROOT / "catalog").glob("*/*.yaml"))
    return parse_catalog({str(p.relative_to(ROOT)): p.read_text("utf-8") for p in files})


@cache
def cases() -> Cases:
    """Build the engine that judges claims."""
    return Cases(FitEngine(whole_catalog()))
