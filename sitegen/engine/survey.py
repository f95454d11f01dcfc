"""Every model on every combo, and the combo-level answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel, MemoryModel
from sitegen.engine.assess import assembled, assess, effective_bytes, subject_of
from sitegen.engine.assessment import (
    Assessment,
    CheckpointOutcome,
    ComboSurvey,
    FitTier,
    Goal,
    ModelOnCombo,
    Settings,
    Survey,
    Workload,
)
from sitegen.engine.effective import effective_vram, refused_on
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK, Candidate, Question, best_plan
from sitegen.engine.prepared import Subject
from sitegen.engine.request import FitRequest

GOAL = Goal.THROUGHPUT
"""What the plans of a survey are chosen for: as many replicas as are comfortable."""
DEFAULTS = Settings()


def survey(catalog: Catalog) -> Survey:
    """Assess every model on every combo at the reference workload.

    Raises:
        ValueError: If a model's family is unknown (the catalog's checks report it first).
    """
    engine = FitEngine(catalog)
    return Survey({combo.id: survey_combo(engine, combo) for combo in catalog.combos.values()})


def prepare_all(engine: FitEngine) -> None:
    """Reduce every checkpoint that an assessed runtime loads, before the work is shared out."""
    for model in engine.catalog.models.values():
        engine.loadable(model)


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
        aggregate_serving=_aggregate(combo, ordered),
        refused=refused_on(combo),
    )


def _page_order(row: ModelOnCombo) -> tuple[int, int, str]:
    verdict = row.verdict
    return (RANK[verdict.tier], -verdict.weights_bytes, verdict.model.id)


def reference_workload(engine: FitEngine, model: LanguageModel) -> Workload:
    """Return the workload of every verdict: the reference context, or the model's where shorter."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    return Workload(min(reference, model.context_tokens), 1, "f16")


@dataclass(frozen=True, slots=True)
class Entry:
    """A checkpoint under the runtime that does best with it, and the plan chosen."""

    subject: Subject
    chosen: Candidate | None
    weights_bytes: int

    @property
    def order(self) -> tuple[int, bool]:
        """How good it is, lower is better."""
        if self.chosen is None:
            return (RANK[FitTier.NOT_PRACTICAL], True)
        return (RANK[self.chosen.evaluation.tier], False)


def _row(engine: FitEngine, combo: Combo, model: LanguageModel) -> ModelOnCombo | None:
    workload = reference_workload(engine, model)
    entries = list(_entries(engine, combo, model, workload))
    verdict = _verdict(entries)
    if verdict is None:
        return None
    rest = _best_by_checkpoint(entries)
    asked = verdict.subject
    rest.pop(asked.checkpoint.id)
    ordered = sorted(rest.values(), key=lambda e: (-e.weights_bytes, e.subject.checkpoint.id))
    better = next((e for e in ordered if _better(e, verdict)), None)
    request = FitRequest(
        model, asked.checkpoint, combo, asked.runtime, asked.profile, workload, goal=GOAL
    )
    return ModelOnCombo(
        assembled(engine, request, verdict.chosen),
        None if better is None else _outcome(better, combo),
        tuple(_outcome(e, combo) for e in ordered if e is not better),
    )


def _entries(
    engine: FitEngine, combo: Combo, model: LanguageModel, workload: Workload
) -> Iterator[Entry]:
    sets = engine.sets(combo)
    for prepared in engine.loadable(model):
        chosen = best_plan(Question(prepared, sets, workload, DEFAULTS, GOAL))
        weights = prepared.coefficients.weights.total_bytes
        yield Entry(prepared.subject, chosen, weights)


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
        weights_bytes=entry.weights_bytes,
        effective_vram_bytes=effective_bytes(found) if found else 0,
    )


def _verdict(entries: list[Entry]) -> Entry | None:
    """Pick the best of each runtime's smallest production checkpoint.

    Without a production checkpoint that any runtime loads, the largest of the rest is shown.
    """
    production = [e for e in entries if e.subject.checkpoint.quantization.production]
    smallest: dict[str, Entry] = {}
    for entry in sorted(production, key=lambda e: (e.chosen is None, e.weights_bytes)):
        smallest.setdefault(entry.subject.runtime.id, entry)
    pool = list(smallest.values()) or sorted(entries, key=lambda e: -e.weights_bytes)[:1]
    return min(pool, key=lambda e: (*e.order, e.weights_bytes), default=None)


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
    request = FitRequest(
        found.model, found.checkpoint, found.combo, found.runtime, found.profile, found.workload
    )
    return engine.prepare(subject_of(request)).coefficients.parameters


def _aggregate(combo: Combo, rows: tuple[ModelOnCombo, ...]) -> Assessment | None:
    """Find the largest model that fits comfortably in replicas that stay inside a machine.

    One replica per machine at least; a runtime that batches is preferred, since many requests at
    once are the point.
    """
    comfortable = [row.verdict for row in rows if row.verdict.tier is FitTier.COMFORTABLE]
    serving = [a for a in comfortable if _serves_inside_nodes(a, len(combo.nodes))]
    batching = [a for a in serving if a.runtime.memory_model is MemoryModel.PAGED]
    return max(batching or serving, key=lambda a: a.weights_bytes, default=None)


def _serves_inside_nodes(found: Assessment, nodes: int) -> bool:
    plan = found.plan
    return (
        plan is not None and plan.replicas >= nodes and len({node for node, _ in plan.ranks}) == 1
    )
