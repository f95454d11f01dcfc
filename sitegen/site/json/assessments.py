"""What the JSON twin of a page says of an assessment: bytes and ratios, never rounded."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Anchor, Assessment, Cure, FitTier
from sitegen.physics.plan import GpuLedger, ParallelPlan, Reason
from sitegen.site.plain_json import PlainJson
from sitegen.survey.results import CheckpointOutcome


def interval(value: Interval) -> dict[str, PlainJson]:
    """Bounds of a number, in the unit of its key."""
    return {"low": value.low, "mid": value.mid, "high": value.high}


def bytes_interval(value: Interval) -> PlainJson:
    """Bounds of a size; bytes are whole."""
    return {"low": int(value.low), "mid": int(value.mid), "high": int(value.high)}


def _arguments(of: Reason | Cure) -> dict[str, PlainJson]:
    return {"code": of.code, "arguments": dict(of.arguments)}


def plan(value: ParallelPlan) -> PlainJson:
    """Who computes what."""
    return {
        "kind": str(value.kind),
        "tensor_parallel_size": value.tensor_parallel_size,
        "pipeline_parallel_size": value.pipeline_parallel_size,
        "replicas": value.replicas,
        "ranks": [list(rank) for rank in value.ranks],
        "layers_per_stage": list(value.layers_per_stage),
        "cpu_layers": value.cpu_layers,
        "cpu_expert_layers": value.cpu_expert_layers,
    }


def gpu_ledger(value: GpuLedger) -> PlainJson:
    """What one GPU holds."""
    return {
        "node": value.node,
        "gpu_index": value.gpu,
        "gpu": value.gpu_id,
        "layers": value.layers,
        "visible_bytes": value.visible_bytes,
        "budget_bytes": value.budget_bytes,
        "lines_bytes": {name: bytes_interval(line) for name, line in value.lines.items()},
        "need_bytes": bytes_interval(value.need),
        "free_bytes": bytes_interval(value.free),
        "utilization": interval(value.utilization),
    }


def _fullness(value: GpuLedger) -> PlainJson:
    """How full one GPU is, without its lines."""
    return {
        "node": value.node,
        "gpu_index": value.gpu,
        "gpu": value.gpu_id,
        "budget_bytes": value.budget_bytes,
        "need_bytes": bytes_interval(value.need),
        "utilization": interval(value.utilization),
    }


def assessment(value: Assessment, *, ledger: bool = False) -> dict[str, PlainJson]:
    """One fit tuple and its answer; with ``ledger`` every GPU of a replica, else the busiest."""
    out: dict[str, PlainJson] = {
        "id": value.id,
        "model": value.model.id,
        "checkpoint": value.checkpoint.id,
        "runtime": value.runtime.id,
        "runtime_version": value.profile.version,
        "combo": value.combo.id,
        "context_tokens": value.workload.context_tokens,
        "sequences": value.workload.sequences,
        "kv_dtype": value.workload.kv_dtype,
        "tier": str(value.tier),
        "too_close": value.too_close,
        "reasons": [_arguments(reason) for reason in value.reasons],
        "shortage_bytes": value.shortage_bytes,
        "cure": _cure(value.cure),
        "weights_bytes": value.weights_bytes,
        "effective_vram_bytes": value.effective_vram_bytes,
        "evidence": str(value.evidence),
        "known_by": str(value.known_by),
        "anchors": [_anchor(anchor) for anchor in value.anchors],
        "verdict_context_tokens": value.verdict_context_tokens,
        "verdict_utilization": None
        if value.verdict_utilization is None
        else interval(value.verdict_utilization),
        "plan": None if value.plan is None else plan(value.plan),
        **_limits(value),
        **_speed(value),
    }
    busiest = value.busiest
    out["busiest"] = None if busiest is None else _fullness(busiest)
    if ledger:
        out["ledger"] = [gpu_ledger(gpu) for gpu in value.ledger]
    return out


def _anchor(anchor: Anchor) -> PlainJson:
    return {
        "quantity": anchor.quantity,
        "source": anchor.source,
        "run": anchor.run,
        "tokens_per_s": anchor.tokens_per_s,
        "depth_tokens": anchor.depth_tokens,
        "differs": list(anchor.differs),
        "evidence": str(anchor.evidence),
    }


def _cure(cure: Cure | None) -> PlainJson:
    return None if cure is None else {**_arguments(cure), "tier": str(cure.tier)}


def _limits(value: Assessment) -> Mapping[str, PlainJson]:
    limits = value.limits
    if limits is None:
        return {"limits": None}
    return {
        "limits": {
            "max_context_tokens": limits.max_context_tokens,
            "max_context_tokens_low": limits.max_context_tokens_low,
            "sequences_at_context_tokens": {
                str(context): sequences for context, sequences in limits.sequences_at.items()
            },
            "kv_pool_tokens": limits.kv_pool_tokens,
            "kv_bytes_per_token_per_gpu": limits.kv_bytes_per_token_per_gpu,
            "startable_sequences": limits.startable_sequences,
            "counted_to": limits.counted_to,
        }
    }


def _speed(value: Assessment) -> Mapping[str, PlainJson]:
    speed = value.speed
    if speed is None:
        return {"speed": None}
    return {
        "speed": {
            "single_tokens_per_s": interval(speed.single_tokens_per_s),
            "aggregate_tokens_per_s": interval(speed.aggregate_tokens_per_s),
            "each_tokens_per_s": interval(speed.each_tokens_per_s),
            "batch_per_replica": speed.batch,
            "capped": speed.capped,
            "bound": speed.bound,
            "communication_share": speed.communication_share,
            "prompt_tokens": speed.prompt_tokens,
            "first_token_s": None if speed.first_token_s is None else interval(speed.first_token_s),
            "prefill_tokens_per_s": None
            if speed.prefill_tokens_per_s is None
            else interval(speed.prefill_tokens_per_s),
            "evidence": str(speed.evidence),
        }
    }


def brief(value: Assessment) -> PlainJson:
    """An assessment in a few words; its combo's twin has all of it."""
    reached = value.verdict_utilization
    return {
        "id": value.id,
        "combo": value.combo.id,
        "checkpoint": value.checkpoint.id,
        "runtime": value.runtime.id,
        "tier": str(value.tier),
        "too_close": value.too_close,
        "shortage_bytes": value.shortage_bytes,
        "utilization": None if reached is None else interval(reached),
        "utilization_at_context_tokens": value.verdict_context_tokens,
    }


def outcome(value: CheckpointOutcome) -> PlainJson:
    """Another checkpoint of a row; its size is in the model's twin."""
    return {
        "checkpoint": value.checkpoint.id,
        "runtime": value.runtime.id,
        "tier": str(value.tier),
        "too_close": value.too_close,
        "utilization": None if value.utilization is None else interval(value.utilization),
    }


def others(found: tuple[CheckpointOutcome, ...]) -> dict[str, PlainJson]:
    """Say of a row's other checkpoints which run and how, and name those that do not."""
    refused = FitTier.NOT_PRACTICAL
    return {
        "others": [outcome(other) for other in found if other.tier is not refused],
        "others_not_practical": [o.checkpoint.id for o in found if o.tier is refused],
    }
