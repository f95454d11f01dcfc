"""Surveys of a few models and checkpoints, small enough to be recomputed in a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.fit_engine import FitEngine
from sitegen.quality.values import Rating, Ratings, Use
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import ComboSurvey
from tests.fit.questions import catalog, model

KEPT = ("bf16", "fp8", "awq-4bit-g128", "q8-0", "q4-k-m")


def few(*names: str, kept: Iterable[str] = KEPT) -> tuple[LanguageModel, ...]:
    """Models of the vector file with a few checkpoints each."""
    wanted = set(kept)
    found = []
    for name in names:
        whole = model(name)
        chosen = tuple(c for c in whole.checkpoints if c.id in wanted)
        found.append(replace(whole, checkpoints=chosen))
    return tuple(found)


@cache
def small_catalog(*names: str) -> Catalog:
    """The real catalog with these models alone, and no combos."""
    return replace(catalog(), models={m.id: m for m in few(*names)}, combos={})


def surveyed(where: Combo, *names: str) -> ComboSurvey:
    """Survey a combo with an engine that has seen nothing else."""
    found = replace(small_catalog(*names), combos={where.id: where})
    return survey_combo(FitEngine(found), where)


def rated(points: Mapping[str, float], use: Use = Use.OVERALL) -> Ratings:
    """Ratings for one use, each known to three points."""
    found = {id_: Rating(Interval(mid - 3, mid, mid + 3)) for id_, mid in points.items()}
    return Ratings({use: found})
