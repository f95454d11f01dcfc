"""The engine's answers: plans, ledgers, reasons and assessments, as values without words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Evidence, Interval
from sitegen.values import dataclass

if TYPE_CHECKING:
    from sitegen.engine.best_for_use import UseAnswer
    from sitegen.engine.curves import ContextPoint, LoadPoint
    from sitegen.engine.findings import Answer, Doubt, GpusNeeded, Loss


class FitTier(StrEnum):
    """The verdict, best first."""

    COMFORTABLE = "comfortable"
    BORDERLINE = "borderline"
    NOT_PRACTICAL = "not-practical"


class Goal(StrEnum):
    """What the planner optimizes."""

    LARGEST_MODEL = "largest-model"
    LATENCY = "latency"
    THROUGHPUT = "throughput"


class PlanKind(StrEnum):
    """How one replica uses its GPUs."""

    SINGLE = "single"
    TENSOR = "tensor"
    PIPELINE = "pipeline"
    TENSOR_PIPELINE = "tensor-pipeline"
    LAYER_SPLIT = "layer-split"
    REMOTE_LAYER_SPLIT = "remote-layer-split"
    """Layer split over machines (llama.cpp RPC)."""
    OFFLOAD = "offload"
    """Layers or experts in system RAM beside a layer split."""


@dataclass(frozen=True, slots=True)
class ParallelPlan:
    """Who computes what.

    ``ranks`` lists the GPUs of the first replica as ``(node, gpu)`` indices into the combo; rank
    ``stage * tensor_parallel_size + t``. ``layers_per_stage`` sums to the model's layers (for a
    layer split: layers per GPU). ``cpu_layers`` and ``cpu_expert_layers`` stay in system RAM.
    """

    kind: PlanKind
    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    ranks: tuple[tuple[int, int], ...]
    layers_per_stage: tuple[int, ...]
    cpu_layers: int = 0
    cpu_expert_layers: int = 0

    @property
    def gpus(self) -> int:
        """GPUs of all replicas."""
        return len(self.ranks) * self.replicas


@dataclass(frozen=True, slots=True)
class Workload:
    """What is asked of the model: context per sequence, sequences resident at once, KV dtype."""

    context_tokens: int
    sequences: int
    kv_dtype: str
    """A word of ``cache_types.BITS``; ``f16`` is as wide as the model computes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Operator's choices; ``None`` means the runtime's default."""

    memory_fraction: float | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    enforce_eager: bool = False
    micro_batch_tokens: int | None = None
    raised_limit: bool = False
    expert_parallel: bool = False
    """Routed experts dealt out whole over the ranks instead of cut by width."""
    data_parallel_size: int | None = None
    """Copies of the attention in one replica; experts lie over all of their ranks."""
    decode_context_parallel_size: int | None = None
    """Ranks of a tensor parallel group that share the tokens of the cache."""
    prediction_layers: bool = False
    """Speculative decoding with the model's own multi-token prediction layers."""
    draft_bytes: int | None = None
    """What a separate draft model takes on each GPU, its cache included."""
    text_only: bool = False
    """No images or video: the encoder is not profiled (``--limit-mm-per-prompt``)."""
    images: bool = False
    """Whether llama.cpp loads the image projector beside the model."""
    flash_attention: bool | None = None
    """Whether llama.cpp fuses attention; without it the scores are a tensor of the graph."""
    largest_allocation_bytes: int | None = None
    """What the driver of the GPU backend gives in one piece at most."""
    backend: str = ""
    """Id of the library between runtime and GPU; empty for the vendor's own."""

    @property
    def attention_copies(self) -> int:
        """Data parallel ranks of one replica, 1 by default."""
        return self.data_parallel_size or 1


DEFAULTS = Settings()
"""Nothing chosen; one value, so that what was judged of it is found sooner."""


LEDGER_LINES = (
    "reserved_os", "context", "weights", "projector", "kv", "state", "compute", "communication",
    "graphs", "fragmentation",
)  # fmt: skip
"""Components of a ledger, in the order they are stacked; ``free`` is what is left."""


