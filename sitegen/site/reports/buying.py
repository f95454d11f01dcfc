"""The rows that a buyer chooses among: every machine that is judged, with its price and models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sitegen.catalog.domain.hardware import Combo, Gpu, Node, UnifiedMemory
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.catalog.domain.provenance import Constant
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.ownership.prices import FIRST_CURRENCY, Basis, Cost, build_to_buy
from sitegen.quality.values import Use
from sitegen.site.inputs import SiteInputs
from sitegen.site.tables.running_costs import CARDS_OF_HOST, HOST, around_cards
from sitegen.site.urls import url_of
from sitegen.site.words.prices import basis_words
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.best_for_use import Candidates
from sitegen.survey.buying import CONTEXTS, Build, Offer, Wanted
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass

NEEDED = ("answer-rating-step", "answer-speed-tokens-per-s", "answer-context-tokens")
"""Constants without which no model may be called best: a catalog without them ranks nothing."""
MOST_GPUS = 4
"""Cards that a desktop case and its circuit take."""
COUNTS = (1, 2, 4, 8)
"""Counts of one GPU that are offered where no combo has them."""
MOST_DIGITS = 17
"""Digits from which a float is exact."""
SERVER = "price-host-h100-node-usd"
DESKTOP = frozenset({"consumer", "workstation", "integrated"})
"""Segments whose cards bring fans of their own, or are part of a computer."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The builds and uses that a buyer may choose from.

    Attributes:
        models: Id and name, in the order that offers count.
        ratings: Points by use, half of their interval and the general ones, in the same order.
        builds: Every build with what it runs comfortably.
        step: Points that count as equal.
        least_speed: Tokens/s below which an answer is too slow to read along.
    """

    models: tuple[tuple[str, str], ...]
    ratings: tuple[Mapping[str, tuple[float, float, float | None]], ...]
    builds: tuple[Build, ...]
    step: float
    least_speed: float


@dataclass(frozen=True, slots=True)
class Asked:
    """The question that the page begins with, and the choices that it offers."""

    shelf: Shelf
    wanted: Wanted
    use_words: str


def shelf(inputs: SiteInputs) -> Shelf:
    """Put together what is judged: the combos, then counts of GPUs that no combo has.

    Of the counts those whose price somebody saw; of models those that are rated for some use.
    """
    engine, assumptions = inputs.engine, inputs.catalog.assumptions
    if any(name not in assumptions for name in NEEDED):
        return Shelf((), (), (), 0.0, 0.0)
    rated = [(one, _ratings(engine, one)) for one in inputs.catalog.surveyed_models if not one.base]
    models = [one for one, points in rated if points]
    places = {one.id: at for at, one in enumerate(models)}
    ratings = tuple(points for _, points in rated if points)
    builds = [_of_combo(one, engine, places) for one in inputs.survey.combos.values()]
    alone = {
        (one.gpus[0].gpu.id, len(one.gpus))
        for one in inputs.catalog.combos.values()
        if len(one.nodes) == 1 and len({gpu.gpu.id for gpu in one.gpus}) == 1
    }
    builds += [
        one
        for gpu_id, needs in inputs.survey.needs.items()
        for one in _of_gpu(inputs.catalog.gpus[gpu_id], needs, engine, places)
        if one.usd and tuple(one.parts[0]) not in alone
    ]
    return Shelf(
        tuple((one.id, one.name) for one in models),
        ratings,
        tuple(one for one in builds if one.offers),
        assumptions["answer-rating-step"].value.mid,
        assumptions["answer-speed-tokens-per-s"].value.mid,
    )


def _ratings(
    engine: FitEngine, model: LanguageModel
) -> dict[str, tuple[float, float, float | None]]:
    found: dict[str, tuple[float, float, float | None]] = {}
    for use in Use:
        rating = engine.ratings.of(use, model.id)
        if rating is not None and rating.is_rated:
            points = rating.points
            half = round((points.high - points.low) / 2, 2)
            general = round(rating.general, 2) if rating.general is not None else None
            found[use.value] = (round(points.mid, 2), half, general)
    return found


def _of_combo(survey: ComboSurvey, engine: FitEngine, places: Mapping[str, int]) -> Build:
    combo = survey.combo
    rows = [row for row in survey.rows if not row.too_close]
    alone = list(_offers(engine, places, [(row.answer, row.users) for row in rows]))
    many = [
        (row.for_many, row.many_users)
        for row in rows
        if row.for_many and not row.for_many.too_close
    ]
    together = [one for one in _offers(engine, places, many) if one not in alone]
    named = (combo.id, combo.name, url_of("combo", combo.id))
    return _build(combo, named, [*alone, *together], engine.assumptions, counted=True)


def _offers(
    engine: FitEngine,
    places: Mapping[str, int],
    picks: Sequence[tuple[Assessment, Mapping[int, int]]],
) -> Iterator[Offer]:
    """Yield what picks of a combo offer: those for one user, or those for many."""
    users = {pick.id: known for pick, known in picks}
    for one in Candidates.of(engine, [pick for pick, _ in picks]).comfortable:
        if one.model.id not in places or one.speed is None or one.limits is None:
            continue
        prompts = one.speed.prefill_tokens_per_s
        yield Offer(
            places[one.model.id],
            _runs(one.checkpoint, one.runtime),
            *_loss(engine, one.model, one.checkpoint),
            speed=short_speed(one.speed.single_tokens_per_s.mid),
            total_speed=short_speed(one.speed.aggregate_tokens_per_s.mid),
            streams=one.speed.batch * (one.plan.replicas if one.plan else 1),
            prompt_speed=_three(prompts.mid) if prompts else 0.0,
            context=one.limits.max_context_tokens,
            users=tuple(users[one.id].get(tokens, 0) for tokens in CONTEXTS),
        )


def _of_gpu(
    gpu: Gpu, needs: tuple[GpusNeeded, ...], engine: FitEngine, places: Mapping[str, int]
) -> Iterator[Build]:
    """Yield counts of one GPU: each runs what fewer of it run, judged on the fewest."""
    if isinstance(gpu.memory, UnifiedMemory):
        return
    sure = [
        one
        for one in needs
        if one.tier is FitTier.COMFORTABLE and not one.too_close and one.model.id in places
        and not one.model.superseded_by
    ]  # fmt: skip
    for count in COUNTS:
        new = [one for one in sure if one.count <= count]
        if not any(one.count == count for one in new):
            continue
        offers = [
            Offer(
                places[one.model.id],
                _runs(one.checkpoint, one.runtime),
                *_loss(engine, one.model, one.checkpoint),
                speed=short_speed(one.single_tokens_per_s.mid),
                total_speed=short_speed(one.single_tokens_per_s.mid),
                streams=1,
                prompt_speed=0.0,
                context=one.max_context_tokens,
                users=tuple(int(tokens <= one.comfortable_tokens) for tokens in CONTEXTS),
            )
            for one in new
        ]
        machine = next(one.machine for one in new if one.count == count)
        name = f"{count}× {gpu.name}"
        named = (f"{count}-of-{gpu.id}", name, url_of("gpu", gpu.id))
        yield _build(machine, named, offers, engine.assumptions, counted=False)


def _build(
    machine: Combo, named: tuple[str, str, str], offers: list[Offer],
    known: Mapping[str, Constant], *, counted: bool,
) -> Build:  # fmt: skip
    id_, name, address = named
    cost = build_to_buy(machine)
    whole = any(isinstance(one.gpu.memory, UnifiedMemory) for one in machine.gpus) or not cost.parts
    around = 0.0 if whole else sum(_computer_usd(one, known) for one in machine.nodes)
    gpus = [one.gpu for one in machine.gpus]
    watts = [one.tdp_watts for one in gpus]
    limits = [node.max_watts for node in machine.nodes]
    draws = sum(one or 0 for one in limits) if all(limits) else 0
    if not draws and all(watts):
        draws = sum(one or 0 for one in watts)
    return Build(
        id=id_,
        name=name,
        address=address,
        usd=_seen(cost),
        priced=basis_words(cost) if _seen(cost) else "",
        whole=whole,
        around=_around(machine, around) if around else "",
        around_usd=around,
        watts=draws,
        desktop=_is_desktop(machine),
        counted=counted,
        parts=tuple(Counter(one.id for one in gpus).items()),
        offers=tuple(offers),
    )


def _around(machine: Combo, around_usd: float) -> str:
    count = len(machine.nodes)
    what = "a computer" if count == 1 else f"{count} computers"
    return f"including {what} for ${around_usd:,.0f}"


def _computer_usd(node: Node, known: Mapping[str, Constant]) -> float:
    """Estimate what the computer around a node's GPUs costs; 0 without the constants."""
    forms = {one.gpu.body.form for one in node.gpus}
    if forms & {"sxm", "oam"}:
        if SERVER not in known:
            return 0.0
        server = known[SERVER].value
        return server.mid if len(node.gpus) <= CARDS_OF_HOST else server.high
    return around_cards(node, known).mid if HOST in known else 0.0


