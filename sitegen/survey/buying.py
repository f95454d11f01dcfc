"""Answers for buyers: the best model of each build, and the builds worth their price.

Source:
    Decision 57. Browsers run the same functions on the same rows, written at build (decision 27).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

from sitegen.physics.powers import power
from sitegen.survey.rated_tier import as_good, best_assured_first, both
from sitegen.values import dataclass

CONTEXTS = (8_192, 32_768, 131_072)
"""Contexts in tokens that a buyer chooses from."""
FASTER = 1.1
"""How much faster is worth a place of its own."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that a build runs comfortably, with room to spare on both estimates.

    Attributes:
        model: Its place in the list of models.
        runs: Checkpoint and runtime, in words.
        loss: Points that the checkpoint costs, and half of their 90 % interval.
        loss_half: See ``loss``.
        speed: Tokens/s of one user, at the middle estimate.
        total_speed: The same of ``streams`` users together.
        streams: Users whose speed that is.
        prompt_speed: Tokens/s at which one prompt is read; 0 where that is not estimated.
        context: Longest context of one user.
        users: Users for whom it stays comfortable at each of ``CONTEXTS``; none beyond the model's.
    """

    model: int
    runs: str
    loss: float
    loss_half: float
    speed: float
    total_speed: float
    streams: int
    prompt_speed: float
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
        around_usd: What those cost, estimated; 0 where that is not known.
        watts: What its GPUs draw at most; 0 where that is not recorded.
        desktop: Whether it is one computer with few cards that bring fans of their own.
        counted: Whether users were counted: not on counts of GPUs that no combo has.
        parts: Its GPUs, by id, with how many of each.
        offers: What it runs: what is picked for one user, then what is picked for many.
    """

    id: str
    name: str
    address: str
    usd: float
    priced: str
    whole: bool
    around: str
    around_usd: float
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


Ratings = Sequence[Mapping[str, tuple[float, float, float | None]]]
"""Points by use, half of their interval and the general ones, of each model in its place."""


def priced(build: Build, own: Mapping[str, float]) -> float:
    """Return what a build costs: with the reader's prices where he has one for every part.

    The computers around its GPUs are not counted.
    """
    if build.whole or not build.parts:
        return build.usd
    known = [own[gpu] * count for gpu, count in build.parts if gpu in own]
    return sum(known) if len(known) == len(build.parts) else build.usd


def serves(offer: Offer, build: Build, wanted: Wanted) -> bool:
    """Return whether an offer has the room and the speed that is asked for.

    Several users wait for each other's prompts, so nobody promises them a machine whose reading
    speed is not known.
    """
    if offer.speed < wanted.least_speed or users_at(offer, wanted.context) < wanted.users:
        return False
    if wanted.users == 1:
        return True
    if not build.counted or offer.prompt_speed <= 0:
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
    as on every page. Several users get what is picked for many, where that serves them.
    """
    served: dict[int, Choice] = {}
    for offer in build.offers:
        rating = ratings[offer.model].get(wanted.use)
        if rating is None or not serves(offer, build, wanted):
            continue
        half_width = both(rating[1], offer.loss_half)
        if wanted.users > 1 or offer.model not in served:
            general = rating[2] - offer.loss if rating[2] is not None else None
            points = rating[0] - offer.loss
            served[offer.model] = Choice(build, offer, points, half_width, general, usd)
    found = list(served.values())
    if not found:
        return None
    fastest = best_assured_first(
        as_good(found), wanted.step, lambda one: (-speed_of(one.offer, wanted), one.offer.model)
    )
    return fastest[0]


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
        if wanted.computer:
            usd += build.around_usd
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
    GPUs of a kind are left out where fewer of it run the same model as fast.
    """
    if not found:
        return []
    fastest = sorted(found, key=lambda one: -speed_of(one.offer, wanted))
    named: dict[str, Choice] = {}
    for one in fastest:
        parts = "+".join([f"{gpu}*{count}" for gpu, count in one.build.parts])
        named.setdefault(f"{parts} {one.usd}", one)
    kept = {
        one.build.id
        for one in named.values()
        if not any(_does_as_much(other, one, wanted) for other in found)
    }
    alike = as_good(found)
    known = {one.build.id for one in alike}
    rest = [one for one in found if one.build.id not in known]
    ordered = [*sorted(alike, key=lambda one: one.usd), *rest]
    return [one for one in ordered if one.build.id in kept]


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
