"""A question to the engine, one fit tuple, and its answer: values without words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime, RuntimeProfile
from sitegen.catalog.domain.provenance import Evidence, Interval
from sitegen.physics.plan import (
    DEFAULTS,
    GpuLedger,
    Limits,
    ParallelPlan,
    Reason,
    RefusedPlan,
    Settings,
    Speed,
    Workload,
)
from sitegen.values import dataclass


class FitTier(StrEnum):
    """The verdict, best first."""

    COMFORTABLE = "comfortable"
    BORDERLINE = "borderline"
    NOT_PRACTICAL = "not-practical"


class PlanGoal(StrEnum):
    """The planner's objective."""

    LARGEST_MODEL = "largest-model"
    LATENCY = "latency"
    THROUGHPUT = "throughput"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A record of what somebody measured, near an assessment.

    Attributes:
        quantity: ``speed`` or ``memory``.
        source: Id of the file in the catalog that holds it.
        run: Id of the run in that file.
        tokens_per_s: Decode speed of one stream, for ``speed``.
        depth_tokens: Tokens in the cache; ``None`` where the source does not say.
        differs: Differences from the assessment, one word each: ``version``, ``context``,
            ``quantization``, ``link``, ``kv-dtype``, ``power``, ``eager``, ``experts-in-ram``,
            ``system-ram``.
        evidence: Evidence tier of an assessment whose estimate the record confirms.
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

    ``id`` is a hash of the tuple. ``shortage_bytes`` is what the fullest GPU lacks at the low
    estimate of the smallest workload (0 when it fits). ``too_close`` says that the bounds of memory
    or of speed lie on two sides of a tier's boundary. ``ledger`` is at the workload;
    ``verdict_utilization`` is the fullest GPU's at ``verdict_context_tokens``, which is the
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
    """Measurements near this assessment, nearest first; never mixed with the estimates."""
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
    def download_bytes(self) -> int:
        """Size of the files: as published, which holds what stays unloaded, else as computed."""
        return self.checkpoint.published_bytes or self.weights_bytes

    @property
    def version(self) -> str:
        """The runtime's version as its makers write it."""
        return self.runtime.release(self.profile.version)

    @property
    def verdict_need_bytes(self) -> int:
        """Memory that the fullest GPU needs at the verdict's context; 0 without a valid plan."""
        if self.busiest is None or self.verdict_utilization is None:
            return 0
        return int(self.verdict_utilization.mid * self.busiest.budget_bytes)

    @property
    def busiest(self) -> GpuLedger | None:
        """The GPU that decides."""
        return max(self.ledger, key=lambda gpu: gpu.utilization.mid, default=None)


REFERENCE_WORKLOAD = Workload(context_tokens=8_192, sequences=1, kv_dtype="f16")
"""The workload of every verdict that names none."""


@dataclass(frozen=True, slots=True)
class FitRequest:
    """Model, checkpoint, runtime, combo, workload and settings; optionally a plan of one's own.

    ``tensor_parallel_size`` and ``pipeline_parallel_size`` are ``None`` where the planner chooses;
    ``goal`` is what it then optimizes.
    """

    model: LanguageModel
    checkpoint: Checkpoint
    combo: Combo
    runtime: Runtime
    profile: RuntimeProfile
    workload: Workload = REFERENCE_WORKLOAD
    settings: Settings = DEFAULTS
    tensor_parallel_size: int | None = None
    pipeline_parallel_size: int | None = None
    goal: PlanGoal = PlanGoal.LARGEST_MODEL
