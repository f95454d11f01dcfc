"""A recipe at a terminal: its words as comments, so that what is left can be pasted."""

from __future__ import annotations

from sitegen.cli.questions.choose import record
from sitegen.cli.text.terminal import printable
from sitegen.recipes.recipe import Recipe, Step
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
    names = " beside ".join(f"{one.model.name}, {checkpoint_name(one)}" for one in runs)
    plans = " beside ".join(plan_words(one.plan) for one in runs if one.plan)
    _say(f"# {recipe.name} ({recipe.id}): {names}")
    _say(f"# on {recipe.assessment.combo.name}, {plans}; options as in {recipe.read_in}")
    for warning in recipe.warnings:
        _say(f"# Warning: {warning}")
    for at, step in enumerate(recipe.steps, 1):
        _say("")
        print_step(at, step)
    _say("")


def print_step(at: int, step: Step) -> None:
    """Print a step: its words as comments, its text as it is."""
    where = f" ({step.where})" if step.where else ""
    _say(f"# {at}. {step.title}{where}")
    if step.note:
        _say(f"# {step.note}")
    if step.file:
        _say(f"# File: {step.file}")
    _say(step.text)
    if step.expect:
        _say(f"# Expect: {step.expect}")


def _say(text: str) -> None:
    print(printable(text, keep_newlines=True))
