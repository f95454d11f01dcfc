"""The engine over one catalog: everything that is shared between combos is computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    MemoryModel,
    Runtime,
    RuntimeProfile,
)
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import Cure
from sitegen.fit.evaluation import Evaluation, Judge
from sitegen.fit.nearest_record import EvidenceIndex, evidence_of
from sitegen.fit.open_verdict import OpenVerdict
from sitegen.fit.runnable_checkpoint import (
    Asks,
    EvaluationCache,
    RunnableCheckpoint,
    ServedCheckpoint,
)
from sitegen.fit.usual_links import link_inside
from sitegen.physics.gpu_groups import GpuGroup, gpu_groups
from sitegen.physics.memory.layer_split import LayerSplitEngine
from sitegen.physics.memory.paged import PagedEngine
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import GpuLedger, Limits, Reason
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint, reduce_checkpoint
from sitegen.quality.losses import losses_of, nothing_is_lost
from sitegen.quality.ratings import ratings_of
from sitegen.quality.values import Ratings
from sitegen.values import dataclass

PROFILED = frozenset({MemoryModel.PAGED, MemoryModel.LAYER_SPLIT, MemoryModel.EAGER_SPLIT})
"""Memory models whose runtimes are assessed."""

USUAL_NETWORK = "ethernet-10g"
"""Network between nodes of a kind for which the catalog has none."""
Detail = tuple[Limits, tuple[GpuLedger, ...]]
"""What only a shown plan needs: how far it goes and what each GPU holds."""


class FitEngine:
    """Prepares subjects and sets of GPUs, and keeps one of each."""

    def __init__(
        self,
        catalog: Catalog,
        evidence: EvidenceIndex | None = None,
        losses: CheckpointLosses | None = None,
        ratings: Ratings | None = None,
    ) -> None:
        self.catalog = catalog
        self.losses = losses or checkpoint_losses(catalog)
        self._ratings = ratings
        self.assumptions = catalog.assumptions
        self.judge = Judge(catalog.assumptions)
        self._counted_to = int(catalog.assumptions["counted-sequences-cap"].value.mid)
        self._assessed = tuple(
            (runtime, profile)
            for runtime in sorted(catalog.runtimes.values(), key=_specialized)
            if runtime.memory_model in PROFILED and (profile := profile_of(runtime)) is not None
        )
        self._prepared: dict[Hashable, RunnableCheckpoint] = {}
        self._alike: dict[Hashable, EvaluationCache] = {}
        self._unsupported: dict[Hashable, dict[int, Reason | None]] = {}
        self.asks: dict[Hashable, Asks] = {}
        self._loadable: dict[str, tuple[RunnableCheckpoint, ...]] = {}
        self._reduced_checkpoints: dict[Hashable, ReducedCheckpoint] = {}
        self._memory: dict[Hashable, PagedEngine | LayerSplitEngine] = {}
        self._sets: dict[Hashable, GpuGroup] = {}
        self._of_combo: dict[int, tuple[Combo, tuple[tuple[GpuGroup, int], ...]]] = {}
        self._details: dict[Evaluation, Detail] = {}
        self._cures: dict[Evaluation, dict[Hashable, Cure | None]] = {}
        self._networks: dict[str, Interconnect | None] = {}
        self._links: dict[tuple[str, int], Interconnect | None] = {}
        self._held: dict[Evaluation, dict[int, int]] = {}
        self._longest: dict[Evaluation, dict[int, int]] = {}
        self._doubts: dict[Evaluation, OpenVerdict | None] = {}
        self._evidence = evidence or evidence_of(catalog, self.reduced)

    @property
    def evidence(self) -> EvidenceIndex:
        """The records beside which assessments are put, without those above a physical bound."""
        return self._evidence

    @property
    def ratings(self) -> Ratings:
        """Ratings of the models for each use, computed when they are first asked for."""
        if self._ratings is None:
            self._ratings = ratings_of(self.catalog)
        return self._ratings

    def forget(self) -> None:
        """Drop what was judged so far: answers stay the same, and memory is used again."""
        for remembered in self._alike.values():
            remembered.evaluations.clear()
        for judged in (self._details, self._doubts):
            judged.clear()
        self._cures.clear()
        self._held.clear()
        self._longest.clear()

    def assessed_runtimes(self) -> tuple[tuple[Runtime, RuntimeProfile], ...]:
        """Runtimes with a complete memory profile, with the profile that the survey uses."""
        return self._assessed

    def surveyed_runtimes(self) -> tuple[tuple[Runtime, RuntimeProfile], ...]:
        """Those of them that say something which no other one says."""
        return tuple(
            (runtime, profile)
            for runtime, profile in self._assessed
            if not all(self.is_redundant_runtime(runtime, loaded) for loaded in runtime.formats)
        )

    def prepare(self, subject: ServedCheckpoint) -> RunnableCheckpoint:
        """Reduce a subject to numbers.

        Raises:
            ValueError: If the model's family is unknown or its config incomplete.
        """
        key = (subject.key, _cuts(subject))
        if key not in self._prepared:
            reduced = self._reduced(subject)
            likeness = _verdict_key(subject, reduced)
            if likeness not in self._alike:
                self._alike[likeness] = EvaluationCache(self._refusals(subject, reduced))
            self._prepared[key] = RunnableCheckpoint(
                subject, reduced, self._memory_model(subject), self.judge, self._alike[likeness]
            )
        return self._prepared[key]

    def _refusals(
        self, subject: ServedCheckpoint, reduced: ReducedCheckpoint
    ) -> dict[int, Reason | None]:
        """Return what is known of sets of GPUs on which such a checkpoint does not run."""
        recipe, looked_up = subject.checkpoint.quantization.id, _looked_up(reduced)
        key = (recipe, looked_up, subject.runtime.id, subject.profile.version, _cuts(subject))
        return self._unsupported.setdefault(key, {})

    def loadable(self, model: LanguageModel) -> tuple[RunnableCheckpoint, ...]:
        """Prepare each checkpoint of a model under the assessed runtimes that load its format.

        A runtime that lays out whole layers is left out where another one runs the same format
        on all of its GPUs and does all that it does: its verdicts would be the same again.

        Those that may carry a verdict (at least 4 bits per weight) come first. Of a runtime that
        is not surveyed in full only production checkpoints are prepared, after those of the
        others.
        """
        if model.id not in self._loadable:
            subjects = [
                ServedCheckpoint(model, checkpoint, runtime, profile)
                for checkpoint in model.checkpoints
                for runtime, profile in self._assessed
                if checkpoint.quantization.format in runtime.formats
                and (runtime.surveyed_in_full or checkpoint.quantization.production)
                and not self.is_redundant_runtime(runtime, checkpoint.quantization.format)
            ]
            self._loadable[model.id] = tuple(
                self.prepare(subject) for subject in sorted(subjects, key=_turn)
            )
        return self._loadable[model.id]

    def loaded_by(self, model: LanguageModel, runtime_id: str) -> tuple[RunnableCheckpoint, ...]:
        """Prepare each checkpoint of a model that one assessed runtime loads, as ``loadable``."""
        subjects = [
            ServedCheckpoint(model, checkpoint, runtime, profile)
            for runtime, profile in self._assessed
            if runtime.id == runtime_id
            for checkpoint in model.checkpoints
            if checkpoint.quantization.format in runtime.formats
        ]
        return tuple(self.prepare(subject) for subject in sorted(subjects, key=_turn))

    def on_one_node(self, runnable: RunnableCheckpoint) -> RunnableCheckpoint:
        """Return a checkpoint under the runtime that its own one extends to unequal nodes."""
        subject = runnable.subject
        own, wanted = subject.runtime, subject.checkpoint.quantization.format
        can = own.capabilities
        if (
            not (can.multi_node and can.mixed_gpus)
            or own.memory_model is not MemoryModel.EAGER_SPLIT
        ):
            return runnable
        for runtime, profile in self._assessed:
            alike = runtime.memory_model is own.memory_model and runtime.vendors == own.vendors
            if alike and not runtime.capabilities.mixed_gpus and wanted in runtime.formats:
                return self.prepare(
                    ServedCheckpoint(subject.model, subject.checkpoint, runtime, profile)
                )
        return runnable

    def is_redundant_runtime(self, runtime: Runtime, loaded: str) -> bool:
        """True if another assessed runtime gives the same verdicts for a format, and more."""
        return runtime.memory_model is not MemoryModel.PAGED and any(
            loaded in other.formats and _runs_wherever(other, runtime)
            for other, _ in self._assessed
            if other is not runtime
        )

    def _reduced(self, subject: ServedCheckpoint) -> ReducedCheckpoint:
        """Reduce a checkpoint once per way of loading it."""
        tiles = expert_tiles(subject.model, subject.checkpoint, subject.profile)
        return self.reduced(subject.model, subject.checkpoint, tiles)

    def reduced(
        self, model: LanguageModel, checkpoint: Checkpoint, tiles: tuple[int, ...] = ()
    ) -> ReducedCheckpoint:
        """Reduce a checkpoint once for each way in which its experts are padded.

        Raises:
            ValueError: If the model's family is unknown or its config incomplete.
        """
        key = (model.id, checkpoint.id, tiles)
        if key not in self._reduced_checkpoints:
            self._reduced_checkpoints[key] = reduce_checkpoint(
                model, checkpoint, expert_tiles=tiles
            )
        return self._reduced_checkpoints[key]

    def reduced_file_bytes(self, model: LanguageModel) -> Mapping[str, int]:
        """Return the bytes of a model's checkpoints that were reduced, as their files hold them."""
        known = (
            (one.id, self._reduced_checkpoints.get((model.id, one.id, ())))
            for one in model.checkpoints
        )
        return {id_: found.weights.total_bytes for id_, found in known if found is not None}

    def _memory_model(self, subject: ServedCheckpoint) -> PagedEngine | LayerSplitEngine:
        key = (subject.runtime.id, subject.profile.version)
        if key not in self._memory:
            paged = subject.runtime.memory_model is MemoryModel.PAGED
            self._memory[key] = (
                PagedEngine(subject.profile)
                if paged
                else LayerSplitEngine(
                    subject.profile, self._counted_to, 1 - self.judge.thresholds.comfortable
                )
            )
        return self._memory[key]

    def gpu_groups(self, combo: Combo) -> tuple[tuple[GpuGroup, int], ...]:
        """List the sets of GPUs of a combo, each with how many disjoint ones there are."""
        if id(combo) not in self._of_combo:
            found = gpu_groups(combo, self.assumptions)
            listed = tuple((self.canonical(one), one.replicas) for one in found)
            self._of_combo[id(combo)] = (combo, listed)
        return self._of_combo[id(combo)][1]

    def canonical(self, group: GpuGroup) -> GpuGroup:
        """Return the one value that stands for all sets of this kind, in whatever combo."""
        single = replace(group, replicas=1)
        return self._sets.setdefault(_signature(single), single)

    def detail(self, evaluation: Evaluation, compute: Callable[[], Detail]) -> Detail:
        """Remember the details of an evaluation, which combos share."""
        if evaluation not in self._details:
            self._details[evaluation] = compute()
        return self._details[evaluation]

    def cure(
        self, evaluation: Evaluation, owned: Hashable, compute: Callable[[], Cure | None]
    ) -> Cure | None:
        """Remember what would help an evaluation, for readers who own as much."""
        known = self._cures.setdefault(evaluation, {})
        if owned not in known:
            known[owned] = compute()
        return known[owned]

    def usual_network(self, gpu_id: str) -> Interconnect | None:
        """Return the network between nodes with a GPU in most combos, or the most common one."""
        if gpu_id not in self._networks:
            links = [
                combo.network
                for combo in self.catalog.combos.values()
                if combo.network and combo.gpus[0].gpu.id == gpu_id
            ]
            counts = {link.id: len([o for o in links if o.id == link.id]) for link in links}
            best = min(counts, key=lambda id_: (-counts[id_], id_), default=USUAL_NETWORK)
            self._networks[gpu_id] = self.catalog.interconnects.get(best)
        return self._networks[gpu_id]

    def usual_link(self, gpu: Gpu, count: int) -> Interconnect | None:
        """Return what joins so many of a GPU in one machine, as ``usual_links`` finds it."""
        key = (gpu.id, count)
        if key not in self._links:
            self._links[key] = self.catalog.interconnects.get(link_inside(self.catalog, gpu, count))
        return self._links[key]

    def held(self, evaluation: Evaluation, context_tokens: int) -> int:
        """Count the sequences of a length that one replica holds at once."""
        known = self._held.setdefault(evaluation, {})
        if context_tokens not in known:
            known[context_tokens] = evaluation.replica.sequences(context_tokens)
        return known[context_tokens]

    def longest(self, evaluation: Evaluation, model_context: int) -> int:
        """Return the longest context of one sequence in tokens, up to the model's own."""
        known = self._longest.setdefault(evaluation, {})
        if model_context not in known:
            known[model_context] = evaluation.replica.longest(model_context)
        return known[model_context]

    def open_verdict(
        self, evaluation: Evaluation, compute: Callable[[], OpenVerdict | None]
    ) -> OpenVerdict | None:
        """Remember what would settle an evaluation."""
        if evaluation not in self._doubts:
            self._doubts[evaluation] = compute()
        return self._doubts[evaluation]


