"""The few figures of a combo that a buyer asks for first: memory, money, watts."""

from __future__ import annotations

from sitegen.site.cells import Cell, Lines, NumberCell, Parts, Small, Unit, span
from sitegen.site.tables.combos import effective_vram
from sitegen.site.tables.running_costs import RunningCosts
from sitegen.site.words.prices import cost_cell
from sitegen.survey.results import ComboSurvey


def key_facts(survey: ComboSurvey, costs: RunningCosts) -> tuple[tuple[str, Cell], ...]:
    """List memory, what the GPUs and the whole machine cost, and what they draw."""
    combo = survey.combo
    installed = NumberCell(combo.installed_vram_bytes, Unit.GIB)
    one = Small(Parts((effective_vram(survey), " for one model")))
    found: list[tuple[str, Cell]] = [("GPU memory", Lines((installed, one)))]
    whole = not costs.to_buy.parts or all(one.gpu.segment == "integrated" for one in combo.gpus)
    if costs.to_buy.amount is not None:
        found.append(("Machine to buy" if whole else "GPUs to buy", cost_cell(costs.to_buy)))
    if costs.whole_usd is not None:
        found.append(("With the rest of the machine", span(costs.whole_usd, Unit.USD)))
    if costs.to_rent.amount is not None:
        found.append(("GPUs to rent", cost_cell(costs.to_rent, an_hour=True)))
    if costs.watts is not None:
        mid = NumberCell(costs.watts.mid, Unit.WATTS)
        varies = costs.watts.low < costs.watts.high
        bounds: tuple[Cell, ...] = (span(costs.watts, Unit.WATTS), ", ") if varies else ()
        wall = Small(Parts((*bounds, "at the wall")))
        found.append(("Power under load", Lines((mid, wall))))
    return tuple(found)
