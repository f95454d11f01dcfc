"""A checkpoint under a runtime, ready to be laid out on any GPUs; remembers what it evaluated."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field, replace

from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Runtime, RuntimeProfile
from sitegen.fit import compatibility
from sitegen.fit.assessment import FitTier
from sitegen.fit.evaluation import Evaluation, Judge
from sitegen.physics import valid_splits
from sitegen.physics.cache_types import PLAIN, is_cut
from sitegen.physics.gpu_groups import GpuGroup
from sitegen.physics.memory.layer_split import LayerSplitEngine
from sitegen.physics.memory.layer_split_replica import SplitReplica
from sitegen.physics.memory.paged import PagedEngine
from sitegen.physics.plan import Reason, Settings, Workload
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.values import dataclass

HIGH = 2
"""The high end of an interval, as memory models number its ends."""
SLOW_LINK = frozenset({"LINK_DECODE", "LINK_PREFILL"})
"""Reasons that say that a link takes much of the time."""


@dataclass(frozen=True, slots=True)
class ServedCheckpoint:
    """A checkpoint under a runtime's profile, hardware apart."""

    model: LanguageModel
    checkpoint: Checkpoint
    runtime: Runtime
    profile: RuntimeProfile

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Identity within one catalog."""
        return (self.model.id, self.checkpoint.id, self.runtime.id, self.profile.version)


@dataclass(frozen=True, slots=True)
class EvaluationCache:
    """Evaluations of a served checkpoint and of others with the same numbers and rules.

    ``unsupported`` is shared by all checkpoints of one recipe and class under one profile.
    """

    unsupported: dict[int, Reason | None]
    evaluations: dict[Hashable, tuple[Evaluation, ...]] = field(default_factory=dict)
    splits: dict[Hashable, tuple[valid_splits.Split, ...]] = field(default_factory=dict)


def _better(cut: Evaluation, whole: Evaluation) -> bool:
    """Whether a cut of every layer fits where whole layers do not, or is faster for one user."""
    if cut.tier is whole.tier:
        return cut.single_tokens_per_s.mid > whole.single_tokens_per_s.mid
    return whole.tier is not FitTier.COMFORTABLE and cut.tier is not FitTier.NOT_PRACTICAL


class RunnableCheckpoint:
    """A served checkpoint with its numbers, its runtime's memory model and its evaluations.

    Evaluations depend on the kind of GPUs, not on the combo they stand in, so that combos share
    them; gpu sets are compared by identity (``FitEngine.canonical`` keeps one of each kind).
    """

    def __init__(
        self,
        subject: ServedCheckpoint,
        reduced: ReducedCheckpoint,
        memory: PagedEngine | LayerSplitEngine,
        judge: Judge,
        remembered: EvaluationCache,
    ) -> None:
        self.subject = subject
        self.reduced = reduced
        self.memory = memory
        self._judge = judge
        self._evaluations = remembered.evaluations
        self._unsupported = remembered.unsupported
        self._splits = remembered.splits
        low = memory.constants.weights_error_factor[0]
        self._least_bytes = reduced.least_gpu_bytes * low
        recipe, family = subject.checkpoint.quantization, reduced.architecture.family
        self._defects = tuple(
            defect
            for defect in subject.profile.defects
            if recipe.format in defect.formats
            and (not defect.families or family in defect.families)
        )

    @property
    def weights_bytes(self) -> int:
        """Size of the checkpoint."""
        return self.reduced.weights.total_bytes

    @property
    def reads_images(self) -> bool:
        """Whether the runtime reads the model's images."""
        subject = self.subject
        return compatibility.reads_images(subject.model, self.reduced.architecture, subject.runtime)

    def exceeds_all_memory(self, sets: Sequence[tuple[GpuGroup, int]], settings: Settings) -> bool:
        """True if the weights alone exceed the memory of every GPU group on which a plan is valid.

        No set of GPUs, nor its RAM where layers may lie there, can hold what the weights take at
        the low estimate.
        """
        widest = sets[-1][0]
        if widest.visible_bytes >= self._least_bytes:
            return False
        if self.subject.runtime.capabilities.cpu_offload and any(
            one.visible_bytes + one.ram_bytes >= self._least_bytes for one, _ in sets
        ):
            return False
        return self.unsupported(widest) is None and self._may_place(widest, settings)

    def supports_cache_type(self, cache_type: str) -> bool:
        """Whether the runtime keeps a cache of this type for the model.

        Scales per token and head are for attention that caches keys and values of heads.
        """
        return self.memory.supports_cache_type(self.reduced, self.subject.runtime, cache_type)

    def unsupported(self, group: GpuGroup) -> Reason | None:
        """Return the reason why the runtime cannot run the checkpoint on these GPUs."""
        key = id(group)
        if key not in self._unsupported:
            self._unsupported[key] = self._refusal(group)
        return self._unsupported[key]

    def _refusal(self, group: GpuGroup) -> Reason | None:
        runtime, gpus = self.subject.runtime, {d.gpu.id: d.gpu for d in group.gpus}
        reason = compatibility.refusal(
            self.reduced.architecture,
            self.subject.checkpoint,
            runtime,
            self.subject.profile,
            tuple(gpus.values()),
        )
        if reason is None and group.nodes > 1 and not runtime.capabilities.multi_node:
            return Reason("MULTI_NODE_UNSUPPORTED", {"runtime": runtime.id})
        return reason

    def evaluations(
        self,
        group: GpuGroup,
        workload: Workload,
        settings: Settings,
        *,
        offload: bool = False,
    ) -> tuple[Evaluation, ...]:
        """Judge every split of a set that is worth it; empty where none is valid."""
        if self.unsupported(group) is not None:
            return ()
        workload = self._as_stored(group, workload)
        key = (id(group), workload, settings, offload)
        found = self._evaluations.get(key)
        if found is None:
            found = self._evaluate(group, workload, settings, offload)
            self._evaluations[key] = found
        return found

    def _as_stored(self, group: GpuGroup, workload: Workload) -> Workload:
        """Return the workload with the cache that the runtime takes if none is named."""
        runtime = self.subject.runtime
        if not runtime.cache_defaults or workload.kv_dtype != PLAIN:
            return workload
        default = valid_splits.default_cache(self.reduced, runtime, group, self.subject.model.id)
        return workload if default == PLAIN else replace(workload, kv_dtype=default)

    def evaluate_split(
        self, group: GpuGroup, split: valid_splits.Split, workload: Workload, settings: Settings
    ) -> Evaluation:
        """Judge the split asked for, which must be valid.

        Raises:
            TypeError: If the runtime places whole layers, and is asked for anything but a cut.
        """
        workload = self._as_stored(group, workload)
        if not isinstance(self.memory, PagedEngine):
            whole = split != (len(group.ranks), 1)
            if whole or not self.may_cut(group, settings, workload.kv_dtype):
                raise TypeError(f"{self.subject.runtime.id} does not split so")
            cut = self.memory.replica(self.reduced, group, workload, settings, tensor=True)
            return self._judged(self.memory, cut, workload)
        return self._judge.paged(
            self.memory,
            self.reduced,
            group,
            split,
            workload=workload,
            settings=settings,
            runtime=self.subject.runtime,
            defects=self._warned(group),
        )

    def _evaluate(
        self, group: GpuGroup, workload: Workload, settings: Settings, offload: bool
    ) -> tuple[Evaluation, ...]:
        memory = self.memory
        if isinstance(memory, PagedEngine):
            return tuple(self._paged(group, workload, settings))
        placed = group.nodes == 1 or self._may_stage()
        if offload:
            return self._offloaded(memory, group, workload, settings) if placed else ()
        replica = memory.replica(self.reduced, group, workload, settings)
        found = (self._judged(memory, replica, workload),) if placed else ()
        if not self.may_cut(group, settings, workload.kv_dtype):
            return found
        over = memory.replica(self.reduced, group, workload, settings, tensor=True)
        cut = self._judged(memory, over, workload)
        if found and not memory.eager and not _better(cut, found[0]):
            return found
        return (*found, cut)

    def _paged(
        self, group: GpuGroup, workload: Workload, settings: Settings
    ) -> Iterator[Evaluation]:
        """Judge the widest tensor parallel inside a node; where its link is slow, narrower ones.

        Fewer ranks exchange less over a link that takes most of the time, and need more stages.
        """
        for split in self._valid_splits(group, settings):
            reason = valid_splits.sharing_refusal(
                self.reduced,
                self.subject.runtime,
                group,
                (split[0], settings.decode_context_parallel_size or 1),
                workload.kv_dtype,
            )
            if reason is not None:
                continue
            found = self.evaluate_split(group, split, workload, settings)
            yield found
            waits = any(reason.code in SLOW_LINK for reason in found.reasons)
            tight = found.tier is FitTier.BORDERLINE and waits
            if split[0] <= group.per_node and not tight:
                return

    def _offloaded(
        self,
        memory: LayerSplitEngine,
        group: GpuGroup,
        workload: Workload,
        settings: Settings,
    ) -> tuple[Evaluation, ...]:
        """Judge the fewest layers in system RAM, or some more where one user gains room by them.

        Experts of a layer or two are little beside those that lie there already: they make room
        for the context that people want, and answers are as fast.
        """
        fewest = memory.offloaded(self.reduced, group, workload, settings)
        if fewest is None:
            return ()
        found = self._judged(memory, fewest, workload)
        enough = (1 - self._judge.tie_share) * found.single_tokens_per_s.mid
        if workload.sequences > 1 or not fewest.cpu_expert_layers:
            return (found,)
        for tokens in self._judge.room:
            if tokens <= workload.context_tokens:
                break
            longer = replace(workload, context_tokens=tokens)
            moved = memory.offloaded(self.reduced, group, longer, settings)
            if moved is None or not moved.fits(tokens, 1, HIGH):
                continue
            roomy = memory.replica(
                self.reduced,
                group,
                workload,
                settings,
                cpu_expert_layers=moved.cpu_expert_layers,
            )
            judged = self._judged(memory, roomy, workload)
            if judged.tier is found.tier and judged.single_tokens_per_s.mid >= enough:
                return (judged,)
        return (found,)

    def _judged(
        self, memory: LayerSplitEngine, replica: SplitReplica, workload: Workload
    ) -> Evaluation:
        return self._judge.split(
            replica,
            workload,
            handover_tensors=memory.handover_tensors,
            runtime=self.subject.runtime,
            defects=self._warned(replica.group),
        )

    def _may_place(self, group: GpuGroup, settings: Settings) -> bool:
        """Whether any split is valid on all these GPUs."""
        if isinstance(self.memory, PagedEngine):
            return bool(self._valid_splits(group, settings))
        return group.nodes == 1 or self._may_stage() or self.may_cut(group, settings, PLAIN)

    def _warned(self, group: GpuGroup) -> tuple[Reason, ...]:
        """Return the known defects that hit these GPUs."""
        if not self._defects:
            return ()
        makers = {gpu.gpu.vendor for gpu in group.gpus}
        return tuple(
            Reason("KNOWN_DEFECT", {"runtime": self.subject.runtime.id, "text": defect.text})
            for defect in self._defects
            if not defect.vendors or makers & set(defect.vendors)
        )

    def may_cut(self, group: GpuGroup, settings: Settings, kv_dtype: str) -> bool:
        """Whether a runtime that places whole layers can also cut each over all these GPUs.

        MLX gives every rank the same share, so that chips of one kind may differ in memory: the
        smallest decides.

        Source:
            exo README and Jeff Geerling, "1.5 TB of VRAM on Mac Studio": tensor parallel over two
            Macs of 512 GB and two of 256 GB; read 2026-11-23.
        """
        can, size = self.subject.runtime.capabilities, len(group.ranks)
        eager = isinstance(self.memory, LayerSplitEngine) and self.memory.eager
        unequal = group.mixed and not (eager and len({d.gpu.id for d in group.gpus}) == 1)
        if size == 1 or not can.tensor_parallel or unequal:
            return False
        if not eager and (settings.flash_attention is False or not is_cut(kv_dtype)):
            return False
        if not self.subject.profile.flags.get("cuts_tensors", True):
            return False
        reason = valid_splits.refusal(self.reduced, self.subject.runtime, group, (size, 1))
        return reason is None

    def _may_stage(self) -> bool:
        """Whether a runtime that places whole layers can place them on several nodes."""
        families = self.subject.runtime.capabilities.stage_families
        return not families or self.reduced.architecture.family in families

    def _valid_splits(self, group: GpuGroup, settings: Settings) -> tuple[valid_splits.Split, ...]:
        fast = group.network is not None and group.network.rdma
        wider = (
            settings.expert_parallel,
            settings.data_parallel_size,
            settings.decode_context_parallel_size,
            settings.prediction_layers,
        )
        key = (len(group.ranks), group.per_node, group.nodes, fast, wider)
        if key not in self._splits:
            self._splits[key] = valid_splits.splits(
                self.reduced, self.subject.runtime, group, settings
            )
        return self._splits[key]


