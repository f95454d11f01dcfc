"""The one policy: which tier a model reaches on a combo, and what an expert would run there.

The *verdict* says whether a model can run; the *pick* says which checkpoint, runtime and plan to
start. Survey, losses, counts of GPUs, the command line, the linter and composed builds all ask
here (decision 44).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from sitegen.catalog.domain.hardware import Combo, Vendor
from sitegen.catalog.domain.models import (
    BudgetBase,
    Checkpoint,
    LanguageModel,
    MemoryModel,
    Runtime,
)
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assess import build_assessment
from sitegen.fit.assessment import Assessment, FitRequest, FitTier, PlanGoal
from sitegen.fit.compatibility import hardware_refusal
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.fixes import FEWER, HIGHER_FRACTION
from sitegen.fit.planner import (
    RANK,
    PlacedPlan,
    Question,
    best_of,
    best_plan,
    fits_comfortably,
    practical_plans,
)
from sitegen.fit.runnable_checkpoint import (
    Ask,
    Asks,
    Levels,
    RunnableCheckpoint,
    ServedCheckpoint,
)
from sitegen.physics.gpu_groups import GpuGroup
from sitegen.physics.memory.paged import FAST_LINKS
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.physics.valid_splits import Split, cache_repeats
from sitegen.values import dataclass

VERDICT_GOAL = PlanGoal.THROUGHPUT
"""The goal of the plans that carry verdicts: as many replicas as are comfortable."""
NO_FASTER = 1.15
"""From so many times the weight on a file of the same kind is slower by more than a tie."""
SLOWER = 1.5
"""From so many times the weight on a file of any kind is slower under the same runtime."""
LOSS_STEP = 0.5
"""Rating points: losses of one class that differ by less are the same; ratings are whole points."""
APART = 1.5
"""Times the share of a tie by which estimates of two runtimes differ by luck.

Two errors that have nothing in common differ by the root of two as much as one; rounded up.
"""
MUCH_FASTER = 2.0
"""Times the speed for which an answer gives up ``LITTLE_LOSS`` on unequal GPUs."""
MANY = 16
"""Users from whom on a machine serves many of them."""
MORE_USERS = 1.5
"""Times the users for whom an answer that serves fewer than ``MANY`` gives up ``LITTLE_LOSS``."""
LITTLE_LOSS = 2.0
"""Rating points: less than anybody can tell models apart by."""
FREED = 1.15
"""If the need exceeds the comfortable budget by this factor, no flag frees enough."""
FEWER_SEQUENCES = Settings(max_num_seqs=FEWER)
"""A flag that a pick may need under a paged runtime."""
MORE_MEMORY = Settings(max_num_seqs=FEWER, memory_fraction=HIGHER_FRACTION)
"""The same with a larger share of the GPU, the first answer of vLLM itself to a full cache.

Source:
    vLLM, "Optimization and Tuning", Preemption; read 2026-11-23.
"""
TEXT_ONLY = Settings(max_num_seqs=FEWER, text_only=True)
"""Fewer sequences and no images, for models that see."""
MOST_ROOM = Settings(max_num_seqs=FEWER, memory_fraction=HIGHER_FRACTION, text_only=True)
"""All of these together."""
SMALLER_STEPS = 256
"""Tokens of a prompt in a step, half of llama.cpp's default, which halves its compute buffer.

Source:
    llama.cpp ``tools/server/README.md``: ``--ubatch-size`` is the physical maximum batch size, 512
    by default; read 2026-11-28.
"""
LARGER_STEPS = (4096, 2048)
"""Tokens of a prompt in a step where experts stay in system RAM: each step copies them once.

Source:
    AI Maestro, "Drastically improve prompt processing speed for --n-cpu-moe partially offloaded
    models", 2026-05-12: gpt-oss 120B on an RTX 3090 reads prompts at 380 tokens/s in steps of 512,
    1,113 of 2,048, 1,682 of 4,096 and 2,091 of 8,192, which cost 2 % and 7 % of the speed of
    generation; read 2026-11-28.
"""
RELEASE_FORMAT = "MXFP4_MOE"
"""Type of GGUF files whose experts are as releases have them that were trained in MXFP4.

Source:
    ggml-org/gpt-oss-120b-GGUF: 108 tensors of MXFP4, 146 of Q8_0; files that are called Q8_0 have
    the same; read 2026-11-28.
"""


@dataclass(frozen=True, slots=True)
class PlannedCheckpoint:
    """A checkpoint under one runtime, and the plan chosen; ``None`` where none is valid.

    ``beyond`` says that the planner sought no plan: the weights are larger than all GPUs together.
    """

    subject: ServedCheckpoint
    chosen: PlacedPlan | None
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
class ModelQuestion:
    """A model on a combo: every checkpoint and runtime that may answer, and what for.

    Attributes:
        model: The model.
        combo: The hardware.
        asks: The checkpoints under runtimes that may answer; what the reader named, or all.
        goal: The objective of the plan.
        preferred: Runtimes that the combo's orchestrator drives; empty without one.
        settings: The operator's choices.
        named: The reader named the runtime, so none is kept for last.
        sees: The use has images, so none is answered without them.
        read_along: The pick answers what to use, so that one user has to be able to read along.
        room: Contexts in tokens that a pick should hold beyond the workload's, the first that any
            candidate holds counts; empty where the reader named a context.
    """

    model: LanguageModel
    combo: Combo
    asks: Asks
    goal: PlanGoal
    preferred: tuple[str, ...] = ()
    settings: Settings = DEFAULTS
    named: bool = False
    sees: bool = False
    read_along: bool = False
    room: tuple[int, ...] = ()

    def request(self, subject: ServedCheckpoint, workload: Workload) -> FitRequest:
        """Return the question about one checkpoint under one runtime."""
        return FitRequest(
            subject.model,
            subject.checkpoint,
            self.combo,
            subject.runtime,
            subject.profile,
            workload,
            settings=self.settings_of(subject),
            goal=self.goal,
        )

    def settings_of(self, subject: ServedCheckpoint) -> Settings:
        """Return the operator's choices, with images where a runtime reads them only if told."""
        told = self.sees and not batches(subject.runtime)
        return replace(self.settings, images=True) if told else self.settings

    def for_images(self) -> ModelQuestion | None:
        """Ask the same for images; ``None`` where no runtime in question reads the model's."""
        asks = tuple(ask for ask in self.asks.every if ask.runnable.reads_images)
        return replace(self, asks=Asks(asks), sees=True, read_along=True) if asks else None


@dataclass(frozen=True, slots=True)
class Pick:
    """The checkpoint to run, with the plan chosen for the question's goal, and its workload.

    ``plans`` are all comfortable plans of this checkpoint under this runtime; empty where the
    pick is not comfortable.
    """

    entry: PlannedCheckpoint
    ask: Ask
    plans: tuple[PlacedPlan, ...] = ()


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
    goal: PlanGoal | None = None,
    runtime: str = "",
) -> ModelQuestion:
    """Return the question of a combo's page: every checkpoint, at the reference workload.

    With ``runtime``, the id of an assessed runtime, it is about that one alone.
    """
    preferred = driven_by(engine, combo)
    return ModelQuestion(
        model,
        combo,
        _reference_asks(engine, combo, model, runtime),
        goal or usual_goal(engine, combo, preferred),
        preferred,
        named=runtime != "",
        room=usual_room(engine, model),
    )


