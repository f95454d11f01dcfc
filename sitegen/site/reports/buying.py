"""The rows that a buyer chooses among: every machine that is judged, with its price and models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo, Gpu, Node, UnifiedMemory
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.domain.provenance import Constant
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.ownership.prices import (
    build_to_buy,
    sold_as,
    sold_name,
)
from sitegen.quality.values import Use
from sitegen.site.inputs import SiteInputs
from sitegen.site.tables.running_costs import CARDS_OF_HOST, HOST, around_cards
from sitegen.site.urls import url_of
from sitegen.site.words.prices import basis_words
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.best_for_use import (
    SHORTEST,
    Candidates,
    fastest_first,
    longest_context,
    may_lead,
    takes_images,
)
from sitegen.survey.buying import (
    CLOSE,
    CONTEXTS,
    OVERALL,
    PUBLISHED,
    READS,
    SEES,
    TEXT,
    TIMED,
    Build,
    Offer,
    Rating,
    Wanted,
    suits,
)
from sitegen.survey.gpu_counts import fastest_need_first, installed_kinds
from sitegen.survey.results import ComboSurvey
from sitegen.survey.verdict_policy import reading_speed
from sitegen.units import GIB
from sitegen.values import dataclass

NEEDED = ("answer-rating-step", "answer-speed-tokens-per-s", "answer-context-tokens")
"""Constants without which no model may be called best: a catalog without them ranks nothing."""
MOST_GPUS = 4
"""Cards that a desktop case and its circuit take."""
COUNTS = (1, 2, 4, 8)
"""Counts of one GPU that are offered where no combo has them."""
MOST_USERS = 64
"""Users at most that a buyer may ask for."""
MOST_DIGITS = 17
"""Digits from which a float is exact."""
OWN_COMPUTER_BYTES = 256 * GIB
"""System RAM from which a build is named after its computer; a buyer's own has less."""
BESIDE = "computer and GPU, without a dock"
"""What the price of a computer with a chip and GPUs beside it covers."""
SERVER = "price-host-h100-node-usd"
DESKTOP = frozenset({"consumer", "workstation", "integrated"})
"""Segments whose cards bring fans of their own, or are part of a computer."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The builds and uses that a buyer may choose from.

    Attributes:
        models: Id and name, in the order that offers count.
        ratings: The ratings by use, in the same order.
        parts: What builds are bought as: id and name.
        builds: Every build with what it runs comfortably.
        step: Points that count as equal.
        least_speed: Tokens/s below which an answer is too slow to read along.
        least_context: Tokens that a machine should hold of a model that leads.
    """

    models: tuple[tuple[str, str], ...]
    ratings: tuple[Mapping[str, Rating], ...]
    parts: tuple[tuple[str, str], ...]
    builds: tuple[Build, ...]
    step: float
    least_speed: float
    least_context: int


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
        return Shelf((), (), (), (), 0.0, 0.0, 0)
    named = sorted(inputs.catalog.surveyed_models, key=lambda one: one.id)
    rated = [(one, _ratings(engine, one)) for one in named if not one.base]
    models = [one for one, ratings in rated if ratings]
    places = {one.id: at for at, one in enumerate(models)}
    ratings = tuple(one for _, one in rated if one)
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
    builds = [_worth_knowing(one, ratings) for one in builds]
    kinds = [one for gpu in inputs.catalog.gpus.values() for one in installed_kinds(gpu)]
    kinds += [one for combo in inputs.catalog.combos.values() for one in combo.gpus]
    bought = {part for one in builds for part, _ in one.parts}
    parts = {sold_as(one): sold_name(one) for one in kinds if sold_as(one) in bought}
    return Shelf(
        tuple((one.id, one.name) for one in models),
        ratings,
        tuple(parts.items()),
        tuple(one for one in builds if one.offers),
        assumptions["answer-rating-step"].value.mid,
        reading_speed(engine),
        int(assumptions[SHORTEST].value.mid),
    )


