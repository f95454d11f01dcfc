"""A replica over several nodes on Kubernetes, as a LeaderWorkerSet: one pod for each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.chat import template_of
from sitegen.recipes.environment import environment, environment_note
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.shell import Option, literal, words
from sitegen.recipes.steps import IFACE, LIBRARIES, infiniband
from sitegen.recipes.target import FIRST_PORT, Target
from sitegen.recipes.yaml_text import yaml_text

FILE = "lws.yaml"
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - where libraries look for it
DOWNLOADS = "/root/.cache/huggingface"
"""Where the images keep what they download."""
DOWNLOADS_OF_NODE = "/var/cache/huggingface"
"""Folder of a node that holds it."""
KEPT: Mapping[str, Any] = {"hostPath": {"path": DOWNLOADS_OF_NODE, "type": "DirectoryOrCreate"}}
"""The folder as a volume of pods."""
KEPT_NOTE = (
    f"Each node keeps its download in {DOWNLOADS_OF_NODE}, so a pod that restarts there does not "
    "download it again. If the nodes share storage, use a PersistentVolumeClaim instead of that "
    "folder."
)
TEMPLATES = "chat-template"
"""ConfigMap with the chat template, which no image has."""
ADAPTERS = "/dev/infiniband"
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
    target: Target,
    image: str,
    program: Sequence[str],
    first: list[Option],
    rest: list[Option],
    *,
    own_address: str = "",
) -> tuple[RecipeStep, ...]:
    """Write the manifest; nothing where pods would have no files, or no such image.

    Args:
        target: What runs.
        image: Of the container.
        program: Words before the options.
        first: Options of the leader.
        rest: Options of the workers.
        own_address: Variable that tells the program the address of its pod, if it reads one.

    Source:
        LeaderWorkerSet 0.10.0, ``config/crd/bases`` and ``docs/examples``: the controller gives
        each pod LWS_LEADER_ADDRESS, LWS_GROUP_SIZE and LWS_WORKER_INDEX.
    """
    (vendor, *others) = target.vendors
    if others or vendor not in RESOURCES or not target.repository or not image:
        return ()
    leader = _pod(target, image, program, first, own_address)
    worker = _pod(target, image, program, rest, own_address)
    return (
        RecipeStep(
            Phase.INSTEAD,
            "On Kubernetes",
            Language.YAML,
            yaml_text(manifest(target, _answering(leader), worker)),
            file=FILE,
            note=_note(target),
        ),
    )


def _note(target: Target) -> str:
    """Say what the cluster has to have, and what the pods take of their nodes."""
    template = template_of(target)
    found = [
        "First install LeaderWorkerSet in the cluster, and create the secret llm with HF_TOKEN and "
        "API_KEY.",
        f"Fetch the chat template as above and run kubectl create configmap {TEMPLATES} "
        f"--from-file={template}."
        if template
        else "",
        f"Then run kubectl apply -f {FILE}; the leaders listen on port {FIRST_PORT}.",
        environment_note(target),
        KEPT_NOTE,
        "For RDMA, the pods are privileged and use the network of their nodes. If the cluster has "
        "a device plugin for RDMA, request its resource instead of setting privileged and mounting "
        f"{ADAPTERS}."
        if _over_rdma(target)
        else "",
        _settings_note(target),
    ]
    return " ".join(filter(None, found))


def _settings_note(target: Target) -> str:
    """Say which values of the manifest are up to the reader."""
    if not _over_rdma(target):
        return ""
    adapters = " and NCCL_IB_HCA to its adapters (see ibstat -l)" if infiniband(target) else ""
    return (
        f"In both templates, set {IFACE.name} to the interface between the nodes "
        f"(see ip -br address){adapters}."
    )


def _over_rdma(target: Target) -> bool:
    """Return whether the nodes of the plan are joined by a link with RDMA."""
    link = target.combo.network
    return link is not None and link.rdma


def manifest(target: Target, leader: dict[str, Any], worker: dict[str, Any]) -> dict[str, Any]:
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
                    "spec": leader,
                },
                "workerTemplate": {"spec": worker},
            },
        },
    }


def _answering(pod: dict[str, Any]) -> dict[str, Any]:
    """Let the leader's pod answer clients, once its server does."""
    (container,) = pod["containers"]
    ready = {"httpGet": {"path": "/health", "port": FIRST_PORT}, "periodSeconds": 10}
    served = {"ports": [{"containerPort": FIRST_PORT}], "readinessProbe": ready}
    return pod | {"containers": [container | served]}


