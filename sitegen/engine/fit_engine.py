"""The engine over one catalog: everything that is shared between combos is computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    MemoryModel,
    Runtime,
    RuntimeProfile,
)
from sitegen.engine.assessment import Cure, GpuLedger, Limits, Reason
from sitegen.engine.coefficients import Coefficients, coefficients
from sitegen.engine.devices import DeviceSet, device_sets
from sitegen.engine.evaluate import Evaluation, Judge
from sitegen.engine.evidence import EvidenceIndex
from sitegen.engine.findings import Doubt
from sitegen.engine.layer_split import LayerSplitEngine
from sitegen.engine.paged import PagedEngine
from sitegen.engine.prepared import Prepared, Remembered, Subject
from sitegen.engine.profiles import profile_of

PROFILED = frozenset({MemoryModel.PAGED, MemoryModel.LAYER_SPLIT, MemoryModel.EAGER_SPLIT})
"""Memory models whose runtimes are assessed."""

Detail = tuple[Limits, tuple[GpuLedger, ...]]
"""What only a shown plan needs: how far it goes and what each GPU holds."""


class FitEngine:
    """Prepares subjects and sets of GPUs, and keeps one of each."""

    def __init__(self, catalog: Catalog, evidence: EvidenceIndex | None = None) -> None:
        self.catalog = catalog
        self.assumptions = catalog.assumptions
        self.judge = Judge(catalog.assumptions)
        self.evidence = evidence or EvidenceIndex(catalog)
        self._assessed = tuple(
            (runtime, profile)
            for runtime in sorted(catalog.runtimes.values(), key=_specialized)
            if runtime.memory_model in PROFILED and (profile := profile_of(runtime)) is not None
        )
        self._prepared: dict[Hashable, Prepared] = {}
        self._alike: dict[Hashable, Remembered] = {}
        self._unsupported: dict[Hashable, dict[int, Reason | None]] = {}
        self._loadable: dict[str, tuple[Prepared, ...]] = {}
        self._smallest: dict[str, tuple[tuple[Prepared, ...], ...]] = {}
        self._coefficients: dict[Hashable, Coefficients] = {}
        self._memory: dict[Hashable, PagedEngine | LayerSplitEngine] = {}
        self._sets: dict[Hashable, DeviceSet] = {}
        self._of_combo: dict[int, tuple[Combo, tuple[tuple[DeviceSet, int], ...]]] = {}
        self._details: dict[Evaluation, Detail] = {}
        self._cures: dict[Evaluation, Cure | None] = {}
        self._sequences: dict[Evaluation, Mapping[int, int]] = {}
        self._doubts: dict[Evaluation, Doubt | None] = {}

    def forget(self) -> None:
        """Drop what was judged so far: answers stay the same, and memory is used again."""
        for remembered in self._alike.values():
            remembered.evaluations.clear()
        for judged in (self._details, self._cures, self._sequences, self._doubts):
            judged.clear()

    def assessed_runtimes(self) -> tuple[tuple[Runtime, RuntimeProfile], ...]:
        """Runtimes with a complete memory profile, with the profile that the survey uses."""
        return self._assessed

    def surveyed_runtimes(self) -> tuple[tuple[Runtime, RuntimeProfile], ...]:
        """Those of them that say something which no other one says."""
        return tuple(
            (runtime, profile)
            for runtime, profile in self._assessed
            if not all(self.repeats(runtime, loaded) for loaded in runtime.formats)
        )

    def prepare(self, subject: Subject) -> Prepared:
        """Reduce a subject to numbers.

        Raises:
            ValueError: If the model's family is unknown or its config incomplete.
        """
        key = subject.key
        if key not in self._prepared:
            reduced = self._reduced(subject)
            likeness = _likeness(subject, reduced)
            if likeness not in self._alike:
                self._alike[likeness] = Remembered(self._refusals(subject, reduced))
            self._prepared[key] = Prepared(
                subject, reduced, self._memory_model(subject), self.judge, self._alike[likeness]
            )
        return self._prepared[key]

    def _refusals(self, subject: Subject, reduced: Coefficients) -> dict[int, Reason | None]:
        """Return what is known of sets of GPUs on which such a checkpoint does not run."""
        recipe, family = subject.checkpoint.quantization.id, reduced.architecture.family
        return self._unsupported.setdefault((recipe, family, subject.runtime.id), {})

    def loadable(self, model: LanguageModel) -> tuple[Prepared, ...]:
        """Prepare each checkpoint of a model under the assessed runtimes that load its format.

        A runtime that lays out whole layers is left out where another one runs the same format
        on all of its GPUs and does all that it does: its verdicts would be the same again.

        Those that may carry a verdict (at least 4 bits per weight) come first. Of a runtime that
        is not surveyed in full only the smallest production checkpoint is prepared, after those
        of the others.
        """
        if model.id not in self._loadable:
            narrow = {
                runtime.id: self._smallest_id(model, runtime)
                for runtime, _ in self._assessed
                if not runtime.surveyed_in_full
            }
            subjects = [
                Subject(model, checkpoint, runtime, profile)
                for checkpoint in model.checkpoints
                for runtime, profile in self._assessed
                if checkpoint.quantization.format in runtime.formats
                and narrow.get(runtime.id, checkpoint.id) == checkpoint.id
                and not self.repeats(runtime, checkpoint.quantization.format)
            ]
            self._loadable[model.id] = tuple(
                self.prepare(subject) for subject in sorted(subjects, key=_turn)
            )
        return self._loadable[model.id]

    def loaded_by(self, model: LanguageModel, runtime_id: str) -> tuple[Prepared, ...]:
        """Prepare each checkpoint of a model that one assessed runtime loads, as ``loadable``."""
        subjects = [
            Subject(model, checkpoint, runtime, profile)
            for runtime, profile in self._assessed
            if runtime.id == runtime_id
            for checkpoint in model.checkpoints
            if checkpoint.quantization.format in runtime.formats
        ]
        return tuple(self.prepare(subject) for subject in sorted(subjects, key=_turn))

    def _smallest_id(self, model: LanguageModel, runtime: Runtime) -> str:
        """Return the id of the smallest production checkpoint that a runtime loads, or nothing."""
        sizes = {
            checkpoint.id: self.weighed(model, checkpoint, 0).weights.total_bytes
            for checkpoint in model.checkpoints
            if checkpoint.quantization.production
            and checkpoint.quantization.format in runtime.formats
        }
        return min(sizes, key=sizes.__getitem__, default="")

    def repeats(self, runtime: Runtime, loaded: str) -> bool:
        """Whether another assessed runtime gives the same verdicts for a format and more."""
        return runtime.memory_model is not MemoryModel.PAGED and any(
            loaded in other.formats and _covers(other, runtime)
            for other, _ in self._assessed
            if other is not runtime
        )

    def smallest_production(self, model: LanguageModel) -> tuple[tuple[Prepared, ...], ...]:
        """List, for each runtime, the smallest production checkpoint of each kind, smallest first.

        Kinds differ in format or grouping: other rules may refuse them. Runtimes that are surveyed
        in full come first.
        """
        if model.id not in self._smallest:
            kinds: dict[str, dict[Hashable, Prepared]] = {}
            for prepared in sorted(self.loadable(model), key=lambda p: p.weights_bytes):
                recipe = prepared.subject.checkpoint.quantization
                if recipe.production:
                    of_runtime = kinds.setdefault(prepared.subject.runtime.id, {})
                    group, block = recipe.tensor_parallel_group, recipe.tensor_parallel_block
                    of_runtime.setdefault((recipe.format, group, block), prepared)
            listed = (tuple(found.values()) for found in kinds.values())
            self._smallest[model.id] = tuple(
                sorted(listed, key=lambda found: not found[0].subject.runtime.surveyed_in_full)
            )
        return self._smallest[model.id]

    def _reduced(self, subject: Subject) -> Coefficients:
        """Reduce a checkpoint once per way of loading it."""
        multiple = padded_to(subject.checkpoint, subject.profile)
        return self.weighed(subject.model, subject.checkpoint, multiple)

    def weighed(
        self, model: LanguageModel, checkpoint: Checkpoint, multiple: int = 0
    ) -> Coefficients:
        """Reduce a checkpoint once, its experts' width padded to a multiple where one is given.

        Raises:
            ValueError: If the model's family is unknown or its config incomplete.
        """
        key = (model.id, checkpoint.id, multiple)
        if key not in self._coefficients:
            self._coefficients[key] = coefficients(
                model, checkpoint, expert_width_multiple=multiple
            )
        return self._coefficients[key]

    def weighed_already(self, model: LanguageModel) -> Mapping[str, int]:
        """Return the bytes of a model's checkpoints that were reduced, as their files hold them."""
        known = (
            (one.id, self._coefficients.get((model.id, one.id, 0))) for one in model.checkpoints
        )
        return {id_: found.weights.total_bytes for id_, found in known if found is not None}

    def _memory_model(self, subject: Subject) -> PagedEngine | LayerSplitEngine:
        key = (subject.runtime.id, subject.profile.version)
        if key not in self._memory:
            paged = subject.runtime.memory_model is MemoryModel.PAGED
            self._memory[key] = (
                PagedEngine(subject.profile) if paged else LayerSplitEngine(subject.profile)
            )
        return self._memory[key]

    def sets(self, combo: Combo) -> tuple[tuple[DeviceSet, int], ...]:
        """List the sets of GPUs of a combo, each with how many disjoint ones there are."""
        if id(combo) not in self._of_combo:
            found = device_sets(combo, self.assumptions)
            listed = tuple((self.canonical(one), one.copies) for one in found)
            self._of_combo[id(combo)] = (combo, listed)
        return self._of_combo[id(combo)][1]

    def canonical(self, found: DeviceSet) -> DeviceSet:
        """Return the one value that stands for all sets of this kind, in whatever combo."""
        single = replace(found, copies=1)
        return self._sets.setdefault(_signature(single), single)

    def detail(self, found: Evaluation, compute: Callable[[], Detail]) -> Detail:
        """Remember the details of an evaluation, which combos share."""
        if found not in self._details:
            self._details[found] = compute()
        return self._details[found]

    def cure(self, found: Evaluation, compute: Callable[[], Cure | None]) -> Cure | None:
        """Remember what would help an evaluation."""
        if found not in self._cures:
            self._cures[found] = compute()
        return self._cures[found]

    def sequences(
        self, found: Evaluation, compute: Callable[[], Mapping[int, int]]
    ) -> Mapping[int, int]:
        """Remember how many sequences an evaluation holds, by context length."""
        if found not in self._sequences:
            self._sequences[found] = compute()
        return self._sequences[found]

    def doubt(self, found: Evaluation, compute: Callable[[], Doubt | None]) -> Doubt | None:
        """Remember what would settle an evaluation."""
        if found not in self._doubts:
            self._doubts[found] = compute()
        return self._doubts[found]