def _ratings(engine: FitEngine, model: LanguageModel) -> dict[str, Rating]:
    """List what is known of a model by use; over all uses only what is enough for a rating."""
    found: dict[str, Rating] = {}
    for use in Use:
        rating = engine.ratings.of(use, model.id)
        if rating is not None and (rating.is_rated or use.value != OVERALL):
            points = rating.points
            half = round((points.high - points.low) / 2, 2)
            general = round(rating.general, 2) if rating.general is not None else None
            found[use.value] = (round(points.mid, 2), half, general, rating.is_rated)
    return found


def _worth_knowing(build: Build, ratings: Sequence[Mapping[str, Rating]]) -> Build:
    """Leave out models that have too little evidence to lead, and too little to keep others off."""
    best: dict[str, list[tuple[float, Offer]]] = {}
    for offer in build.offers:
        for use, (points, _, _, rated) in ratings[offer.model].items():
            if rated and suits(offer, use):
                best.setdefault(use, []).append((points - offer.loss, offer))
    for of_use in best.values():
        of_use.sort(key=lambda one: -one[0])

    def counts(offer: Offer) -> bool:
        return any(
            rated or (use in best and _keeps_off(offer, points - offer.loss, best[use]))
            for use, (points, _, _, rated) in ratings[offer.model].items()
        )

    return replace(build, offers=tuple(one for one in build.offers if counts(one)))


def _keeps_off(offer: Offer, points: float, best: Sequence[tuple[float, Offer]]) -> bool:
    """Return whether points are more than those of the best that serves as many users.

    ``best`` are the rated offers for a use, the best first.
    """
    for at, users in enumerate(offer.users):
        led = next((led for led, one in best if one.users[at] >= min(users, MOST_USERS)), points)
        if users and points > led:
            return True
    return False


def _of_combo(survey: ComboSurvey, engine: FitEngine, places: Mapping[str, int]) -> Build:
    combo, documents = survey.combo, frozenset(survey.documents)

    def offers(picks: Sequence[tuple[Assessment, Mapping[int, int]]]) -> list[Offer]:
        return list(_offers(engine, places, picks, documents))

    alone = offers([(row.answer, row.users) for row in survey.rows])
    images = [replace(one, traits=one.traits.replace(TEXT, "")) for one in offers(survey.seeing)]
    many = offers([(row.for_many, row.many_users) for row in survey.rows if row.for_many])
    together = [one for one in many if one not in alone]
    named = (combo.id, combo.name, url_of("combo", combo.id))
    listed = [*alone, *(one for one in images if SEES in one.traits), *together]
    return _build(combo, named, listed, engine.assumptions, counted=True)


def _offers(
    engine: FitEngine,
    places: Mapping[str, int],
    picks: Sequence[tuple[Assessment, Mapping[int, int]]],
    documents: frozenset[str],
) -> Iterator[Offer]:
    """Yield what picks of a combo offer: those for one user, for images, or for many users."""
    users = {pick.id: known for pick, known in picks}
    leading = Candidates.of(engine, [pick for pick, _ in picks]).comfortable
    for one in sorted(leading, key=fastest_first):
        if one.model.id not in places or one.speed is None or one.limits is None:
            continue
        traits = {
            SEES: takes_images(engine, one),
            READS: one.id in documents,
            TIMED: one.speed.prefill_tokens_per_s is not None,
            CLOSE: one.too_close,
        }
        yield Offer(
            places[one.model.id],
            *_file(engine, one, traits),
            speed=short_speed(one.speed.single_tokens_per_s.mid),
            total_speed=short_speed(one.speed.aggregate_tokens_per_s.mid),
            streams=one.speed.batch * (one.plan.replicas if one.plan else 1),
            context=longest_context(one),
            users=tuple(users[one.id].get(tokens, 0) for tokens in CONTEXTS),
        )


def _file(
    engine: FitEngine, one: Assessment | GpusNeeded, traits: Mapping[str, bool]
) -> tuple[str, str, float, float, str]:
    """Return what an offer says of its file and runtime, with what it is."""
    found = {TEXT: True, PUBLISHED: one.checkpoint.is_published, **traits}
    return (
        f"{one.checkpoint.quantization.name}, {one.runtime.name}",
        f"runtime={one.runtime.id}&file={one.checkpoint.id}",
        *_loss(engine, one.model, one.checkpoint),
        "".join(letter for letter, is_so in found.items() if is_so),
    )


