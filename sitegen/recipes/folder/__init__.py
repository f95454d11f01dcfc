"""A recipe as a folder: a script that checks, starts and asks, its variables, services, words.

No page needs it, so that it is no part of what runs in the browser.
"""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.recipes.folder.machines import Machines
from sitegen.recipes.folder.readme import readme
from sitegen.recipes.folder.script import SCRIPT, script
from sitegen.recipes.folder.settings import ENVIRONMENT, environment
from sitegen.recipes.folder.stages import placed
from sitegen.recipes.recipe import Recipe


def folder_of(recipe: Recipe, *, title: str, asked: str) -> Mapping[str, str]:
    """Write the files of a folder, by their paths in it.

    Args:
        recipe: What is run.
        title: What it runs, and on what.
        asked: The command that writes the folder, for its README.
    """
    machines = Machines.of(recipe)
    files = {
        SCRIPT: script(recipe, machines, title),
        ENVIRONMENT: environment(recipe),
        "README.md": readme(recipe, machines, title=title, asked=asked),
    }
    for step in recipe.steps:
        if step.file:
            files.setdefault(placed(step), step.text + "\n")
    return files
