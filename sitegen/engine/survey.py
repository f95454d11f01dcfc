"""Every model on every combo, and the combo-level answers."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.engine.assess import assess
from sitegen.engine.assessment import (
    Assessment,
    ComboSurvey,
    FitTier,
    Goal,
    ModelOnCombo,
    Settings,
    Survey,
    Workload,
)
from sitegen.engine.choose import RANK
from sitegen.engine.effective import effective_vram, refused_on
from sitegen.engine.fit_engine import FitEngine, Subject
from sitegen.engine.request import FitRequest


def survey(catalog: Catalog) -> Survey:
    """Assess every model on every combo at the reference workload.

    Raises:
        ValueError: If a model's family is unknown (the catalog's checks report it first).
    """
    engine = FitEngine(catalog)
    return Survey({combo.id: survey_combo(engine, combo) for combo in catalog.combos.values()})


def survey_combo(engine: FitEngine, combo: Combo) -> ComboSurvey:
    """Assess every model on one combo."""
    rows = tuple(
        row
        for model in engine.catalog.models.values()
        if (row := _row(engine, combo, model)) is not None
    )
    ordered = tuple(sorted(rows, key=_page_order))
    return ComboSurvey(
        combo=combo,
        rows=ordered,
        effective_vram=effective_vram(engine, combo),
        largest_single_model=_largest(engine, combo, ordered),
        aggregate_serving=_aggregate(ordered),
        refused=refused_on(combo),
    )


def _page_order(row: ModelOnCombo) -> tuple[int, int, str]:
    verdict = row.verdict
    return (RANK[verdict.tier], -verdict.weights_bytes, verdict.model.id)


def reference_workload(engine: FitEngine, model: LanguageModel) -> Workload:
    """Return the workload of every verdict: the reference context, or the model's where shorter."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    return Workload(min(reference, model.context_tokens), 1, "f16")


def _row(engine: FitEngine, combo: Combo, model: LanguageModel) -> ModelOnCombo | None:
    found = {
        checkpoint.id: _best(_by_runtime(engine, combo, model, checkpoint))
        for checkpoint in model.checkpoints
    }
    assessed = [a for a in found.values() if a is not None]
    verdict = _verdict(assessed)
    if verdict is None:
        return None
    others = sorted(
        (a for a in assessed if a is not verdict), key=lambda a: (-a.weights_bytes, a.checkpoint.id)
    )
    better = next(
        (
            a
            for a in others
            if a.tier is FitTier.COMFORTABLE and a.weights_bytes > verdict.weights_bytes
        ),
        None,
    )
    return ModelOnCombo(verdict, better, tuple(a for a in others if a is not better))


def _by_runtime(
    engine: FitEngine, combo: Combo, model: LanguageModel, checkpoint: Checkpoint
) -> Iterable[Assessment]:
    for runtime, profile in engine.assessed_runtimes():
        if checkpoint.quantization.format in runtime.formats:
            request = FitRequest(
                model=model,
                checkpoint=checkpoint,
                combo=combo,
                runtime=runtime,
                profile=profile,
                workload=reference_workload(engine, model),
                settings=Settings(),
                goal=Goal.THROUGHPUT,
            )
            yield assess(engine, request)


def _best(assessments: Iterable[Assessment]) -> Assessment | None:
    return min(assessments, key=lambda a: (RANK[a.tier], a.plan is None), default=None)


def _verdict(assessed: list[Assessment]) -> Assessment | None:
    """Pick the best of each runtime's smallest production checkpoint.

    Without a production checkpoint that any runtime loads, the largest of the rest is shown; it
    never carries a verdict better than borderline alone.
    """
    production = [a for a in assessed if a.checkpoint.quantization.production]
    smallest: dict[str, Assessment] = {}
    for a in sorted(production, key=lambda a: (a.plan is None, a.weights_bytes)):
        smallest.setdefault(a.runtime.id, a)
    pool = list(smallest.values()) or sorted(assessed, key=lambda a: -a.weights_bytes)[:1]
    return min(pool, key=lambda a: (RANK[a.tier], a.plan is None, a.weights_bytes), default=None)


def _largest(engine: FitEngine, combo: Combo, rows: tuple[ModelOnCombo, ...]) -> Assessment | None:
    """Find the largest model that fits, planned for room instead of replicas."""
    fitting = [row.verdict for row in rows if row.verdict.tier is not FitTier.NOT_PRACTICAL]
    comfortable = [a for a in fitting if a.tier is FitTier.COMFORTABLE]
    chosen = max(comfortable or fitting, key=lambda a: _parameters(engine, a), default=None)
    if chosen is None:
        return None
    request = FitRequest(
        chosen.model, chosen.checkpoint, combo, chosen.runtime, chosen.profile,
        chosen.workload, Settings(), goal=Goal.LARGEST_MODEL,
    )  # fmt: skip
    return assess(engine, request)


def _parameters(engine: FitEngine, found: Assessment) -> int:
    subject = Subject(found.model, found.checkpoint, found.runtime, found.profile)
    return engine.coefficients(subject).parameters


def _aggregate(rows: tuple[ModelOnCombo, ...]) -> Assessment | None:
    """Find the largest model that fits comfortably with the most replicas the combo's nodes allow."""
    comfortable = [row.verdict for row in rows if row.verdict.tier is FitTier.COMFORTABLE]
    serving = [a for a in comfortable if a.plan is not None and a.plan.replicas > 1]
    return max(serving or comfortable, key=lambda a: a.weights_bytes, default=None)
