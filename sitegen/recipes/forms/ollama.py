"""Ollama on one machine: a Modelfile with the context of the plan, and a server per replica."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from sitegen.catalog.domain.hardware import Vendor
from sitegen.physics.plan import CONTEXT_STEP
from sitegen.recipes.environment import assigned
from sitegen.recipes.files import (
    DOWNLOAD,
    JOBS,
    JOBS_ON_MAC,
    LLAMA_CPP,
    NEEDS_IMATRIX,
    file_names,
    folder_line,
    gigabytes,
    hub_step,
    login_steps,
    made_step,
    pattern_note,
    wanted_files,
)
from sitegen.recipes.llama_options import (
    behind_layers,
    is_without_images,
    needs_old_rocm,
    projector_bytes,
    unasked_images_note,
)
from sitegen.recipes.placement import VISIBLE, Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep, paragraphs
from sitegen.recipes.services import (
    MODELS_VOLUME,
    compose_step,
    gpu_access,
    machines,
    several,
    shown_gpus,
    start_units,
    unit_port,
    unit_step,
)
from sitegen.recipes.shell import Variable, quoted, quoted_path
from sitegen.recipes.steps import balance_note, built, each_port, memory_limit_step, settings_step
from sitegen.recipes.target import Target
from sitegen.recipes.versions import OLLAMA
from sitegen.units import MIB, ceil_div

FIRST_PORT = 11_434
LARGEST_IN_ONE_BYTES = 45_000_000_000
"""Size up to which a file whose name no source lists is taken for whole.

Providers cut most larger files into parts.

Source:
    huggingface/hub-docs pull request 2037 (2025-11-12): the Hub asked for files below 50 GB until
    then, and asks for files below 200 GB since.
"""
STORE_COPIES = 3
"""Copies of a local file that its store holds at once while a model is created."""
FOR_WINDOWS = "https://ollama.com/download/windows"
"""Has the version for Windows.

Source:
    Ollama documentation, Windows: "a native Windows application, including NVIDIA and AMD Radeon
    GPU support" (read 2026-11-29).
"""
CACHES = {"q8_0": "q8_0", "q4_0": "q4_0"}
TAGS = {Vendor.NVIDIA: OLLAMA, Vendor.AMD: f"{OLLAMA}-rocm"}
"""Tags of the container image, by vendor."""
THROUGH_VULKAN = (
    "Ollama's ROCm files leave these GPUs out, so it uses Vulkan, which needs Mesa's driver "
    "(Debian and Ubuntu: mesa-vulkan-drivers). Our estimates are for ROCm."
)
"""How Ollama runs GPUs that newer ROCm has no files for; Intel's run through Vulkan, too.

Source:
    Ollama fb3076099, ``llama/server/CMakePresets.json`` (no gfx906), ``Dockerfile`` (removes
    rocBLAS files of gfx906; the archive has Vulkan, the ROCm image has not) and ``docs/gpu.mdx``
    ("Vulkan GPU Support", "GPU Selection").
"""
READS_FILE = "The ollama user must be able to read the model file."

WARNINGS = (
    "Ollama does not check keys: keep it local to this machine, or put a proxy in front of it that "
    "does.",
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine."""
    if target.assessment.runtime.id != "ollama" or len(target.span) > 1:
        return None
    total = len(target.combo.nodes)
    groups = target.by_node()
    where = node_words(sorted({n for nodes, _ in groups for n in nodes}), total)
    size = gigabytes(target.assessment.download_bytes)
    note = f"{size}, also named in the Modelfile"
    model = quoted_path(_model(target))
    steps = [
        settings_step([Variable("MODEL", model, note)], where),
        _install(target, where),
        *_files(target, where),
        *memory_limit_step(target, where),
        _modelfile(target, where),
    ]
    for nodes, replicas in groups:
        at = node_words(list(nodes), total)
        steps += [
            _start(target, replicas, at),
            _create(target, len(replicas), at),
            _asked(target, len(replicas), at),
        ]
    steps.append(_stop(where))
    if target.vendors != (Vendor.APPLE,):
        steps += [*_service(target), *_compose(target)]
    return built(
        target,
        "ollama",
        "Ollama",
        "ollama",
        warnings=WARNINGS,
        steps=steps,
        port=FIRST_PORT,
        names_model=True,
        for_windows=FOR_WINDOWS,
        store_bytes=store_bytes(target),
    )


