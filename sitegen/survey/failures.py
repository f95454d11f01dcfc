"""Verdicts after a failure: the remaining combos, and the engine's verdicts on them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo, Node
from sitegen.fit.assess import SHOWN_CONTEXTS
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import RANK
from sitegen.survey.answers import AnswerAfterFailure, Failure, FailureKind, TierDrop
from sitegen.survey.best_for_goal import ComboAnswers, for_many, largest_model, most_users
from sitegen.survey.best_for_use import (
    Candidates,
    RatedPick,
    better_of,
    highest_rated_first,
    may_be_good,
)
from sitegen.survey.reading_users import with_reading_users
from sitegen.survey.results import ModelOnCombo
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    PlannedCheckpoint,
    assessed,
    pick_of,
    reference_question,
    verdict_of,
)
from sitegen.values import dataclass


def losses(
    engine: FitEngine, combo: Combo, before: Sequence[ModelOnCombo], answers: ComboAnswers
) -> tuple[Failure, ...]:
    """Judge every kind of loss: GPUs first, then nodes, of each kind the worst first.

    What was not practical on the whole combo is not judged again, and nothing is called better off
    than before: whoever has more GPUs may leave one idle. ``before`` are the rows of the whole
    combo, ``answers`` its answers.
    """
    found = [_loss(_Left(engine, one.combo), one, before, answers) for one in reduced_combos(combo)]
    return (*_worst_first(found, FailureKind.GPU), *_worst_first(found, FailureKind.NODE))


def _worst_first(failures: Iterable[Failure], kind: FailureKind) -> Iterator[Failure]:
    """Order by models left that fit comfortably, by those that run at all, then by speed."""
    ordered = sorted(
        (loss for loss in failures if loss.kind is kind),
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


def _served_tokens_per_s(loss: Failure) -> float:
    best = loss.serving.best
    return best.speed.aggregate_tokens_per_s.mid if best and best.speed else 0.0


MOST_PICKED = 10
"""Models, the best rated first, that are picked anew after a loss."""


@dataclass(frozen=True, slots=True)
class _Left:
    """The engine for a combo after a loss."""

    engine: FitEngine
    combo: Combo

    def verdicts(
        self, rows: Iterable[ModelOnCombo]
    ) -> dict[str, tuple[ModelQuestion, PlannedCheckpoint]]:
        """Judge again what runs on the whole combo, by model id."""
        found: dict[str, tuple[ModelQuestion, PlannedCheckpoint]] = {}
        for row in rows:
            if row.tier is not FitTier.NOT_PRACTICAL:
                asked = reference_question(self.engine, self.combo, row.model)
                question = replace(asked, read_along=True)
                verdict = verdict_of(self.engine, question)
                if verdict is not None:
                    found[row.model.id] = (question, verdict)
        return found

    def pick(self, question: ModelQuestion, verdict: PlannedCheckpoint) -> Assessment:
        """Assess what to run of a model."""
        pick = pick_of(self.engine, question, verdict)
        return assessed(self.engine, question, pick, cured=False)

    def serving(self, pick: Assessment | None) -> Assessment | None:
        """Pick the model of an answer for many users, as that answer was picked."""
        found = None if pick is None else for_many(self.engine, self.combo, pick)
        return None if found is None else with_reading_users(self.engine, found, SHOWN_CONTEXTS[0])

    def picks(
        self, verdicts: Mapping[str, tuple[ModelQuestion, PlannedCheckpoint]], named: Iterable[str]
    ) -> dict[str, Assessment]:
        """Pick the models that may answer: those rated near the best, the largest, some named."""
        engine = self.engine
        running = {id_ for id_, (_, e) in verdicts.items() if e.tier is not FitTier.NOT_PRACTICAL}
        comfortable = {id_ for id_ in running if verdicts[id_][1].tier is FitTier.COMFORTABLE}
        wanted = {*named, *_largest_ids(engine, verdicts, comfortable or running)}
        found = {id_: self.pick(*known) for id_, known in verdicts.items() if id_ in wanted}
        best: RatedPick | None = None
        for id_ in highest_rated_first(engine, comfortable)[:MOST_PICKED]:
            question, verdict = verdicts[id_]
            if id_ not in found and may_be_good(engine, question.model, best):
                found[id_] = self.pick(question, verdict)
            if id_ in found:
                best = better_of(best, Candidates.of(engine, (found[id_],)))
        return found


def _largest_ids(
    engine: FitEngine,
    verdicts: Mapping[str, tuple[ModelQuestion, PlannedCheckpoint]],
    ids: Iterable[str],
) -> list[str]:
    """Return the model with the most parameters of some, the newer of equals."""

    def size(id_: str) -> tuple[int, str, str]:
        question, verdict = verdicts[id_]
        weighed = engine.reduced(question.model, verdict.subject.checkpoint)
        return (weighed.parameters, question.model.released, id_)

    return sorted(ids, key=size)[-1:]


def _loss(
    left: _Left, remaining: Reduced, before: Sequence[ModelOnCombo], answers: ComboAnswers
) -> Failure:
    verdicts = left.verdicts(before)
    tiers = {row.model.id: _tier_after(row, verdicts) for row in before}
    answered = (answers.lead, answers.largest, answers.serving)
    picks = left.picks(verdicts, [found.model.id for found in answered if found])
    candidates = Candidates.of(left.engine, tuple(picks.values()))
    lead = candidates.lead()
    serving = most_users(left.engine, left.combo, candidates.compared())
    largest = largest_model(left.engine, picks.values())
    return Failure(
        kind=remaining.kind,
        node=remaining.node,
        gpu_ids=remaining.gpu_ids,
        alike=remaining.alike,
        counts={tier: sum(found is tier for found in tiers.values()) for tier in FitTier},
        drops=tuple(_drops(before, tiers)),
        lead=AnswerAfterFailure(_same(answers.lead, picks), lead or largest),
        largest=AnswerAfterFailure(_same(answers.largest, picks), largest),
        serving=AnswerAfterFailure(left.serving(_same(answers.serving, picks)), serving),
    )


def _same(before: Assessment | None, picks: Mapping[str, Assessment]) -> Assessment | None:
    """Return how the model of an answer runs now; ``None`` where it does not."""
    return picks.get(before.model.id) if before else None


def _tier_after(
    row: ModelOnCombo, after: Mapping[str, tuple[ModelQuestion, PlannedCheckpoint]]
) -> FitTier:
    """Return the tier on the remaining GPUs, never a better one than on the whole combo."""
    found = after.get(row.model.id)
    left = found[1].tier if found else FitTier.NOT_PRACTICAL
    return max(left, row.tier, key=RANK.__getitem__)


def _drops(before: Sequence[ModelOnCombo], tiers: Mapping[str, FitTier]) -> Iterator[TierDrop]:
    for row in before:
        now = tiers[row.model.id]
        if RANK[now] > RANK[row.tier]:
            yield TierDrop(row.model, row.tier, now)


@dataclass(frozen=True, slots=True)
class Reduced:
    """A combo without some GPUs, which are ``gpu_ids`` of ``node``; one of ``alike`` such losses.

    Its id is its own, so that an assessment on it is not taken for one on the whole combo.
    """

    combo: Combo
    kind: FailureKind
    node: int
    gpu_ids: tuple[str, ...]
    alike: int


def reduced_combos(combo: Combo) -> tuple[Reduced, ...]:
    """List the remaining hardware after each kind of loss; empty for a single GPU.

    A node of one GPU is lost with it and counts as a node. The last of equal nodes and GPUs is
    taken, so that what is left consists of the sets of GPUs that the whole combo has too.
    """
    return (*_without_gpu(combo), *_without_node(combo))


def _without_gpu(combo: Combo) -> Iterator[Reduced]:
    for at, alike_nodes in _last_of_each_kind(combo):
        node = combo.nodes[at]
        if len(node.gpus) < 2:
            continue
        positions: dict[Hashable, list[int]] = {}
        for index, gpu in enumerate(node.gpus):
            positions.setdefault((gpu.gpu.id, gpu.visible_bytes), []).append(index)
        for indices in positions.values():
            last = indices[-1]
            kept = (*node.gpus[:last], *node.gpus[last + 1 :])
            smaller = replace(node, gpus=kept, link=node.link if len(kept) > 1 else None)
            nodes = (*combo.nodes[:at], smaller, *combo.nodes[at + 1 :])
            yield Reduced(
                replace(combo, id=f"{combo.id}--without-gpu-{at}-{last}", nodes=nodes),
                FailureKind.GPU,
                at,
                (node.gpus[last].gpu.id,),
                alike_nodes * len(indices),
            )


def _without_node(combo: Combo) -> Iterator[Reduced]:
    if len(combo.nodes) < 2:
        return
    for at, alike in _last_of_each_kind(combo):
        nodes = (*combo.nodes[:at], *combo.nodes[at + 1 :])
        left = replace(
            combo,
            id=f"{combo.id}--without-node-{at}",
            nodes=nodes,
            network=combo.network if len(nodes) > 1 else None,
        )
        lost = tuple(gpu.gpu.id for gpu in combo.nodes[at].gpus)
        yield Reduced(left, FailureKind.NODE, at, lost, alike)


def _last_of_each_kind(combo: Combo) -> Iterator[tuple[int, int]]:
    """Yield the last node of each kind, and how many there are."""
    kinds: dict[Hashable, list[int]] = {}
    for at, node in enumerate(combo.nodes):
        kinds.setdefault(_kind(node), []).append(at)
    for members in kinds.values():
        yield members[-1], len(members)


def _kind(node: Node) -> Hashable:
    return (
        tuple((gpu.gpu.id, gpu.visible_bytes) for gpu in node.gpus),
        node.link.id if node.link else "",
        node.ram_bytes,
        node.ram_bandwidth_bytes_per_s,
        node.operating_system,
        node.display_attached,
    )
