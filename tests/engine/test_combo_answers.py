"""The plan for each goal, against every plan that can be asked for by hand."""

from __future__ import annotations

import pytest

from sitegen.engine.assessment import Assessment, ComboSurvey, FitTier
from sitegen.engine.findings import Answer, AnswerGoal, Scope
from tests.engine.questions import ask, combo
from tests.engine.small_surveys import few, surveyed

MODELS = ("llama8", "qwen3_30", "llama70")
WHERE = combo(*["h100-sxm"] * 4, link="nvlink-4")


@pytest.fixture(scope="module")
def four_gpus() -> ComboSurvey:
    return surveyed(WHERE, *MODELS)


def only(survey: ComboSurvey, goal: AnswerGoal, scope: Scope) -> Answer:
    (found,) = [a for a in survey.answers if a.goal is goal and a.scope is scope]
    return found


def vllm_plans(name: str) -> list[Assessment]:
    """Every split of the smallest vLLM checkpoint over one, two and four GPUs that is valid."""
    (what,) = few(name)
    found = [
        ask(what, "awq-4bit-g128", WHERE, "vllm", tp=tp, pp=pp)
        for tp, pp in ((1, 1), (2, 1), (4, 1))
    ]
    return [a for a in found if a.tier is FitTier.COMFORTABLE]


def users(found: Assessment, context: int) -> int:
    assert found.limits is not None
    assert found.plan is not None
    return found.limits.sequences_at[context] * found.plan.replicas


def test_the_largest_model_is_the_combos_own_answer_and_the_next_is_smaller(
    four_gpus: ComboSurvey,
) -> None:
    answer = only(four_gpus, AnswerGoal.PARAMETERS, Scope.EVERY_MODEL)
    assert answer.best.assessment is four_gpus.largest_single_model
    assert answer.best.assessment.model.id == "llama70"
    assert answer.runner_up is not None
    assert answer.runner_up.assessment.model.id == "qwen3_30"
    assert answer.best.amount.mid > answer.runner_up.amount.mid
    assert answer.models == 3


def test_the_size_class_ends_at_half_the_largest_models_parameters(
    four_gpus: ComboSurvey,
) -> None:
    """70.6 B: half is 35.3 B, which leaves out a model of 30.5 B and one of 8 B."""
    answer = only(four_gpus, AnswerGoal.ONE_STREAM, Scope.SIZE_CLASS)
    assert answer.least_parameters == 70_553_706_496 // 2
    assert answer.best.assessment.model.id == "llama70"
    assert answer.models == 1


def test_the_fastest_plan_is_not_slower_than_any_plan_asked_for_by_hand(
    four_gpus: ComboSurvey,
) -> None:
    answer = only(four_gpus, AnswerGoal.ONE_STREAM, Scope.SIZE_CLASS)
    by_hand = vllm_plans("llama70")
    assert by_hand
    speeds = [a.speed.single_tokens_per_s.mid for a in by_hand if a.speed]
    assert answer.best.amount.mid >= max(speeds) * (1 - 1e-12)
    assert answer.best.assessment.speed is not None
    assert answer.best.amount == answer.best.assessment.speed.single_tokens_per_s


def test_the_plan_for_many_users_holds_the_most_contexts_of_all_plans_asked_for_by_hand(
    four_gpus: ComboSurvey,
) -> None:
    serving = four_gpus.aggregate_serving
    assert serving is not None
    by_hand = vllm_plans(serving.model.id)
    assert len(by_hand) > 1
    for goal, context in ((AnswerGoal.USERS_8K, 8_192), (AnswerGoal.USERS_32K, 32_768)):
        scopes = {a.scope: a for a in four_gpus.answers if a.goal is goal}
        answer = scopes.get(Scope.SERVING, scopes[Scope.SIZE_CLASS])
        assert answer.best.assessment.model.id == serving.model.id
        assert answer.best.amount.mid == max(users(a, context) for a in by_hand)
        assert answer.best.amount.mid == users(answer.best.assessment, context)


def test_two_scopes_with_one_plan_are_one_answer(four_gpus: ComboSurvey) -> None:
    keys = [(a.goal, a.best.assessment.id) for a in four_gpus.answers]
    assert len(keys) == len(set(keys))


def test_an_answer_fits_comfortably_and_its_runner_up_is_something_else(
    four_gpus: ComboSurvey,
) -> None:
    for answer in four_gpus.answers:
        assert answer.best.assessment.tier is FitTier.COMFORTABLE
        second = answer.runner_up
        if second is not None:
            assert second.assessment.id != answer.best.assessment.id


def test_without_a_comfortable_model_only_the_largest_that_may_run_is_named() -> None:
    tight = surveyed(combo("rtx-3060-12gb", ram_gib=64), "qwen3_30")
    (answer,) = tight.answers
    assert answer.goal is AnswerGoal.PARAMETERS
    assert answer.best.assessment.tier is FitTier.BORDERLINE
    assert surveyed(combo("rtx-3060-12gb"), "dsv3").answers == ()


def test_of_two_models_in_the_size_class_the_faster_is_named_and_the_other_is_next() -> None:
    """72.7 B is the largest, so 36.4 B is the floor; 70.6 B reads fewer bytes per token."""
    found = surveyed(WHERE, "llama8", "llama70", "qwen25_72")
    largest = only(found, AnswerGoal.PARAMETERS, Scope.EVERY_MODEL).best.assessment
    assert largest.model.id == "qwen25_72"
    answer = only(found, AnswerGoal.ONE_STREAM, Scope.SIZE_CLASS)
    assert answer.models == 2
    assert answer.best.assessment.model.id == "llama70"
    assert answer.runner_up is not None
    assert answer.runner_up.assessment.model.id == "qwen25_72"
    assert answer.best.amount.mid > answer.runner_up.amount.mid
    alone = only(found, AnswerGoal.ONE_STREAM, Scope.LARGEST)
    assert alone.best.assessment.model.id == "qwen25_72"


def test_many_users_are_served_inside_a_machine_where_a_replica_fits_there() -> None:
    """One model of 8 B on four nodes: a plan over the network may hold more, and is not chosen."""
    nodes = combo("rtx-4090", "rtx-4090", nodes=4, link="pcie-4-x16", network="ethernet-100g")
    found = surveyed(nodes, "llama8", "gptoss120")
    answer = only(found, AnswerGoal.USERS_8K, Scope.SERVING)
    plan = answer.best.assessment.plan
    assert answer.best.assessment.model.id == "llama8"
    assert plan is not None
    assert len({node for node, _ in plan.ranks}) == 1
    assert plan.replicas * len(plan.ranks) == 8