FUSED_FAMILIES = frozenset({"gpt_oss"})
"""Families whose MXFP4 experts vLLM multiplies by Triton kernels on the common GPUs."""


def expert_tiles(
    model: LanguageModel, checkpoint: Checkpoint, profile: RuntimeProfile
) -> tuple[int, ...]:
    """Return the multiples to which a runtime pads MXFP4 experts on each rank, else nothing.

    Multiples of width and hidden size for gate and up, then for down.

    Source:
        vLLM 0.33, ``fused_moe/oracle/mxfp4.py``: 128 and 256 for Marlin and FlashInfer; the Triton
        kernels for gpt-oss take widths of 64, and what a product sums over in tiles of 256.
    """
    if checkpoint.quantization.format != "mxfp4" or "mxfp4_width_multiple" not in profile.constants:
        return ()
    width, hidden, row, column = (
        int(profile.constants[name].value.mid)
        for name in (
            "mxfp4_width_multiple",
            "mxfp4_hidden_multiple",
            "mxfp4_triton_width_multiple",
            "mxfp4_triton_tile",
        )
    )
    if model.config.get("model_type") in FUSED_FAMILIES:
        return row, column, column, 1
    return width, hidden, width, hidden


def _verdict_key(subject: ServedCheckpoint, reduced: ReducedCheckpoint) -> Hashable:
    """Return the key of a verdict and its details: models with one key share verdicts."""
    model, checkpoint = subject.model, subject.checkpoint
    return (
        reduced.shape_key,
        reduced.architecture.family,
        _looked_up(reduced),
        reduced.weights.total_bytes,
        checkpoint.quantization.id,
        model.context_tokens,
        tuple(one.id for one in model.checkpoints),
        subject.runtime.id,
        subject.profile.version,
        _cuts(subject),
    )


