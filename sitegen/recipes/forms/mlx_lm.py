"""MLX LM on one Mac, or on each of several."""

from __future__ import annotations

from sitegen.recipes.files import file_steps
from sitegen.recipes.firewall import ON_MACS
from sitegen.recipes.mlx_options import (
    LOCAL,
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
from sitegen.recipes.steps import (
    HOST_OF_MANY,
    balance_note,
    built,
    settings_step,
    stop_step,
    wired_limit_step,
)
from sitegen.recipes.target import Target

OF_SEVERAL = f"The servers do not check keys. {ON_MACS}"


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "mlx-lm" or len(target.span) > 1:
        return None
    nodes = sorted({node for nodes, _ in target.by_node() for node in nodes})
    where = node_words(nodes, len(target.combo.nodes))
    several = len(nodes) > 1
    shell, plain = ('"$HOST"', "$HOST") if several else (LOCAL, LOCAL)
    start = RecipeStep(
        Phase.START,
        "Start the server",
        Language.BASH,
        command("mlx_lm.server", server_options(target, shell)),
        where=where,
        note=paragraphs(context_note(target), balance_note(target)),
        stays=True,
        answers=answers(target, plain),
    )
    model = target.model_variable(target.folder)
    steps = [
        settings_step([model, *([HOST_OF_MANY] if several else [])], where),
        install_step(where),
        *file_steps(target, where),
        *wired_limit_step(target, where),
        start,
        asked_step(target, where, shell),
        stop_step("mlx_lm.server", target.ports(1, PORT), where),
    ]
    return built(
        target,
        "mlx-lm",
        "MLX LM",
        "mlx-lm",
        warnings=(OF_SEVERAL,) if several else WARNINGS,
        steps=steps,
        port=PORT,
        names_model=True,
        own_host=several,
    )
