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
    needs_old_rocm,
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
    compose_steps,
    gpu_access,
    shown_gpus,
    through_bash,
    unit_port,
    unit_steps,
)
from sitegen.recipes.shell import Option, flat, literal, words
from sitegen.recipes.speculation import measured_gain, speculation_note
from sitegen.recipes.steps import (
    API_KEY,
    ask_step,
    built,
    host,
    memory_limit_step,
    settings_step,
    start_step,
    stop_step,
)
from sitegen.recipes.target import Target
from sitegen.recipes.versions import LLAMA_CPP_BUILD

PROGRAM = "llama.cpp/build/bin/llama-server"
FOR_WINDOWS = "https://github.com/ggml-org/llama.cpp/releases"
"""Has builds with CUDA, HIP and Vulkan, none of them with NCCL, which a cut model wants.

Source:
    llama.cpp, ``.github/workflows/release.yml`` @002efcd4: windows-cuda, windows-hip, vulkan; pull
    request 28687: CUDA for ARM too. The package of winget follows them (``docs/install.md``; all
    read 2026-11-29).
"""
SETVARS = "/opt/intel/oneapi/setvars.sh"
IMAGE = "ghcr.io/ggml-org/llama.cpp"
TAGS = {Vendor.NVIDIA: "server-cuda", Vendor.AMD: "server-rocm", Vendor.INTEL: "server-intel"}
"""Beginnings of the tags of the image, by vendor; the build ends them."""
CUDA_13 = "server-cuda13"
NEEDS_CUDA_13 = ((11, 0), (12, 1))
"""Compute capabilities for which the other image has no code: Thor, DGX Spark and RTX Spark.

Source:
    llama.cpp 0c1e57098, ``ggml/src/ggml-cuda/CMakeLists.txt``: code for 12.1 from CUDA 12.9 on;
    CUDA 13 calls Thor 11.0. ``.github/workflows/docker.yml``: server-cuda13 has CUDA 13.4.1, for
    arm64 too, and is built beside server-cuda with the same number.
"""
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
        *memory_limit_step(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps += [
            _start(target, replicas, at),
            ask_step(target, target.ports(len(replicas)), where=at),
        ]
    steps.append(stop_step("llama.cpp/build/bin/llama-server", target.machine_ports(), where))
    if target.vendors != (Vendor.APPLE,):
        steps += [*_units(target), *_compose(target)]
    return built(
        target,
        "llama-cpp",
        "llama.cpp",
        "llama-cpp",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
        for_windows="" if target.plan.kind is PlanKind.TENSOR else FOR_WINDOWS,
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


def _literal(target: Target, port: int | str) -> list[Option]:
    """The same options without the shell: variables come from a file."""
    return literal(server_options(target, port), FROM_FILE)


def _units(target: Target) -> tuple[RecipeStep, ...]:
    options = _literal(target, unit_port(target))
    start = flat("/opt/llama/llama.cpp/build/bin/llama-server", options)
    if uses_oneapi(target):
        start = through_bash(f"source {SETVARS}", start)
    describes = f"llama.cpp serving {target.served_name}"
    shared, models = assigned(target), not target.hub_file
    return unit_steps(target, "llama", describes, start, environment=shared, models=models)


def _tag(target: Target) -> str:
    gpus = [target.node(node).gpus[gpu].gpu for node, gpu in target.plan.ranks]
    newer = any(gpu.compute_capability in NEEDS_CUDA_13 for gpu in gpus)
    return CUDA_13 if newer else TAGS[target.vendors[0]]


def _compose(target: Target) -> tuple[RecipeStep, ...]:
    """Write compose files with a service per replica, where there is an image for the GPUs.

    Source:
        llama.cpp pull request 19418: the image has ROCm 7.2, without files for old architectures.
    """
    if len(target.vendors) > 1 or target.vendors[0] not in TAGS or needs_old_rocm(target):
        return ()
    cut = target.plan.kind is PlanKind.TENSOR and target.vendors[0] is Vendor.NVIDIA
    note = f"{ENVIRONMENT_NOTE} {HAS_NCCL}" if cut else ENVIRONMENT_NOTE
    return compose_steps(
        target, "llama", lambda port, ranks: _service(target, port, ranks, cut=cut), note=note
    )


def _service(target: Target, port: int, ranks: tuple[Rank, ...], *, cut: bool) -> dict[str, object]:
    return {
        "image": f"{IMAGE}:{_tag(target)}-{LLAMA_CPP_BUILD}",
        "command": words(_literal(target, port)),
        "network_mode": "host",
        "restart": "unless-stopped",
        "environment": {"HF_TOKEN": "${HF_TOKEN:-}", **shown_gpus(target, ranks)},
        "volumes": list(VOLUMES),
        **gpu_access(target, ranks),
        **({"ipc": "host"} if cut else {}),
    }
