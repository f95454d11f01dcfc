"""The answers of a combo: the best models for each use, and the best model for other goals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assess import SHOWN_CONTEXTS
from sitegen.fit.assessment import Assessment, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.fit.runnable_checkpoint import Ask, Asks
from sitegen.physics.plan import ParallelPlan
from sitegen.quality.values import Use
from sitegen.survey.answers import Answer, AnswerGoal, RankedPlan, Scope
from sitegen.survey.best_for_use import (
    FIRST,
    SHORTEST,
    Candidates,
    UseAnswer,
    answers_by_use,
    rated_pick,
    reads_along,
    takes_images,
)
from sitegen.survey.reading_users import reading_users
from sitegen.survey.verdict_policy import answered, driven_by, reference_question, usual_goal
from sitegen.values import dataclass

CONTEXTS = dict(zip((AnswerGoal.USERS_8K, AnswerGoal.USERS_32K), SHOWN_CONTEXTS, strict=True))

MORE_MEMORY = frozenset({"EXPERTS_IN_RAM", "OS_LIMIT"})
"""Reasons that say which memory beyond the GPUs' own a plan takes."""
BEYOND = MORE_MEMORY | {"HEADROOM"}
"""Reasons with which such a plan is run all the same."""


@dataclass(frozen=True, slots=True)
class ComboAnswers:
    """The best models of a combo by goal.

    Attributes:
        lead: The first answer of the page: the best model over all uses, or where none is rated
            the largest; ``None`` where nothing runs.
        largest: The model with the most parameters that fits comfortably, or else is borderline.
        serving: The good model that answers most users at the reference context and at reading
            speed, with the speed of so many; ``None`` where it answers one alone.
        uses: The best models for each use that any model is rated for.
        goals: The best model for each other goal.
        seeing: The picks for images of models whose pick takes none.
    """

    lead: Assessment | None
    largest: Assessment | None
    serving: Assessment | None
    uses: tuple[UseAnswer, ...]
    goals: tuple[Answer, ...]
    seeing: tuple[Assessment, ...] = ()


def combo_answers(engine: FitEngine, combo: Combo, picks: Sequence[Assessment]) -> ComboAnswers:
    """Answer each use and each goal from the picks of a combo's rows.

    The fastest model, the one with most users and the one with the longest context are sought
    among *good* models: those rated over all uses whose rating is at most ``good-rating-gap``
    below the best one here. Without rated models every comfortable one counts.
    """
    seeing = seeing_picks(engine, combo, picks)
    candidates = Candidates.of(engine, picks, seeing)
    uses = answers_by_use(candidates)
    largest = largest_model(engine, picks)
    compared = _Compared(engine, combo, candidates.compared())
    serving = compared.most_users(AnswerGoal.USERS_8K)
    answers = [
        compared.fastest(),
        serving,
        compared.most_users(AnswerGoal.USERS_32K),
        compared.longest(),
        _small(engine, candidates),
        _beyond(engine, combo, candidates, picks),
        _largest_answer(engine, picks, largest),
    ]
    lead = candidates.lead() or largest
    return ComboAnswers(
        lead=lead,
        largest=largest,
        serving=_served_by(serving),
        uses=uses,
        goals=tuple(one for one in answers if one is not None),
        seeing=seeing,
    )


def seeing_picks(
    engine: FitEngine, combo: Combo, picks: Sequence[Assessment]
) -> tuple[Assessment, ...]:
    """Pick the models again for images that are rated for them, where a pick reads none.

    They are picked for the reference workload; what a reader asks for else is asked with images.
    """
    found = []
    for pick in picks:
        rated = engine.ratings.of(Use.VISION, pick.model.id)
        if rated is None or not rated.is_rated or takes_images(engine, pick):
            continue
        question = reference_question(engine, combo, pick.model).for_images()
        seeing = answered(engine, question) if question is not None else None
        if seeing is not None:
            found.append(seeing)
    return tuple(found)


