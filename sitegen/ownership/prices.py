"""Which of several observed prices counts, and what the parts of a build cost together.

Source:
    Decision 48. Sums are of decimals in one currency; nothing is converted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from enum import StrEnum

from sitegen.catalog.domain.hardware import (
    Combo,
    Gpu,
    InstalledGpu,
    Price,
    PriceKind,
    UnifiedMemory,
)
from sitegen.units import GIB
from sitegen.values import dataclass

FIRST_CURRENCY = "USD"
STILL_SOLD_DAYS = 90
"""A shop's price counts beside a second-hand one that is at most so many days younger."""


class Basis(StrEnum):
    """The kind of price that an amount is."""

    NEW = "new"
    USED = "used"
    RENT = "rent"
    LAUNCH = "launch"
    """The maker's price when the card came out: no observation at all."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The price that counts for one piece; ``date`` is empty for a price at launch."""

    amount: Decimal
    currency: str
    basis: Basis
    date: str


@dataclass(frozen=True, slots=True)
class PricedGpus:
    """Equal GPUs of a build, and what one of them costs; ``None`` where nobody knows."""

    gpu: Gpu
    count: int
    price: Counted | None


@dataclass(frozen=True, slots=True)
class Cost:
    """The price of a build: one seen for the whole, or the sum of its GPUs' prices.

    ``amount`` is ``None`` where a part has no price; ``parts`` is empty for a whole build.
    """

    amount: Decimal | None
    currency: str
    bases: tuple[Basis, ...]
    dates: tuple[str, ...]
    """Of the observations, oldest first."""
    parts: tuple[PricedGpus, ...] = ()

    @property
    def seen_usd(self) -> Decimal | None:
        """Dollars that somebody saw asked or paid; a price at launch is no observation."""
        if self.currency != FIRST_CURRENCY or Basis.LAUNCH in self.bases:
            return None
        return self.amount

    @property
    def known(self) -> int:
        """How many of its GPUs have a price."""
        return sum(part.count for part in self.parts if part.price is not None)

    @property
    def pieces(self) -> int:
        """How many GPUs it has."""
        return sum(part.count for part in self.parts)


def newest(
    prices: Iterable[Price], kind: PriceKind, currency: str, memory_bytes: int | None = None
) -> Price | None:
    """Return the newest observation of a kind; of several from one day the lowest."""
    found = (
        price
        for price in prices
        if price.kind is kind
        and price.currency == currency
        and price.memory_bytes in (None, memory_bytes)
    )
    return max(found, key=lambda price: (_day(price.date), -price.amount), default=None)


def to_buy(gpu: Gpu, currency: str = FIRST_CURRENCY, memory_bytes: int = 0) -> Counted | None:
    """Return what one piece costs to buy; the price at launch where nothing was ever observed.

    A second-hand price counts before a shop's once shops have not been seen to sell it for
    ``STILL_SOLD_DAYS``. The price at launch is that of a chip with the smallest memory sold.
    """
    seen = _seen_to_buy(gpu.prices, currency, memory_bytes)
    if seen is not None:
        return seen
    observed = any(
        price.kind is not PriceKind.RENT and price.memory_bytes in (None, memory_bytes)
        for price in gpu.prices
    )
    launch = gpu.launch_price_usd
    if observed or launch is None or currency != FIRST_CURRENCY:
        return None
    if memory_bytes not in (0, smallest_size(gpu)):
        return None
    return Counted(Decimal(launch), FIRST_CURRENCY, Basis.LAUNCH, "")


def smallest_size(gpu: Gpu) -> int:
    """Return the least memory that a chip is sold with; zero for a card."""
    return min(gpu.memory.options_bytes) if isinstance(gpu.memory, UnifiedMemory) else 0


def size_of(installed: InstalledGpu) -> int:
    """Return the memory that the price of a chip depends on; zero for a card."""
    return installed.installed_bytes if isinstance(installed.gpu.memory, UnifiedMemory) else 0


def to_rent(gpu: Gpu, currency: str = FIRST_CURRENCY, memory_bytes: int = 0) -> Counted | None:
    """Return what an hour of one GPU was last seen for."""
    return _counted(newest(gpu.prices, PriceKind.RENT, currency, memory_bytes))


