"""One run resolved: which model, checkpoint and profile it is compared with, on which GPUs."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    Gpu,
    InstalledGpu,
    Node,
    OperatingSystem,
)
from sitegen.catalog.domain.measurements import LoggedQuantity, MemoryRun
from sitegen.catalog.domain.models import (
    Checkpoint,
    LanguageModel,
    MemoryModel,
    Runtime,
    RuntimeProfile,
)
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assess import assess
from sitegen.fit.assessment import Assessment, FitRequest
from sitegen.fit.fit_engine import FitEngine
from sitegen.fit.runnable_checkpoint import RunnableCheckpoint, ServedCheckpoint
from sitegen.models.unpublished import unpublished
from sitegen.physics.gpu_groups import GpuGroup, exact_set
from sitegen.physics.memory.profile_constants import dotted, profile_of
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint, design_of
from sitegen.problems import SourceSpan
from sitegen.published.accuracy.values import Comparison, Origin, Unmapped
from sitegen.units import GIB
from sitegen.values import dataclass

PLAIN = ("bf16", "gguf-f16")
"""Recipes of what no quantization changes, for paged runtimes and for layer splits."""
NO_PROFILE = "runtime without a memory profile"
UNNAMED_BUILD = "8000"
"""What llama.cpp does but for its server since b9500 (``catalog/runtimes/llama-cpp.yaml``)."""


@dataclass(frozen=True)
class LoggedRun:
    """One run beside the engine; every step may raise ``Unmapped``."""

    engine: FitEngine
    source: str
    run: MemoryRun

    @property
    def catalog(self) -> Catalog:
        """The catalog that the run stands in."""
        return self.engine.catalog

    @cached_property
    def model(self) -> LanguageModel:
        """The model of the catalog."""
        return self.catalog.models[self.run.subject.model]

    @cached_property
    def own_runtime(self) -> Runtime:
        """The runtime that ran."""
        return self.catalog.runtimes[self.run.subject.runtime]

    @property
    def profiled(self) -> bool:
        """Whether the runtime has a memory profile of its own."""
        return bool(self.own_runtime.profiles)

    @cached_property
    def runtime(self) -> Runtime:
        """The runtime whose rules are compared: without a profile, the reference of its family."""
        if self.profiled:
            return self.own_runtime
        own = self.own_runtime
        for one in self.catalog.runtimes.values():
            same = one.traits.speed_family == own.traits.speed_family
            if same and one.traits.speed_reference and one.memory_model is own.memory_model:
                return one
        raise Unmapped(NO_PROFILE, says_enough=True)

    @cached_property
    def profile(self) -> RuntimeProfile:
        """The profile of the version; the assessed one for forks and unknown versions.

        The version of a layer split may be guessed from the day, for a fork the one it follows.
        Builds of llama.cpp that nobody names, and forks, are no servers of since b9500.
        """
        dated = self.runtime.memory_model is not MemoryModel.PAGED and "version" in self.run.assumed
        own = self.profiled and (dated or not self.run.program)
        version = self.run.subject.version if own else ""
        if not version and self.runtime.traits.llama_cpp_builds:
            version = UNNAMED_BUILD
        found = profile_of(self.runtime, version)
        found = found or (profile_of(self.runtime) if self.older else None)
        if found is None:
            raise Unmapped("no memory profile of this version", says_enough=True)
        return found

    @property
    def older(self) -> bool:
        """Whether it is from before the first profile: what no version changes still holds."""
        first = min(dotted(profile.since) for profile in self.runtime.profiles)
        return bool(self.run.subject.version) and dotted(self.run.subject.version) < first

    @property
    def largest_allocation_bytes(self) -> int | None:
        """The most that the driver of the run's backend gives in one piece, where it is limited."""
        limits = {b.id: b.largest_allocation_bytes for b in self.own_runtime.backends}
        return limits.get(self.run.settings.backend)

    def require_own_profile(self) -> None:
        """Ensure that what versions change is compared by the version that ran.

        Raises:
            Unmapped: If there is no profile of it.
        """
        if not self.profiled or self.run.program:
            raise Unmapped(NO_PROFILE, says_enough=True)
        if not self.run.subject.version:
            raise Unmapped("version not stated")
        if self.older:
            raise Unmapped("no memory profile of this version", says_enough=True)

    def require_covered_version(self) -> None:
        """Ensure that a verdict is not asked of a version from before the first profile.

        Raises:
            Unmapped: If it is, or the runtime or fork has no profile.
        """
        if not self.profiled or self.run.program or self.older:
            self.require_own_profile()

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that ran."""
        subject = self.run.subject
        listed = [c for c in self.model.checkpoints if c.id == subject.checkpoint]
        same = [c for c in self.model.checkpoints if c.quantization.id == subject.quantization]
        if listed or same:
            return (listed or same)[0]
        if not subject.quantization:
            raise Unmapped("quantization not stated")
        made = unpublished(self.catalog.quantizations[subject.quantization])
        size = self.run.observed.file_gib
        if "file" not in self.run.assumed or size is None:
            return made
        size_bytes = int(size * GIB)
        return replace(made, id=f"{made.id}-{size_bytes}", published_bytes=size_bytes)

    @cached_property
    def any_checkpoint(self) -> Checkpoint:
        """A checkpoint for what no quantization changes: the run's own, or 16 bits."""
        try:
            return self.checkpoint
        except Unmapped:
            return self.plain_checkpoint

    @cached_property
    def plain_checkpoint(self) -> Checkpoint:
        """The model in 16 bits, in a format that the runtime loads."""
        known = self.catalog.quantizations
        for recipe in (known[q] for q in PLAIN if q in known):
            if recipe.format in self.runtime.formats:
                return unpublished(recipe)
        raise Unmapped("quantization not stated")

    def runnable(self, checkpoint: Checkpoint) -> RunnableCheckpoint:
        """Reduce the model to numbers under the runtime's profile."""
        return self.engine.prepare(
            ServedCheckpoint(self.model, checkpoint, self.runtime, self.profile)
        )

    @cached_property
    def reduced(self) -> ReducedCheckpoint:
        """The checkpoint in numbers."""
        return self.runnable(self.checkpoint).reduced

    @property
    def system(self) -> Combo:
        """The GPUs of the run."""
        if self.run.system is None:
            raise Unmapped("GPU not named")
        return self.run.system

    def group(self, ranks: int, *, any_gpu: bool = False) -> GpuGroup:
        """Return the first ``ranks`` GPUs, or equal ones of the catalog where any kind will do."""
        combo = stand_in(self.catalog, ranks) if any_gpu else self.system
        if len(combo.gpus) < ranks:
            raise Unmapped("fewer GPUs named than ranks")
        return self.engine.canonical(exact_set(combo, ranks, self.engine.assumptions))

    @property
    def origin(self) -> Origin:
        """The place of the figure, for a reader."""
        run = self.run
        return Origin(
            run=run.id,
            source=self.source,
            program=run.program or self._name,
            version=run.subject.version,
            family=design_of(self.model).family,
            model=self.model.id,
            checkpoint=run.subject.checkpoint or run.subject.quantization,
            kin=bool(run.program) or not self.profiled,
            group=run.group,
            stranger=run.stranger,
        )

    @property
    def _name(self) -> str:
        if self.profiled and self.older:
            first = min((p.since for p in self.runtime.profiles), key=dotted)
            return f"{self.own_runtime.name} before {first}"
        return self.own_runtime.name

    def compared(
        self,
        quantity: LoggedQuantity,
        measured: float,
        predicted: Interval,
        *,
        naive: float | None = None,
        rounding: float = 0.0,
        note: str = "",
    ) -> Comparison:
        """Put a logged figure beside an interval."""
        run = self.run
        return Comparison(
            origin=self.origin,
            quantity=quantity,
            measured=measured,
            predicted=predicted,
            naive=naive,
            rounding=rounding,
            cause=run.causes.get(quantity, ""),
            disputed=run.disputed.get(quantity, ""),
            note=note,
        )


