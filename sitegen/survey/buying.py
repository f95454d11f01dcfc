"""Answers for buyers: the best model of each build, and the builds worth their price.

Source:
    Decision 57. Browsers run the same functions on the same rows, written at build (decision 27).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

from sitegen.physics.powers import power
from sitegen.survey.rated_tier import (
    as_good,
    best_assured_first,
    both,
    is_better,
    may_be_led_by,
)
from sitegen.values import dataclass

CONTEXTS = (8_192, 32_768, 131_072)
"""Contexts in tokens that a buyer chooses from."""
FASTER = 1.1
"""How much faster is worth a place of its own."""
OVERALL = "overall"
"""A use with a rule of its own, as ``sitegen.quality.values`` spells it; so are those below."""
IMAGES = "vision"
DOCUMENTS = "long-context"
TEXT = "t"
"""Letter of an offer that answers uses of text; those below are letters of an offer, too."""
SEES = "i"
"""It takes images."""
READS = "d"
"""It answers while a long document fills its context."""
PUBLISHED = "p"
"""Somebody publishes the file."""
TIMED = "s"
"""Its reading speed can be estimated."""
CLOSE = "c"
"""Its verdict may be only borderline."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that a build runs comfortably, with room to spare on both estimates.

    Attributes:
        model: Its place in the list of models.
        runs: Checkpoint and runtime, in words.
        opens: The same in an address, which opens them.
        loss: Points that the checkpoint costs, and half of their 90 % interval.
        loss_half: See ``loss``.
        traits: What it is, as letters: ``TEXT`` and those beside it.
        speed: Tokens/s of one user, at the middle estimate.
        total_speed: The same of ``streams`` users together.
        streams: Users whose speed that is.
        context: Longest context of one user, under whichever comfortable plan has it.
        users: Users for whom it stays comfortable at each of ``CONTEXTS``; none beyond the model's.
    """

    model: int
    runs: str
    opens: str
    loss: float
    loss_half: float
    traits: str
    speed: float
    total_speed: float
    streams: int
    context: int
    users: Sequence[int]


@dataclass(frozen=True, slots=True)
class Build:
    """Hardware that can be bought.

    Attributes:
        id: Of the combo, or of the count of GPUs.
        name: What a page calls it.
        address: Its page, or that of its GPU.
        usd: What it costs; 0 where nobody saw a price.
        priced: Kind and date of the price.
        whole: Whether the price is of a whole computer.
        around: The computers around its GPUs in words; empty for a whole computer.
        around_usd: What those cost, estimated; 0 where that is not known, or in the price.
        special: Whether it is named after a computer of its own, which no buyer has already.
        watts: What its GPUs draw at most; 0 where that is not recorded.
        desktop: Whether it is one computer with few cards that bring fans of their own.
        counted: Whether users were counted: not on counts of GPUs that no combo has.
        parts: What it is bought as, with how many of each: GPUs by id, and computers with a chip
            by the chip and its memory. Empty where only the price of all together is known.
        offers: What it runs: what is picked for one user, for images, then for many users. Of each
            the fastest come first.
    """

    id: str
    name: str
    address: str
    usd: float
    priced: str
    whole: bool
    around: str
    around_usd: float
    special: bool
    watts: int
    desktop: bool
    counted: bool
    parts: Sequence[tuple[str, int]]
    offers: Sequence[Offer]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A buyer's question: the use, the budget and the limits.

    Attributes:
        use: What the model is for.
        context: Tokens of one conversation.
        users: Conversations at once.
        usd: The most that it may cost, 0 for no limit.
        watts: The most that its GPUs may draw, 0 for no limit.
        desktop: Whether it has to stand under a desk.
        computer: Whether the computers around the GPUs have to be bought, too.
        least_speed: Tokens/s that each user must get.
        step: Points that count as equal.
        least_context: Tokens that a machine should hold of a model that leads.
    """

    use: str
    context: int
    users: int
    usd: float
    watts: int
    desktop: bool
    computer: bool
    least_speed: float
    step: float
    least_context: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """A build with the model to run on it.

    ``half_width`` is half of the 90 % interval of ``points``; ``general`` are the points over all
    uses where one board knows the model in the use; ``usd`` has the computers where they are
    bought, too.
    """

    build: Build
    offer: Offer
    points: float
    half_width: float
    general: float | None
    usd: float


