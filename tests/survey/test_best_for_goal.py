"""The answers of a combo: the model for each goal, against plans asked for by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.quality.values import Use
from sitegen.survey.answers import Answer, AnswerGoal, Scope
from sitegen.survey.best_for_goal import combo_answers
from sitegen.survey.every_combo import survey_combo
from sitegen.survey.results import ComboSurvey
from tests.fit.questions import ask, combo
from tests.survey.small_surveys import few, rated, small_catalog, surveyed
from tests.survey.whole_catalog import whole_engine, whole_survey

MODELS = ("llama8", "qwen3_30", "llama70")
WHERE = combo(*["h100-sxm"] * 4, link="nvlink-4")
CLOSE = {"llama8": 30.0, "qwen3_30": 60.0, "llama70": 62.0}
"""The larger two cannot be told apart; the small one is far below them."""


@pytest.fixture(scope="module")
def unrated() -> ComboSurvey:
    return surveyed(WHERE, *MODELS)


@pytest.fixture(scope="module")
def close() -> ComboSurvey:
    return with_ratings(CLOSE)


def with_ratings(points: dict[str, float]) -> ComboSurvey:
    found = replace(small_catalog(*MODELS), combos={WHERE.id: WHERE})
    return survey_combo(FitEngine(found, ratings=rated(points)), WHERE)


def only(survey: ComboSurvey, goal: AnswerGoal) -> Answer:
    (found,) = [a for a in survey.answers if a.goal is goal]
    return found


def by_hand(found: Assessment) -> list[Assessment]:
    """Every comfortable split of a pick's checkpoint that people choose on such a machine."""
    (what,) = few(found.model.id)
    splits = [(1, 1), (2, 1), (4, 1), (2, 2)]
    asked = [
        ask(what, found.checkpoint.id, WHERE, found.runtime.id, tp=tp, pp=pp) for tp, pp in splits
    ]
    return [a for a in asked if a.tier is FitTier.COMFORTABLE]


def users(found: Assessment, context: int) -> int:
    assert found.limits is not None
    assert found.plan is not None
    return found.limits.sequences_at[context] * found.plan.replicas


def test_the_largest_model_is_a_fact_beside_the_answers_and_the_next_is_smaller(
    close: ComboSurvey,
) -> None:
    answer = only(close, AnswerGoal.PARAMETERS)
    assert answer.best.assessment is close.largest_single_model
    assert answer.scope is Scope.EVERY_MODEL
    assert answer.best.assessment.model.id == "llama70"
    assert answer.runner_up is not None
    assert answer.runner_up.assessment.model.id == "qwen3_30"
    assert answer.best.amount.mid > answer.runner_up.amount.mid
    assert answer.models == 3


def test_without_ratings_the_largest_leads_and_every_comfortable_model_is_compared(
    unrated: ComboSurvey,
) -> None:
    assert unrated.uses == ()
    assert unrated.lead == unrated.largest_single_model
    assert only(unrated, AnswerGoal.ONE_STREAM).models == 3
    assert not [a for a in unrated.answers if a.goal is AnswerGoal.SMALL]


def test_the_fastest_stream_is_that_of_the_best_plan_asked_for_by_hand(
    unrated: ComboSurvey,
) -> None:
    answer = only(unrated, AnswerGoal.ONE_STREAM)
    for standing in (answer.best, answer.runner_up):
        assert standing is not None
        speeds = [a.speed.single_tokens_per_s.mid for a in by_hand(standing.assessment) if a.speed]
        assert standing.amount.mid == pytest.approx(max(speeds))
    assert answer.runner_up is not None
    assert answer.best.amount.mid > answer.runner_up.amount.mid


def test_a_model_whose_speed_nobody_can_estimate_is_not_the_fastest(unrated: ComboSurvey) -> None:
    found = only(unrated, AnswerGoal.ONE_STREAM).best.assessment
    assert found.best is not None
    slow = replace(found, best=replace(found.best, one_stream=None))
    engine = FitEngine(replace(small_catalog(*MODELS), combos={WHERE.id: WHERE}))
    for picks, fastest in (([found], True), ([slow, replace(found, best=None)], False)):
        answers = combo_answers(engine, WHERE, picks).goals
        assert (AnswerGoal.ONE_STREAM in {one.goal for one in answers}) == fastest


def test_most_users_are_those_of_the_best_plan_asked_for_by_hand(unrated: ComboSurvey) -> None:
    for goal, context in ((AnswerGoal.USERS_8K, 8_192), (AnswerGoal.USERS_32K, 32_768)):
        answer = only(unrated, goal)
        counts = [users(a, context) for a in by_hand(answer.best.assessment)]
        assert len(counts) > 1
        assert answer.best.amount.mid == max(counts)
        assert answer.runner_up is not None
        assert answer.runner_up.amount.mid < max(counts)