def _is_desktop(machine: Combo) -> bool:
    """Return whether the build is one computer for a desk: few GPUs, each with its own fans."""
    gpus = [one.gpu for one in machine.gpus]
    fits = len(machine.nodes) == 1 and len(gpus) <= MOST_GPUS
    return fits and all(
        one.segment in DESKTOP
        and one.body.cooler != "passive"
        and one.body.form not in {"sxm", "oam"}
        for one in gpus
    )


def _seen(cost: Cost) -> float:
    """Return what somebody saw asked or paid, in dollars; 0 where nobody did."""
    if cost.amount is None or cost.currency != FIRST_CURRENCY or Basis.LAUNCH in cost.bases:
        return 0.0
    return float(round(cost.amount))


def _runs(checkpoint: Checkpoint, runtime: Runtime) -> str:
    return f"{checkpoint.quantization.name}, {runtime.name}"


def _loss(engine: FitEngine, model: LanguageModel, checkpoint: Checkpoint) -> tuple[float, float]:
    loss = engine.losses.of(model, checkpoint)
    return round(loss.mid, 2), round((loss.high - loss.low) / 2, 2)


def short_speed(tokens_per_s: float) -> float:
    """Keep the fewest digits, three at least, that pages round to the figure of the whole number.

    Pages print no decimal from ten on, one from one on, and two below. Rounded to three digits
    first, 39.49 would be 39.5 and then 40, where other pages say 39.

    >>> short_speed(39.4912), short_speed(39.6112), short_speed(1238.7)
    (39.49, 39.6, 1239.0)
    """
    decimals = 0 if tokens_per_s >= 10 else 1 if tokens_per_s >= 1 else 2
    printed = f"{tokens_per_s:.{decimals}f}"
    shorter = (float(f"{tokens_per_s:.{digits}g}") for digits in range(3, MOST_DIGITS))
    return next((one for one in shorter if f"{one:.{decimals}f}" == printed), tokens_per_s)


def _three(value: float) -> float:
    """Keep three digits: the files are read by people's telephones too."""
    return float(f"{value:.3g}")
