"""What the page of comparisons loads of each machine: the figures that its own page shows."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

from sitegen.catalog.domain.hardware import Price, PriceKind
from sitegen.render.beside import beside_data
from sitegen.site.combo.comparison import compared_models
from tests.render.built import files
from tests.site.fabricated import (
    FOUR_BY_TWO,
    HUGE,
    LARGE,
    MAC,
    SINGLE,
    SMALL,
    SOURCES,
    SURVEY,
    inputs,
)

MODELS = compared_models(inputs())


def test_models_stand_in_the_order_of_the_page() -> None:
    assert MODELS == (HUGE, LARGE, SMALL)
    assert beside_data(SURVEY.combos[MAC.id], MODELS)["tiers"] == "nbc"


def test_a_model_that_is_not_judged_has_no_letter_of_a_tier() -> None:
    survey = SURVEY.combos[SINGLE.id]
    found = beside_data(replace(survey, rows=survey.rows[:1]), MODELS)
    assert found["tiers"] == "--b"
    assert len(found["one"]) == len(found["file"]) == 1


def test_figures_are_those_of_what_runs_as_pages_print_them() -> None:
    found = beside_data(SURVEY.combos[FOUR_BY_TWO.id], MODELS)
    assert found["tiers"] == "ncc"
    assert found["one"] == [[18, 21, 25]] * 2
    assert found["all"] == [380] * 2
    assert found["context"] == [93_456] * 2
    assert found["users"] == [["24", "6"]] * 2
    assert found["files"] == ["Q4_K_M in vLLM, TP 2 × PP 2, 2 replicas"]
    assert found["file"] == [0, 0]
    assert found["lead"] == LARGE.id
    assert found["facts"][0] == ["192\xa0GiB"]


def test_a_borderline_model_shows_the_users_of_its_own_plan() -> None:
    found = beside_data(SURVEY.combos[MAC.id], MODELS)
    assert found["users"] == [["11", "2"], ["24", "6"]]


def test_a_short_context_has_no_users_of_a_longer_one() -> None:
    survey = SURVEY.combos[MAC.id]
    (small, *rest) = survey.rows
    short = replace(small, pick=replace(small.pick, model=replace(SMALL, context_tokens=16_384)))
    found = beside_data(replace(survey, rows=(short, *rest)), MODELS)
    assert found["users"][1] == ["24", ""]


def test_a_file_that_can_be_read_along_leaves_a_slower_one_and_says_so() -> None:
    survey = SURVEY.combos[MAC.id]
    (small, *rest) = survey.rows
    found = beside_data(survey, MODELS)
    assert found["slower"] == {}
    fast = replace(small.pick, checkpoint=replace(small.pick.checkpoint, id="fast"))
    rows = (replace(small, read_along=fast), *rest)
    found = beside_data(replace(survey, rows=rows), MODELS)
    (at,) = found["slower"]
    assert "(fast)" in found["files"][found["file"][at]]
    assert found["slower"][at] == "Q4_K_M loses less quality but generates only 21\xa0tok/s."


def test_power_says_what_it_is_of() -> None:
    assert beside_data(SURVEY.combos[FOUR_BY_TWO.id], MODELS)["facts"][2] == [
        "3,600\xa0W",
        "GPUs only",
    ]


def test_prices_are_compared_only_where_somebody_saw_them() -> None:
    survey = SURVEY.combos[SINGLE.id]
    assert beside_data(survey, MODELS)["usd"] is None  # known at launch alone
    (node,) = survey.combo.nodes
    price = Price(PriceKind.USED, Decimal(250), "USD", "2026-09", None, SOURCES[0])
    gpu = replace(node.gpus[0], gpu=replace(node.gpus[0].gpu, prices=(price,)))
    seen = replace(survey.combo, nodes=(replace(node, gpus=(gpu,)),))
    assert beside_data(replace(survey, combo=seen), MODELS)["usd"] == 250


def test_every_machine_has_a_script_of_one_value() -> None:
    for id_ in SURVEY.combos:
        text = files()[f"assets/beside/{id_}.js"].decode()
        start = f'(self.sitegenBeside ??= {{}})["{id_}"] = '
        assert json.loads(text.removeprefix(start).removesuffix(";\n"))["tiers"]
