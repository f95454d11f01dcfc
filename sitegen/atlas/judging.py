"""A partition judged: the same questions as ``sitegen fit`` asks, many of them together.

Builds share the evaluations of the GPU groups that they have in common, which the engine keeps.
What hangs on an evaluation and its replicas alone is worked out once for all builds. RAM beside the
GPUs is looked at only by what is not comfortable without it, so that a comfortable answer is the
answer with any RAM (decision 62).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields

from sitegen.atlas.builds import Build
from sitegen.atlas.partitions import Asked, Only, Partition, asked_on, contexts_of, loads
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.fit.fit_engine import CheckpointLosses, FitEngine
from sitegen.fit.nearest_record import EvidenceIndex
from sitegen.fit.runnable_checkpoint import Ask, Asks, RunnableCheckpoint
from sitegen.physics.plan import DEFAULTS, Settings, Workload
from sitegen.survey.verdict_policy import (
    ModelQuestion,
    Pick,
    assessed,
    pick_of,
    usual_goal,
    verdict_of,
)
from sitegen.values import dataclass

NO_RECORDS = EvidenceIndex({}, {"speed": {}, "memory": {}}, {"speed": {}, "memory": {}})
"""The atlas says what is estimated; which record is near an answer is left to ``fit``."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of a tuple, hardware and question apart; ``None`` where there is no plan.

    Attributes:
        tier: The verdict.
        too_close: Whether the bounds lie on two sides of a tier's boundary.
        checkpoint: Id of the pick's checkpoint.
        weights_bytes: Size of that checkpoint.
        reasons: Codes of why it is no better, joined by ``+``.
        flags: Settings that the pick needs, joined by spaces.
        tensor_parallel_size: Of one replica.
        pipeline_parallel_size: Of one replica.
        replicas: Full copies.
        cpu_layers: Layers in RAM.
        cpu_expert_layers: Layers whose experts are in RAM.
        utilization_low: Of the fullest GPU at the verdict's context; may exceed 1.
        utilization_mid: See ``utilization_low``.
        utilization_high: See ``utilization_low``.
        shortage_bytes: What the fullest GPU lacks.
        max_context_tokens: Longest context of one sequence.
        users: Full contexts of the tuple's length at once, over all replicas.
        one_tokens_per_s_low: Decode speed of one stream.
        one_tokens_per_s_mid: See ``one_tokens_per_s_low``.
        one_tokens_per_s_high: See ``one_tokens_per_s_low``.
        all_tokens_per_s_mid: Of all streams of all replicas.
        first_token_s_mid: Time to the first token.
    """

    tier: str
    too_close: bool
    checkpoint: str
    weights_bytes: int
    reasons: str
    flags: str
    tensor_parallel_size: int | None
    pipeline_parallel_size: int | None
    replicas: int | None
    cpu_layers: int | None
    cpu_expert_layers: int | None
    utilization_low: float | None
    utilization_mid: float | None
    utilization_high: float | None
    shortage_bytes: int
    max_context_tokens: int | None
    users: int | None
    one_tokens_per_s_low: float | None
    one_tokens_per_s_mid: float | None
    one_tokens_per_s_high: float | None
    all_tokens_per_s_mid: float | None
    first_token_s_mid: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple with its answer."""

    model: str
    runtime: str
    build: str
    context_tokens: int
    sequences: int
    answer: Answer


def atlas_engine(catalog: Catalog, losses: CheckpointLosses | None = None) -> FitEngine:
    """Return an engine that compares nothing with what was measured."""
    return FitEngine(catalog, NO_RECORDS, losses)


def rows_of(engine: FitEngine, partition: Partition, only: Only) -> Iterator[Row]:
    """Judge a partition: rows by model, runtime, build, context and sequences."""
    asked = asked_on(engine, partition.kind, only)
    combos = {build.id: build.combo() for one in asked for build in one.builds}
    for model in partition.models:
        for one in asked:
            if loads(one.runtime, model):
                yield from _of_model(engine, model, one, combos, only)
        engine.forget()