def padded_to(checkpoint: Checkpoint, profile: RuntimeProfile) -> int:
    """Return the multiple to which a runtime pads the width of experts, 0 for none."""
    padded = profile.constants.get("mxfp4_width_multiple")
    if padded is None or checkpoint.quantization.format != "mxfp4":
        return 0
    return int(padded.value.mid)


def _likeness(subject: Subject, reduced: Coefficients) -> Hashable:
    """Name what a verdict and its details depend on: models that share it share the verdicts."""
    model, checkpoint = subject.model, subject.checkpoint
    return (
        reduced.likeness,
        reduced.architecture.family,
        reduced.weights.total_bytes,
        checkpoint.quantization.id,
        model.context_tokens,
        tuple(one.id for one in model.checkpoints),
        subject.runtime.id,
        subject.profile.version,
    )


def _turn(subject: Subject) -> tuple[bool, bool]:
    """Order of judging: production checkpoints, those of runtimes surveyed in full first."""
    production = subject.checkpoint.quantization.production
    return (not production, not subject.runtime.surveyed_in_full)


def _specialized(runtime: Runtime) -> tuple[bool, int]:
    """Order runtimes so that of equal answers the one with the better known memory is shown."""
    eager = runtime.memory_model is MemoryModel.EAGER_SPLIT
    return eager, -len(runtime.formats) if eager else 0


def _covers(other: Runtime, runtime: Runtime) -> bool:
    """Whether ``other`` runs wherever ``runtime`` does, and more."""
    theirs, ours = other.capabilities, runtime.capabilities
    reach = set(other.vendors) >= set(runtime.vendors) and theirs.multi_node >= ours.multi_node
    if other.memory_model is runtime.memory_model:
        reach = reach and theirs.mixed_gpus >= ours.mixed_gpus
    wider = (len(other.vendors), len(other.formats), theirs.multi_node)
    narrower = (len(runtime.vendors), len(runtime.formats), ours.multi_node)
    return reach and len(other.formats) >= len(runtime.formats) and wider > narrower


def _signature(found: DeviceSet) -> Hashable:
    return (
        found.ranks,
        tuple((d.gpu.id, d.visible_bytes, d.reserved, d.context) for d in found.devices),
        found.per_node,
        found.link.id if found.link else "",
        found.network.id if found.network else "",
        found.ram_bytes,
        found.ram_bandwidth_bytes_per_s,
    )
