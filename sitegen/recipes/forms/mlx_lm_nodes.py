"""MLX LM with one replica over several Macs, started from the first by ``mlx.launch``."""

from __future__ import annotations

from sitegen.physics.plan import PlanKind
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
from sitegen.recipes.shell import Option, Variable, command
from sitegen.recipes.steps import (
    built,
    rdma_step,
    repeated,
    settings_step,
    stop_step,
    wired_limit_step,
)
from sitegen.recipes.target import Target

HOSTFILE = "hosts.json"
TRAFFIC = "The traffic between the machines is neither encrypted nor signed: use a private network."


def recipe(target: Target) -> Recipe | None:
    """Run one replica over the Macs of the plan.

    Source:
        mlx 0.32.4, ``mlx/_distributed_utils``: the hostfile names the backend and its variables,
        and the program is looked up where the launcher runs. mlx_lm 0.32.2, ``server.py``: tensor
        parallel over all processes, stages with ``--pipeline``; the first process answers.
    """
    network = target.combo.network
    if target.assessment.runtime.id != "mlx-lm" or len(target.span) == 1 or network is None:
        return None
    nodes = list(target.span)
    where, first = node_words(nodes, len(target.combo.nodes)), f"node {nodes[0] + 1}"
    names = ",".join(f"mac-{at + 1}.local" for at in nodes)
    hosts = Variable("HOSTS", names, "host names for ssh, this machine first")
    steps = [
        settings_step([target.model_variable(target.folder)], where),
        settings_step([hosts], first, more=True),
        install_step(where, ("mlx", "mlx-lm")),
        *file_steps(target, where),
        *rdma_step(target, where),
        *wired_limit_step(target, where),
        _hostfile(rdma=network.rdma, over=network.kind, where=first),
        _start(target, rdma=network.rdma, where=first),
        asked_step(target, first),
        stop_step("mlx_lm.server", target.ports(1, PORT), where),
    ]
    name = "MLX LM over several Macs"
    return built(
        target,
        "mlx-lm-nodes",
        name,
        "mlx-lm",
        warnings=(*WARNINGS, TRAFFIC),
        steps=steps,
        port=PORT,
        names_model=True,
    )


def _hostfile(*, rdma: bool, over: str, where: str) -> RecipeStep:
    options: list[Option] = [
        ("--hosts", '"$HOSTS"'),
        ("--over", "thunderbolt" if over == "thunderbolt" else "ethernet"),
        ("--backend", "jaccl" if rdma else "ring"),
        ("--auto-setup",),
        ("--output-hostfile", HOSTFILE),
    ]
    return RecipeStep(
        Phase.NETWORK,
        "Set up the links and list the machines",
        Language.BASH,
        command("mlx.distributed_config", options),
        where=where,
        note="This command needs ssh and sudo without a password on every machine.",
    )


def _start(target: Target, *, rdma: bool, where: str) -> RecipeStep:
    launcher: list[Option] = [("--hostfile", HOSTFILE)]
    if rdma:
        launcher.append(("--env", "MLX_METAL_FAST_SYNCH=1"))
    launch = " ".join(["mlx.launch", *(" ".join(one) for one in launcher), "-- mlx_lm.server"])
    options = server_options(target)
    if target.plan.kind is not PlanKind.TENSOR:
        options.append(("--pipeline",))
    alike = "Put the environment and the files at the same paths on every machine."
    note = paragraphs(alike, context_note(target), repeated(target, "their own HOSTS"))
    return RecipeStep(
        Phase.START,
        "Start the server on all machines",
        Language.BASH,
        command(launch, options),
        where=where,
        note=note,
        stays=True,
        answers=answers(target),
    )
