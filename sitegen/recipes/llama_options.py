"""The options of ``llama-server`` that both forms share, and how llama.cpp is built."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.hardware import Gpu, UnifiedMemory, Vendor
from sitegen.physics.cache_types import PLAIN, of_keys_and_values, quantized
from sitegen.physics.plan import PlanKind
from sitegen.recipes.environment import before_command
from sitegen.recipes.files import (
    JOBS,
    JOBS_ON_MAC,
    LLAMA_CPP,
    file_steps,
    gigabytes,
    hub_file_steps,
    hub_step,
    projector_path,
)
from sitegen.recipes.recipe import Language, Phase, RecipeStep, paragraphs
from sitegen.recipes.shell import Option, Variable, quoted, quoted_path
from sitegen.recipes.steps import lines_from, which
from sitegen.recipes.target import Target
from sitegen.units import GIB

VULKAN = "-DGGML_VULKAN=ON"
BACKENDS = {
    Vendor.NVIDIA: "-DGGML_CUDA=ON",
    Vendor.AMD: "-DGGML_HIP=ON",
    Vendor.INTEL: (
        "-DGGML_SYCL=ON -DGGML_SYCL_F16=ON -DCMAKE_C_COMPILER=icx -DCMAKE_CXX_COMPILER=icpx"
    ),
}
"""Build options by vendor; Metal is built without one, mixed vendors share Vulkan.

Source:
    SergiioB/intel-arc-pro-b70-inference-cookbook, ``MUSE-GLIMMER-B70.md``: without
    ``GGML_SYCL_F16`` an Arc Pro B70 reads a prompt at 293 tokens/s instead of 1,301; read
    2026-11-29.
"""
TOOLKITS = {
    Vendor.NVIDIA: "NVIDIA's CUDA toolkit",
    Vendor.INTEL: "Intel's oneAPI Base Toolkit with libze-dev",
    Vendor.APPLE: "Xcode's command line tools",
}
"""What a build takes beside a compiler and ROCm, which has a step of its own.

Source:
    llama.cpp issue 27257: "Level Zero loader or headers not found, Level Zero support disabled";
    libze-dev has both (read 2026-11-29).
"""
FIRST_OF_CUDA_13 = (7, 5)
"""Oldest compute capability that CUDA 13 compiles for."""
CUDA_12 = (
    "NVIDIA's CUDA toolkit 12, such as cuda-toolkit-12-9, with driver branch 580: CUDA 13 and "
    "newer drivers do not support these GPUs"
)
"""What GPUs before Turing need.

Source:
    NVIDIA, "CUDA Toolkit, Driver, and Architecture Matrix": the last toolkit for Maxwell, Pascal
    and Volta is CUDA 12.x, and the last driver R580. sudoingX/qwen38-mtp, README.md: two Tesla P40
    with CUDA 12.9 and driver 580.178.04 (both read 2026-11-29).
"""
INTEL_DRIVER = (
    "Intel's GPU driver must be installed with its compute runtime "
    "(https://dgpu-docs.intel.com/driver/client/overview.html), and your user must be in the "
    "groups render and video."
)
"""What SYCL finds no GPU without.

Source:
    llama.cpp, ``docs/backend/SYCL.md``, "Install GPU drivers" (read 2026-11-29).
"""
DEVICES = {
    Vendor.NVIDIA: "CUDA",
    Vendor.AMD: "ROCm",
    Vendor.INTEL: "SYCL",
    Vendor.APPLE: "MTL",
}
"""What the build of each vendor calls a GPU, before its number.

Source:
    llama.cpp 0c1e57098, ``ggml/include/ggml-cuda.h``, ``ggml-sycl.h``,
    ``ggml/src/ggml-metal/ggml-metal.cpp``.
