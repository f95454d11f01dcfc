"""Ray Serve LLM: replicas of vLLM over the nodes of a Ray cluster, one address for all."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sitegen.physics.plan import ParallelPlan
from sitegen.recipes.chat import chat_of
from sitegen.recipes.environment import NEW_ENVIRONMENT
from sitegen.recipes.files import file_steps
from sitegen.recipes.placement import node_words
from sitegen.recipes.ray_cluster import WARNING, cluster_steps, stop_cluster
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import quoted
from sitegen.recipes.steps import (
    HEAD_IP,
    IFACE,
    NCCL,
    NODE_IP,
    ask_here,
    built,
    settings_step,
)
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.versions import RAY_BRINGS_VLLM, READ
from sitegen.recipes.vllm_options import cache_dtype, cache_note, plugin
from sitegen.recipes.yaml_text import yaml_text
from sitegen.values import dataclass

ORCHESTRATOR = "ray-serve"
SHORT_CONTEXT = 8_192
"""Context at which sequences per replica are counted, for the queue of a replica."""

WARNINGS = (
    WARNING,
    "Ray Serve does not check keys: put a proxy in front that checks them before "
    "others can reach it.",
)


def recipe(target: Target) -> Recipe | None:
    """Run all replicas of the plan behind one address, on a combo built for it."""
    if target.assessment.runtime.id != "vllm" or target.combo.orchestrator != ORCHESTRATOR:
        return None
    nodes = sorted({node for replica in target.replicas for node, _ in replica})
    where = node_words(nodes, len(target.combo.nodes))
    head = f"node {nodes[0] + 1} (head)"
    model = () if target.repository else (target.model_variable(target.folder),)
    variables = [*model, HEAD_IP, NODE_IP, IFACE]
    bind = [f"export {name}" for name in ('VLLM_HOST_IP="$NODE_IP"', *NCCL, "RAY_AUTH_MODE=token")]
    steps = [
        settings_step(variables, where),
        _install(target, where),
        *file_steps(target, where),
        RecipeStep(
            Phase.NETWORK,
            "Tell the libraries which link to use",
            Language.BASH,
            "\n".join(bind),
            where,
        ),
        *cluster_steps(target, head, nodes),
        _configuration(target, head),
        RecipeStep(
            Phase.START,
            "Start the application",
            Language.BASH,
            "serve deploy serve.yaml\nserve status",
            where=head,
            note="serve run serve.yaml does the same but stays in the foreground.",
            expect=cache_note(target) or "status: RUNNING",
        ),
        ask_here(target, FIRST_PORT, head),
        RecipeStep(
            Phase.STOP,
            "Stop the application",
            Language.BASH,
            "serve shutdown --yes",
            where=head,
        ),
        stop_cluster(where),
        _program(target, head),
    ]
    return built(
        target, "ray-serve", "Ray Serve LLM", "ray", warnings=WARNINGS, steps=steps, front=True
    )


def _install(target: Target, where: str) -> RecipeStep:
    lines = [
        *NEW_ENVIRONMENT,
        f"uv pip install 'ray[llm]=={READ['ray']}'{plugin(target)}",
        "ray --version",
    ]
    note = (
        f"This release of Ray installs vLLM {RAY_BRINGS_VLLM}, not the version that we assessed. "
        "The memory needs are the same; only the KV cache may differ. Where its kernels are not "
        "installed, vLLM compiles them when it starts, which needs CUDA Toolkit 12.9 or newer."
    )
    return RecipeStep(
        Phase.INSTALL,
        "Install the same version",
        Language.BASH,
        "\n".join(lines),
        where,
        note=note,
        expect=f"ray, version {READ['ray']}",
    )


def llm_config(target: Target) -> dict[str, Any]:
    """The plan as Ray names it: one bundle per rank, replicas as many as the plan has.

    Source:
        Ray 2.60.0, ``LLMConfig``: bundles have to match tensor times pipeline size.
    """
    group = placement_group(target.plan)
    replicas = group.replicas
    ongoing = max(1, target.limits.sequences_at.get(SHORT_CONTEXT, 1))
    return {
        "model_loading_config": {
            "model_id": target.served_name,
            "model_source": target.repository or target.folder,
        },
        "engine_kwargs": engine_kwargs(target),
        "placement_group_config": {
            "bundles": [{"CPU": 1, "GPU": 1} for _ in range(group.gpus)],
            "strategy": str(group.strategy),
        },
        "deployment_config": {
            "autoscaling_config": {
                "min_replicas": 1,
                "initial_replicas": replicas,
                "max_replicas": replicas,
                "target_ongoing_requests": ongoing,
            },
            "max_ongoing_requests": 2 * ongoing,
        },
    }


def engine_kwargs(target: Target) -> dict[str, Any]:
    """Arguments of vLLM: sizes, context, share of memory."""
    kwargs: dict[str, Any] = {
        "tensor_parallel_size": target.plan.tensor_parallel_size,
        "pipeline_parallel_size": target.plan.pipeline_parallel_size,
        "max_model_len": target.context_tokens,
    }
    if target.memory_fraction is not None:
        kwargs["gpu_memory_utilization"] = target.memory_fraction
    if target.max_num_seqs is not None:
        kwargs["max_num_seqs"] = target.max_num_seqs
    if target.widened:
        kwargs["dtype"] = "float32"
    if cache_dtype(target):
        kwargs["kv_cache_dtype"] = cache_dtype(target)
    return kwargs | _chat_kwargs(target)


def _chat_kwargs(target: Target) -> dict[str, Any]:
    """Name parsers and remote code; a chat template has to lie on every node, so it is left out.

    Source:
        Ray documentation, Serve LLM, vLLM compatibility (read 2026-11-23).
    """
    found = chat_of(target)
    if found is None:
        return {}
    tools = {"enable_auto_tool_choice": True, "tool_call_parser": found.tools}
    return {
        **({"reasoning_parser": found.reasoning} if found.reasoning else {}),
        **(tools if found.tools else {}),
        **({"trust_remote_code": True} if found.remote_code else {}),
    }


def deployment(target: Target) -> dict[str, Any]:
    """The file for ``serve deploy``, as a value."""
    return {
        "proxy_location": "HeadOnly",
        "http_options": {"host": "127.0.0.1", "port": FIRST_PORT},
        "applications": [
            {
                "name": "llm",
                "route_prefix": "/",
                "import_path": "ray.serve.llm:build_openai_app",
                "args": {"llm_configs": [llm_config(target)]},
            }
        ],
    }


def _configuration(target: Target, head: str) -> RecipeStep:
    replicas = target.plan.replicas
    return RecipeStep(
        Phase.START,
        "Write the configuration",
        Language.YAML,
        yaml_text(deployment(target)),
        where=head,
        file="serve.yaml",
        note=(
            f"max_replicas is {replicas}: more replicas do not fit on these GPUs. With a lower "
            "min_replicas, idle replicas free their GPUs."
        ),
    )


def _program(target: Target, head: str) -> RecipeStep:
    """The same application as a program, for those who build on it."""
    configuration = yaml_text(llm_config(target))
    lines = [
        "import yaml",
        "from ray import serve",
        "from ray.serve.llm import LLMConfig, build_openai_app",
        "",
        'CONFIGURATION = """',
        configuration,
        '"""',
        "",
        "replica = LLMConfig(**yaml.safe_load(CONFIGURATION))",
        'serve.run(build_openai_app({"llm_configs": [replica]}), blocking=True)',
    ]
    return RecipeStep(
        Phase.INSTEAD,
        "As a Python program",
        Language.PYTHON,
        "\n".join(lines),
        where=head,
        file="app.py",
        note=f"Start it on the head: python {quoted('app.py')}.",
    )


