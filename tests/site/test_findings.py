"""What combo pages and the page of opportunities say of answers, losses and doubts."""

from __future__ import annotations

from sitegen.engine.findings import ToMeasure, Uncertain
from sitegen.engine.opportunities import opportunities
from sitegen.render.cells import text
from sitegen.site.goals import goals_table
from sitegen.site.kinds.opportunities import pages
from sitegen.site.opportunities import (
    URL,
    combo_table,
    machine_words,
    measure_words,
    measurements_table,
)
from sitegen.site.resilience import losses_table
from sitegen.site.tables import Table
from tests.site.fabricated import CATALOG, FOUR_BY_TWO, MAC, MIXED, SINGLE, SURVEY, inputs


def cells(table: Table, row: int) -> list[str]:
    return [text(cell) for cell in table.rows[row].cells]


def test_each_goal_has_its_plan_its_number_its_reason_and_the_next_best() -> None:
    table = goals_table(SURVEY.combos[FOUR_BY_TWO.id])
    assert table is not None
    largest, fastest, users, class_users = (cells(table, n) for n in range(4))
    assert largest[0] == "Largest model"
    assert "70" in largest[3]
    assert "planned for the most room" in largest[4]
    assert "Small 8B" in largest[5]
    assert fastest[4] == "The only comfortable plan of the largest model."
    assert fastest[5] == "nothing else fits comfortably"
    assert users[3] == "22 users"
    assert users[4].startswith("Most full contexts at once of 3 comfortable plans")
    assert class_users[3] == "1 user"
    assert "2 models with at least 35" in class_users[4]


def test_a_combo_on_which_nothing_fits_has_no_table_of_goals() -> None:
    assert goals_table(SURVEY.combos[SINGLE.id]) is None


def test_a_loss_stands_beside_the_whole_combo_with_what_takes_the_place_of_the_lost_model() -> None:
    table = losses_table(SURVEY.combos[FOUR_BY_TWO.id], CATALOG)
    assert table is not None
    whole, gpu, _, node = (cells(table, n) for n in range(4))
    assert whole[:4] == ["Nothing", "2", "0", "1"]
    assert gpu[1:4] == ["1", "0", "2"]
    assert "One RTX 4090" in gpu[0]
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
    assert text(measure_words(kept, CATALOG)) == "memory that the system keeps of the M3 Ultra"
    file = ToMeasure(Uncertain.WEIGHTS, "vllm", "0.19", (), 1, 1, "", "small-8b", "q4-k-m")
    assert text(measure_words(file, CATALOG)).startswith("memory of the loaded weights of Small 8B")
    spread = ToMeasure(Uncertain.SPEED, "llama-cpp", "0.19", (("rtx-4090", 2),), 1, 1)
    assert (
        text(machine_words(spread, CATALOG)) == "llama.cpp 0.19, layers over 2 GPUs on 2 × RTX 4090"
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
    assert combo_table(opportunities([SURVEY.combos[MIXED.id]]), everywhere, CATALOG) is None


def test_the_page_of_opportunities_counts_the_verdicts_in_doubt_and_lists_each_measurement() -> (
    None
):
    (page,) = pages(inputs())
    found = opportunities(SURVEY.combos.values())
    assert page.url == URL
    assert page.total == len(found)
    in_doubt = [r for s in SURVEY.combos.values() for r in s.rows if r.doubt]
    assert in_doubt
    assert page.view.verdicts.value == len(in_doubt)  # type: ignore[attr-defined]  # the view is opaque
    assert len(measurements_table(found, CATALOG, id="x", caption="X").rows) == len(found)