def _reference_asks(engine: FitEngine, combo: Combo, model: LanguageModel, runtime: str) -> Asks:
    key = (model.id, len(combo.nodes) > 1, runtime)
    if key not in engine.asks:
        workload = reference_workload(engine, model)
        loaded = loaded_on(engine, combo, model, runtime)
        engine.asks[key] = Asks([Ask(prepared, workload) for prepared in loaded])
    return engine.asks[key]


def loaded_on(
    engine: FitEngine, combo: Combo, model: LanguageModel, runtime: str = ""
) -> tuple[RunnableCheckpoint, ...]:
    """List the checkpoints of a model under the runtimes that may answer on a combo.

    Where there is one machine, a runtime for one machine stands for the one that spans several:
    people run mlx-lm on a Mac, and exo on a cluster of them.
    """
    if runtime:
        return engine.loaded_by(model, runtime)
    loaded = engine.loadable(model)
    if len(combo.nodes) > 1:
        return loaded
    found: dict[tuple[str, str, str, str], RunnableCheckpoint] = {}
    for prepared in loaded:
        one = engine.on_one_node(prepared)
        found.setdefault(one.subject.key, one)
    return tuple(found.values())


def usual_room(engine: FitEngine, model: LanguageModel) -> tuple[int, ...]:
    """Return the contexts that people want of a model when they name none, the longest first."""
    return tuple(min(tokens, model.context_tokens) for tokens in engine.judge.room)


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
    return build_assessment(engine, request, chosen, cured=cured, plans_beside=pick.plans)


def page_order(pick: Assessment) -> tuple[int, float, str]:
    """Order the rows of a combo: best tier first, then the largest model.

    Bytes of a file over its bits per weight stand for parameters: picks differ in their formats.
    """
    parameters = pick.weights_bytes / pick.checkpoint.quantization.nominal_bits
    return (RANK[pick.tier], -parameters, pick.model.id)


def driven_by(engine: FitEngine, combo: Combo) -> tuple[str, ...]:
    """Return the runtimes that a combo's orchestrator runs; empty without one."""
    found = engine.catalog.runtimes.get(combo.orchestrator)
    return found.drives if found else ()


def usual_goal(engine: FitEngine, combo: Combo, preferred: Sequence[str] = ()) -> PlanGoal:
    """Return what a combo is bought for: many users on servers, one fast stream elsewhere.

    Servers' GPUs that no runtime for many users supports any more are bought second-hand, for one.
    """
    serves = combo.is_datacenter and any(
        batches(runtime) and hardware_refusal(runtime, [one.gpu for one in combo.gpus]) is None
        for runtime in engine.catalog.runtimes.values()
    )
    return PlanGoal.THROUGHPUT if preferred or serves else PlanGoal.LATENCY


def batches(runtime: Runtime) -> bool:
    """Tell whether a runtime batches requests over a paged cache."""
    return runtime.memory_model is MemoryModel.PAGED


def judged(engine: FitEngine, question: ModelQuestion, ask: Ask) -> PlannedCheckpoint:
    """Choose the plan that carries the verdict of a checkpoint under a runtime.

    No plan is looked for of weights that are larger than all GPUs.
    """
    prepared, sets = ask.runnable, engine.gpu_groups(question.combo)
    settings = question.settings_of(ask.subject)
    if prepared.exceeds_all_memory(sets, settings):
        return PlannedCheckpoint(ask.subject, None, prepared.weights_bytes, beyond=True)
    asked = Question(prepared, sets, ask.workload, settings, VERDICT_GOAL)
    return PlannedCheckpoint(ask.subject, best_plan(asked), prepared.weights_bytes)


def verdict_steps(engine: FitEngine, question: ModelQuestion) -> Iterator[PlannedCheckpoint]:
    """Yield judged entries until the verdict is known.

    The verdict is the best tier that a production checkpoint reaches, carried by the smallest that
    reaches it. On servers of several GPUs a runtime that people use there decides wherever it runs
    the model at all; on one GPU others are asked where it has too little room. Judging stops at the
    first comfortable entry, since none can be better. A runtime that is not surveyed in full is
    asked only where no other gives a comfortable verdict. Without production checkpoints, the
    largest of the rest that is comfortable carries it, or the largest. Where nothing is
    comfortable, the flags that a pick may take are tried.
    """
    entries = []
    runs = False
    for ask in in_turn(question):
        if runs and may_not_lead(question, ask.subject.runtime):
            break
        entry = judged(engine, question, ask)
        entries.append(entry)
        yield entry
        if entry.tier is FitTier.COMFORTABLE:
            return
        runs = runs or entry.tier is FitTier.BORDERLINE
    yield from with_flags(engine, question, entries)


def with_flags(
    engine: FitEngine, question: ModelQuestion, entries: Sequence[PlannedCheckpoint]
) -> Iterator[PlannedCheckpoint]:
    """Yield the first of some tight entries that a flag makes comfortable, if any is.

    ``entries`` were judged without flags, and the verdict that they give is borderline. They are
    tried in the order in which they would carry it. So naming a runtime gives the verdict that its
    pick has where none is named (decision 70).
    """
    tight = {one.subject.key for one in entries if one.tier is FitTier.BORDERLINE}
    asks = [ask for ask in in_turn(question) if ask.subject.key in tight]
    best = min((machine_standing(question, ask.subject.runtime) for ask in asks), default=0)
    for ask in asks:
        if machine_standing(question, ask.subject.runtime) > best:
            return
        plans = [plan.candidate for plan in _comfortable(engine, question, ask)]
        if plans:
            chosen = best_of(plans, VERDICT_GOAL)
            yield PlannedCheckpoint(ask.subject, chosen, ask.runnable.weights_bytes)
            return


def in_turn(question: ModelQuestion) -> tuple[Ask, ...]:
    """Order what may carry the verdict: where several reach the same tier, the first does."""
    by = (question.named, question.preferred, question.combo.is_datacenter)
    counted = question.asks.counted
    return question.asks.in_turn(by, lambda: sorted(counted, key=lambda a: _carrier(question, a)))


def _carrier(question: ModelQuestion, ask: Ask) -> tuple[int, bool, int, str, str]:
    """Order subjects by which carries the verdict where several reach the same tier.

    Runtimes that people use on such servers come first, then those that are surveyed in full, then
    the smaller checkpoint; of files under 4 bits the larger one.
    """
    subject, size = ask.subject, ask.runnable.weights_bytes
    last = not subject.runtime.surveyed_in_full and not question.named
    production = subject.checkpoint.quantization.production
    return (
        machine_standing(question, subject.runtime),
        last,
        size if production else -size,
        subject.checkpoint.id,
        subject.runtime.id,
    )