@dataclass(frozen=True, slots=True)
class GpuLedger:
    """What one GPU holds, in bytes, every line with low, mid and high.

    ``visible_bytes = sum(lines) + free`` at each bound. ``budget_bytes`` is what the runtime may
    fill of ``visible_bytes``; ``need`` is everything but ``reserved_os``; ``utilization`` is need
    over budget and may exceed 1.
    """

    node: int
    gpu: int
    gpu_id: str
    layers: int
    visible_bytes: int
    budget_bytes: int
    lines: Mapping[str, Interval]
    need: Interval
    free: Interval
    utilization: Interval

    def at(self, node: int, gpu: int) -> GpuLedger:
        """Return the ledger of a GPU that holds the same elsewhere."""
        return GpuLedger(
            node,
            gpu,
            self.gpu_id,
            self.layers,
            self.visible_bytes,
            self.budget_bytes,
            self.lines,
            self.need,
            self.free,
            self.utilization,
        )

    def __reduce__(self) -> tuple[type[GpuLedger], tuple[object, ...]]:
        """Pickle by construction: every row sends one for each of its GPUs."""
        return (
            GpuLedger,
            (
                self.node,
                self.gpu,
                self.gpu_id,
                self.layers,
                self.visible_bytes,
                self.budget_bytes,
                self.lines,
                self.need,
                self.free,
                self.utilization,
            ),
        )


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is not better: a code and the arguments of its sentence."""

    code: str
    arguments: Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class RefusedPlan:
    """A plan that somebody may think of and the rule that refuses it."""

    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the plan goes at the mid estimate, per replica unless said otherwise.

    ``sequences_at`` maps a context length in tokens to sequences that are resident at once;
    ``kv_pool_tokens`` is what a paged runtime logs, 0 for others.
    """

    max_context_tokens: int
    max_context_tokens_low: int
    """At the high memory estimate: what is safe to promise."""
    sequences_at: Mapping[int, int]
    kv_pool_tokens: int
    kv_bytes_per_token_per_gpu: int
    startable_sequences: int | None = None
    """Most that ``max_num_seqs`` may be, where recurrent state has fewer blocks than it asks."""
    counted_to: int = 0
    """Sequences are counted up to so many, and more may fit; 0 where all that fit are counted."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Estimated decode speed in tokens/s, single stream and all replicas at ``batch`` each.

    ``batch`` is the number of streams that each replica serves at once: the sequences that the
    workload asks for, as far as they fit at its context, or without such a wish as many as fit, up
    to the policy ``aggregate-streams-cap``. ``capped`` says that this policy was what ended it.
    ``each_tokens_per_s`` is the speed of one of those streams.
    ``bound`` is the largest part of one stream's time: ``memory``, ``compute``, ``link``, ``cpu``
    or ``overhead``; ``communication_share`` is the link's part of a token's time, 0…1.
    ``first_token_s`` is the time to the first token of a prompt of ``prompt_tokens`` when nobody
    else is served, ``prefill_tokens_per_s`` its reading speed; ``None`` where the GPU's FP16 rate
    is unknown, and where ``small_steps`` says that the operator's steps are smaller than any that
    were measured.
    """

    single_tokens_per_s: Interval
    aggregate_tokens_per_s: Interval
    batch: int
    bound: str
    communication_share: float
    evidence: Evidence
    prompt_tokens: int
    first_token_s: Interval | None
    prefill_tokens_per_s: Interval | None
    each_tokens_per_s: Interval
    capped: bool
    small_steps: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """A record of what somebody measured, near an assessment.

    Attributes:
        quantity: ``speed`` or ``memory``.
        source: Id of the file in the catalog that holds it.
        run: Id of the run in that file.
        tokens_per_s: Decode speed of one stream, for ``speed``.
        depth_tokens: Tokens in the cache; ``None`` where the source does not say.
        differs: What is not as in the assessment, one word each: ``version``, ``context``,
            ``quantization``, ``link``, ``kv-dtype``, ``power``, ``eager``.
        evidence: What the record makes of an assessment whose estimate it confirms.
    """

    quantity: str
    source: str
    run: str
    tokens_per_s: float | None
    depth_tokens: int | None
    differs: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Cure:
    """The cheapest change that was recomputed and helps: a code, arguments, the tier it gives."""

    code: str
    arguments: Mapping[str, int | float | str]
    tier: FitTier


