"""A linear item-response model: how able models are, from boards that share some of them.

A score is a board's difficulty, its slope times the model's ability, and noise that is the board's
own. All of them are estimated together, so that old and new, hard and easy boards link through the
models that took several. This is the one module that needs numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sitegen.quality.abilities import Ability, AbilityFit, BoardScore, Item
from sitegen.values import dataclass

Numbers: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]

ROUNDS = 60
"""Times that abilities and boards are estimated in turn; after forty nothing moves."""
_SLOPE_SPREAD = 0.35
"""Prior standard deviation of a board's slope about the common one, on its own scale."""
_LEAST_SLOPE = 0.05
"""A board that ranks models backwards is taken for one that ranks them hardly."""
_USUAL_NOISE, _NOISE_WEIGHT = 0.3, 2.0
"""Prior of a board's noise (variance on its own scale), and scores that the prior is worth."""
_LEAST_NOISE = 0.03
_FIRST_NOISE = 0.35
_LEAST_SCALE = 1e-3
_USUAL_BIAS, _BIAS_WEIGHT = 0.04, 20.0
"""Prior of the variance of evaluators' views (ability, squared), and views that it is worth."""
_LEAST_BIAS = 0.0025
_LEAST_LEFT = 0.05
_CHANGE_WEIGHT = 2.0
"""Scores that the prior of a model's own scatter is worth."""
_OPEN = 1e-6
"""Precision of a prior that says nothing: that of a board's difficulty."""
_DIGITS = 6
"""Decimals of a standard deviation: an inverse is the same on every machine up to here."""


@dataclass(slots=True)
class _State:
    """The estimates of one round: abilities with their precision, then the boards."""

    ability: Numbers
    precision: Numbers
    slope: Numbers
    difficulty: Numbers
    noise: Numbers
    bias: float
    """Variance of one evaluator's view of a model, which all of its boards share."""


@dataclass(frozen=True, slots=True)
class _Problem:
    """The entries as columns, on the scale of each board, and the priors of the models."""

    model: Places
    item: Places
    pair: Places
    pair_model: Places
    score: Numbers
    variance: Numbers
    weight: Numbers
    scale: Numbers
    prior_mean: Numbers
    prior_deviation: Numbers
    sets_scale: npt.NDArray[np.bool_] | None


def fit(
    entries: Sequence[BoardScore],
    *,
    scale_by: frozenset[str] | None = None,
    priors: Mapping[str, Ability] | None = None,
) -> AbilityFit:
    """Estimate abilities and boards.

    Args:
        entries: Scores; sorted by model and item, so that sums come out the same.
        scale_by: Models whose abilities have mean 0 and standard deviation 1; ``None`` keeps the
            scale of the priors.
        priors: What is known of each model before; a standard normal without.
    """
    if not entries:
        return AbilityFit({}, {})
    models = sorted({entry.model for entry in entries})
    items = sorted({entry.item for entry in entries})
    problem = _columns(entries, models, items, scale_by, priors or {})
    state = _estimated(problem, len(models), len(items))
    deviation = np.round(_own_scatter(problem, state) * _deviations(problem, state), _DIGITS)
    counts = np.bincount(problem.item, minlength=len(items))
    return AbilityFit(
        {
            name: Ability(float(state.ability[place]), float(deviation[place]))
            for place, name in enumerate(models)
        },
        {
            name: Item(
                float(state.difficulty[place] * problem.scale[place]),
                float(state.slope[place] * problem.scale[place]),
                float(np.sqrt(state.noise[place]) * problem.scale[place]),
                int(counts[place]),
            )
            for place, name in enumerate(items)
        },
    )


