"""Which price counts: the newest, in one currency, and never the launch price of what was seen."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from sitegen.catalog.domain.hardware import Combo, Gpu, Price, PriceKind
from sitegen.ownership.prices import (
    STILL_SOLD_DAYS,
    Basis,
    Counted,
    build_to_buy,
    build_to_rent,
    newest,
    times,
    to_buy,
    to_rent,
)
from sitegen.units import GIB
from tests.site import fabricated

NEW, USED, RENT = PriceKind.NEW, PriceKind.USED, PriceKind.RENT


def seen(
    kind: PriceKind, amount: str, date: str, currency: str = "USD", gib: int | None = None
) -> Price:
    size = None if gib is None else gib * GIB
    return Price(kind, Decimal(amount), currency, date, size, fabricated.SOURCES[0])


def card(*prices: Price, of: Gpu = fabricated.RTX_4090) -> Gpu:
    return replace(of, prices=prices)


def pair(one: Gpu, other: Gpu, prices: tuple[Price, ...] = ()) -> Combo:
    node = fabricated.node(fabricated.installed(one), fabricated.installed(other))
    return replace(fabricated.combo("pair", "Pair", node), prices=prices)


def test_of_a_kind_the_newest_counts_and_of_one_day_the_lowest() -> None:
    prices = (
        seen(USED, "900", "2026-03"),
        seen(USED, "1100", "2026-09-02"),
        seen(USED, "1050", "2026-09-02"),
        seen(USED, "700", "2026-09"),
        seen(NEW, "1", "2026-10"),
    )
    found = newest(prices, USED, "USD")
    assert found is not None
    assert (found.amount, found.date) == (Decimal(1050), "2026-09-02")
    assert newest(prices, RENT, "USD") is None
    assert newest(prices, USED, "EUR") is None


def test_new_counts_while_shops_sell_it_and_used_afterwards() -> None:
    assert STILL_SOLD_DAYS == 90
    sold = card(seen(NEW, "2000", "2026-06-01"), seen(USED, "1500", "2026-08-30"))
    gone = card(seen(NEW, "2000", "2026-05-31"), seen(USED, "1500", "2026-08-30"))
    assert to_buy(sold) == Counted(Decimal(2000), "USD", Basis.NEW, "2026-06-01")
    assert to_buy(gone) == Counted(Decimal(1500), "USD", Basis.USED, "2026-08-30")
    assert to_buy(card(seen(USED, "1500", "2026-08-30"))) == to_buy(gone)


def test_the_price_at_launch_stands_in_only_where_nothing_was_observed() -> None:
    assert to_buy(card()) == Counted(Decimal(1599), "USD", Basis.LAUNCH, "")
    assert to_buy(card(seen(RENT, "0.3", "2026-10-01"))) == to_buy(card())
    euros = card(seen(USED, "1500", "2026-08-30", "EUR"))
    assert to_buy(euros) is None
    assert to_buy(euros, "EUR") == Counted(Decimal(1500), "EUR", Basis.USED, "2026-08-30")
    assert to_buy(card(), "EUR") is None
    assert to_rent(card()) is None


def test_a_chip_costs_what_its_size_costs() -> None:
    prices = (seen(NEW, "4000", "2026-09", gib=96), seen(NEW, "5600", "2026-09", gib=256))
    mac = card(*prices, of=fabricated.M3_ULTRA)
    assert to_buy(mac, memory_bytes=256 * GIB) == Counted(
        Decimal(5600), "USD", Basis.NEW, "2026-09"
    )
    assert to_buy(mac, memory_bytes=512 * GIB) is None


def test_a_price_at_launch_is_that_of_the_smallest_memory() -> None:
    mac = card(of=fabricated.M3_ULTRA)
    assert to_buy(mac, memory_bytes=96 * GIB) == Counted(Decimal(1599), "USD", Basis.LAUNCH, "")
    assert to_buy(mac, memory_bytes=256 * GIB) is None
    assert to_buy(replace(mac, launch_price_usd=None), memory_bytes=96 * GIB) is None


def test_a_sum_is_exact_and_says_what_it_is_made_of() -> None:
    one = card(seen(USED, "0.10", "2026-08"), seen(RENT, "0.1", "2026-10-01"))
    other = card(seen(NEW, "0.20", "2026-03"), seen(RENT, "0.2", "2026-10-01"))
    other = replace(other, id="other")
    cost = build_to_buy(pair(one, other))
    assert cost.amount == Decimal("0.30")  # of floats it is 0.30000000000000004
    assert cost.bases == (Basis.NEW, Basis.USED)
    assert cost.dates == ("2026-03", "2026-08")
    assert build_to_rent(pair(one, other)).amount == Decimal("0.3")


def test_one_price_that_nobody_knows_leaves_the_sum_unknown_and_counted() -> None:
    unknown = replace(fabricated.RTX_3060, launch_price_usd=None)
    cost = build_to_buy(pair(card(seen(USED, "1500", "2026-08")), unknown))
    assert (cost.amount, cost.known, cost.pieces) == (None, 1, 2)


def test_currencies_are_never_added_and_dollars_come_first() -> None:
    both = card(seen(USED, "1500", "2026-01"), seen(USED, "1400", "2026-09", "EUR"))
    euros = replace(card(seen(USED, "300", "2026-09", "EUR")), id="other")
    mixed = build_to_buy(pair(both, euros))
    assert (mixed.amount, mixed.currency) == (Decimal(1700), "EUR")
    alike = build_to_buy(pair(both, both))
    assert (alike.amount, alike.currency) == (Decimal(3000), "USD")
    dollars = replace(card(seen(USED, "300", "2026-09")), id="third")
    apart = build_to_buy(pair(dollars, euros))
    assert (apart.amount, apart.known, apart.pieces) == (None, 1, 2)


def test_a_whole_build_counts_before_the_sum_of_its_gpus() -> None:
    parts = pair(card(), card())
    assert build_to_buy(parts).amount == Decimal(2 * 1599)
    whole = pair(card(), card(), (seen(USED, "4200", "2026-07"), seen(RENT, "0.9", "2026-07")))
    cost = build_to_buy(whole)
    assert (cost.amount, cost.parts, cost.bases) == (Decimal(4200), (), (Basis.USED,))
    assert build_to_rent(whole).amount == Decimal("0.9")


def test_equal_gpus_cost_a_multiple() -> None:
    price = to_buy(card(seen(USED, "1207", "2026-09")))
    assert price is not None
    cost = times(price, fabricated.RTX_4090, 4)
    assert (cost.amount, cost.known, cost.pieces) == (Decimal(4828), 4, 4)
