"""As many users are counted as a question about so many answers at reading speed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.render.cells import text
from sitegen.site.combo.cards import READERS, SERVING, answer_cards, run_words
from sitegen.survey.answers import Answer, AnswerGoal
from sitegen.survey.reading_users import reading_users
from sitegen.survey.verdict_policy import answered, reference_question
from tests.cli.small_project import run
from tests.survey.whole_catalog import ROOT, whole_engine, whole_survey

LEAST = 10.0
"""Tokens/s, as `catalog/assumptions/answer-speed-tokens-per-s.yaml` has it."""
SLOW = [("1x-dgx-spark", "qwen3.6-35b-a3b"), ("1x-dgx-spark", "muse-glimmer-30b"),
        ("mac-mini-m4-pro-64gb", "qwen3.6-35b-a3b")]  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return whole_engine()


def for_many(engine: FitEngine, combo: str, model: str) -> Assessment:
    catalog = engine.catalog
    asked = reference_question(
        engine, catalog.combos[combo], catalog.models[model], PlanGoal.THROUGHPUT
    )
    found = answered(engine, replace(asked, read_along=True))
    assert found is not None
    return found


def with_users(engine: FitEngine, found: Assessment, users: int) -> Assessment:
    """Ask about so many sequences on the same plan, as ``sitegen fit --sequences`` does."""
    profile = profile_of(found.runtime)
    assert profile is not None
    request = FitRequest(
        found.model, found.checkpoint, found.combo, found.runtime, profile,
        replace(found.workload, sequences=users), settings=found.settings,
        goal=PlanGoal.THROUGHPUT,
    )  # fmt: skip
    asked = assess(engine, request)
    assert asked.plan == found.plan
    return asked


def each(found: Assessment) -> float:
    assert found.speed is not None
    return found.speed.each_tokens_per_s.mid


@pytest.mark.parametrize(("combo", "model"), SLOW)
def test_so_many_users_read_along_and_one_more_does_not(
    engine: FitEngine, combo: str, model: str
) -> None:
    found = for_many(engine, combo, model)
    served = reading_users(engine, found, 8_192)
    assert served is not None
    assert found.limits is not None
    assert 2 <= served.count < found.limits.sequences_at[8_192]
    enough, more = (with_users(engine, found, served.count + one) for one in (0, 1))
    assert each(enough) >= LEAST > each(more)
    assert enough.speed is not None
    assert served.speed.each_tokens_per_s == enough.speed.each_tokens_per_s
    assert served.speed.batch == enough.speed.batch


def test_where_all_that_fit_read_along_memory_counts_them(engine: FitEngine) -> None:
    found = for_many(engine, "1x-rtx-3090", "qwen3.6-35b-a3b")
    served = reading_users(engine, found, 8_192)
    assert served is not None
    assert found.best is not None
    assert served.count == found.best.users[8_192][0]
    assert each(found) > LEAST


def test_nobody_is_counted_where_one_user_alone_waits(engine: FitEngine) -> None:
    """Qwen3.8 27B in the file that loses least writes 9.8 tok/s on a DGX Spark."""
    catalog = engine.catalog
    asked = reference_question(
        engine, catalog.combos["1x-dgx-spark"], catalog.models["qwen3.8-27b"]
    )
    found = answered(engine, asked)
    assert found is not None
    assert found.speed is not None
    assert found.speed.single_tokens_per_s.mid < LEAST
    assert reading_users(engine, found, 8_192) is None


def test_a_slow_machine_serves_with_the_model_that_more_users_read_along() -> None:
    """On a DGX Spark Muse Glimmer holds 256 contexts, and answers 13 users at reading speed."""
    survey = whole_survey("1x-dgx-spark")
    answer = _most_users(survey.answers)
    assert answer.best.assessment.model.id == "qwen3.6-35b-a3b"
    assert survey.aggregate_serving == answer.best.assessment
    for standing in (answer.best, answer.runner_up):
        assert standing is not None
        assert each(standing.assessment) >= LEAST


def test_of_models_that_serve_about_as_many_the_better_rated_one_answers() -> None:
    """Eight RTX 3090 answer as many users with Qwen3.6 27B and with 3.8, which is rated higher."""
    answer = _most_users(whole_survey("8x-rtx-3090").answers)
    assert answer.best.assessment.model.id == "qwen3.8-27b"
    assert answer.runner_up is not None
    assert answer.runner_up.amount.mid <= answer.best.amount.mid / 0.9


def _most_users(answers: tuple[Answer, ...]) -> Answer:
    (found,) = [one for one in answers if one.goal is AnswerGoal.USERS_8K]
    return found


@pytest.mark.parametrize(("users", "model"), [(4, "qwen3.8-27b"), (16, "gemma-4-26b-a4b-it")])
def test_each_of_the_users_asked_for_reads_along(users: int, model: str) -> None:
    """The best rated model gives sixteen users of a DGX Spark 8 tok/s each."""
    words = ("--best", "overall", "--gpu", "dgx-spark:1", "--users", str(users), "--json")
    found = json.loads(run("--root", ROOT, "fit", *words).out)["best"][0]["assessment"]
    assert found["model"] == model
    assert found["workload"]["sequences"] == users


@pytest.mark.parametrize("combo", ["4x-dgx-spark", "1x-dgx-spark"])
def test_the_card_for_many_users_has_their_plan_and_their_speed(combo: str) -> None:
    """Qwen3.8 27B codes on all four GPUs of one of these, and serves as two copies."""
    survey = whole_survey(combo)
    serving = survey.aggregate_serving
    assert serving is not None
    assert serving.plan is not None
    (card,) = [one for one in answer_cards(survey, ()) if SERVING in one.best_for]
    assert card.run == run_words(serving)
    users = f"{_most_users(survey.answers).best.amount.mid:.0f}"
    named = dict(card.figures)
    assert text(named[READERS]) == f"{users} users"
    assert f"Speed, each of {users} users" in named
