"""Every model on every combo, and the combo-level answers with their runtimes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel, Runtime
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.model_facts import LinkCost, link_cost
from sitegen.physics.plan import DEFAULTS
from sitegen.quality.values import Use
from sitegen.survey.best_for_goal import combo_answers, for_many
from sitegen.survey.best_for_use import rated_picks, read_documents
from sitegen.survey.colocation import example
from sitegen.survey.comfortable_users import comfortable_users
from sitegen.survey.curves import context_curve, load_curve
from sitegen.survey.effective_vram import effective_vram, refused_on
from sitegen.survey.failures import losses
from sitegen.survey.machines_for_model import ROOM_TOKENS
from sitegen.survey.results import (
    AlternativeRuntimes,
    CheckpointOutcome,
    ColocatedModel,
    ComboSurvey,
    ModelOnCombo,
)
from sitegen.survey.uncertainty import doubt_of
from sitegen.survey.verdict_policy import (
    VERDICT_GOAL,
    ModelQuestion,
    Pick,
    PlannedCheckpoint,
    answered,
    assessed,
    batches,
    best_verdict,
    driven_by,
    in_turn,
    is_slow,
    judged,
    machine_standing,
    may_be_faster,
    may_not_lead,
    page_order,
    pick_of,
    planned,
    reference_question,
    reference_workload,
    usual_goal,
    with_flags,
)
from sitegen.values import dataclass


def ways_to_run(
    engine: FitEngine, combo: Combo, *, lead: Assessment | None, serving: Assessment | None
) -> AlternativeRuntimes:
    """Pick both answers under the other runtimes too, and keep what runs.

    For the first answer it is every runtime that can; for serving those that batch requests, or
    else the one of the answer. As the answers do, they give up a file that is written more slowly
    than people read for one that is not.
    """
    found = _ways(engine, combo, lead, None)
    listed = {(one.id, one.plan) for one in found}
    served = _ways(engine, combo, serving, PlanGoal.THROUGHPUT)
    return AlternativeRuntimes(
        tuple(found), tuple(one for one in served if (one.id, one.plan) not in listed)
    )


def _ways(
    engine: FitEngine, combo: Combo, answer: Assessment | None, goal: PlanGoal | None
) -> list[Assessment]:
    if answer is None or answer.tier is FitTier.NOT_PRACTICAL:
        return []
    others = _others(engine, combo, answer, goal)
    running = [one for one in others if one.plan and one.tier is not FitTier.NOT_PRACTICAL]
    useful = [one for one in running if _holds_shortest_context(engine, one)]
    return [answer, *sorted(useful, key=lambda one: RANK[one.tier])]


def _holds_shortest_context(engine: FitEngine, assessment: Assessment) -> bool:
    """Return whether a plan starts with the shortest context that counts as running, or more.

    A plan that is too close to call may hold only 64 tokens at the middle estimate.
    """
    if assessment.limits is None:
        return True
    least = engine.judge.thresholds.reduced_context_tokens
    return assessment.limits.max_context_tokens >= min(least, assessment.model.context_tokens)


def _others(
    engine: FitEngine, combo: Combo, answer: Assessment, goal: PlanGoal | None
) -> Iterator[Assessment]:
    vendors = {gpu.gpu.vendor for gpu in combo.gpus}
    for runtime, _ in engine.assessed_runtimes():
        suits = goal is not PlanGoal.THROUGHPUT or batches(runtime)
        if runtime.id == answer.runtime.id or not suits or vendors.isdisjoint(runtime.vendors):
            continue
        question = reference_question(engine, combo, answer.model, goal, runtime.id)
        found = answered(engine, replace(question, read_along=True))
        if found is not None:
            yield found


@dataclass(frozen=True, slots=True)
class JudgedModel:
    """A model on a combo as the survey found it, before it becomes a row."""

    question: ModelQuestion
    entries: tuple[PlannedCheckpoint, ...]
    verdict: PlannedCheckpoint
    pick: Pick
    read_along: Pick | None
    """The pick of an answer, where it is another one."""

    @property
    def tier(self) -> FitTier:
        """The verdict."""
        return self.verdict.tier


def prepare_all(engine: FitEngine) -> None:
    """Reduce every checkpoint that an assessed runtime loads, before the work is shared out."""
    for model in engine.catalog.surveyed_models:
        engine.loadable(model)


def survey_combo(engine: FitEngine, combo: Combo) -> ComboSurvey:
    """Assess every model on one combo."""
    found = [_judged(engine, combo, model) for model in engine.catalog.surveyed_models]
    known = [one for one in found if one is not None]
    rows = tuple(sorted((_row(engine, one) for one in known), key=lambda r: page_order(r.pick)))
    answering = [row.answer for row in rows]
    many = [row.for_many for row in rows if row.for_many is not None]
    answers = combo_answers(engine, combo, answering)
    by_model = {one.question.model.id: one.read_along or one.pick for one in known}
    lead = by_model[answers.lead.model.id] if answers.lead else None
    return ComboSurvey(
        combo=combo,
        rows=rows,
        effective_vram=effective_vram(engine, combo),
        lead=answers.lead,
        largest_single_model=answers.largest,
        aggregate_serving=answers.serving,
        refused=refused_on(combo),
        uses=answers.uses,
        answers=answers.goals,
        losses=losses(engine, combo, rows, answers),
        context_curve=context_curve(answers.lead, lead.entry) if answers.lead and lead else (),
        load_curve=load_curve(engine, answers.lead, lead.entry) if answers.lead and lead else (),
        ways=ways_to_run(engine, combo, lead=answers.lead, serving=answers.serving),
        side_by_side=_side_by_side(engine, combo, rows, answers.lead),
        link_costs=_link_costs(combo, answers.lead),
        rated=rated_picks(engine, [row.pick for row in rows], answering),
        seeing=tuple((one, _users(engine, one)) for one in answers.seeing),
        documents=read_documents(engine, [*answering, *many]),
    )


FEWEST_HELD, MOST_HELD = 5, 64
"""Users that the pick for one user holds at once, where a pick for many users is sought, too.

