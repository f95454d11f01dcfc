"""The options of ``llama-server`` that both forms share, and how llama.cpp is built."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Vendor
from sitegen.engine.assessment import PlanKind
from sitegen.recipes.files import gigabytes
from sitegen.recipes.recipe import Language, Phase, Step
from sitegen.recipes.shell import Option, Variable, quoted
from sitegen.recipes.target import Target

BACKENDS = {
    Vendor.NVIDIA: "-DGGML_CUDA=ON",
    Vendor.AMD: "-DGGML_HIP=ON",
    Vendor.INTEL: "-DGGML_SYCL=ON -DCMAKE_C_COMPILER=icx -DCMAKE_CXX_COMPILER=icpx",
}
"""Build options by vendor; Metal is built without one, mixed vendors share Vulkan."""
QUANTIZED_CACHE = {"q8_0": "q8_0", "q4_0": "q4_0"}


def model_variable(target: Target) -> Variable:
    """Name the file: its repository and type, which the server downloads at its first start."""
    if target.hub_file:
        size = gigabytes(target.assessment.weights_bytes)
        return Variable("MODEL", quoted(target.hub_file), f"downloaded at the first start, {size}")
    return Variable("MODEL", quoted(f"{target.folder}.gguf"), "see the step about the files")


def install_step(target: Target, where: str = "", *, rpc: bool = False) -> Step:
    """Build for the GPUs of the plan, the network backend with it where it is needed."""
    vendors = target.vendors
    flags = ["-DGGML_VULKAN=ON"] if len(vendors) > 1 else []
    if len(vendors) == 1 and vendors[0] in BACKENDS:
        flags = [BACKENDS[vendors[0]]]
    if rpc:
        flags.append("-DGGML_RPC=ON")
    lines = [
        "git clone https://github.com/ggml-org/llama.cpp",
        " ".join(["cmake -S llama.cpp -B llama.cpp/build -DCMAKE_BUILD_TYPE=Release", *flags]),
        "cmake --build llama.cpp/build --config Release -j",
        "llama.cpp/build/bin/llama-server --version",
        "llama.cpp/build/bin/llama-server --list-devices",
    ]
    note = "Every node needs the same commit: the protocol between them changes." if rpc else ""
    names = [target.node(node).gpus[gpu].gpu.name for node, gpu in target.plan.ranks]
    here = names if len(target.span) == 1 else names[: target.per_node[0]]
    return Step(
        Phase.INSTALL,
        "Build llama.cpp",
        Language.BASH,
        "\n".join(lines),
        where,
        note=note,
        expect=f"the devices: {', '.join(dict.fromkeys(here))}",
    )


def server_options(target: Target, port: int | str) -> list[Option]:
    """Everything for one server: layers on GPUs, their split, the context and the cache.

    Source:
        llama.cpp ``src/llama-model.cpp``: the head counts as one more layer, the first ones stay
        in system RAM.
    """
    plan = target.plan
    on_gpus = sum(plan.layers_per_stage)
    sequences = target.assessment.workload.sequences
    options: list[Option] = [
        ("-hf" if target.hub_file else "-m", '"$MODEL"'),
        ("--n-gpu-layers", str(on_gpus + 1)),
    ]
    if plan.kind is PlanKind.TENSOR:
        options.append(("--split-mode", "row"))
    elif len(plan.ranks) > 1:
        options.append(("--tensor-split", ",".join(map(str, plan.layers_per_stage))))
    if plan.cpu_expert_layers:
        options.append(("--n-cpu-moe", str(plan.cpu_expert_layers)))
    options += [
        ("--ctx-size", str(target.context_tokens * sequences)),
        ("--parallel", str(sequences)),
    ]
    micro_batch = target.assessment.settings.micro_batch_tokens
    if micro_batch is not None:
        options.append(("--ubatch-size", str(micro_batch)))
    cache = QUANTIZED_CACHE.get(target.assessment.workload.kv_dtype)
    if cache:
        options += [
            ("--flash-attn", "on"),
            ("--cache-type-k", cache),
            ("--cache-type-v", cache),
        ]
    return [
        *options,
        ("--alias", quoted(target.served_name)),
        ("--host", '"$HOST"'),
        ("--port", str(port)),
        ("--api-key", '"$API_KEY"'),
    ]


def offload_note(target: Target) -> str:
    """Say what stays in system RAM."""
    plan = target.plan
    if plan.cpu_expert_layers:
        return f"The experts of {plan.cpu_expert_layers} layers stay in system RAM."
    if plan.cpu_layers:
        return f"{plan.cpu_layers} layers stay in system RAM and are computed there."
    return ""


def slots_note(target: Target) -> str:
    """Say which options serve several requests at once: each gets its share of the context."""
    most, tokens = target.most_at_once, target.assessment.workload.context_tokens
    if most <= 1:
        return ""
    return (
        f"One request at a time, with the longest context. For {most} at once, of {tokens:,} "
        f"tokens each: --ctx-size {tokens * most} --parallel {most}."
    )


def load_note(target: Target) -> str:
    """Say what the log prints about layers once the model is loaded."""
    whole = sum(target.plan.layers_per_stage) + target.plan.cpu_layers + 1
    on_gpus = sum(target.plan.layers_per_stage) + 1
    return f"offloaded {on_gpus}/{whole} layers to GPU"
