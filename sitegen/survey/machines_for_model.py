"""Which machines answer the first questions about a model: smallest, cheapest, fastest, serving.

Source:
    Decision 54. The picks are those of the survey; here machines are chosen among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.ownership.prices import FIRST_CURRENCY, Basis, Cost, build_to_buy
from sitegen.physics.plan import ParallelPlan
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.results import ModelOnCombo
from sitegen.survey.verdict_policy import is_published
from sitegen.values import dataclass

ROOM_TOKENS = 32_768
"""Context that a machine must have room for, or all that the model has."""
MANY = 16
"""Full contexts of ``ROOM_TOKENS`` that a machine for many users holds at once."""
BUDGETS_USD = (250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000)
"""Amounts for which the fastest machine is sought."""
TRIED = 5
"""Usual machines that are offered to whoever writes commands."""
NOTHING = Interval(0.0, 0.0, 0.0)


class GoalAmounts(StrEnum):
    """How much the machines chosen from give."""

    WELL = "well"
    """Comfortable, with room for ``ROOM_TOKENS`` and as fast as an answer must be."""
    COMFORTABLE = "comfortable"
    ANYHOW = "anyhow"
    """Borderline."""


@dataclass(frozen=True, slots=True)
class OnMachine:
    """A pick on a machine; ``found`` is ``None`` where the machine is none of the catalog's.

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
    found: Assessment | None

    @property
    def usd(self) -> Decimal | None:
        """What was seen asked or paid for it; a price at launch is none that anybody saw."""
        if self.cost.currency != FIRST_CURRENCY or Basis.LAUNCH in self.cost.bases:
            return None
        return self.cost.amount

    @property
    def users(self) -> int:
        """Full contexts of ``ROOM_TOKENS`` at once, as far as they were counted."""
        best = self.found.best if self.found else None
        return best.users[ROOM_TOKENS][0] if best and ROOM_TOKENS in best.users else 0

    @property
    def total_speed(self) -> float:
        """Tokens/s of all streams together, at the middle estimate."""
        speed = self.found.speed if self.found else None
        return speed.aggregate_tokens_per_s.mid if speed else 0.0

    @property
    def is_consumer(self) -> bool:
        """Whether all its GPUs are cards for desktops."""
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
        asks: What all but those of ``usual`` were chosen from.
        smallest: Least installed memory.
        cheapest: Lowest price seen.
        consumer: The fastest of the fewest consumer GPUs in one machine.
        serving: The cheapest for ``MANY`` users at the speed that is asked for, or the smallest
            where none of those has a price.
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
    for asks, pool in (
        (GoalAmounts.WELL, well),
        (GoalAmounts.COMFORTABLE, comfortable),
        (GoalAmounts.ANYHOW, known),
    ):
        if pool:
            return _chosen(asks, pool, floor_tokens_per_s)
    return None


def _is_well(one: OnMachine, floor: float) -> bool:
    room = min(ROOM_TOKENS, one.model.context_tokens)
    return not one.too_close and one.context_tokens >= room and one.speed.mid >= floor


def _chosen(asks: GoalAmounts, pool: Sequence[OnMachine], floor: float) -> BestMachines:
    priced = [one for one in pool if one.usd is not None]
    cards = [one for one in pool if one.is_consumer and len(one.machine.nodes) == 1]
    fewest = min((len(one.machine.gpus) for one in cards), default=0)
    many = [one for one in pool if one.users >= MANY and one.total_speed >= MANY * floor]
    return BestMachines(
        asks=asks,
        smallest=min(pool, key=_size),
        cheapest=min(priced, key=_price, default=None),
        consumer=max(
            (one for one in cards if len(one.machine.gpus) == fewest),
            key=lambda one: (one.speed.mid, one.found is not None),
            default=None,
        ),
        serving=min((one for one in many if one.usd is not None), key=_price, default=None)
        or min(many, key=_size, default=None),
        budgets=_budgets(priced),
        usual=_usual(pool),
    )


def _size(one: OnMachine) -> tuple[int, int, Decimal, bool, str]:
    gpus = len(one.machine.gpus)
    usd = one.usd if one.usd is not None else Decimal("Infinity")
    return (one.machine.installed_vram_bytes, gpus, usd, one.found is None, one.machine.id)


def _price(one: OnMachine) -> tuple[Decimal, float, bool, str]:
    return (one.usd or Decimal(0), -one.speed.mid, one.found is None, one.machine.id)


def _budgets(priced: Sequence[OnMachine]) -> tuple[Budget, ...]:
    found: list[Budget] = []
    for usd in BUDGETS_USD:
        within = [one for one in priced if one.usd is not None and one.usd <= usd]
        best = min(within, key=lambda one: (-one.speed.mid, *_price(one)), default=None)
        if best is not None and (not found or found[-1].best is not best):
            found.append(Budget(usd, best))
    return tuple(found)


def _usual(pool: Sequence[OnMachine]) -> tuple[Assessment, ...]:
    """List combos of equal GPUs: with a file to download, of the commonest kind, fewest first."""
    kinds = Counter(one.machine.gpus[0].gpu.id for one in pool if one.found is not None)

    def place(found: Assessment) -> tuple[bool, int, int, str]:
        combo = found.combo
        unpublished = not is_published(found.checkpoint)
        return (unpublished, -kinds[combo.gpus[0].gpu.id], len(combo.gpus), combo.id)

    equal = (
        one.found
        for one in pool
        if one.found is not None
        and len(one.machine.nodes) == 1
        and len({gpu.gpu.id for gpu in one.machine.gpus}) == 1
    )
    return tuple(sorted(equal, key=place)[:TRIED])


def _of_row(row: ModelOnCombo) -> OnMachine:
    pick = row.pick
    return OnMachine(
        machine=pick.combo,
        model=pick.model,
        checkpoint=pick.checkpoint,
        runtime=pick.runtime,
        plan=pick.plan,
        tier=pick.tier,
        too_close=row.too_close,
        context_tokens=pick.limits.max_context_tokens if pick.limits else 0,
        speed=pick.speed.single_tokens_per_s if pick.speed else NOTHING,
        cost=build_to_buy(pick.combo),
        found=pick,
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
        found=None,
    )
