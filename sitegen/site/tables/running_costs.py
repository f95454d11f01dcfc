"""Costs of a machine beside its output: to buy, to hire, to feed, and per million tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sitegen.catalog.domain.hardware import Combo, Node
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.fit.assessment import Assessment
from sitegen.ownership import cost
from sitegen.ownership.prices import Cost, build_to_buy, build_to_rent, sold_as, sold_name
from sitegen.site.cells import (
    NOT_APPLICABLE,
    NOT_RECORDED,
    Absent,
    Cell,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    Unit,
    rate_span,
    span,
)
from sitegen.site.json.schema.pages import RunningCosts as CostsShape
from sitegen.site.json.shaped import shaped
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table
from sitegen.site.words.prices import cost_cell
from sitegen.site.words.verdicts import checkpoint_name, row_link
from sitegen.units import GIB
from sitegen.values import dataclass

ELECTRICITY = "electricity-price-usd-per-kwh"
HOST = "price-host-gpu-node-usd"
CARDS_OF_HOST = 2
"""Cards that a machine of the price above carries, at most."""
RAM = "price-ram-gib-usd"
RAM_OF_HOST_BYTES = 32 * GIB
"""System RAM that the price of a machine contains, as the record of ``HOST`` says."""


@dataclass(frozen=True, slots=True)
class PerMillion:
    """Dollars per million tokens that are written, by one stream and by all of them."""

    one: Interval
    every: Interval


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """A field for a reader's own price of one kind of GPU; empty where none was observed.

    ``gpu`` is what it is sold as.
    """

    gpu: str
    name: str
    count: int
    to_buy: str
    to_hire: str


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """The form below the table: what a script computes with, at the middle of each estimate."""

    gpus: tuple[OwnPrice, ...]
    watts: str
    usd_per_kwh: str
    one_tokens_per_s: float
    every_tokens_per_s: float


@dataclass(frozen=True, slots=True)
class RunningCosts:
    """Money, watts and tokens of a combo and its first answer; ``None`` where not known."""

    to_buy: Cost
    to_rent: Cost
    whole_usd: Interval | None
    """With the machines around the GPUs, where what such machines cost is known."""
    watts: Interval | None
    usd_per_kwh: float | None
    found: Assessment | None
    streams: int
    energy: PerMillion | None
    hire: PerMillion | None


def running_costs(
    combo: Combo,
    lead: Assessment | None,
    watts: Interval | None,
    assumptions: Mapping[str, Constant],
) -> RunningCosts:
    """Compute what a combo costs while it runs its first answer."""
    buy, rent = build_to_buy(combo), build_to_rent(combo)
    speed = lead.speed if lead else None
    electricity = assumptions.get(ELECTRICITY)
    kwh = electricity.value.mid if electricity else None
    energy = hire = None
    streams = 0
    if speed is not None:
        replicas = lead.plan.replicas if lead and lead.plan else 1
        streams = speed.batch * replicas
        rates = speed.single_tokens_per_s, speed.aggregate_tokens_per_s
        if watts is not None and kwh is not None:
            hourly = [cost.power_usd_an_hour(watt, kwh) for watt in watts.bounds]
            energy = _per_million(hourly, rates)
        if rent.amount is not None and rent.currency == "USD":
            hire = _per_million([float(rent.amount)] * 3, rates)
    whole = _whole_usd(combo, buy, assumptions)
    return RunningCosts(buy, rent, whole, watts, kwh, lead, streams, energy, hire)


def _whole_usd(combo: Combo, buy: Cost, assumptions: Mapping[str, Constant]) -> Interval | None:
    """Add the machines to the GPUs: desktops with at most two cards each, as the constant says."""
    desktops = not combo.is_datacenter and all(
        len(node.gpus) <= CARDS_OF_HOST and all(one.gpu.body.form == "card" for one in node.gpus)
        for node in combo.nodes
    )
    known = buy.amount is not None and buy.currency == "USD" and buy.parts and HOST in assumptions
    if not known or not desktops:
        return None
    around = [around_cards(node, assumptions) for node in combo.nodes]
    return Interval.total([Interval.exact(float(buy.amount or 0)), *around])


def around_cards(node: Node, assumptions: Mapping[str, Constant]) -> Interval:
    """Return what the machine around a node's cards costs, with the system RAM that it has.

    It is the most where there are more than two cards. Without a price of RAM, what is more than
    the price of the machine contains is left out.
    """
    host = assumptions[HOST].value
    around = host if len(node.gpus) <= CARDS_OF_HOST else Interval.exact(host.high)
    more_gib = ((node.ram_bytes or 0) - RAM_OF_HOST_BYTES) / GIB
    if more_gib <= 0 or RAM not in assumptions:
        return around
    return around.plus(assumptions[RAM].value.times(more_gib))


def _per_million(usd_an_hour: list[float], rates: tuple[Interval, Interval]) -> PerMillion | None:
    """Divide by both speeds, the lowest cost by the highest speed; ``None`` where one is 0."""
    if any(rate.low <= 0 for rate in rates):
        return None
    low, mid, high = usd_an_hour
    interval, every = (
        Interval(
            cost.usd_per_million_tokens(low, rate.high),
            cost.usd_per_million_tokens(mid, rate.mid),
            cost.usd_per_million_tokens(high, rate.low),
        )
        for rate in rates
    )
    return PerMillion(interval, every)


def costs_table(costs: RunningCosts) -> Table:
    """Put money, watts and tokens of the first answer into one row."""
    columns = (
        Column("Best overall"),
        Column("To buy", numeric=True, note="GPUs, newest price seen"),
        Column("To rent", numeric=True, note="GPUs, per hour"),
        Column("Power", numeric=True, note="at the wall, under load"),
        Column("Speed", numeric=True, note=_streams_words(costs)),
        Column("Energy", numeric=True, note="per million tokens"),
        Column("Rent", numeric=True, note="per million tokens"),
    )
    speed = costs.found.speed if costs.found else None
    writes: Cell = Absent("not estimated")
    if speed is not None:
        writes = Lines(
            (
                rate_span(speed.single_tokens_per_s),
                rate_span(speed.aggregate_tokens_per_s),
            )
        )
    row = Row(
        (
            _model(costs.found),
            _to_buy(costs),
            cost_cell(costs.to_rent, an_hour=True),
            NOT_RECORDED if costs.watts is None else span(costs.watts, Unit.WATTS),
            writes,
            _per_million_cell(costs.energy),
            _per_million_cell(costs.hire),
        )
    )
    return Table("costs", "Costs, power and speed", columns, (row,), note=_note(costs))


def _to_buy(costs: RunningCosts) -> Cell:
    cell = cost_cell(costs.to_buy)
    if costs.whole_usd is None or not isinstance(cell, Lines):
        return cell
    return Lines(
        (
            *cell.lines,
            Small(Parts((span(costs.whole_usd, Unit.USD), " with the rest of the computer"))),
        )
    )


def _streams_words(costs: RunningCosts) -> str:
    if costs.streams < 2:
        return "one user"
    return f"one user, then all {costs.streams}"


def _model(assessment: Assessment | None) -> Cell:
    if assessment is None:
        return Absent("none fits")
    link = Link(row_link(assessment), assessment.model.name)
    return Lines((link, Small(checkpoint_name(assessment))))


def _per_million_cell(per: PerMillion | None) -> Cell:
    if per is None:
        return NOT_APPLICABLE
    return Lines((span(per.one, Unit.USD_PER_MILLION), span(per.every, Unit.USD_PER_MILLION)))


def _note(costs: RunningCosts) -> str:
    said = "Each price was seen on the date next to it; launch prices come from the makers."
    if costs.whole_usd is not None:
        said += (
            " The rest of the computer is an estimate for a case with room for one or two cards."
        )
    if costs.usd_per_kwh is None:
        return said
    return (
        f"{said} We assume that electricity costs {costs.usd_per_kwh:.2f} USD/kWh, and count only "
        "the energy that the machine uses under load."
    )


def own_prices(costs: RunningCosts) -> OwnPrices | None:
    """Fill the form with what the table knows; ``None`` where there is no speed to divide by."""
    speed = costs.found.speed if costs.found else None
    if speed is None or costs.found is None or speed.single_tokens_per_s.mid <= 0:
        return None
    combo = costs.found.combo
    each_to_rent = {part.gpu.id: part.price for part in costs.to_rent.parts}
    each_to_buy = {part.gpu.id: part.price for part in costs.to_buy.parts}
    counts = Counter(sold_as(one) for one in combo.gpus)
    kinds = {sold_as(one): one for one in combo.gpus}

    def amount(id_: str, *, rent: bool) -> str:
        price = (each_to_rent if rent else each_to_buy).get(id_)
        return "" if price is None or price.currency != "USD" else f"{price.amount.normalize():f}"

    return OwnPrices(
        tuple(
            OwnPrice(
                sold,
                sold_name(kinds[sold]),
                count,
                amount(kinds[sold].gpu.id, rent=False),
                amount(kinds[sold].gpu.id, rent=True),
            )
            for sold, count in counts.items()
        ),
        "" if costs.watts is None else f"{costs.watts.mid:.0f}",
        "" if costs.usd_per_kwh is None else f"{costs.usd_per_kwh:.3f}",
        speed.single_tokens_per_s.mid,
        speed.aggregate_tokens_per_s.mid,
    )


def twin(costs: RunningCosts) -> PlainJson:
    """Return the same as data; the assessment of the first answer holds the speeds."""
    return shaped(CostsShape, costs)


def power_cell(watts: int | None, tokens_per_s: Interval, kwh: float | None) -> Cell:
    """Print watts, and what a million tokens of one stream take of energy."""
    if watts is None:
        return NOT_RECORDED
    drawn = NumberCell(watts, Unit.WATTS)
    if kwh is None or tokens_per_s.mid <= 0:
        return drawn
    usd = cost.usd_per_million_tokens(cost.power_usd_an_hour(watts, kwh), tokens_per_s.mid)
    return Lines((drawn, Small(NumberCell(usd, Unit.USD_PER_MILLION))))
