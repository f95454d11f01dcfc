"""What the page of a composed build says of an opened model: commands, losses, other ways."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.browser.html import commands_html, losses_html, others_html
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.recipes import recipes_for
from sitegen.render.cells import text
from sitegen.site.reports.opened_model import commands, losses, others
from sitegen.survey.composed_build import BuildQuestion, verdict_of
from sitegen.survey.composed_model import after_losses, other_ways
from tests.survey.whole_catalog import whole_engine

ASKED = BuildQuestion(8_192)


@pytest.fixture(scope="module")
def engine() -> FitEngine:
    return whole_engine()


def verdict(engine: FitEngine, combo: str, model: str, runtime: str = "") -> Assessment:
    catalog = engine.catalog
    asked = replace(ASKED, runtime=runtime)
    found = verdict_of(engine, catalog.combos[combo], catalog.models[model], asked)
    assert found is not None
    return found


def test_every_recipe_of_the_verdict_is_shown_folded(engine: FitEngine) -> None:
    found = verdict(engine, "2x-rtx-4090", "qwen3-8b", "vllm")
    shown = commands(found)
    assert shown is not None
    assert [one.steps for one in shown.recipes] == [one.steps for one in recipes_for(found)]
    assert len(shown.recipes) > 1
    assert not any(one.open for one in shown.recipes)
    assert "There are several ways" in commands_html(shown)


def test_what_does_not_run_has_no_commands_and_no_losses(engine: FitEngine) -> None:
    found = verdict(engine, "2x-rtx-3090-pcie", "deepseek-r1")
    assert found.tier is FitTier.NOT_PRACTICAL
    assert commands_html(commands(found)) == ""
    assert losses_html(losses(found, (), engine.catalog)) == ""


def test_a_runtime_without_a_form_is_said_in_words(engine: FitEngine) -> None:
    found = verdict(engine, "1x-rtx-3090", "qwen3-8b")
    shown = commands(replace(found, runtime=replace(found.runtime, id="other", name="Other")))
    assert shown is not None
    assert shown.none is not None
    assert text(shown.none) == "We have no recipe yet for running Other on one GPU."
    assert "<details" not in commands_html(shown)


def test_a_single_gpu_that_is_lost_leaves_nothing(engine: FitEngine) -> None:
    found = verdict(engine, "1x-rtx-3090", "qwen3-8b")
    shown = losses_html(losses(found, tuple(after_losses(engine, found, ASKED)), engine.catalog))
    assert "The machine has one GPU. If it fails, nothing runs." in shown
    assert "<table" not in shown


def test_losses_stand_beside_the_whole_build(engine: FitEngine) -> None:
    found = verdict(engine, "2-nodes-2x-rtx-3090-10g", "qwen3-32b")
    shown = losses(found, tuple(after_losses(engine, found, ASKED)), engine.catalog)
    assert shown is not None
    assert shown.table is not None
    assert [text(row.cells[0]).split(" ")[0] for row in shown.table.rows] == [
        "Nothing",
        "One",
        "One",
    ]
    assert shown.about.startswith("We assess the model again")


def test_other_ways_come_best_first_and_the_rest_by_name(engine: FitEngine) -> None:
    found = verdict(engine, "1x-rtx-3090", "qwen3-32b")
    ways = tuple(other_ways(engine, found, ASKED))
    shown = others(ways)
    assert shown is not None
    assert shown.rest is not None
    running = [one for one in ways if one.tier is not FitTier.NOT_PRACTICAL]
    assert len(shown.table.rows) == len(running) > 0
    for one in ways:
        if one.tier is FitTier.NOT_PRACTICAL:
            assert one.runtime.name in text(shown.rest)
    assert "not practical" in others_html(shown)
    assert others(()) is None
    assert others_html(None) == ""
