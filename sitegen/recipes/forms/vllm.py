"""vLLM on one machine: a server for each replica, as commands, a unit or a container."""

from __future__ import annotations

from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Recipe, RecipeStep
from sitegen.recipes.services import compose_step, gpu_access, shown_gpus, unit_step
from sitegen.recipes.shell import Option, flat, literal, words
from sitegen.recipes.steps import (
    API_KEY,
    HOST,
    ask_step,
    built,
    gpus_step,
    settings_step,
    start_step,
)
from sitegen.recipes.target import Target
from sitegen.recipes.vllm_options import (
    IMAGES,
    cache_note,
    install_step,
    serve_options,
    stop_step,
)

WARNINGS = (
    "Without the key anybody who reaches the port can use the server: keep the address private.",
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "vllm" or len(target.span) > 1:
        return None
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    steps = [
        settings_step([target.model_variable(target.folder), HOST, API_KEY], where),
        install_step(target, where),
        *file_steps(target, where),
        *gpus_step(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps.append(_start(target, replicas, at))
        steps.append(ask_step(target, target.ports(len(replicas)), where=at))
    steps.append(stop_step("vllm serve", where))
    steps.append(_unit(target, groups[0][1][0]))
    if target.vendors[0] in IMAGES:
        steps.append(_compose(target, groups[0][1]))
    return built(target, "vllm", "vLLM", "vllm", warnings=WARNINGS, steps=steps)


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    return start_step(
        target,
        replicas,
        'vllm serve "$MODEL"',
        lambda port: serve_options(target, port=str(port)),
        where=where,
        expect=cache_note(target),
    )


def _literal(target: Target, port: int) -> list[Option]:
    """The same options without the shell: the key comes from the environment file."""
    replaced = {'"$HOST"': "127.0.0.1", '"$API_KEY"': "${API_KEY}"}
    return literal(serve_options(target, port=str(port)), replaced)


def _unit(target: Target, ranks: tuple[Rank, ...]) -> RecipeStep:
    """Write a systemd unit for the first server."""
    model = target.repository or target.folder
    start = flat(f"/opt/vllm/.venv/bin/vllm serve {model}", _quoted(target))
    shown = target.shown(ranks)
    return unit_step("vllm", f"vLLM serving {target.served_name}", start, environment=[shown])


def _quoted(target: Target) -> list[Option]:
    """Quote what holds a space or a brace for a unit file."""
    return [
        (option[0], f"'{option[1]}'") if len(option) > 1 and option[1].startswith("{") else option
        for option in _literal(target, target.ports(1)[0])
    ]


def _compose(target: Target, replicas: tuple[tuple[Rank, ...], ...]) -> RecipeStep:
    """Write a compose file with one service per replica of the first machine."""
    model, services = target.repository or target.folder, {}
    for port, ranks in zip(target.ports(len(replicas)), replicas, strict=True):
        services[f"vllm-{port}"] = {
            "image": IMAGES[target.vendors[0]],
            "command": [model, *words(_literal(target, port))],
            "network_mode": "host",
            "ipc": "host",
            "restart": "unless-stopped",
            "environment": {"HF_TOKEN": "${HF_TOKEN:-}", **shown_gpus(target, ranks)},
            "volumes": ["~/.cache/huggingface:/root/.cache/huggingface", "/models:/models:ro"],
            **gpu_access(target, ranks),
        }
    return compose_step(services)
