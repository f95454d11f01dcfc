"""Shapes of the ``index.json`` beside a page, by kind of page."""

from __future__ import annotations

from typing import Annotated, Protocol

from pydantic import Field

from sitegen.ownership.prices import Cost as WholeCost
from sitegen.ownership.prices import PricedGpus, size_of, times
from sitegen.site.json.schema.columns import INLINE, Columns
from sitegen.site.json.schema.parts import (
    Anchor,
    Bounds,
    ByteBounds,
    Coded,
    Cure,
    FitTuple,
    Limits,
    Of,
    Opportunity,
    Option,
    Plan,
    Shape,
    Tier,
    WholeAssessment,
)
from sitegen.site.words.prices import gpu_to_buy
from sitegen.survey.answers import GpusNeeded
from sitegen.survey.results import CheckpointOutcome

Value = str | int | float | None


class HasOutcome(Protocol):
    """What an entry of ``other_checkpoints`` is made of."""

    @property
    def outcome(self) -> CheckpointOutcome:
        """What becomes of the checkpoint."""


class TableData(Shape):
    """A table of a page by columns: the values of ``data.csv``, numbers as numbers.

    A column has a value for each row, or one value alone where all rows have the same.
    """

    id: str
    caption: str
    total: int
    columns: dict[str, Value | list[Value]]


class TablesPage(Shape):
    """A page whose facts are its tables."""

    tables: list[TableData]


class RowBusiest(Shape):
    """The GPU of a row that is fullest."""

    node: int
    gpu_index: Annotated[int, Of("gpu")]
    gpu: Annotated[str, Of("gpu_id")]
    budget_bytes: int
    """What the runtime may fill of it."""
    need_bytes: Annotated[ByteBounds, Of("need")]


class RowSpeed(Shape):
    """Estimated speeds of a row's plan.

    Of the streams that are served together each has `aggregate_tokens_per_s` over
    `batch_per_replica` times the plan's `replicas`.
    """

    single_tokens_per_s: Bounds
    aggregate_tokens_per_s: Bounds
    batch_per_replica: Annotated[int, Of("batch")]
    capped: bool
    """More would fit than the streams that the speed is estimated for."""
    bound: str
    communication_share: float
    prompt_tokens: int
    first_token_s: Bounds | None
    prefill_tokens_per_s: Bounds | None
    evidence: str


class RowPick(Shape):
    """What to run of a model, and the answer."""

    id: str
    """The same for the same model, checkpoint, runtime, hardware, plan and workload."""
    model: Annotated[str, Of("model.id")]
    checkpoint: Annotated[str, Of("checkpoint.id")]
    runtime: Annotated[str, Of("runtime.id")]
    runtime_version: Annotated[str, Of("profile.version")]
    tier: Tier
    too_close: bool
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
    verdict_utilization: Bounds | None
    limits: Limits | None
    busiest: RowBusiest | None
    speed: RowSpeed | None


class BestPlans(Shape):
    """The best comfortable plan for each question of a row, by its number in `plans`."""

    longest_context_tokens: int
    longest_context_plan: int
    users_at: dict[str, int]
    """By context in tokens: full contexts at once over all replicas."""
    users_plan: dict[str, int]
    """By context in tokens, where the plan is not the row's own."""
    one_stream_plan: int | None
    one_stream_tokens_per_s: Bounds | None
    """Where the plan is not the row's own; else it is the row's `single_tokens_per_s`."""


class ComboRow(Shape):
    """A row of a combo page: what to run of a model, its verdict, and what other files do."""

    pick: Annotated[RowPick, INLINE]
    plan: int | None
    """Number of the plan in `plans`, counted from 0."""
    busiest_utilization: Bounds | None
    """Where it is not `verdict_utilization`, which may be that of a shorter context."""
    best: BestPlans | None
    verdict: int | None
    """Number, among `other_checkpoints` of this tier, of the one that decides the verdict; null
    where that is the row's own."""
    better: int | None
    """Number, among comfortable `other_checkpoints`, of one that is larger."""
    others_not_practical: list[str]
    """Other checkpoints of the model that do not run."""
    settled_by: list[Option] | None


def _middle(other: HasOutcome) -> float | None:
    return None if other.outcome.utilization is None else other.outcome.utilization.mid