def pulled(target: Target) -> bool:
    """Return whether Ollama can fetch the file: the Hub gives it no file that is cut into parts.

    The name of the file says whether it is; where the catalog has no name, its size has to tell.

    Source:
        huggingface/hub-docs issue 2702, ollama/ollama issue 5245: "sharded GGUF" is refused, and
        a whole file of the same repository is given.
    """
    if not target.hub_file:
        return False
    name = target.assessment.checkpoint.file
    if name:
        return len(file_names(name)) == 1
    return target.assessment.download_bytes <= LARGEST_IN_ONE_BYTES


def _model(target: Target) -> str:
    """Name what Ollama is given: an address, a folder of parts or the file that a step makes."""
    if pulled(target):
        return f"hf.co/{target.hub_file}"
    return target.folder if target.hub_file else f"{target.folder}.gguf"


def _parts(target: Target) -> str:
    """Name the folder that holds the parts, as the repository has them."""
    inside, _, _ = target.assessment.checkpoint.file.rpartition("/")
    return f"{target.folder}/{inside}" if inside else target.folder


def store_bytes(target: Target) -> int:
    """Count what Ollama needs for local files beside them, in its own store.

    It copies the files into the store, writes them again as one file, and copies that file under
    its final name before it deletes the first copy. The servers of a machine share a store, and
    each creates the model: later ones write it again beside the file of the first.

    Source:
        Ollama fb3076099, ``cmd/cmd.go`` (``createBlob``), ``server/create.go``
        (``rewriteLayerWithLlamaQuantize``, for every local GGUF file), ``manifest/layer.go``
        (``NewLayer``).
    """
    if pulled(target):
        return 0
    several = any(len(replicas) > 1 for _, replicas in target.by_node())
    return (STORE_COPIES + several) * target.assessment.download_bytes


def _files(target: Target, where: str) -> tuple[RecipeStep, ...]:
    """Say where the files come from, where Ollama does not fetch them.

    Source:
        Ollama fb3076099, which is 0.33.0-rc2, ``parser/parser.go`` (``filesForModel``): ``FROM`` a
        folder takes every GGUF file of it. ``server/create.go`` (``mergeSplitGGUFLayers``,
        ``copyLayerWithLlamaQuantize``): ``ollama create`` joins the parts of a file.
    """
    if pulled(target):
        return ()
    if not target.hub_file:
        made = not target.assessment.checkpoint.quantization.gguf_file_type.startswith(
            NEEDS_IMATRIX
        )
        return (made_step(target, where, before=_tools(target, "llama-quantize") if made else ()),)
    lines = [
        folder_line(target),
        f'hf download {quoted(target.repository)} {wanted_files(target)} --local-dir "$MODEL"',
    ]
    if not target.assessment.checkpoint.file:
        lines.append("""find "$MODEL" -mindepth 2 -name '*.gguf' -exec ln -f {} "$MODEL" \\;""")
    note = (
        "Ollama cannot download a file that is split into parts, so this step downloads "
        f"{gigabytes(target.assessment.download_bytes)}. In a later step, Ollama joins the parts."
    )
    note = " ".join(filter(None, (note, pattern_note(target))))
    step = RecipeStep(
        Phase.FILES, DOWNLOAD, Language.BASH, "\n".join(lines), where=where, note=note
    )
    return (hub_step(where), *login_steps(target, where), step)


