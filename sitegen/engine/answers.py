"""The two answers of a combo: its largest single model, and its best aggregate serving."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel, MemoryModel
from sitegen.engine.assess import assembled, assess
from sitegen.engine.assessment import Assessment, FitTier, Goal, ModelOnCombo, Workload
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK, Candidate
from sitegen.engine.prepared import Subject
from sitegen.engine.request import FitRequest

GOAL = Goal.THROUGHPUT
"""What the plans of a survey are chosen for: as many replicas as are comfortable."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A checkpoint under one runtime, and the plan chosen; ``None`` where none is valid."""

    subject: Subject
    chosen: Candidate | None
    weights_bytes: int

    @property
    def order(self) -> tuple[int, bool]:
        """How good it is, lower is better."""
        if self.chosen is None:
            return (RANK[FitTier.NOT_PRACTICAL], True)
        return (RANK[self.chosen.evaluation.tier], False)


def reference_workload(engine: FitEngine, model: LanguageModel) -> Workload:
    """Return the workload of every verdict: the reference context, or the model's where shorter."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    return Workload(min(reference, model.context_tokens), 1, "f16")


def request_of(engine: FitEngine, entry: Entry, combo: Combo) -> FitRequest:
    """Return the question that an entry answers."""
    asked = entry.subject
    return FitRequest(
        asked.model,
        asked.checkpoint,
        combo,
        asked.runtime,
        asked.profile,
        reference_workload(engine, asked.model),
        goal=GOAL,
    )


def largest_single_model(
    engine: FitEngine, combo: Combo, rows: tuple[ModelOnCombo, ...]
) -> Assessment | None:
    """Find the model with the most parameters that fits, planned for room instead of replicas."""
    fitting = [row.verdict for row in rows if row.verdict.tier is not FitTier.NOT_PRACTICAL]
    comfortable = [a for a in fitting if a.tier is FitTier.COMFORTABLE]
    chosen = max(comfortable or fitting, key=lambda a: _parameters(engine, a), default=None)
    if chosen is None:
        return None
    subject = Subject(chosen.model, chosen.checkpoint, chosen.runtime, chosen.profile)
    question = request_of(engine, Entry(subject, None, chosen.weights_bytes), combo)
    return assess(engine, replace(question, goal=Goal.LARGEST_MODEL))


def _parameters(engine: FitEngine, found: Assessment) -> int:
    subject = Subject(found.model, found.checkpoint, found.runtime, found.profile)
    return engine.prepare(subject).coefficients.parameters


def aggregate_serving(
    engine: FitEngine, combo: Combo, entries: Iterable[tuple[Entry, ...]]
) -> Assessment | None:
    """Find the largest model whose smallest production checkpoint serves in every machine.

    It fits comfortably, in replicas that stay inside a machine, one per machine at least. A
    runtime that batches is preferred, since many requests at once are the point.
    """
    serving = [
        min(found, key=lambda e: e.weights_bytes)
        for of_model in entries
        for paged in (True, False)
        if (found := [e for e in of_model if _serves(e, len(combo.nodes), paged=paged)])
    ]
    chosen = max(
        serving,
        key=lambda e: (e.subject.runtime.memory_model is MemoryModel.PAGED, e.weights_bytes),
        default=None,
    )
    if chosen is None:
        return None
    return assembled(engine, request_of(engine, chosen, combo), chosen.chosen)


def _serves(entry: Entry, nodes: int, *, paged: bool) -> bool:
    chosen = entry.chosen
    return (
        chosen is not None
        and entry.subject.checkpoint.quantization.production
        and (entry.subject.runtime.memory_model is MemoryModel.PAGED) == paged
        and chosen.evaluation.tier is FitTier.COMFORTABLE
        and chosen.copies >= nodes
        and chosen.evaluation.devices.nodes == 1
    )
