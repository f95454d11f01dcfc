"""Find the constants that lose least over all runs: robust, and without chance.

The same runs give the same constants.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from operator import mul

from benchmarks.speeds.fitting import POWERS, SIZE, Fit, Observation, fresh

SCALES = {"decode": 0.3, "prefill": 0.4, "aggregate": 0.6, "decode-of-many": 0.6}
"""Log error from which on a run pulls with constant force: what sources of one class differ by."""
FULL_VOICE = 3
"""Rates of a quantity up to which each of a source's counts whole."""
ROUNDS = 60
DAMPING = 1e-3
MOST_DAMPING = 1e6
SMALL = 1e-4
"""RecipeStep over which a rate's slope is taken."""
LEAST_GAIN = 2e-3
"""Fall of the loss below which a round is the last."""
LIMITS: Mapping[str, float] = {
    "kv-read-efficiency": 0.9,
    "decode-efficiency": 0.95,
    "compute-efficiency-layer-split": 1.5,
    "compute-efficiency": 0.95,
}
"""Shares of a peak that nothing exceeds; llama.cpp multiplies in 8-bit integers, which a GPU does
faster than its FP16 rate says."""


def weights(seen: Sequence[Observation]) -> list[float]:
    """Weight of each observation: near-repeats share theirs, and so do the many of one source."""
    counts = Counter(one.unit for one in seen)
    sources = Counter((one.case.source, one.timing.quantity) for one in seen)
    return [
        math.sqrt(min(1, FULL_VOICE / sources[one.case.source, one.timing.quantity]))
        / math.sqrt(counts[one.unit])
        for one in seen
    ]


def loss(error: float, scale: float) -> float:
    """Quadratic near zero, linear far away (pseudo-Huber)."""
    return 2 * (math.sqrt(1 + (error / scale) ** 2) - 1)


def fitted(seen: Sequence[Observation], start: Fit | None = None) -> Fit:
    """Fit all constants to the observations, from their priors or from where another fit ended."""
    fit = fresh(seen)
    if start is not None:
        fit.values |= {name: start.values[name] for name in fit.values if name in start.values}
    search = Search(fit, seen)
    for _ in range(ROUNDS):
        if not search.improve():
            break
    return fit