VULKAN_DRIVER = (
    "Ollama runs Intel GPUs through Vulkan, which needs a Vulkan driver (Debian and Ubuntu: "
    "mesa-vulkan-drivers)."
)
"""What Ollama finds no GPU of Intel without.

Source:
    Ollama fb3076099, ``docs/gpu.mdx`` ("Vulkan GPU Support"). Debian's package of Mesa's drivers
    (both read 2026-11-29).
"""


def _tools(target: Target, program: str) -> tuple[str, ...]:
    """Build one of llama.cpp's programs, on the CPU."""
    jobs = JOBS_ON_MAC if target.on_macs else JOBS
    return (
        *LLAMA_CPP,
        "cmake -S llama.cpp -B llama.cpp/build -DCMAKE_BUILD_TYPE=Release",
        f"cmake --build llama.cpp/build {jobs} --target {program}",
    )


def _install(target: Target, where: str) -> RecipeStep:
    """Install the release, without the service that comes with it.

    Source:
        Ollama fb3076099, ``scripts/install.sh``: it asks for curl, and for zstd to unpack.
    """
    apple = target.vendors == (Vendor.APPLE,)
    get = "brew install ollama"
    if not apple:
        version = f"OLLAMA_VERSION={OLLAMA}"
        get = f"curl -fsSL https://ollama.com/install.sh | {version} sh"
    stop = "" if apple else "\nsudo systemctl disable --now ollama"
    note = (
        ""
        if apple
        else (
            "The installer needs curl and zstd, and starts a service with its own defaults; the "
            "last command stops it."
        )
    )
    if Vendor.INTEL in target.vendors:
        note = f"{note} {VULKAN_DRIVER}"
    return RecipeStep(
        Phase.INSTALL, "Install", Language.BASH, f"{get}{stop}\nollama --version", where, note=note
    )


def context_tokens(target: Target) -> int:
    """Choose the context beside which the image projector fits that Ollama loads unasked.

    Where it does not, Ollama moves layers to system RAM; the verdict's own context stays.

    Source:
        Ollama fb3076099, ``llm/llama_server.go`` (``extraEnvsForStart``, ``mmprojFitTargetMiB``):
        llama-server has to leave the projector and 1 GiB of every GPU free.
    """
    chosen, gpu = target.context_tokens, target.busiest
    several = target.assessment.workload.sequences > 1
    if gpu is None or several or target.plan.cpu_layers or not is_without_images(target):
        return chosen
    reached = target.assessment.verdict_context_tokens
    a_token, projector = target.limits.kv_bytes_per_token_per_gpu, projector_bytes(target)
    margin = int(target.assessment.profile.constants["margin_mib"].value.high) * MIB
    spare = int(gpu.free.low) - margin - (chosen - reached) * a_token
    if spare >= projector or not a_token:
        return chosen
    shorter = (chosen - ceil_div(projector, a_token)) // CONTEXT_STEP * CONTEXT_STEP
    return max(reached, shorter)


def parameters(target: Target) -> list[tuple[str, int]]:
    """Name and value of the parameters that make it the plan assessed."""
    plan = target.plan
    found = [("num_ctx", context_tokens(target))]
    if plan.cpu_layers:
        found.append(("num_gpu", sum(plan.layers_per_stage) + behind_layers(target)))
    return found


def _modelfile(target: Target, where: str) -> RecipeStep:
    """Write the Modelfile, in which the home of the user is a tilde.

    Source:
        Ollama fb3076099, ``parser/parser.go`` (``expandPath``).
    """
    local = target.hub_file and not pulled(target)
    source = _parts(target) if local else _model(target)
    lines = [f"FROM {source.replace('$HOME', '~')}"]
    lines += [f"PARAMETER {name} {value}" for name, value in parameters(target)]
    return RecipeStep(
        Phase.FILES,
        "Write the Modelfile",
        Language.MODELFILE,
        "\n".join(lines),
        where=where,
        file="Modelfile",
        note="Without num_ctx, Ollama chooses a context based on the available memory.",
    )