class OtherCheckpoint(Shape):
    """What another checkpoint of a row's model does, or the same one under another plan."""

    row: int
    """Number of the row, counted from 0 through comfortable, borderline, not practical."""
    checkpoint: Annotated[str, Of("outcome.checkpoint.id")]
    runtime: Annotated[str, Of("outcome.runtime.id")]
    too_close: Annotated[bool, Of("outcome.too_close")]
    utilization: Annotated[float | None, Of(_middle)]
    """Best estimate of how full the fullest GPU is."""


class EffectiveVram(Shape):
    """What one replica can fill under a plan."""

    runtime: Annotated[str, Of("runtime.id")]
    plan_kind: str
    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    bytes: int
    for_weights_and_kv_bytes: int


class Standing(Shape):
    """A model that answers a goal, and what it gives; the plan where it is not the pick's own."""

    amount: Bounds
    assessment: FitTuple
    plan: Plan | None


class RatedPick(Shape):
    """A row of ``tiers`` with the model's rating for a use, less its file's loss, in points."""

    points: float
    half_width: float
    id: Annotated[str, Of("assessment.id")]
    """The row's own."""
    model: Annotated[str, Of("assessment.model.id")]
    checkpoint: Annotated[str, Of("assessment.checkpoint.id")]
    runtime: Annotated[str, Of("assessment.runtime.id")]


class BestForUse(Shape):
    """The models that are best for a use: published evidence cannot tell the best apart."""

    use: str
    best: Annotated[Columns[RatedPick], Of("picks")]
    next_best: Annotated[Columns[RatedPick], Of("following")]
    rated: int
    not_rated: Annotated[int, Of("unrated")]


class GoalAnswer(Shape):
    """The model for a goal: tokens/s of one stream, users, tokens, points or parameters.

    Users are those whom a plan answers at once at reading speed, each with a full context. They
    are counted for generation only: most of each prompt has to be in the KV cache already.
    """

    goal: str
    scope: str
    least_parameters: Annotated[float, Of(lambda _: 0)]
    plans_compared: Annotated[int, Of("models")]
    models_compared: Annotated[int, Of("models")]
    best: Standing
    runner_up: Standing | None


class Drop(Shape):
    """A model whose tier a loss lowers."""

    model: Annotated[str, Of("model.id")]
    before: Tier
    after: Tier


class Remains(Shape):
    """What a loss leaves of an answer."""

    same_model: Annotated[FitTuple | None, Of("same")]
    best: FitTuple | None


class Loss(Shape):
    """What still runs after a loss."""

    kind: str
    node: int
    gpus: Annotated[list[str], Of("gpu_ids")]
    alike: int
    worst: bool
    counts: dict[str, int]
    drops: list[Drop]
    lead: Remains
    largest_single_model: Annotated[Remains, Of("largest")]
    aggregate_serving: Annotated[Remains, Of("serving")]


class ContextPoint(Shape):
    """What one sequence of a length takes of the fullest GPU."""

    context_tokens: int
    need_bytes: Annotated[ByteBounds, Of("need")]
    utilization: Bounds


class LoadPoint(Shape):
    """Decode speed with so many streams over all replicas."""

    streams: int
    each_tokens_per_s: Bounds
    all_tokens_per_s: Bounds


class ReadIn(Shape):
    """The program whose options were read, and its version."""

    program: str
    version: str


class RecipeStep(Shape):
    """A command, a file or a check; what it lacks is left out."""

    phase: str
    title: str
    language: str
    text: str
    where: str = ""
    file: str = ""
    note: str = ""
    expect: str = ""


class BesideRecipe(Shape):
    """Another model that a recipe runs at the same time."""

    assessment: str
    model: str
    checkpoint: str


class Recipe(Shape):
    """How a plan is run, step by step; ``beside`` only where it runs several models."""

    id: str
    name: str
    assessment: str
    model: str
    checkpoint: str
    runtime: str
    options_read_in: ReadIn
    warnings: list[str]
    steps: list[RecipeStep]
    one_user_gain: Bounds | None = None
    """One user's measured speed with the options for speculative decoding that the start step
    names, over the stated one; left out where nobody measured."""
    beside: tuple[BesideRecipe, ...] = ()


class Machine(Shape):
    """Equal machines in a row and what one of them needs; null where nobody recorded it."""

    first: int
    count: int
    gpus_watts: int | None
    draw_watts: Bounds | None
    """At the wall under load."""
    draw_by_maker: Annotated[bool, Of("by_maker")]
    """Whether that is the maker's limit for the whole machine."""
    power_supply_watts: Annotated[int | None, Of("supply_watts")]
    slots: int | None
    longest_card_mm: Annotated[int | None, Of("longest_mm")]
    power_connectors: Annotated[dict[str, int], Of(lambda one: dict(one.connectors))]
    pcie_lanes: Annotated[int | None, Of("lanes")]
    pcie_lanes_wired: Annotated[int | None, Of("wired_lanes")]
    coolers: Annotated[dict[str, int], Of(lambda one: dict(one.coolers))]