@dataclass(frozen=True, slots=True)
class BestPlans:
    """The best comfortable plan of a checkpoint under a runtime for each question of a row.

    Attributes:
        longest_context: Tokens of one sequence, and the plan that reaches them.
        users: By context length in tokens: full contexts at once over all replicas, and the plan.
        one_stream: Decode speed of one stream in tokens/s, and the plan; ``None`` where no speed
            is estimated.
    """

    longest_context: tuple[int, ParallelPlan]
    users: Mapping[int, tuple[int, ParallelPlan]]
    one_stream: tuple[Interval, ParallelPlan] | None


@dataclass(frozen=True, slots=True)
class Assessment:
    """The answer for one fit tuple.

    ``id`` is a hash of the tuple. ``shortage_bytes`` is what the busiest GPU lacks at the low
    estimate of the smallest workload (0 when it fits). ``too_close`` says that the bounds of memory
    or of speed lie on two sides of a tier's boundary. ``ledger`` is at the workload;
    ``verdict_utilization`` is the busiest GPU's at ``verdict_context_tokens``, which is the
    workload's context or, where not even the low estimate fits that, the shortest context that
    still counts as running. ``plan``, ``ledger``, ``limits`` and ``speed`` are empty without a
    valid plan, ``speed`` also where nothing fits and where ``unpriced`` names a setting.
    """

    id: str
    model: LanguageModel
    checkpoint: Checkpoint
    runtime: Runtime
    profile: RuntimeProfile
    combo: Combo
    workload: Workload
    settings: Settings
    tier: FitTier
    reasons: tuple[Reason, ...]
    shortage_bytes: int
    too_close: bool
    cure: Cure | None
    plan: ParallelPlan | None
    ledger: tuple[GpuLedger, ...]
    limits: Limits | None
    speed: Speed | None
    refused: tuple[RefusedPlan, ...]
    weights_bytes: int
    effective_vram_bytes: int
    verdict_context_tokens: int
    verdict_utilization: Interval | None
    evidence: Evidence
    """How memory is known; ``speed`` has a word of its own."""
    anchors: tuple[Anchor, ...] = ()
    """What was measured near here, nearest first; beside the estimates, never mixed with them."""
    best: BestPlans | None = None
    """The best plans for other questions than the plan's own; empty where it is not comfortable."""
    unpriced: tuple[str, ...] = ()
    """Settings whose effect on speed nobody measured: with one of them ``speed`` is ``None``."""

    @property
    def known_by(self) -> Evidence:
        """How the verdict is known: the weaker of memory and speed."""
        if self.speed is None:
            return self.evidence
        return max(self.evidence, self.speed.evidence, key=tuple(Evidence).index)

    @property
    def verdict_need_bytes(self) -> int:
        """What the busiest GPU needs where the verdict was reached; 0 without a valid plan."""
        if self.busiest is None or self.verdict_utilization is None:
            return 0
        return int(self.verdict_utilization.mid * self.busiest.budget_bytes)

    @property
    def busiest(self) -> GpuLedger | None:
        """The GPU that decides."""
        return max(self.ledger, key=lambda gpu: gpu.utilization.mid, default=None)


@dataclass(frozen=True, slots=True)
class EffectiveVram:
    """What one replica can fill under a plan of a combo, whatever the model."""

    runtime: Runtime
    plan_kind: PlanKind
    gpus: int
    """GPUs of one replica."""
    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    bytes: int
    """The sum of the budgets of one replica's GPUs, each counted as the smallest where it must."""
    for_weights_and_kv_bytes: int
    """What is left of it for weights, KV cache and activations, runtime overhead deducted."""
    note: Reason | None


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """What becomes of a checkpoint that carries no verdict; assess its tuple for the rest.

    ``utilization`` is that of the busiest GPU where the verdict was reached (see
    ``Assessment.verdict_utilization``), ``None`` without a valid plan and for what is larger than
    all GPUs.
    """

    model: LanguageModel
    checkpoint: Checkpoint
    runtime: Runtime
    combo: Combo
    tier: FitTier
    too_close: bool
    utilization: Interval | None
    effective_vram_bytes: int

    def __reduce__(self) -> tuple[type[CheckpointOutcome], tuple[object, ...]]:
        """Pickle by construction: every row sends several of these between processes."""
        return (
            CheckpointOutcome,
            (
                self.model,
                self.checkpoint,
                self.runtime,
                self.combo,
                self.tier,
                self.too_close,
                self.utilization,
                self.effective_vram_bytes,
            ),
        )


