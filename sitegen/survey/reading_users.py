"""How many users a plan answers at once, each as fast as one who reads along.

What memory holds is no answer where all of them wait: a machine of slow memory holds 256 contexts
and gives each 2 tok/s. Runs in the browser too (decision 27).
"""

from __future__ import annotations

from dataclasses import replace

from sitegen.fit.assessment import Assessment
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.plan import ParallelPlan, Speed
from sitegen.survey.comfortable_users import placed_as
from sitegen.survey.verdict_policy import reading_streams, speed_of_all
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class ReadingUsers:
    """The users whom a plan answers at once at reading speed, each with a full context.

    ``speed`` is that of a plan with so many, or with as many of them as are known of
    (``aggregate-streams-cap``); that of one user alone stays the assessment's.
    """

    count: int
    plan: ParallelPlan
    speed: Speed

    def shown_on(self, found: Assessment) -> Assessment:
        """Give an assessment their speed, where they are served by its own plan."""
        return replace(found, speed=self.speed) if self.plan == found.plan else found


def reading_users(engine: FitEngine, found: Assessment, context_tokens: int) -> ReadingUsers | None:
    """Count the users of an assessment's own plan, or of the one that holds most contexts.

    The own plan counts unless the other serves more beyond a tie. ``None`` where no user with this
    context fits, or the first is answered below reading speed.
    """
    holding = found.best.users.get(context_tokens) if found.best is not None else None
    if holding is None or found.plan is None:
        return None
    own = _on(engine, found, found.plan, context_tokens)
    if holding[1] == found.plan:
        return own
    other = _on(engine, found, holding[1], context_tokens)
    if own is None or other is None:
        return own or other
    tie = engine.assumptions["pick-tie-share"].value.mid
    return own if own.count >= other.count * (1 - tie) else other


def with_reading_users(engine: FitEngine, found: Assessment, context_tokens: int) -> Assessment:
    """Give an assessment the speed of the users whom its plan answers at reading speed."""
    served = reading_users(engine, found, context_tokens)
    return found if served is None else served.shown_on(found)


def _on(
    engine: FitEngine, found: Assessment, plan: ParallelPlan, context_tokens: int
) -> ReadingUsers | None:
    placed = placed_as(engine, found, plan)
    if placed is None or found.speed is None or placed.evaluation.pipeline is None:
        return None
    batch = reading_streams(engine, placed, context_tokens)
    if batch == 0:
        return None
    known = min(batch, engine.judge.streams_cap)
    together = speed_of_all(engine, placed, context_tokens, known)
    speed = replace(
        found.speed,
        aggregate_tokens_per_s=together,
        each_tokens_per_s=together.per(placed.replicas * known),
        batch=known,
        capped=batch > known,
    )
    return ReadingUsers(batch * placed.replicas, plan, speed)
