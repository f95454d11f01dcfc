"""MLX LM on one Mac, or on each of several."""

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
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep, paragraphs
from sitegen.recipes.shell import command
from sitegen.recipes.steps import built, settings_step, stop_step, wired_limit_step
from sitegen.recipes.target import Target


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "mlx-lm" or len(target.span) > 1:
        return None
    nodes = sorted({node for nodes, _ in target.by_node() for node in nodes})
    where = node_words(nodes, len(target.combo.nodes))
    start = RecipeStep(
        Phase.START,
        "Start the server",
        Language.BASH,
        command("mlx_lm.server", server_options(target)),
        where=where,
        note=paragraphs(context_note(target), _apart(nodes)),
        stays=True,
        answers=answers(target),
    )
    steps = [
        settings_step([target.model_variable(target.folder)], where),
        install_step(where),
        *file_steps(target, where),
        *wired_limit_step(target, where),
        start,
        asked_step(target, where),
        stop_step("mlx_lm.server", target.ports(1, PORT), where),
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


def _apart(nodes: list[int]) -> str:
    """Say of several servers that each is reached on its own machine alone."""
    if len(nodes) == 1:
        return ""
    return (
        f"This starts {len(nodes)} servers, each with a full copy of the model. Each answers only "
        "on its own machine."
    )
