"""The first answer about some hardware: what to run for a use, and what else may be wanted.

The picks are those of a combo's page, of ``sitegen fit`` and of the page of composed builds: here
they are only put together. Runs in the browser too (decision 27).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from sitegen.catalog.domain.hardware import Combo
from sitegen.fit.assessment import Assessment, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.quality.values import Use
from sitegen.survey.answers import Answer, AnswerGoal, RankedPlan
from sitegen.survey.best_for_goal import combo_answers
from sitegen.survey.best_for_use import FIRST, Candidates, UseAnswer, answer_for
from sitegen.survey.composed_build import BuildQuestion
from sitegen.survey.results import ComboSurvey
from sitegen.values import dataclass


class Wish(StrEnum):
    """An alternative that a reader may want to the first answer."""

    OVERALL = "overall"
    CODING = "coding"
    FASTEST = "fastest"
    USERS = "most-users"
    BEYOND = "beyond-gpu-memory"


OF_USE = {Wish.OVERALL: Use.OVERALL, Wish.CODING: Use.CODING}
OF_GOAL = {
    Wish.FASTEST: AnswerGoal.ONE_STREAM,
    Wish.USERS: AnswerGoal.USERS_8K,
    Wish.BEYOND: AnswerGoal.BEYOND,
}


@dataclass(frozen=True, slots=True)
class Instead:
    """Another answer; ``standing`` says how much it gives of what a goal asks for."""

    wish: Wish
    assessment: Assessment
    standing: RankedPlan | None = None


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The model to run on some hardware, or the way in which one model runs there.

    Attributes:
        use: The use that it is best for; ``None`` where a reader named the model.
        pick: The pick; ``None`` where nothing rated for the use is comfortable.
        as_good: Models that published evidence cannot tell from it, itself among them; 0 where it
            is the largest because none is rated.
        instead: Other answers, each another model than the first.
        too_many: Users who were asked for, where no rated model serves so many and the pick is for
            fewer; 0 where it is for all.
    """

    combo: Combo
    use: Use | None
    pick: Assessment | None
    as_good: int
    instead: tuple[Instead, ...]
    too_many: int = 0


def fewer_users(users: int) -> int:
    """Return the largest power of two below a number of users, to ask for next.

    >>> fewer_users(1024), fewer_users(100), fewer_users(2)
    (512, 64, 1)
    """
    fewer = 1
    while 2 * fewer < users:
        fewer *= 2
    return fewer


def for_fewer(answer: FirstAnswer, users: int) -> FirstAnswer:
    """Say that an answer is for fewer users than were asked for."""
    return replace(answer, too_many=users)


def asked_for_users(asked: BuildQuestion) -> BuildQuestion:
    """Ask for the goal that ``sitegen fit --best`` takes: more than one user, most tokens/s."""
    if asked.sequences > 1 and asked.goal is None:
        return replace(asked, goal=PlanGoal.THROUGHPUT)
    return asked


def best_for_use(
    engine: FitEngine, combo: Combo, picks: Sequence[Assessment], use: Use
) -> FirstAnswer:
    """Find the best pick for a use, without the other answers."""
    candidates = Candidates.of(engine, picks)
    best = answer_for(use, candidates)
    if best is None:
        return FirstAnswer(combo, use, None, 0, ())
    return FirstAnswer(combo, use, best.picks[0].assessment, len(best.picks), ())


def with_others(
    engine: FitEngine, combo: Combo, picks: Sequence[Assessment], use: Use
) -> FirstAnswer:
    """Find the best pick for a use, and the other answers of the combo's page."""
    answers = combo_answers(engine, combo, picks)
    return _answered(combo, use, answers.lead, answers.uses, answers.goals)


def of_survey(survey: ComboSurvey) -> FirstAnswer:
    """Take the first answer of a combo's page."""
    return _answered(survey.combo, FIRST, survey.lead, survey.uses, survey.answers)


def of_model(combo: Combo, assessment: Assessment | None) -> FirstAnswer:
    """Answer for the model that a reader named."""
    return FirstAnswer(combo, None, assessment, 0, ())


def _answered(
    combo: Combo,
    use: Use,
    lead: Assessment | None,
    uses: Sequence[UseAnswer],
    goals: Sequence[Answer],
) -> FirstAnswer:
    by_use = {one.use: one for one in uses}
    best = by_use.get(use)
    assessment = best.picks[0].assessment if best is not None else None
    if assessment is None and use is FIRST:
        assessment = lead
    first = assessment.model.id if assessment is not None else ""
    instead: list[Instead] = []
    for wish, other in OF_USE.items():
        answer = by_use.get(other)
        if answer is not None and answer.picks[0].assessment.model.id != first:
            instead.append(Instead(wish, answer.picks[0].assessment))
    for wish, goal in OF_GOAL.items():
        for one in goals:
            if one.goal is goal and one.best.assessment.model.id != first:
                instead.append(Instead(wish, one.best.assessment, one.best))
    as_good = len(best.picks) if best is not None else 0
    return FirstAnswer(combo, use, assessment, as_good, tuple(instead))
