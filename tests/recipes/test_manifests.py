"""Manifests for Kubernetes against the definitions of their resources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Phase
from tests.recipes.everything import asked, recipes
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


@pytest.mark.parametrize("runtime", ["vllm", "sglang"])
def test_files_that_nobody_published_are_no_business_of_pods(runtime: str) -> None:
    for found, _ in sets():
        if found.runtime.id == runtime:
            assert found.checkpoint.repository