def _cuts(subject: ServedCheckpoint) -> Hashable:
    """Return what an orchestrator may take from a runtime, which keeps its id."""
    can = subject.runtime.capabilities
    return (can.tensor_parallel, can.multi_node)


def _looked_up(reduced: ReducedCheckpoint) -> Hashable:
    """Return the facts that decide whether a runtime has code for a model, or for its experts."""
    design = reduced.architecture
    return (design.known_as, design.special_keys, design.experts > 0)


def _turn(subject: ServedCheckpoint) -> tuple[bool, bool]:
    """Order of judging: production checkpoints, those of runtimes surveyed in full first."""
    production = subject.checkpoint.quantization.production
    return (not production, not subject.runtime.surveyed_in_full)


def _specialized(runtime: Runtime) -> tuple[bool, int]:
    """Order runtimes so that of equal answers the one with the better known memory is shown."""
    eager = runtime.memory_model is MemoryModel.EAGER_SPLIT
    return eager, -len(runtime.formats) if eager else 0


def _runs_wherever(other: Runtime, runtime: Runtime) -> bool:
    """Whether ``other`` runs wherever ``runtime`` does, and more."""
    theirs, ours = other.capabilities, runtime.capabilities
    reach = set(other.vendors) >= set(runtime.vendors) and theirs.multi_node >= ours.multi_node
    if other.memory_model is runtime.memory_model:
        reach = reach and theirs.mixed_gpus >= ours.mixed_gpus
    wider = (len(other.vendors), len(other.formats), theirs.multi_node)
    narrower = (len(runtime.vendors), len(runtime.formats), ours.multi_node)
    return reach and len(other.formats) >= len(runtime.formats) and wider > narrower


