"""How wide each constant's interval is: as wide as the runs that it was fitted to scatter."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from benchmarks.speeds.fitting import Fit, Observation
from sitegen.catalog.domain.provenance import Constant, Interval, Source, Status
from sitegen.engine.speed_classes import bases

SHARE = 0.87
"""Share of the runs that an interval is to hold; the rest are outliers or another world's."""
INFLATION = 1.2
"""Runs that were not seen scatter more than those that were."""
LEAST = 0.09
"""Narrowest half-width, in logarithms: two runs of one machine differ by as much."""
UNSEEN = 0.35
"""Half-width of a family without runs."""
SHRINK = 12
"""Runs of a wider class that a narrower one's scatter is mixed with."""
BETWEEN = {"decode": 0.3, "prefill": 0.6, "aggregate": 0.5}
"""Half-width between sources: machines, drivers and habits that no record states. A class that
several sources speak of averages over them."""
JUDGED = {
    "dense": {"decode"},
    "overhead": {"decode"},
    "cache": {"decode"},
    "hop": {"decode"},
    "compute": {"prefill"},
    "fixed": {"prefill"},
    "stream": {"aggregate", "decode-of-many"},
    "batch": {"aggregate", "decode-of-many"},
}
"""Quantities whose scatter each constant carries."""


def spreads(fit: Fit, seen: Sequence[Observation]) -> dict[str, float]:
    """Half-width of each constant with an interval, in logarithms."""
    errors: dict[str, list[float]] = defaultdict(list)
    sources: dict[str, set[str]] = defaultdict(set)
    between: dict[str, float] = {}
    wider: dict[str, str | None] = {}
    for one in seen:
        error = abs(math.log(one.timing.measured / fit.rate(one)))
        for found in one.classes:
            for slot, names in bases(found).items():
                present = [name for name in names if name in fit.values]
                for name, parent in zip(present, [*present[1:], None], strict=True):
                    wider[name] = parent
                    if one.timing.quantity in JUDGED[slot]:
                        errors[name].append(error)
                        sources[name].add(one.case.source)
                    between[name] = BETWEEN[next(k for k in BETWEEN if k in JUDGED[slot])]
    half: dict[str, float] = {}
    for name in sorted(wider, key=lambda n: _depth(n, wider)):
        own, parent = errors[name], wider[name]
        apart = between[name] / math.sqrt(max(1, len(sources[name])))
        scatter = math.hypot(_quantile(own) * INFLATION, apart)
        above = half[parent] if parent else UNSEEN
        half[name] = max(LEAST, (len(own) * scatter + SHRINK * above) / (len(own) + SHRINK))
    for name in [n for n in half if n.startswith("step-batch-")]:
        family = name.removeprefix("step-batch-").removesuffix("-factor")
        half[name] = max(LEAST, half[name] - half[f"decode-efficiency-{family}"] / 2)
    return half


def _depth(name: str, wider: Mapping[str, str | None]) -> int:
    steps, at = 0, wider[name]
    while at is not None:
        steps, at = steps + 1, wider[at]
    return steps


def _quantile(values: Sequence[float]) -> float:
    ordered = sorted(values)
    if not ordered:
        return UNSEEN
    return ordered[min(len(ordered) - 1, int(SHARE * len(ordered)))]


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
