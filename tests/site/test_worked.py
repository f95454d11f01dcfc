"""Recipes on pages of models and runtimes: chosen by their rule, the same in the twin."""

from __future__ import annotations

import json

from sitegen.fit.assessment import FitTier
from sitegen.recipes.recipe import Phase
from sitegen.site.combo.example_recipes import group, on_model, on_runtime
from sitegen.survey.results import ModelOnCombo
from tests.render.built import files, tree
from tests.site.fabricated import CATALOG, SURVEY


def rows(model: str) -> list[ModelOnCombo]:
    """Rows of a model, least memory first."""
    found = [r for c in SURVEY.combos.values() for r in c.rows if r.verdict.model.id == model]
    return sorted(found, key=lambda r: r.verdict.combo.installed_vram_bytes)


def test_each_runtime_that_is_picked_stands_once_on_its_least_combo() -> None:
    seen = 0
    for model in CATALOG.models:
        mine = rows(model)
        for recipe in on_model(mine):
            found, seen = recipe.assessment, seen + 1
            same = [
                row.pick
                for row in mine
                if row.pick.runtime.id == found.runtime.id and row.tier is FitTier.COMFORTABLE
            ]
            least = min(one.combo.installed_vram_bytes for one in same)
            assert found.combo.installed_vram_bytes == least
            assert found.tier is FitTier.COMFORTABLE
            assert all(step.phase is not Phase.INSTEAD for step in recipe.steps)
    assert seen


def blocks(path: str) -> list[str]:
    """Return the text of every block of code of a page."""
    found = (one for one in tree(path).iter("div") if one.get("class") == "code")
    return ["".join(map(str, pre.itertext())) for one in found for pre in one.iter("pre")]


def test_a_model_page_and_its_twin_hold_the_same_commands() -> None:
    checked = 0
    for model in CATALOG.models:
        page, part = f"models/{model}/index.html", f"models/{model}/recipes/index.html"
        twin = json.loads(files()[page.replace("index.html", "index.json")])["result"]
        shown = blocks(part) if part in files() else []
        steps = [step["text"] for recipe in twin["recipes"] for step in recipe["steps"]]
        assert [text.rstrip("\n") for text in shown] == steps
        assert bool(steps) is (b'id="run"' in files()[page])
        if steps:
            recipes = [one for one in tree(part).iter("details") if one.get("class") == "recipe"]
            lines = {one.get("id") for one in tree(page).iter("li")}
            assert {one.get("id") for one in recipes} <= lines
        start = twin["start"]
        assert blocks(page) == ([start["commands"]] if start else [])
        checked += bool(steps)
    assert checked


def test_a_runtime_shows_one_recipe_of_its_own_where_it_runs() -> None:
    shown = 0
    for runtime in CATALOG.runtimes.values():
        recipe = on_runtime(runtime, SURVEY)
        page = files()[f"runtimes/{runtime.id}/index.html"]
        assert page.count(b'<details class="recipe"') == (recipe is not None)
        if recipe is not None:
            shown += 1
            driven = runtime.drives or (runtime.id,)
            assert recipe.assessment.runtime.id in driven
            assert recipe.assessment.tier is FitTier.COMFORTABLE
    assert shown


def test_nothing_to_show_is_no_section() -> None:
    assert group("run-least", (), "") == ()