Rating = tuple[float, float, float | None, bool]
"""Points, half of their interval, the general ones, and whether the evidence is enough to lead."""
Ratings = Sequence[Mapping[str, Rating]]
"""The ratings by use of each model in its place."""


def priced(build: Build, own: Mapping[str, float]) -> float:
    """Return what a build costs: with the reader's prices where he has one for every part.

    The computers around its GPUs are not counted. What is sold whole has the price of the whole.
    """
    if not build.parts:
        return build.usd
    known = [own[gpu] * count for gpu, count in build.parts if gpu in own]
    return sum(known) if len(known) == len(build.parts) else build.usd


def around_of(build: Build, wanted: Wanted) -> float:
    """Return what the computers around the GPUs add to a price."""
    return build.around_usd if wanted.computer or build.special else 0.0


def suits(offer: Offer, use: str) -> bool:
    """Return whether an offer can be used so at all, as answers have it (``best_for_use``)."""
    if use == IMAGES:
        return SEES in offer.traits
    if TEXT not in offer.traits:
        return False
    return use != DOCUMENTS or READS in offer.traits


def serves(offer: Offer, build: Build, wanted: Wanted) -> bool:
    """Return whether an offer has the room and the speed that is asked for.

    Several users wait for each other's prompts, so nobody promises them a machine whose reading
    speed is not known.
    """
    if not suits(offer, wanted.use):
        return False
    if offer.speed < wanted.least_speed or users_at(offer, wanted.context) < wanted.users:
        return False
    if wanted.users == 1:
        return True
    if not build.counted or TIMED not in offer.traits:
        return False
    return speed_of(offer, wanted) >= wanted.users * wanted.least_speed


def users_at(offer: Offer, context: int) -> int:
    """Return for how many users an offer is comfortable at the next context that was counted."""
    for tokens, users in zip(CONTEXTS, offer.users, strict=False):
        if context <= tokens:
            return users
    return 0


def choice_of(build: Build, usd: float, wanted: Wanted, ratings: Ratings) -> Choice | None:
    """Choose the model to run on a build: the best, as far as evidence tells models apart.

    Among models that it cannot separate the fastest of those whose rating is best assured leads,
    and none does where a model without enough evidence is better, as on every page. Several users
    get what is picked for many, where that serves them.
    """
    rated: list[Choice] = []
    unsure: list[Choice] = []
    for offer in _served(build, wanted):
        rating = ratings[offer.model].get(wanted.use)
        if rating is not None:
            general = rating[2] - offer.loss if rating[2] is not None else None
            half_width = both(rating[1], offer.loss_half)
            one = Choice(build, offer, rating[0] - offer.loss, half_width, general, usd)
            if rating[3]:
                rated.append(one)
            else:
                unsure.append(one)
    found = may_be_led_by(
        rated,
        lambda one: PUBLISHED in one.offer.traits,
        lambda one: one.offer.context >= wanted.least_context,
    )
    if not found or (wanted.use != OVERALL and _is_beaten(found, unsure)):
        return None
    fastest = best_assured_first(
        as_good(found), wanted.step, lambda one: (-speed_of(one.offer, wanted),)
    )
    return fastest[0]


def _served(build: Build, wanted: Wanted) -> list[Offer]:
    """List one offer of each model that serves, in the order of the build."""
    found: dict[int, Offer] = {}
    for offer in build.offers:
        if serves(offer, build, wanted) and (wanted.users > 1 or offer.model not in found):
            found[offer.model] = offer
    return list(found.values())


def _is_beaten(found: Sequence[Choice], unsure: Sequence[Choice]) -> bool:
    """Return whether a model that may lead nothing is better than all that may."""
    led = max(found, key=lambda one: one.points)
    return any(is_better(one.points, one.half_width, led) for one in unsure)


