"""MLX LM on one Mac."""

from __future__ import annotations

from sitegen.recipes.files import file_steps
from sitegen.recipes.mlx_options import (
    PORT,
    WARNINGS,
    answers,
    asked_step,
    context_note,
    install_step,
    server_options,
)
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import command
from sitegen.recipes.steps import built, settings_step, stop_step, wired_limit_step
from sitegen.recipes.target import Target


def recipe(target: Target) -> Recipe | None:
    """Run the model on one machine."""
    if target.assessment.runtime.id != "mlx-lm" or len(target.span) > 1:
        return None
    start = RecipeStep(
        Phase.START,
        "Start the server",
        Language.BASH,
        command("mlx_lm.server", server_options(target)),
        note=context_note(target),
        stays=True,
        answers=answers(target),
    )
    steps = [
        settings_step([target.model_variable(target.folder)]),
        install_step(),
        *file_steps(target),
        *wired_limit_step(target),
        start,
        asked_step(target),
        stop_step("mlx_lm.server", target.ports(1, PORT)),
    ]
    return built(
        target,
        "mlx-lm",
        "MLX LM",
        "mlx-lm",
        warnings=WARNINGS,
        steps=steps,
        port=PORT,
        names_model=True,
    )
