"""The one policy: which tier a model reaches on a combo, and what an expert would run there.

The *verdict* says whether a model can run; the *pick* says which checkpoint, runtime and plan to
start. Survey, losses, counts of GPUs, the command line, the linter and composed builds all ask
here (decision 44).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sitegen.catalog.domain.hardware import Combo, Vendor
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, MemoryModel, Runtime
from sitegen.engine.assess import assembled
from sitegen.engine.assessment import DEFAULTS, Assessment, FitTier, Goal, Settings, Workload
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.planner import RANK, Candidate, Question, best_plan, comfortable_plans
from sitegen.engine.prepared import Prepared, Subject
from sitegen.engine.request import FitRequest
from sitegen.values import dataclass

VERDICT_GOAL = Goal.THROUGHPUT
"""The goal of the plans that carry verdicts: as many replicas as are comfortable."""
FULL_BATCH = 64
"""Streams at most when aggregate speed is compared; few engines gain beyond."""


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


@dataclass(frozen=True, slots=True)
class Ask:
    """A checkpoint under a runtime, with the workload in that runtime's words."""

    prepared: Prepared
    workload: Workload

    @property
    def subject(self) -> Subject:
        """What is asked about, hardware apart."""
        return self.prepared.subject


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """A model on a combo: every checkpoint and runtime that may answer, and what for.

    Attributes:
        model: The model.
        combo: The hardware.
        asks: The checkpoints under runtimes that may answer; what the reader named, or all.
        goal: What the plan is chosen for.
        preferred: Runtimes that the combo's orchestrator drives; empty without one.
        settings: The operator's choices.
        named: The reader named the runtime, so none is kept for last.
    """

    model: LanguageModel
    combo: Combo
    asks: tuple[Ask, ...]
    goal: Goal
    preferred: tuple[str, ...] = ()
    settings: Settings = DEFAULTS
    named: bool = False

    @property
    def counted(self) -> tuple[Ask, ...]:
        """Those that may carry a verdict: production checkpoints, or all where there is none."""
        found = tuple(a for a in self.asks if a.subject.checkpoint.quantization.production)
        return found or self.asks

    def request(self, subject: Subject, workload: Workload) -> FitRequest:
        """Return the question about one checkpoint under one runtime."""
        return FitRequest(
            subject.model,
            subject.checkpoint,
            self.combo,
            subject.runtime,
            subject.profile,
            workload,
            settings=self.settings,
            goal=self.goal,
        )


@dataclass(frozen=True, slots=True)
class Pick:
    """What to run: an entry whose plan was chosen for the question's goal, and its workload.

    ``plans`` are all comfortable plans of this checkpoint under this runtime; empty where the
    pick is not comfortable.
    """

    entry: Entry
    ask: Ask
    plans: tuple[Candidate, ...] = ()


def reference_workload(engine: FitEngine, model: LanguageModel) -> Workload:
    """Return the workload of every verdict: the reference context, or the model's where shorter."""
    reference = int(engine.assumptions["reference-context-tokens"].value.mid)
    return _alone(min(reference, model.context_tokens))


@lru_cache(maxsize=64)
def _alone(context_tokens: int) -> Workload:
    """Make it once: what was judged of it is found sooner by one object."""
    return Workload(context_tokens, 1, "f16")


def reference_question(
    engine: FitEngine,
    combo: Combo,
    model: LanguageModel,
    goal: Goal | None = None,
    runtime: str = "",
) -> ModelQuestion:
    """Return the question of a combo's page: every checkpoint, at the reference workload.

    With ``runtime``, the id of an assessed runtime, it is about that one alone.
    """
    workload = reference_workload(engine, model)
    preferred = driven_by(engine, combo)
    loaded = engine.loaded_by(model, runtime) if runtime else engine.loadable(model)
    return ModelQuestion(
        model,
        combo,
        tuple(Ask(prepared, workload) for prepared in loaded),
        goal or usual_goal(combo, preferred),
        preferred,
        named=runtime != "",
    )


