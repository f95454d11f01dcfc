"""Assumptions of the ratings: weights, priors and bounds, each with its reason.

They are judgement, written down before any rating was computed, on 2026-11-22.
``python -m benchmarks.quality_checks`` says what the ratings do when they vary.
"""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.scores import Caution, Use
from sitegen.values import dataclass

EVALUATOR_WEIGHT: Mapping[Evaluator, float] = {
    Evaluator.INDEPENDENT: 1.0,
    Evaluator.PEER: 0.35,
    Evaluator.MAKER: 0.25,
}
"""Weight of a score by who measured it.

Makers choose what they show: on the same model and benchmark their figures are higher than the best
independent ones by a median of 0 to 5.6 points (250 pairs in the collection, read 2026-11-22).
"""
CAUTION_WEIGHT: Mapping[Caution, float] = {
    Caution.SATURATED: 0.4,
    Caution.LEAKED: 0.3,
    Caution.MODEL_JUDGED: 0.4,
    Caution.FEW_QUESTIONS: 0.5,
    Caution.NARROW: 0.6,
}
"""Weight of a board that says less than others."""
SIBLING_WEIGHT = 0.7
"""Weight of a score of another file of the model: its chat variant, a hosted name."""
MORE_OF_A_FAMILY = 0.8
"""Design effect: with k boards of one family each counts 1 / (1 + this · (k - 1))."""
MORE_OF_AN_EVALUATOR = 0.2
"""Design effect: with k families of one evaluator each counts 1 / (1 + this · (k - 1))."""
USUAL_QUESTIONS = 200
"""Questions of a board that does not state them; they bound the logit of 0 and 100 percent."""
ELO_DEVIATION = 10.0
"""Standard deviation, in Elo points, of a rating without an interval."""
POINTS = 15.0
"""Rating points of one standard deviation over the rated models of the catalog."""
CENTRE = 50.0
"""Rating of the average model of the catalog."""
SURE = 1.645
"""Standard deviations on either side of 90 % of a normal distribution."""
FEWEST_MODELS = 4
"""Models that a board needs before it can link any."""
WIDEST = 13.5
"""Points on either side (90 %) beyond which a rating says too little to be one."""
FEWEST_BOARDS = 2
"""Independent boards (families of one evaluator) of a use that a rating needs."""
FEWEST_BOARDS_OF_A_RATED = 1
"""The same where the model is rated over all uses, which says much of each (decision 82).

By 20 random halves of the evaluators, 1,103 of 1,213 differences of models that one half knew by a
single board lie inside the 90 % interval; computed 2026-11-28.
"""
FEWEST_BOARDS_OVERALL = 4
"""The same over all uses."""


@dataclass(frozen=True, slots=True)
class Carry:
    """How far ability in general speaks for a use: its share, and what it leaves open (θ)."""

    share: float
    spread: float


CARRY = Carry(0.9, 0.55)
"""Uses in text are strongly correlated."""
CARRIES: Mapping[Use, Carry] = {
    Use.VISION: Carry(0.6, 0.9),
    Use.LONG_CONTEXT: Carry(0.5, 1.0),
    Use.MULTILINGUAL: Carry(0.85, 0.6),
}
"""Seeing, languages and above all long contexts are matters of their own."""