def test_the_longest_context_is_that_of_the_best_plan_asked_for_by_hand(
    unrated: ComboSurvey,
) -> None:
    answer = only(unrated, AnswerGoal.LONGEST_CONTEXT)
    reached = [a.limits.max_context_tokens for a in by_hand(answer.best.assessment) if a.limits]
    assert answer.best.amount.mid == max(reached)


def test_goals_are_answered_by_good_models_alone(close: ComboSurvey) -> None:
    """The model of 8 B is the fastest of all and 32 points below the best."""
    fastest = only(close, AnswerGoal.ONE_STREAM)
    assert fastest.scope is Scope.GOOD
    assert fastest.models == 2
    for goal in (AnswerGoal.ONE_STREAM, AnswerGoal.USERS_8K, AnswerGoal.LONGEST_CONTEXT):
        answer = only(close, goal)
        assert answer.best.assessment.model.id in {"qwen3_30", "llama70"}
    assert close.aggregate_serving is not None
    assert close.aggregate_serving == only(close, AnswerGoal.USERS_8K).best.assessment


def test_the_best_small_model_is_the_best_rated_of_few_parameters(close: ComboSurvey) -> None:
    """A mixture of 30 B is no small model, however few of its parameters are used at a time."""
    answer = only(close, AnswerGoal.SMALL)
    assert answer.scope is Scope.SMALL
    assert answer.best.assessment.model.id == "llama8"
    assert answer.best.amount.mid == pytest.approx(30.0)
    assert answer.models == 1
    bare = with_ratings({"qwen3_30": 60.0, "llama70": 62.0})
    assert not [a for a in bare.answers if a.goal is AnswerGoal.SMALL]


def test_an_answer_fits_comfortably_and_its_runner_up_is_another_model(
    close: ComboSurvey, unrated: ComboSurvey
) -> None:
    for answer in (*close.answers, *unrated.answers):
        assert answer.best.assessment.tier is FitTier.COMFORTABLE
        second = answer.runner_up
        if second is not None:
            assert second.assessment.model.id != answer.best.assessment.model.id


def test_of_models_that_hold_as_many_users_the_one_that_gives_them_more_serves() -> None:
    """A Mac holds 64 users of either, where counting ends; what is slower alone gives more."""
    found = surveyed(combo("apple-m5-ultra", unified_gib=256), "llama8", "qwen3_30")
    answer = next(one for one in found.answers if one.goal is AnswerGoal.USERS_8K)
    second = answer.runner_up
    assert second is not None
    assert answer.best.amount == second.amount
    first, other = answer.best.assessment.speed, second.assessment.speed
    assert first is not None
    assert other is not None
    assert first.aggregate_tokens_per_s.mid > other.aggregate_tokens_per_s.mid
    assert first.single_tokens_per_s.mid != other.single_tokens_per_s.mid


def test_without_a_comfortable_model_only_the_largest_that_may_run_is_named() -> None:
    tight = surveyed(combo("rtx-3060-12gb", ram_gib=64), "qwen3_30")
    (answer,) = tight.answers
    assert answer.goal is AnswerGoal.PARAMETERS
    assert answer.best.assessment.tier is FitTier.BORDERLINE
    assert surveyed(combo("rtx-3060-12gb"), "dsv3").answers == ()


def test_many_users_are_served_inside_a_machine_where_a_replica_fits_there() -> None:
    """8 B on four nodes: a plan over the network holds more users, and is not chosen."""
    nodes = combo("rtx-4090", "rtx-4090", nodes=4, link="pcie-4-x16", network="ethernet-100g")
    serving = surveyed(nodes, "llama8").aggregate_serving
    assert serving is not None
    assert serving.plan is not None
    assert serving.best is not None
    _, most = serving.best.users[8_192]
    assert len({node for node, _ in most.ranks}) == 4
    assert len({node for node, _ in serving.plan.ranks}) == 1
    assert serving.plan.replicas * len(serving.plan.ranks) == 8


def test_of_models_about_as_fast_the_best_rated_is_the_fastest_good_model() -> None:
    """Qwen3.6 35B A3B writes 52 tok/s, Ling 3.0 flash 48, and is rated 3 points higher."""
    survey = whole_survey("1x-dgx-spark")
    (found,) = [one for one in survey.answers if one.goal is AnswerGoal.ONE_STREAM]
    assert found.runner_up is not None
    assert found.runner_up.amount.mid > found.best.amount.mid > 0.9 * found.runner_up.amount.mid
    ratings = whole_engine().ratings
    best, second = (
        ratings.of(Use.OVERALL, one.assessment.model.id) for one in (found.best, found.runner_up)
    )
    assert best is not None
    assert second is not None
    assert best.points.mid > second.points.mid + 3
