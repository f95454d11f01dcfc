"""NVIDIA Dynamo on Kubernetes: replicas of vLLM behind one frontend, or pools of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitegen.fit.disaggregated import Disaggregated
from sitegen.recipes.chat import chat_of, engine_options
from sitegen.recipes.leader_worker import KEPT, KEPT_NOTE
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import Option, words
from sitegen.recipes.steps import ask_step, built
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.versions import READ
from sitegen.recipes.vllm_options import plan_options
from sitegen.recipes.yaml_text import yaml_text

ORCHESTRATOR = "dynamo"
IMAGE = f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{READ['dynamo']}"
TRANSFER = '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'
MODELS = "/model-cache"
"""Where the pods see the folder of their node."""
REASONING: Mapping[str, str] = {
    **{
        name: name
        for name in (
            "deepseek_r1", "deepseek_v4", "deepseek_v41", "gemma4", "glm45", "granite", "inkling",
            "kimi_k3", "minimax_m2", "minimax_m3", "muse_glimmer", "nemotron_v3", "qwen3",
        )
    },
    "kimi_k2": "kimi_k25",
}  # fmt: skip
"""Dynamo's parsers of thoughts, by vLLM's name for the same output.

Two are left out: Dynamo's ``deepseek_v3`` and ``mistral`` take every answer for thoughts until
these end, and the models think on demand.

Source:
    ai-dynamo-runtime 1.6.1, ``get_reasoning_parser_names()``; NVIDIA Dynamo,
    ``lib/parsers/src/reasoning/mod.rs`` and ``docs/agents/reasoning.md``, "Common Parser Pairings"
    (Kimi K2.5: ``kimi_k25``; gpt-oss: ``gpt_oss``); read 2026-11-29.
"""
TOOLS: Mapping[str, str] = {
    **{
        name: name
        for name in (
            "deepseek_v3", "deepseek_v4", "deepseek_v41", "gemma4", "glm45", "glm47", "hermes",
            "inkling", "kimi_k2", "kimi_k3", "llama3_json", "minimax_m2", "minimax_m3", "mistral",
            "muse_glimmer", "qwen3_coder",
        )
    },
    "deepseek_v31": "deepseek_v3_1",
    "deepseek_v32": "deepseek_v3_2",
    "llama4_pythonic": "pythonic",
    "openai": "harmony",
    "qwen3_xml": "qwen3_coder",
}  # fmt: skip
"""Dynamo's parsers of calls of tools, by vLLM's name for the same format.

Source:
    ai-dynamo-runtime 1.6.1, ``get_tool_parser_names()``; NVIDIA Dynamo,
    ``docs/agents/tool-calling.md``, which names the models of each; vLLM 0.33.0,
    ``tool_parsers/__init__.py``, where ``qwen3_xml`` is ``qwen3_coder``; read 2026-11-29.
