"""vLLM with one replica over several machines without Ray: the same command on every node."""

from __future__ import annotations

from sitegen.recipes.chat import chat_options, template_step
from sitegen.recipes.environment import before_command, environment_note
from sitegen.recipes.files import file_steps
from sitegen.recipes.leader_worker import leader_worker_step
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep, paragraphs
from sitegen.recipes.shell import Option, command
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
    stop_step,
)
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.vllm_options import (
    cache_choice,
    cache_note,
    image_of,
    install_step,
    plan_options,
    serve_options,
)

MASTER_PORT = 29_501

WARNINGS = (
    "The traffic between the nodes is neither encrypted nor signed: use a private network.",
)


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
    link = [HEAD_IP, NODE_IP, IFACE, *infiniband(target)]
    variables = [target.model_variable(target.folder), *link, host(target), API_KEY]
    steps = [
        settings_step(variables, where),
        install_step(target, where),
        *file_steps(target, where),
        *template_step(target, f"node {nodes[0] + 1}"),
        *memory_limit_step(target, where),
        *network_steps(target, ('VLLM_HOST_IP="$NODE_IP"', *NCCL)),
        *_serves(target, *_options(target, nodes), nodes),
        ask_step(target, [FIRST_PORT], where=f"node {nodes[0] + 1}"),
        stop_step("vllm serve", [MASTER_PORT], where, option="--master-port"),
        *_on_kubernetes(target, *_options(target, nodes)),
    ]
    name = "vLLM over several nodes without Ray"
    return built(
        target,
        "vllm-nodes",
        name,
        "vllm",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
        one_user_gain=measured_gain(target),
    )


def _options(target: Target, nodes: list[int]) -> tuple[list[Option], list[Option]]:
    """List what the first node is told, and what the others are."""
    shared: list[Option] = [
        ("--nnodes", str(len(nodes))),
        ("--master-addr", '"$HEAD_IP"'),
        ("--master-port", str(MASTER_PORT)),
    ]
    first = [*shared, ("--node-rank", "0"), *serve_options(target, port=str(FIRST_PORT))]
    remote = [one for one in chat_options(target) if one[0] == "--trust-remote-code"]
    ranked: list[Option] = [("--node-rank", '"$NODE_RANK"'), ("--headless",)]
    return first, [*shared, *ranked, *plan_options(target), *remote]


def _on_kubernetes(
    target: Target, first: list[Option], rest: list[Option]
) -> tuple[RecipeStep, ...]:
    """Write the same as a manifest."""
    program = ["vllm", "serve", target.repository]
    image = image_of(target)
    return leader_worker_step(target, image, program, first, rest, own_address="VLLM_HOST_IP")


def _serves(
    target: Target, first: list[Option], rest: list[Option], nodes: list[int]
) -> list[RecipeStep]:
    serve = 'vllm serve "$MODEL"'
    return [
        RecipeStep(
            Phase.START,
            "Start vLLM",
            Language.BASH,
            command(serve, first, before=before_command(target)),
            where=f"node {nodes[0] + 1}",
            note=paragraphs(
                repeated(target),
                cache_choice(target),
                speculation_note(target),
                environment_note(target),
            ),
            expect=cache_note(target),
            stays=True,
            answers=(f"$HOST:{FIRST_PORT}/health",),
        ),
        RecipeStep(
            Phase.START,
            "Start vLLM",
            Language.BASH,
            f"NODE_RANK=1\n{command(serve, rest, before=before_command(target))}",
            where=node_words(nodes[1:], len(target.combo.nodes)),
            note=_rank_note(len(nodes) - 1),
            stays=True,
        ),
    ]


def _rank_note(last: int) -> str:
    if last == 1:
        return "NODE_RANK is 1, because there is only one more node."
    return f"Set NODE_RANK to a different number on each of these nodes, from 1 to {last}."
