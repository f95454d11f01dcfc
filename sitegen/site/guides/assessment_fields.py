"""The fields of an assessment that content may refer to, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import Assessment
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Link,
    Parts,
    Quantity,
    TierMark,
    Unit,
    span,
)
from sitegen.site.urls import url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.sentences import cure_sentence, reason_sentence
from sitegen.site.words.speeds import bound, first_token, reading
from sitegen.site.words.verdicts import (
    LONG_CONTEXT,
    SHORT_CONTEXT,
    checkpoint_name,
    counted_users,
    row_link,
    utilization,
)

Field = Callable[[Assessment, Catalog], Cell]
NO_PLAN = Absent("no valid plan")


def _users(assessment: Assessment, context: int) -> Cell:
    if assessment.limits is None or assessment.plan is None:
        return NO_PLAN
    at = assessment.limits.sequences_at.get(context)
    if at is None:
        return Absent()
    cells = counted_users(assessment.limits, at, assessment.plan.replicas)
    return Parts(cells)


def _need(assessment: Assessment, _: Catalog) -> Cell:
    if assessment.busiest is None:
        return NO_PLAN
    return Quantity(assessment.verdict_need_bytes, Unit.GIB)


def _budget(assessment: Assessment, _: Catalog) -> Cell:
    busiest = assessment.busiest
    return NO_PLAN if busiest is None else Quantity(busiest.budget_bytes, Unit.GIB)


def _max_context(assessment: Assessment, _: Catalog) -> Cell:
    limits = assessment.limits
    return NO_PLAN if limits is None else Quantity(limits.max_context_tokens, Unit.TOKENS)


def _decode(assessment: Assessment, _: Catalog) -> Cell:
    speed = assessment.speed
    return NO_PLAN if speed is None else span(speed.single_tokens_per_s, Unit.TOKENS_PER_S)


def _aggregate(assessment: Assessment, _: Catalog) -> Cell:
    speed = assessment.speed
    return NO_PLAN if speed is None else span(speed.aggregate_tokens_per_s, Unit.TOKENS_PER_S)


def _reason(assessment: Assessment, catalog: Catalog) -> Cell:
    if not assessment.reasons:
        return Absent("no reason against it")
    return reason_sentence(assessment.reasons[0], catalog)


def _shortage(assessment: Assessment, _: Catalog) -> Cell:
    if not assessment.shortage_bytes:
        return Absent("nothing")
    return Quantity(assessment.shortage_bytes, Unit.GIB)


def _cure(assessment: Assessment, catalog: Catalog) -> Cell:
    return cure_sentence(assessment.cure, catalog) if assessment.cure else Absent("none known")


def assessment_fields() -> Mapping[str, Field]:
    """Return every field by name."""
    return {
        "tier": lambda a, _: TierMark(a.tier, a.too_close),
        "link": lambda a, _: Link(row_link(a), f"{a.model.name} on {a.combo.name}"),
        "checkpoint": lambda a, _: checkpoint_name(a),
        "runtime": lambda a, _: Link(url_of("runtime", a.runtime.id), a.runtime.name),
        "plan": lambda a, _: plan_words(a.plan) if a.plan else NO_PLAN,
        "need": _need,
        "budget": _budget,
        "utilization": lambda a, _: utilization(a),
        "max-context": _max_context,
        "users-8k": lambda a, _: _users(a, SHORT_CONTEXT),
        "users-32k": lambda a, _: _users(a, LONG_CONTEXT),
        "decode": _decode,
        "aggregate": _aggregate,
        "first-token": lambda a, _: first_token(a.speed),
        "prefill": lambda a, _: reading(a.speed),
        "bound": lambda a, _: bound(a.speed),
        "reason": _reason,
        "shortage": _shortage,
        "cure": _cure,
        "evidence": lambda a, _: EvidenceMark(a.evidence),
    }