def most_users(
    engine: FitEngine, combo: Combo, assessments: Sequence[Assessment]
) -> Assessment | None:
    """Return which of some models answers most users at the reference context."""
    return _served_by(_Compared(engine, combo, assessments).most_users(AnswerGoal.USERS_8K))


def _served_by(answer: Answer | None) -> Assessment | None:
    return answer.best.assessment if answer is not None and answer.best.amount.mid > 1 else None


def for_many(engine: FitEngine, combo: Combo, pick: Assessment) -> Assessment | None:
    """Pick a model again for many users, unless rows are picked for them already."""
    if usual_goal(engine, combo, driven_by(engine, combo)) is PlanGoal.THROUGHPUT:
        return pick
    asked = reference_question(engine, combo, pick.model, PlanGoal.THROUGHPUT)
    return answered(engine, replace(asked, read_along=True))


def parameters_of(engine: FitEngine, assessment: Assessment) -> int:
    """Return the parameters of an assessment's model."""
    return engine.reduced(assessment.model, assessment.checkpoint).parameters


def largest_model(engine: FitEngine, picks: Iterable[Assessment]) -> Assessment | None:
    """Return the pick of the model with the most parameters in the best tier that runs.

    Of equals the newer release counts.
    """
    running = [one for one in picks if one.tier is not FitTier.NOT_PRACTICAL]
    best = min((RANK[one.tier] for one in running), default=0)
    return max(
        (one for one in running if RANK[one.tier] == best),
        key=lambda one: (parameters_of(engine, one), one.model.released, one.model.id),
        default=None,
    )


def _largest_answer(
    engine: FitEngine, picks: Sequence[Assessment], largest: Assessment | None
) -> Answer | None:
    if largest is None:
        return None
    others = [one for one in picks if one.model.id != largest.model.id and one.tier is largest.tier]
    second = largest_model(engine, others)
    return Answer(
        AnswerGoal.PARAMETERS,
        Scope.EVERY_MODEL,
        RankedPlan(largest, Interval.exact(parameters_of(engine, largest))),
        RankedPlan(second, Interval.exact(parameters_of(engine, second))) if second else None,
        models=len(others) + 1,
    )


def _small(engine: FitEngine, candidates: Candidates) -> Answer | None:
    """Find the best small model: the highest rating within a size that answers quickly."""
    most = engine.assumptions["small-model-parameters"].value.mid
    small = [
        rated_pick
        for rated_pick in candidates.rated_in_general()
        if parameters_of(engine, rated_pick.assessment) <= most
    ]
    if not small:
        return None
    ordered = sorted(small, key=lambda one: (-one.points, one.assessment.model.id))
    standings = [
        RankedPlan(rated_pick.assessment, Interval.exact(rated_pick.points))
        for rated_pick in ordered[:2]
    ]
    second = standings[1] if len(standings) > 1 else None
    return Answer(AnswerGoal.SMALL, Scope.SMALL, standings[0], second, models=len(small))


def rated_higher(
    engine: FitEngine, combo: Combo, picks: Sequence[Assessment], *, reference: bool
) -> Answer | None:
    """Find what is rated higher than all that fits comfortably, for a question of one's own.

    Files of fewer than four bits are judged for the reference workload alone: without
    ``reference`` there are none.
    """
    return _beyond(engine, combo, Candidates.of(engine, picks), picks, narrow=reference)


