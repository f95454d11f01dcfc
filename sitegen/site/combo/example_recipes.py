"""Recipes where no single combo is the subject: on the page of a model and of a runtime."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sitegen.catalog.domain.models import Runtime
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Phase, Recipe
from sitegen.site.combo.recipes import RecipeGroup, combo_view
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.survey.results import ModelOnCombo, Survey

ON_MODEL = (
    "This page has one example for each runtime that we pick for this model. Each example uses the "
    f"machine with the least memory on which the model fits {COMFORTABLY}. Each machine's page has "
    "commands for its own picks."
)
ON_RUNTIME = (
    "This example uses the smallest pair of GPUs that runs a model "
    f"{COMFORTABLY} with this runtime, or the smallest machine if no pair does."
)


def on_model(rows: Iterable[ModelOnCombo]) -> tuple[Recipe, ...]:
    """Write one recipe per runtime for a model; ``rows`` have the least memory first."""
    first: dict[str, Assessment] = {}
    for row in rows:
        found = row.pick
        if found.tier is FitTier.COMFORTABLE:
            first.setdefault(found.runtime.id, found)
    written = (_plain(found) for found in first.values())
    return tuple(one for one in written if one is not None)


def runs_anywhere(rows: Iterable[ModelOnCombo]) -> bool:
    """Return whether a model has commands: it fits some machine comfortably."""
    return any(row.tier is FitTier.COMFORTABLE for row in rows)


def _plain(assessment: Assessment) -> Recipe | None:
    """Write the form without anything in front of the server, and without its other ways."""
    recipe = next((one for one in recipes_for(assessment) if not one.front), None)
    if recipe is None:
        return None
    steps = tuple(step for step in recipe.steps if step.phase is not Phase.INSTEAD)
    return replace(recipe, steps=steps)


def on_runtime(runtime: Runtime, survey: Survey) -> Recipe | None:
    """Write the example of a runtime; an orchestrator's is a combo that was built for it."""
    answers = [
        one
        for of_combo in survey.combos.values()
        for one in (*of_combo.ways.lead, *of_combo.ways.serving)
        if one.tier is FitTier.COMFORTABLE and _concerns(runtime, one)
    ]
    for found in sorted(answers, key=_least):
        for recipe in recipes_for(found):
            if recipe.id == runtime.id or (not runtime.drives and not recipe.front):
                return recipe
    return None


def _concerns(runtime: Runtime, assessment: Assessment) -> bool:
    if runtime.drives:
        return assessment.combo.orchestrator == runtime.id
    return assessment.runtime.id == runtime.id


def _least(assessment: Assessment) -> tuple[bool, int, int, str, str]:
    gpus = len(assessment.combo.gpus)
    return (
        gpus != 2,
        assessment.combo.installed_vram_bytes,
        gpus,
        assessment.combo.id,
        assessment.id,
    )


def group(id: str, recipes: Iterable[Recipe], about: str) -> tuple[RecipeGroup, ...]:
    """Show them as one group, the first unfolded; nothing where there are none."""
    shown = tuple(combo_view(id, one, is_open=at == 0) for at, one in enumerate(recipes))
    return (RecipeGroup(id, "", about, shown),) if shown else ()