A pick for many users may hold three times as many, because its files are smaller; a
machine that holds four times as many as are asked for is larger than it need be.
"""
PROMPT_TOKENS = 2_048
"""Prompt that a link is timed with."""


def _link_costs(combo: Combo, lead: Assessment | None) -> tuple[LinkCost, ...]:
    """Time each link between GPUs and between machines with the model of the first answer."""
    if lead is None:
        return ()
    links = {n.link.id: n.link for n in combo.nodes if n.link is not None and len(n.gpus) > 1}
    if combo.network is not None:
        links.setdefault(combo.network.id, combo.network)
    costs = (
        link_cost(lead.model, lead.checkpoint, link, prompt_tokens=PROMPT_TOKENS)
        for link in links.values()
    )
    return tuple(cost for cost in costs if cost is not None)


def _side_by_side(
    engine: FitEngine, combo: Combo, rows: Iterable[ModelOnCombo], answer: Assessment | None
) -> tuple[ColocatedModel, ...]:
    """Show two models at once under the runtime of the combo's first answer.

    Where one user is served, a model may run under another runtime that has room for it.
    """
    if answer is None:
        return ()
    fitting = [row.pick for row in rows if row.tier is FitTier.COMFORTABLE]
    runtimes = [answer.runtime.id]
    if usual_goal(engine, combo, driven_by(engine, combo)) is PlanGoal.LATENCY:
        others = (one for one, _ in engine.assessed_runtimes() if one.surveyed_in_full)
        runtimes += [one.id for one in others if one.id != answer.runtime.id]
    return example(engine, combo, fitting, runtimes)


def _judged(engine: FitEngine, combo: Combo, model: LanguageModel) -> JudgedModel | None:
    """Judge every checkpoint of a model that the page lists; ``None`` where none loads."""
    question = reference_question(engine, combo, model)
    entries = tuple(_entries(engine, question))
    verdict = planned(engine, question, best_verdict(question, entries))
    if verdict is None:
        return None
    pick = pick_of(engine, question, verdict)
    return JudgedModel(
        question, entries, verdict, pick, _read_along(engine, question, verdict, pick)
    )


def _read_along(
    engine: FitEngine, question: ModelQuestion, verdict: PlannedCheckpoint, pick: Pick
) -> Pick | None:
    """Pick again for an answer where another may be faster; ``None`` where that changes nothing."""
    asked = is_slow(engine, pick) or may_be_faster(engine, question, pick)
    if verdict.tier is not FitTier.COMFORTABLE or not asked:
        return None
    other = pick_of(engine, replace(question, read_along=True), verdict)
    same = other.entry.subject.key == pick.entry.subject.key
    return None if same or is_slow(engine, other) else other


def _entries(engine: FitEngine, question: ModelQuestion) -> list[PlannedCheckpoint]:
    """Judge the production checkpoints, and smaller ones where none of those is comfortable.

    Flags are tried where the verdict is not comfortable without.

    Runtimes that are not surveyed in full are judged only where they may decide the verdict, and
    then the smallest checkpoint first, until one does.
    """
    asks = question.asks
    planned_checkpoints = [judged(engine, question, ask) for ask in asks.surveyed]
    for ask in in_turn(question):
        runtime = ask.subject.runtime
        if not runtime.surveyed_in_full and not _decided(question, planned_checkpoints, runtime):
            planned_checkpoints.append(judged(engine, question, ask))
    carrying = best_verdict(question, planned_checkpoints)
    if carrying is not None and carrying.tier is FitTier.BORDERLINE:
        planned_checkpoints += with_flags(engine, question, tuple(planned_checkpoints))
    if not any(entry.tier is FitTier.COMFORTABLE for entry in planned_checkpoints):
        planned_checkpoints += [judged(engine, question, ask) for ask in asks.spare]
    return planned_checkpoints


def _decided(
    question: ModelQuestion, planned_checkpoints: Sequence[PlannedCheckpoint], runtime: Runtime
) -> bool:
    """Return whether a runtime's verdict can change nothing after what was judged already."""
    standing = machine_standing(question, runtime)
    for entry in planned_checkpoints:
        if entry.tier is FitTier.NOT_PRACTICAL:
            continue
        theirs = machine_standing(question, entry.subject.runtime)
        if theirs <= standing and entry.tier is FitTier.COMFORTABLE:
            return True
        if theirs < standing and may_not_lead(question, runtime):
            return True
    return False