def _beyond(
    engine: FitEngine,
    combo: Combo,
    candidates: Candidates,
    picks: Sequence[Assessment],
    *,
    narrow: bool = True,
) -> Answer | None:
    """Find the best model that is larger than the GPUs' own memory holds in four bits or more.

    Who buys a machine for experts in system RAM, raises the system's limit, or takes a file of
    fewer bits has it for a model that is rated higher, in whole points and with what the file
    loses, than all that fit comfortably.
    """
    tight = [one for one in candidates.tight(picks, BEYOND) if _needs_more(one.assessment)]
    comfortable = candidates.rated_in_general()
    least = round(comfortable[0].points) + 1 if comfortable else 0
    fewer = _in_fewer_bits(engine, combo, picks, least) if narrow else []
    in_fewer = Candidates.of(engine, fewer).rated_in_general()
    found = [one for one in (*tight, *in_fewer) if round(one.points) >= least]
    found = sorted(found, key=lambda one: (-one.points, one.assessment.model.id))
    if not found:
        return None
    standings = [RankedPlan(one.assessment, Interval.exact(one.points)) for one in found[:2]]
    second = standings[1] if len(standings) > 1 else None
    return Answer(AnswerGoal.BEYOND, Scope.BEYOND, standings[0], second, models=len(found))


def _in_fewer_bits(
    engine: FitEngine, combo: Combo, picks: Sequence[Assessment], least: float
) -> list[Assessment]:
    """Pick the models that are rated so high again, among files of fewer than four bits.

    Nobody serves many users from such files, or takes one that loses more for a longer context
    than an answer needs.
    """
    found: list[Assessment] = []
    if usual_goal(engine, combo, driven_by(engine, combo)) is PlanGoal.THROUGHPUT:
        return found
    shortest = int(engine.assumptions[SHORTEST].value.mid)
    memory = max(group.visible_bytes for group, _ in engine.gpu_groups(combo))
    for pick in picks:
        rating = engine.ratings.of(FIRST, pick.model.id)
        if pick.tier is FitTier.COMFORTABLE or rating is None or rating.points.mid < least:
            continue
        question = reference_question(engine, combo, pick.model)
        asks = tuple(ask for ask in question.asks.every if _is_narrow(ask, memory))
        asked = replace(question, asks=Asks(asks), read_along=True, room=(shortest,))
        narrow = answered(engine, asked, cured=False) if asks else None
        if narrow is None or narrow.best is None:
            continue
        if narrow.best.longest_context[0] >= shortest:
            found.append(narrow)
    return found


def _is_narrow(ask: Ask, memory: int) -> bool:
    """Return whether a published file of fewer than four bits is smaller than the GPUs' memory."""
    checkpoint = ask.subject.checkpoint
    narrow = checkpoint.is_published and not checkpoint.quantization.production
    return narrow and ask.runnable.weights_bytes < memory


def _needs_more(assessment: Assessment) -> bool:
    return any(reason.code in MORE_MEMORY for reason in assessment.reasons)


