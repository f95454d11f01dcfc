"""The best models for a use on some hardware, by rating, as far as evidence separates them.

Source:
    The rule is ``docs/decisions/0045``; ratings come from ``sitegen.quality``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.models import Checkpoint, LanguageModel, MemoryModel
from sitegen.fit.assess import question_of
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.compatibility import reads_images
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import best_plan
from sitegen.quality.values import Rating, Use
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.rated_tier import (
    as_good,
    best_assured_first,
    both,
    is_better,
    may_be_led_by,
    served_first,
)
from sitegen.survey.verdict_policy import batches, reading_speed
from sitegen.values import dataclass

LONG_DOCUMENT = 100_000
"""Tokens that a machine has to hold before a model's rating for long context says anything there.

Source:
    Artificial Analysis, AA-LCR: documents of about 100,000 tokens a question; read 2026-11-27.
"""
SHORTEST = "answer-context-tokens"
"""The assumption with the context that an answer has to hold."""
FIRST = Use.OVERALL
"""The first use of a page: all text uses together, for which most models have evidence."""


@dataclass(frozen=True, slots=True)
class RatedPick:
    """A pick with the model's rating for a use, less the loss of its checkpoint.

    ``points`` is on the scale of the ratings; ``half_width`` is half of the 90 % interval;
    ``general`` the points over all uses, less the same loss, where one board knows it in the use.
    """

    assessment: Assessment
    rating: Rating
    points: float
    half_width: float
    general: float | None = None


@dataclass(frozen=True, slots=True)
class UseAnswer:
    """The best models for a use: a tier that the evidence cannot separate.

    Attributes:
        use: The use that they are best for.
        picks: The tier: the fastest of the best assured ratings first, then the others by rating.
        following: The best of the next tier, highest rating first.
        rated: Comfortable models with a rating for the use.
        unrated: Comfortable models without one; they are never called best.
    """

    use: Use
    picks: tuple[RatedPick, ...]
    following: tuple[RatedPick, ...]
    rated: int
    unrated: int


def reads_along(engine: FitEngine, assessment: Assessment) -> bool:
    """Return whether each user asked for gets an answer as fast as one that may lead a page."""
    speed = assessment.speed
    if speed is None:
        return False
    several = assessment.workload.sequences > 1
    each = speed.each_tokens_per_s if several else speed.single_tokens_per_s
    return each.mid >= reading_speed(engine)


def may_lead(engine: FitEngine, model: LanguageModel) -> bool:
    """Return whether a model is one that an answer may name: a current one, made to be asked."""
    least = engine.assumptions[SHORTEST].value.mid
    return not model.base and not model.superseded_by and model.context_tokens >= least


def longest_context(assessment: Assessment) -> int:
    """Return the longest context of one user, under whichever comfortable plan has it."""
    if assessment.best is not None:
        return assessment.best.longest_context[0]
    return assessment.limits.max_context_tokens if assessment.limits else 0


def reads_document(engine: FitEngine, pick: Assessment) -> bool:
    """Return whether one user of a pick can read along while a long document fills the context."""
    if pick.workload.context_tokens >= LONG_DOCUMENT:
        return True
    request = FitRequest(
        pick.model,
        pick.checkpoint,
        pick.combo,
        pick.runtime,
        pick.profile,
        pick.workload,
        settings=pick.settings,
        goal=PlanGoal.LATENCY,
    )
    return answers_document(engine, request)


def answers_document(engine: FitEngine, request: FitRequest) -> bool:
    """Return whether one user of a request can read along while a long document is read."""
    workload = replace(request.workload, context_tokens=LONG_DOCUMENT)
    found = best_plan(question_of(engine, replace(request, workload=workload)))
    return found is not None and found.evaluation.single_tokens_per_s.mid >= reading_speed(engine)


def read_documents(engine: FitEngine, picks: Sequence[Assessment]) -> tuple[str, ...]:
    """List the ids of the picks that may lead where long documents are read, rated or not."""
    return tuple(
        one.id
        for one in Candidates.of(engine, picks).suited_for(Use.LONG_CONTEXT)
        if engine.ratings.of(Use.LONG_CONTEXT, one.model.id) and reads_document(engine, one)
    )


def takes_images(engine: FitEngine, pick: Assessment | GpusNeeded) -> bool:
    """Return whether a plan counts what images need, under a runtime that reads the model's."""
    settings, runtime = pick.settings, pick.runtime
    told = runtime.memory_model is not MemoryModel.PAGED
    if settings.text_only or (told and not settings.images):
        return False
    reduced = engine.reduced(pick.model, pick.checkpoint)
    return reads_images(pick.model, reduced.architecture, runtime)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The comfortable picks of some hardware that may lead an answer.

    Base models, superseded models, contexts under ``answer-context-tokens`` and picks slower than
    ``answer-speed-tokens-per-s`` lead nothing; files that nobody is known to publish, and models
    that reach such a context but for which the machine has no room there, lead only where no
    other does. ``seeing`` are the picks for images of models whose pick takes none.
    """

    engine: FitEngine
    comfortable: tuple[Assessment, ...]
    seeing: tuple[Assessment, ...] = ()

    @classmethod
    def of(
        cls, engine: FitEngine, picks: Sequence[Assessment], seeing: Sequence[Assessment] = ()
    ) -> Candidates:
        """Leave out what may not lead an answer."""
        return cls(engine, cls._leading(engine, picks), cls._leading(engine, seeing))

    @staticmethod
    def _leading(engine: FitEngine, picks: Sequence[Assessment]) -> tuple[Assessment, ...]:
        return tuple(
            assessment
            for assessment in picks
            if assessment.tier is FitTier.COMFORTABLE
            and may_lead(engine, assessment.model)
            and reads_along(engine, assessment)
        )

    def suited_for(self, use: Use) -> list[Assessment]:
        """List the picks that can be used so at all, rated or not."""
        if use is Use.VISION:
            every = (*self.comfortable, *self.seeing)
            return [one for one in every if takes_images(self.engine, one)]
        if use is Use.LONG_CONTEXT:
            return [one for one in self.comfortable if longest_context(one) >= LONG_DOCUMENT]
        return [*self.comfortable]

    def rated_for(self, use: Use) -> list[RatedPick]:
        """List the rated picks for a use, highest rating first."""
        suited = self.suited_for(use)
        rated = [p for one in suited if (p := rated_pick(self.engine, use, one)) is not None]
        rated = [one for one in rated if self._is_fast_for(use, one.assessment)]
        least = self.engine.assumptions[SHORTEST].value.mid
        found = may_be_led_by(
            rated,
            lambda one: one.assessment.checkpoint.is_published,
            lambda one: longest_context(one.assessment) >= least,
        )
        return sorted(found, key=lambda one: (-one.points, one.assessment.model.id))

    def is_beaten(self, use: Use, led: RatedPick) -> bool:
        """Return whether a model without a rating is better with 95 % probability, as far as known.

        Too few boards have it to be called best; but what they say is enough to call no other so.
        """
        for one in self.suited_for(use):
            rating = self.engine.ratings.of(use, one.model.id)
            if rating is None or rating.is_rated:
                continue
            points, half_width, _ = less_loss(self.engine, rating, one.model, one.checkpoint)
            if is_better(points, half_width, led) and self._is_fast_for(use, one):
                return True
        return False

    def _is_fast_for(self, use: Use, pick: Assessment) -> bool:
        return use is not Use.LONG_CONTEXT or reads_document(self.engine, pick)

    def tight(self, picks: Sequence[Assessment], allowed: frozenset[str]) -> list[RatedPick]:
        """List the rated borderline picks that are so for allowed reasons alone, the best first.

        They lead no answer; all that is asked of one that does holds for them, too.
        """
        least = self.engine.assumptions[SHORTEST].value.mid
        rated = (
            rated_pick(self.engine, FIRST, one)
            for one in picks
            if one.tier is FitTier.BORDERLINE
            and not one.too_close
            and all(reason.code in allowed for reason in one.reasons)
            and one.checkpoint.is_published
            and may_lead(self.engine, one.model)
            and reads_along(self.engine, one)
            and longest_context(one) >= least
        )
        found = [one for one in rated if one is not None]
        return sorted(found, key=lambda one: (-one.points, one.assessment.model.id))

    def rated_in_general(self) -> list[RatedPick]:
        """List the rated picks for the use that a page leads with."""
        return self.rated_for(FIRST)

    def good(self) -> tuple[Assessment, ...]:
        """List the models whose rating, in whole points, is not far below the best one here."""
        found = self.rated_in_general()
        if not found:
            return ()
        least = round(found[0].points) - self.engine.assumptions["good-rating-gap"].value.mid
        return tuple(one.assessment for one in found if round(one.points) >= least)

    def compared(self) -> tuple[Assessment, ...]:
        """List the good models; where none is rated, all that may lead an answer."""
        return self.good() or self.comfortable

    def lead(self) -> Assessment | None:
        """Return the first answer: the best model over all uses."""
        found = answer_for(FIRST, self)
        return found.picks[0].assessment if found else None


def rated_pick(engine: FitEngine, use: Use, assessment: Assessment) -> RatedPick | None:
    """Rate a pick for a use, less the loss of its checkpoint; ``None`` where it is not rated."""
    rating = engine.ratings.of(use, assessment.model.id)
    if rating is None or not rating.is_rated:
        return None
    net = less_loss(engine, rating, assessment.model, assessment.checkpoint)
    return RatedPick(assessment, rating, *net)


def less_loss(
    engine: FitEngine, rating: Rating, model: LanguageModel, checkpoint: Checkpoint
) -> tuple[float, float, float | None]:
    """Take the loss of a checkpoint from a model's rating.

    Returns:
        Points, half of their interval, and the general points where the rating has them.
    """
    loss = engine.losses.of(model, checkpoint)
    half_width = both(_half(rating.points.low, rating.points.high), _half(loss.low, loss.high))
    general = None if rating.general is None else rating.general - loss.mid
    return rating.points.mid - loss.mid, half_width, general


@dataclass(frozen=True, slots=True)
class PickRatings:
    """Ratings of a pick by use, less the loss of its checkpoint, and whether it may lead."""

    points: Mapping[Use, float]
    may_lead: bool


def rated_picks(
    engine: FitEngine, picks: Sequence[Assessment], answering: Sequence[Assessment]
) -> dict[str, PickRatings]:
    """Rate every pick for every use, by model id; ``answering`` are those that answers name."""
    leading = {assessment.model.id for assessment in Candidates.of(engine, answering).comfortable}
    return {
        assessment.model.id: PickRatings(
            {
                use: pick.points
                for use in Use
                if (pick := rated_pick(engine, use, assessment)) is not None
            },
            assessment.model.id in leading,
        )
        for assessment in picks
    }


def _half(low: float, high: float) -> float:
    return (high - low) / 2


def highest_rated_first(engine: FitEngine, ids: Iterable[str]) -> list[str]:
    """Order models by their rating for the use that a page leads with, unrated ones last."""

    def place(id_: str) -> tuple[bool, float, str]:
        rating = engine.ratings.of(FIRST, id_)
        rated = rating is not None and rating.is_rated
        return (not rated, -rating.points.mid if rating is not None and rated else 0.0, id_)

    return sorted(ids, key=place)


def may_be_good(engine: FitEngine, model: LanguageModel, best: RatedPick | None) -> bool:
    """Return whether any checkpoint of a model may be as good as the best pick so far.

    Its rating is compared before any loss, with the widest interval that a loss could give it.
    """
    if best is None:
        return True
    rating = engine.ratings.of(FIRST, model.id)
    if rating is None or not rating.is_rated:
        return False
    losses = (engine.losses.of(model, checkpoint) for checkpoint in model.checkpoints)
    unsure = max((_half(one.low, one.high) for one in losses), default=0.0)
    half = _half(rating.points.low, rating.points.high)
    reach = max(
        engine.assumptions["good-rating-gap"].value.mid + 1,  # ratings are rounded
        both(best.half_width, both(half, unsure)),
    )
    return rating.points.mid >= best.points - reach


def better_of(best: RatedPick | None, candidates: Candidates) -> RatedPick | None:
    """Return the best rated pick of some candidates and the best so far."""
    found = candidates.rated_in_general()
    if found and (best is None or found[0].points > best.points):
        return found[0]
    return best


def answers_by_use(candidates: Candidates) -> tuple[UseAnswer, ...]:
    """Answer each use that a comfortable model is rated for."""
    found = (answer_for(use, candidates) for use in Use)
    return tuple(one for one in found if one is not None)


def answer_for(use: Use, candidates: Candidates) -> UseAnswer | None:
    """Find the tier of models that are best for a use; ``None`` where none is rated."""
    rated = candidates.rated_for(use)
    if not rated or (use is not FIRST and candidates.is_beaten(use, rated[0])):
        return None
    leading = _led(candidates, rated)
    known = {one.assessment.model.id for one in leading}
    rest = [one for one in rated if one.assessment.model.id not in known]
    return UseAnswer(
        use,
        tuple(leading),
        tuple(as_good(rest)),
        rated=len(rated),
        unrated=len(candidates.comfortable) - len(rated),
    )


def _led(candidates: Candidates, rated: Sequence[RatedPick]) -> list[RatedPick]:
    """List the first tier of some rated picks, the one that leads first."""
    step = candidates.engine.assumptions["answer-rating-step"].value.mid
    tier = best_assured_first(as_good(rated), step, lambda one: fastest_first(one.assessment))
    if not tier[0].assessment.combo.is_datacenter:
        return tier
    return served_first(
        tier,
        step,
        lambda one: batches(one.assessment.runtime),
        lambda one: _one_user(one.assessment),
    )


def _one_user(found: Assessment) -> float:
    return found.speed.single_tokens_per_s.mid if found.speed else 0.0


def fastest_first(found: Assessment) -> tuple[float, int, str]:
    """Order models that evidence cannot separate: speed, then context, then the newer release."""
    speed = _one_user(found)
    context = found.limits.max_context_tokens if found.limits else 0
    return (-speed, -context, found.model.id)