def best_verdict(
    question: ModelQuestion, entries: Sequence[PlannedCheckpoint]
) -> PlannedCheckpoint | None:
    """Return the entry that carries the verdict; ``None`` where no runtime loads the model.

    Of two entries of a checkpoint under a runtime the later counts, which has flags.
    """
    found = {entry.subject.key: entry for entry in entries}
    known = [found[a.subject.key] for a in in_turn(question) if a.subject.key in found]
    usual = [
        entry
        for entry in known
        if entry.tier is not FitTier.NOT_PRACTICAL
        and not may_not_lead(question, entry.subject.runtime)
    ]
    return min(usual or known, key=lambda entry: entry.order, default=None)


def verdict_of(engine: FitEngine, question: ModelQuestion) -> PlannedCheckpoint | None:
    """Judge a model; ``None`` where no runtime loads it.

    A model larger than all GPUs gets the least bad plan, which says how much memory is missing.
    """
    return planned(engine, question, best_verdict(question, tuple(verdict_steps(engine, question))))


def planned(
    engine: FitEngine, question: ModelQuestion, verdict: PlannedCheckpoint | None
) -> PlannedCheckpoint | None:
    """Find the least bad plan of a verdict on weights that are larger than all GPUs."""
    if verdict is None or not verdict.beyond:
        return verdict
    ask = _ask_of(question, verdict)
    sets = engine.gpu_groups(question.combo)
    settings = question.settings_of(ask.subject)
    chosen = best_plan(Question(ask.runnable, sets, ask.workload, settings, VERDICT_GOAL))
    return PlannedCheckpoint(verdict.subject, chosen, verdict.weights_bytes)


def _ask_of(question: ModelQuestion, entry: PlannedCheckpoint) -> Ask:
    found = [ask for ask in question.asks.every if ask.subject.key == entry.subject.key]
    return found[0]


def pick_of(engine: FitEngine, question: ModelQuestion, verdict: PlannedCheckpoint) -> Pick:
    """Choose what an expert would start: checkpoint, runtime, flags and plan.

    Where something is comfortable, usual runtimes and published files come first; of those the
    first group of ``_levels`` answers that has a comfortable plan with room for the longest context
    of ``question.room`` that any of them has room for, by the question's goal. Where nothing is,
    the pick carries the verdict's tier: a published checkpoint before others, then the smallest.
    """
    if verdict.tier is FitTier.COMFORTABLE:
        for groups in _levels(engine, question):
            pick = _pick_among(engine, question, groups)
            if pick is not None:
                return _of_one_machine(engine, question, pick)
    return _least_bad(engine, question, verdict)


def _of_one_machine(engine: FitEngine, question: ModelQuestion, pick: Pick) -> Pick:
    """Run a plan inside one machine under the runtime of one: people run mlx-lm there, not exo."""
    chosen = pick.entry.chosen
    if question.named or chosen is None or chosen.evaluation.group.nodes > 1:
        return pick
    runnable = engine.on_one_node(pick.ask.runnable)
    blind = question.sees and not runnable.reads_images
    if runnable is pick.ask.runnable or blind:
        return pick
    placed = _Plan(pick.ask, chosen).placed
    plans = _comfortable(engine, question, Ask(runnable, pick.ask.workload))
    same = (
        plan
        for plan in plans
        if plan.placed == placed
        and plan.candidate.evaluation.settings == chosen.evaluation.settings
    )
    found = next(same, None)
    return pick if found is None else _picked(plans, found)


def _pick_among(
    engine: FitEngine, question: ModelQuestion, groups: Sequence[Sequence[Ask]]
) -> Pick | None:
    """Choose from the first group with room for the longest context that any group has room for.

    For ``read_along`` a pick slower than that gives way to the first production file with as much
    room that is not, and on unequal GPUs to one that is much faster. At home a pick for many users
    that answers only a few gives way to one that answers more. Nobody gives up images for room
    alone; but a runtime that does not batch loads no projector unless it is told to, so that beside
    its plan those of servers without images are compared, too.

    Source:
        club-3090, compose of Gemma 4 26B-A4B for one RTX 3090 under vLLM: "Vision: off"; read
        2026-11-26.
    """
    plans: dict[int, list[_Plan]] = {}
    for tokens in (*question.room, 0):
        slow: Pick | None = None
        for at, group in enumerate(groups):
            if at not in plans:
                plans[at] = _plans_of(engine, question, group)
            found = [plan for plan in plans[at] if _has_room(engine, plan, tokens)]
            if slow is not None:
                found = [plan for plan in found if _may_replace_a_slow_pick(engine, plan)]
            if not found:
                continue
            best = _best(engine, question, found)
            rivals: list[_Plan] = []
            if slow is None and not batches(best.ask.subject.runtime):
                rivals = _without_images(engine, question, plans[at], tokens)
                best = _best(engine, question, [*found, *rivals]) if rivals else best
            pick = _picked([*plans[at], *rivals], best)
            if _seeks_users(question):
                pick = _with_more_users(engine, question, groups[at + 1 :], tokens, pick)
            if not question.read_along:
                return pick
            if not is_slow(engine, pick):
                return _much_faster(engine, question, groups[at + 1 :], tokens, pick) or pick
            slow = slow or pick
        if slow is not None:
            return slow
    return None


def may_be_faster(engine: FitEngine, question: ModelQuestion, pick: Pick) -> bool:
    """Return whether an answer looks for a file that is written much faster than a row's."""
    chosen = pick.entry.chosen
    uneven = len({one.gpu.id for one in question.combo.gpus}) > 1
    return uneven or (chosen is not None and _waits(engine, question, chosen))


def _much_faster(
    engine: FitEngine,
    question: ModelQuestion,
    groups: Sequence[Sequence[Ask]],
    tokens: int,
    pick: Pick,
) -> Pick | None:
    """Find a production file that is written at twice the speed, for a point or two.

    On unequal GPUs a file that needs the slow one, too, is read at its speed; a smaller one fits
    the fast GPU. On equal ones a file whose layers wait for each other's GPUs gives way to one
    that another plan runs.
    """
    chosen = pick.entry.chosen
    if chosen is None or not may_be_faster(engine, question, pick):
        return None
    known = engine.losses.of(question.model, pick.entry.subject.checkpoint).mid
    for group in groups:
        plans = _plans_of(engine, question, group)
        found = [
            plan
            for plan in plans
            if _has_room(engine, plan, tokens)
            and _may_replace_a_slow_pick(engine, plan)
            and _stream(plan.candidate) >= MUCH_FASTER * _stream(chosen)
            and engine.losses.of(question.model, plan.ask.subject.checkpoint).mid
            <= known + LITTLE_LOSS
        ]
        if found:
            return _picked(plans, _best(engine, question, found))
    return None


