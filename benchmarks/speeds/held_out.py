"""Fit without a fifth, predict that fifth: errors and intervals that have not seen the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.speeds.fitting import Fit, Observation, judged, observations, prior, sets_width
from benchmarks.speeds.records import is_fitted
from benchmarks.speeds.search import fitted
from benchmarks.speeds.spreads import (
    FOLDS,
    SEED,
    UNSEEN,
    calibrated,
    constants,
    fold_of,
    quantile,
    spreads,
)
from benchmarks.speeds.votes import shares
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.physics.gpu_groups import Assumptions
from sitegen.physics.speed.constants import REQUIRED
from sitegen.physics.speed.estimate import SpeedModel
from sitegen.published.accuracy.speed_runs import predicted

SEEDS = (SEED, SEED + 1, SEED + 2)
"""Ways to deal units out into fifths."""


UNITS: Mapping[str, Callable[[Observation], str]] = {
    "group": lambda one: one.case.run.group,
    "source": lambda one: one.case.source,
    "owner": lambda one: one.owner,
}
"""What stays on one side: near-repeats, a whole source with its habits and its machine, or all
sources of one owner."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A held-out run: what was measured and what was predicted without it."""

    one: Observation
    low: float
    mid: float
    high: float
    share: float
    """Part of a vote."""

    @property
    def error(self) -> float:
        """Predicted over measured, less one."""
        return self.mid / self.one.timing.measured - 1

    @property
    def inside(self) -> bool:
        """Whether the measured rate lies in the interval."""
        return self.low <= self.one.timing.measured <= self.high


@cache
def _catalog() -> Catalog:
    return parse_catalog(read_project(Path.cwd()).catalog)


@cache
def _seen() -> tuple[Observation, ...]:
    return observations(_catalog())


@cache
def _every() -> tuple[Observation, ...]:
    return judged(_catalog())


Answer = list[tuple[int, float, float, float]]


def _fold(asked: tuple[str, int, int]) -> Answer:
    """Place and interval of each run of a fold, predicted without it.

    The widths too are learned without it: from owners left out among the rest.
    """
    unit, seed, fold = asked
    every, of = _every(), UNITS[unit]
    folds = fold_of((of(one) for one in every), seed)
    training = [one for one in _seen() if folds[of(one)] != fold]
    beside = [one for one in every if folds[of(one)] != fold and sets_width(one)]
    model = model_of(fitted(training), training, _catalog().assumptions, beside)
    return [
        (i, *predicted(model, one.case, one.timing))
        for i, one in enumerate(every)
        if folds[of(one)] == fold
    ]


def held_out(unit: str, seeds: Sequence[int], jobs: int = 2) -> dict[int, list[Judged]]:
    """Predict every run by a fit that has not seen its unit, once per seed."""
    asked = [(unit, seed, fold) for seed in seeds for fold in range(FOLDS)]
    with ProcessPoolExecutor(jobs) as pool:
        answers = list(pool.map(_fold, asked))
    every, share = _every(), shares(_every())
    found: dict[int, list[Judged]] = {seed: [] for seed in seeds}
    for (_, seed, _), answer in zip(asked, answers, strict=True):
        found[seed] += [Judged(every[i], low, mid, high, share[i]) for i, low, mid, high in answer]
    return found


def model_of(
    fit: Fit,
    seen: Sequence[Observation],
    assumptions: Assumptions,
    asked: Sequence[Observation] = (),
) -> SpeedModel:
    """Speed model of a fit, beside the constants that are not fitted.

    A family that the training runs lack keeps its start. Widths are learned from ``asked``.
    """
    kept = {name: value for name, value in assumptions.items() if not is_fitted(name)}
    starts = Fit({name: math.log(prior(name)[0]) for name in REQUIRED if is_fitted(name)}, {})
    unseen = constants(starts, dict.fromkeys(starts.values, UNSEEN))
    half = spreads(fit, seen, calibrated(seen, fit, asked)[0])
    return SpeedModel({**kept, **unseen, **constants(fit, half)})


def table(judged: Sequence[Judged], key: Callable[[Judged], str]) -> list[str]:
    """Rows of a Markdown table: errors and intervals by some key, per row and per vote."""
    rows = []
    for name in sorted({key(one) for one in judged}):
        some = [one for one in judged if key(one) == name]
        votes = sum(one.share for one in some)
        inside = sum(one.inside for one in some) / len(some)
        voted = sum(one.share for one in some if one.inside) / votes
        widths = quantile([(one.high / one.low, 1) for one in some], 0.5)
        by_row = [(abs(one.error), 1.0) for one in some]
        by_vote = [(abs(one.error), one.share) for one in some]
        rows.append(
            f"| {name} | {len(some)} | {votes:.0f} | {quantile(by_row, 0.5):.1%} "
            f"| {quantile(by_vote, 0.5):.1%} | {quantile(by_row, 0.8):.1%} "
            f"| {inside:.0%} | {voted:.0%} | {widths:.2f} |"
        )
    return rows
