"""What rows may be chosen by, and combos side by side: values from the records, none computed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.fit.assessment import FitTier
from sitegen.site.cells import Absent, Lines, Link, NumberCell, Small, Unit
from sitegen.site.combo.comparison import Neighbours, comparison_table, machines_table
from sitegen.site.row_filters import (
    Bound,
    WordFilter,
    choosing_combos,
    choosing_gpus,
    choosing_models,
    combo_facets,
    gpu_facets,
    model_facets,
)
from sitegen.site.tables.combos import answer_model
from sitegen.site.urls import row_url, view_of
from sitegen.site.words.hardware import gpu_watts, most_watts, power_words
from sitegen.site.words.prices import build_usd
from sitegen.units import GIB
from tests.site import fabricated


def test_a_combo_is_chosen_by_vendor_links_memory_and_price() -> None:
    assert dict(combo_facets(fabricated.FOUR_BY_TWO)) == {
        "vendor": "nvidia",
        "link": "ethernet pcie",
        "vram": "192",
        "price": str(8 * 1_599),
    }
    assert dict(combo_facets(fabricated.SINGLE))["link"] == "none"


def test_one_price_that_nobody_recorded_leaves_the_sum_unknown() -> None:
    bare = replace(fabricated.RTX_3060, launch_price_usd=None, tdp_watts=None)
    mixed = fabricated.combo(
        "pair",
        "Pair",
        fabricated.node(fabricated.installed(fabricated.RTX_4090), fabricated.installed(bare)),
    )
    assert build_usd(mixed) is None
    assert gpu_watts(mixed) is None
    assert "price" not in dict(combo_facets(mixed))
    assert gpu_watts(fabricated.MIXED) == 900


def test_power_is_that_of_the_whole_machine_where_its_maker_says_it() -> None:
    mac = fabricated.MAC
    chip = replace(fabricated.M3_ULTRA, tdp_watts=180, segment="integrated")
    gpus = tuple(replace(gpu, gpu=chip) for gpu in mac.nodes[0].gpus)
    alone = replace(mac, nodes=(replace(mac.nodes[0], gpus=gpus),))
    whole = replace(alone, nodes=(replace(alone.nodes[0], max_watts=270),))
    two = replace(alone, nodes=(alone.nodes[0], whole.nodes[0]))
    assert power_words(alone) == Lines((NumberCell(180, Unit.WATTS), Small("chip only")))
    assert power_words(whole) == Lines((NumberCell(270, Unit.WATTS), Small("whole machine")))
    assert power_words(two) == Lines((NumberCell(360, Unit.WATTS), Small("chips only")))
    assert most_watts(whole) == 270
    assert gpu_watts(whole) == 180


def test_the_first_answer_opens_its_own_file_where_the_row_has_a_slower_one() -> None:
    survey = fabricated.SURVEY.combos[fabricated.FOUR_BY_TWO.id]
    assert survey.lead is not None
    (row,) = (one for one in survey.rows if one.model.id == survey.lead.model.id)
    apart = replace(survey, rows=(replace(row, read_along=survey.lead),))
    usual, other = answer_model(survey), answer_model(apart)
    assert isinstance(usual, Lines)
    assert isinstance(other, Lines)
    assert usual.lines[0] == Link(row_url(survey.combo.id, row.model.id), row.model.name)
    view = f"{view_of(survey.combo.id, row.model.id)}&for=answer"
    assert other.lines[0] == Link(view, row.model.name)


def test_controls_offer_what_rows_have_and_nothing_else() -> None:
    catalog = fabricated.CATALOG
    known = [(model, fabricated.FACTS[model.id]) for model in catalog.models.values()]
    for choosing, rows in (
        (choosing_combos(catalog.combos.values()), map(combo_facets, catalog.combos.values())),
        (choosing_gpus(catalog.gpus.values()), map(gpu_facets, catalog.gpus.values())),
        (choosing_models(known), (model_facets(*pair) for pair in known)),
    ):
        facets = [dict(row) for row in rows]
        for control in choosing.controls:
            had = {value for row in facets for value in row.get(control.name, "").split()}
            if isinstance(control, WordFilter):
                assert {value for value, _ in control.options} == had
            else:
                assert isinstance(control, Bound)
                assert all(float(value) >= 0 for value in had)


def test_a_chip_with_shared_memory_counts_at_the_most_it_is_sold_with() -> None:
    assert dict(gpu_facets(fabricated.M3_ULTRA))["vram"] == "256"


def test_a_row_of_the_comparison_has_the_values_of_the_survey() -> None:
    survey = fabricated.SURVEY.combos[fabricated.FOUR_BY_TWO.id]
    table = comparison_table([survey], fabricated.CATALOG)
    headings = [column.heading for column in table.columns]
    cells = dict(zip(headings, table.rows[0].cells, strict=True))
    assert len(cells) == len(headings)
    assert cells["Price"] == Lines((NumberCell(12_792, Unit.USD), Small("at launch")))
    assert cells["Power"] == Lines((NumberCell(3_600, Unit.WATTS), Small("GPUs only")))
    assert cells["Installed"] == NumberCell(192 * GIB, Unit.GIB)
    assert cells["Effective"] == NumberCell(44 * GIB, Unit.GIB)
    assert cells["Comfortable"] == NumberCell(len(survey.tier(FitTier.COMFORTABLE)), Unit.COUNT)


def test_a_machine_without_a_plan_says_none() -> None:
    survey = fabricated.SURVEY.combos[fabricated.SINGLE.id]
    none = replace(survey, effective_vram=(), largest_single_model=None)
    row = comparison_table([none], fabricated.CATALOG).rows[0]
    assert row.cells[6:9].count(Absent("none")) == 1


def test_the_page_shows_what_one_chooses_by_and_its_files_the_rest() -> None:
    surveys = list(fabricated.SURVEY.combos.values())
    shown, whole = machines_table(surveys), comparison_table(surveys, fabricated.CATALOG)
    assert (shown.in_files, whole.on_page) == (False, False)
    assert len(shown.rows) == len(whole.rows) == len(surveys)
    assert len(shown.columns) < len(whole.columns) / 2


@pytest.mark.parametrize("each", [1, 2])
def test_neighbours_are_other_combos_the_nearest_first(each: int) -> None:
    surveys = fabricated.SURVEY.combos.values()
    near = Neighbours(surveys)
    for survey in surveys:
        ids = [combo.id for combo in near.of(survey.combo, each)]
        assert survey.combo.id not in ids
        assert len(ids) == len(set(ids))
        assert each <= len(ids) <= 2 * each
    # 36 GiB lies nearest to 12 and 96 by ratio: 3 and 2.7 times.
    assert near.of(fabricated.MIXED)[0].id == fabricated.MAC.id