def answered(
    engine: FitEngine, question: ModelQuestion, *, cured: bool = True
) -> Assessment | None:
    """Assess the pick of a model; ``None`` where no runtime in question loads it."""
    verdict = verdict_of(engine, question)
    if verdict is None:
        return None
    return assessed(engine, question, pick_of(engine, question, verdict), cured=cured)


def assessed(
    engine: FitEngine, question: ModelQuestion, pick: Pick, *, cured: bool = True
) -> Assessment:
    """Turn a pick into its full record."""
    request = question.request(pick.entry.subject, pick.ask.workload)
    chosen = pick.entry.chosen
    return assembled(engine, request, chosen, cured=cured, plans_beside=pick.plans)


def driven_by(engine: FitEngine, combo: Combo) -> tuple[str, ...]:
    """Return the runtimes that a combo's orchestrator runs; empty without one."""
    found = engine.catalog.runtimes.get(combo.orchestrator)
    return found.drives if found else ()


def is_datacenter(combo: Combo) -> bool:
    """Whether all GPUs of a combo are made for servers."""
    return all(one.gpu.segment == "datacenter" for one in combo.gpus)


def usual_goal(combo: Combo, preferred: Sequence[str] = ()) -> Goal:
    """Return what a combo is bought for: many users on servers, one fast stream elsewhere."""
    return Goal.THROUGHPUT if preferred or is_datacenter(combo) else Goal.LATENCY


def batches(runtime: Runtime) -> bool:
    """Tell whether a runtime batches requests over a paged cache."""
    return runtime.memory_model is MemoryModel.PAGED


def is_published(checkpoint: Checkpoint) -> bool:
    """Whether somebody can download a checkpoint: a named repository, or the release itself."""
    return checkpoint.native or checkpoint.repository != ""


def judged(engine: FitEngine, question: ModelQuestion, ask: Ask) -> Entry:
    """Choose the plan that carries the verdict of a checkpoint under a runtime.

    No plan is looked for of weights that are larger than all GPUs.
    """
    prepared, sets = ask.prepared, engine.sets(question.combo)
    if prepared.beyond(sets, question.settings):
        return Entry(ask.subject, None, prepared.weights_bytes, beyond=True)
    asked = Question(prepared, sets, ask.workload, question.settings, VERDICT_GOAL)
    return Entry(ask.subject, best_plan(asked), prepared.weights_bytes)


def verdict_steps(engine: FitEngine, question: ModelQuestion) -> Iterator[Entry]:
    """Yield judged entries until the verdict is known, the last of them after all others.

    The verdict is the best tier that a production checkpoint reaches, carried by the smallest that
    reaches it. Judging stops at the first comfortable one, since none can be better. A runtime
    that is not surveyed in full is asked only where no other gives a comfortable verdict. Without
    production checkpoints, the largest of the rest that is comfortable carries it, or the largest.
    """
    for ask in in_turn(question):
        entry = judged(engine, question, ask)
        yield entry
        if entry.tier is FitTier.COMFORTABLE:
            return


def in_turn(question: ModelQuestion) -> list[Ask]:
    """Order what may carry the verdict: where several reach the same tier, the first does."""
    return sorted(question.counted, key=lambda a: _carrier(question, a))


def _carrier(question: ModelQuestion, ask: Ask) -> tuple[bool, bool, int, str, str]:
    """Order subjects by which carries the verdict where several reach the same tier.

    Runtimes that are surveyed in full come first, of those the ones that the combo's orchestrator
    drives, then the smaller checkpoint; of files under 4 bits the larger one.
    """
    subject, size = ask.subject, ask.prepared.weights_bytes
    last = not subject.runtime.surveyed_in_full and not question.named
    production = subject.checkpoint.quantization.production
    return (
        last,
        subject.runtime.id not in question.preferred,
        size if production else -size,
        subject.checkpoint.id,
        subject.runtime.id,
    )


