"""Shapes that several files share: intervals, plans, assessments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict

from sitegen.values import dataclass

Argument = int | float | str
Tier = Literal["comfortable", "borderline", "not-practical"]


@dataclass(frozen=True, slots=True)
class Of:
    """Where ``shaped`` reads a key's value, if not under the key's own name."""

    read: str | Callable[[Any], Any]


class Shape(BaseModel):
    """A JSON object with exactly these keys; clients must bear keys that are added later."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Bounds(Shape):
    """A number known between bounds, in the unit of its key."""

    low: float
    mid: float
    high: float


class ByteBounds(Shape):
    """A size known between bounds, in bytes."""

    low: int
    mid: int
    high: int


class Coded(Shape):
    """A sentence as a code and its arguments."""

    code: str
    arguments: dict[str, Argument]


class Cure(Coded):
    """The cheapest change that helps, and the tier that it leads to."""

    tier: Tier


class Plan(Shape):
    """Who computes what in each replica."""

    kind: str
    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    ranks: list[list[int]]
    """Node and GPU index of each rank of the first replica."""
    layers_per_stage: list[int]
    cpu_layers: int
    cpu_expert_layers: int


class Fullness(Shape):
    """How full one GPU is."""

    node: int
    gpu_index: Annotated[int, Of("gpu")]
    gpu: Annotated[str, Of("gpu_id")]
    budget_bytes: int
    """What the runtime may fill of it."""
    need_bytes: Annotated[ByteBounds, Of("need")]
    utilization: Bounds
    """Need over budget; 1 is full."""


class GpuLedger(Fullness):
    """What one GPU holds, line by line."""

    layers: int
    visible_bytes: int
    lines_bytes: Annotated[dict[str, ByteBounds], Of("lines")]
    free_bytes: Annotated[ByteBounds, Of("free")]


class Anchor(Shape):
    """A record near a fit tuple, and in what it differs."""

    quantity: str
    source: str
    run: str
    tokens_per_s: float | None
    depth_tokens: int | None
    differs: list[str]
    evidence: str


class Limits(Shape):
    """How far a plan reaches."""

    max_context_tokens: int
    max_context_tokens_low: int
    sequences_at_context_tokens: Annotated[dict[str, int], Of("sequences_at")]
    kv_pool_tokens: int
    kv_bytes_per_token_per_gpu: int
    startable_sequences: int | None
    counted_to: int
    """Sequences are counted up to so many, and more may fit; 0 where all that fit are counted."""


class Speed(Shape):
    """Estimated speeds of a plan."""

    single_tokens_per_s: Bounds
    aggregate_tokens_per_s: Bounds
    each_tokens_per_s: Bounds
    """Of one of the streams that are served together."""
    batch_per_replica: Annotated[int, Of("batch")]
    capped: bool
    """More would fit than the streams that the speed is estimated for."""
    bound: str
    communication_share: float
    prompt_tokens: int
    first_token_s: Bounds | None
    prefill_tokens_per_s: Bounds | None
    evidence: str


class FitTuple(Shape):
    """What was assessed, and the tier."""

    id: str
    """The same for the same model, checkpoint, runtime, hardware, plan and workload."""
    model: Annotated[str, Of("model.id")]
    checkpoint: Annotated[str, Of("checkpoint.id")]
    runtime: Annotated[str, Of("runtime.id")]
    runtime_version: Annotated[str, Of("profile.version")]
    tier: Tier
    too_close: bool
    plan: Plan | None
    speed: Speed | None
    verdict_utilization: Bounds | None


class Assessment(FitTuple):
    """One fit tuple and its answer."""

    combo: Annotated[str, Of("combo.id")]
    context_tokens: Annotated[int, Of("workload.context_tokens")]
    sequences: Annotated[int, Of("workload.sequences")]
    kv_dtype: Annotated[str, Of("workload.kv_dtype")]
    reasons: list[Coded]
    shortage_bytes: int
    cure: Cure | None
    weights_bytes: int
    effective_vram_bytes: int
    evidence: str
    known_by: str
    anchors: list[Anchor]
    verdict_context_tokens: int
    limits: Limits | None
    busiest: Fullness | None


class WholeAssessment(Assessment):
    """An assessment with the ledger of every GPU of a replica."""

    ledger: list[GpuLedger]


class ToMeasure(Shape):
    """What exactly to measure; empty where the quantity does not depend on it."""

    quantity: str
    runtime: Annotated[str, Of("runtime_id")]
    runtime_version: str
    gpus: Annotated[dict[str, int], Of(lambda measure: dict(measure.gpus))]
    tensor_parallel_size: int
    pipeline_parallel_size: int
    link: Annotated[str, Of("link_id")]
    model: Annotated[str, Of("model_id")]
    checkpoint: Annotated[str, Of("checkpoint_id")]
    reserved_bytes: int


class Settled(Shape):
    """A measurement that settles a verdict, and which way each end settles it."""

    bounds: Bounds
    tier_at_low: Tier
    tier_at_high: Tier


class Option(Settled):
    """One measurement that would settle a row."""

    measure: ToMeasure


class SettledRow(Settled):
    """A row that a measurement would settle."""

    combo: Annotated[str, Of("row.pick.combo.id")]
    model: Annotated[str, Of("row.pick.model.id")]
    assessment: Annotated[str, Of("row.pick.id")]
    bounds: Annotated[Bounds, Of("option.bounds")]
    tier_at_low: Annotated[Tier, Of("option.tier_at_low")]
    tier_at_high: Annotated[Tier, Of("option.tier_at_high")]


class Opportunity(Shape):
    """A measurement and the rows that it would settle."""

    measure: ToMeasure
    verdicts: Annotated[int, Of(lambda value: len(value.settles))]
    settles: list[SettledRow]
