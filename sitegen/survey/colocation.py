"""Several models on one combo at once: each on GPUs of its own, with what the machine shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from sitegen.catalog.domain.hardware import Combo, Node
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assess import build_assessment, question_of
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.planner import PlacedPlan, best_plan
from sitegen.fit.runnable_checkpoint import Asks, RunnableCheckpoint
from sitegen.survey.best_for_use import Candidates, reads_along
from sitegen.survey.machines_for_model import ROOM_TOKENS
from sitegen.survey.results import ColocatedModel
from sitegen.survey.verdict_policy import ModelQuestion, flags_of, reference_workload
from sitegen.values import dataclass

RUNNING = (FitTier.COMFORTABLE, FitTier.BORDERLINE)
MOST_MODELS = 8
"""As many models as anybody names at once; the search grows with them."""
SMALLER = 2
"""How many times smaller the second model of an example is."""


@dataclass(frozen=True, slots=True)
class _GpuRange:
    """Neighbouring GPUs of a node, and the RAM that is left there."""

    node: int
    start: int
    stop: int
    ram_bytes: int | None

    @property
    def ranks(self) -> frozenset[tuple[int, int]]:
        return frozenset((self.node, gpu) for gpu in range(self.start, self.stop))


Taken = frozenset[tuple[int, int]]


def colocate(
    engine: FitEngine, combo: Combo, wanted: Sequence[Sequence[FitRequest]]
) -> tuple[ColocatedModel, ...]:
    """Find GPUs for every model at once; empty where they do not fit together.

    Each model takes the fewest neighbouring GPUs of one machine on which it fits comfortably. Where
    not all of them can, some are content with a borderline plan. The largest one chooses first.

    Args:
        engine: With answers remembered between calls.
        combo: All of the hardware.
        wanted: For every model the questions that may be asked about it (runtimes, checkpoints),
            the best first; their combo is not read.

    Returns:
        One share for each model, in the order given: disjoint GPUs, and system RAM that adds up
        to no more than there is.
    """
    places = [_FreeRanges(engine, combo, tuple(questions)) for questions in wanted]
    order = sorted(range(len(wanted)), key=lambda at: -places[at].least_weights_bytes)
    for tiers in (RUNNING[:1], RUNNING):
        found = _placed(combo, [places[at] for at in order], tiers, frozenset(), {})
        if found is not None:
            at_place = dict(zip(order, found, strict=True))
            return tuple(at_place[at] for at in range(len(wanted)))
    return ()


def fewest_gpus(engine: FitEngine, combo: Combo, questions: Sequence[FitRequest]) -> int:
    """Count the GPUs that a model needs when it is alone; 0 where no machine runs it."""
    places = _FreeRanges(engine, combo, tuple(questions))
    shares = places.shares(frozenset(), {}, RUNNING)
    return min((len(share.ranks) for share in shares), default=0)


def example(
    engine: FitEngine,
    combo: Combo,
    comfortable: Sequence[Assessment],
    runtimes: Sequence[str],
) -> tuple[ColocatedModel, ...]:
    """Choose two models to show: the best rated that leaves GPUs free, and a smaller one beside it.

    The second is the best rated with at most half the parameters of the first: one for hard
    questions and one for quick answers. Both may lead an answer. Each is comfortable under the
    first runtime that has room for it, on the fewest GPUs, in the file that loses least there.
    ``comfortable`` are the picks on the whole combo; empty where nothing goes beside anything.
    """
    if len(combo.gpus) < 2:
        return ()
    rated = Candidates.of(engine, comfortable).rated_in_general()
    models = [
        files
        for one in rated
        for runtime in runtimes
        if (files := _files(engine, one.assessment.model, runtime))
    ]
    first = _first(engine, combo, models, frozenset(), {})
    if first is None:
        return ()
    at, share = first
    ram = {share.ranks[0][0]: share.host_bytes}
    most = models[at][0].reduced.parameters / SMALLER
    smaller = [files for files in models if files[0].reduced.parameters <= most]
    second = _first(engine, combo, smaller, frozenset(share.ranks), ram)
    return (share, second[1]) if second else ()


def _files(engine: FitEngine, model: LanguageModel, runtime: str) -> tuple[RunnableCheckpoint, ...]:
    """List the published production files that a runtime loads: less loss first, then smaller."""

    def order(one: RunnableCheckpoint) -> tuple[int, int]:
        return engine.losses.quality_class(model, one.subject.checkpoint), one.weights_bytes

    loaded = (
        one
        for one in engine.loaded_by(model, runtime)
        if one.subject.checkpoint.quantization.production and one.subject.checkpoint.is_published
    )
    return tuple(sorted(loaded, key=order))


def _first(
    engine: FitEngine,
    combo: Combo,
    models: Sequence[Sequence[RunnableCheckpoint]],
    taken: Taken,
    ram: Mapping[int, int],
) -> tuple[int, ColocatedModel] | None:
    """Find the first of some models that runs well on free GPUs and leaves one more free."""
    room = len(combo.gpus) - len(taken) - (0 if taken else 1)
    for at, files in enumerate(models):
        questions = tuple(asked for one in files for asked in _requests(engine, one, combo))
        judged: dict[object, PlacedPlan | None] = {}
        for start in range(len(questions)):  # the next file where one is slow
            asked = _FreeRanges(engine, combo, questions[start:], judged)
            for share in asked.shares(taken, ram, RUNNING[:1]):
                if len(share.ranks) <= room and reads_along(engine, share.assessment):
                    return at, share
    return None


def _requests(
    engine: FitEngine, runnable: RunnableCheckpoint, combo: Combo
) -> Iterator[FitRequest]:
    """Ask about a file without flags, and then with those that a pick may need."""
    asked = runnable.subject
    tokens = min(ROOM_TOKENS, asked.model.context_tokens)
    workload = replace(reference_workload(engine, asked.model), context_tokens=tokens)
    question = ModelQuestion(asked.model, combo, Asks(()), PlanGoal.LARGEST_MODEL)
    for settings in flags_of(question, asked):
        yield replace(question.request(asked, workload), settings=settings)


def _placed(
    combo: Combo,
    places: Sequence[_FreeRanges],
    tiers: tuple[FitTier, ...],
    taken: Taken,
    ram: Mapping[int, int],
) -> tuple[ColocatedModel, ...] | None:
    """Place the first model and then the rest; step back where the rest does not fit."""
    if not places:
        return ()
    if len(combo.gpus) - len(taken) < len(places):
        return None
    for share in places[0].shares(taken, ram, tiers):
        node = share.ranks[0][0]
        used = {**ram, node: ram.get(node, 0) + share.host_bytes}
        rest = _placed(combo, places[1:], tiers, taken | frozenset(share.ranks), used)
        if rest is not None:
            return (share, *rest)
    return None


@dataclass(frozen=True)
class _FreeRanges:
    """Runs of free GPUs that could hold one model, each kind of run judged once."""

    engine: FitEngine
    combo: Combo
    questions: tuple[FitRequest, ...]
    judged: dict[object, PlacedPlan | None] = field(default_factory=dict)

    @property
    def least_weights_bytes(self) -> int:
        """Weights of the smallest checkpoint in question."""
        return min(question_of(self.engine, q).runnable.weights_bytes for q in self.questions)

    def shares(
        self, taken: Taken, ram: Mapping[int, int], tiers: tuple[FitTier, ...]
    ) -> Iterator[ColocatedModel]:
        """Yield shares, better tiers first and then fewer GPUs: one for each place to begin."""
        for tier in tiers:
            for starts in _starts(self.combo, taken, ram):
                found = (self._share(run, tier) for run in starts)
                share = next((one for one in found if one is not None), None)
                if share is not None:
                    yield share

    def _share(self, run: _GpuRange, tier: FitTier) -> ColocatedModel | None:
        part = _part(self.combo, run)
        for question in self.questions:
            asked = replace(question, combo=part, goal=PlanGoal.LARGEST_MODEL)
            chosen = self._best(asked, run)
            if chosen is not None and chosen.evaluation.tier is tier:
                one = PlacedPlan(chosen.evaluation, 1)
                return _share_of(build_assessment(self.engine, asked, one), chosen, self.combo, run)
        return None

    def _best(self, asked: FitRequest, run: _GpuRange) -> PlacedPlan | None:
        """Judge a question once for GPUs of a kind, whichever of the combo they are."""
        (node,) = asked.combo.nodes
        shape = tuple((installed.gpu.id, installed.visible_bytes) for installed in node.gpus)
        link = node.link.id if node.link else ""
        system = (node.operating_system, node.display_attached)
        ram = (run.ram_bytes, node.ram_bandwidth_bytes_per_s)
        key = (asked.checkpoint.id, asked.runtime.id, asked.settings, shape, link, system, ram)
        if key not in self.judged:
            question = question_of(self.engine, asked)
            room = sum(installed.visible_bytes for installed in node.gpus) + (run.ram_bytes or 0)
            small = question.runnable.weights_bytes > room
            self.judged[key] = None if small else best_plan(question)
        return self.judged[key]


def _share_of(
    assessment: Assessment, chosen: PlacedPlan, combo: Combo, run: _GpuRange
) -> ColocatedModel:
    """Move an assessment from a part of a combo to the GPUs that the part stands for."""
    plan = chosen.evaluation.replica.plan(chosen.replicas)
    ranks = tuple((run.node, run.start + gpu) for _, gpu in plan.ranks)
    ledger = tuple(one.at(run.node, run.start + one.gpu) for one in assessment.ledger)
    replica, asked = chosen.evaluation.replica, assessment.workload
    offloads = plan.cpu_layers or plan.cpu_expert_layers
    held = replica.host_bytes(asked.context_tokens, asked.sequences) if offloads else 0
    moved = replace(assessment, combo=combo, plan=replace(plan, ranks=ranks), ledger=ledger)
    return ColocatedModel(moved, held)


def _part(combo: Combo, run: _GpuRange) -> Combo:
    """Cut some GPUs out of a machine; the desktop stays on the first GPU of the whole."""
    node = combo.nodes[run.node]
    kept = node.gpus[run.start : run.stop]
    part = replace(
        node,
        gpus=kept,
        link=node.link if len(kept) > 1 else None,
        ram_bytes=run.ram_bytes,
        display_attached=node.display_attached and run.start == 0,
    )
    name = f"{combo.id}--gpus-{run.node}-{run.start}-{run.stop}"
    return replace(combo, id=name, nodes=(part,), network=None)


def _starts(combo: Combo, taken: Taken, ram: Mapping[int, int]) -> Iterator[tuple[_GpuRange, ...]]:
    """Yield, for every place to begin, runs of free GPUs of one machine, the shortest first.

    Of machines and neighbours that are equal only the first is a place to begin.
    """
    seen: set[object] = set()
    for at, node in enumerate(combo.nodes):
        used = tuple((at, gpu) in taken for gpu in range(len(node.gpus)))
        left = None if node.ram_bytes is None else max(0, node.ram_bytes - ram.get(at, 0))
        kind = (replace(node, name=""), used, left)
        if kind in seen:
            continue
        seen.add(kind)
        for start in range(len(node.gpus)):
            after = start and not used[start - 1] and _alike(node, start - 1, start)
            if not used[start] and not after:
                yield tuple(_GpuRange(at, start, stop, left) for stop in _stops(node, used, start))


def _alike(node: Node, one: int, other: int) -> bool:
    first, second = node.gpus[one], node.gpus[other]
    return (first.gpu.id, first.visible_bytes) == (second.gpu.id, second.visible_bytes)


def _stops(node: Node, used: Sequence[bool], start: int) -> list[int]:
    """End a run after a power of two of GPUs, with its kind, or where the free ones end."""
    free = next((at for at in range(start, len(used)) if used[at]), len(used))
    alike = next((at for at in range(start, free) if not _alike(node, start, at)), free)
    sizes = (start + 2**power for power in range(free.bit_length()))
    return sorted({stop for stop in sizes if stop <= free} | {alike, free})
