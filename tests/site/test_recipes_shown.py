"""What combo pages show of recipes, and that their twins hold the same text."""

from __future__ import annotations

import json
from dataclasses import replace
from html import unescape

from sitegen.recipes.recipe import Phase
from sitegen.render.recipes import recipes_html
from sitegen.site.combo.recipes import RecipeGroup, recipe_groups, written
from tests.render.built import files, parse, tree, words
from tests.site.fabricated import FOUR_BY_TWO, SINGLE, SURVEY

PAGE = f"combos/{FOUR_BY_TWO.id}/index.html"
COMMANDS = PAGE.replace("index.html", "recipes/index.html")


def test_the_first_recipe_is_open_and_every_anchor_is_its_own() -> None:
    groups = recipe_groups(written(SURVEY.combos[FOUR_BY_TWO.id]))
    views = [view for group in groups for view in group.recipes]
    assert [view.open for view in views] == [True] + [False] * (len(views) - 1)
    assert len({view.id for view in views}) == len(views)
    assert groups[0].heading == "Best overall: Large 70B"


def test_a_combo_on_which_nothing_runs_has_no_section() -> None:
    assert written(SURVEY.combos[SINGLE.id]) == ()
    assert f"combos/{SINGLE.id}/recipes/index.html" not in files()
    assert b"recipes/" not in files()[f"combos/{SINGLE.id}/index.html"]


def test_the_page_and_its_twin_hold_the_same_commands() -> None:
    blocks = [one for one in tree(COMMANDS).iter("div") if one.get("class") == "code"]
    shown = ["".join(map(str, pre.itertext())) for block in blocks for pre in block.iter("pre")]
    twin = json.loads(files()[PAGE.replace("index.html", "index.json")])["result"]
    steps = [step for recipe in twin["recipes"] for step in recipe["steps"]]
    # Behind them stand the commands of further answers, which the twin names by their models.
    listed = [unescape(text).rstrip("\n") for text in shown][: len(steps)]
    assert listed == [step["text"] for step in steps]
    versions = {recipe["options_read_in"]["version"] for recipe in twin["recipes"]}
    assert versions
    assert all(versions)


def section(*groups: RecipeGroup) -> str:
    """What a page writes of some recipes."""
    return recipes_html(groups, "/x/")


def test_a_page_says_to_choose_a_runtime_where_any_answer_has_several() -> None:
    found = recipe_groups(written(SURVEY.combos[FOUR_BY_TWO.id]))
    several = next(group for group in found if len(group.recipes) > 1)
    one = replace(several, id="one", recipes=several.recipes[:1])
    said = "Each runtime has its own commands"
    assert said in section(several, one)
    assert said in section(one, several)
    assert said not in section(one)


def test_another_way_to_start_says_for_which_machine_it_is() -> None:
    group = recipe_groups(written(SURVEY.combos[FOUR_BY_TWO.id]))[0]
    step = replace(group.recipes[0].steps[0], phase=Phase.INSTEAD, where="node 1 (head)")
    recipe = replace(group.recipes[0], steps=(step,))
    page = "<!doctype html><title>x</title>" + section(replace(group, recipes=(recipe,)))
    heads = [words(one) for one in parse(page.encode()).iter("summary")]
    assert heads[1] == f"{step.title} · run this on node 1 (head)"
