"""Every model on every combo, and the combo-level answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.engine.answers import (
    GOAL,
    Entry,
    aggregate_serving,
    batches,
    largest_single_model,
    page_order,
    reference_workload,
    request_of,
    verdict_entry,
)
from sitegen.engine.assess import assembled, effective_bytes, question_of
from sitegen.engine.assessment import (
    DEFAULTS,
    Assessment,
    CheckpointOutcome,
    ComboSurvey,
    FitTier,
    Goal,
    ModelOnCombo,
    Share,
    Survey,
)
from sitegen.engine.combo_answers import combo_answers
from sitegen.engine.curves import LoadPoint, context_curve, load_curve
from sitegen.engine.doubts import doubt_of
from sitegen.engine.effective import effective_vram, refused_on
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK, Question, best_plan
from sitegen.engine.resilience import losses
from sitegen.engine.side_by_side import example
from sitegen.engine.ways import ways_to_run


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
    models = engine.catalog.surveyed_models
    preferred = driven_by(engine.catalog, combo.orchestrator)
    entries = {model.id: tuple(_entries(engine, combo, model)) for model in models}
    judged = (verdict_entry(of_model, preferred) for of_model in entries.values())
    verdicts = sorted(
        (_planned(engine, combo, found) for found in judged if found is not None), key=page_order
    )
    rows = tuple(_row(engine, combo, v, entries[v.subject.model.id]) for v in verdicts)
    largest = largest_single_model(engine, combo, verdicts)
    serving = aggregate_serving(engine, combo, entries.values())
    return ComboSurvey(
        combo=combo,
        rows=rows,
        effective_vram=effective_vram(engine, combo),
        largest_single_model=largest,
        aggregate_serving=serving,
        refused=refused_on(combo),
        answers=combo_answers(engine, combo, verdicts, entries, largest=largest, serving=serving),
        losses=losses(
            engine, combo, verdicts, largest=largest, serving=serving, preferred=preferred
        ),
        context_curve=context_curve(engine, largest, Goal.LARGEST_MODEL) if largest else (),
        load_curve=_load_curve(engine, largest, serving),
        ways=ways_to_run(engine, combo, largest=largest, serving=serving),
        side_by_side=_side_by_side(engine, combo, rows, serving or largest),
    )


def _side_by_side(
    engine: FitEngine, combo: Combo, rows: Iterable[ModelOnCombo], answer: Assessment | None
) -> tuple[Share, ...]:
    """Show two models at once under the runtime of the serving answer, or of the largest model."""
    if answer is None:
        return ()
    verdicts = (row.verdict for row in rows)
    fitting = (one for one in verdicts if one.tier is FitTier.COMFORTABLE)
    return example(engine, combo, fitting, answer.runtime.id)


def _load_curve(
    engine: FitEngine, largest: Assessment | None, serving: Assessment | None
) -> tuple[LoadPoint, ...]:
    if serving is not None:
        return load_curve(engine, serving, GOAL)
    return load_curve(engine, largest, Goal.LARGEST_MODEL) if largest else ()


def _row(
    engine: FitEngine, combo: Combo, verdict: Entry, entries: tuple[Entry, ...]
) -> ModelOnCombo:
    rest = _best_by_checkpoint(entries)
    rest.pop(verdict.subject.checkpoint.id)
    ordered = sorted(rest.values(), key=lambda e: (-e.weights_bytes, e.subject.checkpoint.id))
    better = next((e for e in ordered if _better(e, verdict)), None)
    return ModelOnCombo(
        assembled(engine, request_of(engine, verdict, combo), verdict.chosen),
        None if better is None else _outcome(better, combo),
        tuple(_outcome(e, combo) for e in ordered if e is not better),
        doubt_of(engine, verdict),
    )


def _entries(engine: FitEngine, combo: Combo, model: LanguageModel) -> Iterator[Entry]:
    """Judge the production checkpoints, and smaller ones where none of those is comfortable.

    Runtimes that are not surveyed in full bring one checkpoint each (see ``loadable``), and only
    where no other is comfortable, or none that batches if they do: a verdict and the serving
    answer take the best, and between equals the runtime surveyed in full. No plan is looked for of
    what is larger than all GPUs.
    """
    sets, workload = engine.sets(combo), reference_workload(engine, model)
    comfortable = served = False
    for prepared in engine.loadable(model):
        subject = prepared.subject
        if comfortable and not subject.checkpoint.quantization.production:
            continue
        many = batches(subject.runtime)
        if not subject.runtime.surveyed_in_full and (served or (comfortable and not many)):
            continue
        if prepared.beyond(sets, DEFAULTS):
            yield Entry(subject, None, prepared.weights_bytes, beyond=True)
            continue
        chosen = best_plan(Question(prepared, sets, workload, DEFAULTS, GOAL))
        if chosen is not None and chosen.evaluation.tier is FitTier.COMFORTABLE:
            comfortable = True
            served = served or many
        yield Entry(subject, chosen, prepared.weights_bytes)


def _planned(engine: FitEngine, combo: Combo, verdict: Entry) -> Entry:
    """Find the least bad plan of a verdict on what is larger than all GPUs."""
    if not verdict.beyond:
        return verdict
    chosen = best_plan(question_of(engine, request_of(engine, verdict, combo)))
    return replace(verdict, chosen=chosen, beyond=False)


def _best_by_checkpoint(entries: Iterable[Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        best = found.setdefault(entry.subject.checkpoint.id, entry)
        if entry.order < best.order:
            found[entry.subject.checkpoint.id] = entry
    return found


def _better(entry: Entry, verdict: Entry) -> bool:
    comfortable = RANK[FitTier.COMFORTABLE]
    return entry.order[0] == comfortable and entry.weights_bytes > verdict.weights_bytes


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
        effective_vram_bytes=effective_bytes(found) if found else 0,
    )


def driven_by(catalog: Catalog, orchestrator: str) -> tuple[str, ...]:
    """Return the runtimes that a combo's orchestrator runs; empty without one."""
    found = catalog.runtimes.get(orchestrator)
    return found.drives if found else ()
