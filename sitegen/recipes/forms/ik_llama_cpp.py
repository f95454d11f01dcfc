"""ik_llama.cpp on one machine: its llama-server for each replica, built beside llama.cpp's own."""

from __future__ import annotations

from functools import partial

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.files import (
    DOWNLOAD,
    JOBS,
    LLAMA_CPP,
    first_file,
    gigabytes,
    hub_step,
    login_steps,
    made_step,
    pattern_note,
    wanted_files,
)
from sitegen.recipes.llama_options import (
    ALL_LAYERS_IN_DIGITS,
    build_needs,
    load_note,
    offload_note,
    server_options,
    slots_note,
    split_of,
)
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, Variable, quoted
from sitegen.recipes.steps import (
    API_KEY,
    ask_step,
    built,
    host,
    settings_step,
    start_step,
    stop_step,
)
from sitegen.recipes.target import Target
from sitegen.recipes.versions import READ

SOURCE = "https://github.com/ikawrakow/ik_llama.cpp"
PROGRAM = "ik_llama.cpp/build/bin/llama-server"
PROJECTORS = "'*mmproj*-[Ff]16.gguf'"
"""How makers of GGUF files name the file that reads images, in 16 bits."""

WARNINGS = (
    "Set a key, and keep the address private: without a key, anyone who can reach the port can use "
    "the server.",
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "ik-llama-cpp" or len(target.span) > 1:
        return None
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    file = Variable("MODEL", quoted(f"{target.folder}.gguf"), "see the step about the files")
    steps = [
        settings_step([*([] if target.hub_file else [file]), host(target), API_KEY], where),
        _install(target, where),
        *_files(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps += [
            _start(target, replicas, at),
            ask_step(target, target.ports(len(replicas)), where=at),
        ]
    steps.append(stop_step("ik_llama.cpp/build/bin/llama-server", target.machine_ports(), where))
    return built(
        target,
        "ik-llama-cpp",
        "ik_llama.cpp",
        "ik-llama-cpp",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
    )


def _install(target: Target, where: str) -> RecipeStep:
    """Build it for the processor that it runs on, and for NVIDIA GPUs where there are any.

    Source:
        ik_llama.cpp at commit 8337e4c, README.md.
    """
    cuda = [] if target.vendors == (Vendor.CPU,) else ["-DGGML_CUDA=ON"]
    lines = [
        f"git clone {SOURCE}",
        f"git -C ik_llama.cpp checkout {READ['ik-llama-cpp']}",
        " ".join(["cmake -S ik_llama.cpp -B ik_llama.cpp/build -DGGML_NATIVE=ON", *cuda]),
        f"cmake --build ik_llama.cpp/build --config Release {JOBS}",
        f"{PROGRAM} --version",
    ]
    note = f"{build_needs(target)} With AVX-512, add the options in ik_llama.cpp's docs/build.md."
    title = "Build ik_llama.cpp"
    return RecipeStep(
        Phase.INSTALL, title, Language.BASH, "\n".join(lines), where, note=note, expect="version"
    )


def _files(target: Target, where: str) -> tuple[RecipeStep, ...]:
    """Fetch the files of the type."""
    if not target.hub_file:
        return (made_step(target, where, before=_tools()),)
    lines = [
        f"hf download {quoted(target.repository)} {wanted_files(target)} --local-dir files",
        f"FILE={first_file(target, 'files')}",
        'wc -c "$FILE"',
    ]
    if target.assessment.settings.images:
        lines += [
            f"hf download {quoted(target.repository)} --include {PROJECTORS} --local-dir files",
            f"PROJECTOR=$(find files -name {PROJECTORS} | head -n 1)",
        ]
    size = gigabytes(target.assessment.download_bytes)
    note = (
        f"This downloads about {size}. If the file is split into parts, set FILE to the first "
        "part; the server finds the others."
    )
    note = " ".join(filter(None, (note, pattern_note(target))))
    step = RecipeStep(
        Phase.FILES, DOWNLOAD, Language.BASH, "\n".join(lines), where=where, note=note
    )
    return (hub_step(where), *login_steps(target, where), step)


def _tools() -> tuple[str, ...]:
    """Build what makes files: the fork has llama.cpp's tools, and the steps name their folder."""
    return (
        *LLAMA_CPP,
        "cmake -S llama.cpp -B llama.cpp/build -DCMAKE_BUILD_TYPE=Release",
        f"cmake --build llama.cpp/build {JOBS} --target llama-quantize",
    )


def _options(target: Target, port: int | str) -> list[Option]:
    """What llama.cpp's server takes, with the file in place of a repository, and its own counts."""
    own = {"--n-gpu-layers": _gpu_layers(target), "--tensor-split": _split(target)}
    options = [(one[0], own[one[0]]) if one[0] in own else one for one in _shared(target, port)]
    if not target.hub_file:
        return options
    reads = [("--mmproj", '"$PROJECTOR"')] if target.assessment.settings.images else []
    return [("-m", '"$FILE"'), *reads, *options[1:]]


def _shared(target: Target, port: int | str) -> list[Option]:
    return [one for one in server_options(target, port) if one != ("--no-mmproj",)]


def _gpu_layers(target: Target) -> str:
    """Count the layers on GPUs without the head, which goes there behind all layers alone.

    Source:
        ik_llama.cpp 8337e4c, ``src/llama.cpp`` (``llm_load_tensors``): the last ``n_gpu_layers``
        layers are on GPUs, and the head too where the number is above that of all layers.
    """
    plan = target.plan
    return str(sum(plan.layers_per_stage)) if plan.cpu_layers else ALL_LAYERS_IN_DIGITS


def _split(target: Target) -> str:
    """Write shares in layers, the head as one more: they divide bytes.

    Source:
        ik_llama.cpp 8337e4c, ``src/llama.cpp`` (``get_layer_sizes``): a block for prediction has
        no bytes where nothing asks for it.
    """
    return split_of(target.plan.layers_per_stage, beside=1)


def _offloaded(target: Target) -> str:
    note = offload_note(target)
    return f"{note} The output layer stays there too." if target.plan.cpu_layers else note


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    return start_step(
        target,
        replicas,
        PROGRAM,
        partial(_options, target),
        where=where,
        note=" ".join(filter(None, (_offloaded(target), slots_note(target)))),
        expect=load_note(target, head=not target.plan.cpu_layers),
    )
