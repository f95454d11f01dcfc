"""The constants of the speed model as numbers to fit: which exist, and what they make of a run.

Every constant is the exponential of one number. A class narrower than another is drawn to it, so
that a card seen twice does not run away with its two figures; a class without enough runs does not
exist and its cards take the wider one. `search.py` finds the numbers.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from benchmarks.speeds.subjects import STAND_IN
from sitegen.catalog.domain.catalog import Catalog
from sitegen.physics.speed.constants import (
    SpeedClass,
    bases,
    factors,
    matmul_efficiency,
    speed_class,
)
from sitegen.physics.speed.estimate import SpeedModel
from sitegen.physics.speed.pipeline import Stage
from sitegen.physics.speed.roofline import Work, streamed_s
from sitegen.published.accuracy.speed_runs import BenchmarkPlans, Case, Timing, judgeable, timings

EXPERIMENTAL = "calls these runs experimental"
"""Words of a note on runs that are judged, and that no constant rests on."""
ENOUGH = ((6, 3), (5, 2), (4, 2), (3, 1), (0, 0))
"""Runs and groups that a class needs to exist, from one GPU to the whole family."""
ENOUGH_FOR_FACTOR = (5, 2)
OF_SEVERAL = ("-runtime-", "-model-")
SOURCES_OF_SEVERAL = 2
"""Sources that a factor of a runtime or of a family of models needs: of one, its habits cannot be
told from either."""
OF_ITS_HOST = "decode-overhead-paged-on-"
"""Beginning of constants that no GPU has for itself: what a layer costs a server beside its bytes
is of the architecture's kernels and of the host. H200 in one slow host made every H200 slower than
an H100, which has the same chip.
"""
POWERS = ("power-bandwidth-exponent", "power-compute-exponent")
SIZE = "size-compute-exponent"
TO_WIDER = {"dense": 0.18, "overhead": 0.4, "compute": 0.35}
"""Standard deviation, in logarithms, of a class around the next wider one."""
PRIORS: Mapping[str, tuple[float, float]] = {
    "decode-efficiency": (0.7, 0.3),
    "decode-overhead": (25e-6, 1.0),
    "decode-stream": (30e-6, 1.0),
    "compute-efficiency": (0.45, 0.5),
    "kv-read-efficiency": (0.5, 0.5),
    "prefill-fixed-paged": (30e-3, 0.7),
    "prefill-fixed-layer-split": (2e-3, 0.7),
    "prefill-fixed-mlx": (20e-3, 0.7),
    "prefill-fixed-exllama": (5e-3, 0.7),
    "hop-overhead-layer-split": (250e-6, 0.5),
    "hop-overhead": (50e-6, 0.5),
    "compute-experts": (0.25, 0.5),
    "power-compute-exponent": (0.5, 0.3),
    SIZE: (0.1, 0.7),
    "power-bandwidth-exponent": (0.15, 0.3),
}
"""Where a constant starts and how far, in logarithms, it goes without runs that ask it to."""
FACTOR_PRIORS: Mapping[str, tuple[float, float]] = {
    "overhead-experts": (0.5, 0.7),
    "overhead-recurrent": (0.5, 0.7),
    "overhead-early": (1.5, 0.5),
    "overhead-model": (1.0, 0.35),
    "compute-attention": (0.7, 0.5),
    "compute-": (1.0, 0.35),
    "link": (1.0, 0.15),
    "": (1.0, 0.2),
}


@dataclass(frozen=True, slots=True)
class Lent:
    """Whose constant one is that no run speaks of, and whose it would be; it is as uncertain."""

    of: str
    otherwise: str


LENT: Mapping[str, Lent] = {
    "decode-efficiency-mlx-apple-integrated-m1": Lent(
        "decode-efficiency-mlx-on-apple-m3-max", "decode-efficiency-mlx-apple-integrated"
    ),
    "decode-overhead-mlx-apple-integrated-m1-us": Lent(
        "decode-overhead-mlx-on-apple-m3-max-us", "decode-overhead-mlx-apple-integrated-us"
    ),
}
"""Under MLX the class of all Apple GPUs rests on M2 and M4, which need less time per layer than M3.
Under llama.cpp an M1 Max needs as long as an M3 Max (113 µs each), and longer than M2 and M4.
"""
AS_LENT = 0.01
"""Standard deviation, in logarithms, of such a constant around the one that it takes."""
WORK = (
    "dense", "expert", "cache", "flops", "attention", "layers", "mixture", "recurrent", "steps",
    "streams", "scores", "unpack",
)  # fmt: skip
"""A stage's work in the order in which a search holds it."""
SLOTS = (
    "dense", "expert", "cache", "compute", "attention", "overhead", "stream", "mixture",
    "recurrent", "fixed", "hop", "batch", "link", "link_prompt", "compute_experts", "expert_rows",
)  # fmt: skip
"""Constants of a class in the order in which a search holds them."""
ABSENT = frozenset({"mixture", "recurrent", "expert_rows"})
"""Constants that are 0 where none of their names has a record; the others are 1."""
SIZED = frozenset({"compute", "attention"})
"""Constants that a GPU with a higher rate reaches less of."""
SLOWED = {"dense": 0, "expert": 0, "cache": 0, "compute": 1, "attention": 1}
"""Place in ``POWERS`` of how a power limit slows a constant."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stage's work as plain numbers, which a search reads far more often than it changes."""

    repeats: int
    work: tuple[float, ...]
    """What ``WORK`` names."""
    recurrent: bool
    rows: float
    """Rows of an expert's products, 0 without experts."""
    found: SpeedClass


