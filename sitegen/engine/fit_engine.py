"""The engine over one catalog: everything that is shared between combos is computed once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
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
from sitegen.engine.evaluate import Evaluation, evaluate_paged, evaluate_split
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
        self._sets: dict[Hashable, DeviceSet] = {}
        self._set_ids: dict[int, int] = {}
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
        return tuple(
            (self.canonical(found), found.copies) for found in device_sets(combo, self.assumptions)
        )

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
        family = str(self.coefficients(subject).architecture.family)
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
    ) -> Iterable[Evaluation]:
        if self.unsupported(subject, devices) is not None:
            return []
        engine, reduced = self.engine(subject), self.coefficients(subject)
        if isinstance(engine, PagedEngine):
            return [
                evaluate_paged(
                    engine, reduced, devices, split, workload, settings, self.assumptions
                )
                for split in plans.splits(reduced, subject.runtime, devices)
            ]
        found = evaluate_split(
            engine, reduced, devices, workload, settings, self.assumptions, offload=offload
        )
        return [] if found is None else [found]


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
