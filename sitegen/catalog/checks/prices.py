"""Rules on prices: seen before they were read, of a believable size, each of them once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.bounds import NumberRange
from sitegen.catalog.checks.provenance import is_date
from sitegen.catalog.file_names import is_public
from sitegen.catalog.records.hardware import ComboRecord, GpuRecord, PriceRecord
from sitegen.catalog.text.source_text import quoted, written
from sitegen.problems import Problem

UNITS_OF_USD = {
    "USD": 1, "EUR": 1, "GBP": 1, "CHF": 1, "CAD": 1, "AUD": 1, "CNY": 7, "SEK": 10, "INR": 90,
    "JPY": 150, "KRW": 1_400,
}  # fmt: skip
"""How many units of a currency are roughly worth a dollar: for bounds, never for a price."""
BUYING = {"gpu": (5, 200_000), "combo": (50, 20_000_000)}
_OF_LAUNCH = (0.01, 10)
"""Least and most of a GPU's launch price that anyone pays."""
RENTING = {"gpu": (0.005, 200), "combo": (0.005, 20_000)}

Priced = Authored[GpuRecord] | Authored[ComboRecord]


def price_dates_are_past(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a price was seen on a real day, no later than its source was read."""
    for authored, index, price in _prices(records):
        place = ("prices", index, "date")
        read = price.source.read
        if not is_date(price.date):
            message = f"there is no {quoted(price.date)} in the calendar"
            yield authored.problem(place, "price-date", message)
        elif price.date[: len(read)] > read[: len(price.date)]:
            message = f"the price is dated {price.date}, but its source was read on {read}"
            hint = "give the day on which the price was seen, and read the source again"
            yield authored.problem(place, "price-date", message, hint)


def prices_have_an_address(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure anybody can open the source of a price; that of a private catalog may be an offer."""
    for authored, index, price in _prices(records):
        if not price.source.url and is_public(authored.span.path):
            message = "the source of the price has no address"
            hint = "give `url`; a price from an offer of your own goes into a private catalog"
            yield authored.problem(("prices", index, "source"), "price-source", message, hint)


def prices_are_within_bounds(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure nothing costs as much as a mistyped number: bounds by kind, roughly by currency."""
    for authored, index, price in _prices(records):
        kind = "gpu" if isinstance(authored.record, GpuRecord) else "combo"
        least, most = (RENTING if price.kind == "rent" else BUYING)[kind]
        worth = UNITS_OF_USD[price.currency]
        bounds = NumberRange(price.currency, least * worth, most * worth)
        if not bounds.holds(price.amount):
            unit = " an hour" if price.kind == "rent" else ""
            message = f"a {price.kind} price must be {bounds}{unit}, not {price.amount:,}"
            hint = "one piece, or an hour of one: compare amount and currency with the source"
            yield authored.problem(("prices", index, "amount"), "price-amount", message, hint)


def prices_are_near_the_launch_price(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no GPU is bought for a small part or many times of what it cost when it was new.

    In the catalog of 2026-11-27 the prices that can be compared are 0.35 to 2.6 times that.
    """
    least, most = _OF_LAUNCH
    for gpu in records.gpus.values():
        launch = gpu.record.launch_price_usd
        for index, price in enumerate(gpu.record.prices if launch else ()):
            share = price.amount / UNITS_OF_USD[price.currency] / (launch or 1)
            if price.kind != "rent" and not least <= share <= most:
                message = f"{price.amount:,.0f} {price.currency} are {written(share, 2)} times "
                message += f"the launch price of {launch:,} USD"
                hint = "one piece, in whole units of the currency: compare with the source"
                yield gpu.problem(("prices", index, "amount"), "price-amount", message, hint)


def prices_are_observed_once(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure one source gives one price of a kind, a size and a day, and one amount of a month."""
    seen: dict[tuple[object, ...], list[tuple[int, PriceRecord]]] = defaultdict(list)
    for authored, index, price in _prices(records):
        source = price.source.url.rstrip("/") or price.source.title
        earlier = seen[id(authored), price.kind, price.currency, price.memory_gib, source]
        first = next((at for at, other in earlier if _is_again(price, other)), None)
        earlier.append((index, price))
        if first is not None:
            message = f"the same source has a {price.kind} price of {price.date} already"
            hint = f"keep one of the two: the other is entry {first + 1} of `prices`"
            yield authored.problem(("prices", index), "price-twice", message, hint)


def _is_again(price: PriceRecord, other: PriceRecord) -> bool:
    """Return whether two prices of one source are one: of a day, or of a day and its month."""
    if price.amount != other.amount:
        return price.date == other.date
    return price.date.startswith(other.date) or other.date.startswith(price.date)


def prices_name_the_size_that_was_bought(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure the price of a chip that is sold with several sizes of memory names one of them."""
    for authored, index, price in _prices(records):
        record = authored.record
        sold = record.unified_memory_options_gib if isinstance(record, GpuRecord) else ()
        place = ("prices", index)
        if price.memory_gib is None and len(sold) > 1:
            message = "the price does not say for which size"
            hint = f"add `memory_gib`: one of {', '.join(map(str, sold))}"
            yield authored.problem(place, "price-memory", message, hint)
        elif price.memory_gib is not None and price.memory_gib not in sold:
            known = f"one of {', '.join(map(str, sold))}" if sold else "left out"
            message = f"`memory_gib` must be {known}, not {price.memory_gib}"
            hint = "it is for chips that share memory with the CPU and are sold in several sizes"
            yield authored.problem((*place, "memory_gib"), "price-memory", message, hint)


def _prices(records: CatalogRecords) -> Iterator[tuple[Priced, int, PriceRecord]]:
    for gpu in records.gpus.values():
        for index, price in enumerate(gpu.record.prices):
            yield gpu, index, price
    for combo in records.combos.values():
        for index, price in enumerate(combo.record.prices):
            yield combo, index, price