@dataclass(frozen=True, slots=True)
class Observation:
    """A timing reduced to seconds at the peaks; the constants are all that is left to know."""

    case: Case
    timing: Timing
    decode: tuple[Part, ...]
    prefill: tuple[Part, ...]
    chunks: int
    """Pieces of a prompt that stages read one behind the other."""
    link_s: float
    prefill_link_s: float
    network_s: float
    """What a runtime adds to hops to other nodes."""
    stages: int
    classes: tuple[SpeedClass, ...]
    owner: str = ""
    """Who publishes the source."""

    @property
    def unit(self) -> tuple[str, str]:
        """Group and quantity: near-repeats share a weight."""
        return self.case.run.group, self.timing.quantity


def observations(catalog: Catalog) -> tuple[Observation, ...]:
    """Reduce every run that fits the constants: what is judged, less strangers and experiments.

    Strangers are kept apart so that the page can say how far off the engine is for runs that it has
    never seen. No constant rests on runs that their own repository calls experimental.
    """
    return tuple(
        one
        for one in judged(catalog)
        if not one.case.run.stranger and EXPERIMENTAL not in one.case.run.notes
    )


def setting_widths(catalog: Catalog) -> tuple[Observation, ...]:
    """Reduce every run that sets a width."""
    return tuple(one for one in judged(catalog) if sets_width(one))


def sets_width(one: Observation) -> bool:
    """Whether the runtime itself ran, and not a program that the catalog lacks."""
    return STAND_IN not in one.case.run.notes


def judged(catalog: Catalog) -> tuple[Observation, ...]:
    """Reduce every run that is judged: not speculative, not doubted by its source.

    Runs that ``sitegen import`` wrote test the constants and fit none: a record of an editor's own
    moves no number of the engine. Neither does a cut by llama.cpp: it is predicted by the constants
    of whole layers and of links, and so it tests both. With experts in system RAM, a run says more
    of the RAM than of the GPU.
    """
    model, found = SpeedModel(catalog.assumptions), []
    owners = {id: owner(id, one.sources[0].url) for id, one in catalog.benchmarks.items()}
    for _, run, case in BenchmarkPlans(catalog).all():
        if isinstance(case, str) or run.speculative or run.doubt or run.tool:
            continue
        if run.split.cpu_expert_layers:
            continue
        for timing in timings(case):
            if judgeable(case, timing) and not case.path.uneven:
                found.append(observe(model, case, timing, owners[case.source]))
    return tuple(found)


def owner(source: str, url: str) -> str:
    """Name who publishes a source: the account of its repository, else the source itself.

    >>> owner("b", "https://github.com/ggml-org/llama.cpp/pull/22066"), owner("b", "")
    ('ggml-org', 'b')
    """
    found = re.match(r"https://(?:github\.com|huggingface\.co)/([\w.-]+)", url)
    return found[1].lower() if found else source


def observe(model: SpeedModel, case: Case, timing: Timing, owner: str = "") -> Observation:
    """Reduce a timing with the engine's own functions."""
    path = case.path
    chunk = model.chunk_tokens(path)
    design = path.reduced.architecture.family
    found = [
        (stage, _one(speed_class(path, stage.slowest.gpu, model=design))) for stage in path.stages
    ]
    decode = tuple(
        _part(stage, model.works.decode(path, stage, timing.context, timing.streams), one)
        for stage, one in found
        if timing.generated
    )
    reading = [
        (
            stage,
            model.works.prefill(path, stage, timing.prompt_tokens, timing.prompt_depth, chunk),
            one,
        )
        for stage, one in found
        if timing.prompts
    ]
    chunks = reading[0][1].steps if reading and path.streamed else 1
    return Observation(
        case, timing, decode, tuple(_part(*one) for one in reading), chunks,
        model.bare_link_s(path, timing.streams)[1],
        model.bare_link_s(path, timing.prompt_tokens)[1],
        model.network_s(path)[1],
        sum(stage.repeats for stage in path.stages), tuple(dict.fromkeys(one for _, one in found)),
        owner,
    )  # fmt: skip


