"""How wide each constant's interval is: as wide as errors for owners that a fit has not seen.

All sources of an owner are left out together, their runs predicted by what the rest teaches, and
the errors sorted by how much was known of the class that was asked: several owners, one or two, or
only a wider class. Strangers, which fit nothing, are asked too. An interval is the error that a
share of all stays below, so nothing here is set by hand but that share. Segments of a vendor's
hardware differ in how their owners differ: each widens or narrows the intervals of all its classes
by what that share of its own errors stays below, drawn to no change where few owners speak.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.speeds.fitting import LENT, Fit, Observation, speaks
from benchmarks.speeds.search import fitted
from benchmarks.speeds.votes import shares
from sitegen.catalog.domain.provenance import Constant, Interval, Source, Status
from sitegen.physics.speed.constants import SpeedClass, bases

FOLDS = 5
SEED = 20_261_120
TARGET = 0.85
"""Share of the runs, and of the votes, of unseen owners that an interval is to hold: the middle of
the 78 to 92 % to which classes are held."""
LEAST = 0.09
"""Narrowest half-width, in logarithms: two runs of one machine differ by as much."""
SHRINK = 4
"""Owners of all classes that the errors of fewer are mixed with."""
WIDTH = ("several", "few", "wider", "nothing")
SEVERAL = 3
"""Owners from which on their habits can be told from the class."""
"""What is known of a class, from most to least."""
CARRIES = {
    "dense": "decode", "overhead": "decode", "cache": "decode", "hop": "decode",
    "compute": "prefill", "fixed": "prefill", "stream": "aggregate", "batch": "aggregate",
}  # fmt: skip
"""The quantity whose errors each constant carries."""
NARROW = 2
"""Steps of a chain that are of one architecture or GPU."""
UNSEEN = 0.7
"""Half-width where no run speaks of a quantity at all: a factor of two either way."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """Error of a run whose owner was left out, as a logarithm, and what was known of its class."""

    quantity: str
    known: str
    owner: str
    error: float
    share: float
    names: tuple[str, ...]
    """Constants that carry the quantity's errors in this class."""


@dataclass(frozen=True, slots=True)
class Widths:
    """Half-widths in logarithms, by quantity and by what is known of a class."""

    by: Mapping[tuple[str, str], float]
    own: Mapping[str, tuple[int, float]]
    """Owners that were left out of a class in turn, and the half-width that holds their runs."""
    ratio: Mapping[str, tuple[int, float]]
    """The same owners, and what holds their errors over the half-width of each one's grade."""

    def of(self, quantity: str, known: str) -> float:
        """Half-width of a quantity whose class is known so well."""
        return self.by.get((quantity, known), UNSEEN)

    def stretch(self, chain: Sequence[str]) -> float:
        """How much wider than others a segment is, of the names of a chain from it outwards."""
        found = 1.0
        for name in reversed(chain):
            found = mixed(self.ratio.get(name, (0, 1.0)), found)
        return found


def quantity_of(one: Observation) -> str:
    """Quantity of a timing; one of several streams counts as their sum."""
    found = one.timing.quantity
    return "aggregate" if found == "decode-of-many" else found


def fold_of(units: Iterable[str], seed: int = SEED) -> Mapping[str, int]:
    """Deal units out into fifths, by chance and always alike."""
    ordered = sorted(set(units))
    random.Random(seed).shuffle(ordered)  # noqa: S311 - a reproducible choice, no secret
    return {unit: at % FOLDS for at, unit in enumerate(ordered)}


def calibrated(
    seen: Sequence[Observation], fit: Fit, asked: Sequence[Observation] = ()
) -> tuple[Widths, tuple[Fit, ...]]:
    """Leave fifths of the owners out in turn and learn how far off such a fit is.

    Args:
        seen: What the constants rest on.
        fit: Where the search starts.
        asked: What is predicted, where that is more than ``seen``.
    """
    asked = asked or seen
    folds, share = fold_of(one.owner for one in (*seen, *asked)), shares(asked)
    surprises, fits = [], []
    for fold in range(FOLDS):
        training = [one for one in seen if folds[one.owner] != fold]
        without = fitted(training, fit)
        fits.append(without)
        spoken = speakers(without, training)
        for one, part in zip(asked, share, strict=True):
            if folds[one.owner] == fold and predictable(without, one):
                known = knowledge(without, spoken, one)
                error = abs(math.log(one.timing.measured / without.rate(one)))
                quantity = quantity_of(one)
                names = tuple(carriers(one, quantity))
                surprises.append(Surprise(quantity, known, one.owner, error, part, names))
    return _widths(surprises), tuple(fits)


def carriers(one: Observation, quantity: str) -> set[str]:
    """Names of the constants that carry the errors of a quantity in a class."""
    return {
        name
        for found in one.classes
        for slot, names in bases(found).items()
        if CARRIES[slot] == quantity
        for name in names
    }


def predictable(fit: Fit, one: Observation) -> bool:
    """Whether a fit knows the family of an observation."""
    return all(names[-1] in fit.values for found in one.classes for names in bases(found).values())