def _pod(
    target: Target, image: str, program: Sequence[str], options: list[Option], own_address: str
) -> dict[str, Any]:
    """Describe a pod: its server, what it keeps on the node, and the node's network for RDMA.

    Source:
        vLLM, ``docs/serving/parallelism_scaling.md``, "Enabling GPUDirect RDMA": IPC_LOCK and
        /dev/shm. SGLang, ``docs/references/multi_node_deployment/lws_pd/lws-examples/p.yaml``:
        the network of the node, its adapters, and a privileged container, without which a mounted
        device cannot be opened (both read 2026-11-27).
    """
    gpus = {RESOURCES[target.vendors[0]]: str(target.per_node[0])}
    template = template_of(target)
    shown = any(option[0] == "--chat-template" for option in options)
    replaced = IN_A_POD | ({template: f"/templates/{template}"} if shown else {})
    mounted = _mounted(target, template if shown else "")
    container: dict[str, Any] = {
        "name": "server",
        "image": image,
        "command": [*program, *words(literal(options, replaced))],
        "env": [
            {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            _secret("HF_TOKEN"),
            _secret("API_KEY"),
            *_network(target, own_address),
            *({"name": name, "value": value} for name, value in environment(target).items()),
        ],
        "resources": {"limits": gpus, "requests": gpus},
        "volumeMounts": [{"name": name, "mountPath": path} for name, (path, _) in mounted.items()],
    }
    pod: dict[str, Any] = {"containers": [container]}
    if _over_rdma(target):
        container["securityContext"] = {"privileged": True, "capabilities": {"add": ["IPC_LOCK"]}}
        pod |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    pod["volumes"] = [{"name": name, **volume} for name, (_, volume) in mounted.items()]
    return pod


def _network(target: Target, own_address: str) -> list[dict[str, str]]:
    """Name the address of a pod, and the link where it sees all interfaces of its node.

    Kubernetes puts the values of earlier variables in. The file of hosts of such a pod is the
    node's, in which the node's name may be a loopback address, and Gloo takes that of the name.

    Source:
        vLLM 0.33.0, ``utils/network_utils.py`` (``get_ip``): without VLLM_HOST_IP, the address of
        the default route. Kubernetes documentation, "Define Dependent Environment Variables" and
        "Adding entries to Pod /etc/hosts". PyTorch, "Distributed communication package", "Choosing
        the network interface to use" (read 2026-11-29).
    """
    found = [{"name": own_address, "value": "$(POD_IP)"}] if own_address else []
    if not _over_rdma(target):
        return found
    found.append({"name": IFACE.name, "value": IFACE.value})
    found += [{"name": name, "value": f"$({IFACE.name})"} for name in LIBRARIES]
    found += [{"name": "NCCL_IB_HCA", "value": one.value} for one in infiniband(target)]
    return found


def _mounted(target: Target, template: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """List volumes by name, each with its path in the container and what it is."""
    found: dict[str, tuple[str, Mapping[str, Any]]] = {
        "shared-memory": (SHARED_MEMORY, {"emptyDir": {"medium": "Memory"}}),
        "downloads": (DOWNLOADS, KEPT),
    }
    if template:
        found[TEMPLATES] = ("/templates", {"configMap": {"name": TEMPLATES}})
    if _over_rdma(target):
        found["adapters"] = (ADAPTERS, {"hostPath": {"path": ADAPTERS}})
    return found


def _secret(name: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": "llm", "key": name}}}
