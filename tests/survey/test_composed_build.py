"""A composed build: which combo it is, and that its picks are those of a survey."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.catalog.domain.hardware import OperatingSystem
from sitegen.catalog.domain.models import MemoryModel
from sitegen.fit.assessment import Assessment, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.survey.composed_build import (
    CUSTOM_ID_PREFIX,
    Build,
    BuildQuestion,
    EqualGpus,
    EqualNodes,
    build_of,
    combo_of,
    kv_dtype_of,
    verdict_of,
)
from tests.survey.whole_catalog import whole_catalog, whole_engine, whole_survey
from tests.survey.whole_list import verdicts

COMBOS = ("1x-rtx-3090", "4x-mac-studio-m3-ultra-rdma", "rtx-5080-plus-rtx-3090")
TWO = EqualNodes(
    2, (EqualGpus("rtx-3090", 2),), "pcie-4-x16", None, None, OperatingSystem.LINUX, False
)


def single(found: Assessment | None) -> float:
    assert found is not None
    assert found.speed is not None
    return found.speed.single_tokens_per_s.mid


def together(found: Assessment | None) -> float:
    assert found is not None
    assert found.speed is not None
    return found.speed.aggregate_tokens_per_s.mid


def context(found: Assessment | None) -> float:
    assert found is not None
    assert found.limits is not None
    return found.limits.max_context_tokens


GIVES = {PlanGoal.LATENCY: single, PlanGoal.THROUGHPUT: together, PlanGoal.LARGEST_MODEL: context}


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return whole_engine()


@pytest.mark.parametrize("name", COMBOS)
def test_the_picks_of_a_combo_are_those_of_its_page_in_the_same_order(
    engine: FitEngine, name: str
) -> None:
    combo = engine.catalog.combos[name]
    surveyed = whole_survey(combo.id).rows
    found = verdicts(engine, combo, BuildQuestion(8_192))
    assert list(found) == [row.pick for row in surveyed]
    assert [one.tier for one in found] == [row.tier for row in surveyed]


def test_a_list_without_cures_is_the_same_list(engine: FitEngine) -> None:
    combo = engine.catalog.combos[COMBOS[0]]
    whole = verdicts(engine, combo, BuildQuestion(8_192))
    bare = verdicts(engine, combo, BuildQuestion(8_192), cured=False)
    assert list(bare) == [replace(one, cure=None) for one in whole]
    assert any(one.cure for one in whole)


def test_every_combo_is_recognized_by_its_hardware() -> None:
    for combo in whole_catalog().combos.values():
        assert combo_of(whole_catalog(), build_of(combo), combo.id) is combo
        assert build_of(combo_of(whole_catalog(), build_of(combo))) == build_of(combo)


def test_hardware_of_ones_own_is_a_combo_with_an_id_of_its_own() -> None:
    build = Build((TWO, replace(TWO, count=1, ram_bytes=2**36)), "ethernet-10g")
    combo = combo_of(whole_catalog(), build)
    assert combo.id.startswith(CUSTOM_ID_PREFIX)
    assert [len(node.gpus) for node in combo.nodes] == [2, 2, 2]
    assert build_of(combo) == build
    other = combo_of(whole_catalog(), replace(build, network="ethernet-1g"))
    assert other.id != combo.id


def test_a_context_beyond_the_model_is_refused(engine: FitEngine) -> None:
    combo = engine.catalog.combos[COMBOS[0]]
    short = min(engine.catalog.surveyed_models, key=lambda model: model.context_tokens)
    found = verdict_of(engine, combo, short, BuildQuestion(1 << 21))
    assert found is not None
    assert found.tier is FitTier.NOT_PRACTICAL
    assert [reason.code for reason in found.reasons] == ["CONTEXT_BEYOND_MODEL"]
    reference = verdict_of(engine, combo, short, BuildQuestion(8_192))
    assert reference is not None
    assert reference.workload.context_tokens == min(8_192, short.context_tokens)


def test_only_the_runtime_asked_for_is_assessed(engine: FitEngine) -> None:
    combo = engine.catalog.combos[COMBOS[0]]
    found = verdicts(engine, combo, BuildQuestion(8_192, runtime="ollama"), cured=False)
    assert {one.runtime.id for one in found} == {"ollama"}


def test_each_runtime_names_a_small_cache_in_its_own_way(engine: FitEngine) -> None:
    for runtime, _ in engine.assessed_runtimes():
        paged = runtime.memory_model is MemoryModel.PAGED
        assert kv_dtype_of(runtime, 16) == "f16"
        assert kv_dtype_of(runtime, 8) == ("fp8" if paged else "q8_0")
        assert kv_dtype_of(runtime, 4) == ("" if paged else "q4_0")


def test_the_plan_for_a_goal_gives_as_much_of_it_as_the_plans_for_others(
    engine: FitEngine,
) -> None:
    """Of one file, so that no plan gains by a smaller one; plans that are about as good tie."""
    combo = engine.catalog.combos["4x-rtx-3090"]
    whole = engine.catalog.models["qwen3-8b"]
    kept = tuple(one for one in whole.checkpoints if one.id == "awq-4bit-g128")
    model = replace(whole, id="one-file", checkpoints=kept)
    asked = {goal: BuildQuestion(8_192, goal=goal, runtime="vllm") for goal in PlanGoal}
    found = {goal: verdict_of(engine, combo, model, asked[goal]) for goal in PlanGoal}
    tie = 1 - engine.assumptions["pick-tie-share"].value.mid
    for goal, gives in GIVES.items():
        own = gives(found[goal])
        assert all(own >= tie * gives(other) for other in found.values())
    assert len({one.plan for one in found.values() if one}) > 1
