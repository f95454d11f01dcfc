"""Prices as pages and twins show them: the amount, what kind it is, and of which day."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Combo, Gpu, Price, PriceKind, UnifiedMemory
from sitegen.ownership.prices import (
    FIRST_CURRENCY,
    Basis,
    Cost,
    Counted,
    build_to_buy,
    newest,
    smallest_size,
    times,
    to_buy,
)
from sitegen.site.cells import (
    NOT_RECORDED,
    Absent,
    Cell,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Unit,
)

BASIS_WORDS = {
    Basis.NEW: "new",
    Basis.USED: "used",
    Basis.RENT: "rented",
    Basis.LAUNCH: "at launch",
}
KIND_NAMES = {
    PriceKind.NEW: "Price, new",
    PriceKind.USED: "Price, used",
    PriceKind.RENT: "Rent by the hour",
}
PRICE_NOTE = "newest seen, GPUs only"
"""Under the heading of a column of prices; each cell says kind and date itself."""


def money(amount: float, currency: str, *, an_hour: bool = False) -> Cell:
    """Print an amount in the currency it was seen in."""
    if currency == FIRST_CURRENCY:
        return NumberCell(amount, Unit.USD_PER_HOUR if an_hour else Unit.USD)
    hour = "/h" if an_hour else ""
    return f"{amount:,.2f} {currency}{hour}" if an_hour else f"{amount:,.0f} {currency}"


def basis_words(cost: Cost) -> str:
    """Say what an amount is: ``used, 2026-09``, ``some new, some used, 2026-03 to 2026-09``."""
    kinds = ", some ".join(BASIS_WORDS[basis] for basis in cost.bases)
    kinds = f"some {kinds}" if len(cost.bases) > 1 else kinds
    if not cost.dates:
        return kinds
    first, last = cost.dates[0], cost.dates[-1]
    return f"{kinds}, {first}" if first == last else f"{kinds}, {first} to {last}"


def cost_cell(cost: Cost, *, an_hour: bool = False) -> Cell:
    """Print what a build costs with kind and date, or how many of its GPUs have a price."""
    if cost.amount is None:
        return Absent(f"{cost.known} of {cost.pieces} GPUs known") if cost.known else NOT_RECORDED
    of = ", whole build" if not cost.parts else ""
    words = Small(f"{basis_words(cost)}{of}")
    return Lines((money(float(cost.amount), cost.currency, an_hour=an_hour), words))


def brief_cost(combo: Combo) -> Cell:
    """Print what the GPUs of a build cost, or that nobody recorded it."""
    cost = build_to_buy(combo)
    return cost_cell(cost) if cost.amount is not None else NOT_RECORDED


def gpu_to_buy(gpu: Gpu, *, memory_bytes: int = 0) -> Counted | None:
    """Return the price that counts for one GPU: in dollars where some were seen."""
    found = to_buy(gpu, FIRST_CURRENCY, memory_bytes)
    others = sorted({price.currency for price in gpu.prices})
    seen = (to_buy(gpu, currency, memory_bytes) for currency in others)
    return found or next((price for price in seen if price is not None), None)


def gpu_price_cell(gpu: Gpu, count: int = 1, *, memory_bytes: int = 0) -> Cell:
    """Print what so many of a GPU cost, with kind and date; of a chip the smallest size seen.

    With ``memory_bytes`` it is the price of the chip with so much memory.
    """
    size = memory_bytes or _least_priced(gpu)
    price = gpu_to_buy(gpu, memory_bytes=size)
    if price is None:
        return NOT_RECORDED
    cell = cost_cell(times(price, gpu, count))
    if not size or not in_several_sizes(gpu) or not isinstance(cell, Lines):
        return cell
    return Lines((*cell.lines, Small(Parts(("with ", NumberCell(size, Unit.GIB))))))


def _least_priced(gpu: Gpu) -> int:
    sizes = {price.memory_bytes for price in gpu.prices if price.kind is not PriceKind.RENT}
    known = [size for size in sizes if size is not None]
    return min(known, default=0 if sizes else smallest_size(gpu))


def in_several_sizes(gpu: Gpu) -> bool:
    """Return whether a chip is sold with more than one size of memory."""
    return isinstance(gpu.memory, UnifiedMemory) and len(gpu.memory.options_bytes) > 1


def gpu_usd(gpu: Gpu) -> int | None:
    """Return the price that counts in whole dollars, to choose and to sort by."""
    price = to_buy(gpu)
    return None if price is None else round(price.amount)


def build_usd(combo: Combo) -> int | None:
    """Return what a build costs in whole dollars; ``None`` where a part's price is not known."""
    cost = build_to_buy(combo)
    return round(cost.amount) if cost.amount is not None and _in_dollars(cost) else None


def _in_dollars(cost: Cost) -> bool:
    return cost.currency == FIRST_CURRENCY


def observed_cell(price: Price) -> Cell:
    """Print one observation with its day and its source."""
    amount = money(float(price.amount), price.currency, an_hour=price.kind is PriceKind.RENT)
    source = price.source
    named: Cell = Link(source.url, source.title) if source.url else source.title
    return Lines((Parts((amount, f", {price.date}")), Small(named)))


def newest_observations(gpu: Gpu) -> tuple[tuple[str, Price], ...]:
    """Return the newest observation of each kind, currency and size, under its name."""
    found: dict[tuple[str, int], Price] = {}
    for kind in PriceKind:
        for price in gpu.prices:
            key = (f"{kind}{price.currency}", price.memory_bytes or 0)
            best = newest(gpu.prices, kind, price.currency, price.memory_bytes)
            if best is not None and best.memory_bytes == price.memory_bytes:
                found[key] = best
    return tuple((KIND_NAMES[price.kind], price) for price in found.values())
