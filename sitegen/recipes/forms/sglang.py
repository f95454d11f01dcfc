"""SGLang on one machine or, with a process on each, on several."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.balancing import ABOVE, addresses
from sitegen.recipes.chat import chat_options, template_of, template_step, template_volume
from sitegen.recipes.environment import NEW_ENVIRONMENT, assigned, search_path
from sitegen.recipes.files import file_steps, hub_step
from sitegen.recipes.leader_worker import leader_worker_step
from sitegen.recipes.placement import Rank, node_words
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep, paragraphs
from sitegen.recipes.services import (
    FROM_FILE,
    VOLUMES,
    compose_steps,
    gpu_access,
    shown_gpus,
    unit_port,
    unit_steps,
)
from sitegen.recipes.sglang_image import IMAGE, image_of, in_container, pull_step, run_words
from sitegen.recipes.shell import Option, command, flat, literal, quoted, words
from sitegen.recipes.speculation import measured_gain, speculation_note
from sitegen.recipes.steps import (
    API_KEY,
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
from sitegen.recipes.versions import READ
from sitegen.recipes.vllm_options import cache_choice, cache_dtype

PROGRAM = "sglang serve"
KV_DTYPES = {"fp8": "fp8_e4m3"}

WARNINGS = (
    "Set a key, and keep the address private: without a key, anyone who can reach the port can use "
    "the server.",
)

FOR_INTEL = (
    f"git clone --branch v{READ['sglang']} https://github.com/sgl-project/sglang",
    "(cd sglang/python && cp pyproject_xpu.toml pyproject.toml && "
    "pip install -e . --extra-index-url https://download.pytorch.org/whl/xpu)",
)
"""Builds SGLang for Intel GPUs, for which it has no packages.

Source:
    SGLang documentation, "XPU": "Currently SGLang XPU only supports installation from source",
    with models in BF16 of up to 8B parameters verified on an Arc B580; read 2026-11-29.
"""
TOOLKIT = 13
"""Version of CUDA whose compiler builds kernels when a server starts.

Source:
    SGLang 0.5.23, ``kernels/jit/utils/compile/toolchain.py``: ``device_compiler_path`` is ``nvcc``
    of ``CUDA_HOME``, of ``PATH`` or of ``/usr/local/cuda``. Its documentation, "Install SGLang":
    "SGLang requires CUDA 13", and ``--prerelease=allow`` for uv older than 0.12 (read 2026-11-29).
