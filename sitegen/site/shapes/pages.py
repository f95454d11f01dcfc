"""Shapes of the ``index.json`` beside a page, by kind of page."""

from __future__ import annotations

from pydantic import Field

from sitegen.site.shapes.parts import (
    Argument,
    Assessment,
    Bounds,
    ByteBounds,
    FitTuple,
    Opportunity,
    Option,
    Outcome,
    Shape,
    Tier,
    WholeAssessment,
)


class TableData(Shape):
    """A table of a page: the values of ``data.csv``, numbers as numbers."""

    id: str
    caption: str
    total: int
    rows: list[dict[str, str | int | float | None]]


class TablesPage(Shape):
    """A page whose facts are its tables."""

    tables: list[TableData]


class ComboRow(Assessment):
    """A row of a combo page: the smallest production checkpoint, and what others do."""

    row_id: str
    settled_by: list[Option] | None
    better: Outcome | None
    others: list[Outcome]
    others_not_practical: list[str]


class EffectiveVram(Shape):
    """What one replica can fill under a plan."""

    runtime: str
    plan_kind: str
    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    bytes: int
    for_weights_and_kv_bytes: int


class Standing(Shape):
    """A plan that answers a goal, and what it gives."""

    amount: Bounds
    assessment: FitTuple


class GoalAnswer(Shape):
    """The plan for a goal: parameters, tokens/s of one stream, or resident sequences."""

    goal: str
    scope: str
    least_parameters: float
    plans_compared: int
    models_compared: int
    best: Standing
    runner_up: Standing | None


class Drop(Shape):
    """A model whose tier a loss lowers."""

    model: str
    before: Tier
    after: Tier


class Remains(Shape):
    """What a loss leaves of an answer."""

    same_model: FitTuple | None
    best: FitTuple | None


class Loss(Shape):
    """What still runs after a loss."""

    kind: str
    node: int
    gpus: list[str]
    alike: int
    worst: bool
    counts: dict[str, int]
    drops: list[Drop]
    largest_single_model: Remains
    aggregate_serving: Remains


class ContextPoint(Shape):
    """What one sequence of a length takes of the busiest GPU."""

    context_tokens: int
    need_bytes: ByteBounds
    utilization: Bounds


class LoadPoint(Shape):
    """Decode speed with so many streams over all replicas."""

    streams: int
    each_tokens_per_s: Bounds
    all_tokens_per_s: Bounds


class ComboPage(Shape):
    """A combo page: both answers, every model by tier, losses, what to measure."""

    combo: str
    name: str
    installed_vram_bytes: int
    effective_vram: list[EffectiveVram]
    largest_single_model: WholeAssessment | None
    aggregate_serving: WholeAssessment | None
    answers: list[GoalAnswer]
    losses: list[Loss]
    opportunities: list[Opportunity]
    context_curve: list[ContextPoint]
    load_curve: list[LoadPoint]
    tiers: dict[str, list[ComboRow]]


class BriefAssessment(Shape):
    """An assessment in a few words; its combo's file has all of it."""

    id: str
    combo: str
    checkpoint: str
    runtime: str
    tier: Tier
    too_close: bool
    shortage_bytes: int
    utilization: Bounds | None
    utilization_at_context_tokens: int


class CheckpointSize(Shape):
    """A checkpoint and its exact size."""

    checkpoint: str
    total_bytes: int
    bits_per_weight: float
    production: bool


class MeasuredSpeed(Shape):
    """A speed that somebody published."""

    id: str
    gpus: str
    runtime: str
    version: str
    checkpoint: str
    depth_tokens: int | None
    sequences: int
    decode_tokens_per_s: float | None
    aggregate_tokens_per_s: float | None
    prefill_tokens_per_s: float | None
    timed: str
    speculative: str
    source: str


class ModelPage(Shape):
    """A model page: sizes, and every combo by tier."""

    model: str
    name: str
    parameters: int
    active_parameters: int
    kv_bytes_per_token: float
    valid_tensor_parallel_sizes: list[int]
    checkpoints: list[CheckpointSize]
    tiers: dict[str, list[BriefAssessment]]
    measured_speeds: list[MeasuredSpeed]


class Amount(Shape):
    """What the best plan for a goal gives, and of which model."""

    model: str
    mid: float