@dataclass(frozen=True, slots=True)
class Ask:
    """A checkpoint under a runtime, with the workload in that runtime's words."""

    runnable: RunnableCheckpoint
    workload: Workload

    @property
    def subject(self) -> ServedCheckpoint:
        """The checkpoint under its runtime, hardware apart."""
        return self.runnable.subject


Levels = tuple[tuple[tuple[Ask, ...], ...], ...]
"""Levels of groups, the best first."""


class Asks:
    """The checkpoints of a model under the runtimes that may answer.

    Attributes:
        every: All of them.
        counted: Those that may carry a verdict: production checkpoints, or all without any.
        surveyed: Of those counted, the ones under runtimes that are surveyed in full.
        spare: Those under such runtimes that are not counted.
    """

    def __init__(self, every: Sequence[Ask]) -> None:
        self.every = tuple(every)
        production = [a for a in self.every if a.subject.checkpoint.quantization.production]
        others = [a for a in self.every if not a.subject.checkpoint.quantization.production]
        self.counted = tuple(production or others)
        self.surveyed = tuple(a for a in self.counted if a.subject.runtime.surveyed_in_full)
        spare = others if production else []
        self.spare = tuple(a for a in spare if a.subject.runtime.surveyed_in_full)
        self._turns: dict[Hashable, tuple[Ask, ...]] = {}
        self._levels: dict[Hashable, Levels] = {}

    def in_turn(self, by: Hashable, order: Callable[[], Sequence[Ask]]) -> tuple[Ask, ...]:
        """Remember an order of what is counted for all hardware that is alike in ``by``."""
        if by not in self._turns:
            self._turns[by] = tuple(order())
        return self._turns[by]

    def levels(self, by: Hashable, group: Callable[[], Levels]) -> Levels:
        """Remember the levels of what is counted for all hardware that is alike in ``by``."""
        if by not in self._levels:
            self._levels[by] = group()
        return self._levels[by]
