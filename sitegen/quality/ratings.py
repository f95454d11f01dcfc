"""Ratings of models by use, with intervals and tiers, from the scores of the catalog."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.provenance import Interval
from sitegen.catalog.domain.scores import Board, ScoreSheet, Use
from sitegen.quality import policy
from sitegen.quality.abilities import Ability, AbilityFit, BoardScore
from sitegen.quality.evidence import (
    Keep,
    Run,
    Seen,
    everything,
    evidence,
    linking,
    of_use,
    runs_of,
    weights,
)
from sitegen.quality.values import NONE, EvidenceStanding, Rating, Ratings
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class RatingsWithFits:
    """Ratings, and the fits that they come from, by use."""

    ratings: Ratings
    fits: Mapping[Use, AbilityFit]
    seen: tuple[Seen, ...]


def ratings_of(catalog: Catalog) -> Ratings:
    """Rate the models of a catalog, without the sources that its publisher leaves out."""
    if not catalog.scores:
        return NONE
    return rate(Scores.of(catalog), without(catalog.left_out)).ratings


@dataclass(frozen=True, slots=True)
class Scores:
    """All scores of a catalog, ready to be asked several questions, and its models."""

    runs: tuple[Run, ...]
    models: frozenset[str]

    @classmethod
    def of(cls, catalog: Catalog) -> Scores:
        """Put the scores of a catalog on one scale."""
        runs = runs_of(catalog.scores.values(), catalog.boards)
        return cls(runs, frozenset(catalog.models))


def rate(
    scores: Scores, keep: Keep = everything, uses: Collection[Use] = tuple(Use)
) -> RatingsWithFits:
    """Rate the models of a catalog for some uses, by the scores that a question keeps."""
    seen, known = evidence(scores.runs, keep), scores.models
    text = of_use(seen, Use.OVERALL)
    general = _fitted(text, scale_by=known)
    fits = {Use.OVERALL: general}
    for use in uses:
        if use is not Use.OVERALL:
            some = of_use(seen, use)
            priors = _priors(general, some, policy.CARRIES.get(use, policy.CARRY))
            fits[use] = _fitted(some, priors=priors)
    by_use: dict[Use, Mapping[str, Rating]] = {}
    for use, fitted in fits.items():  # the first is that over all uses
        if fitted.items:
            overall = by_use.get(Use.OVERALL, {})
            in_general = {one.model: one.points.mid for one in overall.values() if one.is_rated}
            by_use[use] = _ratings(use, fitted, of_use(seen, use), known, in_general)
    return RatingsWithFits(Ratings(by_use), fits, seen)


def _fitted(
    seen: Sequence[Seen],
    *,
    scale_by: frozenset[str] | None = None,
    priors: Mapping[str, Ability] | None = None,
) -> AbilityFit:
    from sitegen.quality.item_response import fit  # numpy takes longer to load than most answers

    some = linking(seen)
    entries = [
        BoardScore(one.model, one.item, one.score, one.variance, weight, one.evaluated_by)
        for one, weight in zip(some, weights(some), strict=True)
    ]
    return fit(entries, scale_by=scale_by, priors=priors)


def _priors(
    general: AbilityFit, seen: Sequence[Seen], carry: policy.Carry
) -> Mapping[str, Ability]:
    """Carry ability in general to a use, as far as it speaks for it."""
    found: dict[str, Ability] = {}
    for model in {one.model for one in seen}:
        known = general.abilities.get(model, Ability(0.0, 1.0))
        spread = math.hypot(carry.spread, carry.share * known.deviation)
        found[model] = Ability(carry.share * known.mean, spread)
    return found


def _ratings(
    use: Use,
    fitted: AbilityFit,
    seen: Sequence[Seen],
    known: frozenset[str],
    in_general: Mapping[str, float],
) -> Mapping[str, Rating]:
    """Say of each model of the catalog what the fit says, and whether that is a rating.

    ``in_general`` has the points of those that are rated over all uses.
    """
    by_model: dict[str, list[tuple[Seen, float]]] = defaultdict(list)
    for one, weight in zip(seen, weights(seen), strict=True):
        if one.model in known and one.model in fitted.abilities:
            by_model[one.model].append((one, weight))
    found = {
        model: _rating(use, model, fitted.abilities[model], some, in_general.get(model))
        for model, some in sorted(by_model.items())
    }
    rated = [one for one in found.values() if one.standing is EvidenceStanding.RATED]
    return {**found, **{one.model: one for one in placed(rated, fitted.abilities)}}


def _rating(
    use: Use,
    model: str,
    ability: Ability,
    weighed: Sequence[tuple[Seen, float]],
    general: float | None,
) -> Rating:
    seen = [one for one, _ in weighed]
    independent = [one for one in seen if one.evaluator is Evaluator.INDEPENDENT]
    groups = {one.group for one in independent}
    half = policy.POINTS * policy.SURE * ability.deviation
    middle = policy.CENTRE + policy.POINTS * ability.mean
    fewest = policy.FEWEST_BOARDS_OVERALL if use is Use.OVERALL else policy.FEWEST_BOARDS
    enough = fewest if general is None else policy.FEWEST_BOARDS_OF_A_RATED
    is_rated = len(groups) >= enough and half < policy.WIDEST
    short = EvidenceStanding.PROVISIONAL if independent else EvidenceStanding.MAKERS_WORD
    return Rating(
        points=Interval(middle - half, middle, middle + half),
        is_rated=is_rated,
        general=general if is_rated and len(groups) < fewest else None,
        model=model,
        use=use,
        standing=EvidenceStanding.RATED if is_rated else short,
        boards=len({one.group for one in seen}),
        independent=len(groups),
        newest=max((one.date for one in independent), default=""),
        mode=_mode(weighed),
        board_ids=tuple(sorted({one.board.id for one in seen})),
    )


def _mode(weighed: Sequence[tuple[Seen, float]]) -> str:
    """Return the mode that carries most of the weight."""
    by_mode: dict[str, float] = defaultdict(float)
    for one, weight in weighed:
        by_mode[one.mode] += weight
    return max(sorted(by_mode), key=lambda mode: by_mode[mode])


def placed(rated: Sequence[Rating], abilities: Mapping[str, Ability]) -> list[Rating]:
    """Give places and tiers: a tier ends at the first model surely worse than its leader."""
    ratings: list[Rating] = []
    tier, leader = 0, Ability(math.inf, 0.0)
    for place, one in enumerate(sorted(rated, key=lambda one: (-one.points.mid, one.model)), 1):
        own = abilities[one.model]
        spread = math.hypot(own.deviation, leader.deviation)
        if leader.mean - own.mean > policy.SURE * spread:
            tier, leader = tier + 1, own
        ratings.append(replace(one, tier=tier, place=place))
    return ratings


def without(sources: Collection[str]) -> Keep:
    """Return the question that keeps all scores but those of some sources."""
    left = frozenset(sources)

    def keep(sheet: ScoreSheet, _board: Board) -> bool:
        return not {sheet.id, sheet.names} & left

    return keep
