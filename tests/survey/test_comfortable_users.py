"""What a buyer is told to be comfortable is what a question about that many users answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.survey.comfortable_users import comfortable_users
from sitegen.survey.verdict_policy import answered, reference_question
from tests.survey.whole_catalog import whole_catalog

BUILDS = [("1x-rtx-4080", "gemma-4-26b-a4b-it"), ("1x-rtx-3090", "qwen3.6-35b-a3b"),
          ("1x-rtx-4090", "qwen3-8b"), ("1x-dgx-spark", "gpt-oss-120b")]  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return FitEngine(whole_catalog())


def tier(engine: FitEngine, found: Assessment, context: int, users: int) -> FitTier:
    profile = profile_of(found.runtime)
    assert profile is not None
    workload = replace(found.workload, context_tokens=context, sequences=users)
    request = FitRequest(
        found.model, found.checkpoint, found.combo, found.runtime, profile, workload,
        settings=found.settings,
    )  # fmt: skip
    return assess(engine, request).tier


@pytest.mark.parametrize(("combo", "model"), BUILDS)
def test_so_many_users_are_comfortable_and_one_more_is_not(
    engine: FitEngine, combo: str, model: str
) -> None:
    catalog = engine.catalog
    question = reference_question(engine, catalog.combos[combo], catalog.models[model])
    found = answered(engine, question, cured=False)
    assert found is not None
    counted = comfortable_users(engine, found)
    assert counted
    for context, users in counted.items():
        if 0 < users <= 64:
            assert tier(engine, found, context, users) is FitTier.COMFORTABLE
        if users < 64:
            assert tier(engine, found, context, users + 1) is not FitTier.COMFORTABLE


def test_a_context_that_fits_but_not_comfortably_is_not_sold(engine: FitEngine) -> None:
    """Gemma 4 26B was sold on 16 GB for 32,768 tokens, which its page called borderline."""
    catalog = engine.catalog
    combo, model = catalog.combos["1x-rtx-5080"], catalog.models["gemma-4-26b-a4b-it"]
    found = answered(engine, reference_question(engine, combo, model), cured=False)
    assert found is not None
    assert found.limits is not None
    assert found.limits.max_context_tokens > 32_768
    assert comfortable_users(engine, found)[32_768] == 0
