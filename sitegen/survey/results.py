"""Results of a survey of a combo: a row per model, as values without words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Assessment, FitTier
from sitegen.physics.plan import DEFAULTS, PlanKind, Reason, RefusedPlan, Settings
from sitegen.values import dataclass

if TYPE_CHECKING:
    from sitegen.fit.open_verdict import OpenVerdict
    from sitegen.physics.model_facts import LinkCost
    from sitegen.survey.answers import Answer, Failure, GpusNeeded
    from sitegen.survey.best_for_use import PickRatings, UseAnswer
    from sitegen.survey.curves import ContextPoint, LoadPoint


@dataclass(frozen=True, slots=True)
class EffectiveVram:
    """Memory that one replica can fill under a plan of a combo, whatever the model."""

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
    """The rest for weights, KV cache and activations, after runtime overhead."""
    note: Reason | None


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """Tier of a checkpoint that carries no verdict; assess its tuple for the rest.

    ``utilization`` is that of the fullest GPU where the verdict was reached (see
    ``Assessment.verdict_utilization``), ``None`` without a valid plan and for what is larger than
    all GPUs. ``settings`` are the flags of its plan, none but where nothing runs without.
    """

    model: LanguageModel
    checkpoint: Checkpoint
    runtime: Runtime
    combo: Combo
    tier: FitTier
    too_close: bool
    utilization: Interval | None
    effective_vram_bytes: int
    settings: Settings = DEFAULTS


@dataclass(frozen=True, slots=True)
class ModelOnCombo:
    """A row of a combo page: whether the model runs there, and what to run.

    Attributes:
        verdict: The checkpoint that carries the verdict: the smallest production checkpoint that
            reaches the best tier. It is the colour of the row.
        pick: The checkpoint and plan that an expert would start. Its tier is the verdict's; if
            nothing is comfortable, it says how much is missing.
        others: The outcomes of the remaining checkpoints, largest first, the verdict's among them;
            those under 4 bits are judged only where no production checkpoint is comfortable.
        open_verdict: The measurements that settle a verdict that is too close to call.
        for_many: The pick for many users, where the machine is about the right size for them.
        read_along: The pick of an answer, where ``pick`` writes too slowly to read along.
        users: Users by context for whom what an answer names stays comfortable; of models
            that anybody has tested.
        many_users: The same of the pick for many users.
    """

    verdict: CheckpointOutcome
    pick: Assessment
    others: tuple[CheckpointOutcome, ...]
    open_verdict: OpenVerdict | None = None
    for_many: Assessment | None = None
    read_along: Assessment | None = None
    users: Mapping[int, int] = field(default_factory=dict)
    many_users: Mapping[int, int] = field(default_factory=dict)

    @property
    def model(self) -> LanguageModel:
        """The model of the row."""
        return self.pick.model

    @property
    def answer(self) -> Assessment:
        """What an answer names of the model."""
        return self.read_along or self.pick

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


def _bits(outcome: Assessment | CheckpointOutcome) -> float:
    return outcome.checkpoint.quantization.nominal_bits


@dataclass(frozen=True, slots=True)
class AlternativeRuntimes:
    """Two answers of a combo under every runtime that can run them, the best first.

    A plan that stands for both is listed under ``lead`` alone.
    """

    lead: tuple[Assessment, ...] = ()
    serving: tuple[Assessment, ...] = ()


@dataclass(frozen=True, slots=True)
class ColocatedModel:
    """One of several models on a combo, with a plan on GPUs that no other model uses.

    Attributes:
        assessment: On the whole combo, its ranks those of the plan; one replica in one node.
        host_bytes: System RAM of the plan, which the other models cannot use.
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
    ``side_by_side`` are two models at once, empty where none goes beside another. ``rated`` has
    the ratings of every pick, by model id; ``link_costs`` what each link would cost the lead.
    ``seeing`` are the picks for images of models whose answer takes none, with users as a row has
    them; ``documents`` the ids of picks with which a long document is read at reading speed.
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
    losses: tuple[Failure, ...] = ()
    context_curve: tuple[ContextPoint, ...] = ()
    load_curve: tuple[LoadPoint, ...] = ()
    ways: AlternativeRuntimes = AlternativeRuntimes()
    side_by_side: tuple[ColocatedModel, ...] = ()
    rated: Mapping[str, PickRatings] = field(default_factory=dict)
    link_costs: tuple[LinkCost, ...] = ()
    seeing: tuple[tuple[Assessment, Mapping[int, int]], ...] = ()
    documents: tuple[str, ...] = ()

    def tier(self, tier: FitTier) -> tuple[ModelOnCombo, ...]:
        """Rows of one tier, in page order."""
        return tuple(row for row in self.rows if row.tier is tier)


@dataclass(frozen=True, slots=True)
class Survey:
    """Every model on every combo, by combo id; the smallest machines, by GPU id."""

    combos: Mapping[str, ComboSurvey]
    needs: Mapping[str, tuple[GpusNeeded, ...]] = field(default_factory=dict)