"""
NOTE_FOR_NVIDIA = (
    f"SGLang compiles kernels when it starts, with nvcc of CUDA Toolkit {TOOLKIT}. If the toolkit "
    "is not in /usr/local/cuda, set CUDA_HOME in every shell. The container image "
    f"{IMAGE} has the toolkit."
)
NOTE_FOR_INTEL = (
    "For Intel GPUs, SGLang has no packages, so this builds it. Its makers have verified only BF16 "
    "models of up to 8B parameters on these GPUs."
)


def recipe(target: Target) -> Recipe | None:
    """Run each replica inside its machine, or one replica over its nodes."""
    if target.assessment.runtime.id != "sglang":
        return None
    target = target.joined
    over_nodes = len(target.span) > 1
    if over_nodes and len(set(target.per_node)) > 1:
        return None
    total = len(target.combo.nodes)
    used = target.span if over_nodes else sorted({n for r in target.replicas for n, _ in r})
    where = node_words(list(used), total)
    link = [HEAD_IP, IFACE] if over_nodes else []
    variables = [
        target.model_variable(target.folder),
        *link,
        *infiniband(target),
        host(target),
        API_KEY,
    ]
    steps = [
        settings_step(variables, where),
        *_install(target, where),
        *file_steps(target, where),
        *template_step(target, where),
        *gpus_step(target, where),
        *network_steps(target, NCCL),
    ]
    if over_nodes:
        steps += _over_nodes(target)
    else:
        for nodes, replicas in target.by_node():
            at = node_words(list(nodes), total)
            steps += [
                _start(target, replicas, at),
                ask_step(target, target.ports(len(replicas)), where=at),
            ]
    steps.append(stop_step(PROGRAM, target.machine_ports(), where))
    if over_nodes:
        steps += _on_kubernetes(target)
    else:
        steps += [*_instead(target), *_router(target)]
    return built(
        target,
        "sglang",
        "SGLang",
        "sglang",
        warnings=WARNINGS,
        steps=steps,
        own_host=True,
        one_user_gain=measured_gain(target),
    )


def _install(target: Target, where: str) -> tuple[RecipeStep, ...]:
    if in_container(target):
        return pull_step(target, where), hub_step(where)
    lines = [*NEW_ENVIRONMENT, f"uv pip install --prerelease=allow 'sglang=={READ['sglang']}'"]
    note, expect = "", ""
    if target.vendors[0] is Vendor.NVIDIA:
        lines.append('PATH="${CUDA_HOME:-/usr/local/cuda}/bin:$PATH" nvcc --version')
        note, expect = NOTE_FOR_NVIDIA, f"release {TOOLKIT}.…"
    if target.vendors[0] is Vendor.INTEL:
        lines, note = [*NEW_ENVIRONMENT, *FOR_INTEL], NOTE_FOR_INTEL
    text = "\n".join(lines)
    return (
        RecipeStep(Phase.INSTALL, "Install", Language.BASH, text, where, note=note, expect=expect),
    )


def _program(target: Target) -> str:
    """Write what starts a server, before its options."""
    return run_words(target, PROGRAM) if in_container(target) else PROGRAM


def options(target: Target, port: int | str) -> list[Option]:
    """Everything for one server."""
    plan, asked = target.plan, target.assessment.settings
    found: list[Option] = [
        ("--model-path", '"$MODEL"'),
        ("--tp-size", str(plan.tensor_parallel_size)),
    ]
    if plan.pipeline_parallel_size > 1:
        found.append(("--pp-size", str(plan.pipeline_parallel_size)))
    if asked.expert_parallel:
        found.append(("--ep-size", str(plan.tensor_parallel_size)))
    if (asked.decode_context_parallel_size or 1) > 1:
        found.append(("--dcp-size", str(asked.decode_context_parallel_size)))
    found.append(("--context-length", str(target.context_tokens)))
    if asked.memory_fraction is not None:
        found.append(("--mem-fraction-static", f"{asked.memory_fraction:g}"))
    if target.max_num_seqs is not None:
        found.append(("--max-running-requests", str(target.max_num_seqs)))
    named = KV_DTYPES.get(target.assessment.workload.kv_dtype) or cache_dtype(target)
    if named:
        found.append(("--kv-cache-dtype", named))
    if asked.enforce_eager:
        found.append(("--disable-cuda-graph",))
    found += chat_options(target)
    if _weights_only(target):
        found.append(("--fp4-gemm-backend", "marlin"))
    return [
        *found,
        ("--served-model-name", quoted(target.served_name)),
        ("--host", '"$HOST"'),
        ("--port", str(port)),
        ("--api-key", '"$API_KEY"'),
    ]


def _weights_only(target: Target) -> bool:
    """Return whether NVFP4 must run in 16-bit arithmetic, which dense layers need an option for."""
    loaded = target.assessment.checkpoint.quantization
    native = loaded.native_compute_capability
    if loaded.format != "nvfp4" or native is None:
        return False
    found = (one.gpu.compute_capability for one in target.combo.gpus)
    return any(capability is not None and capability < native for capability in found)


def _start(target: Target, replicas: tuple[tuple[Rank, ...], ...], where: str) -> RecipeStep:
    return start_step(
        target,
        replicas,
        _program(target),
        lambda port: [*options(target, port), *target.replica_options(replicas[0])],
        where=where,
        note=paragraphs(cache_choice(target), speculation_note(target)),
        expect=pool_note(target),
    )


def pool_note(target: Target) -> str:
    """Say what the server should log about its cache."""
    tokens = target.limits.kv_pool_tokens
    return f"max_total_num_tokens of about {tokens:,} in {target.log_words}" if tokens else ""


def _literal(target: Target, ranks: tuple[Rank, ...], port: int | str, folder: str) -> list[Option]:
    """The same options without the shell; a chat template lies in a folder of its own."""
    template = template_of(target)
    replaced = FROM_FILE | ({template: f"{folder}/{template}"} if template else {})
    return literal([*options(target, port), *target.replica_options(ranks)], replaced)


def _instead(target: Target) -> Iterator[RecipeStep]:
    """Write a unit and a service for each replica of a machine."""
    if not in_container(target):
        yield from _units(target)
    if image_of(target):
        yield from compose_steps(target, "sglang", partial(_service, target))


def _units(target: Target) -> tuple[RecipeStep, ...]:
    ranks = target.by_node()[0][1][0]
    start = flat(
        "/opt/sglang/.venv/bin/sglang serve",
        _literal(target, ranks, unit_port(target), "/opt/sglang"),
    )
    describes = f"SGLang serving {target.served_name}"
    path = [search_path(target, "/opt/sglang"), *assigned(target)]
    without = not target.repository
    return unit_steps(target, "sglang", describes, start, environment=path, models=without)


def _service(target: Target, port: int, ranks: tuple[Rank, ...]) -> dict[str, object]:
    return {
        "image": image_of(target),
        "entrypoint": ["sglang", "serve"],
        "command": words(_literal(target, ranks, port, "/templates")),
        "network_mode": "host",
        "ipc": "host",
        "restart": "unless-stopped",
        "environment": {"HF_TOKEN": "${HF_TOKEN:-}", **shown_gpus(target, ranks)},
        "volumes": [*VOLUMES, *template_volume(target)],
        **gpu_access(target, ranks),
    }


def _router(target: Target) -> tuple[RecipeStep, ...]:
    """Start SGLang's own router, which sends a prompt to where its beginning is known.

    Source:
        sglang-router 0.3.2, ``router_args.py``: ``cache_aware``.
    """
    servers = addresses(target)
    if len(servers) == 1:
        return ()
    asked: list[Option] = [
        ("--worker-urls", *(f"http://{one}" for one in servers)),
        ("--policy", "cache_aware"),
        ("--host", "127.0.0.1"),
        ("--port", str(FIRST_PORT + ABOVE)),
        ("--api-key", '"$API_KEY"'),
    ]
    lines = [
        f"uv pip install 'sglang-router=={READ['sglang-router']}'",
        command("python -m sglang_router.launch_router", asked),
    ]
    return (
        RecipeStep(
            Phase.INSTEAD,
            "With SGLang's router as load balancer",
            Language.BASH,
            "\n".join(lines),
            where=node_words([target.by_node()[0][0][0]], len(target.combo.nodes)),
            note=(
                "Unlike nginx, the router itself notices which server has the beginning of a "
                "prompt in its cache, and sends the prompt there."
            ),
        ),
    )


def _shared(target: Target) -> list[Option]:
    """What every node of a replica is told beside the plan."""
    return [
        ("--nnodes", str(len(target.span))),
        ("--dist-init-addr", '"$HEAD_IP:20000"'),
        ("--node-rank", '"$NODE_RANK"'),
    ]


def _on_kubernetes(target: Target) -> tuple[RecipeStep, ...]:
    """Write the same as a manifest."""
    told = [*options(target, FIRST_PORT), *_shared(target)]
    plain = [one for one in told if one[0] != "--model-path"]
    program = [*PROGRAM.split(), "--model-path", target.repository]
    return leader_worker_step(target, image_of(target), program, plain, plain)


def _over_nodes(target: Target) -> list[RecipeStep]:
    """The same command on every node, the rank apart."""
    nodes = list(target.span)
    told = [*options(target, FIRST_PORT), *_shared(target)]
    text = f"NODE_RANK=0\n{command(_program(target), told)}"
    first = f"node {nodes[0] + 1}"
    return [
        RecipeStep(
            Phase.START,
            "Start SGLang",
            Language.BASH,
            text,
            where=node_words(nodes, len(target.combo.nodes)),
            note=paragraphs(
                f"NODE_RANK is 0 on {first} and increases by one per node.",
                repeated(target),
                cache_choice(target),
                speculation_note(target),
            ),
            expect=pool_note(target),
            stays=True,
            answers=(f"$HOST:{FIRST_PORT}/health",),
        ),
        ask_step(target, [FIRST_PORT], where=first),
    ]
