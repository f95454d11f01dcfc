"""A replica over several nodes on Kubernetes, as a LeaderWorkerSet: one pod for each node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import Option, literal, words
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.yaml_text import yaml_text

FILE = "lws.yaml"
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - where libraries look for it
RESOURCES = {Vendor.NVIDIA: "nvidia.com/gpu", Vendor.AMD: "amd.com/gpu"}
"""What a pod asks for, by vendor."""
IN_A_POD = {
    '"$HEAD_IP"': "$(LWS_LEADER_ADDRESS)",
    '"$HEAD_IP:20000"': "$(LWS_LEADER_ADDRESS):20000",
    '"$NODE_RANK"': "$(LWS_WORKER_INDEX)",
    '"$HOST"': "$(POD_IP)",
    '"$API_KEY"': "$(API_KEY)",
}
"""Variables of the shell as a pod has them; Kubernetes puts the values in."""


def leader_worker_step(
    target: Target, image: str, program: Sequence[str], first: list[Option], rest: list[Option]
) -> tuple[RecipeStep, ...]:
    """Write the manifest; nothing where pods would have no files, or no such image.

    Args:
        target: What runs.
        image: Of the container.
        program: Words before the options.
        first: Options of the leader.
        rest: Options of the workers.

    Source:
        LeaderWorkerSet 0.10.0, ``config/crd/bases`` and ``docs/examples``: the controller gives
        each pod LWS_LEADER_ADDRESS, LWS_GROUP_SIZE and LWS_WORKER_INDEX.
    """
    (vendor, *others) = target.vendors
    if others or vendor not in RESOURCES or not target.repository or not image:
        return ()
    written = manifest(target, image, program, first, rest)
    return (
        RecipeStep(
            Phase.INSTEAD,
            "On Kubernetes",
            Language.YAML,
            yaml_text(written),
            file=FILE,
            note=(
                "First install LeaderWorkerSet in the cluster, and create the secret llm with "
                f"HF_TOKEN and API_KEY. Then run kubectl apply -f {FILE}; the leaders listen on "
                f"port {FIRST_PORT}."
            ),
        ),
    )


def manifest(
    target: Target, image: str, program: Sequence[str], first: list[Option], rest: list[Option]
) -> dict[str, Any]:
    """The set as Kubernetes is told of it."""
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "llm"},
        "spec": {
            "replicas": target.plan.replicas,
            "leaderWorkerTemplate": {
                "size": len(target.span),
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": {
                    "metadata": {"labels": {"role": "leader"}},
                    "spec": _pod(target, image, program, first, leader=True),
                },
                "workerTemplate": {"spec": _pod(target, image, program, rest, leader=False)},
            },
        },
    }


def _pod(
    target: Target, image: str, program: Sequence[str], options: list[Option], *, leader: bool
) -> dict[str, Any]:
    gpus = {RESOURCES[target.vendors[0]]: str(target.per_node[0])}
    address = {"fieldRef": {"fieldPath": "status.podIP"}}
    container: dict[str, Any] = {
        "name": "server",
        "image": image,
        "command": [*program, *words(literal(options, IN_A_POD))],
        "env": [
            {"name": "POD_IP", "valueFrom": address},
            _secret("HF_TOKEN"),
            _secret("API_KEY"),
        ],
        "resources": {"limits": gpus, "requests": gpus},
        "volumeMounts": [{"name": "shared-memory", "mountPath": SHARED_MEMORY}],
    }
    if leader:
        container["ports"] = [{"containerPort": FIRST_PORT}]
        ready = {"path": "/health", "port": FIRST_PORT}
        container["readinessProbe"] = {"httpGet": ready, "periodSeconds": 10}
    shared = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
    return {"containers": [container], "volumes": [shared]}


def _secret(name: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": "llm", "key": name}}}
