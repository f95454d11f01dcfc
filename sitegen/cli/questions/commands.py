"""From an answer to what runs it: the recipes, and the command that prints them."""

from __future__ import annotations

import shlex

import click

from sitegen.catalog.domain.catalog import Catalog
from sitegen.cli.questions.choose import usage_error
from sitegen.cli.questions.fit_options import FitOptions, typed
from sitegen.fit.assessment import Assessment
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Recipe
from sitegen.site.words.verdicts import checkpoint_name


def commands_for(options: FitOptions, catalog: Catalog, assessment: Assessment) -> str:
    """Return the line that names the commands of an answer; empty where there are none."""
    try:
        found = recipes_of(options.runtime, catalog, assessment)
    except click.UsageError:
        return ""
    return f"Commands: sitegen recipe {shlex.join(typed(options))}\n" if found else ""


def recipes_of(word: str, catalog: Catalog, assessment: Assessment) -> tuple[Recipe, ...]:
    """Write the recipes of an answer; none where nothing runs.

    Args:
        word: The runtime as typed.
        catalog: Where it is looked up.
        assessment: The answer.

    Raises:
        click.UsageError: If an orchestrator was named for which nothing can be written, with the
            reason: nothing to download, or the engine below it.
    """
    recipes = recipes_for(assessment)
    named = catalog.runtimes.get(word.partition("@")[0])
    if named is None or not named.drives or not recipes:
        return recipes
    if any(one.id == named.id for one in recipes):
        return recipes
    files = f"{assessment.model.name} at {checkpoint_name(assessment)}"
    if not assessment.checkpoint.is_published:
        reason = f"it downloads the model itself, and we know no repository with {files}"
        hint = "name another --quantization"
    else:
        reason = f"there is no recipe for {assessment.runtime.name} with {files}"
        hint = "run sitegen recipe without --runtime to see other ways to run it"
    raise usage_error("--runtime", f"{named.name}: {reason}", hint)
