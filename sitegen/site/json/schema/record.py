"""Shape of the record that ``sitegen fit --json`` prints: intervals are ``[low, mid, high]``."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sitegen.fit.assessment import Assessment as Assessed
from sitegen.physics.plan import PlanKind
from sitegen.site.json.schema.parts import Anchor, Coded, Cure, Limits, Of, Shape, Tier
from sitegen.site.json.shaped import shaped

Bytes = tuple[int, int, int]
Numbers = tuple[float, float, float]
TOPOLOGY = {
    PlanKind.SINGLE: "single",
    PlanKind.TENSOR: "pooled_tp",
    PlanKind.PIPELINE: "pooled_pp",
    PlanKind.TENSOR_PIPELINE: "pooled_tp_pp",
    PlanKind.LAYER_SPLIT: "layer_split",
    PlanKind.REMOTE_LAYER_SPLIT: "layer_split",
    PlanKind.OFFLOAD: "hybrid_offload",
}


class RuntimeVersion(Shape):
    """A runtime, and the version whose profile was used."""

    id: Annotated[str, Of("runtime.id")]
    version: Annotated[str, Of("profile.version")]


class AskedLoad(Shape):
    """What is asked of the model."""

    context_tokens: int
    sequences: int
    kv_dtype: str


class ChosenSettings(Shape):
    """The operator's choices: null for the runtime's default; what few set may be absent."""

    memory_fraction: float | None
    max_num_seqs: int | None
    max_num_batched_tokens: int | None
    enforce_eager: bool
    micro_batch_tokens: int | None
    raised_limit: bool
    images: bool
    backend: str
    expert_parallel: bool = False
    data_parallel_size: int | None = None
    decode_context_parallel_size: int | None = None
    prediction_layers: bool = False
    draft_bytes: int | None = None
    text_only: bool = False


class Rank(Shape):
    """Indices of a GPU."""

    node: Annotated[int, Of(lambda rank: rank[0])]
    gpu: Annotated[int, Of(lambda rank: rank[1])]


class PlanOfRanks(Shape):
    """Who computes what in each replica."""

    kind: str
    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    ranks: list[Rank]
    layers_per_stage: list[int]
    cpu_layers: int
    cpu_expert_layers: int


class Topology(Shape):
    """The kind of plan in one word, and what one replica can fill."""

    kind: Annotated[str, Of(lambda found: TOPOLOGY[found.plan.kind])]
    effective_bytes: Annotated[int, Of("effective_vram_bytes")]
    aggregate_replicas: Annotated[int, Of("plan.replicas")]


class GpuLines(Shape):
    """What one GPU holds, line by line, in bytes."""

    node: int
    gpu: int
    gpu_id: str
    layers: int
    visible_bytes: int
    budget_bytes: int
    lines: dict[str, Bytes]
    need: Bytes
    free: Bytes
    utilization: Numbers


class Fit(Shape):
    """The verdict, why it is not better, and the cheapest change that helps."""

    tier: Tier
    reasons: list[Coded]
    shortage_bytes: int
    too_close_to_call: Annotated[bool, Of("too_close")]
    verdict_context_tokens: int
    verdict_utilization: Numbers | None
    cure: Cure | None


class RecordLimits(Limits):
    """How far the plan reaches."""

    sequences_at: Annotated[dict[str, int], Field(deprecated=True)]
    """The old name of `sequences_at_context_tokens`."""


class RecordSpeed(Shape):
    """Estimated speeds of the plan in tokens/s."""

    single_tokens_per_s: Numbers
    aggregate_tokens_per_s: Numbers
    each_tokens_per_s: Numbers
    batch_per_replica: Annotated[int, Of("batch")]
    batch: Annotated[int, Field(deprecated=True)]
    """The old name of `batch_per_replica`."""
    capped: bool
    small_steps: bool
    """The operator's steps are smaller than any that were measured."""
    bound: str
    communication_share: float
    prompt_tokens: int
    first_token_s: Numbers | None
    prefill_tokens_per_s: Numbers | None
    evidence: str


class HowKnown(Shape):
    """How the answer is known, and what was measured near it."""

    tier: Annotated[str, Of("known_by")]
    memory: Annotated[str, Of("evidence")]
    weights: Annotated[str, Of("checkpoint.evidence")]
    anchors: list[Anchor]


class Refused(Shape):
    """A plan that a rule refuses."""

    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    code: Annotated[str, Of("reason.code")]
    arguments: Annotated[dict[str, int | float | str], Of("reason.arguments")]


def _itself(assessed: Assessed) -> Assessed:
    return assessed


class FitRecord(Shape):
    """One fit tuple and its answer; without a valid plan what needs one is null or empty."""

    id: str
    model: Annotated[str, Of("model.id")]
    checkpoint: Annotated[str, Of("checkpoint.id")]
    quantization: Annotated[str, Of("checkpoint.quantization.id")]
    runtime: Annotated[RuntimeVersion, Of(_itself)]
    combo: Annotated[str, Of("combo.id")]
    workload: AskedLoad
    settings: ChosenSettings
    plan: PlanOfRanks | None
    topology: Annotated[Topology | None, Of(lambda found: found if found.plan else None)]
    per_gpu: Annotated[list[GpuLines], Of("ledger")]
    fit: Annotated[Fit, Of(_itself)]
    limits: RecordLimits | None
    speed: RecordSpeed | None
    speed_unknown_with: Annotated[list[str], Of("unpriced")]
    evidence: Annotated[HowKnown, Of(_itself)]
    weights_bytes: int
    rejected_plans: Annotated[list[Refused], Of("refused")]


def to_record(assessment: Assessed) -> dict[str, Any]:
    """Write the whole record of an assessment: plan, per-GPU ledger, verdict, limits, speed."""
    return shaped(FitRecord, assessment)