def _of_model(
    engine: FitEngine, model: LanguageModel, asked: Asked, combos: dict[str, Combo], only: Only
) -> Iterator[Row]:
    loaded = _loaded(engine, model, asked)
    found: dict[tuple[str, int, int], Answer] = {}
    same: dict[Hashable, Answer] = {}
    for tokens in contexts_of(model, only):
        for sequences in only.sequences:
            asks = Asks([Ask(one, Workload(tokens, sequences, "f16")) for one in loaded])
            for build in _without_ram_first(asked.builds):
                bare = found.get((build.without_ram.id, tokens, sequences))
                if build.ram_gib and bare and bare.tier == FitTier.COMFORTABLE.value:
                    answer = bare
                else:
                    combo = combos[build.id]
                    goal = usual_goal(engine, combo)
                    question = ModelQuestion(model, combo, asks, goal, named=True)
                    answer = _answer(engine, question, same)
                found[build.id, tokens, sequences] = answer
    for build in asked.builds:
        for tokens in contexts_of(model, only):
            for sequences in only.sequences:
                answer = found[build.id, tokens, sequences]
                yield Row(model.id, asked.runtime.id, build.id, tokens, sequences, answer)


def _without_ram_first(builds: Sequence[Build]) -> list[Build]:
    return sorted(builds, key=lambda build: build.ram_gib)


def _loaded(
    engine: FitEngine, model: LanguageModel, asked: Asked
) -> tuple[RunnableCheckpoint, ...]:
    """Prepare what a runtime loads in the order in which ``fit --runtime`` lists it."""
    order = {checkpoint.id: place for place, checkpoint in enumerate(model.checkpoints)}
    loaded = engine.loaded_by(model, asked.runtime.id)
    return tuple(sorted(loaded, key=lambda one: order[one.subject.checkpoint.id]))


def _answer(engine: FitEngine, question: ModelQuestion, same: dict[Hashable, Answer]) -> Answer:
    verdict = verdict_of(engine, question)
    if verdict is None:
        raise ValueError(f"{question.model.id}: nothing was asked about")
    pick = pick_of(engine, question, verdict)
    chosen = pick.entry.chosen
    if chosen is None:
        return _made(engine, question, pick)
    key = (pick.entry.subject.checkpoint.id, chosen.evaluation, chosen.replicas)
    if key not in same:
        same[key] = _made(engine, question, pick)
    return same[key]


def _made(engine: FitEngine, question: ModelQuestion, pick: Pick) -> Answer:
    """Write an assessment down; what is left out is the combo's own: cure and evidence."""
    found = assessed(engine, question, Pick(pick.entry, pick.ask), cured=False)
    chosen = pick.entry.chosen
    users = None
    if chosen is not None:
        users = chosen.replicas * engine.held(chosen.evaluation, found.workload.context_tokens)
    return answer_of(found, users)


def answer_of(found: Assessment, users: int | None) -> Answer:
    """Take what an answer has from an assessment."""
    plan, full, limits, speed = found.plan, found.verdict_utilization, found.limits, found.speed
    first = speed.first_token_s if speed else None
    return Answer(
        tier=found.tier.value,
        too_close=found.too_close,
        checkpoint=found.checkpoint.id,
        weights_bytes=found.weights_bytes,
        reasons="+".join(reason.code for reason in found.reasons),
        flags=_flags(found.settings),
        tensor_parallel_size=plan.tensor_parallel_size if plan else None,
        pipeline_parallel_size=plan.pipeline_parallel_size if plan else None,
        replicas=plan.replicas if plan else None,
        cpu_layers=plan.cpu_layers if plan else None,
        cpu_expert_layers=plan.cpu_expert_layers if plan else None,
        utilization_low=full.low if full else None,
        utilization_mid=full.mid if full else None,
        utilization_high=full.high if full else None,
        shortage_bytes=found.shortage_bytes,
        max_context_tokens=limits.max_context_tokens if limits else None,
        users=users,
        one_tokens_per_s_low=speed.single_tokens_per_s.low if speed else None,
        one_tokens_per_s_mid=speed.single_tokens_per_s.mid if speed else None,
        one_tokens_per_s_high=speed.single_tokens_per_s.high if speed else None,
        all_tokens_per_s_mid=speed.aggregate_tokens_per_s.mid if speed else None,
        first_token_s_mid=first.mid if first else None,
    )


def _flags(settings: Settings) -> str:
    """Name the settings that are not the runtime's own: ``max_num_seqs=64 text_only``."""
    words = []
    for field in fields(Settings):
        value = getattr(settings, field.name)
        if value != getattr(DEFAULTS, field.name):
            words.append(field.name if value is True else f"{field.name}={value}")
    return " ".join(words)
