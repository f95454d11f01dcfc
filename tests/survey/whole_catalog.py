"""The real catalog with its models and claims, parsed once, and an engine over it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.published.claims.context import ClaimContext
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import ComboSurvey
from tests.engines import engine_of

ROOT = Path(__file__).parents[2]


@cache
def whole_catalog() -> Catalog:
    """Parse every record of the catalog."""
    files = sorted((ROOT / "catalog").glob("*/*.yaml"))
    return parse_catalog({str(p.relative_to(ROOT)): p.read_text("utf-8") for p in files})


@cache
def whole_engine() -> FitEngine:
    """One engine for all tests: it remembers, and forgets nothing that matters."""
    return engine_of(whole_catalog())


@cache
def whole_survey(combo: str) -> ComboSurvey:
    """Survey a combo of the catalog, once for all tests."""
    return survey_combo(whole_engine(), whole_catalog().combos[combo])


@cache
def cases() -> ClaimContext:
    """Build the engine that judges claims."""
    return ClaimContext(whole_engine())
