"""One model on a build: longer contexts, more users, what a loss leaves, its other checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.fit.assess import build_assessment
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.survey.answers import FailureKind
from sitegen.survey.composed_build import BuildQuestion, question_of, verdict_of
from sitegen.survey.curves import ContextPoint, LoadPoint, context_curve, load_curve
from sitegen.survey.failures import Reduced, reduced_combos
from sitegen.survey.verdict_policy import best_verdict, pick_of, planned, planned_for, verdict_steps
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class AfterLoss:
    """The verdict on what a loss leaves; ``tier`` is never better than on the whole build.

    ``worst`` marks the one that leaves least of several of its kind.
    """

    lost: Reduced
    assessment: Assessment
    tier: FitTier
    worst: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """A verdict at other contexts and numbers of users; empty where the model does not run."""

    context: tuple[ContextPoint, ...] = ()
    load: tuple[LoadPoint, ...] = ()


def curves_of(engine: FitEngine, whole: Assessment, asked: BuildQuestion) -> Curves:
    """Follow the plan of a verdict; the engine remembers what it judged for it."""
    if whole.tier is FitTier.NOT_PRACTICAL:
        return Curves()
    question = question_of(engine, whole.combo, whole.model, asked)
    verdict = planned(
        engine, question, best_verdict(question, list(verdict_steps(engine, question)))
    )
    if verdict is None:
        return Curves()
    entry = pick_of(engine, question, verdict).entry
    return Curves(context_curve(whole, entry), load_curve(engine, whole, entry))


def after_losses(engine: FitEngine, whole: Assessment, asked: BuildQuestion) -> Iterator[AfterLoss]:
    """Judge the model of a verdict after every kind of loss, as a composed build of its own.

    What is not practical is not judged again. Each is yielded once it is known.
    """
    if whole.tier is FitTier.NOT_PRACTICAL:
        return
    any_file = replace(asked, file="")
    for lost in reduced_combos(whole.combo):
        found = verdict_of(engine, lost.combo, whole.model, any_file, cured=False)
        if found is not None:
            yield AfterLoss(lost, found, max(found.tier, whole.tier, key=RANK.__getitem__))


def worst_first(after_loss: Sequence[AfterLoss]) -> tuple[AfterLoss, ...]:
    """Order losses as a combo's page does: GPUs, then machines, of each the worst first."""
    ordered: list[AfterLoss] = []
    for kind in FailureKind:
        of_kind = sorted((one for one in after_loss if one.lost.kind is kind), key=_what_is_left)
        ordered += [
            replace(one, worst=at == 0 and len(of_kind) > 1) for at, one in enumerate(of_kind)
        ]
    return tuple(ordered)


def _what_is_left(after_loss: AfterLoss) -> tuple[int, float, int, tuple[str, ...]]:
    speed = after_loss.assessment.speed
    rate = speed.aggregate_tokens_per_s.mid if speed else 0.0
    return (-RANK[after_loss.tier], rate, after_loss.lost.node, after_loss.lost.gpu_ids)


def other_ways(engine: FitEngine, whole: Assessment, asked: BuildQuestion) -> Iterator[Assessment]:
    """Assess the model's other checkpoints, and this one under the other runtimes.

    They are those that a survey compares. Each is yielded once it is known; none where the model
    promises less than the context that is asked for.
    """
    question = question_of(engine, whole.combo, whole.model, replace(asked, file=""))
    shown = (whole.checkpoint.id, whole.runtime.id)
    for ask in question.asks.every:
        if ask.workload.context_tokens > whole.model.context_tokens:
            return
        subject = ask.subject
        if (subject.checkpoint.id, subject.runtime.id) != shown:
            request = question.request(subject, ask.workload)
            yield build_assessment(
                engine, request, planned_for(engine, question, ask).chosen, cured=False
            )
