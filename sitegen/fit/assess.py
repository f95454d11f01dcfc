"""One fit tuple assessed: the best valid plan, its ledger, limits, reasons and cure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.provenance import Evidence
from sitegen.fit.assessment import Assessment, BestPlans, FitRequest, FitTier
from sitegen.fit.evaluation import Evaluation
from sitegen.fit.fit_engine import Detail, FitEngine
from sitegen.fit.fixes import Owned, cheapest_cure
from sitegen.fit.planner import PlacedPlan, Question, best_plan
from sitegen.fit.runnable_checkpoint import ServedCheckpoint
from sitegen.physics import valid_splits
from sitegen.physics.gpu_groups import exact_set
from sitegen.physics.memory.paged import PagedEngine
from sitegen.physics.memory.paged_replica import PagedReplica
from sitegen.physics.plan import (
    Limits,
    ParallelPlan,
    Reason,
    RefusedPlan,
    Settings,
    Speed,
    Workload,
)
from sitegen.physics.speed.constants import unpriced

SHOWN_CONTEXTS = (8_192, 32_768)
"""Context lengths at which every row says how many sequences fit."""


def assess(engine: FitEngine, request: FitRequest) -> Assessment:
    """Answer one question with an engine that remembers earlier answers."""
    if request.workload.context_tokens > request.model.context_tokens:
        arguments = {
            "context_tokens": request.workload.context_tokens,
            "model_context": request.model.context_tokens,
        }
        return refused_assessment(engine, request, Reason("CONTEXT_BEYOND_MODEL", arguments), ())
    if request.tensor_parallel_size is not None or request.pipeline_parallel_size is not None:
        return _assess_given_plan(engine, subject_of(request), request)
    chosen = best_plan(question_of(engine, request))
    return build_assessment(engine, request, chosen)


def subject_of(request: FitRequest) -> ServedCheckpoint:
    """Return what is asked about, hardware apart."""
    return ServedCheckpoint(request.model, request.checkpoint, request.runtime, request.profile)


def question_of(engine: FitEngine, request: FitRequest) -> Question:
    """Return the planner's question."""
    return Question(
        engine.prepare(subject_of(request)),
        engine.gpu_groups(request.combo),
        request.workload,
        request.settings,
        request.goal,
    )


def _why_nothing(engine: FitEngine, request: FitRequest) -> Reason:
    """Say why no set of the combo has a valid plan: the first thing unsupported, or no split.

    Where only the operator's settings leave no split, the rule that they break says why.
    """
    sets = engine.gpu_groups(request.combo)
    prepared = engine.prepare(subject_of(request))
    for group, _ in sets:
        found = prepared.unsupported(group)
        if found is not None:
            return found
    for group, _ in sets[-1:]:
        found = valid_splits.settings_refusal(
            prepared.reduced, request.runtime, group, request.settings, request.workload.kv_dtype
        )
        if found is not None:
            return found
    return Reason("NO_VALID_PLAN", {})


