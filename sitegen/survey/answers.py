"""Answers of a combo by goal, what a failure leaves, and the GPUs a model needs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import DEFAULTS, ParallelPlan, Settings
from sitegen.values import dataclass


class AnswerGoal(StrEnum):
    """The quantity that a combo-level answer maximizes."""

    ONE_STREAM = "fastest-for-one-user"
    USERS_8K = "most-users-at-8k"
    USERS_32K = "most-users-at-32k"
    LONGEST_CONTEXT = "longest-context"
    SMALL = "best-small-model"
    BEYOND = "best-beyond-gpu-memory"
    PARAMETERS = "largest-model"


class Scope(StrEnum):
    """Among which models an answer was sought."""

    EVERY_MODEL = "every-model"
    GOOD = "good-models"
    """Models whose rating over all uses is not far below the best one here."""
    SMALL = "small-models"
    """Rated models of at most ``small-model-parameters``."""
    BEYOND = "beyond-gpu-memory"
    """Rated models that need system RAM for experts, a higher limit of the system, or a file of
    fewer than four bits per weight.
    """


@dataclass(frozen=True, slots=True)
class RankedPlan:
    """A model and how much it gives of what the goal asks for.

    ``amount`` is tokens/s of one stream, full contexts resident at once on all replicas, tokens of
    context, points of the rating, or parameters; only speeds have a width. ``plan`` is the plan
    that gives it, where it is another one than the assessment's.
    """

    assessment: Assessment
    amount: Interval
    plan: ParallelPlan | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The best model for a goal within a scope, and the next best of ``models`` compared."""

    goal: AnswerGoal
    scope: Scope
    best: RankedPlan
    runner_up: RankedPlan | None
    models: int


@dataclass(frozen=True, slots=True)
class GpusNeeded:
    """The smallest machine with one kind of GPU that runs a model, and how.

    Attributes:
        machine: Some equal GPUs, or one machine with some memory of its own.
        tier: Comfortable, or borderline where no machine judged is comfortable.
        tight_on: The smallest machine on which it is borderline, where that is a smaller one.
        utilization: Of the fullest GPU where the verdict was reached, 0…1 and beyond.
        max_context_tokens: Of one sequence, at the mid estimate.
        comfortable_tokens: The longest of a buyer's contexts at which it stays comfortable.
        single_tokens_per_s: Decode speed of one stream; zero where nothing is known of it.
        settings: The flags that its plan takes; the defaults where it runs without.
        more: What answers name, on this machine or a larger one: it may be another file there.
        seeing: The same for images, where the pick takes none and the model is rated for them.
        reads_document: Whether one user reads along while a long document fills the context.
        times_prompts: Whether the time that it needs for a prompt can be estimated.
    """

    machine: Combo
    model: LanguageModel
    checkpoint: Checkpoint
    runtime: Runtime
    plan: ParallelPlan
    tier: FitTier
    too_close: bool
    tight_on: Combo | None
    utilization: Interval
    max_context_tokens: int
    single_tokens_per_s: Interval
    settings: Settings = DEFAULTS
    comfortable_tokens: int = 0
    more: tuple[GpusNeeded, ...] = ()
    seeing: GpusNeeded | None = None
    reads_document: bool = False
    times_prompts: bool = True

    def on(self, machine: Combo) -> GpusNeeded:
        """Return what answers name on a machine, or on the largest that was asked below it."""
        asked = [
            one for one in (self, *self.more) if one.installed_bytes <= machine.installed_vram_bytes
        ]
        return max(reversed(asked), key=lambda one: one.installed_bytes, default=self)

    @property
    def installed_bytes(self) -> int:
        """The memory of its machine, by which machines with one kind of GPU are ordered."""
        return self.machine.installed_vram_bytes

    @property
    def gpu(self) -> Gpu:
        """The kind of GPU."""
        return self.machine.gpus[0].gpu

    @property
    def count(self) -> int:
        """How many of it."""
        return len(self.machine.gpus)

    @property
    def link(self) -> Interconnect | None:
        """The interconnect between them; ``None`` for one GPU."""
        return self.machine.nodes[0].link


class FailureKind(StrEnum):
    """The part that fails."""

    GPU = "gpu"
    NODE = "node"


@dataclass(frozen=True, slots=True)
class TierDrop:
    """A model whose tier is worse after a loss."""

    model: LanguageModel
    before: FitTier
    after: FitTier


@dataclass(frozen=True, slots=True)
class AnswerAfterFailure:
    """One of a combo's answers after a failure.

    ``same`` is the model of the answer before the loss; ``best`` is the answer on what is left,
    ``None`` where nothing can give it.
    """

    same: Assessment | None
    best: Assessment | None


@dataclass(frozen=True, slots=True)
class Failure:
    """Verdicts after the failure of a GPU or a node, recomputed on the remaining hardware.

    ``gpu_ids`` are the GPUs lost; ``alike`` counts the GPUs or nodes whose loss is the same.
    ``worst`` marks the loss of its kind that leaves least. ``counts`` are models per tier.
    """

    kind: FailureKind
    node: int
    gpu_ids: tuple[str, ...]
    alike: int
    counts: Mapping[FitTier, int]
    drops: tuple[TierDrop, ...]
    lead: AnswerAfterFailure
    largest: AnswerAfterFailure
    serving: AnswerAfterFailure
    worst: bool = False

    def dropped_from(self, tier: FitTier) -> tuple[TierDrop, ...]:
        """Models that had this tier and lost it."""
        return tuple(drop for drop in self.drops if drop.before is tier)