def _of_gpu(
    gpu: Gpu, needs: tuple[GpusNeeded, ...], engine: FitEngine, places: Mapping[str, int]
) -> Iterator[Build]:
    """Yield counts of one GPU: each runs what fewer of it run, judged on the fewest."""
    if isinstance(gpu.memory, UnifiedMemory):
        return
    sure = [one for one in needs if one.model.id in places and may_lead(engine, one.model)]
    seeing = [one.seeing for one in sure if one.seeing is not None]
    for count in COUNTS:
        machine = next((one.machine for one in (*sure, *seeing) if one.count == count), None)
        if machine is None:
            continue
        runs = [one.on(machine) for one in sure if one.count <= count]
        shown = [one for one in seeing if one.count <= count]
        offers = [
            *_needed_offers(engine, places, runs, {}),
            *_needed_offers(engine, places, shown, {TEXT: False}),
        ]
        named = (f"{count}-of-{gpu.id}", f"{count}× {gpu.name}", url_of("gpu", gpu.id))
        yield _build(machine, named, offers, engine.assumptions, counted=False)


def _needed_offers(
    engine: FitEngine,
    places: Mapping[str, int],
    needs: Sequence[GpusNeeded],
    traits: Mapping[str, bool],
) -> Iterator[Offer]:
    for one in sorted(needs, key=fastest_need_first):
        speed = one.single_tokens_per_s.mid
        if one.tier is not FitTier.COMFORTABLE or speed < reading_speed(engine):
            continue
        found = {
            SEES: takes_images(engine, one),
            READS: one.reads_document,
            TIMED: one.times_prompts,
            CLOSE: one.too_close,
            **traits,
        }
        yield Offer(
            places[one.model.id],
            *_file(engine, one, found),
            speed=short_speed(speed),
            total_speed=short_speed(speed),
            streams=1,
            context=one.max_context_tokens,
            users=tuple(int(tokens <= one.comfortable_tokens) for tokens in CONTEXTS),
        )


def _build(
    machine: Combo, named: tuple[str, str, str], offers: list[Offer],
    known: Mapping[str, Constant], *, counted: bool,
) -> Build:  # fmt: skip
    id_, name, address = named
    cost = build_to_buy(machine)
    chips = [isinstance(one.gpu.memory, UnifiedMemory) for one in machine.gpus]
    whole = all(chips) or not cost.parts
    around = 0.0 if whole else sum(_computer_usd(one, known) for one in machine.nodes)
    gpus = [one.gpu for one in machine.gpus]
    words = BESIDE if any(chips) and not whole else ""
    watts = [one.tdp_watts for one in gpus]
    limits = [node.max_watts for node in machine.nodes]
    draws = sum(one or 0 for one in limits) if all(limits) else 0
    if not draws and all(watts):
        draws = sum(one or 0 for one in watts)
    return Build(
        id=id_,
        name=name,
        address=address,
        usd=float(round(cost.seen_usd or 0)),
        priced=basis_words(cost) if cost.seen_usd else "",
        whole=whole,
        around=_around(machine, around) if around else words,
        around_usd=around,
        special=any((one.ram_bytes or 0) >= OWN_COMPUTER_BYTES for one in machine.nodes),
        watts=draws,
        desktop=_is_desktop(machine),
        counted=counted,
        parts=tuple(Counter(sold_as(one) for one in machine.gpus).items()) if cost.parts else (),
        offers=tuple(offers),
    )


def _around(machine: Combo, around_usd: float) -> str:
    count = len(machine.nodes)
    what = "a computer" if count == 1 else f"{count} computers"
    return f"including {what} for ${around_usd:,.0f}"


def _computer_usd(node: Node, known: Mapping[str, Constant]) -> float:
    """Estimate what the computer around a node's GPUs costs; 0 without the constants.

    GPUs beside a chip have its computer.
    """
    if any(isinstance(one.gpu.memory, UnifiedMemory) for one in node.gpus):
        return 0.0
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
