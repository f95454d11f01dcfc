"""NVIDIA Dynamo on Kubernetes: replicas of vLLM behind one frontend, or pools of their own."""

from __future__ import annotations

from typing import Any

from sitegen.fit.disaggregated import Disaggregated
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import words
from sitegen.recipes.steps import ask_step, built
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.versions import READ
from sitegen.recipes.vllm_options import plan_options
from sitegen.recipes.yaml_text import yaml_text

ORCHESTRATOR = "dynamo"
IMAGE = f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{READ['dynamo']}"
TRANSFER = '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'

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
        *(word.strip("'") for word in words(plan_options(target))),
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
            "mainContainer": {
                "image": IMAGE,
                "command": ["python3", "-m", "dynamo.vllm"],
                "args": arguments,
            }
        },
    }


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
