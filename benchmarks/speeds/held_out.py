"""Fit without a fifth, predict that fifth: errors and intervals that have not seen the runs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.speeds.fitting import Fit, Observation, fitted, prior
from benchmarks.speeds.records import is_fitted
from benchmarks.speeds.spreads import UNSEEN, constants, spreads
from sitegen.engine.devices import Assumptions
from sitegen.engine.speed import SpeedModel
from sitegen.engine.speed_classes import REQUIRED
from sitegen.engine.speed_runs import predicted

FOLDS = 5
SEED = 20_261_120


@dataclass(frozen=True, slots=True)
class Judged:
    """A held-out run: what was measured and what was predicted without it."""

    one: Observation
    low: float
    mid: float
    high: float

    @property
    def error(self) -> float:
        """Predicted over measured, less one."""
        return self.mid / self.one.timing.measured - 1

    @property
    def inside(self) -> bool:
        """Whether the measured rate lies in the interval."""
        return self.low <= self.one.timing.measured <= self.high


def by_group(one: Observation) -> str:
    """Near-repeats stay on one side."""
    return one.case.run.group


def by_source(one: Observation) -> str:
    """A whole source stays on one side: its habits and its machine were never seen."""
    return one.case.source


def fold_of(units: Iterable[str], seed: int = SEED) -> Mapping[str, int]:
    """Deal units out into fifths, by chance and always alike."""
    ordered = sorted(set(units))
    random.Random(seed).shuffle(ordered)  # noqa: S311 - a reproducible choice, no secret
    return {unit: at % FOLDS for at, unit in enumerate(ordered)}


def held_out(
    seen: Sequence[Observation], assumptions: Assumptions, unit: Callable[[Observation], str]
) -> tuple[list[Judged], list[Fit]]:
    """Predict every run by a fit that has not seen its unit."""
    folds = fold_of(unit(one) for one in seen)
    judged: list[Judged] = []
    fits = []
    for fold in range(FOLDS):
        training = [one for one in seen if folds[unit(one)] != fold]
        fit = fitted(training)
        fits.append(fit)
        model = model_of(fit, training, assumptions)
        for one in seen:
            if folds[unit(one)] == fold:
                judged.append(Judged(one, *predicted(model, one.case, one.timing)))
    return judged, fits


def model_of(fit: Fit, seen: Sequence[Observation], assumptions: Assumptions) -> SpeedModel:
    """Speed model of a fit, beside the constants that are not fitted.

    A family that the training runs lack keeps its start.
    """
    kept = {name: value for name, value in assumptions.items() if not is_fitted(name)}
    starts = Fit({name: math.log(prior(name)[0]) for name in REQUIRED if is_fitted(name)}, {})
    unseen = constants(starts, dict.fromkeys(starts.values, UNSEEN))
    return SpeedModel({**kept, **unseen, **constants(fit, spreads(fit, seen))})


def table(judged: Sequence[Judged], key: Callable[[Judged], str]) -> list[str]:
    """Rows of a Markdown table: errors and intervals by some key."""
    rows = []
    for name in sorted({key(one) for one in judged}):
        some = [one for one in judged if key(one) == name]
        errors = sorted(abs(one.error) for one in some)
        widths = sorted(one.high / one.low for one in some)
        inside = sum(one.inside for one in some) / len(some)
        rows.append(
            f"| {name} | {len(some)} | {at(errors, 0.5):.1%} | {at(errors, 0.8):.1%} "
            f"| {at(errors, 0.95):.0%} | {inside:.0%} | {at(widths, 0.5):.2f} |"
        )
    return rows


def at(ordered: Sequence[float], share: float) -> float:
    """Quantile of ordered values, the nearest that exists."""
    return ordered[min(len(ordered) - 1, math.floor(share * len(ordered)))]