def _seeks_users(question: ModelQuestion) -> bool:
    """Return whether a machine of a home or an office is asked for as many users as it answers.

    Servers are bought for many, and their pages answer with the file that loses least.
    """
    many = question.goal is PlanGoal.THROUGHPUT and not question.preferred
    alone = all(ask.workload.sequences == 1 for ask in question.asks.every[:1])
    return many and alone and not question.combo.is_datacenter


def _with_more_users(
    engine: FitEngine,
    question: ModelQuestion,
    groups: Sequence[Sequence[Ask]],
    tokens: int,
    pick: Pick,
) -> Pick:
    """Give way to a production file that answers half as many users again, for a point or two.

    The file that loses least is chosen before users are counted. Of a large model it may leave room
    or speed for a few of them only. Who can serve many keeps what loses least.
    """
    least = engine.losses.of(question.model, pick.entry.subject.checkpoint).mid
    size = pick.entry.weights_bytes / NO_FASTER
    best, most = pick, _readers(engine, pick)
    for group in groups if most < MANY else ():
        light = [
            ask
            for ask in group
            if ask.runnable.weights_bytes <= size
            and engine.losses.of(question.model, ask.subject.checkpoint).mid <= least + LITTLE_LOSS
        ]
        plans = [
            plan
            for plan in _plans_of(engine, question, light)
            if _has_room(engine, plan, tokens) and _may_replace_a_slow_pick(engine, plan)
        ]
        if plans:
            other = _picked(plans, _best(engine, question, plans))
            users = _readers(engine, other)
            if users >= MORE_USERS * most:
                best, most = other, users
    return best


def _readers(engine: FitEngine, pick: Pick) -> int:
    """Count the users whom a pick answers at reading speed; 1 where it answers none."""
    chosen = pick.entry.chosen
    if chosen is None or chosen.evaluation.pipeline is None:
        return 1
    streams = reading_streams(engine, chosen, pick.ask.workload.context_tokens)
    return max(1, streams * chosen.replicas)


def reading_streams(engine: FitEngine, placed: PlacedPlan, context_tokens: int) -> int:
    """Count the streams of a replica that fit and are fast enough; more make each slower."""
    enough, most = 0, engine.held(placed.evaluation, context_tokens)
    while enough < most:
        batch = (enough + most + 1) // 2
        together = speed_of_all(engine, placed, context_tokens, batch)
        if together.mid >= reading_speed(engine) * batch * placed.replicas:
            enough = batch
        else:
            most = batch - 1
    return enough


def _waits(engine: FitEngine, question: ModelQuestion, chosen: PlacedPlan) -> bool:
    """Return whether one user waits for a chain of GPUs, each with layers of its own.

    Nobody waits for an answer that is written at twice the speed at which one is read.
    """
    found = chosen.evaluation
    staged = found.split[0] == 1 and len(found.group.ranks) > 1
    slow = _stream(chosen) < MUCH_FASTER * reading_speed(engine)
    return question.goal is PlanGoal.LATENCY and staged and slow


def is_slow(engine: FitEngine, pick: Pick) -> bool:
    """Return whether users of a pick get answers slower than one that may lead a page."""
    chosen = pick.entry.chosen
    speed = _each(engine, pick.ask.workload, chosen) if chosen is not None else 0.0
    return speed > 0 and speed < reading_speed(engine)


def _may_replace_a_slow_pick(engine: FitEngine, plan: _Plan) -> bool:
    production = plan.ask.subject.checkpoint.quantization.production
    return production and _each(engine, plan.ask.workload, plan.candidate) >= reading_speed(engine)


def _each(engine: FitEngine, workload: Workload, candidate: PlacedPlan) -> float:
    """Return the speed of each user asked for, in tokens/s; of one alone where one was."""
    if workload.sequences == 1:
        return _stream(candidate)
    held = engine.held(candidate.evaluation, workload.context_tokens)
    users = candidate.replicas * max(1, min(workload.sequences, held))
    return aggregate_tokens_per_s(engine, workload, candidate) / users


def _stream(candidate: PlacedPlan) -> float:
    return candidate.evaluation.single_tokens_per_s.mid


def reading_speed(engine: FitEngine) -> float:
    """Return the tokens/s at which people read: what is slower leads no answer."""
    return engine.assumptions["answer-speed-tokens-per-s"].value.mid


def _without_images(
    engine: FitEngine, question: ModelQuestion, plans: Sequence[_Plan], tokens: int
) -> list[_Plan]:
    """List what servers that have no room for a context hold without images, if they see any."""
    found: list[_Plan] = []
    tried: set[tuple[str, str, str, str]] = set()
    for plan in plans:
        subject = plan.ask.subject
        flags = [one for one in flags_of(question, subject) if one.text_only]
        if subject.key in tried or question.settings != DEFAULTS or not flags:
            continue
        tried.add(subject.key)
        if _lighter_runs(engine, question, plan.ask):
            flags = [one for one in flags if one.memory_fraction is None]
        sets = engine.gpu_groups(question.combo)
        for settings in flags:
            asked = Question(plan.ask.runnable, sets, plan.ask.workload, settings, question.goal)
            blind = [_Plan(plan.ask, candidate) for candidate in practical_plans(asked)]
            roomy = [p for p in blind if p.is_comfortable and _has_room(engine, p, tokens)]
            if roomy:
                found += roomy
                break
    return found


def _plans_of(engine: FitEngine, question: ModelQuestion, group: Sequence[Ask]) -> list[_Plan]:
    """List the comfortable plans of a group that may be its best.

    Under one runtime a heavier file of the same kind fits no better and is no faster, and one that
    is half as heavy again as another is slower in whatever format; such files are not judged.
    """
    found: list[_Plan] = []
    tried: dict[str, int] = {}
    running: dict[str, int] = {}
    for ask in sorted(group, key=lambda a: a.runnable.weights_bytes):
        recipe, runtime = ask.subject.checkpoint.quantization, ask.subject.runtime.id
        split = f"{recipe.tensor_parallel_group} {recipe.tensor_parallel_block}"
        kind, size = f"{runtime} {recipe.format} {split}", ask.runnable.weights_bytes
        if size >= NO_FASTER * tried.get(kind, size) or size >= SLOWER * running.get(runtime, size):
            continue
        plans = _comfortable(engine, question, ask)
        tried.setdefault(kind, size)
        if plans:
            running.setdefault(runtime, size)
        found += plans
    return found


def _has_room(engine: FitEngine, plan: _Plan, tokens: int) -> bool:
    """Return whether a plan stays comfortable with a context beyond the workload's."""
    if tokens <= plan.ask.workload.context_tokens:
        return True
    return _filled(plan, tokens) <= engine.judge.thresholds.comfortable


def _filled(plan: _Plan, tokens: int) -> float:
    """Say how full the fullest GPU is with a context, at the high estimate."""
    replica = plan.candidate.evaluation.replica
    return replica.utilization(tokens, plan.ask.workload.sequences).high


def by_choice(engine: FitEngine, question: ModelQuestion) -> list[Ask]:
    """Order the candidates as the pick is chosen, before any plan is looked at."""
    return [ask for groups in _levels(engine, question) for group in groups for ask in group]


