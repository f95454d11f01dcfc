"""Recipes and measuring sessions at a terminal: words as comments, ready to be pasted."""

from __future__ import annotations

from sitegen.catalog.domain.catalog import Catalog
from sitegen.cli.questions.bench_sessions import Planned
from sitegen.cli.questions.choose import record
from sitegen.cli.text.terminal import printable
from sitegen.fit.open_verdict import Uncertain
from sitegen.recipes.measuring import measuring
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.site.combo.benchmark_priorities import QUANTITY_WORDS
from sitegen.site.combo.recipes import whole
from sitegen.site.words.plans import plan_words
from sitegen.site.words.verdicts import checkpoint_name


def chosen(recipes: tuple[Recipe, ...], form: str) -> tuple[Recipe, ...]:
    """Keep the form that was asked for.

    Raises:
        click.UsageError: If there is no such form, with the nearest that there is.
    """
    if not form or not recipes:
        return recipes
    return (record("--form", "form", form, {one.id: one for one in recipes}),)


def print_recipe(recipe: Recipe) -> None:
    """Print what it runs, the warnings and the steps."""
    runs = whole(recipe)
    names = " + ".join(f"{one.model.name}, {checkpoint_name(one)}" for one in runs)
    plans = " + ".join(plan_words(one.plan) for one in runs if one.plan)
    _say(f"# {recipe.name} ({recipe.id}): {names}")
    _say(f"# on {recipe.assessment.combo.name}, {plans}; options as in {recipe.read_in}")
    for warning in recipe.warnings:
        _say(f"# Warning: {warning}")
    for at, step in enumerate(recipe.steps, 1):
        _say("")
        print_step(at, step)
    _say("")


def print_step(at: int, step: RecipeStep) -> None:
    """Print a step: its words as comments, its text as it is."""
    where = f" ({step.where})" if step.where else ""
    _say(f"# {at}. {step.title}{where}")
    for paragraph in step.note_paragraphs:
        _say(f"# {paragraph}")
    if step.file:
        _say(f"# File: {step.file}")
    _say(step.text)
    if step.expect:
        _say(f"# Expect: {step.expect}")


def _say(text: str) -> None:
    print(printable(text, keep_newlines=True))


OF_SPEED = frozenset({Uncertain.SPEED})
LISTED = 5
"""Models that a line names."""
KEPT = (Phase.SETTINGS, Phase.LIMIT, Phase.START)
RECORD = "my-machine"
"""The record of a machine that has none yet."""


def print_session(session_plan: Planned, catalog: Catalog) -> None:
    """Print why it is worth the time, then start, measure and import."""
    assessment, recipe = session_plan.found, session_plan.recipe
    _say(f"# {assessment.model.name}, {checkpoint_name(assessment)}, on {assessment.combo.name}")
    for words in _why(session_plan, catalog):
        _say(f"# {words}")
    weights = assessment.checkpoint.id
    _say(
        f"# Install, files and checks: sitegen recipe {assessment.model.id} {assessment.combo.id} "
        f"--quantization {weights} --runtime {assessment.runtime.id} --form {recipe.id}"
    )
    steps = [step for step in recipe.steps if step.phase in KEPT]
    recorded = assessment.combo.id in catalog.combos
    measured = measuring(recipe, combo_id=assessment.combo.id if recorded else RECORD)
    if not recorded:
        measured = (*measured[:-1], _a_record(), *measured[-1:])
    for at, step in enumerate((*steps, *measured), 1):
        _say("")
        print_step(at, step)
    _say("")


def _a_record() -> RecipeStep:
    return RecipeStep(
        Phase.VERIFY,
        "Make a record of this machine, once",
        Language.BASH,
        f"sitegen new combo --here {RECORD}",
        note="Run this in the folder of the catalog. A result needs a record of the machine.",
    )


def _why(session_plan: Planned, catalog: Catalog) -> tuple[str, ...]:
    if not session_plan.measures:
        return ("No verdict depends on it, but it replaces an estimate with a measurement.",)
    quantities = list(dict.fromkeys(measure.quantity for measure in session_plan.measures))
    named = ", ".join(QUANTITY_WORDS[quantity] for quantity in quantities)
    models = list(dict.fromkeys(m.model_id for m in session_plan.measures if m.model_id))
    also = [catalog.models[id].name for id in models if id != session_plan.found.model.id]
    count = f"{session_plan.verdicts} verdict{'' if session_plan.verdicts == 1 else 's'}"
    lines = [f"It settles {count}: {named}."]
    if also:
        more = f" and {len(also) - LISTED} more" if len(also) > LISTED else ""
        lines.append(f"Use the same machine and split for {', '.join(also[:LISTED])}{more}.")
    if not OF_SPEED.issuperset(quantities):
        lines.append("Keep the startup log: it states the memory (`sitegen new measurement <id>`).")
    return tuple(lines)