class Circuit(Shape):
    """What a circuit carries for hours, and how many of them the combo needs."""

    amperes: int
    volts: int
    carries_watts: float
    needed: int


class Facilities(Shape):
    """What a combo asks of a room."""

    machines: list[Machine]
    draw_watts: Bounds | None
    circuits: list[Circuit]


def _each(part: PricedGpus) -> float | None:
    return None if part.price is None else float(part.price.amount)


def _amount(cost: WholeCost) -> float | None:
    return None if cost.amount is None else float(cost.amount)


def _price(need: GpusNeeded) -> WholeCost | None:
    price = gpu_to_buy(need.gpu, memory_bytes=size_of(need.machine.gpus[0]))
    return None if price is None else times(price, need.gpu, need.count)


class CostPart(Shape):
    """Equal GPUs of a build and the price that counts for one; null where nobody knows it."""

    gpu: Annotated[str, Of("gpu.id")]
    count: int
    each: Annotated[float | None, Of(_each)]
    basis: Annotated[str | None, Of(lambda part: part.price and part.price.basis)]
    """`new`, `used`, `rent`, or `launch`: the maker's price, which nobody observed."""
    date: Annotated[str | None, Of(lambda part: part.price and part.price.date)]
    """ISO day or month of the observation; empty for a price at launch."""


class Cost(Shape):
    """What a build costs in one currency: seen as a whole, or the sum of its GPUs' prices."""

    amount: Annotated[float | None, Of(_amount)]
    """Null where a part's price is not known."""
    currency: str
    bases: list[str]
    dates: list[str]
    whole_build: Annotated[bool, Of(lambda cost: not cost.parts)]
    parts: list[CostPart]


class PerMillion(Shape):
    """US dollars per million tokens written, by one stream and by all of them."""

    one_stream: Annotated[Bounds, Of("one")]
    all_streams: Annotated[Bounds, Of("every")]


class RunningCosts(Shape):
    """Money, watts and tokens of a combo while it runs its lead; null where not known."""

    to_buy: Cost
    to_hire_an_hour: Annotated[Cost, Of("to_rent")]
    whole_build_usd: Annotated[Bounds | None, Of("whole_usd")]
    """With the machines around the GPUs, for desktops with one or two cards."""
    draw_watts: Annotated[Bounds | None, Of("watts")]
    """At the wall under load."""
    electricity_usd_per_kwh: Annotated[float | None, Of("usd_per_kwh")]
    streams: int
    energy_usd_per_million_tokens: Annotated[PerMillion | None, Of("energy")]
    hire_usd_per_million_tokens: Annotated[PerMillion | None, Of("hire")]


class RuntimeHere(Shape):
    """A runtime and the kinds of plan that it has on this hardware; without one, why."""

    runtime: str
    plans: list[str]
    reason: str | None


class ComboPage(Shape):
    """A combo page: its answers, every model by tier, losses, what to measure."""

    combo: str
    name: str
    installed_vram_bytes: int
    effective_vram: list[EffectiveVram]
    lead: WholeAssessment | None
    uses: list[BestForUse]
    largest_single_model: WholeAssessment | None
    aggregate_serving: WholeAssessment | None
    answers: list[GoalAnswer]
    losses: list[Loss]
    opportunities: list[Opportunity]
    context_curve: list[ContextPoint]
    load_curve: list[LoadPoint]
    recipes: list[Recipe]
    runtimes: list[RuntimeHere]
    facilities: Facilities
    costs: RunningCosts
    plans: Columns[Plan]
    """Plans that rows name by number, counted from 0."""
    tiers: dict[str, Columns[ComboRow]]
    other_checkpoints: dict[str, Columns[OtherCheckpoint]]
    """By their own tier."""


class BriefAssessment(Shape):
    """An assessment in a few words; its combo's file has all of it."""

    id: str
    combo: Annotated[str, Of("combo.id")]
    checkpoint: Annotated[str, Of("checkpoint.id")]
    runtime: Annotated[str, Of("runtime.id")]
    tier: Tier
    too_close: bool
    shortage_bytes: int
    utilization: Annotated[Bounds | None, Of("verdict_utilization")]
    utilization_at_context_tokens: Annotated[int, Of("verdict_context_tokens")]


