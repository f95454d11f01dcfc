"""Shapes that several files share: intervals, plans, assessments."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Argument = int | float | str
Tier = Literal["comfortable", "borderline", "not-practical"]


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
    gpu_index: int
    gpu: str
    budget_bytes: int
    """What the runtime may fill of it."""
    need_bytes: ByteBounds
    utilization: Bounds
    """Need over budget; 1 is full."""


class GpuLedger(Fullness):
    """What one GPU holds, line by line."""

    layers: int
    visible_bytes: int
    lines_bytes: dict[str, ByteBounds]
    free_bytes: ByteBounds


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
    sequences_at_context_tokens: dict[str, int]
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
    batch_per_replica: int
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
    model: str
    checkpoint: str
    runtime: str
    runtime_version: str
    tier: Tier
    too_close: bool
    plan: Plan | None
    speed: Speed | None
    verdict_utilization: Bounds | None


class Assessment(FitTuple):
    """One fit tuple and its answer."""

    combo: str
    context_tokens: int
    sequences: int
    kv_dtype: str
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


class Outcome(Shape):
    """Another checkpoint of a row."""

    checkpoint: str
    runtime: str
    tier: Tier
    too_close: bool
    utilization: Bounds | None


class ToMeasure(Shape):
    """What exactly to measure; empty where the quantity does not depend on it."""

    quantity: str
    runtime: str
    runtime_version: str
    gpus: dict[str, int]
    tensor_parallel_size: int
    pipeline_parallel_size: int
    link: str
    model: str
    checkpoint: str
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

    combo: str
    model: str
    assessment: str


class Opportunity(Shape):
    """A measurement and the rows that it would settle."""

    measure: ToMeasure
    verdicts: int
    settles: list[SettledRow]
