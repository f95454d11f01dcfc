"""Manifests for Kubernetes against the definitions of their resources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.recipes import recipes_for
from sitegen.recipes.forms.dynamo import HARMONY, REASONING, TOOLS
from sitegen.recipes.recipe import Phase
from tests.recipes.everything import asked, recipes
from tests.survey.whole_catalog import whole_catalog
from tests.yaml_files import read_yaml

SCHEMAS = Path(__file__).with_name("schemas")


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))


def sets() -> list[tuple[Assessment, dict[str, Any]]]:
    return [
        (recipe.assessment, read_yaml(step.text))
        for recipe in recipes()
        for step in recipe.steps
        if step.file == "lws.yaml"
    ]


def test_every_leader_worker_set_is_one_by_its_definition() -> None:
    definition = schema("leader-worker-set")
    found = sets()
    assert len(found) > 10
    assert {one.runtime.id for one, _ in found} == {"vllm", "sglang"}
    check = jsonschema.Draft202012Validator(definition["schema"])
    for _, written in found:
        assert written["apiVersion"].endswith(f"/{definition['version']}")
        assert not list(check.iter_errors(written))


def test_the_definition_refuses_a_field_that_it_does_not_have() -> None:
    check = jsonschema.Draft202012Validator(schema("leader-worker-set")["schema"])
    _, written = sets()[0]
    template = written["spec"]["leaderWorkerTemplate"]
    template["workerTemplate"]["spec"]["containers"][0]["imagePullPolice"] = "Always"
    assert [error.validator for error in check.iter_errors(written)] == ["additionalProperties"]


def test_a_set_has_a_pod_for_each_node_and_a_group_for_each_replica() -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    recipe = next(one for one in recipes_for(found) if one.id == "vllm-nodes")
    step = next(step for step in recipe.steps if step.file == "lws.yaml")
    assert step.phase is Phase.INSTEAD
    spec = read_yaml(step.text)["spec"]
    template = spec["leaderWorkerTemplate"]
    assert (spec["replicas"], template["size"]) == (1, 2)
    (leader,) = template["leaderTemplate"]["spec"]["containers"]
    (worker,) = template["workerTemplate"]["spec"]["containers"]
    assert leader["resources"]["limits"] == {"nvidia.com/gpu": "8"}
    assert leader["command"][:3] == ["vllm", "serve", "deepseek-ai/DeepSeek-R1"]
    assert "--headless" in worker["command"]
    at = worker["command"].index("--node-rank")
    assert worker["command"][at + 1] == "$(LWS_WORKER_INDEX)"
    assert "$(LWS_LEADER_ADDRESS)" in worker["command"]
    assert not [word for word in leader["command"] if word.startswith('"')]


def pods(written: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The leader and a worker."""
    template = written["spec"]["leaderWorkerTemplate"]
    return template["leaderTemplate"]["spec"], template["workerTemplate"]["spec"]


