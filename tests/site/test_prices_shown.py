"""Prices on pages: the amount, what kind it is and of which day; costs as sums by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from sitegen.catalog.domain.hardware import Gpu, GpuBody, PriceKind
from sitegen.catalog.domain.provenance import Constant, Interval, Status
from sitegen.ownership.prices import build_to_buy
from sitegen.render.cells import text
from sitegen.site.cells import NOT_RECORDED, Absent, Lines, NumberCell, Small, Unit
from sitegen.site.collect import collect_pages
from sitegen.site.page import Lazy
from sitegen.site.pages.gpu import GpuView
from sitegen.site.tables.running_costs import (
    ELECTRICITY,
    HOST,
    costs_table,
    own_prices,
    power_cell,
    running_costs,
    twin,
)
from sitegen.site.words.prices import build_usd, cost_cell, gpu_price_cell, newest_observations
from sitegen.units import GIB
from tests.ownership.test_prices import card, pair, seen
from tests.site import fabricated

NEW, USED, RENT = PriceKind.NEW, PriceKind.USED, PriceKind.RENT
SEEN = card(
    seen(USED, "1850", "2026-09"), seen(NEW, "2400", "2025-01-02"), seen(RENT, "0.34", "2026-10-01")
)


def test_a_price_says_its_kind_and_day_and_a_launch_price_says_that_it_is_one() -> None:
    assert gpu_price_cell(SEEN) == Lines((NumberCell(1850, Unit.USD), Small("used, 2026-09")))
    assert gpu_price_cell(card(), 2) == Lines((NumberCell(3198, Unit.USD), Small("at launch")))
    euros = card(seen(USED, "1700", "2026-09", "EUR"))
    assert text(gpu_price_cell(euros)) == "1,700 EUR used, 2026-09"
    assert build_usd(pair(euros, euros)) is None


def test_a_price_at_launch_of_a_chip_says_its_size_and_counts_for_no_other() -> None:
    mac = card(of=fabricated.M3_ULTRA)
    assert text(gpu_price_cell(mac)) == "1,599\xa0USD at launch with 96\xa0GiB"
    assert gpu_price_cell(mac, memory_bytes=256 * GIB) == NOT_RECORDED


def test_a_sum_names_every_kind_and_the_days_between() -> None:
    other = replace(card(seen(NEW, "900", "2026-03")), id="other")
    bare = replace(fabricated.RTX_3060, prices=())
    words = text(cost_cell(build_to_buy(pair(SEEN, other))))
    assert words == "2,750\xa0USD some new, some used, 2026-03 to 2026-09"
    assert text(cost_cell(build_to_buy(pair(SEEN, bare)))).endswith(
        "some used, some at launch, 2026-09"
    )
    unknown = replace(bare, launch_price_usd=None)
    assert cost_cell(build_to_buy(pair(SEEN, unknown))) == Absent("1 of 2 GPUs known")
    whole = pair(SEEN, other, (seen(USED, "4200", "2026-07"),))
    assert text(cost_cell(build_to_buy(whole))).endswith("used, 2026-07, whole build")


def test_the_newest_of_each_kind_and_size_stands_with_its_source() -> None:
    listed = card(
        seen(USED, "1900", "2026-01"), seen(USED, "1850", "2026-09"), seen(NEW, "1", "2025-01")
    )
    found = newest_observations(listed)
    assert [(name, price.amount) for name, price in found] == [
        ("Price, new", Decimal(1)), ("Price, used", Decimal(1850)),
    ]  # fmt: skip
    sizes = card(
        seen(NEW, "4000", "2026-09", gib=96), seen(NEW, "5600", "2026-09", gib=256),
        of=fabricated.M3_ULTRA,
    )  # fmt: skip
    assert [price.amount for _, price in newest_observations(sizes)] == [4000, 5600]
    assert text(gpu_price_cell(sizes)) == "4,000\xa0USD new, 2026-09 with 96\xa0GiB"


def test_a_gpu_page_lists_observations_beside_the_price_at_launch() -> None:
    catalog = replace(fabricated.CATALOG, gpus={**fabricated.CATALOG.gpus, SEEN.id: SEEN})
    page = collect_pages(replace(fabricated.inputs(), catalog=catalog)).pages["/gpus/rtx-4090/"]
    view = page.view.value() if isinstance(page.view, Lazy) else page.view
    assert isinstance(view, GpuView)
    facts = {text(row.cells[0]): text(row.cells[1]) for row in view.facts.rows}
    assert facts["Price, used"].startswith("1,850\xa0USD, 2026-09")
    assert facts["Rent by the hour"].startswith("0.34\xa0USD/h, 2026-10-01")
    assert facts["Price at launch"] == "1,599\xa0USD"
    assert dict(view.figures)["Price"] == gpu_price_cell(SEEN)


LEAD = fabricated.SURVEY.combos[fabricated.FOUR_BY_TWO.id].lead
WATTS = Interval(900, 1_000, 1_200)
ELECTRICITY_20_CENTS = Constant(
    ELECTRICITY, "USD/kWh", Interval(0.1, 0.2, 0.3), Status.ASSUMED, fabricated.SOURCES[0]
)


def test_a_million_tokens_cost_the_hours_in_which_they_are_written() -> None:
    assert LEAD is not None
    assert LEAD.speed is not None
    node = fabricated.node(*(fabricated.installed(SEEN) for _ in range(4)))
    combo = fabricated.combo("four", "Four", node)
    found = running_costs(combo, LEAD, WATTS, {ELECTRICITY: ELECTRICITY_20_CENTS})
    one = LEAD.speed.single_tokens_per_s
    hours = 1e6 / one.mid / 3_600
    assert found.hire is not None
    assert found.hire.one.mid == pytest.approx(4 * 0.34 * hours)
    assert found.energy is not None
    assert found.energy.one.mid == pytest.approx(1.0 * 0.2 * hours)
    slow = 1e6 / one.low / 3_600
    assert found.energy.one.high == pytest.approx(1.2 * 0.2 * slow)
    assert found.energy.every.mid < found.energy.one.mid
    assert found.to_buy.amount == 4 * 1850
    table = costs_table(found)
    assert len(table.rows) == 1
    assert len(table.rows[0].cells) == len(table.columns)


def test_a_whole_build_is_the_gpus_and_the_machines_around_them() -> None:
    host = Constant(HOST, "USD", Interval(400, 600, 1_500), Status.PUBLISHED, fabricated.SOURCES[0])
    body = replace(SEEN, body=GpuBody(form="card"))

    def whole(gpu: Gpu, count: int) -> Interval | None:
        node = fabricated.node(*(fabricated.installed(gpu) for _ in range(count)))
        combo = fabricated.combo("some", "Some", node)
        return running_costs(combo, None, None, {HOST: host}).whole_usd

    assert whole(body, 2) == Interval(4_100, 4_300, 5_200)
    assert whole(body, 3) is None  # such a machine carries two
    assert whole(replace(body, segment="datacenter"), 2) is None
    assert whole(replace(body, prices=(), launch_price_usd=None), 2) is None


def test_without_speed_or_rent_nothing_is_divided() -> None:
    found = running_costs(fabricated.FOUR_BY_TWO, None, None, {})
    assert (found.energy, found.hire, own_prices(found)) == (None, None, None)
    assert "none fits" in text(costs_table(found).rows[0].cells[0])
    data = twin(found)
    assert isinstance(data, dict)
    assert data["hire_usd_per_million_tokens"] is None


def test_the_form_begins_with_the_prices_of_the_row() -> None:
    node = fabricated.node(*(fabricated.installed(SEEN) for _ in range(4)))
    assert LEAD is not None
    combo = fabricated.combo("four", "Four", node)
    found = own_prices(running_costs(combo, replace(LEAD, combo=combo), WATTS, {}))
    assert found is not None
    (gpu,) = found.gpus
    assert (gpu.gpu, gpu.count, gpu.to_buy, gpu.to_hire) == ("rtx-4090", 4, "1850", "0.34")
    assert (found.watts, found.usd_per_kwh) == ("1000", "")


def test_a_price_of_a_computer_is_kept_by_its_chip_and_memory() -> None:
    """One of a Mac with 96 GB is none of a Mac with 512 GB."""
    assert LEAD is not None
    lead = replace(LEAD, combo=fabricated.MAC)
    found = own_prices(running_costs(fabricated.MAC, lead, WATTS, {}))
    assert found is not None
    size = fabricated.MAC.gpus[0].installed_bytes // GIB
    (mac,) = found.gpus
    assert mac.gpu == f"{fabricated.M3_ULTRA.id}@{size}"
    assert mac.name == f"{fabricated.M3_ULTRA.name}, {size} GB"


def test_a_model_s_row_has_watts_and_energy_in_one_cell() -> None:
    cell = power_cell(900, Interval(20, 25, 30), 0.2)
    # 900 W at 0.20 a kilowatt-hour are 0.18 an hour; at 25 tokens/s a million takes 11.1 hours.
    assert text(cell) == "900\xa0W 2.00\xa0USD"
    assert text(power_cell(900, Interval(0, 0, 0), 0.2)) == "900\xa0W"
    assert text(power_cell(None, Interval(20, 25, 30), 0.2)) == "not recorded"
