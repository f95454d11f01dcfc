"""Every model on a composed build, as the page lists them."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment
from sitegen.fit.fit_engine import FitEngine
from sitegen.survey.composed_build import BuildQuestion, in_order, verdict_of


def verdicts(
    engine: FitEngine, combo: Combo, asked: BuildQuestion, *, cured: bool = True
) -> tuple[Assessment, ...]:
    """Assess one model after the other; those that nothing asked for loads are left out."""
    models = engine.catalog.surveyed_models
    judged = (verdict_of(engine, combo, model, asked, cured=cured) for model in models)
    return in_order([one for one in judged if one is not None])