def variables(target: Target, port: int | str) -> list[str]:
    """Variables of a server: address, context, requests at once, cache, spread."""
    found = [
        f"OLLAMA_HOST=127.0.0.1:{port}",
        f"OLLAMA_CONTEXT_LENGTH={context_tokens(target)}",
        f"OLLAMA_NUM_PARALLEL={target.assessment.workload.sequences}",
        "OLLAMA_MAX_LOADED_MODELS=1",
    ]
    if len(target.plan.ranks) > 1:
        found.append("OLLAMA_SCHED_SPREAD=1")
    cache = CACHES.get(target.assessment.workload.kv_dtype)
    asked = target.assessment.settings.flash_attention
    if cache or asked is not None:
        found.append(f"OLLAMA_FLASH_ATTENTION={0 if asked is False else 1}")
    if cache:
        found.append(f"OLLAMA_KV_CACHE_TYPE={cache}")
    return found


def _shown(target: Target, ranks: tuple[Rank, ...]) -> str:
    """Assign the variable that shows the GPUs of a replica, Vulkan's where they run through it."""
    name, _, shown = target.shown(ranks).partition("=")
    vulkan = name == VISIBLE[Vendor.INTEL] or needs_old_rocm(target)
    return f"{'GGML_VK_VISIBLE_DEVICES' if vulkan else name}={shown}" if shown else ""


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    commands = []
    for port, ranks in zip(target.ports(len(replicas), FIRST_PORT), replicas, strict=True):
        shown = _shown(target, ranks)
        words = [
            *variables(target, port),
            *([shown] if shown else []),
            *assigned(target),
            "ollama serve &",
        ]
        commands.append(" \\\n  ".join(words))
    several = len(replicas) > 1
    vulkan = THROUGH_VULKAN if needs_old_rocm(target) else ""
    spread = "Ollama itself decides how many layers each GPU gets, which may differ from the plan."
    return RecipeStep(
        Phase.START,
        f"Start {len(replicas)} servers" if several else "Start the server",
        Language.BASH,
        "\n".join(commands),
        where=where,
        note=" ".join(
            filter(
                None,
                (
                    vulkan,
                    spread if len(target.plan.ranks) > 1 else "",
                    balance_note(target),
                ),
            )
        ),
        stays=True,
        answers=tuple(
            f"127.0.0.1:{port}/api/version" for port in target.ports(len(replicas), FIRST_PORT)
        ),
    )


def _create(target: Target, servers: int, where: str) -> RecipeStep:
    """Download the file into each server, and name it with its context."""
    pull = ['OLLAMA_HOST="127.0.0.1:$PORT" ollama pull "$MODEL"'] if pulled(target) else []
    create = f'OLLAMA_HOST="127.0.0.1:$PORT" ollama create {quoted(target.served_name)}'
    return RecipeStep(
        Phase.START,
        "Download the model and name it" if pull else "Name the model",
        Language.BASH,
        each_port(target.ports(servers, FIRST_PORT), [*pull, f"{create} -f Modelfile"]),
        where=where,
        note=_create_note(target),
        expect="success",
    )


def _shortened(target: Target) -> bool:
    return context_tokens(target) < target.context_tokens


def _create_note(target: Target) -> str:
    """Say what Ollama downloads unasked, or what it copies of local files."""
    if pulled(target):
        room = "num_ctx leaves room for it." if _shortened(target) else ""
        return " ".join(filter(None, (unasked_images_note(target, "Ollama"), room)))
    return (
        "Ollama copies the files into its own store, ~/.ollama or the folder that "
        f"OLLAMA_MODELS names. It needs {gigabytes(store_bytes(target))} of disk space there "
        "while it works. Afterwards it no longer reads the folder that MODEL names."
    )


def _stop(where: str) -> RecipeStep:
    """End the servers that this shell started: their port is no word of their command."""
    text, note = "kill -INT $(jobs -p)", "Run this in the shell that started the servers."
    return RecipeStep(Phase.STOP, "Stop", Language.BASH, text, where=where, note=note)


