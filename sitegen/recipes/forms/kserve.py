"""KServe on Kubernetes: replicas of vLLM behind one gateway, as an ``LLMInferenceService``."""

from __future__ import annotations

from typing import Any

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.chat import chat_options
from sitegen.recipes.environment import environment, environment_note
from sitegen.recipes.recipe import Language, Phase, Recipe, RecipeStep
from sitegen.recipes.shell import words
from sitegen.recipes.steps import ask_step, built
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.vllm_options import plan_options
from sitegen.recipes.yaml_text import yaml_text

ORCHESTRATOR = "kserve"
RESOURCES = {Vendor.NVIDIA: "nvidia.com/gpu", Vendor.AMD: "amd.com/gpu"}
"""Resources that a pod requests, by vendor."""
IMAGES = {Vendor.AMD: "ghcr.io/llm-d/llm-d-rocm:v0.9.0"}
"""Images of vLLM beside the one that KServe takes unasked, which is for NVIDIA."""
LEFT_OUT = {"--tensor-parallel-size", "--chat-template"}
"""What has a field of its own, and what a pod has no file for."""
WARNINGS = (
    "The gateway does not check keys unless you configure it to: expose it through one that does.",
)


def recipe(target: Target) -> Recipe | None:
    """Run all replicas behind one gateway, where KServe was asked for; each in one machine."""
    if target.assessment.runtime.id != "vllm" or target.combo.orchestrator != ORCHESTRATOR:
        return None
    (vendor, *others) = target.vendors
    if others or vendor not in RESOURCES or len(target.span) > 1 or not target.repository:
        return None  # pods of several vendors are several services, and pods fetch what they serve
    found = ask_step(target, [FIRST_PORT], key=False)
    asked = found.text.replace("http://$HOST:$PORT/v1", "$URL/v1").partition("\n")[2]
    steps = [
        RecipeStep(
            Phase.INSTALL,
            "Give the cluster a token for the downloads",
            Language.BASH,
            'kubectl create secret generic hf-token --from-literal=HF_TOKEN="${HF_TOKEN:-}"',
            note="First install KServe, its resources for language models, and a gateway.",
        ),
        RecipeStep(
            Phase.START,
            "Write the manifest",
            Language.YAML,
            yaml_text(manifest(target, vendor)),
            file="llm.yaml",
            note=environment_note(target),
        ),
        RecipeStep(
            Phase.START,
            "Deploy",
            Language.BASH,
            "kubectl apply -f llm.yaml\n"
            "kubectl wait --for=condition=Ready llminferenceservice/llm --timeout=60m",
            expect="llminferenceservice.serving.kserve.io/llm condition met",
        ),
        RecipeStep(
            Phase.VERIFY,
            found.title,
            Language.BASH,
            f"URL=$(kubectl get llminferenceservice llm -o jsonpath='{{.status.url}}')\n{asked}",
            expect=found.expect,
        ),
        RecipeStep(Phase.STOP, "Stop", Language.BASH, "kubectl delete -f llm.yaml"),
    ]
    return built(target, "kserve", "KServe", "kserve", warnings=WARNINGS, steps=steps, front=True)


def vllm_arguments(target: Target) -> str:
    """Arguments of vLLM beside its tensor parallel size, which the manifest has a field for."""
    found = [*plan_options(target), *chat_options(target)]
    options = [one for one in found if one[0] not in LEFT_OUT]
    return " ".join(words(options))


def manifest(target: Target, vendor: Vendor) -> dict[str, Any]:
    """The service as Kubernetes is told of it.

    Source:
        KServe 0.20, ``config/llmisvcconfig/config-llm-template.yaml``: the template adds the tensor
        parallel size, and what ``VLLM_ADDITIONAL_ARGS`` says.
    """
    size = target.plan.tensor_parallel_size
    gpus = {RESOURCES[vendor]: str(len(target.plan.ranks))}
    token = {"secretKeyRef": {"name": "hf-token", "key": "HF_TOKEN"}}
    container: dict[str, Any] = {
        "name": "main",
        **({"image": IMAGES[vendor]} if vendor in IMAGES else {}),
        "env": [
            {"name": "HF_TOKEN", "valueFrom": token},
            {"name": "VLLM_ADDITIONAL_ARGS", "value": vllm_arguments(target)},
            *({"name": name, "value": value} for name, value in environment(target).items()),
        ],
        "resources": {"limits": gpus, "requests": gpus},
    }
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "llm"},
        "spec": {
            "model": {"uri": f"hf://{target.repository}", "name": target.served_name},
            "replicas": target.plan.replicas,
            "parallelism": {"tensor": size},
            "router": {"route": {}, "gateway": {}, "scheduler": {}},
            "template": {"containers": [container]},
        },
    }