def _columns(
    entries: Sequence[BoardScore],
    models: Sequence[str],
    items: Sequence[str],
    scale_by: frozenset[str] | None,
    priors: Mapping[str, Ability],
) -> _Problem:
    model_places = {name: place for place, name in enumerate(models)}
    item_places = {name: place for place, name in enumerate(items)}
    model = np.array([model_places[entry.model] for entry in entries], dtype=np.intp)
    item = np.array([item_places[entry.item] for entry in entries], dtype=np.intp)
    pairs = sorted({(entry.model, entry.evaluator) for entry in entries})
    pair_places = {pair: place for place, pair in enumerate(pairs)}
    pair = np.array([pair_places[entry.model, entry.evaluator] for entry in entries], dtype=np.intp)
    score = np.array([entry.score for entry in entries])
    counts = np.bincount(item, minlength=len(items))
    mean = np.bincount(item, score, len(items)) / counts
    spread = np.sqrt(np.bincount(item, (score - mean[item]) ** 2, len(items)) / counts)
    scale = np.maximum(spread, _LEAST_SCALE)
    standard = Ability(0.0, 1.0)
    known = [priors.get(name, standard) for name in models]
    return _Problem(
        model=model,
        item=item,
        pair=pair,
        pair_model=np.array([model_places[name] for name, _ in pairs], dtype=np.intp),
        score=score / scale[item],
        variance=np.array([entry.variance for entry in entries]) / scale[item] ** 2,
        weight=np.array([entry.weight for entry in entries]),
        scale=scale,
        prior_mean=np.array([prior.mean for prior in known]),
        prior_deviation=np.array([prior.deviation for prior in known]),
        sets_scale=None
        if scale_by is None
        else np.array([name in scale_by for name in models], dtype=np.bool_),
    )


def _estimated(problem: _Problem, models: int, items: int) -> _State:
    state = _State(
        ability=problem.prior_mean.copy(),
        precision=problem.prior_deviation**-2,
        slope=np.ones(items),
        difficulty=np.bincount(problem.item, problem.score, items)
        / np.bincount(problem.item, minlength=items),
        noise=np.full(items, _FIRST_NOISE),
        bias=_USUAL_BIAS,
    )
    for _ in range(ROUNDS):
        _update_models(problem, state, models)
        _update_items(problem, state, items)
    return state


def _update_models(problem: _Problem, state: _State, models: int) -> None:
    """Average what the boards say of each model with its prior."""
    item = problem.item
    sure = problem.weight / (state.noise[item] + problem.variance)
    slope = state.slope[item]
    prior = problem.prior_deviation**-2
    pairs = len(problem.pair_model)
    sure_of = _summed(problem.pair, sure * slope**2, pairs)
    said = _summed(problem.pair, sure * slope * (problem.score - state.difficulty[item]), pairs)
    # However many boards an evaluator has, they say no more than its view of the model is sure.
    kept = 1 / (1 + state.bias * sure_of)
    state.precision = prior + _summed(problem.pair_model, kept * sure_of, models)
    total = _summed(problem.pair_model, kept * said, models)
    state.ability = (problem.prior_mean * prior + total) / state.precision
    state.bias = _bias(problem, state, said / sure_of, sure_of)
    if problem.sets_scale is not None and problem.sets_scale.any():
        some = state.ability[problem.sets_scale]
        state.ability = (state.ability - some.mean()) / max(float(some.std()), 1e-6)


def _bias(problem: _Problem, state: _State, views: Numbers, sure_of: Numbers) -> float:
    """Estimate how far evaluators' views of the same model are apart, beyond the boards' noise.

    Each view lies about the model's ability with the variance asked for and that of its boards,
    less the share that it has in the ability itself. Models of one evaluator say nothing.
    """
    model = problem.pair_model
    several = np.bincount(model)[model] > 1
    own = 1 / (state.bias + 1 / sure_of)
    share = own / state.precision[model]
    seen = (views - state.ability[model]) ** 2 / np.maximum(1 - share, _LEAST_LEFT)
    count = np.where(several, (own * state.bias) ** 2, 0.0)
    total = float(np.sum(count * (seen - 1 / sure_of))) + _BIAS_WEIGHT * _USUAL_BIAS
    return max(total / (float(count.sum()) + _BIAS_WEIGHT), _LEAST_BIAS)


