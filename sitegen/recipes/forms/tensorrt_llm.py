"""TensorRT-LLM: trtllm-serve on one machine, or under MPI on several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sitegen.recipes.chat import chat_of, engine_options
from sitegen.recipes.environment import NEW_ENVIRONMENT
from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, Variable, command
from sitegen.recipes.steps import (
    HEAD_IP,
    IFACE,
    NCCL,
    ask_step,
    built,
    gpus_step,
    host,
    infiniband,
    network_steps,
    repeated,
    settings_step,
    start_step,
    stop_step,
)
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.yaml_text import yaml_text

KV_DTYPES = {"fp8": "fp8"}
LIBRARIES = ("NCCL_", "GLOO_", "TP_")
"""How the names of variables begin that the steps about the link export."""

STABLE = "1.2.1"
"""The newest release that is no candidate; it knows neither Qwen3.5 nor DeepSeek V4."""
RELEASE = "1.3.0rc29"
"""The newest candidate of 1.3 that is published as a package.

Its own source could not be had. It is later than the commits that the options (029e223) and the
models (065ff9e, 1.3.0rc24 at the earliest) were read at: a test of TensorRT-LLM fails when an
option of its list goes away, and the list of models only grew.

Source:
    The history of the package, and
    https://nvidia.github.io/TensorRT-LLM/1.3.0rc29/models/supported-models.html, which names
    GlmMoeDsa, DeepSeek V4 and Gemma 4 (read 2026-11-28).
"""
TOOLKIT = "13.2"
"""CUDA that the packages are built for.

Source:
    https://nvidia.github.io/TensorRT-LLM/1.3.0rc24/installation/installation-guide.html: "Install
    CUDA Toolkit 13.2 … and make sure CUDA_HOME environment variable is properly set" (read
    2026-11-28); its images carry the version as their tag.
"""

WARNINGS = (
    "The server does not check keys: keep it local to this machine, or put a proxy in front of it "
    "that does.",
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine, or one replica over its nodes."""
    if target.assessment.runtime.id != "tensorrt-llm":
        return None
    over_nodes = len(target.span) > 1
    if over_nodes and len(set(target.per_node)) > 1:
        return None
    total = len(target.combo.nodes)
    used = target.span if over_nodes else sorted({n for r in target.replicas for n, _ in r})
    where = node_words(list(used), total)
    link = [HEAD_IP, IFACE] if over_nodes else []
    steps = [
        settings_step(
            [target.model_variable(target.folder), *link, *infiniband(target), host(target)], where
        ),
        _install(where),
        *file_steps(target, where),
        *gpus_step(target, where),
        *network_steps(target, NCCL),
        *_extra(target, where),
    ]
    if over_nodes:
        steps += _over_nodes(target)
    else:
        for nodes, replicas in target.by_node():
            at = node_words(list(nodes), total)
            asked = ask_step(
                target, target.ports(len(replicas)), where=at, key=False, name=called(target)
            )
            steps += [_start(target, replicas, at), asked]
    steps.append(stop_step("trtllm-serve", target.machine_ports(), where))
    return built(
        target,
        "tensorrt-llm",
        "TensorRT-LLM",
        "tensorrt-llm",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
    )


def called(target: Target) -> str:
    """Name the model as the server does.

    Source:
        TensorRT-LLM 00209af, ``tensorrt_llm/serve/openai_server.py``: a folder goes by its own
        name, a repository by the whole of it. At 029e223 there is ``--served_model_name`` too.
    """
    return target.repository or target.folder.rpartition("/")[2]


def _install(where: str) -> RecipeStep:
    lines = [
        "sudo apt-get install -y libopenmpi-dev",
        *NEW_ENVIRONMENT,
        f"uv pip install 'tensorrt-llm=={RELEASE}'",
        "trtllm-serve --help",
    ]
    note = (
        f"This is a release candidate: {STABLE}, the newest stable release, does not support newer "
        "models. "
        f"NVIDIA asks for CUDA Toolkit {TOOLKIT}, with CUDA_HOME set. "
        f"NVIDIA's container nvcr.io/nvidia/tensorrt-llm/release:{RELEASE} has the toolkit."
    )
    return RecipeStep(Phase.INSTALL, "Install", Language.BASH, "\n".join(lines), where, note=note)