class Strategy(StrEnum):
    """How a placement group may lie on nodes, as Ray names it."""

    PACK = "PACK"
    """As few nodes as possible, more where it must."""
    STRICT_PACK = "STRICT_PACK"
    """One node, or not at all."""


@dataclass(frozen=True, slots=True)
class PlacementGroup:
    """The bundles of one replica: one GPU each, ``bundles_per_node`` in node order.

    ``strategy`` keeps a plan of one node on one node.
    """

    strategy: Strategy
    bundles_per_node: tuple[int, ...]
    replicas: int

    @property
    def gpus(self) -> int:
        """GPUs that one replica reserves: tensor times pipeline size, times attention copies."""
        return sum(self.bundles_per_node)


def placement_group(plan: ParallelPlan) -> PlacementGroup:
    """Describe how Ray has to place a plan so that it is the plan that was judged.

    Source:
        Ray documentation, Serve LLM, cross-node parallelism (read 2026-11-20): one bundle per rank,
        PACK by default, which spills a group over nodes without a word where one node is full.
    """
    nodes = sorted({node for node, _ in plan.ranks})
    per_node = tuple(sum(1 for node, _ in plan.ranks if node == at) for at in nodes)
    strategy = Strategy.STRICT_PACK if len(nodes) == 1 else Strategy.PACK
    return PlacementGroup(strategy, per_node, plan.replicas)