def mounts(pod: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What a pod's container sees, by path."""
    volumes = {one["name"]: one for one in pod["volumes"]}
    (container,) = pod["containers"]
    found = {one["mountPath"]: volumes[one["name"]] for one in container["volumeMounts"]}
    assert len(found) == len(volumes)
    return found


def test_pods_keep_their_downloads_on_the_node() -> None:
    for _, written in sets():
        for pod in pods(written):
            kept = mounts(pod)["/root/.cache/huggingface"]["hostPath"]
            assert kept == {"path": "/var/cache/huggingface", "type": "DirectoryOrCreate"}


def test_pods_reach_the_adapters_where_the_link_has_rdma_and_only_there() -> None:
    seen = set()
    for found, written in sets():
        assert found.combo.network is not None
        rdma = found.combo.network.rdma
        seen.add(rdma)
        for pod in pods(written):
            (container,) = pod["containers"]
            assert pod.get("hostNetwork", False) is rdma
            assert ("/dev/infiniband" in mounts(pod)) is rdma
            locked = container.get("securityContext", {}).get("capabilities", {}).get("add", [])
            assert ("IPC_LOCK" in locked) is rdma
            assert pod.get("dnsPolicy") == ("ClusterFirstWithHostNet" if rdma else None)
    assert seen == {True, False}


def test_pods_on_the_network_of_their_node_name_the_link_and_their_address() -> None:
    """Kubernetes replaces what an earlier variable of the pod has."""
    libraries = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
    for found, written in sets():
        assert found.combo.network is not None
        for pod in pods(written):
            (container,) = pod["containers"]
            values = {one["name"]: one.get("value") for one in container["env"]}
            names = list(values)
            if found.runtime.id == "vllm":
                assert values["VLLM_HOST_IP"] == "$(POD_IP)"
                assert names.index("POD_IP") < names.index("VLLM_HOST_IP")
            rdma = pod.get("hostNetwork", False)
            assert {values.get(one) for one in libraries} == {"$(IFACE)" if rdma else None}
            assert not rdma or names.index("IFACE") < names.index(libraries[0])
            assert ("NCCL_IB_HCA" in names) is (found.combo.network.kind == "infiniband")


@pytest.mark.parametrize(
    ("model", "runtime", "template"),
    [
        ("deepseek-r1", "vllm", "tool_chat_template_deepseekr1.jinja"),
        ("deepseek-v3.1", "sglang", "tool_chat_template_deepseekv31.jinja"),
        ("gpt-oss-120b", "vllm", ""),
    ],
)
def test_a_chat_template_comes_from_a_config_map(model: str, runtime: str, template: str) -> None:
    checkpoint = "mxfp4" if model == "gpt-oss-120b" else "fp8-block"
    combo = "2x-dgx-spark" if model == "gpt-oss-120b" else "2-nodes-8x-h100"
    found = asked(combo, model, runtime, checkpoint, goal=PlanGoal.LARGEST_MODEL)
    step = next(
        step for recipe in recipes_for(found) for step in recipe.steps if step.file == "lws.yaml"
    )
    leader, worker = pods(read_yaml(step.text))
    (container,) = leader["containers"]
    assert ("--chat-template" in container["command"]) is bool(template)
    assert f"--from-file={template}" in step.note if template else "configmap" not in step.note
    for pod in (leader, worker):
        wanted = "--chat-template" in pod["containers"][0]["command"]
        assert ("/templates" in mounts(pod)) is wanted
    if template:
        assert f"/templates/{template}" in container["command"]
        assert mounts(leader)["/templates"]["configMap"] == {"name": "chat-template"}


def test_fields_of_dynamos_services_are_those_of_its_types() -> None:
    known = schema("dynamo-graph-deployment")
    seen = 0
    for recipe in recipes():
        for step in (step for step in recipe.steps if recipe.id == "dynamo" and step.file):
            for service in read_yaml(step.text)["spec"]["services"].values():
                seen += 1
                assert set(service) <= set(known["service"])
                several = service.get("multinode", {"nodeCount": known["multinode_minimum"]})
                assert set(several) == set(known["multinode"])
                assert several["nodeCount"] >= known["multinode_minimum"]
    assert seen > 4


def dynamo_workers(model: str, checkpoint: str) -> list[dict[str, Any]]:
    """Containers of the workers of a rack that Dynamo serves."""
    found = asked("gb300-nvl72", model, "vllm", checkpoint, goal=PlanGoal.LARGEST_MODEL)
    recipe = next(one for one in recipes_for(found) if one.id == "dynamo")
    step = next(step for step in recipe.steps if step.file == "llm.yaml")
    services = read_yaml(step.text)["spec"]["services"]
    return [one["extraPodSpec"] for name, one in services.items() if name != "Frontend"]


@pytest.mark.parametrize(
    ("model", "checkpoint", "told"),
    [
        (
            "kimi-k3",
            "mxfp4",
            "--reasoning-parser kimi_k3 --dyn-reasoning-parser kimi_k3 "
            "--dyn-tool-call-parser kimi_k3 --trust-remote-code",
        ),
        ("gpt-oss-120b", "mxfp4", "--dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony"),
        ("deepseek-v3.2", "fp8-block", "--dyn-tool-call-parser deepseek_v3_2 --tokenizer-mode"),
    ],
)
def test_dynamos_workers_name_its_own_parsers(model: str, checkpoint: str, told: str) -> None:
    for pod in dynamo_workers(model, checkpoint):
        arguments = " ".join(pod["mainContainer"]["args"])
        assert told in arguments
        assert "--enable-auto-tool-choice" not in arguments  # of vLLM's API server alone


def test_dynamos_workers_keep_their_downloads_on_the_node() -> None:
    (pod,) = dynamo_workers("kimi-k3", "mxfp4")
    (volume,) = pod["volumes"]
    container = pod["mainContainer"]
    assert volume["hostPath"]["path"] == "/var/cache/huggingface"
    (mount,) = container["volumeMounts"]
    assert {"name": "HF_HOME", "value": mount["mountPath"]} in container["env"]
    assert container["securityContext"] == {"runAsUser": 0}  # the folder is made for root


def test_the_parsers_of_dynamo_that_recipes_name_exist() -> None:
    known = schema("dynamo-parsers")
    assert {*REASONING.values(), HARMONY[1]} <= set(known["reasoning"])
    assert set(TOOLS.values()) <= set(known["tools"])
    entries = whole_catalog().runtimes["vllm"].chat_options
    assert set(REASONING) <= {one.reasoning for one in entries}
    assert set(TOOLS) <= {one.tools for one in entries}


@pytest.mark.parametrize("runtime", ["vllm", "sglang"])
def test_files_that_nobody_published_are_no_business_of_pods(runtime: str) -> None:
    for found, _ in sets():
        if found.runtime.id == runtime:
            assert found.checkpoint.repository
