"""Which machines answer for a model: each by its own rule, from invented rows."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from sitegen.catalog.domain.hardware import Price, PriceKind
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import FitTier
from sitegen.survey.machines_for_model import ROOM_TOKENS, GoalAmounts, machines_for
from sitegen.survey.results import ModelOnCombo
from sitegen.survey.verdict_policy import MANY
from tests.site import fabricated

FLOOR = 10.0
MODEL = fabricated.model("wide-8b", "Wide 8B", 131_072)


def machine(
    gib: int,
    usd: int | None,
    speed: float,
    *,
    cards: int = 1,
    users: int = 1,
    context: int = 65_536,
    segment: str = "consumer",
    tier: FitTier = FitTier.COMFORTABLE,
) -> ModelOnCombo:
    """A row on a machine of its own kind of card, named after its memory."""
    seen = Price(PriceKind.USED, Decimal(usd), "USD", "2026-09", None, SOURCE) if usd else None
    plain = fabricated.gpu(f"card-{gib}", f"Card {gib}", gib, prices=(seen,) if seen else ())
    card = replace(plain, segment=segment)
    combo = fabricated.combo(
        f"c-{gib}-{cards}", "C", fabricated.node(*[fabricated.installed(card)] * cards)
    )
    row = fabricated.row(MODEL, fabricated.CATALOG.combos["single-rtx-3060"], tier, 0.7)
    pick = row.pick
    assert pick.limits is not None
    assert pick.speed is not None
    assert pick.plan is not None
    best = pick.best and replace(pick.best, users={ROOM_TOKENS: (users, pick.plan)})
    pick = replace(
        pick,
        combo=combo,
        limits=replace(pick.limits, max_context_tokens=context),
        speed=replace(pick.speed, single_tokens_per_s=Interval(speed, speed, speed)),
        best=best,
    )
    return replace(row, pick=pick)


def under_llama_cpp(row: ModelOnCombo) -> ModelOnCombo:
    return replace(row, pick=replace(row.pick, runtime=fabricated.LLAMA_CPP))


SOURCE = fabricated.CATALOG.gpus["rtx-4090"].sources[0]


def test_each_machine_is_the_best_of_its_own_kind() -> None:
    small, cheap, fast = machine(20, 900, 30), machine(24, 200, 15), machine(32, 5_000, 60)
    many = machine(48, 3_000, 40, users=MANY, segment="workstation")
    found = machines_for((fast, many, cheap, small), (), FLOOR)
    assert found is not None
    assert found.asks is GoalAmounts.WELL
    assert found.smallest.assessment == small.pick
    assert found.cheapest is not None
    assert found.cheapest.assessment == cheap.pick
    assert found.consumer is not None
    assert found.consumer.assessment == fast.pick
    assert found.serving is not None
    assert found.serving.assessment == many.pick
    assert [(one.usd, one.best.assessment) for one in found.budgets] == [
        (250, cheap.pick),
        (1_000, small.pick),
        (5_000, fast.pick),
    ]


def test_what_is_slow_or_short_of_context_does_not_run_it_well() -> None:
    short = machine(8, 100, 30, context=ROOM_TOKENS - 1)
    slow, well = machine(12, 100, FLOOR - 1), machine(24, 500, FLOOR)
    found = machines_for((short, slow, well), (), FLOOR)
    assert found is not None
    assert found.smallest.assessment == well.pick
    less = machines_for((short, slow), (), FLOOR)
    assert less is not None
    assert (less.asks, less.smallest.assessment) == (GoalAmounts.COMFORTABLE, short.pick)
    tight = machine(8, 100, 30, tier=FitTier.BORDERLINE)
    least = machines_for((tight,), (), FLOOR)
    assert least is not None
    assert least.asks is GoalAmounts.ANYHOW
    assert machines_for((machine(8, 100, 30, tier=FitTier.NOT_PRACTICAL),), (), FLOOR) is None


def test_one_consumer_card_comes_before_two_faster_ones() -> None:
    one, two = machine(24, 500, 20), machine(16, 500, 40, cards=2)
    found = machines_for((two, one), (), FLOOR)
    assert found is not None
    assert found.consumer is not None
    assert found.consumer.assessment == one.pick
    assert [each.combo.id for each in found.usual] == ["c-24-1", "c-16-2"]


def test_a_machine_without_a_price_is_never_the_cheapest() -> None:
    found = machines_for((machine(8, None, 30),), (), FLOOR)
    assert found is not None
    assert found.cheapest is None
    assert found.budgets == ()


def test_memory_for_many_is_not_enough_without_their_speed() -> None:
    held = machine(24, 500, 30, users=MANY)
    assert held.pick.speed is not None
    written = held.pick.speed.aggregate_tokens_per_s.mid
    fast_enough = machines_for((held,), (), written / MANY)
    assert fast_enough is not None
    assert fast_enough.serving is not None
    too_slow = machines_for((held,), (), written / MANY + 1)
    assert too_slow is not None
    assert too_slow.serving is None


def test_many_users_get_a_pick_of_their_own_under_a_runtime_that_batches() -> None:
    old = under_llama_cpp(machine(12, 100, 30, users=2 * MANY))
    usual = under_llama_cpp(machine(24, 500, 30, users=MANY))
    served = replace(usual, for_many=replace(usual.pick, runtime=fabricated.VLLM))
    large = machine(48, 900, 30, users=MANY)
    dearer = replace(large, for_many=replace(large.pick, runtime=fabricated.VLLM))
    found = machines_for((old, dearer, served), (), FLOOR)
    assert found is not None
    assert found.serving is not None
    assert found.serving.assessment == served.for_many
    assert found.smallest.assessment == old.pick
    alone = machines_for((old,), (), FLOOR)
    assert alone is not None
    assert alone.serving is not None
    assert alone.serving.assessment == old.pick


def test_a_machine_far_too_large_is_no_answer_because_it_has_a_price() -> None:
    right, far = machine(48, None, 30, users=MANY), machine(73, 9_000, 30, users=MANY)
    found = machines_for((far, right), (), FLOOR)
    assert found is not None
    assert found.serving is not None
    assert found.serving.assessment == right.pick
    near = machines_for((machine(72, 9_000, 30, users=MANY), right), (), FLOOR)
    assert near is not None
    assert near.serving is not None
    assert near.serving.usd == 9_000


def twice_as_fast_in_all(row: ModelOnCombo) -> ModelOnCombo:
    assert row.pick.speed is not None
    rate = row.pick.speed.aggregate_tokens_per_s
    doubled = Interval(*(2 * one for one in (rate.low, rate.mid, rate.high)))
    speed = replace(row.pick.speed, aggregate_tokens_per_s=doubled)
    return replace(row, pick=replace(row.pick, speed=speed))


def test_one_computer_serves_before_two_of_the_same_price_of_gpus() -> None:
    one = machine(24, 500, 30, cards=2, users=MANY)
    node = fabricated.node(*one.pick.combo.gpus[:1])
    two = fabricated.combo("c-24-1-1", "Two computers", node, node)
    apart = twice_as_fast_in_all(replace(one, pick=replace(one.pick, combo=two)))
    found = machines_for((apart, one), (), FLOOR)
    assert found is not None
    assert found.serving is not None
    assert found.serving.assessment == one.pick


@pytest.mark.parametrize(("usd", "faster_one"), [(1_100, True), (1_101, False)])
def test_of_machines_at_about_one_price_the_faster_serves(usd: int, *, faster_one: bool) -> None:
    slow, fast = machine(24, 1_000, 30, users=MANY), machine(32, usd, 30, users=MANY)
    fast = twice_as_fast_in_all(fast)
    found = machines_for((slow, fast), (), FLOOR)
    assert found is not None
    assert found.serving is not None
    assert found.serving.assessment == (fast if faster_one else slow).pick