def sold_as(installed: InstalledGpu) -> str:
    """Name what is bought: a card by its GPU, a computer by its chip and memory.

    So do readers' own prices: one of a Mac with 64 GB says nothing of one with 128 GB.
    """
    size = size_of(installed)
    return f"{installed.gpu.id}@{size // GIB}" if size else installed.gpu.id


def sold_name(installed: InstalledGpu) -> str:
    """Say the same to people."""
    size = size_of(installed)
    return f"{installed.gpu.name}, {size // GIB} GB" if size else installed.gpu.name


def build_to_buy(combo: Combo) -> Cost:
    """Return what a build costs to buy: as a whole where that was seen, else its GPUs."""
    for currency in _currencies(combo.prices, PriceKind.NEW, PriceKind.USED):
        whole = _seen_to_buy(combo.prices, currency, 0)
        if whole is not None:
            return _whole(whole)
    return _summed(combo, rent=False)


def build_to_rent(combo: Combo) -> Cost:
    """Return what an hour of a build costs: as a whole where that was seen, else its GPUs."""
    for currency in _currencies(combo.prices, PriceKind.RENT):
        whole = _counted(newest(combo.prices, PriceKind.RENT, currency))
        if whole is not None:
            return _whole(whole)
    return _summed(combo, rent=True)


def times(price: Counted, gpu: Gpu, count: int) -> Cost:
    """Return what so many equal GPUs cost."""
    return _sum((PricedGpus(gpu, count, price),), price.currency)


def _seen_to_buy(prices: Iterable[Price], currency: str, memory_bytes: int) -> Counted | None:
    listed = tuple(prices)
    new = newest(listed, PriceKind.NEW, currency, memory_bytes)
    used = newest(listed, PriceKind.USED, currency, memory_bytes)
    if new is None or used is None:
        return _counted(new or used)
    apart = (_day(used.date) - _day(new.date)).days
    return _counted(new if apart <= STILL_SOLD_DAYS else used)


def _counted(price: Price | None) -> Counted | None:
    if price is None:
        return None
    return Counted(price.amount, price.currency, Basis(price.kind.value), price.date)


def _whole(price: Counted) -> Cost:
    return Cost(price.amount, price.currency, (price.basis,), (price.date,))


def _summed(combo: Combo, *, rent: bool) -> Cost:
    """Add up in the first currency in which every GPU has a price, dollars before all."""
    kinds = (PriceKind.RENT,) if rent else (PriceKind.NEW, PriceKind.USED)
    seen = [price for one in combo.gpus for price in one.gpu.prices]
    currencies = dict.fromkeys((FIRST_CURRENCY, *_currencies(seen, *kinds)))
    costs = [_sum(_parts(combo, currency, rent=rent), currency) for currency in currencies]
    return next((cost for cost in costs if cost.amount is not None), costs[0])


def _parts(combo: Combo, currency: str, *, rent: bool) -> tuple[PricedGpus, ...]:
    price_of = to_rent if rent else to_buy
    kinds = {(one.gpu.id, one.installed_bytes): one for one in combo.gpus}
    counts = Counter((one.gpu.id, one.installed_bytes) for one in combo.gpus)
    return tuple(
        PricedGpus(one.gpu, counts[kind], price_of(one.gpu, currency, size_of(one)))
        for kind, one in kinds.items()
    )


def _sum(parts: tuple[PricedGpus, ...], currency: str) -> Cost:
    prices = [part.price for part in parts]
    known = [price for price in prices if price is not None]
    bases = tuple(sorted({price.basis for price in known}, key=list(Basis).index))
    dates = tuple(sorted({price.date for price in known if price.date}))
    amount = None
    if len(known) == len(prices):
        amount = sum((part.count * part.price.amount for part in parts if part.price), Decimal(0))
    return Cost(amount, currency, bases, dates, parts)


def _currencies(prices: Iterable[Price], *kinds: PriceKind) -> list[str]:
    found = {price.currency for price in prices if price.kind in kinds}
    return sorted(found, key=lambda currency: (currency != FIRST_CURRENCY, currency))


def _day(written: str) -> date:
    """Return the day of an observation; the first of a month that is all that is known."""
    return date.fromisoformat(f"{written}-01"[:10])