"""
ONEAPI = 'source "${ONEAPI_ROOT:-/opt/intel/oneapi}/setvars.sh" --force'
"""Finds Intel's compilers and libraries, also in a shell that has found them before."""
HIP = 'HIPCXX="$(hipconfig -l)/clang" HIP_PATH="$(hipconfig -R)"'
"""Finds ROCm's compiler and libraries.

Source:
    llama.cpp 0c1e57098, ``docs/build.md`` ("HIP").
"""
ROCM = "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/tutorial/quick-start.html"
WITHOUT_NEWER_ROCM = "GCN 5.1"
ROCM_6_3 = (
    "The next step needs ROCm 6.3, because newer versions lack files of rocBLAS and rocSOLVER for "
    "these GPUs. If the shell does not find hipconfig, add /opt/rocm/bin to PATH, or install that "
    "version first: https://rocm.docs.amd.com/projects/install-on-linux/en/docs-6.3.3"
)
"""What an architecture needs that AMD dropped (gfx906: MI50, MI60, Radeon VII).

Source:
    ROCm/legacy-rocm-build issue 4625: from 6.4.0 on, rocBLAS has no files for gfx906; with those
    of another package 6.4.3 still stops in rocSOLVER, and 6.3.3 works. mixa3607/ML-gfx906 issue 15
    (2026-03): llama.cpp b8508 works with 6.3.3. llama.cpp, ``ggml/src/ggml-hip/CMakeLists.txt``:
    6.1 or newer (all read 2026-11-29).
"""
VULKAN_PACKAGES = (
    "To build with Vulkan, Debian and Ubuntu need libvulkan-dev, glslc and spirv-headers."
)
INSTEAD_OF_ROCM = (
    "Without ROCm, build with -DGGML_VULKAN=ON instead, which needs only the graphics driver. "
    f"{VULKAN_PACKAGES} Our estimates are for ROCm."
)
"""What llama.cpp's other backend for AMD needs.

Source:
    llama.cpp 0c1e57098, ``docs/build.md`` ("Vulkan").
"""
VULKAN_SPEEDS = {
    "RDNA 3": (
        "Vulkan is worth trying even with ROCm: on an RX 7900 XTX, it wrote about a quarter faster "
        "and read prompts up to twice as fast."
    ),
    "RDNA 4": (
        "Try both: an RX 9070 XT wrote a fifth faster with Vulkan, but an R9700 wrote most models "
        "more slowly and read prompts at about half the speed."
    ),
    "RDNA 3.5": (
        "With Vulkan, most models write about as fast, and reading prompts is often slower."
    ),
}
"""How Vulkan compares with ROCm, by architecture; nobody whom we know measured the others.

Source:
    Runs of ``catalog/benchmarks`` that have both backends on the same GPU.
    orion-zhen-llama-bench-dashboard, RX 7900 XTX, gpt-oss 20B: 1.24 to 1.27 times the writing and
    1.68 to 1.95 times the reading; ggml-org-llama.cpp-issues-20934, the same GPU, Llama 2 7B: 1.26
    times the writing. lmstudio-ai-lmstudio-bug-tracker-issues-574, RX 9070 XT, gpt-oss 20B: 1.21
    times the writing. kyuz0-r9700-toolboxes: most runs write 0.65 to 1.05 times as fast and read
    0.35 to 0.76 times as fast. Those of Strix Halo read 2026-11-28, the others 2026-11-29.
"""
COLLECTIVES = {
    Vendor.NVIDIA: (
        "CMake must find NCCL, which CUDA does not include (Debian and Ubuntu: libnccl-dev). "
        "Without NCCL, the GPUs exchange data through system RAM."
    ),
    Vendor.AMD: (
        "With -DGGML_HIP_RCCL=ON, the GPUs exchange data through RCCL: measure with and without "
        "it, because it does not always help."
    ),
}
"""Build options that a cut model needs, by vendor.

Source:
    llama.cpp ``docs/multi-gpu.md``, ``ggml/src/ggml-cuda/ggml-cuda.cu``.
"""
PROJECTOR_BYTES = 2
"""Bytes of each parameter of an image projector: its file is in 16 bits."""
ALL_LAYERS = "all"
"""Every layer of a file, however many it counts.

Source:
    llama.cpp 0c1e57098, ``common/arg.cpp``, and ``src/llama-model.cpp`` (``n_gpu_layers``): all
    is the file's ``block_count`` and the head. A block that predicts further tokens is one of
    ``block_count``, and some files of a model have it while others do not.
"""
ALL_LAYERS_IN_DIGITS = "999"
"""The same where a program reads a number only.

Source:
    llama.cpp 0c1e57098, ``docs/multi-gpu.md``, and ``tools/llama-bench/llama-bench.cpp``
    (``parse_int_range``). ik_llama.cpp 8337e4c, ``common/common.cpp`` (``std::stoi``), and
    ``src/llama.cpp``, which puts 999 for all layers itself.
"""
LOADING_IS_SHOWN: Option = ("--log-verbosity", "4")
"""Makes the server print what it loads, the layers on GPUs among it.

Source:
    llama.cpp 0c1e57098, ``common/log.cpp`` (``common_log_get_verbosity``): the library's own
    messages are of level 4, and the default is 3. Pull request 23021 (2026-05) lowered it.
"""
NCCL_FOR_CUDA_12 = "Install the version of libnccl-dev that ends in +cuda12.9."
BATCH_TOKENS = 2_048
"""llama.cpp's own ``--batch-size``, which a micro-batch is cut to (``common/common.h``)."""


