"""How many users a plan serves at longer contexts without leaving the comfortable tier."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.fit.assessment import Assessment
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import PlacedPlan
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.physics.memory.layer_split_replica import largest_count_that_fits
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import ParallelPlan
from sitegen.survey.buying import CONTEXTS


def comfortable_users(engine: FitEngine, found: Assessment) -> Mapping[int, int]:
    """Count the users at each of ``CONTEXTS`` for whom an assessed plan stays comfortable.

    Memory decides, at its high estimate, as it does for a verdict. Contexts that the model does not
    reach are left out, and all of them where no plan is comfortable.
    """
    placed = placed_as(engine, found, found.plan) if found.plan is not None else None
    if placed is None:
        return {}
    return {
        tokens: placed.replicas * users_at(engine, placed.evaluation, tokens)
        for tokens in CONTEXTS
        if tokens <= found.model.context_tokens
    }


def users_at(engine: FitEngine, evaluation: Evaluation, context_tokens: int) -> int:
    """Count the sequences of a length with which one replica stays comfortable."""
    most = engine.judge.thresholds.comfortable
    replica = evaluation.replica
    return largest_count_that_fits(
        engine.held(evaluation, context_tokens),
        lambda count: most - replica.utilization(context_tokens, count).high,
    )


def placed_as(engine: FitEngine, found: Assessment, plan: ParallelPlan) -> PlacedPlan | None:
    """Find the evaluation behind a plan of an assessment; it is remembered if it was just made."""
    profile = profile_of(found.runtime)
    if profile is None:
        return None
    subject = ServedCheckpoint(found.model, found.checkpoint, found.runtime, profile)
    prepared = engine.prepare(subject)
    for group, replicas in engine.gpu_groups(found.combo):
        if replicas != plan.replicas:
            continue
        for evaluation in prepared.evaluations(group, found.workload, found.settings):
            if evaluation.replica.plan(replicas) == plan:
                return PlacedPlan(evaluation, replicas)
    return None
