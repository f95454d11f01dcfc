"""Machines of unequal memory that a plan does not take are named on the card, with the reason."""

from __future__ import annotations

import pytest

from sitegen.physics.plan import ParallelPlan, PlanKind
from sitegen.render.cells import text
from sitegen.site.combo.cards import answer_cards
from sitegen.site.words.plans import idle_words
from tests.survey.whole_catalog import whole_catalog, whole_survey

MACS = "4x-mac-studio-m3-ultra-rdma"
SMALL = "Idle: 2 × M3 Ultra with 256 GB, because this plan needs identical machines."


def plan(*nodes: int, replicas: int = 1) -> ParallelPlan:
    ranks = tuple((node, 0) for node in nodes)
    return ParallelPlan(PlanKind.TENSOR, len(nodes), 1, replicas, ranks, (1,))


@pytest.mark.parametrize(
    ("combo", "taken", "said"),
    [
        (MACS, plan(0, replicas=2), SMALL),
        (MACS, plan(0, 1), SMALL),
        (MACS, plan(2, 3), SMALL.replace("256", "512")),
        (MACS, plan(0, 1, 2, 3), ""),
        ("2x-dgx-spark", plan(0), ""),
        ("rtx-5090-plus-2x-rtx-3090", plan(0), ""),
    ],
)
def test_machines_that_a_plan_leaves_out_are_named(
    combo: str, taken: ParallelPlan, said: str
) -> None:
    assert idle_words(whole_catalog().combos[combo], taken) == said


def test_the_card_says_so_below_what_it_runs() -> None:
    below = [card.left_out for card in answer_cards(whole_survey(MACS), ())]
    assert (SMALL,) in below
    assert () in below  # a plan over all four


def test_the_card_names_the_slower_file_apart_from_what_it_runs() -> None:
    cards = answer_cards(whole_survey("1x-dgx-spark"), ())
    slower = [card for card in cards if any("loses less" in text(one) for one in card.left_out)]
    assert slower
    assert all("loses less" not in card.run for card in slower)