def best_verdict(question: ModelQuestion, entries: Sequence[Entry]) -> Entry | None:
    """Return the entry that carries the verdict; ``None`` where no runtime loads the model."""
    found = {entry.subject.key: entry for entry in entries}
    judged_asks = [ask for ask in question.counted if ask.subject.key in found]
    best = min(
        judged_asks,
        key=lambda a: (*found[a.subject.key].order, *_carrier(question, a)),
        default=None,
    )
    return None if best is None else found[best.subject.key]


def verdict_of(engine: FitEngine, question: ModelQuestion) -> Entry | None:
    """Judge a model; ``None`` where no runtime loads it.

    What is larger than all GPUs gets the least bad plan there is, which says how much is missing.
    """
    return planned(engine, question, best_verdict(question, tuple(verdict_steps(engine, question))))


def planned(engine: FitEngine, question: ModelQuestion, verdict: Entry | None) -> Entry | None:
    """Find the least bad plan of a verdict on weights that are larger than all GPUs."""
    if verdict is None or not verdict.beyond:
        return verdict
    ask = _ask_of(question, verdict)
    sets = engine.sets(question.combo)
    chosen = best_plan(Question(ask.prepared, sets, ask.workload, question.settings, VERDICT_GOAL))
    return Entry(verdict.subject, chosen, verdict.weights_bytes)


def _ask_of(question: ModelQuestion, entry: Entry) -> Ask:
    found = [ask for ask in question.asks if ask.subject.key == entry.subject.key]
    return found[0]


def pick_of(engine: FitEngine, question: ModelQuestion, verdict: Entry) -> Pick:
    """Choose what an expert would start: checkpoint, runtime and plan.

    Where something is comfortable, the first group of ``_groups`` with a comfortable plan answers,
    by the question's goal. Where nothing is, the pick carries the verdict's tier: a published
    checkpoint before others, then the smallest.
    """
    if verdict.tier is FitTier.COMFORTABLE:
        for group in _groups(engine, question):
            found = [plan for ask in group for plan in _comfortable(engine, question, ask)]
            if found:
                return _picked(found, _best(engine, question, found))
    return _least_bad(engine, question, verdict)


def by_choice(engine: FitEngine, question: ModelQuestion) -> list[Ask]:
    """Order the candidates as the pick is chosen, before any plan is looked at."""
    return [ask for group in _groups(engine, question) for ask in group]


@dataclass(frozen=True, slots=True)
class _Plan:
    """A comfortable plan of a checkpoint under a runtime."""

    ask: Ask
    candidate: Candidate

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return len(self.candidate.evaluation.devices.ranks)


def _picked(found: Sequence[_Plan], best: _Plan) -> Pick:
    ask = best.ask
    entry = Entry(ask.subject, best.candidate, ask.prepared.weights_bytes)
    return Pick(entry, ask, tuple(one.candidate for one in found if one.ask is ask))


def _groups(engine: FitEngine, question: ModelQuestion) -> list[list[Ask]]:
    """Group the candidates whose order is clear before any plan is looked at, the best first.

    Runtimes of the class that operators use there come first, then published checkpoints, then
    less expected loss, as far as the evidence can tell losses apart. SGLang and its like, whose
    verdicts repeat those of a runtime that is surveyed in full, are asked only where that one has
    no comfortable plan.
    """
    groups: dict[tuple[int, int, int, int], list[Ask]] = {}
    for ask in question.counted:
        subject = ask.subject
        key = (
            _standing(question, subject.runtime),
            0 if is_published(subject.checkpoint) else 1,
            engine.losses.quality_class(subject.model, subject.checkpoint),
            _turn(question, subject.runtime),
        )
        groups.setdefault(key, []).append(ask)
    return [groups[key] for key in sorted(groups)]


def _standing(question: ModelQuestion, runtime: Runtime) -> int:
    """Return 0 for runtimes that operators use on such a machine, 1 for others that run."""
    if question.preferred:
        return 0 if runtime.id in question.preferred else 1
    if is_datacenter(question.combo) or question.goal is Goal.THROUGHPUT:
        return 0 if batches(runtime) else 1
    return 0