def speakers(fit: Fit, seen: Sequence[Observation]) -> dict[str, set[str]]:
    """Owners that speak of each constant with an interval."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in seen:
        for kind in one.classes:
            for slot, names in bases(kind).items():
                if speaks(one, slot):
                    for name in names:
                        if name in fit.values:
                            found[name].add(one.owner)
    return found


def knowledge(fit: Fit, spoken: Mapping[str, set[str]], one: Observation) -> str:
    """What a fit knows of the class of an observation."""
    slot = "compute" if one.timing.quantity == "prefill" else "dense"
    names = bases(one.classes[0])[slot]
    name = next(n for n in names if n in fit.values)
    return grade(names.index(name), len(spoken.get(name, ())))


def grade(level: int, sources: int) -> str:
    """Grade a class by its place in the chain, narrowest first, and by how many speak of it."""
    if not sources:
        return "nothing"
    if level >= NARROW:
        return "wider"
    return "several" if sources >= SEVERAL else "few"


def _widths(surprises: Sequence[Surprise]) -> Widths:
    by: dict[tuple[str, str], float] = {}
    for quantity in sorted({one.quantity for one in surprises}):
        some = [one for one in surprises if one.quantity == quantity]
        pooled, narrowest = _width(some)[1], LEAST
        for known in WIDTH:
            own = [one for one in some if one.known == known]
            narrowest = max(narrowest, mixed(_width(own), pooled))
            by[quantity, known] = narrowest
    classes: dict[str, list[Surprise]] = defaultdict(list)
    relative: dict[str, list[Surprise]] = defaultdict(list)
    for one in surprises:
        graded = replace(one, error=one.error / by[one.quantity, one.known])
        for name in one.names:
            classes[name].append(one)
            relative[name].append(graded)
    return Widths(
        by,
        {name: _width(some) for name, some in classes.items()},
        {name: _width(some) for name, some in relative.items()},
    )


def _width(some: Sequence[Surprise]) -> tuple[int, float]:
    """Count owners, and find the error that the target's share stays below, of runs and of votes.

    An owner with many runs is one witness, and still what a stranger may meet.
    """
    if not some:
        return 0, 0.0
    owners = {one.owner for one in some}
    by_run = quantile([(one.error, 1.0) for one in some], TARGET)
    by_vote = quantile([(one.error, one.share) for one in some], TARGET)
    return len(owners), max(by_run, by_vote)


def mixed(own: tuple[int, float], wider: float) -> float:
    """Half-width of a class: its own, drawn to that of all where few sources speak."""
    count, width = own
    return (count * width + SHRINK * wider) / (count + SHRINK)


def quantile(weighted: Sequence[tuple[float, float]], share: float) -> float:
    """Value that a share of the weights stays at or below."""
    ordered = sorted(weighted)
    most, passed = share * sum(weight for _, weight in ordered), 0.0
    for value, weight in ordered:
        passed += weight
        if passed >= most:
            return value
    return ordered[-1][0]


def spreads(fit: Fit, seen: Sequence[Observation], widths: Widths) -> dict[str, float]:
    """Half-width of each constant with an interval, in logarithms.

    It is that of its grade, as much wider or narrower as its segment is; where several owners speak
    of a class, the errors for those of them that were left out count beside it.
    """
    spoken, half = speakers(fit, seen), {}
    kinds = {found for one in seen for found in one.classes}
    chains = {key: chain for found in kinds for key, chain in _chains(found)}
    for (slot, name), (level, segment) in chains.items():
        if name not in fit.values:
            continue
        known = grade(level, len(spoken[name]))
        width = widths.of(CARRIES[slot], known) * widths.stretch(segment)
        if known == "several" and name in widths.own:
            width = mixed(widths.own[name], width)
        if slot == "batch":
            width -= widths.of("decode", "several")
        half[name] = max(LEAST, width)
    half |= {
        name: max(half[one] for one in (lent.of, lent.otherwise))
        for name, lent in LENT.items()
        if name in fit.values and lent.of in half
    }
    return half


def _chains(found: SpeedClass) -> Iterator[tuple[tuple[str, str], tuple[int, tuple[str, ...]]]]:
    """Yield slot and name of each constant of a class, its place, and the chain of its segment."""
    for slot, names in bases(found).items():
        for level, name in enumerate(names):
            place = 0 if len(names) == 1 else level
            yield (slot, name), (place, names[max(level, NARROW) :])


NOBODY = Source("", "", "")


def constants(fit: Fit, half: Mapping[str, float]) -> dict[str, Constant]:
    """The fit as the engine's constants: an interval where one is carried, else exact."""
    found = {}
    for name in sorted(fit.values):
        value = fit.constant(name) / scale(name)
        by = math.exp(half.get(name, 0.0))
        interval = Interval(value / by, value, value * by)
        found[name] = Constant(name, unit(name), interval, Status.MEASURED, NOBODY)
    return found


def scale(name: str) -> float:
    """Seconds in the unit that a name ends in; 1 for shares and factors."""
    return {"-us": 1e-6, "-ms": 1e-3}.get(name[-3:], 1.0)


def unit(name: str) -> str:
    """Unit that a name ends in."""
    return {"-us": "us", "-ms": "ms"}.get(name[-3:], "/1")
