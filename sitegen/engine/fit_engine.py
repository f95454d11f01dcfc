"""The engine over one catalog: everything that is shared between combos is computed once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    MemoryModel,
    Runtime,
    RuntimeProfile,
)
from sitegen.engine import plans, support
from sitegen.engine.assessment import Reason, Settings, Workload
from sitegen.engine.coefficients import Coefficients, coefficients
from sitegen.engine.devices import DeviceSet, device_sets
from sitegen.engine.evaluate import Evaluation, Judge
from sitegen.engine.layer_split import LayerSplitEngine
from sitegen.engine.paged import PagedEngine
from sitegen.engine.profiles import profile_of


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about, hardware apart: a checkpoint under a runtime's profile."""

    model: LanguageModel
    checkpoint: Checkpoint
    runtime: Runtime
    profile: RuntimeProfile

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Identity within one catalog."""
        return (self.model.id, self.checkpoint.id, self.runtime.id, self.profile.version)


class FitEngine:
    """Evaluates plans and remembers them by checkpoint, profile and kind of GPUs, not by combo."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.assumptions = catalog.assumptions
        self._coefficients: dict[tuple[str, str, int], Coefficients] = {}
        self._engines: dict[tuple[str, str], PagedEngine | LayerSplitEngine] = {}
        self.judge = Judge(catalog.assumptions)
        self._sets: dict[Hashable, DeviceSet] = {}
        self._of_combo: dict[int, tuple[Combo, tuple[tuple[DeviceSet, int], ...]]] = {}
        self._unsupported: dict[Hashable, Reason | None] = {}
        self._evaluations: dict[Hashable, tuple[Evaluation, ...]] = {}

    def assessed_runtimes(self) -> tuple[tuple[Runtime, RuntimeProfile], ...]:
        """Runtimes with a complete memory profile, with the profile that the survey uses."""
        found = []
        for runtime in self.catalog.runtimes.values():
            profile = profile_of(runtime)
            if runtime.memory_model in {MemoryModel.PAGED, MemoryModel.LAYER_SPLIT} and profile:
                found.append((runtime, profile))
        return tuple(found)

    def coefficients(self, subject: Subject) -> Coefficients:
        """Reduce a checkpoint once per way of loading it."""
        multiple = 0
        padded = subject.profile.constants.get("mxfp4_width_multiple")
        if padded is not None and subject.checkpoint.quantization.format == "mxfp4":
            multiple = int(padded.value.mid)
        key = (subject.model.id, subject.checkpoint.id, multiple)
        if key not in self._coefficients:
            self._coefficients[key] = coefficients(
                subject.model, subject.checkpoint, expert_width_multiple=multiple
            )
        return self._coefficients[key]

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

    def engine(self, subject: Subject) -> PagedEngine | LayerSplitEngine:
        """Return the memory model of a profile, its constants converted once."""
        key = (subject.runtime.id, subject.profile.version)
        if key not in self._engines:
            paged = subject.runtime.memory_model is MemoryModel.PAGED
            self._engines[key] = (
                PagedEngine(subject.profile) if paged else LayerSplitEngine(subject.profile)
            )
        return self._engines[key]

    def unsupported(self, subject: Subject, devices: DeviceSet) -> Reason | None:
        """Name what the runtime does not support of a checkpoint on these GPUs."""
        family = self.coefficients(subject).architecture.family
        recipe = subject.checkpoint.quantization.id
        key = (family, recipe, subject.runtime.id, id(devices))
        if key not in self._unsupported:
            self._unsupported[key] = self._refusal(subject, devices, family)
        return self._unsupported[key]

    def _refusal(self, subject: Subject, devices: DeviceSet, family: str) -> Reason | None:
        gpus = [d.gpu for d in devices.devices]
        found = support.refusal(family, subject.checkpoint, subject.runtime, gpus)
        can = subject.runtime.capabilities
        if found is None and devices.nodes > 1 and not can.multi_node:
            return Reason("MULTI_NODE_UNSUPPORTED", {"runtime": subject.runtime.id})
        return found

    def evaluations(
        self,
        subject: Subject,
        devices: DeviceSet,
        workload: Workload,
        settings: Settings,
        *,
        offload: bool = False,
    ) -> tuple[Evaluation, ...]:
        """Judge every split of a set that is worth it; empty where none is valid."""
        key = (subject.key, id(devices), workload, settings, offload)
        if key not in self._evaluations:
            self._evaluations[key] = tuple(
                self._evaluate(subject, devices, workload, settings, offload)
            )
        return self._evaluations[key]

    def _evaluate(
        self,
        subject: Subject,
        devices: DeviceSet,
        workload: Workload,
        settings: Settings,
        offload: bool,
    ) -> tuple[Evaluation, ...]:
        if self.unsupported(subject, devices) is not None:
            return ()
        engine, reduced = self.engine(subject), self.coefficients(subject)
        if isinstance(engine, PagedEngine):
            return tuple(
                self.judge.paged(
                    engine, reduced, devices, split, workload=workload, settings=settings
                )
                for split in plans.splits(reduced, subject.runtime, devices)
            )
        if not offload:
            replica = engine.replica(reduced, devices, workload, settings)
        else:
            found = engine.offloaded(reduced, devices, workload, settings)
            if found is None:
                return ()
            replica = found
        handed = engine.handover_tensors
        return (self.judge.split(replica, workload, handover_tensors=handed),)


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