def _signature(group: GpuGroup) -> Hashable:
    return (
        group.ranks,
        tuple((d.gpu.id, d.visible_bytes, d.reserved, d.context) for d in group.gpus),
        group.per_node,
        group.link.id if group.link else "",
        group.network.id if group.network else "",
        group.ram_bytes,
        group.ram_bandwidth_bytes_per_s,
        group.slot,
    )


NO_LOSS = Interval(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CheckpointLosses:
    """Losses in rating points, and classes of losses that the evidence cannot separate.

    Attributes:
        points: Loss by ``model|checkpoint`` for every checkpoint of the catalog.
        of_types: Loss by quantization id, for checkpoints that the catalog does not have.
        starts: Expected loss from which on each class but the first begins.
    """

    points: Mapping[str, Interval]
    of_types: Mapping[str, Interval]
    starts: tuple[float, ...]

    def of(self, model: LanguageModel, checkpoint: Checkpoint) -> Interval:
        """Return the loss of a checkpoint, low to high, in rating points."""
        known = self.points.get(f"{model.id}|{checkpoint.id}")
        if known is not None:
            return known
        if nothing_is_lost(model, checkpoint):
            return NO_LOSS
        return self.of_types.get(checkpoint.quantization.id, NO_LOSS)

    def quality_class(self, model: LanguageModel, checkpoint: Checkpoint) -> int:
        """Return the class of a checkpoint: 0 cannot be told from the release, more is worse."""
        expected = self.of(model, checkpoint).mid
        return len([start for start in self.starts if expected >= start])


def checkpoint_losses(catalog: Catalog) -> CheckpointLosses:
    """Estimate the loss of every checkpoint of a catalog from its measured losses."""
    table = losses_of(catalog)
    return CheckpointLosses(
        {
            f"{model}|{checkpoint}": loss.points
            for (model, checkpoint), loss in table.losses.items()
        },
        {id_: loss.points for id_, loss in table.by_type.items()},
        table.starts,
    )
