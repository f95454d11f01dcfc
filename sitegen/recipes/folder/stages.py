"""What the script does when: the steps of a recipe by stage, and where their files lie."""

from __future__ import annotations

from enum import StrEnum

from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep


class Stage(StrEnum):
    """Commands of the script, in the order in which it goes through them."""

    INSTALL = "install"
    FILES = "files"
    START = "start"
    ASK = "ask"
    STOP = "stop"


def staged(recipe: Recipe) -> list[tuple[int, Stage, RecipeStep]]:
    """Number the steps that the script takes, as the printed recipe does, with their stages."""
    found: list[tuple[int, Stage, RecipeStep]] = []
    started = False
    for number, step in enumerate(recipe.steps, 1):
        started = started or step.phase is Phase.START
        stage = _stage(step, started=started)
        if stage is not None:
            found.append((number, stage, step))
    return found


def _stage(step: RecipeStep, *, started: bool) -> Stage | None:
    if step.phase in {Phase.SETTINGS, Phase.INSTEAD}:
        return None
    if step.phase is Phase.STOP:
        return Stage.STOP
    if step.phase is Phase.INSTALL:
        return Stage.INSTALL
    if step.phase is Phase.VERIFY:
        return Stage.ASK if started else Stage.FILES
    return Stage.START if started else Stage.FILES


def placed(step: RecipeStep) -> str:
    """Say where the file of a step lies in the folder.

    >>> from sitegen.recipes.recipe import Language, Phase, RecipeStep
    >>> placed(RecipeStep(Phase.INSTEAD, "", Language.INI, "", file="/etc/systemd/vllm.service"))
    'systemd/vllm.service'
    """
    name = step.file.rpartition("/")[2]
    if step.language is Language.INI:
        return f"systemd/{name}"
    return f"settings/{name}" if "/" in step.file else name
