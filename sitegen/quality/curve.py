"""Losses of types of quantization: a curve over bits, and each type's own evidence against it.

Losses span four orders of magnitude and are never negative, so everything is said of their
logarithm: the curve, how far types scatter about it, how far models scatter about their type.
What a type loses is then the curve moved by what was measured, as far as that is sure.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import mul

from sitegen.quality.observations import Observation
from sitegen.values import dataclass

SURE = 1.645
"""Standard deviations on either side of 90 % of a normal distribution."""
_STEPS = tuple(0.125 * step for step in range(-32, 33))
"""Losses that are weighed against each other: deviations of the prior, four on either side."""
_SQUARES = tuple(step**2 for step in _STEPS)
_LEAST_LOSS = 1e-5
"""Log-odds; no figure is surer than this, so that nothing is divided by zero."""
_SCATTER = 0.5
"""Scatter of models (log) that the first estimate of a type starts with."""
_FEWEST_TYPES = 4
"""Types that a line over bits needs."""


@dataclass(frozen=True, slots=True)
class Belief:
    """Logarithm of a loss in log-odds: its mean and standard deviation."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class LossModel:
    """General evidence on losses.

    ``scatter_of_types`` and ``scatter_of_models`` are standard deviations of logarithms; ``pairs``
    has the losses measured of each model and type with their variances.
    """

    at_zero_bits: float
    per_bit: float
    scatter_of_types: float
    scatter_of_models: float
    bits: Mapping[str, float]
    types: Mapping[str, Belief]
    pairs: Mapping[tuple[str, str], tuple[float, float]]

    def curve(self, bits: float) -> Belief:
        """Return the loss of a type that nobody measured."""
        return Belief(self.at_zero_bits + self.per_bit * bits, self.scatter_of_types)

    def of_type(self, type_id: str) -> Belief:
        """Return the loss of a type, over models."""
        return self.types.get(type_id) or self.curve(self.bits[type_id])

    def of_model(self, belief: Belief) -> Belief:
        """Widen the loss of a type to that of a model on which it was not measured."""
        return Belief(belief.mean, math.hypot(belief.deviation, self.scatter_of_models))


def loss_model(seen: Iterable[Observation], bits: Mapping[str, float]) -> LossModel | None:
    """Fit curve, scatter and types; ``None`` where too few types were measured.

    Args:
        seen: What was measured.
        bits: Bits per weight of every type.
    """
    pairs = _pairs(seen)
    by_type: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for (model, type_id), measured in pairs.items():
        by_type[type_id][model] = measured
    first = {id_: _first_estimate(tuple(found.values())) for id_, found in by_type.items()}
    line = _line(first, bits)
    if line is None:
        return None
    at_zero, per_bit, scatter_of_types = line
    scatter = _scatter_of_models(by_type)
    fitted = LossModel(at_zero, per_bit, scatter_of_types, scatter, bits, {}, pairs)
    types = {
        type_id: weighed(fitted.curve(bits[type_id]), tuple(found.values()), scatter)
        for type_id, found in by_type.items()
    }
    return replace(fitted, types=types)


def _pairs(seen: Iterable[Observation]) -> Mapping[tuple[str, str], tuple[float, float]]:
    """Average the measured losses of each model and type."""
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for one in seen:
        pairs[one.model, one.quantization].append((one.loss, one.variance))
    return {key: pooled(some) for key, some in sorted(pairs.items())}


def pooled(measured: Sequence[tuple[float, float]], extra: float = 0.0) -> tuple[float, float]:
    """Average figures by their precision; return the mean and its variance.

    >>> pooled([(1.0, 1.0), (2.0, 1.0)])[0]
    1.5
    """
    weights = [1 / (variance + extra + _LEAST_LOSS**2) for _, variance in measured]
    total = sum(weights)
    return sum(w * loss for w, (loss, _) in zip(weights, measured, strict=True)) / total, 1 / total


def weighed(prior: Belief, measured: Sequence[tuple[float, float]], scatter: float) -> Belief:
    """Move a belief by measured losses, each of a model that scatters about it.

    The noise of a measurement adds and the loss multiplies, so no formula is exact; the belief is
    weighed on a grid of losses.
    """
    logs = []
    for step, square in zip(_STEPS, _SQUARES, strict=True):
        loss = math.exp(prior.mean + step * prior.deviation)
        squared = (scatter * loss) ** 2
        away = square
        for seen, variance in measured:
            spread = variance + squared
            away += (seen - loss) ** 2 / spread + math.log(spread)
        logs.append(-0.5 * away)
    highest = max(logs)
    weights = [math.exp(log - highest) for log in logs]
    total = sum(weights)
    mean = sum(map(mul, weights, _STEPS)) / total
    spread = sum(w * (step - mean) ** 2 for w, step in zip(weights, _STEPS, strict=True)) / total
    return Belief(prior.mean + mean * prior.deviation, prior.deviation * math.sqrt(spread))


def _first_estimate(measured: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Average a type's models, each with a scatter in proportion to the average."""
    mean, variance = pooled(measured)
    for _ in range(4):
        mean, variance = pooled(measured, (_SCATTER * mean) ** 2)
    return mean, variance


def _line(
    first: Mapping[str, tuple[float, float]], bits: Mapping[str, float]
) -> tuple[float, float, float] | None:
    """Fit a falling line through the logarithms of losses that are surely more than nothing.

    Returns:
        The logarithm at zero bits, its change a bit, and the scatter about the line.
    """
    points = [
        (bits[id_], math.log(mean), 1 / (variance / mean**2 + _SCATTER**2))
        for id_, (mean, variance) in sorted(first.items())
        if mean > 2 * math.sqrt(variance)
    ]
    if len(points) < _FEWEST_TYPES:
        return None
    total = sum(w for *_, w in points)
    x_mean = sum(w * x for x, _, w in points) / total
    y_mean = sum(w * y for _, y, w in points) / total
    across = sum(w * (x - x_mean) ** 2 for x, _, w in points)
    slope = min(0.0, sum(w * (x - x_mean) * (y - y_mean) for x, y, w in points) / across)
    left = [(y - y_mean - slope * (x - x_mean), w) for x, y, w in points]
    scatter = math.sqrt(sum(w * rest**2 for rest, w in left) / total)
    return y_mean - slope * x_mean, slope, scatter


def _scatter_of_models(by_type: Mapping[str, Mapping[str, tuple[float, float]]]) -> float:
    """Return how far (log) models are from the mean of their type, noise taken off."""
    squares = freedom = 0.0
    for found in by_type.values():
        sure = [
            (math.log(loss), variance / loss**2)
            for loss, variance in found.values()
            if loss > 3 * math.sqrt(variance)
        ]
        if len(sure) < 2:
            continue
        mean = sum(log for log, _ in sure) / len(sure)
        squares += sum((log - mean) ** 2 for log, _ in sure)
        squares -= sum(noise for _, noise in sure) * (len(sure) - 1) / len(sure)
        freedom += len(sure) - 1
    return math.sqrt(max(squares, 0.0) / freedom) if freedom and squares > 0 else _SCATTER
