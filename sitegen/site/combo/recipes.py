"""Recipes of a combo's answers, as its page shows them and as its JSON holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.physics.plan import ParallelPlan
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Recipe, RecipeStep
from sitegen.recipes.side_by_side import side_by_side
from sitegen.site.cells import Cell, Link, Parts, TierMark
from sitegen.site.plain_json import PlainJson
from sitegen.site.urls import url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.verdicts import and_list, checkpoint_name
from sitegen.survey.results import ComboSurvey
from sitegen.survey.verdict_policy import batches
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class RecipeView:
    """One recipe: its anchor, what it runs, and whether it is shown unfolded."""

    id: str
    name: str
    plan: str
    runs: Parts
    options: str
    warnings: tuple[str, ...]
    steps: tuple[RecipeStep, ...]
    open: bool


@dataclass(frozen=True, slots=True)
class RecipeGroup:
    """The recipes of one answer."""

    id: str
    heading: str
    about: str
    recipes: tuple[RecipeView, ...]


ONCE = frozenset({"infernet"})
"""Forms for serving others, written for the first answer only where nothing serves."""


def written(survey: ComboSurvey) -> tuple[tuple[str, tuple[Recipe, ...]], ...]:
    """Write every recipe of two answers and of two models at once, by the id of its group."""
    ways = survey.ways
    serving = [serving_all(one) for one in ways.serving]
    groups = (("run-best", ways.lead), ("run-serving", serving))
    found = [(id, tuple(_recipes(assessments))) for id, assessments in groups]
    served = {one.id for one in found[-1][1]}
    found[0] = (found[0][0], tuple(r for r in found[0][1] if r.id not in served & ONCE))
    together = side_by_side([share.assessment for share in survey.side_by_side])
    found.append(("run-side-by-side", (together,) if together else ()))
    return tuple((id, recipes) for id, recipes in found if recipes)


def serving_all(assessment: Assessment) -> Assessment:
    """Ask for as many requests at once as are answered, of a runtime that has to be told."""
    most = assessment.speed.batch if assessment.speed is not None else 0
    if batches(assessment.runtime) or most <= 1:
        return assessment
    return replace(assessment, workload=replace(assessment.workload, sequences=most))


def _recipes(assessments: Sequence[Assessment]) -> Iterator[Recipe]:
    for assessment in assessments:
        yield from recipes_for(assessment)


HEADINGS = {
    "run-best": "Best overall",
    "run-serving": "Many users",
    "run-side-by-side": "Two models side by side",
}
ABOUT = {
    "run-side-by-side": "The first model is for hard questions: the best-rated one that leaves a "
    "GPU free. The second is for quick answers: the best-rated one of at most half that size that "
    "fits on the other GPUs. Each runs inside one machine, on as few GPUs as possible."
}


def recipe_groups(found: tuple[tuple[str, tuple[Recipe, ...]], ...]) -> tuple[RecipeGroup, ...]:
    """Show them: the first of the first group unfolded."""
    first = found[0][1][0] if found else None
    return tuple(recipe_group(id, HEADINGS[id], recipes, first=first) for id, recipes in found)


def recipe_group(
    id: str, heading: str, recipes: Sequence[Recipe], *, first: Recipe | None = None
) -> RecipeGroup:
    """Show the recipes of one answer, with ``first`` unfolded if it is among them."""
    names = " and ".join(one.model.name for one in whole(recipes[0]))
    return RecipeGroup(
        id,
        f"{heading}: {names}",
        ABOUT.get(id, ""),
        tuple(recipe_view(id, recipe, is_open=recipe is first) for recipe in recipes),
    )


def whole(recipe: Recipe) -> tuple[Assessment, ...]:
    """List what a recipe runs."""
    return (recipe.assessment, *recipe.beside)


def recipe_view(group: str, recipe: Recipe, *, is_open: bool) -> RecipeView:
    """Show a recipe of a group of a page, whose id its anchor begins with."""
    plans = (plan_words(one.plan) for one in whole(recipe) if one.plan)
    return RecipeView(
        f"{group}-{recipe.id}",
        recipe.name,
        " + ".join(plans),
        Parts(tuple(part for one in whole(recipe) for part in _runs(recipe, one))),
        recipe.read_in,
        recipe.warnings,
        recipe.steps,
        is_open,
    )


def combo_view(group: str, recipe: Recipe, *, is_open: bool) -> RecipeView:
    """Show a recipe where the combo is no more the page's subject than the model."""
    shown = recipe_view(group, recipe, is_open=is_open)
    found = recipe.assessment
    runtime, combo = found.runtime.id, found.combo
    runs = Parts(
        (*shown.runs.parts, "Hardware: ", Link(url_of("combo", combo.id), combo.name), ".")
    )
    return replace(
        shown,
        id=f"{group}-{runtime}-{recipe.id}",
        plan=f"{combo.name}, {shown.plan}",
        runs=runs,
    )


def _runs(recipe: Recipe, assessment: Assessment) -> Iterator[Cell]:
    """Say what is run and how well it fits; beside another, on which GPUs."""
    yield Link(url_of("model", assessment.model.id), assessment.model.name)
    yield f" at {checkpoint_name(assessment)}"
    if recipe.beside and assessment.plan:
        yield f" on {gpu_words(assessment.plan, assessment.combo)}"
    yield ": "
    yield TierMark(assessment.tier, assessment.too_close)
    yield ". "


def gpu_words(plan: ParallelPlan, combo: Combo) -> str:
    """Name the GPUs of a plan inside one machine, counted as drivers do."""
    numbers = and_list([str(gpu) for _, gpu in plan.ranks])
    node = plan.ranks[0][0]
    where = f" of node {node + 1}" if len(combo.nodes) > 1 else ""
    if len(combo.nodes[node].gpus) == 1:
        return f"the GPU{where}"
    return f"GPU{'s' if len(plan.ranks) > 1 else ''} {numbers} (in the driver's numbering){where}"


def gain_record(gain: Interval) -> PlainJson:
    """Write what speculative decoding brings one user."""
    return {"low": gain.low, "mid": gain.mid, "high": gain.high}


def twin(recipe: Recipe) -> PlainJson:
    """Return a recipe as data, with all of its text."""
    further: dict[str, PlainJson] = {}
    if recipe.beside:
        further["beside"] = [
            {"assessment": one.id, "model": one.model.id, "checkpoint": one.checkpoint.id}
            for one in recipe.beside
        ]
    if recipe.one_user_gain is not None:
        further["one_user_gain"] = gain_record(recipe.one_user_gain)
    return further | {
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


def _step(step: RecipeStep) -> PlainJson:
    found: dict[str, PlainJson] = {
        "phase": str(step.phase),
        "title": step.title,
        "language": str(step.language),
        "text": step.text,
    }
    rest = (
        ("where", step.where),
        ("file", step.file),
        ("note", " ".join(step.note_paragraphs)),
        ("expect", step.expect),
    )
    return found | {name: text for name, text in rest if text}
