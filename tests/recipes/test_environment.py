"""Variables of the environment: on which GPUs, for which models, in every way to run a plan."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.recipes import recipes_for
from sitegen.recipes.recipe import Phase, Recipe
from tests.recipes.everything import asked
from tests.survey.whole_catalog import whole_catalog
from tests.yaml_files import read_yaml

AITER = "VLLM_ROCM_USE_AITER=1"


def form(found: Assessment, id_: str) -> Recipe:
    return next(one for one in recipes_for(found) if one.id == id_)


def text(recipe: Recipe) -> str:
    return "\n".join(step.text for step in recipe.steps)


def with_gpus(found: Assessment, gpu_id: str) -> Assessment:
    """The same plan on machines of the same shape with other GPUs."""
    gpu = whole_catalog().gpus[gpu_id]

    def changed(combo: Combo) -> Combo:
        return replace(
            combo,
            nodes=tuple(
                replace(node, gpus=tuple(replace(one, gpu=gpu) for one in node.gpus))
                for node in combo.nodes
            ),
        )

    return replace(found, combo=changed(found.combo))


def test_a_server_of_vllm_on_cdna_3_is_told_to_use_aiter() -> None:
    recipe = form(asked("8x-mi300x", "deepseek-v3.2", "vllm", "fp8-block"), "vllm")
    start = next(step for step in recipe.steps if step.phase is Phase.START)
    assert start.text.startswith(f"{AITER} vllm serve")
    assert f"{AITER} turns on" in start.note
    unit = next(step for step in recipe.steps if step.file.endswith("vllm.service"))
    assert f"Environment={AITER}" in unit.text.splitlines()
    compose = next(step for step in recipe.steps if step.file == "compose.yaml")
    for service in read_yaml(compose.text)["services"].values():
        assert service["environment"]["VLLM_ROCM_USE_AITER"] == "1"


def test_no_other_gpu_is_told_to() -> None:
    for combo in ("8x-h100-sxm", "2x-rx-7900-xtx", "2x-radeon-ai-pro-r9700"):
        recipe = form(asked(combo, "qwen3-8b", "vllm", "bf16"), "vllm")
        assert "AITER" not in text(recipe), combo


def test_a_model_that_its_makers_run_without_aiter_is_run_without() -> None:
    found = asked("8x-mi300x", "mimo-v2-flash", "vllm", "fp8-block")
    recipe = form(found, "vllm")
    start = next(step for step in recipe.steps if step.phase is Phase.START)
    assert "VLLM_ROCM_USE_AITER=0 vllm serve" in start.text
    assert AITER not in text(recipe)
    assert AITER not in start.note


def test_later_entries_add_what_a_model_needs_beside() -> None:
    found = asked("8x-mi300x", "step-3.5-flash", "vllm", "fp8")
    start = next(step for step in form(found, "vllm").steps if step.phase is Phase.START)
    assert f"{AITER} VLLM_ROCM_USE_AITER_MOE=0 vllm serve" in start.text


def test_each_machine_of_a_replica_is_told() -> None:
    found = asked(
        "2-nodes-8x-h100", "deepseek-r1", "vllm", "fp8-block", goal=PlanGoal.LARGEST_MODEL
    )
    amd = with_gpus(found, "mi300x")
    nodes = form(amd, "vllm-nodes")
    starts = [step.text for step in nodes.steps if "vllm serve" in step.text]
    assert [AITER in one for one in starts if not one.startswith("pkill")] == [True, True]
    pods = read_yaml(next(step.text for step in nodes.steps if step.file == "lws.yaml"))
    pair = pods["spec"]["leaderWorkerTemplate"]
    for pod in (pair["leaderTemplate"], pair["workerTemplate"]):
        (container,) = pod["spec"]["containers"]
        assert {"name": "VLLM_ROCM_USE_AITER", "value": "1"} in container["env"]
    ray = [step.text for step in form(amd, "vllm-ray").steps]
    for program in ("ray start", "vllm serve"):
        assert all(one.startswith(f"{AITER} ") for one in ray if f"{program} " in one)
    assert AITER not in text(form(found, "vllm-nodes"))


def test_pods_of_kserve_are_told() -> None:
    found = with_gpus(asked("8x-rtx-4090", "qwen3-8b", "vllm", "bf16"), "mi300x")
    amd = replace(found, combo=replace(found.combo, orchestrator="kserve"))
    manifest = read_yaml(
        next(step.text for step in form(amd, "kserve").steps if step.file == "llm.yaml")
    )
    (container,) = manifest["spec"]["template"]["containers"]
    assert {"name": "VLLM_ROCM_USE_AITER", "value": "1"} in container["env"]


def test_a_server_of_several_large_copies_may_load_them_for_longer() -> None:
    """For one copy, vLLM waits without limit; for several, 600 seconds."""
    two = asked("8x-h200-sxm", "llama-3.1-405b", "vllm", "fp8", goal=PlanGoal.THROUGHPUT)
    recipe = form(two, "vllm")
    start = next(step for step in recipe.steps if step.phase is Phase.START)
    assert start.text.startswith("VLLM_ENGINE_READY_TIMEOUT_S=3600 vllm serve")
    assert "load for an hour" in start.note
    assert "--data-parallel-size 2" in start.text
    unit = next(step for step in recipe.steps if step.file.endswith("vllm.service"))
    assert "Environment=VLLM_ENGINE_READY_TIMEOUT_S=3600" in unit.text.splitlines()
    compose = next(step for step in recipe.steps if step.file == "compose.yaml")
    for service in read_yaml(compose.text)["services"].values():
        assert service["environment"]["VLLM_ENGINE_READY_TIMEOUT_S"] == "3600"
    one = asked("8x-h200-sxm", "llama-3.1-405b", "vllm", "bf16", goal=PlanGoal.THROUGHPUT)
    small = asked("8x-h200-sxm", "qwen3-8b", "vllm", "bf16", goal=PlanGoal.THROUGHPUT)
    for other in (one, small):
        assert "READY_TIMEOUT" not in text(form(other, "vllm"))


def test_the_models_that_entries_name_are_in_the_catalog() -> None:
    for runtime in whole_catalog().runtimes.values():
        for entry in runtime.environment:
            assert set(entry.models) <= set(whole_catalog().models)
