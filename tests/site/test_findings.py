"""What combo pages and the page of opportunities say of answers, losses and doubts."""

from __future__ import annotations

from sitegen.fit.open_verdict import ToMeasure, Uncertain
from sitegen.render.cells import text
from sitegen.render.data.grids import short_names
from sitegen.site.combo.benchmark_priorities import (
    URL,
    combo_table,
    machine_words,
    measure_words,
    measurements_table,
)
from sitegen.site.combo.failures import losses_table
from sitegen.site.combo.goal_table import goals_table
from sitegen.site.combo.uses import uses_table
from sitegen.site.pages.opportunities import pages
from sitegen.site.table import Table
from sitegen.site.tables.combos import effective_table
from sitegen.survey.benchmark_priorities import opportunities
from tests.site.fabricated import CATALOG, FOUR_BY_TWO, MAC, MIXED, SINGLE, SURVEY, inputs


def cells(table: Table, row: int) -> list[str]:
    return [text(cell) for cell in table.rows[row].cells]


def test_each_goal_has_its_plan_its_number_its_reason_and_the_next_best() -> None:
    table = goals_table(SURVEY.combos[FOUR_BY_TWO.id])
    assert table is not None
    fastest, users, users_32k, longest, small, largest = (cells(table, n) for n in range(6))
    assert fastest[0] == "Fastest good model for one user"
    assert fastest[4] == "The only good model that fits comfortably."
    assert fastest[5] == "nothing else fits comfortably"
    assert users[3] == "24 users"
    assert "8 replicas, one GPU each" in users[2]  # the plan that holds them, not that of the pick
    assert users[4] == "Serves the most users of the 2 good models that fit comfortably."
    assert "Large 70B" in users[5]
    assert "9 users" in users[5]
    assert users_32k[3] == "1 user"
    assert longest[3].replace("\xa0", " ") == "93,456 tokens"
    assert small[3] == "61 points"
    assert small[4] == "The only small model that is rated and fits comfortably."
    assert largest[0] == "Largest model that fits"
    assert largest[3].startswith("70")
    assert "Larger does not mean better" in largest[4]
    assert "Small 8B" in largest[5]


def test_each_use_names_the_first_of_its_tier_and_the_models_that_are_as_good() -> None:
    table = uses_table(SURVEY.combos[FOUR_BY_TWO.id].uses)
    assert table is not None
    general, coding = (cells(table, n) for n in range(2))
    assert general[0] == "Overall 2 rated models fit"
    assert general[1] == "Large 70B Q4_K_M"
    assert general[3] == "66 ± 6"
    assert general[7] == "Small 8B 65 ± 6"
    assert coding[7] == "None"
    assert uses_table(SURVEY.combos[SINGLE.id].uses) is None


def test_a_combo_on_which_nothing_fits_has_no_table_of_goals() -> None:
    assert goals_table(SURVEY.combos[SINGLE.id]) is None


def test_a_loss_stands_beside_the_whole_combo_with_what_takes_the_place_of_the_lost_model() -> None:
    table = losses_table(SURVEY.combos[FOUR_BY_TWO.id], CATALOG)
    assert table is not None
    whole, gpu, _, node = (cells(table, n) for n in range(4))
    assert whole[:4] == ["Nothing", "2", "0", "1"]
    assert gpu[1:4] == ["1", "0", "2"]
    assert "One RTX 4090 one of 2 identical GPUs" in gpu[0]
    assert "worst case" in gpu[0]
    assert "Large 70B" in gpu[4]
    assert "Instead: Small 8B" in gpu[4]
    assert "The same model" in gpu[5]
    assert "1 no longer fit comfortably" in gpu[6]
    assert "2 × RTX 4090" in node[0]
    assert losses_table(SURVEY.combos[MAC.id], CATALOG) is None


def test_a_measurement_is_named_by_what_it_depends_on() -> None:
    pooled = ToMeasure(
        Uncertain.RUNTIME_OVERHEAD, "vllm", "0.19", (("rtx-4090", 2),), 2, 1, "pcie-4-x16"
    )
    words = text(measure_words(pooled, CATALOG))
    assert words == "runtime overhead with vLLM 0.19, TP 2 on 2 × RTX 4090 over PCIe 4.0 x16"
    kept = ToMeasure(Uncertain.RESERVED, gpus=(("m3-ultra", 0),))
    assert text(measure_words(kept, CATALOG)) == "memory reserved by the system on the M3 Ultra"
    file = ToMeasure(Uncertain.WEIGHTS, "vllm", "0.19", (), 1, 1, "", "small-8b", "q4-k-m")
    assert text(measure_words(file, CATALOG)).startswith("memory of the loaded weights of Small 8B")
    spread = ToMeasure(Uncertain.SPEED, "llama-cpp", "0.19", (("rtx-4090", 2),), 1, 1)
    assert (
        text(machine_words(spread, CATALOG))
        == "llama.cpp 0.19, layers split over 2 GPUs on 2 × RTX 4090"
    )


def test_a_combos_table_counts_what_a_measurement_settles_here_and_everywhere() -> None:
    everywhere = {
        one.measure: len(one.settles) + 3 for one in opportunities(SURVEY.combos.values())
    }
    here = opportunities([SURVEY.combos[SINGLE.id]])
    table = combo_table(here, everywhere, CATALOG)
    assert table is not None
    assert len(table.rows) == len(here) == 2
    assert cells(table, 0)[3] == "4"
    assert short_names(table.columns)[3] == "on_all_machines"  # as data.csv has always named it
    assert combo_table(opportunities([SURVEY.combos[MIXED.id]]), everywhere, CATALOG) is None


def test_the_memory_left_for_a_model_keeps_its_name_in_the_data() -> None:
    table = effective_table(SURVEY.combos[FOUR_BY_TWO.id], CATALOG)
    assert (table.columns[3].heading, short_names(table.columns)[3]) == (
        "Left for the model",
        "for_the_model",
    )


def test_the_page_of_opportunities_counts_the_verdicts_in_doubt_and_lists_each_measurement() -> (
    None
):
    (page,) = pages(inputs())
    found = opportunities(SURVEY.combos.values())
    assert page.url == URL
    assert page.total == len(found)
    in_doubt = [r for s in SURVEY.combos.values() for r in s.rows if r.open_verdict]
    assert in_doubt
    assert page.view.verdicts.value == len(in_doubt)  # type: ignore[attr-defined]  # the view is opaque
    assert len(measurements_table(found, CATALOG, id="x", caption="X").rows) == len(found)