def _assess_given_plan(
    engine: FitEngine, subject: ServedCheckpoint, request: FitRequest
) -> Assessment:
    tp = request.tensor_parallel_size or 1
    pp = request.pipeline_parallel_size or 1
    needed = tp * pp * request.settings.attention_copies
    available = len(request.combo.gpus)
    if needed > available:
        reason = Reason("WORLD", {"needed": needed, "available": available})
        return refused_assessment(engine, request, reason, (RefusedPlan(tp, pp, 1, reason),))
    group = engine.canonical(exact_set(request.combo, needed, engine.assumptions))
    prepared = engine.prepare(subject)
    refusal = prepared.unsupported(group)
    if refusal is None:
        refusal = valid_splits.refusal(
            prepared.reduced, subject.runtime, group, (tp, pp), request.settings
        ) or valid_splits.sharing_refusal(
            prepared.reduced,
            subject.runtime,
            group,
            (tp, request.settings.decode_context_parallel_size or 1),
            request.workload.kv_dtype,
        )
    if refusal is not None:
        return refused_assessment(engine, request, refusal, (RefusedPlan(tp, pp, 1, refusal),))
    if not isinstance(prepared.memory, PagedEngine):
        if tp == 1:
            whole = prepared.evaluations(group, request.workload, request.settings)
            return build_assessment(engine, request, PlacedPlan(whole[0], 1))
        if pp > 1 or not prepared.may_cut(group, request.settings, request.workload.kv_dtype):
            reason = Reason("TP_NOT_HERE", {"runtime": subject.runtime.id})
            return refused_assessment(engine, request, reason, (RefusedPlan(tp, pp, 1, reason),))
    found = prepared.evaluate_split(group, (tp, pp), request.workload, request.settings)
    return build_assessment(engine, request, PlacedPlan(found, available // needed))


def build_assessment(
    engine: FitEngine,
    request: FitRequest,
    chosen: PlacedPlan | None,
    *,
    cured: bool = True,
    plans_beside: Sequence[PlacedPlan] = (),
) -> Assessment:
    """Turn the chosen plan into the full record, with or without what would help.

    ``plans_beside`` are all comfortable plans of the same checkpoint under the same runtime.
    """
    subject = subject_of(request)
    if chosen is None:
        return refused_assessment(engine, request, _why_nothing(engine, request), ())
    evaluation, replicas = chosen.evaluation, chosen.replicas
    request = replace(request, workload=evaluation.workload)
    limits, ledger = engine.detail(evaluation, lambda: _detail(subject, evaluation))
    cure = None
    if cured:
        owned = Owned.of(request)
        cure = engine.cure(
            evaluation, owned, lambda: cheapest_cure(engine, subject, evaluation, owned)
        )
    weights = evaluation.reduced.weights
    made = Assessment(
        id=assessment_id(request, evaluation.settings, evaluation.split),
        model=subject.model,
        checkpoint=subject.checkpoint,
        runtime=subject.runtime,
        profile=subject.profile,
        combo=request.combo,
        workload=request.workload,
        settings=evaluation.settings,
        tier=evaluation.tier,
        reasons=_completed(engine, evaluation, limits),
        shortage_bytes=evaluation.shortage_bytes,
        too_close=evaluation.too_close,
        cure=cure,
        plan=evaluation.replica.plan(replicas),
        ledger=ledger,
        limits=limits,
        speed=_speed(engine, evaluation, limits, replicas),
        unpriced=unpriced(evaluation.settings, evaluation.workload),
        refused=_refused(engine, subject, request.combo),
        weights_bytes=weights.total_bytes,
        effective_vram_bytes=evaluation.replica.effective_bytes(),
        verdict_context_tokens=evaluation.context_tokens,
        verdict_utilization=evaluation.utilization,
        evidence=Evidence.ESTIMATED,
        best=best_plans(engine, subject, plans_beside) if plans_beside else None,
    )
    return _with_evidence(engine, made)


def best_plans(
    engine: FitEngine, subject: ServedCheckpoint, placeds: Sequence[PlacedPlan]
) -> BestPlans:
    """Choose, for each question of a row, the best of some comfortable plans.

    The longest context is sought among the plans that span most GPUs, which have most room.
    """
    model_context = subject.model.context_tokens
    widest = max(len(placed.evaluation.group.ranks) for placed in placeds)
    roomy = [placed for placed in placeds if len(placed.evaluation.group.ranks) == widest]
    reach = [engine.longest(placed.evaluation, model_context) for placed in roomy]
    users = {}
    for tokens in SHOWN_CONTEXTS:
        if tokens <= model_context:
            counts = [
                engine.held(placed.evaluation, tokens) * placed.replicas for placed in placeds
            ]
            most = counts.index(max(counts))
            users[tokens] = (counts[most], _plan_of(placeds[most]))
    speeds = [_known_speed(placed.evaluation) for placed in placeds]
    fastest = placeds[speeds.index(max(speeds))]
    longest = reach.index(max(reach))
    return BestPlans(
        longest_context=(reach[longest], _plan_of(roomy[longest])),
        users=users,
        one_stream=(fastest.evaluation.single_tokens_per_s, _plan_of(fastest))
        if max(speeds) > 0
        else None,
    )


def _known_speed(evaluation: Evaluation) -> float:
    """Decode speed of one stream; 0 under settings whose effect on it is unknown."""
    return (
        0.0
        if unpriced(evaluation.settings, evaluation.workload)
        else evaluation.single_tokens_per_s.mid
    )


def _plan_of(candidate: PlacedPlan) -> ParallelPlan:
    return candidate.evaluation.replica.plan(candidate.replicas)


def _with_evidence(engine: FitEngine, made: Assessment) -> Assessment:
    """Say how memory and speed are known, from the nearest records."""
    memory, logged = engine.evidence.memory(made)
    if made.speed is None:
        return replace(made, evidence=memory, anchors=logged)
    word, measured = engine.evidence.speed(made)
    speed = replace(made.speed, evidence=word)
    return replace(made, evidence=memory, speed=speed, anchors=(*measured, *logged))


def _detail(subject: ServedCheckpoint, evaluation: Evaluation) -> Detail:
    """Compute what only a shown plan needs."""
    workload = evaluation.workload
    return (
        limits_of(evaluation, subject.model.context_tokens),
        evaluation.replica.ledger(workload.context_tokens, workload.sequences),
    )


def _completed(engine: FitEngine, evaluation: Evaluation, limits: Limits) -> tuple[Reason, ...]:
    """Add to a context reason how far one context reaches, or how many of the asked ones fit."""
    workload = evaluation.workload
    found = []
    for reason in evaluation.reasons:
        if reason.code != "KV_BELOW_CONTEXT":
            found.append(reason)
        elif limits.max_context_tokens < workload.context_tokens or workload.sequences == 1:
            reach = {"max_context_tokens": limits.max_context_tokens}
            found.append(Reason(reason.code, {**reason.arguments, **reach}))
        else:
            many = {
                "sequences": workload.sequences,
                "held": engine.held(evaluation, workload.context_tokens),
            }
            found.append(Reason("KV_BELOW_SEQUENCES", {**reason.arguments, **many}))
    return tuple(found)


def limits_of(evaluation: Evaluation, longest: int) -> Limits:
    """Search how far the plan goes, up to the model's own context."""
    contexts = tuple(tokens for tokens in SHOWN_CONTEXTS if tokens <= longest)
    replica = evaluation.replica
    limits = replica.limits(longest, contexts)
    if not isinstance(replica, PagedReplica):
        return limits
    started = limits.context_to_start(evaluation.context_tokens, evaluation.workload.sequences)
    return replace(limits, tokens_by_request=replica.tokens_by_request(started))


def _speed(
    engine: FitEngine, evaluation: Evaluation, limits: Limits, replicas: int
) -> Speed | None:
    """Estimate the speed of a plan; ``None`` where a setting's effect on it is unknown.

    Each replica serves the sequences that the workload asks for, as far as they fit at its
    context. One sequence is no wish: then as many as fit, up to the policy's cap.
    """
    if evaluation.pipeline is None or unpriced(evaluation.settings, evaluation.workload):
        return None
    asked, cap = evaluation.workload.sequences, engine.judge.streams_cap
    most = asked if asked > 1 else cap
    held = _held(evaluation, limits, most + 1)
    return engine.judge.speed.speed(
        evaluation.pipeline,
        evaluation.group,
        context=evaluation.workload.context_tokens // 2,
        batch=max(1, min(most, held)),
        replicas=replicas,
        capped=asked == 1 and held > cap,
    )


def _held(evaluation: Evaluation, limits: Limits, wanted: int) -> int:
    """Count the sequences of the workload's length that a replica holds, at least to ``wanted``."""
    tokens = evaluation.workload.context_tokens
    known = limits.sequences_at.get(tokens)
    if known is None or known == limits.counted_to < wanted:
        return evaluation.replica.most_sequences(tokens, wanted)
    return known


def _refused(engine: FitEngine, subject: ServedCheckpoint, combo: Combo) -> tuple[RefusedPlan, ...]:
    widest = engine.gpu_groups(combo)[-1]
    prepared = engine.prepare(subject)
    if not isinstance(prepared.memory, PagedEngine):
        return ()
    return valid_splits.refused(prepared.reduced, subject.runtime, *widest)


def refused_assessment(
    engine: FitEngine, request: FitRequest, reason: Reason, refused: tuple[RefusedPlan, ...]
) -> Assessment:
    """Record that no plan is valid, and why."""
    subject = ServedCheckpoint(request.model, request.checkpoint, request.runtime, request.profile)
    weights = engine.prepare(subject).reduced.weights
    return Assessment(
        id=assessment_id(request, request.settings, (0, 0)),
        model=request.model,
        checkpoint=request.checkpoint,
        runtime=request.runtime,
        profile=request.profile,
        combo=request.combo,
        workload=request.workload,
        settings=request.settings,
        tier=FitTier.NOT_PRACTICAL,
        reasons=(reason,),
        shortage_bytes=0,
        too_close=False,
        cure=None,
        plan=None,
        ledger=(),
        limits=None,
        speed=None,
        refused=refused,
        weights_bytes=weights.total_bytes,
        effective_vram_bytes=0,
        verdict_context_tokens=request.workload.context_tokens,
        verdict_utilization=None,
        evidence=Evidence.ESTIMATED,
    )


def assessment_id(request: FitRequest, settings: Settings, split: tuple[int, int]) -> str:
    """Hash the fit tuple: the same tuple has the same id wherever it is computed."""
    parts: Iterable[object] = (
        request.model.id,
        request.checkpoint.id,
        request.runtime.id,
        request.profile.version,
        request.combo.id,
        *_workload_parts(request.workload),
        settings.memory_fraction,
        settings.max_num_seqs,
        settings.max_num_batched_tokens,
        settings.enforce_eager,
        settings.micro_batch_tokens,
        settings.raised_limit,
        *_beyond_tensors(settings),
        *(("images",) if settings.images else ()),
        *split,
    )
    text = "|".join(str(part) for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _beyond_tensors(settings: Settings) -> tuple[object, ...]:
    """Settings that most requests leave alone; they are part of an id only where one is set."""
    parts = (
        settings.expert_parallel,
        settings.data_parallel_size,
        settings.decode_context_parallel_size,
        settings.prediction_layers,
        settings.draft_bytes,
        settings.text_only,
    )
    later = (settings.flash_attention, settings.largest_allocation_bytes)
    if any(one is not None for one in later) or settings.backend:
        return (*parts, *later, settings.backend)
    return parts if any(parts) else ()


def _workload_parts(workload: Workload) -> tuple[object, ...]:
    return workload.context_tokens, workload.sequences, workload.kv_dtype