def _turn(question: ModelQuestion, runtime: Runtime) -> int:
    """Return when a runtime is asked among those of one class and quality.

    A runtime made for one vendor's GPUs alone is what its owners use; a runtime that is not
    surveyed in full and batches repeats what another one says.
    """
    if question.named or runtime.vendors == (Vendor.APPLE,):
        return 0
    return 2 if batches(runtime) and not runtime.surveyed_in_full else 1


def _comfortable(engine: FitEngine, question: ModelQuestion, ask: Ask) -> list[_Plan]:
    sets = engine.sets(question.combo)
    asked = Question(ask.prepared, sets, ask.workload, question.settings, question.goal)
    return [_Plan(ask, candidate) for candidate in comfortable_plans(asked)]


def _best(engine: FitEngine, question: ModelQuestion, found: Sequence[_Plan]) -> _Plan:
    """Choose by the goal; of plans that give about as much, the simplest and best known.

    Many users are served inside a machine where a replica fits there.
    """
    if question.goal is Goal.THROUGHPUT:
        inside = [one for one in found if one.candidate.evaluation.devices.nodes == 1]
        found = inside or found
    amounts = [_amount(engine, question.goal, one) for one in found]
    tie = engine.assumptions["pick-tie-share"].value.mid
    enough = max(amounts) * (1 - tie)
    near = [one for one, amount in zip(found, amounts, strict=True) if amount >= enough]
    return min(near, key=lambda one: _cost(engine, one))


def _cost(engine: FitEngine, one: _Plan) -> tuple[int, float, bool, int, int, str, bool, str]:
    """Order what gives as much: fewer GPUs, less expected loss, the better known file."""
    subject = one.ask.subject
    pipeline = one.candidate.evaluation.split[1]
    return (
        one.gpus,
        engine.losses.of(subject.model, subject.checkpoint).mid,
        not subject.runtime.surveyed_in_full,
        pipeline,
        -(subject.checkpoint.downloads or 0),
        subject.checkpoint.id,
        subject.runtime.capabilities.multi_node,
        subject.runtime.id,
    )


def _amount(engine: FitEngine, goal: Goal, one: _Plan) -> float:
    """Return what a plan gives of the goal: tokens/s of one stream or of all, or tokens."""
    found = one.candidate.evaluation
    if goal is Goal.LATENCY:
        return found.single_tokens_per_s.mid
    if goal is Goal.LARGEST_MODEL:
        longest = one.ask.subject.model.context_tokens
        return float(found.replica.limits(longest, ()).max_context_tokens)
    return aggregate_tokens_per_s(engine, one.ask.workload, one.candidate)


def aggregate_tokens_per_s(engine: FitEngine, workload: Workload, candidate: Candidate) -> float:
    """Return the middle estimate of all streams' speed, every replica full at the workload."""
    found = candidate.evaluation
    if found.path is None:
        return 0.0
    tokens = workload.context_tokens
    held = engine.held(found, tokens)
    return engine.judge.speed.aggregate(
        found.path,
        found.devices,
        context=tokens // 2,
        batch=max(1, min(FULL_BATCH, held)),
        copies=candidate.copies,
    ).mid


def _least_bad(engine: FitEngine, question: ModelQuestion, verdict: Entry) -> Pick:
    """Return what reaches the verdict's tier where nothing is comfortable."""
    ask = _ask_of(question, verdict)
    if verdict.tier is not FitTier.BORDERLINE:
        return Pick(verdict, ask)
    for other in in_turn(question):
        alike = other.subject.runtime.id == verdict.subject.runtime.id
        if alike and is_published(other.subject.checkpoint):
            entry = planned_for(engine, question, other)
            if entry.tier is FitTier.BORDERLINE:
                return Pick(entry, other)
    return Pick(planned_for(engine, question, ask), ask)


def planned_for(engine: FitEngine, question: ModelQuestion, ask: Ask) -> Entry:
    """Choose the plan of a checkpoint under a runtime for the question's own goal."""
    sets = engine.sets(question.combo)
    asked = Question(ask.prepared, sets, ask.workload, question.settings, question.goal)
    return Entry(ask.subject, best_plan(asked), ask.prepared.weights_bytes)