def _part(stage: Stage, work: Work, one: SpeedClass) -> Part:
    rows = work.rows if work.mixture else 0
    numbers = tuple(getattr(work, name) for name in WORK)
    return Part(stage.repeats, numbers, work.recurrent > 0, rows, one)


@cache
def _one(found: SpeedClass) -> SpeedClass:
    """Return one object for classes alike, so that a fit may tell them apart by identity."""
    return found


@dataclass(slots=True)
class Fit:
    """Logarithms of the constants, and which of them exist."""

    values: dict[str, float]
    parents: dict[str, tuple[str | None, float, float]]
    """Wider class (or none), its pull and where the constant starts, by name."""
    names: dict[SpeedClass, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    cache: dict[tuple[int, float], list[float]] = field(default_factory=dict)
    users: dict[str, list[tuple[list[float], SpeedClass, float, int]]] = field(default_factory=dict)
    """Where each constant stands in the cache: a class's values, the class, power and place."""

    def move(self, name: str, value: float) -> None:
        """Set a constant and what was computed from it."""
        self.values[name] = value
        for found, one, power, at in self.users.get(name, ()):
            found[at] = self._slot(one, power, at)

    def constant(self, name: str) -> float:
        """Value of a constant."""
        return math.exp(self.values[name])

    def slots(self, one: SpeedClass) -> dict[str, tuple[str, ...]]:
        """Names whose product is each constant of a class."""
        if one not in self.names:
            self.names[one] = slots(one, self.values)
        return self.names[one]

    def of(self, one: SpeedClass, power: float) -> list[float]:
        """Constants of a class in the order of ``SLOTS``, the middle only."""
        key = (id(one), power)
        known = self.cache.get(key)
        if known is None:
            known = [self._slot(one, power, at) for at in range(len(SLOTS))]
            self.cache[key] = known
            by = self.slots(one)
            for at, slot in enumerate(SLOTS):
                names = by[slot]
                if power < 1 and slot in SLOWED:
                    names = (*names, POWERS[SLOWED[slot]])
                if slot in SIZED:
                    names = (*names, SIZE)
                for name in dict.fromkeys(names):
                    self.users.setdefault(name, []).append((known, one, power, at))
        return known

    def _slot(self, one: SpeedClass, power: float, at: int) -> float:
        slot = SLOTS[at]
        names = self.slots(one)[slot]
        if not names:
            return 0.0 if slot in ABSENT else 1.0
        total = 0.0
        for name in names:
            total += self.values[name]
        value = math.exp(total)
        if power < 1 and slot in SLOWED:
            value *= power ** self.constant(POWERS[SLOWED[slot]])
        if slot in SIZED:
            value *= one.size ** -self.constant(SIZE)
        return value

    def rate(self, seen: Observation) -> float:
        """Predicted rate of an observation, tokens/s."""
        timing, path = seen.timing, seen.case.path
        reading = step = 0.0
        first = self.of(seen.classes[0], path.power)
        hop = path.hops.count * first[10] + seen.network_s
        if seen.prefill:
            together = slowest = 0.0
            for part in seen.prefill:
                found = self.of(part.found, path.power)
                share = found[3]
                if part.rows:
                    share *= found[14] * matmul_efficiency(part.rows, found[15])
                seconds = _seconds(part.work, found, share)
                together += part.repeats * seconds
                slowest = max(slowest, seconds)
            reading = streamed_s(together, slowest, seen.chunks)
            reading += seen.prefill_link_s * first[13] + hop + first[9]
            if timing.quantity == "prefill":
                return timing.prompt_tokens / reading
        together = slowest = 0.0
        for part in seen.decode:
            found = self.of(part.found, path.power)
            seconds = _seconds(part.work, found, found[3])
            together += part.repeats * seconds
            slowest = max(slowest, seconds)
        more = first[11] if timing.streams > 1 else 1.0
        between = seen.link_s * first[12] + hop
        if path.overlapped and seen.stages > 1:
            step = more * slowest + between / seen.stages
        else:
            step = more * together + between
        served = timing.streams * seen.case.replicas if timing.quantity == "aggregate" else 1
        return served * timing.generated / (timing.prompts * reading + timing.generated * step)


def _seconds(work: tuple[float, ...], found: list[float], share: float) -> float:
    """The engine's ``stage_seconds`` for numbers in order; a test holds the two together."""
    moving = work[0] / found[0] + work[1] / found[1] + work[2] / found[2]
    counting = work[3] / share + work[4] / found[4] + work[11]
    layers = work[5] + work[6] * found[7] + work[7] * found[8]
    longer = moving if moving > counting else counting
    return longer + work[8] * layers * found[5] + work[9] * found[6] + work[10] / found[0]


def slots(one: SpeedClass, known: Mapping[str, float]) -> dict[str, tuple[str, ...]]:
    """Names of a class that exist, by constant: the narrowest base and every factor."""
    by = factors(one)
    found: dict[str, tuple[str, ...]] = {}
    for slot, names in bases(one).items():
        base = next(name for name in names if name in known)
        found[slot] = (base, *(name for name in by[slot] if name in known))
    base = found["dense"][0]
    found["expert"] = (base, *(name for name in by["expert"] if name in known))
    base = found["compute"][0]
    found["attention"] = (base, *(name for name in by["attention"] if name in known))
    for slot in (
        "compute_experts", "expert_rows", "link", "link_prompt", "mixture", "recurrent"
    ):  # fmt: skip
        found[slot] = tuple(name for name in by[slot] if name in known)
    return found


def prior(name: str) -> tuple[float, float]:
    """Start and freedom of a constant: the longest beginning that has one."""
    table = FACTOR_PRIORS if name.endswith("-factor") else PRIORS
    return next(table[k] for k in sorted(table, key=len, reverse=True) if name.startswith(k))


def fresh(seen: Sequence[Observation]) -> Fit:
    """Decide which constants exist, by how many runs and groups speak of each."""
    groups, sources, chains = _mentions(seen)
    fit = Fit({}, {})
    for name, (_, names) in chains.items():
        need = ENOUGH_FOR_FACTOR
        if names:
            levels = ENOUGH[len(ENOUGH) - len(names) :] if len(names) > 1 else ((0, 0),)
            need = levels[names.index(name)]
        if name.startswith(OF_ITS_HOST):
            continue
        named = any(word in name for word in OF_SEVERAL)
        if named and len(sources[name]) < SOURCES_OF_SEVERAL:
            continue
        if len(groups[name]) >= need[0] and len(set(groups[name])) >= need[1]:
            fit.values[name] = math.log(prior(name)[0])
    for name in (*POWERS, SIZE):
        fit.values[name] = math.log(prior(name)[0])
    for name in fit.values:
        slot, names = chains.get(name, ("", ()))
        wider = [n for n in names[names.index(name) + 1 :] if n in fit.values] if names else []
        start, free = prior(name)
        parent = wider[0] if wider else None
        fit.parents[name] = (parent, TO_WIDER.get(slot, 0.2) if parent else free, math.log(start))
    _lend(fit)
    return fit


def _lend(fit: Fit) -> None:
    """Add the constants that are taken from others, where these exist."""
    for name, lent in LENT.items():
        if name not in fit.values and lent.of in fit.values:
            fit.values[name] = fit.values[lent.of]
            fit.parents[name] = (lent.of, AS_LENT, fit.values[lent.of])


def _mentions(
    seen: Sequence[Observation],
) -> tuple[dict[str, list[str]], dict[str, set[str]], dict[str, tuple[str, tuple[str, ...]]]]:
    """Groups and sources that speak of each constant; its slot and chain, which factors lack."""
    groups: dict[str, list[str]] = defaultdict(list)
    sources: dict[str, set[str]] = defaultdict(set)
    chains: dict[str, tuple[str, tuple[str, ...]]] = {}
    for one in seen:
        for found in one.classes:
            for table, chained in ((bases(found), True), (factors(found), False)):
                for slot, names in table.items():
                    said = speaks(one, slot)
                    for name in names:
                        chains[name] = (slot, names if chained else ())
                        if said:
                            groups[name].append(one.case.run.group)
                            sources[name].add(one.case.source)
    return groups, sources, chains


LONG_TOKENS = 2_048
"""Context from which on attention is a part of the time that can be told apart."""


def speaks(one: Observation, slot: str) -> bool:
    """Whether a timing says something of a constant."""
    timing, steps = one.timing, bool(one.decode)
    reads = bool(one.prefill) and (timing.quantity == "prefill" or timing.prompts > 1)
    mixed = bool(one.case.reduced.architecture.experts)
    said = {
        "compute": reads,
        "fixed": reads,
        "attention": reads and timing.prompt_tokens + timing.prompt_depth >= LONG_TOKENS,
        "compute_experts": reads and mixed,
        "expert_rows": reads and mixed,
        "expert": steps and mixed,
        "mixture": steps and mixed,
        "recurrent": steps and any(part.recurrent for part in one.decode),
        "cache": steps and timing.context >= LONG_TOKENS,
        "stream": steps and timing.streams > 1,
        "batch": steps and timing.streams > 1,
        "hop": one.case.path.hops.count > 0,
        "link": steps and one.link_s > 0,
        "link_prompt": reads and one.prefill_link_s > 0,
    }
    return said.get(slot, steps)
