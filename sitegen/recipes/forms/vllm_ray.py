"""vLLM with one replica over several machines, on a Ray cluster."""

from __future__ import annotations

from sitegen.recipes.chat import template_step
from sitegen.recipes.environment import before_command, environment_note
from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import node_words
from sitegen.recipes.ray_cluster import WARNING, cluster_steps, stop_cluster
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep, paragraphs
from sitegen.recipes.shell import command
from sitegen.recipes.speculation import measured_gain, speculation_note
from sitegen.recipes.steps import (
    API_KEY,
    HEAD_IP,
    IFACE,
    NCCL,
    NODE_IP,
    ask_step,
    built,
    host,
    infiniband,
    memory_limit_step,
    network_steps,
    repeated,
    settings_step,
)
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.vllm_options import cache_choice, cache_note, install_step, serve_options

WARNINGS = (
    WARNING,
    "The traffic between the nodes is neither encrypted nor signed.",
)


def recipe(target: Target) -> Recipe | None:
    """Run a replica on a Ray cluster of its nodes; the others on clusters of their own."""
    if target.assessment.runtime.id != "vllm" or len(target.span) == 1:
        return None
    nodes = list(target.span)
    where = node_words(nodes, len(target.combo.nodes))
    head = f"node {nodes[0] + 1} (head)"
    link = [HEAD_IP, NODE_IP, IFACE, *infiniband(target)]
    variables = [target.model_variable(target.folder), *link, host(target), API_KEY]
    steps = [
        settings_step(variables, where),
        install_step(target, where, ray=True),
        *file_steps(target, where),
        *template_step(target, head),
        *memory_limit_step(target, where),
        *network_steps(target, ('VLLM_HOST_IP="$NODE_IP"', *NCCL, "RAY_AUTH_MODE=token")),
        *cluster_steps(target, head, nodes),
        _serve(target, head),
        ask_step(target, [FIRST_PORT], where=head),
        stop_cluster(where),
    ]
    return built(
        target,
        "vllm-ray",
        "vLLM over Ray",
        "vllm",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
        one_user_gain=measured_gain(target),
    )


def _serve(target: Target, head: str) -> RecipeStep:
    """Launch the server once: Ray starts the ranks on the other nodes."""
    options = serve_options(target, port=str(FIRST_PORT))
    return RecipeStep(
        Phase.START,
        "Start the server",
        Language.BASH,
        command(
            'vllm serve "$MODEL"',
            [("--distributed-executor-backend", "ray"), *options],
            before=before_command(target),
        ),
        where=head,
        note=paragraphs(
            repeated(target),
            cache_choice(target),
            speculation_note(target),
            environment_note(target),
        ),
        expect=cache_note(target),
        stays=True,
        answers=(f"$HOST:{FIRST_PORT}/health",),
    )
