"""What combo pages show of recipes, and that their twins hold the same text."""

from __future__ import annotations

import json
from html import unescape

from sitegen.site.recipes import recipe_groups, written
from tests.render.built import files, tree
from tests.site.fabricated import FOUR_BY_TWO, SINGLE, SURVEY

PAGE = f"combos/{FOUR_BY_TWO.id}/index.html"


def test_the_first_recipe_is_open_and_every_anchor_is_its_own() -> None:
    groups = recipe_groups(written(SURVEY.combos[FOUR_BY_TWO.id]))
    views = [view for group in groups for view in group.recipes]
    assert [view.open for view in views] == [True] + [False] * (len(views) - 1)
    assert len({view.id for view in views}) == len(views)
    assert groups[0].heading.startswith("The largest single model: ")


def test_a_combo_on_which_nothing_runs_has_no_section() -> None:
    assert written(SURVEY.combos[SINGLE.id]) == ()
    assert b'id="run"' not in files()[f"combos/{SINGLE.id}/index.html"]


def test_the_page_and_its_twin_hold_the_same_commands() -> None:
    blocks = [one for one in tree(PAGE).iter("div") if one.get("class") == "code"]
    shown = ["".join(map(str, pre.itertext())) for block in blocks for pre in block.iter("pre")]
    twin = json.loads(files()[PAGE.replace("index.html", "index.json")])["result"]
    steps = [step for recipe in twin["recipes"] for step in recipe["steps"]]
    assert [unescape(text).rstrip("\n") for text in shown] == [step["text"] for step in steps]
    versions = {recipe["options_read_in"]["version"] for recipe in twin["recipes"]}
    assert versions
    assert all(versions)