def options(target: Target, port: int) -> list[Option]:
    """Everything for one server."""
    plan = target.plan
    found: list[Option] = [
        ("--tp_size", str(plan.tensor_parallel_size)),
        ("--pp_size", str(plan.pipeline_parallel_size)),
    ]
    if target.assessment.settings.expert_parallel:
        found.append(("--ep_size", str(plan.tensor_parallel_size)))
    found.append(("--max_seq_len", str(target.context_tokens)))
    if target.max_num_seqs is not None:
        found.append(("--max_batch_size", str(target.max_num_seqs)))
    if target.memory_fraction is not None:
        found.append(("--kv_cache_free_gpu_memory_fraction", f"{target.memory_fraction:g}"))
    if len(target.span) > 1:
        found.append(("--gpus_per_node", str(target.per_node[0])))
    if target.assessment.workload.kv_dtype in KV_DTYPES:
        found.append(("--extra_llm_api_options", "extra.yaml"))
    return [*found, *_chat_options(target), ("--host", '"$HOST"'), ("--port", str(port))]


def _chat_options(target: Target) -> list[Option]:
    """Name the parsers, by their own names: "auto" ends the server where it knows no parser."""
    chat = chat_of(target)
    if chat is None:
        return []
    found: list[Option] = []
    if chat.reasoning:
        found.append(("--reasoning_parser", chat.reasoning))
    if chat.tools:
        found.append(("--tool_parser", chat.tools))
    return [*found, *engine_options(target)]


def _extra(target: Target, where: str) -> tuple[RecipeStep, ...]:
    """Name the type of the cache, which has no option of its own."""
    dtype = KV_DTYPES.get(target.assessment.workload.kv_dtype)
    if dtype is None:
        return ()
    text = yaml_text({"kv_cache_config": {"dtype": dtype}})
    return (
        RecipeStep(
            Phase.FILES,
            "Write the additional settings",
            Language.YAML,
            text,
            where=where,
            file="extra.yaml",
        ),
    )


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    return start_step(
        target,
        replicas,
        'trtllm-serve "$MODEL"',
        partial(options, target),
        where=where,
        expect="Application startup complete.",
    )


def forwarded(network: Sequence[RecipeStep]) -> list[Option]:
    """Name the variables that the ranks on other nodes need from the first node's shell.

    Source:
        mpirun(1) of Open MPI: ``-x NAME`` exports a variable to the remote nodes, one for each
        option. mpirun warns of one that is not set, so those that may be unset are only named
        where they are set.
    """
    words = " ".join(step.text for step in network).split()
    exported = [word.partition("=")[0] for word in words if word.startswith(LIBRARIES)]
    return [
        ("-x", "PATH"),
        *((f"${{{name}:+-x {name}}}",) for name in ("LD_LIBRARY_PATH", "HF_HOME")),
        *(("-x", name) for name in exported),
    ]


def _over_nodes(target: Target) -> list[RecipeStep]:
    """One command on the first node: MPI starts the ranks on the others."""
    nodes, per_node = list(target.span), target.per_node[0]
    hosts = ",".join(f"$NODE_{at + 1}:{per_node}" for at in nodes)
    named = [Variable(f"NODE_{at + 1}", f"node{at + 1}", "reached by ssh") for at in nodes]
    launch = command(
        "mpirun",
        [
            ("-np", str(len(target.plan.ranks))),
            ("-H", f'"{hosts}"'),
            *forwarded(network_steps(target, NCCL)),
            ("trtllm-llmapi-launch", "trtllm-serve", '"$MODEL"'),
            *options(target, FIRST_PORT),
        ],
    )
    first = f"node {nodes[0] + 1}"
    return [
        settings_step(named, first, more=True),
        RecipeStep(
            Phase.START,
            "Start the server",
            Language.BASH,
            launch,
            where=first,
            note=" ".join(
                filter(
                    None,
                    (
                        "Every node needs the same environment at the same path, and the same "
                        "name for the interface: mpirun passes these variables to all nodes.",
                        repeated(target),
                    ),
                )
            ),
            expect="Application startup complete.",
            stays=True,
            answers=(f"$HOST:{FIRST_PORT}/health",),
        ),
        ask_step(target, [FIRST_PORT], where=first, key=False, name=called(target)),
    ]
