"""Power, cooling and space of a combo, as its page and its twin show them."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.hardware import Combo
from sitegen.ownership.power_and_space import (
    BTU_PER_H,
    BUSY_SHARE,
    EFFICIENCY,
    HOST,
    LANES,
    Assumptions,
    EqualMachines,
    Facilities,
)
from sitegen.site.cells import Absent, Cell, NumberCell, Parts, Span, Unit, joined, span
from sitegen.site.json.schema.pages import Facilities as FacilitiesShape
from sitegen.site.json.shaped import shaped
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import Column, Row, Table

REFERENCE = "reference cards"


def facilities_table(combo: Combo, facilities: Facilities, assumptions: Assumptions) -> Table:
    """List power, circuits, heat and room, of each kind of machine and of all together."""
    columns = (
        Column("Requirement"),
        Column("Amount"),
        Column("Basis", prose=True),
    )
    rows = [
        row for machine in facilities.machines for row in _machine_rows(combo, machine, assumptions)
    ]
    rows += _whole_rows(facilities, several=len(combo.nodes) > 1)
    return Table("facilities", "Power and room", columns, tuple(rows))


def _machine_rows(combo: Combo, machine: EqualMachines, assumptions: Assumptions) -> Iterator[Row]:
    where = _where(combo, machine)
    watts = [one.gpu.tdp_watts for one in machine.node.gpus]
    if machine.gpus_watts is not None:
        chip = machine.node.gpus[0].gpu.segment == "integrated" and len(watts) == 1
        name = "Power of the chip" if chip else "Power of the GPUs"
        yield Row((name + where, NumberCell(machine.gpus_watts, Unit.WATTS), _sum(watts)))
    yield Row((f"At the wall, under load{where}", *_draw(machine, assumptions)))
    if machine.supply_watts is not None:
        rest = machine.supply_watts - (machine.gpus_watts or 0)
        how = Parts(
            (
                "board power and ",
                NumberCell(rest, Unit.WATTS),
                " for the other parts and for power spikes",
            )
        )
        cell = Parts((NumberCell(machine.supply_watts, Unit.WATTS), " or more"))
        yield Row((f"Power supply{where}", cell, how))
    if machine.connectors:
        words = (
            f"{name}, on {count} card{'s' if count > 1 else ''}"
            for name, count in machine.connectors
        )
        yield Row((f"Power connectors{where}", "; ".join(words), REFERENCE))
    if machine.slots is not None:
        yield Row((f"Slots covered{where}", NumberCell(machine.slots, Unit.COUNT), REFERENCE))
    if machine.longest_mm is not None:
        yield Row(
            (f"Longest card{where}", NumberCell(machine.longest_mm, Unit.MILLIMETRES), REFERENCE)
        )
    if machine.lanes is not None:
        yield _lanes(machine, where, assumptions)
    for word, count in machine.coolers:
        yield Row((f"Cooling{where}", f"{count} × {word}", COOLERS.get(word, word)))


COOLERS = {
    "active": "the cards have their own fans",
    "passive": "no fans on the cards: the case fans must blow air through them",
}


def _where(combo: Combo, machine: EqualMachines) -> str:
    if len(combo.nodes) == 1:
        return ""
    if machine.count == len(combo.nodes):
        return ", each machine"
    if machine.count == 1:
        return f", node {machine.first}"
    return f", each of nodes {machine.first} to {machine.first + machine.count - 1}"


def _sum(watts: list[int | None]) -> Cell:
    """Say what a sum is made of: ``2 × 350 W + 450 W``."""
    if len(watts) == 1:
        return "alone"
    counts = {one: watts.count(one) for one in watts if one is not None}
    parts: list[Cell] = [
        Parts((f"{count} × " if count > 1 else "", NumberCell(one, Unit.WATTS)))
        for one, count in counts.items()
    ]
    return joined(tuple(parts), separator=" + ")


def _draw(machine: EqualMachines, assumptions: Assumptions) -> tuple[Cell, Cell]:
    draw = machine.draw_watts
    if draw is None:
        return Absent(), "we found no figure from the maker for the whole machine"
    if machine.by_maker:
        most = Parts(("at most ", NumberCell(draw.high, Unit.WATTS)))
        return most, "the maker's figure for the whole machine"
    drawn, host, passed = (assumptions[name].value for name in (BUSY_SHARE, HOST, EFFICIENCY))
    how = (
        span(drawn, Unit.PERCENT),
        " of the GPUs' power and ",
        span(host, Unit.WATTS),
        " for the other parts, with a power supply efficiency of ",
        span(passed, Unit.PERCENT),
    )
    return span(draw, Unit.WATTS, with_mid=True), Parts(how)


def _lanes(machine: EqualMachines, where: str, assumptions: Assumptions) -> Row:
    full = NumberCell(machine.lanes or 0, Unit.COUNT)
    value: Cell = full
    if machine.wired_lanes is not None and machine.wired_lanes != machine.lanes:
        wired = NumberCell(machine.wired_lanes, Unit.COUNT)
        value = Parts((wired, " as wired here, ", full, " at full width"))
    desktop = assumptions.get(LANES)
    how: Cell = ""
    if desktop is not None:
        how = Parts(("a desktop processor has ", span(desktop.value, Unit.COUNT)))
    return Row((f"PCIe lanes{where}", value, how))


def _whole_rows(facilities: Facilities, *, several: bool) -> Iterator[Row]:
    draw = facilities.draw_watts
    if draw is None:
        return
    if several:
        yield Row(
            (
                "At the wall, all machines",
                span(draw, Unit.WATTS, with_mid=True),
                "sum of the machines",
            )
        )
    heat = Span(draw.low * BTU_PER_H, draw.mid * BTU_PER_H, draw.high * BTU_PER_H, Unit.BTU_PER_H)
    single = draw.low == draw.high
    most: Cell = Parts(("at most ", NumberCell(heat.high, Unit.BTU_PER_H))) if single else heat
    yield Row(("Heat into the room", most, "all electric power becomes heat"))
    for one in facilities.circuits:
        carries = NumberCell(one.carries_watts, Unit.WATTS)
        value = "one is enough" if one.needed == 1 else f"{one.needed} needed"
        how = Parts(("each carries ", carries, " continuously"))
        yield Row((f"{one.amperes} A circuits at {one.volts} V", value, how))


def twin(facilities: Facilities) -> PlainJson:
    """Return the same as data, in watts."""
    return shaped(FacilitiesShape, facilities)
