"""vLLM with one replica over several machines without Ray: the same command on every node."""

from __future__ import annotations

from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, command
from sitegen.recipes.steps import (
    API_KEY,
    HEAD_IP,
    HOST,
    IFACE,
    NCCL,
    NODE_IP,
    ask_step,
    built,
    network_steps,
    repeated,
    settings_step,
)
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.vllm_options import cache_note, install_step, serve_options, stop_step

WARNINGS = ("The traffic between the nodes is neither encrypted nor signed: keep it private.",)


def recipe(target: Target) -> Recipe | None:
    """Run a replica with a process on each node, where the version has it and nodes are equal.

    Source:
        vLLM 0.33.0, ``engine/arg_utils.py``: the nodes must divide the world size evenly.
    """
    runtime = target.assessment.runtime
    if runtime.id != "vllm" or len(target.span) == 1 or len(set(target.per_node)) > 1:
        return None
    if target.assessment.profile.version != runtime.profiles[-1].version:
        return None  # the options were read in the newest
    nodes = list(target.span)
    where = node_words(nodes, len(target.combo.nodes))
    variables = [target.model_variable(target.folder), HEAD_IP, NODE_IP, IFACE, HOST, API_KEY]
    steps = [
        settings_step(variables, where),
        install_step(target, where),
        *file_steps(target, where),
        *network_steps(target, ('VLLM_HOST_IP="$NODE_IP"', *NCCL)),
        *_serves(target, nodes),
        ask_step(target, [FIRST_PORT], where=f"node {nodes[0] + 1}"),
        stop_step("vllm serve", where),
    ]
    name = "vLLM over several nodes without Ray"
    return built(target, "vllm-nodes", name, "vllm", warnings=WARNINGS, steps=steps)


def _serves(target: Target, nodes: list[int]) -> list[RecipeStep]:
    shared: list[Option] = [
        ("--nnodes", str(len(nodes))),
        ("--master-addr", '"$HEAD_IP"'),
        ("--master-port", "29501"),
    ]
    first = [*shared, ("--node-rank", "0"), *serve_options(target, port=str(FIRST_PORT))]
    rest = [*shared, ("--node-rank", '"$NODE_RANK"'), ("--headless",), *serve_options(target)[:-4]]
    serve = 'vllm serve "$MODEL"'
    return [
        RecipeStep(
            Phase.START,
            "Start the first node",
            Language.BASH,
            command(serve, first),
            where=f"node {nodes[0] + 1}",
            note=repeated(target),
            expect=cache_note(target),
        ),
        RecipeStep(
            Phase.START,
            "Start the other nodes",
            Language.BASH,
            f"NODE_RANK=1\n{command(serve, rest)}",
            where=node_words(nodes[1:], len(target.combo.nodes)),
            note=f"NODE_RANK counts the nodes from 1 to {len(nodes) - 1}, another on each.",
        ),
    ]
