"""What still runs after a loss: the engine's verdicts on the combo that is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.engine.answers import (
    GOAL,
    Entry,
    aggregate_serving,
    batches,
    largest_single_model,
    reference_workload,
    request_of,
    serves,
    verdict_entry,
)
from sitegen.engine.assess import assembled, assess
from sitegen.engine.assessment import DEFAULTS, Assessment, FitTier, Goal
from sitegen.engine.findings import Drop, Loss, LossKind, Remains
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.losses import Reduced, reduced_combos
from sitegen.engine.planner import RANK, Question, best_plan
from sitegen.engine.prepared import Prepared
from sitegen.values import dataclass


def losses(
    engine: FitEngine,
    combo: Combo,
    before: Sequence[Entry],
    *,
    largest: Assessment | None,
    serving: Assessment | None,
    preferred: tuple[str, ...],
) -> tuple[Loss, ...]:
    """Judge every kind of loss: GPUs first, then nodes, of each kind the worst first.

    What was not practical on the whole combo is not judged again, and nothing is called better off
    than before: whoever has more GPUs may leave one idle. ``before`` are the verdicts on the whole
    combo, ``largest`` and ``serving`` its two answers, ``preferred`` the runtimes that its
    orchestrator drives.
    """
    served = serving.model.id if serving else ""
    found = [
        _loss(_Left(engine, one.combo, preferred, served), one, before, largest, serving)
        for one in reduced_combos(combo)
    ]
    return (*_worst_first(found, LossKind.GPU), *_worst_first(found, LossKind.NODE))


def _worst_first(found: Iterable[Loss], kind: LossKind) -> Iterator[Loss]:
    """Order by models left that fit comfortably, by those that run at all, then by speed."""
    ordered = sorted(
        (loss for loss in found if loss.kind is kind),
        key=lambda loss: (
            loss.counts[FitTier.COMFORTABLE],
            -loss.counts[FitTier.NOT_PRACTICAL],
            _served_tokens_per_s(loss),
            loss.node,
            loss.gpu_ids,
        ),
    )
    for place, loss in enumerate(ordered):
        yield replace(loss, worst=place == 0)


def _served_tokens_per_s(loss: Loss) -> float:
    best = loss.serving.best
    return best.speed.aggregate_tokens_per_s.mid if best and best.speed else 0.0


@dataclass(frozen=True, slots=True)
class _Left:
    """The engine on what a loss leaves, or on any combo that is not surveyed."""

    engine: FitEngine
    combo: Combo
    preferred: tuple[str, ...]
    serving: str
    """Model that serves on the whole combo: its larger checkpoints are judged until one serves."""

    def entries(self, model: LanguageModel) -> tuple[Entry, ...]:
        """Judge what may carry a verdict or serve: by runtime, the smallest checkpoint first.

        Larger ones of another kind follow where rules refuse it. Without a production checkpoint
        the largest is judged.
        """
        by_runtime = self.engine.smallest_production(model)
        if not by_runtime:
            largest = sorted(self.engine.loadable(model), key=lambda p: -p.weights_bytes)[:1]
            return tuple(self._judged(prepared) for prepared in largest)
        return tuple(self._of_runtimes(by_runtime))

    def _of_runtimes(self, by_runtime: Sequence[Sequence[Prepared]]) -> Iterator[Entry]:
        """Judge by runtime; those not surveyed in full only where a verdict may need them.

        The survey of the whole combo judges the same (see ``survey``).
        """
        batching = comfortable = False
        for found in by_runtime:
            runtime = found[0].subject.runtime
            if not runtime.surveyed_in_full and (
                batching or (comfortable and not batches(runtime))
            ):
                continue
            for entry in self._until_one_serves(found):
                if entry.tier is FitTier.COMFORTABLE:
                    comfortable = True
                    batching = batching or batches(runtime)
                yield entry

    def _until_one_serves(self, found: Sequence[Prepared]) -> Iterator[Entry]:
        nodes = len(self.combo.nodes)
        for prepared in found:
            entry = self._judged(prepared)
            yield entry
            judged_enough = entry.chosen is not None and entry.subject.model.id != self.serving
            if judged_enough or serves(entry, nodes):
                return

    def _judged(self, prepared: Prepared) -> Entry:
        sets = self.engine.sets(self.combo)
        workload = reference_workload(self.engine, prepared.subject.model)
        chosen = best_plan(Question(prepared, sets, workload, DEFAULTS, GOAL))
        return Entry(prepared.subject, chosen, prepared.weights_bytes)

    def largest(self, entry: Entry) -> Assessment:
        """Assess an entry's checkpoint planned for room instead of replicas."""
        question = request_of(self.engine, entry, self.combo)
        return assess(self.engine, replace(question, goal=Goal.LARGEST_MODEL))

    def served(self, entry: Entry) -> Assessment:
        """Assess an entry's checkpoint as planned, in as many replicas as there are."""
        question = request_of(self.engine, entry, self.combo)
        return assembled(self.engine, question, entry.chosen)


def verdict_on(engine: FitEngine, combo: Combo, model: LanguageModel) -> Entry | None:
    """Judge one model on a combo that is not surveyed; the verdict is what a survey would say."""
    return verdict_entry(_Left(engine, combo, (), "").entries(model), ())


def _loss(
    left: _Left,
    one: Reduced,
    before: Sequence[Entry],
    largest: Assessment | None,
    serving: Assessment | None,
) -> Loss:
    running = {e.subject.model.id for e in before if e.tier is not FitTier.NOT_PRACTICAL}
    models = left.engine.catalog.models
    judged = {id_: left.entries(models[id_]) for id_ in models if id_ in running}
    verdicts = {id_: verdict_entry(found, left.preferred) for id_, found in judged.items()}
    after = {id_: found for id_, found in verdicts.items() if found is not None}
    tiers = {e.subject.model.id: _tier_after(e, after) for e in before}
    same_largest = after.get(largest.model.id) if largest else None
    engine = left.engine
    return Loss(
        kind=one.kind,
        node=one.node,
        gpu_ids=one.gpu_ids,
        alike=one.alike,
        counts={tier: sum(found is tier for found in tiers.values()) for tier in FitTier},
        drops=tuple(_drops(before, tiers)),
        largest=Remains(
            left.largest(same_largest) if same_largest else None,
            largest_single_model(engine, one.combo, after.values()),
        ),
        serving=Remains(
            _same_serving(left, serving, judged, after),
            aggregate_serving(engine, one.combo, judged.values()),
        ),
    )


def _same_serving(
    left: _Left,
    before: Assessment | None,
    judged: Mapping[str, tuple[Entry, ...]],
    after: Mapping[str, Entry],
) -> Assessment | None:
    """Assess the model that served: as it serves now, else as its verdict says it runs."""
    if before is None or before.model.id not in after:
        return None
    id_ = before.model.id
    serving = aggregate_serving(left.engine, left.combo, [judged[id_]])
    return serving or left.served(after[id_])


def _tier_after(entry: Entry, after: Mapping[str, Entry]) -> FitTier:
    """Return the tier on what is left, never a better one than on the whole combo."""
    found = after.get(entry.subject.model.id)
    left = found.tier if found else FitTier.NOT_PRACTICAL
    return max(left, entry.tier, key=RANK.__getitem__)


def _drops(before: Sequence[Entry], tiers: Mapping[str, FitTier]) -> Iterator[Drop]:
    for entry in before:
        now = tiers[entry.subject.model.id]
        if RANK[now] > RANK[entry.tier]:
            yield Drop(entry.subject.model, entry.tier, now)