class _Compared:
    """Some models on one combo, compared for each goal."""

    def __init__(self, engine: FitEngine, combo: Combo, assessments: Sequence[Assessment]) -> None:
        self._engine, self._combo, self._found = engine, combo, assessments
        self._serving: tuple[Assessment, ...] | None = None

    def fastest(self) -> Answer | None:
        """Find the fastest stream for one user."""

        def stream(assessment: Assessment) -> RankedPlan | None:
            if assessment.best is None or assessment.best.one_stream is None:
                return None
            speed, plan = assessment.best.one_stream
            return RankedPlan(assessment, speed, _other(plan, assessment))

        return self._answer(AnswerGoal.ONE_STREAM, self._found, stream)

    def most_users(self, goal: AnswerGoal) -> Answer | None:
        """Find the most users at once who read along, on plans made for many users."""

        def users(assessment: Assessment) -> RankedPlan | None:
            served = reading_users(self._engine, assessment, CONTEXTS[goal])
            if served is None:
                return None
            amount, plan = Interval.exact(served.count), _other(served.plan, assessment)
            return RankedPlan(served.shown_on(assessment), amount, plan)

        return self._answer(goal, self._served(), users, _together)

    def longest(self) -> Answer | None:
        """Find the longest context of one sequence."""

        def context(assessment: Assessment) -> RankedPlan | None:
            if assessment.best is None:
                return None
            tokens, plan = assessment.best.longest_context
            return (
                RankedPlan(assessment, Interval.exact(tokens), _other(plan, assessment))
                if tokens
                else None
            )

        return self._answer(AnswerGoal.LONGEST_CONTEXT, self._found, context)

    def _served(self) -> tuple[Assessment, ...]:
        """Pick each model again for many users, unless the rows are picked for them already."""
        if self._serving is None:
            ordered = sorted(self._found, key=_fewest_users_last)[:MOST_SERVED]
            picked = (for_many(self._engine, self._combo, one) for one in ordered)
            served = tuple(one for one in picked if one is not None)
            self._serving = tuple(one for one in served if reads_along(self._engine, one)) or served
        return self._serving

    def _answer(
        self,
        goal: AnswerGoal,
        assessments: Sequence[Assessment],
        standing: Callable[[Assessment], RankedPlan | None],
        rate: Callable[[Assessment], float] | None = None,
    ) -> Answer | None:
        newest = sorted(assessments, key=lambda one: one.model.released, reverse=True)
        standings = [s for one in newest if (s := standing(one)) is not None]
        ordered = sorted(standings, key=lambda one: self._place(one, rate or _one_stream))
        if not ordered:
            return None
        best = ordered[0] if goal is AnswerGoal.LONGEST_CONTEXT else self._best_of_nearly(ordered)
        others = [one for one in ordered if one is not best]
        return Answer(goal, Scope.GOOD, best, others[0] if others else None, models=len(ordered))

    def _best_of_nearly(self, ordered: Sequence[RankedPlan]) -> RankedPlan:
        """Prefer the best rated of those that give as much, within a pick's tie.

        Of those whose ratings are equal it is the one that gives most.
        """
        tie = self._engine.assumptions["pick-tie-share"].value.mid
        step = self._engine.assumptions["answer-rating-step"].value.mid
        enough = ordered[0].amount.mid * (1 - tie)
        near = [one for one in ordered if one.amount.mid >= enough]
        good = max(self._points(one) for one in near) - step
        return next((one for one in near if self._points(one) >= good), near[0])

    def _points(self, standing: RankedPlan) -> float:
        rated = rated_pick(self._engine, FIRST, standing.assessment)
        return rated.points if rated is not None else 0.0

    def _place(
        self, standing: RankedPlan, rate: Callable[[Assessment], float]
    ) -> tuple[float, float, float]:
        """Order what gives as much by its speed in two digits, then by rating."""
        speed = _two_digits(rate(standing.assessment))
        return (-standing.amount.mid, -speed, -self._points(standing))


MOST_SERVED = 12
"""Models that are picked again for many users: those whose rows hold most users already."""


def _fewest_users_last(assessment: Assessment) -> tuple[int, str]:
    users = assessment.best.users.values() if assessment.best else ()
    return (-max((count for count, _ in users), default=0), assessment.model.id)


def _other(plan: ParallelPlan, assessment: Assessment) -> ParallelPlan | None:
    """Return a plan where it is another one than the pick's own."""
    return None if plan == assessment.plan else plan


def _one_stream(assessment: Assessment) -> float:
    return assessment.speed.single_tokens_per_s.mid if assessment.speed else 0.0


def _together(assessment: Assessment) -> float:
    """Tokens/s of all users, which order what holds as many of them: counts end at a cap."""
    return assessment.speed.aggregate_tokens_per_s.mid if assessment.speed else 0.0


def _two_digits(rate: float) -> float:
    """Keep two digits of a rate: speeds that differ by less are alike.

    >>> _two_digits(87.4), _two_digits(1234.5), _two_digits(0.0)
    (87.0, 1200.0, 0.0)
    """
    step = 1.0
    while rate >= 100 * step:
        step *= 10
    return float(int(rate / step + 0.5)) * step