@dataclass(frozen=True, slots=True)
class _Plan:
    """A plan of a checkpoint under a runtime."""

    ask: Ask
    candidate: PlacedPlan

    @property
    def is_comfortable(self) -> bool:
        """Whether it is comfortable at the workload's context."""
        return self.candidate.evaluation.tier is FitTier.COMFORTABLE

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return len(self.candidate.evaluation.group.ranks)

    @property
    def placed(self) -> tuple[int, Split]:
        """Where it lies: the set of GPUs by its identity, and the split over it."""
        return id(self.candidate.evaluation.group), self.candidate.evaluation.split


def _picked(plans: Sequence[_Plan], best: _Plan) -> Pick:
    ask = best.ask
    entry = PlannedCheckpoint(ask.subject, best.candidate, ask.runnable.weights_bytes)
    flags = best.candidate.evaluation.settings
    beside = (p.candidate for p in plans if p.ask is ask)
    return Pick(entry, ask, tuple(one for one in beside if one.evaluation.settings == flags))


def _levels(engine: FitEngine, question: ModelQuestion) -> Levels:
    """Return the groups of ``_grouped``, which all combos of the same kinds of GPUs share."""
    by = (question.combo.gpu_ids, question.goal, question.named, question.preferred)
    return question.asks.levels(by, lambda: _grouped(engine, question))


def _grouped(engine: FitEngine, question: ModelQuestion) -> Levels:
    """Group the candidates whose order is clear before any plan is looked at, the best first.

    Runtimes of the class that operators use there come first, of those published checkpoints: each
    is a level, and no other level answers where one can. Within a level less expected loss comes
    first, as far as the evidence can tell losses apart, then MLX on Apple's machines. Many users
    are served in 4 bits whose arithmetic the GPUs have before others that are unpacked. SGLang and
    its like, whose verdicts repeat those of a runtime that is surveyed in full, are asked only
    where that one has no comfortable plan.
    """
    groups: dict[tuple[int, int, int, int, int, int], list[Ask]] = {}
    for ask in question.asks.counted:
        subject = ask.subject
        key = (
            _standing(question, subject.runtime),
            0 if subject.checkpoint.is_published else 1,
            engine.losses.quality_class(subject.model, subject.checkpoint),
            _of_vendor(question, subject),
            _emulated(question, subject.checkpoint),
            _turn(question, subject.runtime),
        )
        groups.setdefault(key, []).append(ask)
    levels: dict[tuple[int, int], list[tuple[Ask, ...]]] = {}
    for key in sorted(groups):
        levels.setdefault((key[0], key[1]), []).append(tuple(groups[key]))
    return tuple(tuple(level) for level in levels.values())


def machine_standing(question: ModelQuestion, runtime: Runtime) -> int:
    """Return 0 for runtimes that people use on such servers, 1 for others; 0 for all elsewhere."""
    if question.named:
        return 0
    if question.preferred:
        return 0 if runtime.id in question.preferred else 1
    return 0 if batches(runtime) or not question.combo.is_datacenter else 1


def may_not_lead(question: ModelQuestion, runtime: Runtime) -> bool:
    """Return whether a runtime gives no verdict where one that people use on such servers runs."""
    several = bool(question.preferred) or len(question.combo.gpus) > 1
    return several and machine_standing(question, runtime) > 0


def _standing(question: ModelQuestion, runtime: Runtime) -> int:
    """Return the same for a pick: many users are served by a runtime that batches, anywhere."""
    if question.goal is PlanGoal.THROUGHPUT and not question.preferred and not question.named:
        return 0 if batches(runtime) else 1
    return machine_standing(question, runtime)


def _of_vendor(question: ModelQuestion, subject: ServedCheckpoint) -> int:
    """Return 0 for a quantized file of a runtime made for these GPUs alone; 1 for others.

    MLX is made for Apple's. A release in 16 bits that nobody converted competes with the other
    runtimes by its speed.
    """
    made_for = subject.runtime.vendors
    vendors = {one.gpu.vendor for one in question.combo.gpus}
    own = len(made_for) == 1 and vendors == {Vendor.APPLE} == set(made_for)
    return 0 if own and subject.checkpoint.quantization.linears.weight_bits < 16 else 1


def _emulated(question: ModelQuestion, checkpoint: Checkpoint) -> int:
    """Return 1 where many users would be served in 4 bits that some GPU has to unpack first.

    FP8 competes by its speed: vLLM widens it as it reads, and computes as for BF16 (decision 69).
    """
    recipe = checkpoint.quantization
    native = recipe.native_compute_capability
    if question.goal is not PlanGoal.THROUGHPUT or native is None or recipe.linears.weight_bits > 4:
        return 0
    has = (one.gpu.compute_capability for one in question.combo.gpus)
    return 1 if any(one is not None and one < native for one in has) else 0


def _turn(question: ModelQuestion, runtime: Runtime) -> int:
    """Return when a runtime is asked among those of one class and quality.

    A runtime that is not surveyed in full and batches repeats what another one says.
    """
    last = batches(runtime) and not runtime.surveyed_in_full and not question.named
    return 1 if last else 0


def _comfortable(engine: FitEngine, question: ModelQuestion, ask: Ask) -> list[_Plan]:
    """List the comfortable plans of a checkpoint under a runtime, with flags where none is without.

    A flag costs less than another checkpoint or runtime: fewer sequences than the default, and no
    images.
    """
    sets = engine.gpu_groups(question.combo)
    for settings in flags_of(question, ask.subject):
        if settings.memory_fraction is not None and _lighter_runs(engine, question, ask):
            continue
        asked = Question(ask.runnable, sets, ask.workload, settings, question.goal)
        practical = practical_plans(asked)
        plans = (_Plan(ask, candidate) for candidate in practical)
        found = [plan for plan in plans if plan.is_comfortable]
        if all(plan.candidate.evaluation.split[1] > 1 for plan in found):
            found += _with_whole_experts(question, ask, asked, practical)
            if found:  # where nothing is, the next flags are asked anyway
                found += _with_fewer_sequences(question, ask, asked, practical)
        if found or not practical:
            return [
                *found,
                *_roomier(engine, question, asked, found),
                *_with_raised_limit(engine, question, asked, found),
            ]
        # flags free a little memory, and no more
        runs = {id(candidate.evaluation.group) for candidate in practical}
        sets = tuple(one for one in sets if id(one[0]) in runs)
    return _with_shared_cache(question, ask, sets)


