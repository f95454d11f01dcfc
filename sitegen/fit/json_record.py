"""An assessment as the JSON record that pages, scripts and the API show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment
from sitegen.physics.plan import (
    GpuLedger,
    Limits,
    ParallelPlan,
    PlanKind,
    Reason,
    RefusedPlan,
    Settings,
    Speed,
)

TOPOLOGY = {
    PlanKind.SINGLE: "single",
    PlanKind.TENSOR: "pooled_tp",
    PlanKind.PIPELINE: "pooled_pp",
    PlanKind.TENSOR_PIPELINE: "pooled_tp_pp",
    PlanKind.LAYER_SPLIT: "layer_split",
    PlanKind.REMOTE_LAYER_SPLIT: "layer_split",
    PlanKind.OFFLOAD: "hybrid_offload",
}

Record = dict[str, Any]


def to_record(assessment: Assessment) -> Record:
    """Write the whole record: plan, per-GPU ledger in bytes, tier, reasons, limits, speed.

    Every memory figure is integer bytes as ``[low, mid, high]``, every speed tokens/s. Keys that
    need a valid plan (``plan``, ``per_gpu``, ``limits``, ``speed``) are null or empty without one.
    """
    a = assessment
    return {
        "id": a.id,
        "model": a.model.id,
        "checkpoint": a.checkpoint.id,
        "quantization": a.checkpoint.quantization.id,
        "runtime": {"id": a.runtime.id, "version": a.profile.version},
        "combo": a.combo.id,
        "workload": {
            "context_tokens": a.workload.context_tokens,
            "sequences": a.workload.sequences,
            "kv_dtype": a.workload.kv_dtype,
        },
        "settings": {
            "memory_fraction": a.settings.memory_fraction,
            "max_num_seqs": a.settings.max_num_seqs,
            "max_num_batched_tokens": a.settings.max_num_batched_tokens,
            "enforce_eager": a.settings.enforce_eager,
            "micro_batch_tokens": a.settings.micro_batch_tokens,
            "raised_limit": a.settings.raised_limit,
            **_beyond_tensors(a.settings),
            "images": a.settings.images,
            "backend": a.settings.backend,
        },
        "plan": _plan(a.plan),
        "topology": _topology(a),
        "per_gpu": [_gpu(gpu) for gpu in a.ledger],
        "fit": {
            "tier": a.tier.value,
            "reasons": _reasons(a.reasons),
            "shortage_bytes": a.shortage_bytes,
            "too_close_to_call": a.too_close,
            "verdict_context_tokens": a.verdict_context_tokens,
            "verdict_utilization": (
                None if a.verdict_utilization is None else _floats(a.verdict_utilization)
            ),
            "cure": _cure(a),
        },
        "limits": _limits(a.limits),
        "speed": _speed(a.speed),
        "speed_unknown_with": list(a.unpriced),
        "evidence": {
            "tier": a.known_by.value,
            "memory": a.evidence.value,
            "weights": a.checkpoint.evidence.value,
            "anchors": [asdict(anchor) for anchor in a.anchors],
        },
        "weights_bytes": a.weights_bytes,
        "rejected_plans": [_refused(plan) for plan in a.refused],
    }


def _beyond_tensors(settings: Settings) -> Record:
    """Settings that most requests leave alone, where one is set."""
    given: Record = {
        "expert_parallel": settings.expert_parallel,
        "data_parallel_size": settings.data_parallel_size,
        "decode_context_parallel_size": settings.decode_context_parallel_size,
        "prediction_layers": settings.prediction_layers,
        "draft_bytes": settings.draft_bytes,
        "text_only": settings.text_only,
    }
    return {key: value for key, value in given.items() if value}


def _bytes(interval: Interval) -> list[int]:
    return [int(interval.low), int(interval.mid), int(interval.high)]


def _floats(interval: Interval) -> list[float]:
    return list(interval.bounds)


def _plan(plan: ParallelPlan | None) -> Record | None:
    if plan is None:
        return None
    return {
        "kind": plan.kind.value,
        "tensor_parallel_size": plan.tensor_parallel_size,
        "pipeline_parallel_size": plan.pipeline_parallel_size,
        "replicas": plan.replicas,
        "ranks": [{"node": node, "gpu": gpu} for node, gpu in plan.ranks],
        "layers_per_stage": list(plan.layers_per_stage),
        "cpu_layers": plan.cpu_layers,
        "cpu_expert_layers": plan.cpu_expert_layers,
    }


def _topology(a: Assessment) -> Record | None:
    if a.plan is None:
        return None
    return {
        "kind": TOPOLOGY[a.plan.kind],
        "effective_bytes": a.effective_vram_bytes,
        "aggregate_replicas": a.plan.replicas,
    }


def _gpu(gpu: GpuLedger) -> Record:
    return {
        "node": gpu.node,
        "gpu": gpu.gpu,
        "gpu_id": gpu.gpu_id,
        "layers": gpu.layers,
        "visible_bytes": gpu.visible_bytes,
        "budget_bytes": gpu.budget_bytes,
        "lines": {name: _bytes(line) for name, line in gpu.lines.items()},
        "need": _bytes(gpu.need),
        "free": _bytes(gpu.free),
        "utilization": _floats(gpu.utilization),
    }


def _reasons(reasons: Sequence[Reason]) -> list[Record]:
    return [{"code": reason.code, "arguments": dict(reason.arguments)} for reason in reasons]


def _cure(a: Assessment) -> Record | None:
    if a.cure is None:
        return None
    return {
        "code": a.cure.code,
        "arguments": dict(a.cure.arguments),
        "tier": a.cure.tier.value,
    }


def _limits(limits: Limits | None) -> Record | None:
    if limits is None:
        return None
    return {
        "max_context_tokens": limits.max_context_tokens,
        "max_context_tokens_low": limits.max_context_tokens_low,
        "sequences_at": {str(tokens): n for tokens, n in limits.sequences_at.items()},
        "kv_pool_tokens": limits.kv_pool_tokens,
        "kv_bytes_per_token_per_gpu": limits.kv_bytes_per_token_per_gpu,
        "startable_sequences": limits.startable_sequences,
        "counted_to": limits.counted_to,
    }


def _speed(speed: Speed | None) -> Record | None:
    if speed is None:
        return None
    return {
        "single_tokens_per_s": _floats(speed.single_tokens_per_s),
        "aggregate_tokens_per_s": _floats(speed.aggregate_tokens_per_s),
        "each_tokens_per_s": _floats(speed.each_tokens_per_s),
        "batch": speed.batch,
        "capped": speed.capped,
        "small_steps": speed.small_steps,
        "bound": speed.bound,
        "communication_share": speed.communication_share,
        "prompt_tokens": speed.prompt_tokens,
        "first_token_s": None if speed.first_token_s is None else _floats(speed.first_token_s),
        "prefill_tokens_per_s": None
        if speed.prefill_tokens_per_s is None
        else _floats(speed.prefill_tokens_per_s),
        "evidence": speed.evidence.value,
    }


def _refused(plan: RefusedPlan) -> Record:
    return {
        "tensor_parallel_size": plan.tensor_parallel_size,
        "pipeline_parallel_size": plan.pipeline_parallel_size,
        "replicas": plan.replicas,
        "code": plan.reason.code,
        "arguments": dict(plan.reason.arguments),
    }