@dataclass(frozen=True, slots=True)
class ModelOnCombo:
    """A row of a combo page: whether the model runs there, and what to run.

    Attributes:
        verdict: The checkpoint that carries the verdict: the smallest production checkpoint that
            reaches the best tier. It is the colour of the row.
        pick: What an expert would start. Its tier is the verdict's; where nothing is comfortable
            it says how much is missing.
        others: The outcomes of the remaining checkpoints, largest first, the verdict's among them;
            those under 4 bits are judged only where no production checkpoint is comfortable.
        doubt: What would settle a verdict that is too close to call.
    """

    verdict: CheckpointOutcome
    pick: Assessment
    others: tuple[CheckpointOutcome, ...]
    doubt: Doubt | None = None

    @property
    def model(self) -> LanguageModel:
        """The model of the row."""
        return self.pick.model

    @property
    def tier(self) -> FitTier:
        """The verdict."""
        return self.verdict.tier

    @property
    def too_close(self) -> bool:
        """Whether the bounds of the verdict lie on two sides of a tier's boundary."""
        return self.verdict.too_close

    @property
    def judged(self) -> tuple[Assessment | CheckpointOutcome, ...]:
        """The pick, and the outcomes of the other checkpoints."""
        return (self.pick, *self.others)

    @property
    def better(self) -> CheckpointOutcome | None:
        """The largest other checkpoint that is comfortable too and larger than the pick's."""
        found = (o for o in self.others if o.tier is FitTier.COMFORTABLE)
        return next((o for o in found if _bits(o) > _bits(self.pick)), None)


def _bits(of: Assessment | CheckpointOutcome) -> float:
    return of.checkpoint.quantization.nominal_bits


@dataclass(frozen=True, slots=True)
class Ways:
    """Two answers of a combo under every runtime that can run them, the best first.

    A plan that stands for both is listed under ``lead`` alone.
    """

    lead: tuple[Assessment, ...] = ()
    serving: tuple[Assessment, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """What one of several models has of a combo: a plan on GPUs that no other one uses.

    Attributes:
        assessment: On the whole combo, its ranks those of the share; one replica in one machine.
        host_bytes: System RAM that the plan takes, which the other shares do without.
    """

    assessment: Assessment
    host_bytes: int = 0

    @property
    def ranks(self) -> tuple[tuple[int, int], ...]:
        """GPUs in use, as ``(node, gpu)``."""
        return self.assessment.plan.ranks if self.assessment.plan else ()


@dataclass(frozen=True, slots=True)
class ComboSurvey:
    """Every model on one combo, and the combo-level answers.

    ``lead`` is the first answer: the best model over all uses, or the largest where none is
    rated. ``uses`` has the best models for each use, ``answers`` one entry per goal, ``losses`` one
    per kind of GPU or node that can be lost, the worst of each first. ``aggregate_serving`` is the
    good model with most users. ``context_curve`` and ``load_curve`` follow the lead's plan.
    ``side_by_side`` are two models at once, empty where none goes beside another.
    """

    combo: Combo
    rows: tuple[ModelOnCombo, ...]
    effective_vram: tuple[EffectiveVram, ...]
    lead: Assessment | None
    largest_single_model: Assessment | None
    aggregate_serving: Assessment | None
    refused: tuple[RefusedPlan, ...]
    uses: tuple[UseAnswer, ...] = ()
    answers: tuple[Answer, ...] = ()
    losses: tuple[Loss, ...] = ()
    context_curve: tuple[ContextPoint, ...] = ()
    load_curve: tuple[LoadPoint, ...] = ()
    ways: Ways = Ways()
    side_by_side: tuple[Share, ...] = ()

    def tier(self, tier: FitTier) -> tuple[ModelOnCombo, ...]:
        """Rows of one tier, in page order."""
        return tuple(row for row in self.rows if row.tier is tier)


@dataclass(frozen=True, slots=True)
class Survey:
    """Every model on every combo, by combo id; the smallest machines, by GPU id."""

    combos: Mapping[str, ComboSurvey]
    needs: Mapping[str, tuple[GpusNeeded, ...]] = field(default_factory=dict)