def _with_shared_cache(
    question: ModelQuestion, ask: Ask, sets: Sequence[tuple[GpuGroup, int]]
) -> list[_Plan]:
    """List the comfortable plans of many users that ranks have only if they share one cache.

    Tensor parallelism keeps a copy of a latent cache on every rank. Nothing else is given up, but
    no record tells the speed, so plans that have room without come first.

    Source:
        vLLM recipes, Kimi K2 Thinking, "High-Throughput Scenarios (TP8+DCP8)": the cache of eight
        H200 holds 5,721,088 tokens instead of 715,072; read 2026-11-29.
    """
    reduced, settings = ask.runnable.reduced, question.settings_of(ask.subject)
    latent = all(kind.cache.word == "latent" for kind in reduced.shape.kinds)
    if ask.workload.sequences == 1 or question.settings != DEFAULTS or not latent:
        return []
    for ranks in sorted({group.per_node for group, _ in sets}, reverse=True):
        if cache_repeats(reduced, ranks) < ranks or ranks < 2:
            continue
        shared = replace(settings, decode_context_parallel_size=ranks)
        alike = tuple(one for one in sets if one[0].per_node == ranks)
        asked = Question(ask.runnable, alike, ask.workload, shared, question.goal)
        plans = (_Plan(ask, candidate) for candidate in practical_plans(asked))
        found = [plan for plan in plans if plan.is_comfortable]
        if found:
            return found
    return []


def _lighter_runs(engine: FitEngine, question: ModelQuestion, ask: Ask) -> bool:
    """Return whether a lighter file that loses no more is comfortable under the runtime as it is.

    Nobody raises a server's share of the GPU to the last byte for a file in 16 bits where the
    published one in 8 loses nothing, reads half as much and leaves room.
    """
    subject, size = ask.subject, ask.runnable.weights_bytes
    classed = engine.losses.quality_class(subject.model, subject.checkpoint)
    sets = engine.gpu_groups(question.combo)
    for other in question.asks.every:
        theirs = other.subject
        alike = theirs.runtime.id == subject.runtime.id and theirs.checkpoint.is_published
        if not alike or other.runnable.weights_bytes >= size:
            continue
        if engine.losses.quality_class(theirs.model, theirs.checkpoint) > classed:
            continue
        settings = question.settings_of(theirs)
        asked = Question(other.runnable, sets, other.workload, settings, question.goal)
        if fits_comfortably(asked):
            return True
    return False


def _with_whole_experts(
    question: ModelQuestion,
    ask: Ask,
    asked: Question,
    practical: Sequence[PlacedPlan],
) -> list[_Plan]:
    """List the comfortable plans without stages that a machine has only if no expert is cut.

    They are asked for where fewer ranks do not hold the model, as vLLM advises.

    Source:
        vllm-project/vllm issue 17327: FP8 blocks that more ranks do not divide need fewer ranks,
        or ``--enable-expert-parallel``; read 2026-11-23.
    """
    subject = ask.subject
    if question.settings != DEFAULTS or not subject.runtime.capabilities.expert_parallel:
        return []
    staged = {
        id(one.evaluation.group)
        for one in practical
        if one.evaluation.group.nodes == 1 and _staged_over_fast_links(one.evaluation)
    }
    sets = tuple(one for one in asked.sets if id(one[0]) in staged)
    if not sets:
        return []
    whole = replace(asked, sets=sets, settings=replace(asked.settings, expert_parallel=True))
    plans = (_Plan(ask, c) for c in practical_plans(whole) if c.evaluation.split[1] == 1)
    return [plan for plan in plans if plan.is_comfortable]


def _with_fewer_sequences(
    question: ModelQuestion, ask: Ask, asked: Question, practical: Sequence[PlacedPlan]
) -> list[_Plan]:
    """List the plans without stages that are comfortable once room for many sequences is given up.

    One user of stages waits for each GPU in turn; nobody halves that speed to be able to serve
    hundreds.
    """
    if FEWER_SEQUENCES not in flags_of(question, ask.subject) or asked.settings.max_num_seqs:
        return []
    tight = {id(one.evaluation.group) for one in practical if one.evaluation.split[1] == 1}
    sets = tuple(one for one in asked.sets if id(one[0]) in tight and len(one[0].gpus) > 1)
    if not sets:
        return []
    fewer = replace(asked, sets=sets, settings=FEWER_SEQUENCES)
    plans = (_Plan(ask, c) for c in practical_plans(fewer) if c.evaluation.split[1] == 1)
    return [plan for plan in plans if plan.is_comfortable]


def _roomier(
    engine: FitEngine, question: ModelQuestion, asked: Question, found: Sequence[_Plan]
) -> list[_Plan]:
    """List the plans with the fewest more flags that have room for the longest context.

    Nobody gives up images, or the speed of prompts, for room alone.
    """
    flags = flags_of(question, asked.runnable.subject)
    more = flags[flags.index(asked.settings) + 1 :]
    for tokens in question.room if found else ():
        full = min(_filled(plan, tokens) for plan in found)
        if full <= engine.judge.thresholds.comfortable:
            return []
        if full > FREED * engine.judge.thresholds.comfortable:
            continue
        kept = [one for one in more if one.text_only == asked.settings.text_only]
        kept = [one for one in kept if one.micro_batch_tokens is None]
        if _lighter_runs(engine, question, found[0].ask):
            kept = [one for one in kept if one.memory_fraction is None]
        for settings in kept:
            judged = practical_plans(replace(asked, settings=settings))
            plans = (_Plan(found[0].ask, candidate) for candidate in judged)
            roomy = [p for p in plans if p.is_comfortable and _has_room(engine, p, tokens)]
            if roomy:
                return roomy
    return []


def _with_raised_limit(
    engine: FitEngine, question: ModelQuestion, asked: Question, found: Sequence[_Plan]
) -> list[_Plan]:
    """List the plans that Macs hold, or hold with more room, only with the system's limit raised.

    A flag costs less than another plan. It carries no verdict: a checkpoint that is comfortable
    with the limit raised alone stays borderline, as does what needs a kernel's parameter, which
    waits for a restart.
    """
    runtime = asked.runnable.subject.runtime
    if not found or question.settings != DEFAULTS or batches(runtime):
        return []
    sets = tuple(one for one in asked.sets if _has_wired_limit(one[0]))
    if not sets:
        return []
    held: dict[tuple[int, Split], int] = {}
    for plan in found:
        held[plan.placed] = _rooms(engine, question, plan)
    raised_limit = replace(asked.settings, raised_limit=True)
    raised = (
        _Plan(found[0].ask, replace(candidate, evaluation=granted))
        for candidate in practical_plans(replace(asked, sets=sets, settings=raised_limit))
        if (granted := _with_limit_granted(candidate.evaluation)) is not None
    )
    return [plan for plan in raised if _rooms(engine, question, plan) > held.get(plan.placed, -1)]


def _has_wired_limit(group: GpuGroup) -> bool:
    first = group.gpus[0]
    return first.gpu.vendor is Vendor.APPLE and first.reserved.mid > first.raised_reserved.mid


def _with_limit_granted(evaluation: Evaluation) -> Evaluation | None:
    """Return an evaluation as it is once the limit is raised; ``None`` where that is not enough."""
    if any(reason.code != "OS_LIMIT" for reason in evaluation.reasons):
        return None
    return replace(evaluation, tier=FitTier.COMFORTABLE, reasons=())