def speed_of(offer: Offer, wanted: Wanted) -> float:
    """Return the speed that counts: of the one user, or of all together.

    Between one user and as many as were judged together, speed grows by a power of their number.
    """
    if wanted.users == 1 or offer.streams <= 1 or offer.speed <= 0:
        return offer.speed
    if wanted.users >= offer.streams:
        return offer.total_speed
    share = log10(wanted.users) / log10(offer.streams)
    return offer.speed * power(offer.total_speed / offer.speed, share)


def choices(
    builds: Sequence[Build], wanted: Wanted, ratings: Ratings, own: Mapping[str, float]
) -> list[Choice]:
    """List the builds that have a price and keep to the limits: best model first, then speed."""
    found: list[Choice] = []
    for build in builds:
        usd = priced(build, own)
        if usd <= 0:
            continue
        usd += around_of(build, wanted)
        if wanted.usd and usd > wanted.usd:
            continue
        if wanted.watts and (not build.watts or build.watts > wanted.watts):
            continue
        if wanted.desktop and not build.desktop:
            continue
        one = choice_of(build, usd, wanted, ratings)
        if one is not None:
            found.append(one)
    return sorted(found, key=lambda one: (-one.points, -speed_of(one.offer, wanted), one.usd))


def best_first(found: Sequence[Choice], wanted: Wanted) -> list[Choice]:
    """Order choices as a buyer would: what cannot be told from the best goes by price.

    Of machines with the same GPUs at the same price the fastest stands for the others, and more
    GPUs of a kind are left out where fewer of it run the same model as fast. Machines that may need
    minutes for a prompt, for all that is known, come last.
    """
    if not found:
        return []
    fastest = sorted(found, key=lambda one: -speed_of(one.offer, wanted))
    named: dict[str, Choice] = {}
    for one in fastest:
        parts = "+".join([f"{gpu}*{count}" for gpu, count in one.build.parts])
        named.setdefault(f"{parts if parts else one.build.id} {one.usd}", one)
    kept = {
        one.build.id
        for one in named.values()
        if not any(_does_as_much(other, one, wanted) for other in found)
    }
    alike = as_good(timed(found))
    known = {one.build.id for one in alike}
    rest = [one for one in found if one.build.id not in known]
    last = [one for one in rest if TIMED not in one.offer.traits]
    rest = [one for one in rest if TIMED in one.offer.traits]
    ordered = [*sorted(alike, key=lambda one: one.usd), *rest, *last]
    return [one for one in ordered if one.build.id in kept]


def timed(found: Sequence[Choice]) -> Sequence[Choice]:
    """Return the choices whose reading speed is known; all of them where none is."""
    known = [one for one in found if TIMED in one.offer.traits]
    return known if known else found


def _does_as_much(fewer: Choice, more: Choice, wanted: Wanted) -> bool:
    """Return whether fewer GPUs of the same kind run the same model as fast and as long."""
    if len(fewer.build.parts) != 1 or len(more.build.parts) != 1:
        return False
    gpu, count = fewer.build.parts[0]
    kind, most = more.build.parts[0]
    return (
        gpu == kind
        and count < most
        and fewer.offer.model == more.offer.model
        and fewer.offer.context >= more.offer.context
        and speed_of(fewer.offer, wanted) >= speed_of(more.offer, wanted)
    )


def frontier(found: Sequence[Choice], wanted: Wanted) -> list[Choice]:
    """Keep the builds that run a better model than every cheaper one."""
    kept: list[Choice] = []
    for one in sorted(found, key=lambda one: (one.usd, -one.points)):
        if not kept or one.points > kept[-1].points + wanted.step:
            kept.append(one)
    return kept


def speed_frontier(found: Sequence[Choice], wanted: Wanted) -> list[Choice]:
    """Keep the builds that are much faster than every cheaper one."""
    kept: list[Choice] = []
    for one in sorted(found, key=lambda one: (one.usd, -speed_of(one.offer, wanted))):
        if not kept or speed_of(one.offer, wanted) > FASTER * speed_of(kept[-1].offer, wanted):
            kept.append(one)
    return kept