def _update_items(problem: _Problem, state: _State, items: int) -> None:
    """Fit a line through each board's scores; slopes lean to the common one, and noise to usual."""
    item = problem.item

    def summed(values: Numbers) -> Numbers:
        return _summed(item, values, items)

    ability = state.ability[problem.model]
    sure = problem.weight / (state.noise[item] + problem.variance)
    total = summed(sure)
    x_mean, y_mean = summed(sure * ability) / total, summed(sure * problem.score) / total
    x, y = ability - x_mean[item], problem.score - y_mean[item]
    lean = _SLOPE_SPREAD**-2
    common = float(np.median(state.slope))
    slope = (summed(sure * x * y) + lean * common) / (summed(sure * x * x) + lean)
    state.slope = np.maximum(slope, _LEAST_SLOPE)
    state.difficulty = y_mean - state.slope * x_mean
    left = problem.score - state.difficulty[item] - state.slope[item] * ability
    excess = np.maximum(left**2 - problem.variance, 0)
    noise = (summed(problem.weight * excess) + _NOISE_WEIGHT * _USUAL_NOISE) / (
        summed(problem.weight) + _NOISE_WEIGHT
    )
    state.noise = np.maximum(noise, _LEAST_NOISE)


def _summed(places: Places, values: Numbers, count: int) -> Numbers:
    """Add up values by place."""
    return np.bincount(places, values, count).astype(np.float64, copy=False)


def _deviations(problem: _Problem, state: _State) -> Numbers:
    """Return the standard deviations of the abilities, given that the boards are estimates too.

    Near the estimate, scores are linear in the abilities, difficulties and slopes, so that the
    inverse of their information matrix is their covariance (Laplace's approximation); evaluators'
    views are integrated out of it. Boards that few models link are the less sure for it, and with
    them every model that only they know.
    """
    models, boards, pairs = len(state.ability), len(state.slope), len(problem.pair_model)
    item, slope = problem.item, state.slope[problem.item]
    sure = problem.weight / (state.noise[item] + problem.variance)
    sure_of = _summed(problem.pair, sure * slope**2, pairs)
    kept = 1 / (1 + state.bias * sure_of)
    # Boards tie models to one another, nothing else does: without them the matrix is a diagonal.
    alone = problem.prior_deviation**-2 + _summed(problem.pair_model, kept * sure_of, models)
    by_model = _table(problem.model, item, sure * slope * kept[problem.pair], (models, boards))
    across = np.hstack([by_model, by_model * state.ability[:, None]]) / alone[:, None]
    of_boards = _of_boards(problem, state, sure)
    by_pair = _table(problem.pair, item, sure * slope, (pairs, boards))
    views = np.hstack([by_pair, by_pair * state.ability[problem.pair_model, None]])
    of_boards -= (views.T * (state.bias * kept)) @ views
    of_boards -= (across.T * alone) @ across
    variance = 1 / alone
    if problem.sets_scale is not None and problem.sets_scale.any():
        # An ability is a distance from the mean of these models, in their standard deviations.
        share = problem.sets_scale / problem.sets_scale.sum()
        about = np.eye(models) - share - np.outer(state.ability, share * state.ability)
        variance, across = about**2 @ variance, about @ across
    shared: Numbers = np.sum(across * np.linalg.solve(of_boards, across.T).T, axis=1)
    deviations: Numbers = np.sqrt(variance + shared)
    return deviations


def _of_boards(problem: _Problem, state: _State, sure: Numbers) -> Numbers:
    """Return what scores say of difficulties and slopes, where abilities are known."""
    boards, ability = len(state.slope), state.ability[problem.model]
    crossed, squared = (
        np.diag(_summed(problem.item, sure * values, boards)) for values in (ability, ability**2)
    )
    level = np.diag(_summed(problem.item, sure, boards) + _OPEN)
    return np.block([[level, crossed], [crossed, squared + _SLOPE_SPREAD**-2 * np.eye(boards)]])


def _table(rows: Places, columns: Places, values: Numbers, shape: tuple[int, int]) -> Numbers:
    """Add up values by row and column."""
    return _summed(rows * shape[1] + columns, values, shape[0] * shape[1]).reshape(shape)


def _own_scatter(problem: _Problem, state: _State) -> Numbers:
    """Return the factor by which a model's boards disagree more than boards do, at least 1."""
    item, models = problem.item, len(state.ability)
    left = problem.score - state.difficulty[item] - state.slope[item] * state.ability[problem.model]
    squares = np.bincount(
        problem.model, problem.weight * left**2 / (state.noise[item] + problem.variance), models
    )
    seen = np.bincount(problem.model, problem.weight, models)
    return np.sqrt(np.maximum(1, (squares + _CHANGE_WEIGHT) / (seen + _CHANGE_WEIGHT)))