def _rooms(engine: FitEngine, question: ModelQuestion, plan: _Plan) -> int:
    """Count the contexts beyond the workload's that a plan has room for."""
    return len([tokens for tokens in question.room if _has_room(engine, plan, tokens)])


def flags_of(question: ModelQuestion, subject: ServedCheckpoint) -> list[Settings]:
    """List settings to try, the fewest flags first; only the defaults where the reader chose any.

    A paged runtime reserves memory for as many sequences as it may ever run, and for the largest
    image. A larger share is safe only where the runtime counts everything that it takes inside it,
    and not where the system lives in the same memory. llama.cpp allocates a buffer for the tokens
    of one step, of which half as many read prompts more slowly.
    """
    chosen = question.settings_of(subject)
    if question.settings != DEFAULTS:
        return [chosen]
    if not batches(subject.runtime):
        smaller = replace(chosen, micro_batch_tokens=SMALLER_STEPS)
        return [chosen, smaller] if subject.runtime.traits.micro_batch_option else [chosen]
    whole = subject.profile.budget_base is BudgetBase.TOTAL
    whole = whole and not any(one.gpu.sees_system_memory for one in question.combo.gpus)
    images = subject.model.vision_parameters > 0 and not question.sees
    return [
        chosen,
        FEWER_SEQUENCES,
        *([MORE_MEMORY] if whole else []),
        *([TEXT_ONLY] if images else []),
        *([MOST_ROOM] if whole and images else []),
    ]


def _best(engine: FitEngine, question: ModelQuestion, plans: Sequence[_Plan]) -> _Plan:
    """Choose by the goal; of plans that give about as much, the simplest and best known.

    Many users are served inside a machine where a replica fits there, and without stages where a
    fast link joins its GPUs.
    """
    if question.goal is PlanGoal.THROUGHPUT:
        inside = [plan for plan in plans if plan.candidate.evaluation.group.nodes == 1]
        whole = [plan for plan in inside if not _staged_over_fast_links(plan.candidate.evaluation)]
        plans = whole or inside or plans
    best = _first_of_equals(engine, question.goal, plans)
    if _is_experimental(best):
        return _surer(engine, question, best, plans) or best
    if question.goal is PlanGoal.LATENCY and not _is_tried(engine, best):
        return _measured(engine, question, best, plans) or best
    return best


def _first_of_equals(engine: FitEngine, goal: PlanGoal, plans: Sequence[_Plan]) -> _Plan:
    """Choose the simplest and best known of the plans that give about as much as the best one."""
    amounts = [_amount(engine, goal, plan) for plan in plans]
    tie = engine.assumptions["pick-tie-share"].value.mid
    enough = max(amounts) * (1 - tie)
    near = [plan for plan, amount in zip(plans, amounts, strict=True) if amount >= enough]
    least = min(_loss(engine, plan) for plan in near)
    return min(near, key=lambda one: _cost(engine, one, least))


def _surer(
    engine: FitEngine, question: ModelQuestion, best: _Plan, plans: Sequence[_Plan]
) -> _Plan | None:
    """Find another runtime's plan to prefer to one in a mode that its makers call experimental.

    Within the mode's own runtime it stays, for whole layers are one option away. Another runtime
    that gives nearly as much on no more GPUs comes first: nobody has to compare its answers with
    those of another mode.
    """
    others = [p for p in plans if not _is_experimental(p) and p.gpus <= best.gpus]
    elsewhere = [p for p in others if p.ask.subject.runtime.id != best.ask.subject.runtime.id]
    if not elsewhere:
        return None
    other = _first_of_equals(engine, question.goal, elsewhere)
    least = 1 - APART * engine.assumptions["pick-tie-share"].value.mid
    amounts = [_amount(engine, question.goal, plan) for plan in (other, best)]
    loses_more = _loss(engine, other) >= _loss(engine, best) + LOSS_STEP
    return None if loses_more or amounts[0] < amounts[1] * least else other


def _measured(
    engine: FitEngine, question: ModelQuestion, best: _Plan, plans: Sequence[_Plan]
) -> _Plan | None:
    """Find another runtime's plan to prefer to one that nobody has measured on such GPUs.

    Its own estimate carries over from other GPUs, and has to be beyond doubt: the other plan comes
    first where the estimate's low end is no faster, on no more GPUs and without more loss.
    """
    others = [p for p in plans if not _is_experimental(p) and p.gpus <= best.gpus]
    tried = [p for p in others if _is_tried(engine, p)]
    if not tried:
        return None
    other = _first_of_equals(engine, question.goal, tried)
    loses_more = _loss(engine, other) >= _loss(engine, best) + LOSS_STEP
    sure = best.candidate.evaluation.single_tokens_per_s.low
    return None if loses_more or _amount(engine, question.goal, other) < sure else other


def _is_tried(engine: FitEngine, plan: _Plan) -> bool:
    pipeline = plan.candidate.evaluation.pipeline
    return pipeline is None or engine.judge.speed.is_tried(pipeline)


def _is_experimental(plan: _Plan) -> bool:
    """Return whether layers are cut in a way that the runtime's own makers call experimental."""
    cut = plan.candidate.evaluation.split[0] > 1
    return cut and plan.ask.subject.runtime.traits.experimental_cut


def _loss(engine: FitEngine, plan: _Plan) -> float:
    return _expected_loss(engine, plan.ask)


def _staged_over_fast_links(evaluation: Evaluation) -> bool:
    """Return whether a plan has pipeline stages although a fast link joins one node's GPUs.

    Source:
        vLLM, "Parallelism and Scaling": tensor parallelism inside a node, and stages where the
        GPUs have no NVLink or their number does not divide the model; read 2026-11-23.
    """
    link = evaluation.group.link
    return evaluation.split[1] > 1 and link is not None and link.kind in FAST_LINKS


def _cost(
    engine: FitEngine, plan: _Plan, least: float
) -> tuple[bool, int, int, bool, int, bool, int, float, str, bool, str]:
    """Order what gives as much: no raised limit, fewer GPUs, less loss, the better known file.

    ``least`` is the least loss of the plans in question: others are equal until they lose more. A
    file in the release's own format comes before one that holds the same under another name.
    """
    subject = plan.ask.subject
    pipeline = plan.candidate.evaluation.split[1]
    loss = _loss(engine, plan)
    return (
        plan.candidate.evaluation.settings.raised_limit,
        plan.gpus,
        int((loss - least) / LOSS_STEP),
        not subject.runtime.surveyed_in_full,
        pipeline,
        not (loss == 0 and subject.checkpoint.quantization.gguf_file_type == RELEASE_FORMAT),
        -(subject.checkpoint.downloads or 0),
        loss,
        subject.checkpoint.id,
        subject.runtime.capabilities.multi_node,
        subject.runtime.id,
    )


def _amount(engine: FitEngine, goal: PlanGoal, plan: _Plan) -> float:
    """Return what a plan gives of the goal: tokens/s of one stream or of all, or tokens."""
    found = plan.candidate.evaluation
    if goal is PlanGoal.LATENCY:
        return found.single_tokens_per_s.mid
    if goal is PlanGoal.LARGEST_MODEL:
        longest = plan.ask.subject.model.context_tokens
        return float(found.replica.limits(longest, ()).max_context_tokens)
    return aggregate_tokens_per_s(engine, plan.ask.workload, plan.candidate)


