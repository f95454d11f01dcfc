"""The table of a combo's answers: for each goal the plan, why it, and what comes next."""

from __future__ import annotations

from sitegen.fit.assessment import Assessment, FitTier
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Lines,
    Link,
    NumberCell,
    Parts,
    Small,
    TierMark,
    Unit,
    rate_span,
)
from sitegen.site.table import Column, Row, Table
from sitegen.site.urls import url_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.tiers import COMFORTABLY
from sitegen.site.words.verdicts import checkpoint_name, ends_at_cap, row_link
from sitegen.survey.answers import Answer, AnswerGoal, RankedPlan, Scope
from sitegen.survey.best_for_goal import CONTEXTS
from sitegen.survey.results import ComboSurvey

GOAL_WORDS = {
    AnswerGoal.ONE_STREAM: "Fastest good model for one user",
    AnswerGoal.USERS_8K: "Serves the most users at 8K and reading speed",
    AnswerGoal.USERS_32K: "Serves the most users at 32K and reading speed",
    AnswerGoal.LONGEST_CONTEXT: "Longest context",
    AnswerGoal.SMALL: "Best small model",
    AnswerGoal.BEYOND: "Rated higher, with a trade-off",
    AnswerGoal.PARAMETERS: "Largest model that fits",
}

SUPERLATIVES = {
    AnswerGoal.ONE_STREAM: "Fastest",
    AnswerGoal.USERS_8K: "Serves the most users",
    AnswerGoal.USERS_32K: "Serves the most users",
    AnswerGoal.LONGEST_CONTEXT: "Longest context",
}


def goals_table(survey: ComboSurvey) -> Table | None:
    """List the answers of a combo beside those by use; ``None`` where no model runs at all."""
    if not survey.answers:
        return None
    columns = (
        Column("Goal"),
        Column("Model", note="checkpoint"),
        Column("Runtime", note="plan"),
        Column("Result", numeric=True, key="gives"),
        Column("Reason"),
        Column("Next best", note="and its result"),
    )
    rows = tuple(_row(answer) for answer in survey.answers)
    return Table("goals", "Best pick for each goal", columns, rows)


def _row(answer: Answer) -> Row:
    best = answer.best
    return Row(
        (
            GOAL_WORDS[answer.goal],
            _model(best.assessment),
            _plan(best),
            gives(answer.goal, best),
            _why(answer),
            _next(answer),
        )
    )


def _model(assessment: Assessment) -> Cell:
    link = Link(row_link(assessment), assessment.model.name)
    return Lines(
        (link, Small(checkpoint_name(assessment)), TierMark(assessment.tier, assessment.too_close))
    )


def _plan(standing: RankedPlan) -> Cell:
    found, plan = standing.assessment, standing.plan or standing.assessment.plan
    runtime = Link(url_of("runtime", found.runtime.id), found.runtime.name)
    version = Parts((runtime, f" {found.version}"))
    if plan is None:
        return Lines((version, Absent("no valid plan")))
    return Lines((version, Small(plan_words(plan))))


def gives(goal: AnswerGoal, standing: RankedPlan) -> Cell:
    """Print how much a model gives of what the goal asks for."""
    amount = standing.amount
    if goal is AnswerGoal.PARAMETERS:
        return NumberCell(amount.mid, Unit.PARAMETERS)
    if goal is AnswerGoal.LONGEST_CONTEXT:
        return NumberCell(amount.mid, Unit.TOKENS)
    if goal in {AnswerGoal.SMALL, AnswerGoal.BEYOND}:
        return Parts((NumberCell(amount.mid, Unit.COUNT), " points"))
    if goal is AnswerGoal.ONE_STREAM:
        speed = standing.assessment.speed
        known = (Small(EvidenceMark(speed.evidence)),) if speed else ()
        return Lines((rate_span(amount), *known))
    more = _ends_at_cap(goal, standing)
    word = " user" if amount.mid == 1 else " users"
    return Parts((NumberCell(amount.mid, Unit.COUNT), "+" if more else "", word))


def _ends_at_cap(goal: AnswerGoal, standing: RankedPlan) -> bool:
    """Return whether counting ended before memory did, and not because more users are too slow."""
    found, context = standing.assessment, CONTEXTS[goal]
    held = found.best.users.get(context) if found.best is not None else None
    return ends_at_cap(found, context) and (held is None or standing.amount.mid >= held[0])


def _why(answer: Answer) -> Cell:
    if answer.goal in {AnswerGoal.PARAMETERS, AnswerGoal.BEYOND}:
        return _why_larger(answer)
    if answer.scope is Scope.SMALL and answer.models == 1:
        return f"The only small model that is rated and fits {COMFORTABLY}."
    if answer.scope is Scope.SMALL:
        return (
            f"The highest rating of the {answer.models} small models that are rated and fit "
            f"{COMFORTABLY}."
        )
    if answer.models == 1:
        return f"The only good model that fits {COMFORTABLY}."
    of_all = f"of the {answer.models} good models that fit {COMFORTABLY}."
    if answer.runner_up is not None and answer.runner_up.amount.mid > answer.best.amount.mid:
        most = "speed" if answer.goal is AnswerGoal.ONE_STREAM else "number of users"
        best = f"the best-rated one whose {most} is within a tenth of the highest."
        return f"Of the {answer.models} good models that fit {COMFORTABLY}, this is {best}"
    return f"{SUPERLATIVES[answer.goal]} {of_all}"


def beyond_words(assessment: Assessment) -> str:
    """Say what a model takes that is larger than the GPUs' own memory."""
    if assessment.tier is FitTier.COMFORTABLE:
        return "in a file with fewer than 4 bits per weight"
    spilled = any(reason.code == "EXPERTS_IN_RAM" for reason in assessment.reasons)
    return "with experts in system RAM" if spilled else "with a higher GPU memory limit"


def _why_larger(answer: Answer) -> Cell:
    if answer.goal is AnswerGoal.BEYOND:
        how = beyond_words(answer.best.assessment)
        return f"Rated higher than every model that fits {COMFORTABLY} at 4 bits; runs {how}."
    if answer.best.assessment.tier is not FitTier.COMFORTABLE:
        return f"No model fits {COMFORTABLY}: this is the largest that may run."
    return (
        f"The most parameters of the {answer.models} models that fit {COMFORTABLY}. Larger does "
        "not mean better."
    )


def _next(answer: Answer) -> Cell:
    second = answer.runner_up
    if second is None:
        return Absent(f"nothing else fits {COMFORTABLY}")
    found = second.assessment
    name = Link(row_link(found), found.model.name)
    lines = (name, Small(gives(answer.goal, second)))
    runtime = "" if found.runtime.id == answer.best.assessment.runtime.id else found.runtime.name
    return Lines((*lines, Small(runtime)) if runtime else lines)
