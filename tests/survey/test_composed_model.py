"""One model on a composed build: losses and other checkpoints, as a combo's page has them."""

from __future__ import annotations

import pytest

from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.site.composed_address import read_state
from sitegen.survey.answers import FailureKind
from sitegen.survey.composed_build import BuildQuestion, combo_of, verdict_of
from sitegen.survey.composed_model import after_losses, other_ways, worst_first
from tests.survey.whole_catalog import whole_engine, whole_survey

ASKED = BuildQuestion(8_192)
MIXED = "#machine=1;rtx-4090*1+rtx-3060-12gb*2;;64;;linux&machine=1;rtx-3090*1;;64;;linux"


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return whole_engine()


def verdict(engine: FitEngine, combo: str, model: str) -> Assessment:
    catalog = engine.catalog
    found = verdict_of(engine, catalog.combos[combo], catalog.models[model], ASKED)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["2x-rtx-3090-pcie", "2-nodes-2x-rtx-3090-10g"])
def test_what_a_loss_leaves_is_what_the_page_of_the_combo_says(
    engine: FitEngine, name: str
) -> None:
    survey = whole_survey(name)
    compared = 0
    for row in survey.rows:
        for one in after_losses(engine, row.pick, ASKED):
            key = (one.lost.kind, one.lost.node, one.lost.gpu_ids)
            of_page = next(o for o in survey.losses if (o.kind, o.node, o.gpu_ids) == key)
            dropped = {drop.model.id: drop.after for drop in of_page.drops}
            assert one.tier is dropped.get(row.model.id, row.tier)
            compared += 1
    assert compared > len(survey.losses)


def test_gpus_come_before_machines_and_the_worst_of_several_is_marked(engine: FitEngine) -> None:
    catalog = engine.catalog
    combo = combo_of(catalog, read_state(MIXED, catalog).build)
    whole = verdict_of(engine, combo, catalog.models["qwen3.6-35b-a3b"], ASKED)
    assert whole is not None
    found = worst_first(tuple(after_losses(engine, whole, ASKED)))
    kinds = [one.lost.kind for one in found]
    assert kinds == [FailureKind.GPU, FailureKind.GPU, FailureKind.NODE, FailureKind.NODE]
    assert [one.worst for one in found] == [True, False, True, False]
    assert RANK[found[0].tier] >= RANK[found[1].tier]
    assert all(RANK[one.tier] >= RANK[whole.tier] for one in found)


def test_one_gpu_leaves_nothing_and_what_does_not_run_is_not_judged_again(
    engine: FitEngine,
) -> None:
    assert list(after_losses(engine, verdict(engine, "1x-rtx-3090", "qwen3-8b"), ASKED)) == []
    refused = verdict(engine, "2x-rtx-3090-pcie", "deepseek-r1")
    assert refused.tier is FitTier.NOT_PRACTICAL
    assert list(after_losses(engine, refused, ASKED)) == []


def test_other_ways_are_those_that_the_survey_compared(engine: FitEngine) -> None:
    survey = whole_survey("1x-rtx-3090")
    row = next(row for row in survey.rows if row.model.id == "qwen3-32b")
    ways = list(other_ways(engine, row.pick, ASKED))
    shown = (row.pick.checkpoint.id, row.pick.runtime.id)
    keys = [(one.checkpoint.id, one.runtime.id) for one in ways]
    assert shown not in keys
    assert len(set(keys)) == len(keys)
    tiers = {(one.checkpoint.id, one.runtime.id): one.tier for one in ways}
    assert row.others
    for outcome in row.others:
        assert tiers[outcome.checkpoint.id, outcome.runtime.id] is outcome.tier


def test_a_context_beyond_the_model_has_no_other_way(engine: FitEngine) -> None:
    catalog = engine.catalog
    combo, model = catalog.combos["1x-rtx-3090"], catalog.models["qwen3-32b"]
    asked = BuildQuestion(1_048_576)
    whole = verdict_of(engine, combo, model, asked)
    assert whole is not None
    assert list(other_ways(engine, whole, asked)) == []
