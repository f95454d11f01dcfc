"""The table of a combo's answers: for each goal the plan, why it, and what comes next."""

from __future__ import annotations

from sitegen.engine.assessment import Assessment, ComboSurvey, FitTier
from sitegen.engine.findings import Answer, AnswerGoal, Scope, Standing
from sitegen.site.cells import (
    Absent,
    Cell,
    EvidenceMark,
    Lines,
    Link,
    Parts,
    Quantity,
    Small,
    TierMark,
    Unit,
    span,
)
from sitegen.site.plans import plan_words
from sitegen.site.tables import Column, Row, Table
from sitegen.site.urls import model_row_id, url_of
from sitegen.site.verdicts import checkpoint_name

GOAL_WORDS = {
    AnswerGoal.PARAMETERS: "Largest model",
    AnswerGoal.ONE_STREAM: "Fastest for one user",
    AnswerGoal.USERS_8K: "Most users at 8K",
    AnswerGoal.USERS_32K: "Most users at 32K",
}
SCOPE_WORDS = {
    Scope.EVERY_MODEL: "",
    Scope.LARGEST: "with the largest model",
    Scope.SERVING: "with the aggregate serving model",
    Scope.SIZE_CLASS: "of the size class",
}
SUPERLATIVES = {
    AnswerGoal.ONE_STREAM: "Fastest",
    AnswerGoal.USERS_8K: "Most full contexts at once",
    AnswerGoal.USERS_32K: "Most full contexts at once",
}


def goals_table(survey: ComboSurvey) -> Table | None:
    """List the answers of a combo; ``None`` where no model runs at all."""
    if not survey.answers:
        return None
    columns = (
        Column("Goal"),
        Column("Model", note="checkpoint"),
        Column("Runtime", note="plan"),
        Column("Gives", numeric=True),
        Column("Why this one"),
        Column("Next best", note="and what it gives"),
    )
    rows = tuple(_row(answer) for answer in survey.answers)
    return Table("goals", "Answers by goal", columns, rows)


def _row(answer: Answer) -> Row:
    found = answer.best.assessment
    scope = SCOPE_WORDS[answer.scope]
    goal = GOAL_WORDS[answer.goal]
    return Row(
        (
            Lines((goal, Small(scope))) if scope else goal,
            _model(found),
            _plan(found),
            gives(answer.goal, answer.best),
            _why(answer),
            _next(answer),
        )
    )


def _model(found: Assessment) -> Cell:
    link = Link(f"#{model_row_id(found.model.id)}", found.model.name)
    return Lines((link, Small(checkpoint_name(found)), TierMark(found.tier, found.too_close)))


def _plan(found: Assessment) -> Cell:
    runtime = Link(url_of("runtime", found.runtime.id), found.runtime.name)
    version = Parts((runtime, f" {found.profile.version}"))
    if found.plan is None:
        return Lines((version, Absent("no valid plan")))
    return Lines((version, Small(plan_words(found.plan))))


def gives(goal: AnswerGoal, standing: Standing) -> Cell:
    """Print how much a plan gives of what the goal asks for."""
    if goal is AnswerGoal.PARAMETERS:
        return Quantity(standing.amount.mid, Unit.PARAMETERS)
    if goal is AnswerGoal.ONE_STREAM:
        speed = standing.assessment.speed
        known = (Small(EvidenceMark(speed.evidence)),) if speed else ()
        return Lines((span(standing.amount, Unit.TOKENS_PER_S), *known))
    count = Quantity(standing.amount.mid, Unit.COUNT)
    return Parts((count, " user" if standing.amount.mid == 1 else " users"))


def _why(answer: Answer) -> Cell:
    if answer.goal is AnswerGoal.PARAMETERS:
        return _why_largest(answer)
    most = SUPERLATIVES[answer.goal]
    if answer.plans == 1:
        return Parts(("The only comfortable plan", *_of_scope(answer), "."))
    return Parts((f"{most} of {answer.plans} comfortable plans", *_of_scope(answer), "."))


def _of_scope(answer: Answer) -> tuple[Cell, ...]:
    if answer.scope is Scope.LARGEST:
        return (" of the largest model",)
    if answer.scope is Scope.SERVING:
        return (" of the aggregate serving model",)
    least = Quantity(answer.least_parameters, Unit.PARAMETERS)
    many = "a model" if answer.models == 1 else f"{answer.models} models"
    return (f" of {many} with at least ", least, " parameters")


def _why_largest(answer: Answer) -> Cell:
    if answer.best.assessment.tier is not FitTier.COMFORTABLE:
        return "No model fits comfortably: this is the largest that may run."
    if answer.models == 1:
        return "The only model that fits comfortably, planned for the most room."
    return f"Most parameters of {answer.models} that fit comfortably, planned for the most room."


def _next(answer: Answer) -> Cell:
    second = answer.runner_up
    if second is None:
        return Absent("nothing else fits comfortably")
    found = second.assessment
    same = found.model.id == answer.best.assessment.model.id
    name: Cell = found.model.name
    if not same:
        name = Link(f"#{model_row_id(found.model.id)}", found.model.name)
    elif found.plan is not None:
        name = f"the same with {plan_words(found.plan)}"
    runtime = "" if found.runtime.id == answer.best.assessment.runtime.id else found.runtime.name
    lines = (name, Small(gives(answer.goal, second)))
    return Lines((*lines, Small(runtime)) if runtime else lines)
