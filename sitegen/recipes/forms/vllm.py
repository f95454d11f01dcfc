"""vLLM on one machine: a server for each replica, as commands, a unit or a container."""

from __future__ import annotations

from functools import partial

from sitegen.recipes.chat import template_of, template_step, template_volume
from sitegen.recipes.environment import assigned, environment, search_path
from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Recipe, RecipeStep, paragraphs
from sitegen.recipes.services import (
    FROM_FILE,
    VOLUMES,
    compose_steps,
    gpu_access,
    intel_ranks,
    shown_gpus,
    unit_port,
    unit_steps,
)
from sitegen.recipes.shell import Option, flat, literal, words
from sitegen.recipes.speculation import measured_gain, speculation_note
from sitegen.recipes.steps import (
    API_KEY,
    ask_step,
    built,
    gpus_step,
    host,
    memory_limit_step,
    settings_step,
    start_step,
    stop_step,
)
from sitegen.recipes.target import Target
from sitegen.recipes.vllm_options import (
    cache_choice,
    cache_note,
    image_of,
    install_step,
    serve_options,
)

WARNINGS = (
    "Set a key, and keep the address private: without a key, anyone who can reach the port can use "
    "the server.",
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "vllm" or len(target.span) > 1:
        return None
    target = target.joined
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    steps = [
        settings_step([target.model_variable(target.folder), host(target), API_KEY], where),
        install_step(target, where),
        *file_steps(target, where),
        *template_step(target, where),
        *gpus_step(target, where),
        *memory_limit_step(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps.append(_start(target, replicas, at))
        steps.append(ask_step(target, target.ports(len(replicas)), where=at))
    steps.append(stop_step("vllm serve", target.machine_ports(), where))
    steps += _units(target)
    if image_of(target):
        steps += compose_steps(target, "vllm", partial(_service, target))
    return built(
        target,
        "vllm",
        "vLLM",
        "vllm",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
        one_user_gain=measured_gain(target),
    )


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    return start_step(
        target,
        replicas,
        'vllm serve "$MODEL"',
        lambda port: [*serve_options(target, port=str(port)), *target.replica_options(replicas[0])],
        where=where,
        note=paragraphs(cache_choice(target), speculation_note(target)),
        expect=cache_note(target),
    )


def _literal(target: Target, ranks: tuple[Rank, ...], port: int | str, folder: str) -> list[Option]:
    """The same options without the shell; a chat template lies in a folder of its own."""
    template = template_of(target)
    found = FROM_FILE | ({template: f"{folder}/{template}"} if template else {})
    return literal([*serve_options(target, port=str(port)), *target.replica_options(ranks)], found)


def _units(target: Target) -> tuple[RecipeStep, ...]:
    """Write a systemd unit for each server."""
    return unit_steps(
        target,
        "vllm",
        f"vLLM serving {target.served_name}",
        flat("/opt/vllm/.venv/bin/vllm serve ${MODEL}", _quoted(target)),
        environment=[search_path(target, "/opt/vllm"), *assigned(target)],
        models=not target.repository,
    )


def _quoted(target: Target) -> list[Option]:
    """Quote what holds a space or a brace for a unit file."""
    ranks = target.by_node()[0][1][0]
    return [
        (option[0], f"'{option[1]}'") if len(option) > 1 and option[1].startswith('{"') else option
        for option in _literal(target, ranks, unit_port(target), "/opt/vllm")
    ]


def _service(target: Target, port: int, ranks: tuple[Rank, ...]) -> dict[str, object]:
    return {
        "image": image_of(target),
        "command": ["${MODEL}", *words(_literal(target, ranks, port, "/templates"))],
        "network_mode": "host",
        "ipc": "host",
        "restart": "unless-stopped",
        "environment": {
            "HF_TOKEN": "${HF_TOKEN:-}",
            **shown_gpus(target, ranks),
            **environment(target),
        },
        "volumes": [*VOLUMES, *template_volume(target)],
        **gpu_access(target, ranks),
        **intel_ranks(target, ranks),
    }
