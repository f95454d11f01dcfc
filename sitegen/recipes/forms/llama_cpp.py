"""llama.cpp on one machine: llama-server for each replica, as commands, a unit or a container."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.hardware import Vendor
from sitegen.physics.plan import PlanKind
from sitegen.recipes.environment import assigned
from sitegen.recipes.llama_options import (
    images_note,
    install_step,
    llama_file_steps,
    load_note,
    model_variable,
    offload_note,
    prediction_note,
    rocm_step,
    room_note,
    server_options,
    shown_loading,
    slots_note,
    tensor_note,
    uses_oneapi,
    with_oneapi,
)
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Recipe, RecipeStep, paragraphs
from sitegen.recipes.services import (
    ENVIRONMENT_NOTE,
    FROM_FILE,
    VOLUMES,
    compose_step,
    device_groups,
    gpu_access,
    service_steps,
    shown_gpus,
    through_bash,
    unit_step,
)
from sitegen.recipes.shell import Option, flat, literal, words
from sitegen.recipes.speculation import measured_gain, speculation_note
from sitegen.recipes.steps import (
    API_KEY,
    ask_step,
    built,
    host,
    settings_step,
    start_step,
    stop_step,
    wired_limit_step,
)
from sitegen.recipes.target import Target
from sitegen.recipes.versions import LLAMA_CPP_BUILD

PROGRAM = "llama.cpp/build/bin/llama-server"
SETVARS = "/opt/intel/oneapi/setvars.sh"
IMAGE = "ghcr.io/ggml-org/llama.cpp"
TAGS = {Vendor.NVIDIA: "server-cuda", Vendor.AMD: "server-rocm", Vendor.INTEL: "server-intel"}
"""Beginnings of the tags of the image, by vendor; the build ends them."""
HAS_NCCL = (
    "This image has NCCL, through which the GPUs exchange data. The image server-cuda13 does not."
)
"""Which image a model that is cut over NVIDIA's GPUs needs.

Source:
    llama.cpp 0c1e57098, ``.devops/cuda.Dockerfile`` and ``.github/workflows/docker.yml``:
    server-cuda is built in nvidia/cuda:12.8.1-devel-ubuntu24.04 and put on its runtime image,
    which install libnccl-dev and libnccl2. Pull request 28143: those for CUDA 13 install neither.
"""

WARNINGS = (
    "Set a key, and keep the address private: without a key, anyone who can reach the port can use "
    "the server.",
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "llama-cpp" or len(target.span) > 1:
        return None
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    steps = [
        settings_step([model_variable(target), host(target), API_KEY], where),
        *rocm_step(target, where),
        install_step(target, where),
        *llama_file_steps(target, where),
        *wired_limit_step(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps += [
            _start(target, replicas, at),
            ask_step(target, target.ports(len(replicas)), where=at),
        ]
    steps.append(stop_step("llama.cpp/build/bin/llama-server", target.machine_ports(), where))
    if target.vendors != (Vendor.APPLE,):
        first = groups[0][1][0]
        unit = service_steps(_unit(target, first), models=not target.hub_file)
        steps += [*unit, *_compose(target, first)]
    return built(
        target,
        "llama-cpp",
        "llama.cpp",
        "llama-cpp",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
        measures_itself=True,
        one_user_gain=measured_gain(target),
    )


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    step = start_step(
        target,
        replicas,
        PROGRAM,
        lambda port: shown_loading(target, server_options(target, port)),
        where=where,
        note=paragraphs(
            offload_note(target),
            prediction_note(target),
            tensor_note(target),
            images_note(target),
            room_note(target),
            slots_note(target),
            speculation_note(target),
        ),
        expect=load_note(target),
    )
    return replace(step, text=with_oneapi(target, step.text))


def _literal(target: Target) -> list[Option]:
    """The same options without the shell: variables come from a file."""
    return literal(server_options(target, target.ports(1)[0]), FROM_FILE)


def _unit(target: Target, ranks: tuple[Rank, ...]) -> RecipeStep:
    start = flat("/opt/llama/llama.cpp/build/bin/llama-server", _literal(target))
    if uses_oneapi(target):
        start = through_bash(f"source {SETVARS}", start)
    describes = f"llama.cpp serving {target.served_name}"
    return unit_step(
        "llama",
        describes,
        start,
        environment=[target.shown(ranks), *assigned(target)],
        groups=device_groups(target),
    )


def _compose(target: Target, ranks: tuple[Rank, ...]) -> tuple[RecipeStep, ...]:
    """Write a compose file where there is an image for the GPUs."""
    vendor = target.vendors[0]
    if len(target.vendors) > 1 or vendor not in TAGS:
        return ()
    shown = shown_gpus(target, ranks)
    service: dict[str, object] = {
        "image": f"{IMAGE}:{TAGS[vendor]}-{LLAMA_CPP_BUILD}",
        "command": words(_literal(target)),
        "network_mode": "host",
        "restart": "unless-stopped",
        "environment": {"HF_TOKEN": "${HF_TOKEN:-}", **shown},
        "volumes": list(VOLUMES),
        **gpu_access(target, ranks),
    }
    cut = target.plan.kind is PlanKind.TENSOR and vendor is Vendor.NVIDIA
    if cut:
        service["ipc"] = "host"
    note = f"{ENVIRONMENT_NOTE} {HAS_NCCL}" if cut else ENVIRONMENT_NOTE
    return (compose_step({f"llama-{target.ports(1)[0]}": service}, note=note),)
