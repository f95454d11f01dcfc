"""Machines for the first questions about a model: smallest, cheapest, fastest, serving.

Source:
    Decision 54. The picks are those of the survey; here machines are chosen among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.ownership.prices import Cost, build_to_buy
from sitegen.physics.plan import ParallelPlan
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.results import ModelOnCombo
from sitegen.survey.verdict_policy import MANY, batches
from sitegen.values import dataclass

ROOM_TOKENS = 32_768
"""Context that a machine must have room for, or all that the model has."""
LARGER = 1.5
"""How much more memory than the smallest a machine for many users may have to be called cheap.

Machines that are right may have no price; one that is far too large is no answer for having one.
"""
NEARLY = Decimal("1.1")
"""Prices up to so many times the lowest count as equal to it (decision 54)."""
BUDGETS_USD = (250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000)
"""Amounts for which the fastest machine is sought."""
TRIED = 5
"""Usual machines that are offered to whoever writes commands."""
NOTHING = Interval(0.0, 0.0, 0.0)


class GoalAmounts(StrEnum):
    """The standard to which the compared machines run the model, best first."""

    WELL = "well"
    """Comfortable, with room for ``ROOM_TOKENS`` and as fast as an answer must be."""
    COMFORTABLE = "comfortable"
    ANYHOW = "anyhow"
    """Borderline."""


@dataclass(frozen=True, slots=True)
class OnMachine:
    """A pick on a machine; ``assessment`` is ``None`` where the machine is none of the catalog's.

    ``speed`` is that of one stream, zero where nothing is known of it.
    """

    machine: Combo
    model: LanguageModel
    checkpoint: Checkpoint
    runtime: Runtime
    plan: ParallelPlan | None
    tier: FitTier
    too_close: bool
    context_tokens: int
    speed: Interval
    cost: Cost
    assessment: Assessment | None

    @property
    def usd(self) -> Decimal | None:
        """What somebody saw it cost."""
        return self.cost.seen_usd

    @property
    def users(self) -> int:
        """Full contexts of ``ROOM_TOKENS`` at once, as far as they were counted."""
        best = self.assessment.best if self.assessment else None
        return best.users[ROOM_TOKENS][0] if best and ROOM_TOKENS in best.users else 0

    @property
    def total_speed(self) -> float:
        """Tokens/s of all streams together, at the middle estimate."""
        speed = self.assessment.speed if self.assessment else None
        return speed.aggregate_tokens_per_s.mid if speed else 0.0

    @property
    def is_consumer(self) -> bool:
        """Whether all its GPUs are for desktops."""
        gpus = [one.gpu for one in self.machine.gpus]
        return all(g.segment == "consumer" and g.body.form != "laptop" for g in gpus)


@dataclass(frozen=True, slots=True)
class Budget:
    """The fastest machine for so much money."""

    usd: int
    best: OnMachine


@dataclass(frozen=True, slots=True)
class BestMachines:
    """The machines that answer; each is ``None`` where no machine does.

    Attributes:
        asks: The amounts that all but those of ``usual`` were chosen from.
        smallest: Least installed memory.
        cheapest: Lowest price seen.
        consumer: The fastest of the fewest consumer GPUs in one machine.
        serving: For ``MANY`` users at the speed that is asked for, picked for them and under a
            runtime that batches where any does it. Of the cheapest, the one of fewest computers
            (prices of GPUs leave computers out), then the fastest; or the smallest where no
            machine up to ``LARGER`` times as large has a price.
        budgets: Each budget that buys a faster machine than the one before.
        usual: Machines of one kind of GPU, the kind first that most combos have.
    """

    asks: GoalAmounts
    smallest: OnMachine
    cheapest: OnMachine | None
    consumer: OnMachine | None
    serving: OnMachine | None
    budgets: tuple[Budget, ...]
    usual: tuple[Assessment, ...]


def machines_for(
    rows: Sequence[ModelOnCombo], needs: Iterable[GpusNeeded], floor_tokens_per_s: float
) -> BestMachines | None:
    """Choose machines for a model from combos and from counts of GPUs; ``None`` without any."""
    on_combos = [_of_row(row) for row in rows if row.tier is not FitTier.NOT_PRACTICAL]
    known = [*on_combos, *(_of_need(need) for need in needs)]
    comfortable = [one for one in known if one.tier is FitTier.COMFORTABLE]
    well = [one for one in comfortable if _is_well(one, floor_tokens_per_s)]
    serving = _serving(rows, floor_tokens_per_s)
    for asks, pool in (
        (GoalAmounts.WELL, well),
        (GoalAmounts.COMFORTABLE, comfortable),
        (GoalAmounts.ANYHOW, known),
    ):
        if pool:
            return _chosen(asks, pool, serving)
    return None


def _serving(rows: Sequence[ModelOnCombo], floor: float) -> OnMachine | None:
    """Choose the machine for many users from picks for them, and other picks where none was made.

    Runtimes that batch come first, as everywhere: llama.cpp holds as many contexts on old cards,
    and nobody serves so (decision 54).
    """
    picks = (row.for_many or row.pick for row in rows if not row.too_close)
    clear = (one for one in picks if one.tier is FitTier.COMFORTABLE and not one.too_close)
    found = [_of_pick(one) for one in clear]
    many = [one for one in found if one.users >= MANY and one.total_speed >= MANY * floor]
    batched = [one for one in many if batches(one.runtime)] or many
    smallest = min(batched, key=_size, default=None)
    if smallest is None:
        return None
    most_bytes = LARGER * smallest.machine.installed_vram_bytes
    within = [one for one in batched if one.machine.installed_vram_bytes <= most_bytes]
    priced = [(one.usd, one) for one in within if one.usd is not None]
    if not priced:
        return smallest
    enough = NEARLY * min(usd for usd, _ in priced)
    near = [one for usd, one in priced if usd <= enough]
    return min(near, key=lambda one: (len(one.machine.nodes), -one.total_speed, *_price(one)))


def _is_well(on_machine: OnMachine, floor: float) -> bool:
    room = min(ROOM_TOKENS, on_machine.model.context_tokens)
    return (
        not on_machine.too_close
        and on_machine.context_tokens >= room
        and on_machine.speed.mid >= floor
    )


def _chosen(
    asks: GoalAmounts, pool: Sequence[OnMachine], serving: OnMachine | None
) -> BestMachines:
    priced = [on_machine for on_machine in pool if on_machine.usd is not None]
    consumer = [
        on_machine
        for on_machine in pool
        if on_machine.is_consumer and len(on_machine.machine.nodes) == 1
    ]
    fewest = min((len(on_machine.machine.gpus) for on_machine in consumer), default=0)
    return BestMachines(
        asks=asks,
        smallest=min(pool, key=_size),
        cheapest=min(priced, key=_price, default=None),
        consumer=max(
            (on_machine for on_machine in consumer if len(on_machine.machine.gpus) == fewest),
            key=lambda one: (one.speed.mid, one.assessment is not None),
            default=None,
        ),
        serving=serving,
        budgets=_budgets(priced),
        usual=_usual(pool),
    )


def _size(on_machine: OnMachine) -> tuple[int, int, Decimal, bool, str]:
    gpus = len(on_machine.machine.gpus)
    usd = on_machine.usd if on_machine.usd is not None else Decimal("Infinity")
    return (
        on_machine.machine.installed_vram_bytes,
        gpus,
        usd,
        on_machine.assessment is None,
        on_machine.machine.id,
    )


def _price(on_machine: OnMachine) -> tuple[Decimal, int, float, bool, str]:
    """Order machines by the price of their GPUs; more system RAM, which costs more, comes last."""
    return (
        on_machine.usd or Decimal(0),
        sum(node.ram_bytes or 0 for node in on_machine.machine.nodes),
        -on_machine.speed.mid,
        on_machine.assessment is None,
        on_machine.machine.id,
    )


def _budgets(priced: Sequence[OnMachine]) -> tuple[Budget, ...]:
    budgets: list[Budget] = []
    for usd in BUDGETS_USD:
        within = [one for one in priced if one.usd is not None and one.usd <= usd]
        best = min(within, key=lambda one: (-one.speed.mid, *_price(one)), default=None)
        if best is not None and (not budgets or budgets[-1].best is not best):
            budgets.append(Budget(usd, best))
    return tuple(budgets)


def _usual(pool: Sequence[OnMachine]) -> tuple[Assessment, ...]:
    """List combos of equal GPUs: with a file to download, of the commonest kind, fewest first."""
    kinds = Counter(
        on_machine.machine.gpus[0].gpu.id
        for on_machine in pool
        if on_machine.assessment is not None
    )

    def place(assessment: Assessment) -> tuple[bool, int, int, str]:
        combo = assessment.combo
        unpublished = not assessment.checkpoint.is_published
        return (unpublished, -kinds[combo.gpus[0].gpu.id], len(combo.gpus), combo.id)

    equal = (
        on_machine.assessment
        for on_machine in pool
        if on_machine.assessment is not None
        and len(on_machine.machine.nodes) == 1
        and len({gpu.gpu.id for gpu in on_machine.machine.gpus}) == 1
    )
    return tuple(sorted(equal, key=place)[:TRIED])


def _of_row(row: ModelOnCombo) -> OnMachine:
    found = _of_pick(row.pick)
    return replace(found, tier=row.tier, too_close=row.too_close)


def _of_pick(pick: Assessment) -> OnMachine:
    return OnMachine(
        machine=pick.combo,
        model=pick.model,
        checkpoint=pick.checkpoint,
        runtime=pick.runtime,
        plan=pick.plan,
        tier=pick.tier,
        too_close=pick.too_close,
        context_tokens=pick.limits.max_context_tokens if pick.limits else 0,
        speed=pick.speed.single_tokens_per_s if pick.speed else NOTHING,
        cost=build_to_buy(pick.combo),
        assessment=pick,
    )


def _of_need(need: GpusNeeded) -> OnMachine:
    return OnMachine(
        machine=need.machine,
        model=need.model,
        checkpoint=need.checkpoint,
        runtime=need.runtime,
        plan=need.plan,
        tier=need.tier,
        too_close=need.too_close,
        context_tokens=need.max_context_tokens,
        speed=need.single_tokens_per_s,
        cost=build_to_buy(need.machine),
        assessment=None,
    )
