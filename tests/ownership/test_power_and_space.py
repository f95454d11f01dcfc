"""What a combo asks of a room, as sums that a reader can check with a pocket calculator."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from sitegen.catalog.domain.hardware import Combo
from sitegen.ownership.power_and_space import (
    Facilities,
    busy_watts,
    facilities,
    waiting_watts,
)
from tests.survey.whole_catalog import whole_catalog


def of(combo: str | Combo) -> Facilities:
    """Ask about a combo of the real catalog."""
    whole = whole_catalog()
    found = whole.combos[combo] if isinstance(combo, str) else combo
    return facilities(found, whole.assumptions, whole.interconnects)


def test_two_cards_of_350_watts() -> None:
    (machine,) = of("2x-rtx-3090-pcie").machines
    assert machine.gpus_watts == 2 * 350
    assert machine.supply_watts == 700 + 400
    assert machine.draw_watts is not None
    assert machine.draw_watts.mid == pytest.approx((0.83 * 700 + 100) / 0.9)
    assert (machine.draw_watts.low, machine.draw_watts.high) == pytest.approx(
        ((0.8 * 700 + 33) / 0.92, (700 + 400) / 0.87)
    )
    assert (machine.slots, machine.longest_mm) == (6, 313)
    assert machine.connectors == (("1× 12-pin", 2),)
    assert (machine.lanes, machine.wired_lanes) == (32, 16)


def test_the_one_machine_that_somebody_measured_lies_within_the_estimates() -> None:
    """Two RTX 3090 at the wall: 760 W under load and 90 W at idle (source of the constant)."""
    whole = whole_catalog()
    combo = whole.combos["2x-rtx-3090-pcie"]
    busy, waiting = busy_watts(combo, whole.assumptions), waiting_watts(combo, whole.assumptions)
    assert busy is not None
    assert waiting is not None
    assert busy.low < 760 < busy.high
    assert busy.mid == pytest.approx(760, rel=0.01)
    assert waiting.low < 90 < waiting.high


def test_advice_for_one_card_is_what_the_card_s_database_suggests() -> None:
    """The database suggests 850 W for an RTX 4090 and 950 W (975 rounded) for an RTX 5090."""
    (single,) = of("1x-rtx-4090").machines
    assert single.supply_watts == 850
    (newer,) = of("1x-rtx-5090").machines
    assert newer.supply_watts == 975


def test_circuits_carry_four_fifths_of_their_rating() -> None:
    found = of("2x-rtx-3090-pcie").circuits
    assert [(one.amperes, one.volts) for one in found] == [(15, 120), (20, 120), (16, 230)]
    assert [one.carries_watts for one in found] == [1_440, 1_920, 2_944]
    assert [one.needed for one in found] == [1, 1, 1]  # 1,264 W at most


def test_eight_large_cards_need_several_circuits() -> None:
    """8 × 450 W and 400 W through 87 % are 4,598 W: 3.2, 2.4 and 1.6 circuits."""
    found = of("8x-rtx-4090")
    assert found.draw_watts is not None
    assert found.draw_watts.high == pytest.approx(4_000 / 0.87)
    assert [one.needed for one in found.circuits] == [4, 3, 2]


def test_small_machines_share_a_circuit() -> None:
    """Six machines of 240 W fit on 1,440 W; four need one circuit."""
    found = of("4x-dgx-spark")
    assert found.draw_watts is not None
    assert found.draw_watts.high == 4 * 240
    assert found.machines[0].by_maker
    assert found.machines[0].supply_watts is None
    assert [one.needed for one in found.circuits] == [1, 1, 1]


def test_a_server_for_modules_is_known_by_its_maker_or_not_at_all() -> None:
    (node,) = of("8x-h100-sxm").machines
    assert node.gpus_watts == 8 * 700
    assert node.draw_watts is not None
    assert node.draw_watts.high == 10_200
    assert of("8x-h100-sxm").circuits == ()
    (other,) = of("8x-mi300x").machines
    assert other.gpus_watts == 8 * 750
    assert other.draw_watts is None
    assert of("8x-mi300x").circuits == ()


def test_a_sum_needs_every_machine() -> None:
    combo = whole_catalog().combos["4x-strix-halo-framework"]
    assert of(combo).draw_watts is None
    known = tuple(replace(node, max_watts=300) for node in combo.nodes)
    whole = of(replace(combo, nodes=known))
    assert whole.draw_watts is not None
    assert whole.draw_watts.high == 1_200
    some = (*known[:2], *combo.nodes[2:])
    assert of(replace(combo, nodes=some)).draw_watts is None


def test_without_the_constants_nothing_is_guessed() -> None:
    combo = whole_catalog().combos["2x-rtx-3090-pcie"]
    bare = facilities(combo, {}, {})
    assert waiting_watts(combo, {}) is None
    assert bare.machines[0].gpus_watts == 700
    assert bare.machines[0].supply_watts is None
    assert bare.draw_watts is None
    assert bare.circuits == ()


def test_more_cards_never_need_less() -> None:
    for fewer, more in pairwise(("1x-rtx-3090", "2x-rtx-3090-pcie", "3x-rtx-3090", "6x-rtx-3090")):
        one, other = of(fewer), of(more)
        assert (one.machines[0].supply_watts or 0) < (other.machines[0].supply_watts or 0)
        for a, b in zip(one.circuits, other.circuits, strict=True):
            assert a.needed <= b.needed


def test_every_combo_of_the_catalog_has_an_answer() -> None:
    for combo in whole_catalog().combos.values():
        found = of(combo)
        assert sum(one.count for one in found.machines) == len(combo.nodes)
        for one in found.machines:
            assert one.gpus_watts
            draw = one.draw_watts
            assert draw is None or one.gpus_watts <= draw.high
