"""What a combo's JSON twin says of answers, losses and doubts."""

from __future__ import annotations

from sitegen.fit.assessment import Assessment
from sitegen.fit.open_verdict import Doubt, Option, ToMeasure
from sitegen.physics.plan import ParallelPlan
from sitegen.site.json import assessments
from sitegen.site.plain_json import PlainJson
from sitegen.survey.answers import Answer, Loss, Remains, Standing
from sitegen.survey.benchmark_priorities import Opportunity
from sitegen.survey.best_for_use import RatedPick, UseAnswer
from sitegen.survey.curves import ContextPoint, LoadPoint


def answer(value: Answer) -> PlainJson:
    """The model for a goal: tokens/s of one stream, users, tokens, points or parameters."""
    return {
        "goal": str(value.goal),
        "scope": str(value.scope),
        "least_parameters": 0,
        "plans_compared": value.models,
        "models_compared": value.models,
        "best": _standing(value.best),
        "runner_up": None if value.runner_up is None else _standing(value.runner_up),
    }


def _standing(value: Standing) -> PlainJson:
    return {
        "amount": assessments.interval(value.amount),
        "assessment": planned(value.assessment),
        "plan": None if value.plan is None else assessments.plan(value.plan),
    }


def use(value: UseAnswer) -> PlainJson:
    """The models that are best for a use, in the order of the page; ``tiers`` has their picks."""
    return {
        "use": str(value.use),
        "best": [_rated(one) for one in value.picks],
        "next_best": [_rated(one) for one in value.following],
        "rated": value.rated,
        "not_rated": value.unrated,
    }


def _rated(value: RatedPick) -> PlainJson:
    return {
        "points": value.points,
        "half_width": value.half_width,
        "id": value.assessment.id,
        "model": value.assessment.model.id,
        "checkpoint": value.assessment.checkpoint.id,
        "runtime": value.assessment.runtime.id,
    }


def best_plans(pick: Assessment) -> PlainJson:
    """The best comfortable plan for each question of a row; null where nothing is comfortable.

    A plan is null where it is the pick's own.
    """
    value = pick.best
    if value is None:
        return None

    def other(plan: ParallelPlan) -> PlainJson:
        return None if plan == pick.plan else assessments.plan(plan)

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
            "tokens_per_s": assessments.interval(value.one_stream[0]),
            "plan": other(value.one_stream[1]),
        },
    }


def planned(value: Assessment) -> PlainJson:
    """An assessment with its plan and speed."""
    whole = assessments.assessment(value)
    names = ("id", "model", "checkpoint", "runtime", "runtime_version", "tier", "too_close")
    return {name: whole[name] for name in (*names, "plan", "speed", "verdict_utilization")}


def loss(value: Loss) -> PlainJson:
    """What a loss leaves."""
    return {
        "kind": str(value.kind),
        "node": value.node,
        "gpus": list(value.gpu_ids),
        "alike": value.alike,
        "worst": value.worst,
        "counts": {str(tier): count for tier, count in value.counts.items()},
        "drops": [
            {"model": drop.model.id, "before": str(drop.before), "after": str(drop.after)}
            for drop in value.drops
        ],
        "lead": _remains(value.lead),
        "largest_single_model": _remains(value.largest),
        "aggregate_serving": _remains(value.serving),
    }


def context_point(value: ContextPoint) -> PlainJson:
    """What one sequence of a length takes of the busiest GPU, in bytes and over its budget."""
    return {
        "context_tokens": value.context_tokens,
        "need_bytes": assessments.bytes_interval(value.need),
        "utilization": assessments.interval(value.utilization),
    }


def load_point(value: LoadPoint) -> PlainJson:
    """Decode speed with so many streams, in tokens/s."""
    return {
        "streams": value.streams,
        "each_tokens_per_s": assessments.interval(value.each_tokens_per_s),
        "all_tokens_per_s": assessments.interval(value.all_tokens_per_s),
    }


def _remains(value: Remains) -> PlainJson:
    return {
        "same_model": None if value.same is None else planned(value.same),
        "best": None if value.best is None else planned(value.best),
    }


def doubt(value: Doubt | None) -> PlainJson:
    """What would settle a verdict; null where it is settled."""
    return None if value is None else [_option(option) for option in value.options]


def _option(value: Option) -> PlainJson:
    return {
        "measure": to_measure(value.measure),
        "bounds": assessments.interval(value.bounds),
        "tier_at_low": str(value.tier_at_low),
        "tier_at_high": str(value.tier_at_high),
    }


def to_measure(value: ToMeasure) -> PlainJson:
    """What exactly to measure; empty where the quantity does not depend on it."""
    return {
        "quantity": str(value.quantity),
        "runtime": value.runtime_id,
        "runtime_version": value.runtime_version,
        "gpus": dict(value.gpus),
        "tensor_parallel_size": value.tensor_parallel_size,
        "pipeline_parallel_size": value.pipeline_parallel_size,
        "link": value.link_id,
        "model": value.model_id,
        "checkpoint": value.checkpoint_id,
        "reserved_bytes": value.reserved_bytes,
    }


def opportunity(value: Opportunity) -> PlainJson:
    """A measurement and the rows that it would settle."""
    return {
        "measure": to_measure(value.measure),
        "verdicts": len(value.settles),
        "settles": [
            {
                "combo": settled.row.pick.combo.id,
                "model": settled.row.pick.model.id,
                "assessment": settled.row.pick.id,
                "bounds": assessments.interval(settled.option.bounds),
                "tier_at_low": str(settled.option.tier_at_low),
                "tier_at_high": str(settled.option.tier_at_high),
            }
            for settled in value.settles
        ],
    }
