"""The real catalog with its models and claims, parsed once, and an engine over it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.pipeline.memory import Packer
from sitegen.published.claims.context import ClaimContext
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import ComboSurvey
from tests.engines import engine_of
from tests.made_once import made_once

ROOT = Path(__file__).parents[2]
SERVERS = (
    "8x-h100-sxm", "8x-mi300x", "8x-b200-sxm", "4x-a100-80gb-sxm", "2-nodes-8x-h100",
)  # fmt: skip
COMBOS = (
    *SERVERS,
    "4-nodes-2x-rtx-4090-ray-serve", "1x-rtx-4090", "2x-rtx-3090-nvlink", "4x-rtx-3090",
    "2x-dgx-spark", "mac-studio-m3-ultra-512gb", "macbook-pro-m5-max-128gb", "1x-strix-halo",
    "rtx-5090-plus-2x-rtx-3090",
)  # fmt: skip
"""Combos of every maker, link and size, whose surveys several tests look at."""


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
def packer() -> Packer:
    """Write what refers to records of the catalog, and read it with this process's records."""
    return Packer(whole_catalog())


@cache
def whole_survey(combo: str) -> ComboSurvey:
    """Survey a combo of the catalog, once for all tests of all workers."""
    found: ComboSurvey = made_once(
        f"survey of {combo}",
        lambda: survey_combo(whole_engine(), whole_catalog().combos[combo]),
        pack=packer().pack,
        unpack=packer().unpack,
    )
    return found


@cache
def cases() -> ClaimContext:
    """Build the engine that judges claims."""
    return ClaimContext(whole_engine())
