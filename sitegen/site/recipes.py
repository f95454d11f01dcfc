"""How the answers of a combo are run: recipes as a page shows them, and as its twin holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.engine.assessment import Assessment, ComboSurvey
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Recipe, Step
from sitegen.site.cells import Cell, Link, Parts, TierMark
from sitegen.site.page import PlainJson
from sitegen.site.plans import plan_words
from sitegen.site.urls import url_of
from sitegen.site.verdicts import checkpoint_name


@dataclass(frozen=True, slots=True)
class RecipeView:
    """One recipe: its anchor, what it runs, and whether it is shown unfolded."""

    id: str
    name: str
    plan: str
    runs: Cell
    options: str
    warnings: tuple[str, ...]
    steps: tuple[Step, ...]
    open: bool


@dataclass(frozen=True, slots=True)
class RecipeGroup:
    """The recipes of one answer."""

    id: str
    heading: str
    recipes: tuple[RecipeView, ...]


ONCE = frozenset({"infernet"})
"""Forms for serving others, written for the largest model only where nothing serves."""


def written(survey: ComboSurvey) -> tuple[tuple[str, tuple[Recipe, ...]], ...]:
    """Write every recipe of the two answers, each with the id of its group."""
    ways = survey.ways
    groups = (("run-largest", ways.largest), ("run-serving", ways.serving))
    found = [(id, tuple(_recipes(assessments))) for id, assessments in groups]
    served = {one.id for one in found[-1][1]}
    found[0] = (found[0][0], tuple(r for r in found[0][1] if r.id not in served & ONCE))
    return tuple((id, recipes) for id, recipes in found if recipes)


def _recipes(assessments: Sequence[Assessment]) -> Iterator[Recipe]:
    for assessment in assessments:
        yield from recipes_for(assessment)


HEADINGS = {"run-largest": "The largest single model", "run-serving": "Serving many requests"}


def recipe_groups(found: tuple[tuple[str, tuple[Recipe, ...]], ...]) -> tuple[RecipeGroup, ...]:
    """Show them: the first of the first group unfolded."""
    first = found[0][1][0] if found else None
    return tuple(
        RecipeGroup(
            id,
            f"{HEADINGS[id]}: {recipes[0].assessment.model.name}",
            tuple(_view(id, recipe, is_open=recipe is first) for recipe in recipes),
        )
        for id, recipes in found
    )


def _view(group: str, recipe: Recipe, *, is_open: bool) -> RecipeView:
    found = recipe.assessment
    runs = Parts(
        (
            Link(url_of("model", found.model.id), found.model.name),
            f" at {checkpoint_name(found)}, which ",
            TierMark(found.tier, found.too_close),
            " here.",
        )
    )
    return RecipeView(
        f"{group}-{recipe.id}",
        recipe.name,
        plan_words(found.plan) if found.plan else "",
        runs,
        recipe.version if " " in recipe.version else f"{recipe.reads} {recipe.version}",
        recipe.warnings,
        recipe.steps,
        is_open,
    )


def twin(recipe: Recipe) -> PlainJson:
    """A recipe with all of its text."""
    return {
        "id": recipe.id,
        "name": recipe.name,
        "assessment": recipe.assessment.id,
        "model": recipe.assessment.model.id,
        "checkpoint": recipe.assessment.checkpoint.id,
        "runtime": recipe.assessment.runtime.id,
        "options_read_in": {"program": recipe.reads, "version": recipe.version},
        "warnings": list(recipe.warnings),
        "steps": [_step(step) for step in recipe.steps],
    }


def _step(step: Step) -> PlainJson:
    found: dict[str, PlainJson] = {
        "phase": str(step.phase),
        "title": step.title,
        "language": str(step.language),
        "text": step.text,
    }
    rest = (
        ("where", step.where),
        ("file", step.file),
        ("note", step.note),
        ("expect", step.expect),
    )
    return found | {name: text for name, text in rest if text}
