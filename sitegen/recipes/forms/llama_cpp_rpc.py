"""llama.cpp over several machines: an RPC server on each, llama-server on the first."""

from __future__ import annotations

from sitegen.recipes.firewall import ON_MACS, ports_step
from sitegen.recipes.llama_options import (
    images_note,
    install_step,
    llama_file_steps,
    load_note,
    model_variable,
    rocm_step,
    server_options,
    shown_loading,
    slots_note,
    split_of,
    with_oneapi,
)
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, Variable, command
from sitegen.recipes.steps import (
    API_KEY,
    HEAD_IP,
    IFACE,
    NODE_IP,
    ask_step,
    built,
    host,
    memory_limit_step,
    network_steps,
    repeated,
    settings_step,
    stop_step,
)
from sitegen.recipes.target import FIRST_PORT, Target

RPC_PORT = 50_052

WARNINGS = (
    "The RPC server has no password and no encryption, and its authors call it insecure: bind it "
    "to a private address, never to 0.0.0.0, and let only your own nodes reach its port.",
)


def recipe(target: Target) -> Recipe | None:
    """Run one replica over its nodes."""
    if target.assessment.runtime.id != "llama-cpp" or len(target.span) == 1:
        return None
    nodes = list(target.span)
    total = len(target.combo.nodes)
    where, head = node_words(nodes, total), f"node {nodes[0] + 1}"
    others = node_words(nodes[1:], total)
    peers = [
        Variable(f"NODE_{at + 1}_IP", f"10.0.0.{at + 1}", "address of that node on the link")
        for at in nodes[1:]
    ]
    network = network_steps(target, ())[:1]
    interface = [IFACE] if any(f"${IFACE.name}" in step.text for step in network) else []
    steps = [
        settings_step([HEAD_IP, NODE_IP, *interface], where),
        *rocm_step(target, where),
        install_step(target, where, rpc=True),
        *network,
        *memory_limit_step(target, where),
        *([] if target.on_macs else [ports_step(['"$HEAD_IP"'], [RPC_PORT], others)]),
        _worker(target, others),
        settings_step([model_variable(target), *peers, host(target), API_KEY], head, more=True),
        *llama_file_steps(target, head),
        _server(target, nodes, head),
        ask_step(target, [FIRST_PORT], where=head),
        stop_step("llama-server", [FIRST_PORT], head),
        stop_step("rpc-server", [RPC_PORT], others),
    ]
    name = "llama.cpp over several nodes (RPC)"
    return built(
        target,
        "llama-cpp-rpc",
        name,
        "llama-cpp",
        warnings=(*WARNINGS, ON_MACS) if target.on_macs else WARNINGS,
        steps=steps,
        own_host=True,
    )


def _worker(target: Target, where: str) -> RecipeStep:
    """Start the RPC server, under the name that the build gave it."""
    find = "RPC_SERVER=$(ls llama.cpp/build/bin/*rpc-server | head -n 1)"
    options: list[Option] = [("--host", '"$NODE_IP"'), ("--port", str(RPC_PORT)), ("--cache",)]
    return RecipeStep(
        Phase.START,
        "Start the RPC server",
        Language.BASH,
        with_oneapi(target, "\n".join((find, command('"$RPC_SERVER"', options)))),
        where=where,
        note=(
            "With --cache, the weights cross the network only once and stay in "
            "~/.cache/llama.cpp/rpc."
        ),
        expect=f"endpoint : …:{RPC_PORT}",
        stays=True,
        answers=(f"$NODE_IP:{RPC_PORT}",),
    )


def _server(target: Target, nodes: list[int], head: str) -> RecipeStep:
    """Start the server on the first node; remote devices come first in the split.

    Source:
        llama.cpp ``src/llama.cpp``, ``llama_prepare_model_devices``: RPC devices are put before
        the local GPUs.
    """
    peers = ",".join(f"$NODE_{at + 1}_IP:{RPC_PORT}" for at in nodes[1:])
    local = target.per_node[0]
    layers = target.plan.layers_per_stage
    split = split_of((*layers[local:], *layers[:local]))
    options = [
        ("--tensor-split", split) if option[0] == "--tensor-split" else option
        for option in shown_loading(target, server_options(target, FIRST_PORT))
    ]
    return RecipeStep(
        Phase.START,
        "Start the server",
        Language.BASH,
        with_oneapi(
            target,
            command("llama.cpp/build/bin/llama-server", [("--rpc", f'"{peers}"'), *options]),
        ),
        where=head,
        note=" ".join(
            filter(
                None,
                (
                    "--tensor-split lists the GPUs of the other nodes first.",
                    images_note(target),
                    slots_note(target),
                    repeated(target),
                ),
            )
        ),
        expect=load_note(target),
        stays=True,
        answers=(f"$HOST:{FIRST_PORT}/health",),
    )
