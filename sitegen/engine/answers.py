"""The two answers of a combo: its largest single model, and its best aggregate serving."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel, MemoryModel, Runtime
from sitegen.engine.assess import assembled, assess
from sitegen.engine.assessment import Assessment, FitTier, Goal, Workload
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK, Candidate
from sitegen.engine.prepared import Subject
from sitegen.engine.request import FitRequest
from sitegen.values import dataclass

GOAL = Goal.THROUGHPUT
"""What the plans of a survey are chosen for: as many replicas as are comfortable."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A checkpoint under one runtime, and the plan chosen; ``None`` where none is valid.

    ``beyond`` says that no plan was looked for: the weights are larger than all GPUs together.
    """

    subject: Subject
    chosen: Candidate | None
    weights_bytes: int
    beyond: bool = False

    @property
    def order(self) -> tuple[int, bool]:
        """How good it is, lower is better."""
        return (RANK[self.tier], self.impossible)

    @property
    def impossible(self) -> bool:
        """Whether no plan is valid, however much memory there is."""
        return self.chosen is None and not self.beyond

    @property
    def tier(self) -> FitTier:
        """The tier of its plan; not practical without one."""
        return self.chosen.evaluation.tier if self.chosen else FitTier.NOT_PRACTICAL


def reference_workload(engine: FitEngine, model: LanguageModel) -> Workload:
    """Return the workload of every verdict: the reference context, or the model's where shorter."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    return _alone(min(reference, model.context_tokens))


@lru_cache(maxsize=64)
def _alone(context_tokens: int) -> Workload:
    """Make it once: what was judged of it is found sooner by one object."""
    return Workload(context_tokens, 1, "f16")


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


def verdict_entry(entries: Iterable[Entry], preferred: tuple[str, ...]) -> Entry | None:
    """Pick the best of each runtime's smallest production checkpoint.

    Where two are as good, the runtime that the combo's orchestrator drives, then one that is
    surveyed in full, then the smaller file. Without a production checkpoint that any
    runtime loads, the largest of the rest is shown.
    """
    found = tuple(entries)
    production = [e for e in found if e.subject.checkpoint.quantization.production]
    smallest: dict[str, Entry] = {}
    for entry in sorted(production, key=lambda e: (e.impossible, e.weights_bytes)):
        smallest.setdefault(entry.subject.runtime.id, entry)
    pool = list(smallest.values()) or sorted(found, key=lambda e: -e.weights_bytes)[:1]
    return min(
        pool,
        key=lambda e: (
            *e.order,
            e.subject.runtime.id not in preferred,
            not e.subject.runtime.surveyed_in_full,
            e.weights_bytes,
        ),
        default=None,
    )


def page_order(entry: Entry) -> tuple[int, int, str]:
    """Order the rows of a combo: tier, then the largest first."""
    return (entry.order[0], -entry.weights_bytes, entry.subject.model.id)


def largest_single_model(
    engine: FitEngine, combo: Combo, verdicts: Iterable[Entry]
) -> Assessment | None:
    """Find the model with the most parameters that fits, planned for room instead of replicas."""
    ordered = sorted(verdicts, key=page_order)
    fitting = [e for e in ordered if e.tier is not FitTier.NOT_PRACTICAL]
    comfortable = [e for e in fitting if e.tier is FitTier.COMFORTABLE]
    chosen = max(comfortable or fitting, key=lambda e: parameters_of(engine, e), default=None)
    if chosen is None:
        return None
    return assess(engine, replace(request_of(engine, chosen, combo), goal=Goal.LARGEST_MODEL))


def parameters_of(engine: FitEngine, entry: Entry) -> int:
    """Return the parameters of an entry's model."""
    return engine.prepare(entry.subject).coefficients.parameters


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
        if (found := [e for e in of_model if serves(e, len(combo.nodes)) and is_paged(e) == paged])
    ]
    chosen = max(
        serving,
        key=lambda e: (is_paged(e), e.weights_bytes),
        default=None,
    )
    if chosen is None:
        return None
    return assembled(engine, request_of(engine, chosen, combo), chosen.chosen)


def serves(entry: Entry, nodes: int) -> bool:
    """Tell whether an entry fits comfortably in replicas inside a machine, one each at least."""
    chosen = entry.chosen
    return (
        chosen is not None
        and entry.subject.checkpoint.quantization.production
        and chosen.evaluation.tier is FitTier.COMFORTABLE
        and chosen.copies >= nodes
        and chosen.evaluation.devices.nodes == 1
    )


def batches(runtime: Runtime) -> bool:
    """Tell whether a runtime batches requests over a paged cache."""
    return runtime.memory_model is MemoryModel.PAGED


def is_paged(entry: Entry) -> bool:
    """Tell whether an entry's runtime batches."""
    return batches(entry.subject.runtime)