def aggregate_tokens_per_s(engine: FitEngine, workload: Workload, candidate: PlacedPlan) -> float:
    """Return the middle estimate of all streams' speed, with as many as a shown plan has.

    Each replica serves the sequences that are asked for, or without such a wish as many as fit.
    """
    tokens = workload.context_tokens
    held, asked = engine.held(candidate.evaluation, tokens), workload.sequences
    most = asked if asked > 1 else engine.judge.streams_cap
    return speed_of_all(engine, candidate, tokens, max(1, min(most, held))).mid


def speed_of_all(
    engine: FitEngine, candidate: PlacedPlan, context_tokens: int, batch: int
) -> Interval:
    """Estimate the tokens/s of ``batch`` streams on each replica, their contexts half full.

    It is 0 where the speed of a plan is not estimated.
    """
    evaluation = candidate.evaluation
    if evaluation.pipeline is None:
        return Interval.exact(0.0)
    return engine.judge.speed.aggregate(
        evaluation.pipeline,
        evaluation.group,
        context=context_tokens // 2,
        batch=batch,
        replicas=candidate.replicas,
    )


def _least_bad(engine: FitEngine, question: ModelQuestion, verdict: PlannedCheckpoint) -> Pick:
    """Return what reaches the verdict's tier where nothing is comfortable.

    A borderline verdict gives way to a published file of that tier, under the same runtime before
    others that people use there. The release's own format comes first where it has room for the
    context that was asked for: what is smaller rounds it.
    """
    ask = _ask_of(question, verdict)
    if verdict.tier is not FitTier.BORDERLINE:
        return Pick(verdict, ask)
    published = _published(question, verdict.subject.runtime)
    released = [one for one in published if _is_roomy_release(engine, question, verdict, one)]
    for other in (*released, *published):
        entry = planned_for(engine, question, other)
        if entry.tier is FitTier.BORDERLINE:
            found = _faster_from_ram(engine, question, Pick(entry, other), published)
            return _with_larger_steps(engine, question, found)
    return _with_larger_steps(engine, question, Pick(planned_for(engine, question, ask), ask))


def _faster_from_ram(
    engine: FitEngine, question: ModelQuestion, pick: Pick, published: Sequence[Ask]
) -> Pick:
    """Return the file to run where experts stay in system RAM: it is fast and loses no more.

    Processors read files whose weights are looked up in tables more slowly than larger ones
    (``ram-efficiency-table-factor``). Of files that are about as fast as the fastest, the one that
    loses least is run.
    """
    if not _reads_experts_from_ram(pick.entry):
        return pick
    runtime, found = pick.ask.subject.runtime, [pick]
    loss = _expected_loss(engine, pick.ask)
    for other in published:
        if other.subject.runtime.id != runtime.id or _expected_loss(engine, other) > loss:
            continue
        entry = planned_for(engine, question, other)
        if entry.tier is pick.entry.tier and _reads_experts_from_ram(entry):
            found.append(Pick(entry, other))
    speeds = [_entry_stream(one.entry) for one in found]
    enough = max(speeds) * (1 - engine.assumptions["pick-tie-share"].value.mid)
    near = [one for one, speed in zip(found, speeds, strict=True) if speed >= enough]
    return min(near, key=lambda one: (_expected_loss(engine, one.ask), -_entry_stream(one.entry)))


def _expected_loss(engine: FitEngine, ask: Ask) -> float:
    return engine.losses.of(ask.subject.model, ask.subject.checkpoint).mid


def _reads_experts_from_ram(entry: PlannedCheckpoint) -> bool:
    chosen = entry.chosen
    reasons = () if chosen is None else chosen.evaluation.reasons
    return any(reason.code == "EXPERTS_IN_RAM" for reason in reasons)


def _entry_stream(entry: PlannedCheckpoint) -> float:
    return 0.0 if entry.chosen is None else _stream(entry.chosen)


def _is_roomy_release(
    engine: FitEngine, question: ModelQuestion, verdict: PlannedCheckpoint, ask: Ask
) -> bool:
    """Return whether a file is the release in its own format, with room for the context."""
    checkpoint, runtime = ask.subject.checkpoint, ask.subject.runtime
    exact = engine.losses.of(question.model, checkpoint).mid == 0
    released = exact and checkpoint.quantization.gguf_file_type == RELEASE_FORMAT
    if not released or runtime.id != verdict.subject.runtime.id:
        return False
    chosen = planned_for(engine, question, ask).chosen
    longest = question.model.context_tokens
    return chosen is not None and (
        engine.longest(chosen.evaluation, longest) >= ask.workload.context_tokens
    )


def _with_larger_steps(engine: FitEngine, question: ModelQuestion, pick: Pick) -> Pick:
    """Read prompts in larger steps where experts stay in system RAM and answers are as fast."""
    entry, ask = pick.entry, pick.ask
    chosen = entry.chosen
    if chosen is None or question.settings != DEFAULTS:
        return pick
    if not _reads_experts_from_ram(entry) or not ask.subject.runtime.traits.micro_batch_option:
        return pick
    known = [reason.code for reason in chosen.evaluation.reasons]
    enough = (1 - engine.judge.tie_share) * _stream(chosen)
    sets = engine.gpu_groups(question.combo)
    for tokens in LARGER_STEPS:
        settings = replace(question.settings_of(ask.subject), micro_batch_tokens=tokens)
        plan = best_plan(Question(ask.runnable, sets, ask.workload, settings, question.goal))
        if plan is None or plan.evaluation.tier is not entry.tier or _stream(plan) < enough:
            continue
        if all(reason.code in known for reason in plan.evaluation.reasons):
            return Pick(PlannedCheckpoint(entry.subject, plan, entry.weights_bytes), ask)
    return pick


def _published(question: ModelQuestion, runtime: Runtime) -> list[Ask]:
    """List published checkpoints under a runtime, then under others of its standing."""
    standing = machine_standing(question, runtime)
    asks = [
        ask
        for ask in in_turn(question)
        if ask.subject.checkpoint.is_published
        and machine_standing(question, ask.subject.runtime) <= standing
    ]
    same = [ask for ask in asks if ask.subject.runtime.id == runtime.id]
    return [*same, *(ask for ask in asks if ask.subject.runtime.id != runtime.id)]


def planned_for(engine: FitEngine, question: ModelQuestion, ask: Ask) -> PlannedCheckpoint:
    """Choose the plan of a checkpoint under a runtime for the question's own goal."""
    sets = engine.gpu_groups(question.combo)
    settings = question.settings_of(ask.subject)
    asked = Question(ask.runnable, sets, ask.workload, settings, question.goal)
    return PlannedCheckpoint(ask.subject, best_plan(asked), ask.runnable.weights_bytes)
