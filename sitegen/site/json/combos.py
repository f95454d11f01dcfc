"""Rows of a combo's JSON twin: best plans, and the model's other checkpoints."""

from __future__ import annotations

from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import ParallelPlan
from sitegen.site.json.schema.parts import Outcome, Plan
from sitegen.site.json.shaped import interval, shaped
from sitegen.site.plain_json import PlainJson
from sitegen.survey.results import CheckpointOutcome


def best_plans(pick: Assessment) -> PlainJson:
    """The best comfortable plan for each question of a row; null where nothing is comfortable.

    A plan is null where it is the pick's own.
    """
    value = pick.best
    if value is None:
        return None

    def other(plan: ParallelPlan) -> PlainJson:
        return None if plan == pick.plan else shaped(Plan, plan)

    tokens, longest = value.longest_context
    return {
        "longest_context": {"tokens": tokens, "plan": other(longest)},
        "users_at": {
            str(context): {"users": count, "plan": other(plan)}
            for context, (count, plan) in value.users.items()
        },
        "one_stream": None
        if value.one_stream is None
        else {
            "tokens_per_s": interval(value.one_stream[0]),
            "plan": other(value.one_stream[1]),
        },
    }


def others(checkpoint_outcomes: tuple[CheckpointOutcome, ...]) -> dict[str, PlainJson]:
    """Say of a row's other checkpoints which run and how, and name those that do not."""
    refused = FitTier.NOT_PRACTICAL
    return {
        "others": [
            shaped(Outcome, other) for other in checkpoint_outcomes if other.tier is not refused
        ],
        "others_not_practical": [o.checkpoint.id for o in checkpoint_outcomes if o.tier is refused],
    }