def _service(target: Target) -> tuple[RecipeStep, ...]:
    """Write the variables of the installer's service, or a unit for each of several servers.

    Source:
        Ollama fb3076099, ``scripts/install.sh``: the installer makes the user ollama, who may open
        the GPUs' devices, and puts the program into /usr/local/bin.
    """
    if not several(target):
        return (_override(target, target.by_node()[0][1][0]),)
    unit = unit_step(
        target,
        "ollama",
        f"Ollama serving {target.served_name}",
        "/usr/local/bin/ollama serve",
        environment=variables(target, unit_port(target)),
    )
    shown = partial(_shown, target)
    note = paragraphs(unit.note, f"After they start, run ollama create as above. {READS_FILE}")
    where = machines(target, [node for nodes, _ in target.by_node() for node in nodes])
    started = start_units(target, "ollama", first=FIRST_PORT, shown=shown)
    return (replace(unit, where=where, note=note), *started)


def _override(target: Target, ranks: tuple[Rank, ...]) -> RecipeStep:
    """Give the service of the installer the variables of its server."""
    (port,) = target.ports(1, FIRST_PORT)
    given = [*variables(target, port), _shown(target, ranks), *assigned(target)]
    lines = ["[Service]", *(f'Environment="{one}"' for one in given if one)]
    return RecipeStep(
        Phase.INSTEAD,
        "With the service that the installer created",
        Language.INI,
        "\n".join(lines),
        file="/etc/systemd/system/ollama.service.d/override.conf",
        note=(
            "After you write this file, run systemctl daemon-reload, systemctl enable --now "
            f"ollama, and ollama create as above. {READS_FILE}"
        ),
    )


def _compose(target: Target) -> Iterator[RecipeStep]:
    """Write compose files with one service per replica, where there is an image."""
    if len(target.vendors) > 1 or target.vendors[0] not in TAGS or needs_old_rocm(target):
        return
    create = f"ollama create {quoted(target.served_name)} -f /Modelfile"
    for nodes, replicas in target.by_node():
        ports = target.ports(len(replicas), FIRST_PORT)
        services = {
            f"ollama-{port}": _container(target, port, ranks)
            for port, ranks in zip(ports, replicas, strict=True)
        }
        note = (
            "Run docker compose up -d, then create the model in each container: "
            f"docker compose exec ollama-{ports[0]} {create}"
        )
        where = machines(target, nodes)
        yield compose_step(services, note=note, volumes=list(services), where=where)


def _container(target: Target, port: int, ranks: tuple[Rank, ...]) -> dict[str, object]:
    return {
        "image": f"ollama/ollama:{TAGS[target.vendors[0]]}",
        "network_mode": "host",
        "restart": "unless-stopped",
        "environment": {
            **dict(one.split("=", 1) for one in variables(target, port)),
            **shown_gpus(target, ranks),
        },
        "volumes": [
            f"ollama-{port}:/root/.ollama",
            MODELS_VOLUME,
            "./Modelfile:/Modelfile:ro",
        ],
        **gpu_access(target, ranks),
    }


def _asked(target: Target, servers: int, where: str) -> RecipeStep:
    name = quoted(target.served_name)
    plan = target.plan
    wholly = "a share of CPU" if plan.cpu_layers or plan.cpu_expert_layers else "100% GPU"
    lines = [
        f'OLLAMA_HOST="127.0.0.1:$PORT" ollama run {name} "Say hello."',
        'OLLAMA_HOST="127.0.0.1:$PORT" ollama ps',
    ]
    return RecipeStep(
        Phase.VERIFY,
        "Send a test question and check where the model runs",
        Language.BASH,
        each_port(target.ports(servers, FIRST_PORT), lines),
        where=where,
        expect=(
            f"{wholly} and CONTEXT {context_tokens(target)} in the line for {target.served_name}"
        ),
    )