def _row(engine: FitEngine, one: JudgedModel) -> ModelOnCombo:
    question, pick = one.question, one.pick
    chosen, combo = pick.entry, question.combo
    rest = _best_by_checkpoint(one.entries)
    rest.pop(chosen.subject.checkpoint.id, None)
    ordered = sorted(rest.values(), key=lambda e: (-e.weights_bytes, e.subject.checkpoint.id))
    found = assessed(engine, question, pick)
    along = assessed(engine, question, one.read_along) if one.read_along is not None else None
    many = for_many(engine, combo, found) if _may_serve(found) else None
    return ModelOnCombo(
        _outcome(one.verdict, combo),
        found,
        tuple(_outcome(e, combo) for e in ordered),
        doubt_of(engine, one.verdict),
        many,
        along,
        _users(engine, along or found),
        _users(engine, many) if many is not None else {},
    )


def _users(engine: FitEngine, found: Assessment) -> Mapping[int, int]:
    """Count for how many users a plan stays comfortable, where a buyer may be told of it."""
    known = any(engine.ratings.of(use, found.model.id) is not None for use in Use)
    comfortable = known and found.tier is FitTier.COMFORTABLE
    return comfortable_users(engine, found) if comfortable else {}


def _may_serve(pick: Assessment) -> bool:
    """Return whether a machine may be the right size for ``MANY`` users of the model at once."""
    if pick.tier is not FitTier.COMFORTABLE or pick.best is None:
        return False
    held = pick.best.users.get(ROOM_TOKENS, (0, None))[0]
    return FEWEST_HELD <= held <= MOST_HELD


def _best_by_checkpoint(entries: Sequence[PlannedCheckpoint]) -> dict[str, PlannedCheckpoint]:
    found: dict[str, PlannedCheckpoint] = {}
    for entry in entries:
        best = found.setdefault(entry.subject.checkpoint.id, entry)
        if entry.order < best.order:
            found[entry.subject.checkpoint.id] = entry
    return found


def assess_outcome(engine: FitEngine, outcome: CheckpointOutcome) -> Assessment:
    """Assess a checkpoint of a row that is not its pick, as the row's verdict was reached.

    Raises:
        ValueError: If the outcome's runtime has no assessed profile.
    """
    profile = profile_of(outcome.runtime)
    if profile is None:
        raise ValueError(f"{outcome.runtime.id} has no assessed profile")
    request = FitRequest(
        outcome.model,
        outcome.checkpoint,
        outcome.combo,
        outcome.runtime,
        profile,
        reference_workload(engine, outcome.model),
        settings=outcome.settings,
        goal=VERDICT_GOAL,
    )
    return assess(engine, request)


def _outcome(entry: PlannedCheckpoint, combo: Combo) -> CheckpointOutcome:
    evaluation = entry.chosen.evaluation if entry.chosen else None
    return CheckpointOutcome(
        model=entry.subject.model,
        checkpoint=entry.subject.checkpoint,
        runtime=entry.subject.runtime,
        combo=combo,
        tier=evaluation.tier if evaluation else FitTier.NOT_PRACTICAL,
        too_close=evaluation.too_close if evaluation else False,
        utilization=evaluation.utilization if evaluation else None,
        effective_vram_bytes=evaluation.replica.effective_bytes() if evaluation else 0,
        settings=evaluation.settings if evaluation else DEFAULTS,
    )