class CheckpointSize(Shape):
    """A checkpoint and its exact size."""

    checkpoint: str
    total_bytes: int
    bits_per_weight: float
    production: bool


class MeasuredLatency(Shape):
    """One latency of a published run, in seconds; null where its tool reported none."""

    mean_s: float | None
    p50_s: float | None
    p95_s: float | None
    p99_s: float | None


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
    combo: str
    """Id of the combo that it ran on, empty where that is none of the catalog."""
    request_rate_per_s: float | None
    """Requests that arrived in a second, where they came by the clock."""
    latencies: dict[str, MeasuredLatency]
    """By name: `ttft` to the first token, `tpot` per token, `itl` between tokens, `e2e` in all."""


class GpusNeededRow(Shape):
    """The fewest of one GPU in one machine on which the model runs, and how."""

    gpu: Annotated[str, Of("gpu.id")]
    count: int
    link: Annotated[str | None, Of(lambda need: need.link and need.link.id)]
    """Id of what joins the GPUs; nothing for one."""
    tier: Tier
    too_close: bool
    checkpoint: Annotated[str, Of("checkpoint.id")]
    runtime: Annotated[str, Of("runtime.id")]
    tensor_parallel_size: Annotated[int, Of("plan.tensor_parallel_size")]
    pipeline_parallel_size: Annotated[int, Of("plan.pipeline_parallel_size")]
    replicas: Annotated[int, Of("plan.replicas")]
    max_num_seqs: Annotated[int | None, Of("settings.max_num_seqs")]
    """Sequences that the scheduler may hold, where the plan needs fewer than by default."""
    memory_fraction: Annotated[float | None, Of("settings.memory_fraction")]
    """Share of the GPU's memory, where the plan needs another than the default."""
    text_only: Annotated[bool, Of("settings.text_only")]
    """Whether it is started without images."""
    expert_parallel: Annotated[bool, Of("settings.expert_parallel")]
    """Whether routed experts lie whole on the GPUs."""
    raised_limit: Annotated[bool, Of("settings.raised_limit")]
    """Whether the system's limit on the GPU's memory has to be raised."""
    utilization: Annotated[float, Of("utilization.mid")]
    max_context_tokens: int
    to_buy: Annotated[Cost | None, Of(_price)]
    """What the GPUs cost."""


class Start(Shape):
    """What downloads and starts a model on one machine."""

    machine: str
    commands: str


class ModelPage(Shape):
    """A model page: sizes, and every combo by tier."""

    model: str
    name: str
    parameters: int
    """Of the language model, without the parts for other input and layers that predict ahead."""
    active_parameters: int
    vision_parameters: int
    """Of the parts for images and other input that is not text, beside `parameters`."""
    kv_bytes_per_token: float
    kv_bits: int
    """Bits of most elements of that cache: 16, or 8 where vLLM refuses 16 (DeepSeek V4)."""
    valid_tensor_parallel_sizes: list[int]
    """Sizes that cut the model into equal parts; some runtimes also cut unequal ones."""
    checkpoints: list[CheckpointSize]
    tiers: dict[str, Columns[BriefAssessment]]
    measured_speeds: list[MeasuredSpeed]
    gpus_needed: Columns[GpusNeededRow]
    recipes: list[Recipe]
    start: Start | None


class Amount(Shape):
    """What the best plan for a goal gives, and of which model."""

    model: str
    mid: float


class ComparedCombo(Shape):
    """A combo's figures beside those of others."""

    combo: str
    gpu_price_usd: int | None
    """What the GPUs cost in whole dollars; `price` says of which kind and day."""
    price: Cost
    gpu_watts: int | None
    machine_watts: int | None
    """What the makers say of the whole machines; `gpu_watts` is of their GPUs or chips."""
    electricity_usd_per_month: float | None
    """At `machine_watts`, or at `gpu_watts` where that is not known."""
    installed_vram_bytes: int
    effective_vram_bytes: int | None
    best_for_general_use: str | None
    largest_single_model: str | None
    fastest_for_one_user: Amount | None = Field(alias="fastest-for-one-user")
    most_users_at_8k: Amount | None = Field(alias="most-users-at-8k")
    most_users_at_32k: Amount | None = Field(alias="most-users-at-32k")
    models: dict[str, int]


class ComparePage(Shape):
    """Every combo's figures."""

    combos: list[ComparedCombo]
