"""Money: what a combo costs to buy and to run under a stated load, against an API's price."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Node
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.ownership import cost
from sitegen.ownership.power_and_space import busy_watts, waiting_watts
from sitegen.ownership.prices import build_to_buy
from sitegen.site.cells import Absent, Cell, Lines, Link, NumberCell, Parts, Small, Unit, span
from sitegen.site.content.references import Directive, NotUnderstood
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import look_up
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.running_costs import around_cards
from sitegen.site.tables.side_by_side import TableQuestion, answer_of
from sitegen.site.urls import url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.prices import basis_words
from sitegen.site.words.verdicts import row_link
from sitegen.values import dataclass

OPTIONS = ("model", "checkpoint", "runtime", "split", "combos", "hours", "read", "streams")
NOTHING_TO_SAY = Absent("price or power not recorded")


@dataclass(frozen=True, slots=True)
class DutyCycle:
    """Load of a machine: hours of work a day, tokens read for each one written."""

    hours: float
    read_per_written: float
    all_streams: bool

    @property
    def words(self) -> str:
        """The load, as a caption says it."""
        streams = "as many users as it can serve" if self.all_streams else "one user"
        return (
            f"{self.hours:g} busy hours a day with {streams}, "
            f"{self.read_per_written:g} input tokens for each output token"
        )


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of a load on a combo; every interval runs from the best case to the worst.

    ``break_even_months`` has ``None`` where the machine never pays for itself.
    """

    found: Assessment
    hardware_usd: Interval
    busy_watts: Interval
    idle_watts: Interval
    tokens_per_s: Interval
    tokens_a_month: Interval
    electricity_usd: Interval
    bought_usd: Interval
    break_even_months: tuple[float | None, float | None, float | None]


def costs_table(inputs: SiteInputs, directive: Directive, *, id: str) -> Table:
    """List combos with price, electricity and break-even under the load that is stated."""
    load = load_of(directive)
    return table_of(costs_by_combo(inputs, directive, load), load, id=id)


def costs_by_combo(
    inputs: SiteInputs, directive: Directive, load: DutyCycle
) -> tuple[tuple[Combo, Costs | None], ...]:
    """Compute what a load costs on each combo that a directive names."""
    known = inputs.catalog.combos
    combos = (look_up(known, "combo", id_) for id_ in directive.ids("combos"))
    return tuple((one, costs_of(inputs, directive, one, load)) for one in combos)


def table_of(found: Iterable[tuple[Combo, Costs | None]], load: DutyCycle, *, id: str) -> Table:
    """List what a load costs."""
    columns = (
        Column("Machine", note="plan", key="combo"),
        Column("To buy", numeric=True, note="GPUs and machine"),
        Column("Output", key="written", numeric=True, note="tokens a month"),
        Column("Electricity", numeric=True, note="a month"),
        Column("API cost", numeric=True, note="a month", key="from_an_api"),
        Column("Break-even", numeric=True),
    )
    rows = tuple(_row(combo, costs) for combo, costs in found)
    return Table(id, "Cost of a workload", columns, rows, note=f"The workload: {load.words}.")


def load_of(directive: Directive) -> DutyCycle:
    """Read the load that a directive states.

    Raises:
        NotUnderstood: If it is none.
    """
    hours, read = directive.required("hours"), directive.required("read")
    streams = directive.required("streams")
    if streams not in {"one", "all"}:
        raise NotUnderstood(f"streams={streams} is neither one nor all")
    for word in (hours, read):
        if not word.replace(".", "", 1).isdecimal():
            raise NotUnderstood(f"{word} is not a number")
    if not 0 < float(hours) <= 24:
        raise NotUnderstood(f"hours={hours} are not within a day")
    return DutyCycle(float(hours), float(read), streams == "all")


