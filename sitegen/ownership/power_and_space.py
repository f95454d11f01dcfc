"""A combo's needs in a room: power at the wall, supplies, circuits, slots and lanes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import ceil, floor

from sitegen.catalog.domain.hardware import Combo, Interconnect, Node
from sitegen.catalog.domain.provenance import Constant, Interval
from sitegen.values import dataclass

ALLOWANCE = "power-supply-allowance-watts"
HOST = "host-draw-watts"
BUSY_SHARE = "gpu-busy-power-share"
WAITING = "idle-power-gpu-watts"
EFFICIENCY = "power-supply-efficiency"
CONTINUOUS = "circuit-continuous-share"
LANES = "desktop-pcie-lanes"
CIRCUITS = (
    ("circuit-15a-120v-watts", 15, 120),
    ("circuit-20a-120v-watts", 20, 120),
    ("circuit-16a-230v-watts", 16, 230),
)
"""Circuits of dwellings: the constant with the rating, amperes, volts."""
BTU_PER_H = 3.412142
"""British thermal units an hour in a watt."""

Assumptions = Mapping[str, Constant]
Links = Mapping[str, Interconnect]


@dataclass(frozen=True, slots=True)
class EqualMachines:
    """Equal machines in a row, and what one of them needs; ``None`` where nobody recorded it.

    Attributes:
        first: Number of the first, from 1.
        gpus_watts: Sum of the board powers.
        draw_watts: At the wall while busy; one value where it is the maker's limit.
        by_maker: Whether that is the maker's limit for the whole machine.
        supply_watts: Rating of the supply to buy at least; ``None`` too where it comes with one.
        slots: Expansion slots that its cards cover in their reference design.
        longest_mm: Of its cards.
        connectors: Power connectors of its cards, with how many cards have them.
        lanes: PCIe lanes that its cards take at their full width.
        wired_lanes: The same where every card has the link of this combo.
        coolers: Cards by cooler, ``active`` and ``passive``.
    """

    first: int
    count: int
    node: Node
    gpus_watts: int | None
    draw_watts: Interval | None
    by_maker: bool
    supply_watts: int | None
    slots: int | None
    longest_mm: int | None
    connectors: tuple[tuple[str, int], ...]
    lanes: int | None
    wired_lanes: int | None
    coolers: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Circuit:
    """A circuit: what it may carry for hours, and how many the whole combo needs at most."""

    amperes: int
    volts: int
    carries_watts: float
    needed: int


@dataclass(frozen=True, slots=True)
class Facilities:
    """All machines, the sum at the wall (``None`` where a machine's is not known), circuits."""

    machines: tuple[EqualMachines, ...]
    draw_watts: Interval | None
    circuits: tuple[Circuit, ...]


def facilities(combo: Combo, assumptions: Assumptions, links: Links) -> Facilities:
    """Compute what a combo asks of a room; what an assumption is missing for is left out."""
    machines = []
    first = 1
    for _, alike in groupby(combo.nodes, key=_kind):
        nodes = tuple(alike)
        machines.append(_machine(first, len(nodes), nodes[0], assumptions, links))
        first += len(nodes)
    whole = busy_watts(combo, assumptions)
    return Facilities(tuple(machines), whole, _circuits(machines, assumptions) if whole else ())


def busy_watts(combo: Combo, assumptions: Assumptions) -> Interval | None:
    """Sum what a combo draws at the wall while busy; ``None`` where a machine's is not known."""
    return _total(_busy(node, assumptions) for node in combo.nodes)


def waiting_watts(combo: Combo, assumptions: Assumptions) -> Interval | None:
    """Sum what a combo draws at the wall while it waits; ``None`` without the constants.

    Beside a chip that is a machine there are no other parts that wait.
    """
    return _total(_waiting(node, assumptions) for node in combo.nodes)


def _total(parts: Iterable[Interval | None]) -> Interval | None:
    watts = tuple(parts)
    known = [one for one in watts if one is not None]
    return Interval.total(known) if len(known) == len(watts) else None


def _kind(node: Node) -> tuple[object, ...]:
    gpus = tuple(one.gpu.id for one in node.gpus)
    return (gpus, node.link.id if node.link else "", node.max_watts)


def _machine(
    first: int, count: int, node: Node, assumptions: Assumptions, links: Links
) -> EqualMachines:
    cards = [one.gpu for one in node.gpus if one.gpu.body.form == "card"]
    watts = sum_if_known(one.gpu.tdp_watts for one in node.gpus)
    wired = node.link.lanes if node.link and node.link.lanes else None
    full = sum_if_known(links[card.bus].lanes if card.bus in links else None for card in cards)
    return EqualMachines(
        first,
        count,
        node,
        watts,
        _busy(node, assumptions),
        node.max_watts is not None,
        _supply(node, watts, assumptions),
        sum_if_known(card.body.slots for card in cards) if cards else None,
        max((card.body.length_mm for card in cards if card.body.length_mm), default=None),
        _counted(card.body.power_connectors for card in cards),
        full if cards else None,
        wired * len(cards) if wired and cards else None,
        _counted(card.body.cooler for card in cards),
    )


def _counted(words: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(word for word in words if word).items())


def sum_if_known(amounts: Iterable[int | None]) -> int | None:
    """Add amounts up; ``None`` where one of them is not known."""
    known = tuple(amounts)
    return None if None in known else sum(amount for amount in known if amount is not None)


def _made_whole(node: Node) -> bool:
    """Return whether a node comes with its power supply: a chip, or modules in their own server."""
    return all(one.gpu.body.form != "card" for one in node.gpus)


def _busy(node: Node, assumptions: Assumptions) -> Interval | None:
    """Sum what a machine draws while busy: the maker's limit, or its parts through the supply.

    The GPUs draw a share of their rated power: reading weights does not keep their cores busy.
    """
    if node.max_watts is not None:
        return Interval.exact(node.max_watts)
    rated = sum_if_known(one.gpu.tdp_watts for one in node.gpus)
    share, host = assumptions.get(BUSY_SHARE), assumptions.get(HOST)
    efficiency = assumptions.get(EFFICIENCY)
    if rated is None or share is None or host is None or efficiency is None or _made_whole(node):
        return None
    return share.value.times(rated).plus(host.value).over(efficiency.value)


def _waiting(node: Node, assumptions: Assumptions) -> Interval | None:
    waiting, host = assumptions.get(WAITING), assumptions.get(HOST)
    efficiency = assumptions.get(EFFICIENCY)
    if waiting is None or host is None or efficiency is None:
        return None
    gpus = waiting.value.times(len(node.gpus))
    if any(one.gpu.segment == "integrated" for one in node.gpus):
        return gpus
    return gpus.plus(Interval.exact(host.value.low)).over(efficiency.value)


def _supply(node: Node, watts: int | None, assumptions: Assumptions) -> int | None:
    allowance = assumptions.get(ALLOWANCE)
    if watts is None or allowance is None or node.max_watts is not None or _made_whole(node):
        return None
    return watts + int(allowance.value.high)


def _circuits(machines: Sequence[EqualMachines], assumptions: Assumptions) -> tuple[Circuit, ...]:
    """Count circuits of dwellings; none for a server that its maker feeds in other ways."""
    found, share = [], assumptions.get(CONTINUOUS)
    for name, amperes, volts in CIRCUITS:
        rating = assumptions.get(name)
        if rating is None or share is None:
            continue
        carries = rating.value.mid * share.value.mid
        needed = sum(_needed(one, carries) for one in machines)
        found.append(Circuit(amperes, volts, carries, needed))
    most = max((one.carries_watts for one in found), default=0.0)
    fed_otherwise = any(m.by_maker and m.draw_watts and m.draw_watts.high > most for m in machines)
    return () if fed_otherwise else tuple(found)


def _needed(machine: EqualMachines, carries: float) -> int:
    """Count circuits: several machines on one, or several for one with as many supplies."""
    draw = machine.draw_watts.high if machine.draw_watts else 0.0
    if draw <= carries:
        return ceil(machine.count / floor(carries / draw)) if draw else 0
    return ceil(draw / carries) * machine.count
