"""Every model on every combo, and the combo-level answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel, Runtime
from sitegen.engine.assess import assess
from sitegen.engine.assessment import (
    Assessment,
    CheckpointOutcome,
    ComboSurvey,
    FitTier,
    ModelOnCombo,
    Share,
    Survey,
)
from sitegen.engine.combo_answers import combo_answers
from sitegen.engine.curves import context_curve, load_curve
from sitegen.engine.doubts import doubt_of
from sitegen.engine.effective import effective_vram, refused_on
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.policy import (
    VERDICT_GOAL,
    Entry,
    ModelQuestion,
    Pick,
    assessed,
    best_verdict,
    in_turn,
    judged,
    machine_standing,
    page_order,
    pick_of,
    planned,
    reference_question,
)
from sitegen.engine.profiles import profile_of
from sitegen.engine.request import FitRequest
from sitegen.engine.resilience import losses
from sitegen.engine.side_by_side import example
from sitegen.engine.ways import ways_to_run
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Judged:
    """A model on a combo as the survey found it, before it becomes a row."""

    question: ModelQuestion
    entries: tuple[Entry, ...]
    verdict: Entry
    pick: Pick

    @property
    def tier(self) -> FitTier:
        """The verdict."""
        return self.verdict.tier


def survey(catalog: Catalog) -> Survey:
    """Assess every model on every combo at the reference workload.

    Raises:
        ValueError: If a model's family is unknown (the catalog's checks report it first).
    """
    engine = FitEngine(catalog)
    return Survey({combo.id: survey_combo(engine, combo) for combo in catalog.combos.values()})


def prepare_all(engine: FitEngine) -> None:
    """Reduce every checkpoint that an assessed runtime loads, before the work is shared out."""
    for model in engine.catalog.surveyed_models:
        engine.loadable(model)


def survey_combo(engine: FitEngine, combo: Combo) -> ComboSurvey:
    """Assess every model on one combo."""
    found = [_judged(engine, combo, model) for model in engine.catalog.surveyed_models]
    known = [one for one in found if one is not None]
    rows = tuple(sorted((_row(engine, one) for one in known), key=lambda r: page_order(r.pick)))
    answers = combo_answers(engine, combo, [row.pick for row in rows])
    by_model = {one.question.model.id: one.pick for one in known}
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
    )


def _side_by_side(
    engine: FitEngine, combo: Combo, rows: Iterable[ModelOnCombo], answer: Assessment | None
) -> tuple[Share, ...]:
    """Show two models at once under the runtime of the combo's first answer."""
    if answer is None:
        return ()
    fitting = (row.pick for row in rows if row.tier is FitTier.COMFORTABLE)
    return example(engine, combo, fitting, answer.runtime.id)


def _judged(engine: FitEngine, combo: Combo, model: LanguageModel) -> Judged | None:
    """Judge every checkpoint of a model that the page lists; ``None`` where none loads."""
    question = reference_question(engine, combo, model)
    entries = tuple(_entries(engine, question))
    verdict = planned(engine, question, best_verdict(question, entries))
    if verdict is None:
        return None
    return Judged(question, entries, verdict, pick_of(engine, question, verdict))


def _entries(engine: FitEngine, question: ModelQuestion) -> list[Entry]:
    """Judge the production checkpoints, and smaller ones where none of those is comfortable.

    Runtimes that are not surveyed in full are judged only where they may decide the verdict, and
    then the smallest checkpoint first, until one does.
    """
    asks = question.asks
    found = [judged(engine, question, ask) for ask in asks.surveyed]
    for ask in in_turn(question):
        runtime = ask.subject.runtime
        if not runtime.surveyed_in_full and not _decided(question, found, runtime):
            found.append(judged(engine, question, ask))
    if not any(entry.tier is FitTier.COMFORTABLE for entry in found):
        found += [judged(engine, question, ask) for ask in asks.spare]
    return found


def _decided(question: ModelQuestion, found: Sequence[Entry], runtime: Runtime) -> bool:
    """Whether a runtime's verdict can change nothing after what was judged already."""
    standing = machine_standing(question, runtime)
    for entry in found:
        theirs = machine_standing(question, entry.subject.runtime)
        if theirs <= standing and entry.tier is FitTier.COMFORTABLE:
            return True
        if theirs < standing and entry.tier is FitTier.BORDERLINE:
            return True
    return False


def _row(engine: FitEngine, one: Judged) -> ModelOnCombo:
    question, pick = one.question, one.pick
    chosen, combo = pick.entry, question.combo
    rest = _best_by_checkpoint(one.entries)
    rest.pop(chosen.subject.checkpoint.id, None)
    ordered = sorted(rest.values(), key=lambda e: (-e.weights_bytes, e.subject.checkpoint.id))
    return ModelOnCombo(
        _outcome(one.verdict, combo),
        assessed(engine, question, pick),
        tuple(_outcome(e, combo) for e in ordered),
        doubt_of(engine, one.verdict),
    )


def _best_by_checkpoint(entries: Sequence[Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        best = found.setdefault(entry.subject.checkpoint.id, entry)
        if entry.order < best.order:
            found[entry.subject.checkpoint.id] = entry
    return found


def assess_outcome(engine: FitEngine, row: ModelOnCombo, outcome: CheckpointOutcome) -> Assessment:
    """Assess a checkpoint that is not the pick of its row, as the row's verdict was reached.

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
        row.pick.workload,
        goal=VERDICT_GOAL,
    )
    return assess(engine, request)


def _outcome(entry: Entry, combo: Combo) -> CheckpointOutcome:
    found = entry.chosen.evaluation if entry.chosen else None
    return CheckpointOutcome(
        model=entry.subject.model,
        checkpoint=entry.subject.checkpoint,
        runtime=entry.subject.runtime,
        combo=combo,
        tier=found.tier if found else FitTier.NOT_PRACTICAL,
        too_close=found.too_close if found else False,
        utilization=found.utilization if found else None,
        effective_vram_bytes=found.replica.effective_bytes() if found else 0,
    )