"""
HARMONY = ("harmony", "gpt_oss")
"""Parsers of gpt-oss, whose thoughts vLLM parses unasked."""

WARNINGS = ("The frontend does not check keys: expose it through a gateway that does.",)


def recipe(target: Target) -> Recipe | None:
    """Run all replicas behind one frontend, on a combo built for it."""
    if target.assessment.runtime.id != "vllm" or target.combo.orchestrator != ORCHESTRATOR:
        return None
    if not target.repository:
        return None  # pods fetch what they serve
    workers = {"Worker": _worker(target)}
    return _deployed(target, "dynamo", "Dynamo, aggregated", workers)


def pools_recipe(disaggregated: Disaggregated) -> Recipe | None:
    """Run a prefill pool and a decode pool, as the engine judged them."""
    prefill, decode = Target.of(disaggregated.prefill), Target.of(disaggregated.decode)
    if prefill is None or decode is None or decode.assessment.runtime.id != "vllm":
        return None
    if not decode.repository:
        return None
    workers = {
        "PrefillWorker": _worker(prefill, mode="prefill"),
        "DecodeWorker": _worker(decode, mode="decode"),
    }
    return _deployed(decode, "dynamo-pools", "Dynamo, separate prefill and decode", workers)


def _worker(target: Target, *, mode: str = "") -> dict[str, Any]:
    """A service of the manifest: so many replicas of the plan, each with its GPUs."""
    arguments = [
        *("--model", target.repository),
        *("--served-model-name", target.served_name),
        *(word.strip("'") for word in words([*plan_options(target), *_chat_options(target)])),
    ]
    service: dict[str, Any] = {"componentType": "worker", "replicas": target.plan.replicas}
    if mode:
        service["subComponentType"] = mode
        arguments += ["--disaggregation-mode", mode, "--kv-transfer-config", TRANSFER]
    if len(target.span) > 1:
        service["multinode"] = {"nodeCount": len(target.span)}
    return {
        **service,
        "envFromSecret": "hf-token-secret",
        "resources": {"limits": {"gpu": str(target.per_node[0])}},
        "extraPodSpec": {
            "volumes": [{"name": "downloads", **KEPT}],
            "mainContainer": {
                "image": IMAGE,
                "command": ["python3", "-m", "dynamo.vllm"],
                "args": arguments,
                "env": [{"name": "HF_HOME", "value": MODELS}],
                "volumeMounts": [{"name": "downloads", "mountPath": MODELS}],
                "securityContext": {"runAsUser": 0},
            },
        },
    }


def _chat_options(target: Target) -> list[Option]:
    """Name the parsers of Dynamo's frontend, and what the engine is told of the model.

    The engine's own parser of thoughts keeps structured output from beginning inside them.

    Source:
        NVIDIA Dynamo, ``recipes/kimi-k3/vllm/disagg-gb300-agentic/deploy.yaml``: the parsers of
        both pools; a folder of the node, which root may write and the image's user not. Its
        documentation, "Reasoning Parsing": ``--reasoning-parser`` beside Dynamo's (read
        2026-11-29).
    """
    found = chat_of(target)
    if found is None:
        return []
    tools, reasoning = TOOLS.get(found.tools, ""), REASONING.get(found.reasoning, "")
    options: list[Option] = [("--reasoning-parser", found.reasoning)] if reasoning else []
    if tools == HARMONY[0]:
        reasoning = HARMONY[1]
    options += [("--dyn-reasoning-parser", reasoning)] if reasoning else []
    options += [("--dyn-tool-call-parser", tools)] if tools else []
    return [*options, *engine_options(target)]


def manifest(workers: dict[str, Any]) -> dict[str, Any]:
    """The deployment as Kubernetes is told of it.

    Source:
        NVIDIA Dynamo, ``docs/kubernetes/deployment/multinode-deployment.md``: GPUs are named per
        node, and the operator starts the other nodes.
    """
    frontend = {
        "componentType": "frontend",
        "replicas": 1,
        "extraPodSpec": {"mainContainer": {"image": IMAGE}},
    }
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "llm"},
        "spec": {"services": {"Frontend": frontend, **workers}},
    }


def _deployed(target: Target, form: str, name: str, workers: dict[str, Any]) -> Recipe:
    asked = ask_step(target, [FIRST_PORT], key=False)
    steps = [
        RecipeStep(
            Phase.INSTALL,
            "Give the cluster a token for the downloads",
            Language.BASH,
            'kubectl create secret generic hf-token-secret --from-literal=HF_TOKEN="${HF_TOKEN:-}"',
            note="First install the Dynamo operator in the cluster, and Grove or LWS for replicas "
            "that span several nodes.",
        ),
        RecipeStep(
            Phase.START,
            "Write the manifest",
            Language.YAML,
            yaml_text(manifest(workers)),
            file="llm.yaml",
            note=KEPT_NOTE,
        ),
        RecipeStep(
            Phase.START,
            "Deploy",
            Language.BASH,
            "kubectl apply -f llm.yaml\n"
            "kubectl wait --for=condition=Ready dynamographdeployment/llm --timeout=60m",
            expect="dynamographdeployment.nvidia.com/llm condition met",
        ),
        RecipeStep(
            Phase.START,
            "Forward a local port to the frontend",
            Language.BASH,
            f"kubectl port-forward service/llm-frontend {FIRST_PORT}:8000",
            note="Use a separate shell, because this command runs until you stop it.",
            stays=True,
            answers=(f"127.0.0.1:{FIRST_PORT}/health",),
        ),
        RecipeStep(
            Phase.VERIFY,
            asked.title,
            Language.BASH,
            f"HOST=127.0.0.1\n{asked.text}",
            expect=asked.expect,
        ),
        RecipeStep(Phase.STOP, "Stop", Language.BASH, "kubectl delete -f llm.yaml"),
    ]
    return built(target, form, name, "dynamo", warnings=WARNINGS, steps=steps, front=True)