class Search:
    """Damped Gauss-Newton (Levenberg-Marquardt) over one fit: all constants move at once.

    Constants that multiply one another are too entangled for a search of one after the other, which
    stops on the way. A constant at its limit that would go on stays there for the round.
    """

    def __init__(self, fit: Fit, seen: Sequence[Observation]) -> None:
        self._fit = fit
        self._seen = seen
        self._share = weights(seen)
        self._scales = [SCALES[one.timing.quantity] for one in seen]
        self._names = sorted(fit.values)
        at = {name: k for k, name in enumerate(self._names)}
        self._parents = [at.get(fit.parents[name][0] or "") for name in self._names]
        self._most = [
            next((math.log(v) for k, v in LIMITS.items() if limited(name, k)), math.inf)
            for name in self._names
        ]
        touching = _touching(fit, seen)
        self._touching = [touching[name] for name in self._names]
        self._errors = self._now()
        self._damping = DAMPING

    def _now(self) -> list[float]:
        return [math.log(one.timing.measured / self._fit.rate(one)) for one in self._seen]

    def total(self) -> float:
        """Loss of all runs and pull of all classes."""
        lost = sum(
            share * loss(error, scale)
            for share, error, scale in zip(self._share, self._errors, self._scales, strict=True)
        )
        return lost + sum(off * off / 2 for off, _ in map(self._pull, range(len(self._names))))

    def _pull(self, k: int) -> tuple[float, float]:
        """Distance of a constant from its class or prior in freedoms, and one over a freedom."""
        fit, name = self._fit, self._names[k]
        parent, free, start = fit.parents[name]
        return (fit.values[name] - (fit.values[parent] if parent else start)) / free, 1 / free

    def improve(self) -> bool:
        """Move the constants to where a parabola through here is lowest, if the loss falls so."""
        slope, curve = self._parabola()
        before, start = self.total(), [self._fit.values[name] for name in self._names]
        while self._damping < MOST_DAMPING:
            move = solved(curve, slope, self._damping)
            for name, value, step, most in zip(self._names, start, move, self._most, strict=True):
                self._fit.move(name, min(most, value + step))
            errors, self._errors = self._errors, self._now()
            gain = before - self.total()
            if gain > 0:
                self._damping /= 4
                return gain > LEAST_GAIN
            self._errors = errors
            self._damping *= 8
        for name, value in zip(self._names, start, strict=True):
            self._fit.move(name, value)
        return False

    def _parabola(self) -> tuple[list[float], list[list[float]]]:
        """Descent of the loss by each constant, and its curvature below the diagonal."""
        fit, count = self._fit, len(self._names)
        reads: list[list[tuple[int, float]]] = [[] for _ in self._seen]
        for k, name in enumerate(self._names):
            value = fit.values[name]
            fit.move(name, value + SMALL)
            for i in self._touching[k]:
                one = self._seen[i]
                less = math.log(one.timing.measured / fit.rate(one)) - self._errors[i]
                if less:
                    reads[i].append((k, -less / SMALL))
            fit.move(name, value)
        slope, curve = [0.0] * count, [[0.0] * (k + 1) for k in range(count)]
        for error, share, scale, read in zip(
            self._errors, self._share, self._scales, reads, strict=True
        ):
            weight = 2 * share / scale**2 / math.sqrt(1 + (error / scale) ** 2)
            for at, (k, by) in enumerate(read):
                slope[k] += weight * error * by
                row, heavy = curve[k], weight * by
                for other, beside in read[: at + 1]:
                    row[other] += heavy * beside
        for k, parent in enumerate(self._parents):
            off, stiff = self._pull(k)
            slope[k] -= off * stiff
            curve[k][k] += stiff * stiff
            if parent is not None:
                slope[parent] += off * stiff
                curve[parent][parent] += stiff * stiff
                curve[max(k, parent)][min(k, parent)] -= stiff * stiff
        for k, name in enumerate(self._names):
            if slope[k] > 0 and fit.values[name] >= self._most[k]:
                slope[k] = 0.0
                curve[k] = [0.0] * k + [1.0]
                for row in curve[k + 1 :]:
                    row[k] = 0.0
        return slope, curve


def solved(curve: Sequence[Sequence[float]], slope: Sequence[float], damping: float) -> list[float]:
    """Solve a positive system by Cholesky's method, its diagonal longer by ``damping`` of itself.

    >>> solved([[4.0], [2.0, 3.0]], [2.0, 2.0], 0.0)
    [0.25, 0.5]
    """
    rows: list[list[float]] = []
    found: list[float] = []
    for k, given in enumerate(curve):
        row: list[float] = []
        for j in range(k):
            row.append((given[j] - sum(map(mul, row, rows[j]))) / rows[j][j])
        row.append(math.sqrt(given[k] * (1 + damping) - sum(map(mul, row, row))))
        rows.append(row)
        found.append((slope[k] - sum(map(mul, row, found))) / row[k])
    for k in range(len(found) - 1, -1, -1):
        found[k] /= rows[k][k]
        for j in range(k):
            found[j] -= rows[k][j] * found[k]
    return found


def _touching(fit: Fit, seen: Sequence[Observation]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for i, one in enumerate(seen):
        names = {n for c in one.classes for some in fit.slots(c).values() for n in some}
        if one.case.path.power < 1:
            names |= set(POWERS)
        names.add(SIZE)
        for name in names:
            found[name].append(i)
    return found


def limited(name: str, stem: str) -> bool:
    """Whether a limit with this stem holds for a constant."""
    return name.startswith(stem) and not name.endswith("-factor")