class ComparedCombo(Shape):
    """A combo's figures beside those of others."""

    combo: str
    gpu_price_usd: int | None
    gpu_watts: int | None
    electricity_usd_per_month: float | None
    installed_vram_bytes: int
    effective_vram_bytes: int | None
    largest_single_model: str | None
    fastest_for_one_user: Amount | None = Field(alias="fastest-for-one-user")
    most_users_at_8k: Amount | None = Field(alias="most-users-at-8k")
    most_users_at_32k: Amount | None = Field(alias="most-users-at-32k")
    models: dict[str, int]


class ComparePage(Shape):
    """Every combo's figures."""

    combos: list[ComparedCombo]


class OpportunitiesPage(Shape):
    """Measurements that would settle verdicts, most valuable first."""

    opportunities: list[Opportunity]


class Step(Shape):
    """A line of the sum behind a finding."""

    code: str
    value: float | str
    unit: str
    source: str
    of: str = ""
    high: float | None = None


class JudgedClaim(Shape):
    """A claim of a public page beside the engine's arithmetic."""

    id: str
    quote: str
    place: str
    verdict: str
    code: str
    arguments: dict[str, Argument]
    reading: list[str]
    steps: list[Step]


class ClaimedPage(Shape):
    """A public page and its claims."""

    id: str
    title: str
    url: str
    read: str
    claims: list[JudgedClaim]


class Quarantined(Shape):
    """A benchmark record above a physical bound."""

    source: str
    run: str
    quote: str
    code: str
    verdict: str
    arguments: dict[str, Argument]
    steps: list[Step]


class ClaimsPage(Shape):
    """Claims checked, and records in quarantine."""

    pages: list[ClaimedPage]
    quarantined: list[Quarantined]


class Goal(Shape):
    """An error that the project wants to stay below."""

    quantity: str
    program: str
    measure: str
    limit: float
    reached: float | None
    met: bool | None


class QuantityErrors(Shape):
    """Errors of one quantity; shares of the logged value."""

    quantity: str
    unit: str
    figures: int
    median_error: float | None
    p95_error: float | None
    inside: float | None
    median_width: float | None
    naive_median_error: float | None
    undisputed_median_error: float | None
    undisputed_p95_error: float | None


class VerdictCounts(Shape):
    """Verdicts beside what happened."""

    judged: int
    agree: int
    refused_though_ran: int
    comfortable_though_failed: int
    naive_judged: int
    naive_agree: int


class Coverage(Shape):
    """How many figures could be compared, and why others could not."""

    usable: int
    compared: int
    reasons: dict[str, int]


class SpeedComparison(Shape):
    """A published speed beside the engine's."""

    run: str
    source: str
    quantity: str
    measured_tokens_per_s: float
    predicted_tokens_per_s: list[float]
    naive_tokens_per_s: float | None
    runtime: str
    gpu: str
    note: str


class AccuracyPage(Shape):
    """How far the engine is from what others measured; without logs of memory only speeds."""

    speeds: list[SpeedComparison]
    sources: int = 0
    runs: int = 0
    files: int = 0
    left_out: int = 0
    goals: list[Goal] = Field(default=[])
    quantities: list[QuantityErrors] = Field(default=[])
    verdicts: VerdictCounts | None = None
    coverage: dict[str, Coverage] = Field(default={})


class MemoryComparison(Shape):
    """A figure of a log beside the engine's estimate."""

    run: str
    source: str
    version: str
    model: str
    checkpoint: str
    quantity: str
    measured: float
    predicted: list[float]
    naive: float | None
    inside: bool
    cause: str
    disputed: str


class ProgramPage(Shape):
    """Every figure of one program."""

    program: str
    comparisons: list[MemoryComparison]


class MovedRows(Shape):
    """Rows whose tier changed: ids of models by id of the combo."""

    before: Tier
    after: Tier
    rows: dict[str, list[str]]


class Release(Shape):
    """What one publication changed."""

    id: str
    date: str
    title: str
    summary: str
    base: str
    head: str
    removed: dict[str, list[str]]
    added: dict[str, list[str]]
    moved: list[MovedRows]


class ChangesPage(Shape):
    """Releases, the newest first."""

    releases: list[Release]


class Warned(Shape):
    """What an editor should mend although everything resolves."""

    path: str
    line: int
    code: str
    message: str


class StaleRecord(Shape):
    """A record that waits for a review."""

    kind: str
    id: str
    reviewed: str
    days: int


class StatusPage(Shape):
    """The state of the data."""

    data_date: str
    records: dict[str, int]
    verdicts: dict[str, int]
    too_close: int
    models_surveyed: int
    quarantined: int
    warnings: list[Warned]
    stale_days: int
    stale: list[StaleRecord]