def stand_in(catalog: Catalog, ranks: int) -> Combo:
    """Equal GPUs in one machine, for what no GPU changes: the largest of the catalog."""
    found = max(
        (gpu for gpu in catalog.gpus.values() if isinstance(gpu.memory, DedicatedMemory)),
        key=lambda gpu: (_visible(gpu), gpu.id),
    )
    one = InstalledGpu(found, _visible(found), _visible(found))
    links = [catalog.interconnects[link] for link in found.links if link in catalog.interconnects]
    machine = Node(
        name="any",
        gpus=(one,) * ranks,
        link=links[0] if links else catalog.interconnects.get(found.bus),
        ram_bytes=None,
        ram_bandwidth_bytes_per_s=None,
        operating_system=OperatingSystem.LINUX,
        display_attached=False,
    )
    return Combo(
        id="any", name="any", summary="", nodes=(machine,), network=None, orchestrator="",
        prose=ComboProse("", "", ()), notes="", sources=(), span=SourceSpan("<any>"),
    )  # fmt: skip


def _visible(gpu: Gpu) -> int:
    return gpu.memory.visible_bytes if isinstance(gpu.memory, DedicatedMemory) else 0


def assessed(run: LoggedRun, request: FitRequest) -> Assessment:
    """Ask for the verdict of a run, as a build that has code for its model.

    A log that tells of memory comes from such a build, which may be newer than the release whose
    list of models the catalog has.
    """
    found = assess(run.engine, request)
    if all(reason.code != "UNSUPPORTED_ARCHITECTURE" for reason in found.reasons):
        return found
    knowing = replace(request.runtime, families=(), known_models=None)
    return assess(FitEngine(run.catalog), replace(request, runtime=knowing))