def costs_of(
    inputs: SiteInputs, directive: Directive, combo: Combo, load: DutyCycle
) -> Costs | None:
    """Compute what a load costs on a combo; ``None`` where price, power or speed is unknown."""
    model = look_up(inputs.catalog.models, "model", directive.required("model"))
    words = {name: directive.options.get(name, "") for name in ("checkpoint", "runtime", "split")}
    assessment = answer_of(inputs, model, TableQuestion(combo.id, **words))
    hardware = hardware_usd(combo, inputs.catalog)
    busy = busy_watts(combo, inputs.catalog.assumptions)
    idle = waiting_watts(combo, inputs.catalog.assumptions)
    speed = _written_tokens_per_s(assessment, load)
    if hardware is None or busy is None or idle is None or speed is None:
        return None
    known = {name: one.value for name, one in inputs.catalog.assumptions.items()}
    price = known["electricity-price-usd-per-kwh"]
    written = Interval(*(cost.written_tokens_a_month(s, load.hours) for s in speed.bounds))
    running = Interval(
        *(
            cost.electricity_usd_a_month(busy_w, idle_w, load.hours, usd)
            for busy_w, idle_w, usd in zip(busy.bounds, idle.bounds, price.bounds, strict=True)
        )
    )
    read, wrote = (known[f"price-api-70b-{what}-usd-per-1m"] for what in ("read", "written"))
    bought = Interval(
        *(
            cost.bought_usd_a_month(tokens, load.read_per_written, a, b)
            for tokens, a, b in zip(written.bounds, read.bounds, wrote.bounds, strict=True)
        )
    )
    months = tuple(
        cost.break_even_months(buy, replaced_usd_a_month=saved, running_usd_a_month=spent)
        for buy, saved, spent in (
            (hardware.low, bought.high, running.low),
            (hardware.mid, bought.mid, running.mid),
            (hardware.high, bought.low, running.high),
        )
    )
    return Costs(
        assessment, hardware, busy, idle, speed, written, running, bought,
        (months[0], months[1], months[2]),
    )  # fmt: skip


def hardware_usd(combo: Combo, catalog: Catalog) -> Interval | None:
    """Add the machines to what the GPUs cost; ``None`` where a price in dollars is not known."""
    price = build_to_buy(combo)
    if price.amount is None or price.currency != "USD":
        return None
    hosts = [
        around_cards(node, catalog.assumptions)
        for node in combo.nodes
        if price.parts and not _is_machine(node)
    ]
    return Interval.total([Interval.exact(float(price.amount)), *hosts])


def _is_machine(node: Node) -> bool:
    """Return whether its GPU is part of a chip that is sold as a whole machine."""
    return any(one.gpu.segment == "integrated" for one in node.gpus)


def _written_tokens_per_s(assessment: Assessment, load: DutyCycle) -> Interval | None:
    speed, plan = assessment.speed, assessment.plan
    if speed is None or plan is None or speed.prefill_tokens_per_s is None:
        return None
    decode = speed.aggregate_tokens_per_s if load.all_streams else speed.single_tokens_per_s
    replicas = plan.replicas if load.all_streams else 1
    prefill = speed.prefill_tokens_per_s
    return Interval(
        *(
            cost.written_tokens_per_s(d, replicas * p, load.read_per_written)
            for d, p in zip(decode.bounds, prefill.bounds, strict=True)
        )
    )


def _row(combo: Combo, costs: Costs | None) -> Row:
    if costs is None:
        head = Link(url_of("combo", combo.id), combo.name)
        return Row((head, *(NOTHING_TO_SAY for _ in range(5))))
    plan = plan_words(costs.found.plan) if costs.found.plan else ""
    busy = span(costs.busy_watts, Unit.WATTS, with_mid=True)
    idle = span(costs.idle_watts, Unit.WATTS)
    power = (busy, " under load, ", idle, " idle")
    return Row(
        (
            Lines((Link(row_link(costs.found), combo.name), Small(plan), Small(Parts(power)))),
            Lines((span(costs.hardware_usd, Unit.USD), Small(_priced(combo)))),
            span(costs.tokens_a_month, Unit.MILLIONS),
            span(costs.electricity_usd, Unit.USD),
            span(costs.bought_usd, Unit.USD),
            _months(costs),
        )
    )


def _priced(combo: Combo) -> str:
    price = build_to_buy(combo)
    return basis_words(price) if not price.parts else f"GPUs {basis_words(price)}"


LONGEST_MONTHS = 120
"""After ten years hardware is worn or outdated; nobody counts further."""


def _months(costs: Costs) -> Cell:
    """Print when a machine has paid for itself: best case, and what may as well happen."""
    best, middle, worst = costs.break_even_months
    if best is None:
        return "never"
    if best > LONGEST_MONTHS:
        return "not in ten years"
    first = NumberCell(best, Unit.MONTHS)
    if worst is None:
        return Lines((Parts((first, " at best")), Small(Parts(("more likely ", _after(middle))))))
    return Lines((first, Small(Parts(("at worst ", _after(worst))))))


def _after(months: float | None) -> Cell:
    if months is None:
        return "never"
    return NumberCell(months, Unit.MONTHS) if months <= LONGEST_MONTHS else "after ten years"
