"""The break-even calculator: a computed table, and a form in which a reader changes the load.

Without a script the table stays; the form is filled with the first combo's figures and computes
with the functions of ``sitegen.ownership.cost``, translated.
"""

from __future__ import annotations

from sitegen.site.content.references import Directive, NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.table import Table
from sitegen.site.tables.costs import Costs, costs_by_combo, load_of, table_of
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class CalculatorInput:
    """An input: its name, its label with the unit, its first value, and the most it may be."""

    name: str
    label: str
    value: float
    most: float
    decimals: int = 0


@dataclass(frozen=True, slots=True)
class Calculator:
    """A table of costs, and the fields of the form below it."""

    table: Table
    fields: tuple[CalculatorInput, ...]
    filled_with: str


def calculator(inputs: SiteInputs, directive: Directive, *, id: str) -> Calculator:
    """Make the table of a load and a form that begins with its first combo.

    Raises:
        NotUnderstood: If price, power or speed of that combo is not recorded.
    """
    load = load_of(directive)
    directive.required("combos")
    found = costs_by_combo(inputs, directive, load)
    combo, costs = found[0]
    if costs is None:
        raise NotUnderstood(f"{combo.id} has no recorded price, power or speed to begin with")
    fields = _fields(inputs, costs, load.hours, load.read_per_written)
    return Calculator(table_of(found, load, id=id), fields, costs.found.combo.name)


def _fields(
    inputs: SiteInputs, costs: Costs, hours: float, read_per_written: float
) -> tuple[CalculatorInput, ...]:
    mid = {name: one.value.mid for name, one in inputs.catalog.assumptions.items()}
    read, written = (mid[f"price-api-70b-{what}-usd-per-1m"] for what in ("read", "written"))
    return (
        CalculatorInput("hardware", "To buy, USD", costs.hardware_usd.mid, 1e7),
        CalculatorInput("busy", "Power under load, W", costs.busy_watts.mid, 1e6),
        CalculatorInput("idle", "Power when idle, W", costs.idle_watts.mid, 1e6),
        CalculatorInput("hours", "Busy, hours a day", hours, 24, 1),
        CalculatorInput("speed", "Output under load, tokens/s", costs.tokens_per_s.mid, 1e6, 1),
        CalculatorInput("read", "Input tokens per output token", read_per_written, 1e4, 1),
        CalculatorInput("kwh", "Electricity, USD/kWh", mid["electricity-price-usd-per-kwh"], 10, 3),
        CalculatorInput("api-read", "API, USD per million input tokens", read, 1e4, 2),
        CalculatorInput("api-written", "API, USD per million output tokens", written, 1e4, 2),
    )  # fmt: skip