def uses_oneapi(target: Target) -> bool:
    """Return whether llama.cpp is built with SYCL, whose compilers and libraries are Intel's."""
    return target.vendors == (Vendor.INTEL,)


def with_oneapi(target: Target, text: str) -> str:
    """Find Intel's libraries before commands that build or run llama.cpp with SYCL.

    Source:
        llama.cpp ``docs/backend/SYCL.md``: ``setvars.sh`` before the build and before each run.
        Intel, "Use the setvars Script with Linux": ``--force`` lets it run twice in a shell.
    """
    return f"{ONEAPI}\n{text}" if uses_oneapi(target) else text


def model_variable(target: Target) -> Variable:
    """Name the file: its repository and type, which the server downloads at its first start."""
    if target.hub_file:
        return Variable("MODEL", quoted(target.hub_file))
    return Variable("MODEL", quoted_path(f"{target.folder}.gguf"), "see the step about the files")


def llama_file_steps(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Download the file before the server asks for it, or make it."""
    if not target.hub_file:
        return file_steps(target, where)
    return (hub_step(where), *hub_file_steps(target, where))


def needs_old_rocm(target: Target) -> bool:
    """Return whether a GPU of the plan is of an architecture that newer ROCm has no files for."""
    return any(gpu.architecture == WITHOUT_NEWER_ROCM for gpu in _gpus(target))


def _needs_cuda_12(target: Target) -> bool:
    found = (gpu.compute_capability for gpu in _gpus(target))
    return any(one is not None and one < FIRST_OF_CUDA_13 for one in found)


def _gpus(target: Target) -> list[Gpu]:
    return [target.node(node).gpus[gpu].gpu for node, gpu in target.plan.ranks]


def rocm_step(target: Target, where: str = "") -> tuple[RecipeStep, ...]:
    """Look whether ROCm is there, which a build for AMD's GPUs needs and nothing here installs."""
    if target.vendors != (Vendor.AMD,):
        return ()
    note = (
        "The next step needs ROCm. If the shell does not find hipconfig, add /opt/rocm/bin to "
        f"PATH, or install ROCm first: {ROCM}"
    )
    return (
        RecipeStep(
            Phase.INSTALL,
            "Check that ROCm is installed",
            Language.BASH,
            "hipconfig --version",
            where,
            note=ROCM_6_3 if needs_old_rocm(target) else note,
            expect="a version number that begins with 6.3"
            if needs_old_rocm(target)
            else "a version number",
        ),
    )


def install_step(target: Target, where: str = "", *, rpc: bool = False) -> RecipeStep:
    """Build for the GPUs of the plan, the network backend with it where it is needed."""
    vendors = target.vendors
    flags = [VULKAN] if len(vendors) > 1 else [BACKENDS[one] for one in vendors if one in BACKENDS]
    if rpc:
        flags.append("-DGGML_RPC=ON")
    jobs = JOBS_ON_MAC if target.on_macs else JOBS
    configure = ["cmake -S llama.cpp -B llama.cpp/build -DCMAKE_BUILD_TYPE=Release", *flags]
    lines = [
        *LLAMA_CPP,
        *([ONEAPI] if uses_oneapi(target) else []),
        " ".join([HIP, "\\\n ", *configure] if vendors == (Vendor.AMD,) else configure),
        f"cmake --build llama.cpp/build --config Release {jobs}",
        "llama.cpp/build/bin/llama-server --version",
    ]
    if vendors != (Vendor.CPU,):
        listed = "llama.cpp/build/bin/llama-server --list-devices"
        lines.append(f"{before_command(target)} {listed}".strip())
    return RecipeStep(
        Phase.INSTALL,
        "Build llama.cpp",
        Language.BASH,
        "\n".join(lines),
        where,
        note=paragraphs(
            " ".join((build_needs(target), _build_note(target, rpc=rpc))).strip(),
            _order_note(target),
        ),
        expect="version" if vendors == (Vendor.CPU,) else _devices(target),
    )


def build_needs(target: Target) -> str:
    """Say what has to be there before a build.

    Source:
        llama.cpp 0c1e57098, ``docs/build.md``: without OpenSSL's headers the server is built
        without HTTPS, and downloads nothing.
    """
    alone = len(target.vendors) == 1
    kits = [TOOLKITS[one] for one in target.vendors if one in TOOLKITS and alone]
    if _needs_cuda_12(target):
        kits = [CUDA_12]
    if target.vendors == (Vendor.APPLE,):
        return f"The build needs CMake and {kits[0]}."
    kit = f" and {kits[0]}" if kits else ""
    driver = f" {INTEL_DRIVER}" if uses_oneapi(target) else ""
    return f"The build needs git, CMake, a C++ compiler, libssl-dev{kit}.{driver}"


def _build_note(target: Target, *, rpc: bool) -> str:
    """Say what the build needs, and what else may be built."""
    if target.plan.kind is PlanKind.TENSOR:
        own = NCCL_FOR_CUDA_12 if _needs_cuda_12(target) else ""
        return " ".join(filter(None, (COLLECTIVES.get(target.vendors[0], ""), own)))
    same = "Build the same commit on all nodes, because the RPC protocol changes between versions."
    other = _instead_of_rocm(target) if target.vendors == (Vendor.AMD,) else ""
    needs = VULKAN_PACKAGES if len(target.vendors) > 1 else other
    return " ".join(filter(None, (same if rpc else "", needs)))


def _instead_of_rocm(target: Target) -> str:
    """Say what the other backend for AMD needs, and how fast it is where somebody measured it."""
    used = {target.node(node).gpus[at].gpu.architecture for node, at in target.plan.ranks}
    speeds = [VULKAN_SPEEDS[one] for one in sorted(used) if one in VULKAN_SPEEDS]
    return " ".join([INSTEAD_OF_ROCM, *(speeds if len(used) == 1 else [])])


def _nodes(target: Target) -> list[list[str]]:
    """Name the GPUs that the build sees on each node of the plan, each shape of a node once."""
    used = sorted({node for ranks in target.replicas for node, _ in ranks})
    found: list[list[str]] = []
    for node in used:
        gpus = target.node(node).gpus
        names = [one.gpu.name for one in gpus if one.gpu.vendor in target.vendors]
        if names not in found:
            found.append(names)
    return found


def _devices(target: Target) -> str:
    """Say what ``--list-devices`` prints: a line for each GPU, under its backend's own name.

    Behind it stands what the driver calls the GPU, which for AMD is often AMD Radeon Graphics. A
    Mac lists its library for matrices too.

    Source:
        llama.cpp 0c1e57098, ``common/arg.cpp`` (``common_print_available_devices``).
    """
    backend = "Vulkan" if len(target.vendors) > 1 else DEVICES[target.vendors[0]]
    nodes = _nodes(target)
    if len(nodes) > 1:
        return f"a line for each GPU of the node, the first of them {backend}0: …"
    (names,) = nodes
    if target.on_macs:
        return f"a line {backend}0: …{which(names)}"
    return lines_from(f"{backend}0: …", f"{backend}{len(names) - 1}: …", names)


def _order_note(target: Target) -> str:
    """Say what to do where unlike GPUs are listed in another order than that of their shares."""
    nodes = _nodes(target)
    mixed = len(nodes) == 1 and len(set(nodes[0])) > 1
    if not mixed or target.plan.kind is PlanKind.TENSOR:
        return ""
    alone = len(target.vendors) == 1 and len({node for node, _ in target.plan.ranks}) == 1
    shown = alone and target.shown(target.plan.ranks) != ""
    numbers = "change the GPU numbers" if shown else ""
    split = "reorder the numbers in --tensor-split" if len(target.plan.ranks) > 1 else ""
    both = " and ".join(filter(None, (numbers, split)))
    return f"If the order differs, {both} below." if both else ""


def split_of(layers: Sequence[int], *, beside: int = 2) -> str:
    """Write the shares that give each GPU its layers, of files with a prediction block or without.

    The head is dealt out with the layers behind them, and so is a block that predicts further
    tokens, which some files of a model have and others do not. Shares that count both, the two
    ``beside`` the layers, give every GPU the same layers of either file: without the block a
    border moves down by less than one layer.

    >>> split_of((19, 17))
    '19,19'

    Source:
        llama.cpp 0c1e57098, ``src/llama-model.cpp``, ``load_tensors``: layer ``i`` of the ``n``
        that are on GPUs, the head and the blocks for prediction among them, goes to the first GPU
        whose shares reach beyond ``i / n``.
    """
    return ",".join(map(str, (*layers[:-1], layers[-1] + beside)))


def behind_layers(target: Target) -> int:
    """Count what llama.cpp numbers behind a model's layers: blocks that predict tokens, the head.

    Source:
        llama.cpp 0c1e57098, ``src/llama-model.cpp``, ``n_gpu_layers``: the blocks of a file count
        (``n_layer_all``), whether they are loaded or not.
    """
    return target.assessment.checkpoint.prediction_layers + 1


def gpu_layers(target: Target) -> str:
    """Name how many layers the GPUs take: all, or a number where others stay in system RAM.

    Source:
        llama.cpp 0c1e57098, ``src/llama-model.cpp``: the head counts as one more layer, the first
        ones stay in system RAM.
    """
    plan = target.plan
    numbered = sum(plan.layers_per_stage) + behind_layers(target)
    return str(numbered) if plan.cpu_layers else ALL_LAYERS


def server_options(target: Target, port: int | str) -> list[Option]:
    """Everything for one server: layers on GPUs, their split, the context and the cache."""
    plan = target.plan
    sequences = target.assessment.workload.sequences
    options: list[Option] = [
        ("-hf" if target.hub_file else "-m", '"$MODEL"'),
    ]
    if is_without_images(target):
        options.append(("--no-mmproj",))
    elif target.assessment.settings.images and not target.hub_file:
        options.append(("--mmproj", quoted(projector_path(target))))
    if target.vendors != (Vendor.CPU,):
        options.append(("--n-gpu-layers", gpu_layers(target)))
    if plan.kind is PlanKind.TENSOR:
        options.append(("--split-mode", "tensor"))
    elif len(plan.ranks) > 1:
        options.append(("--tensor-split", split_of(plan.layers_per_stage)))
    if plan.cpu_expert_layers:
        options.append(("--n-cpu-moe", str(plan.cpu_expert_layers)))
    options += [
        ("--ctx-size", str(target.context_tokens * sequences)),
        ("--parallel", str(sequences)),
    ]
    micro_batch = target.assessment.settings.micro_batch_tokens
    if micro_batch is not None:
        if micro_batch > BATCH_TOKENS:
            options.append(("--batch-size", str(micro_batch)))
        options.append(("--ubatch-size", str(micro_batch)))
    options += cache_options(target)
    unmapped = target.assessment.runtime.traits.unmapped_option
    if unmapped and (shares_pages(target) or plan.cpu_expert_layers):
        options.append(tuple(unmapped.split()))
    return [
        *options,
        ("--alias", quoted(target.served_name)),
        ("--host", '"$HOST"'),
        ("--port", str(port)),
        ("--api-key", '"$API_KEY"'),
    ]


def is_without_images(target: Target) -> bool:
    """Return whether the repository has an image projector that the plan does not count.

    Source:
        llama.cpp 0c1e57098, ``common/arg.cpp``: with ``-hf`` it also downloads and loads the
        repository's mmproj file, unless ``--no-mmproj`` is given.
    """
    assessment = target.assessment
    sees = assessment.model.vision_parameters > 0
    return bool(target.hub_file) and sees and not assessment.settings.images


def images_note(target: Target) -> str:
    """Say whether the server reads images, and what that takes."""
    size = _projector_size(target)
    if is_without_images(target):
        return (
            "--no-mmproj skips the image projector, which would take another "
            f"{size} on the first GPU."
        )
    if target.assessment.settings.images and target.hub_file:
        return (
            "When it first starts, the server also downloads the image projector, which reads "
            f"images (about {size})."
        )
    return ""


def projector_bytes(target: Target) -> int:
    """Count the bytes of the file that reads images."""
    return PROJECTOR_BYTES * target.assessment.model.vision_parameters


def _projector_size(target: Target) -> str:
    return gigabytes(projector_bytes(target))


def unasked_images_note(target: Target, program: str) -> str:
    """Say that a program loads the image projector of a plan without images, and how large it is.

    Source:
        ollama/ollama issue 17409: ``ollama pull hf.co/…`` downloads the repository's projector.
        Ollama fb3076099, ``llm/llama_server.go`` (``appendMMProjArgs``): it loads one wherever the
        model has one. Issue 10889 asks for an option against that.
        lmstudio-ai/lmstudio-bug-tracker issues 1550 and 1760 ask LM Studio for one, and ``lms
        load`` and ``lms get`` have none (lms 07b7252, ``src/subcommands/``).
    """
    if not is_without_images(target):
        return ""
    return (
        f"{program} also downloads and loads the image projector, about "
        f"{_projector_size(target)}. The plan does not count it, and {program} has no option to "
        "leave it out."
    )


def shares_pages(target: Target) -> bool:
    """Return whether the GPU is AMD's and works in the system's memory (Strix Halo).

    There a mapped file and the GPU hold the same pages: loading is slow, and may crash.

    Source:
        amd-strix-halo-toolboxes d1a34be, README.md: flash attention and no mapping, always.
        llama.cpp 0c1e57098, ``common/arg.cpp``: ``--load-mode none`` is what ``--no-mmap`` was.
    """
    gpus = _gpus(target)
    return any(gpu.vendor is Vendor.AMD and isinstance(gpu.memory, UnifiedMemory) for gpu in gpus)


def tensor_note(target: Target) -> str:
    """Say how mature the cut is, and how to go back to whole layers.

    Source:
        llama.cpp ``docs/multi-gpu.md`` and ``common/fit.cpp``.
    """
    if target.plan.kind is not PlanKind.TENSOR:
        return ""
    return (
        "llama.cpp calls this split experimental. Compare its answers with those of --split-mode "
        "layer, which needs no other change. With the experimental split, llama.cpp does not "
        "fit the context to the memory, so keep --ctx-size."
    )


def cache_options(target: Target) -> list[Option]:
    """Write flash attention, where it is asked for or values need it, and the cache's types."""
    cache, asked = target.assessment.workload.kv_dtype, target.assessment.settings.flash_attention
    keys, values = of_keys_and_values(cache)
    options: list[Option] = []
    wanted = quantized(cache) or shares_pages(target)
    if target.plan.kind is PlanKind.TENSOR or asked is not None or wanted:
        on = asked is not False
        options.append(("--flash-attn", "on" if on else "off"))
    if keys != PLAIN:
        options.append(("--cache-type-k", keys))
    if values != PLAIN:
        options.append(("--cache-type-v", values))
    return options


def room_note(target: Target) -> str:
    """Say how full the GPU is where memory ends the context, as llama.cpp itself would fill it.

    Source:
        llama.cpp ``common/fit.cpp``: a fitted context leaves 1,024 MiB of each device free.
    """
    assessment = target.assessment
    longest = assessment.model.context_tokens
    if assessment.workload.sequences > 1 or target.vendors == (Vendor.CPU,):
        return ""
    if target.tight or target.context_tokens >= longest:
        return ""
    return (
        "The context is the longest that fits and leaves about 1 GiB of the fullest GPU free: "
        "shorten it if other programs use that GPU."
    )


def offload_note(target: Target) -> str:
    """Say what stays in system RAM."""
    plan = target.plan
    if plan.cpu_expert_layers:
        return f"The experts of {plan.cpu_expert_layers} layers stay in system RAM."
    if plan.cpu_layers:
        return f"{plan.cpu_layers} layers stay in system RAM and are computed there."
    return _tables_note(target)


NOTED_IN_RAM = 8 * GIB
"""More than a table of tokens takes: 262,144 rows of 12,288 numbers of 16 bits are 6 GiB."""


def _tables_note(target: Target) -> str:
    """Say how much of a model's tables beside its layers stays in system RAM, where it is much."""
    chips = [one.gpu for one in target.combo.gpus if isinstance(one.gpu.memory, UnifiedMemory)]
    on_gpus = sum(gpu.lines["weights"].mid for gpu in target.assessment.ledger)
    kept = target.assessment.weights_bytes - int(on_gpus)
    if chips or kept < NOTED_IN_RAM:
        return ""
    return f"Tables of the model stay in system RAM: about {gigabytes(kept)}."


def slots_note(target: Target) -> str:
    """Say which options serve several requests at once: each gets its share of the context."""
    most, tokens = target.most_at_once, target.assessment.workload.context_tokens
    if most <= 1:
        return ""
    return (
        "This serves one request at a time, with the longest context. To serve "
        f"{most} requests at once, with {tokens:,} tokens each, use "
        f"--ctx-size {tokens * most} --parallel {most}."
    )


def prediction_note(target: Target) -> str:
    """Say which number of layers a file takes if it has a block for prediction that we cannot know.

    It matters beside layers in system RAM alone.
    """
    plan, found = target.plan, target.assessment
    known = found.checkpoint.prediction_layers or not found.model.mtp_parameters
    if known or not plan.cpu_layers:
        return ""
    on_gpus = sum(plan.layers_per_stage)
    return (
        f"If the log counts {on_gpus + plan.cpu_layers + 2} layers, the file also contains a layer "
        f"that predicts further tokens: use --n-gpu-layers {on_gpus + 2}."
    )


def load_note(target: Target, *, head: bool = True) -> str:
    """Say what the log prints about layers once the model is loaded; nothing without a GPU.

    ``head`` says that the head is on a GPU.
    """
    if target.vendors == (Vendor.CPU,):
        return ""
    plan = target.plan
    if not plan.cpu_layers:
        return "offloaded N/N layers to GPU, with the same number twice"
    on_gpus = sum(plan.layers_per_stage) + behind_layers(target)
    return f"offloaded {on_gpus - (not head)}/{on_gpus + plan.cpu_layers} layers to GPU"


def shown_loading(target: Target, options: Sequence[Option]) -> list[Option]:
    """Have the server print what it puts on GPUs, where there are any."""
    return [*options, LOADING_IS_SHOWN] if load_note(target) else [*options]
