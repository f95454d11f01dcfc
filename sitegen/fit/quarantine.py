"""Benchmark records above a physical bound: found by the gate, kept apart, listed with the reason.

Nothing here is authored. The engine takes no listed record for evidence (``evidence_of``); the
record stays in the catalog, because a published figure does not go away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization
from sitegen.catalog.domain.provenance import Constant
from sitegen.catalog.domain.runs import Benchmarks, SpeedRun
from sitegen.models.unpublished import listed_or_made
from sitegen.physics.bounds import peak_rates, plausibility
from sitegen.physics.bounds.judgement import BoundFinding, Plausibility, Step
from sitegen.physics.memory.layer_layout import split_layout
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint, weights_class
from sitegen.physics.tensor_cut import tensor_conflict
from sitegen.values import dataclass

POSSIBLE = frozenset({"ABOVE_SPREAD_BOUND"})
"""Findings that leave a way out which benchmarks take: they ask every stream the same."""


Weigh: TypeAlias = Callable[[LanguageModel, Checkpoint], ReducedCheckpoint]
"""Reduces a checkpoint to numbers."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A run that no GPU could have made, and why."""

    benchmarks: Benchmarks
    run: SpeedRun
    finding: BoundFinding


class Gate:
    """The bounds of a catalog's records, asked of one run at a time and remembered."""

    def __init__(self, catalog: Catalog, weigh: Weigh) -> None:
        """Take the records and a way to reduce a checkpoint to numbers."""
        self._assumptions: Mapping[str, Constant] = catalog.assumptions
        self._models = catalog.models
        self._runtimes = catalog.runtimes
        self._recipes: Mapping[str, Quantization] = catalog.quantizations
        self._weigh = weigh
        self._findings: dict[int, tuple[SpeedRun, BoundFinding | None]] = {}

    def finding(self, run: SpeedRun) -> BoundFinding | None:
        """Return the first bound that a run breaks."""
        known = self._findings.get(id(run))
        if known is None:  # the run is kept beside its finding, so that its identity stays its own
            known = self._findings[id(run)] = run, next(self._broken(run), None)
        return known[1]

    def _broken(self, run: SpeedRun) -> Iterator[BoundFinding]:
        findings = [plausibility.links(run.system), _world(run)]
        counted = self._counted(run)
        if counted is not None:
            findings += [self._split(run, counted), self._memory(run, counted)]
            if not run.speculative:  # tokens may then come several at a step
                findings += self._speeds(run, counted)
        yield from (f for f in findings if f is not None and f.code not in POSSIBLE)

    def _counted(self, run: SpeedRun) -> ReducedCheckpoint | None:
        """Reduce the checkpoint that ran, where the record says which."""
        model = self._models.get(run.subject.model)
        if model is None:
            return None
        recipe = self._recipes.get(run.subject.quantization)
        if recipe is not None:
            return self._weigh(model, listed_or_made(model, recipe))
        listed = [c for c in model.checkpoints if c.id == run.subject.checkpoint]
        return self._weigh(model, listed[0]) if listed else None

    def _split(self, run: SpeedRun, counted: ReducedCheckpoint) -> BoundFinding | None:
        if self._runtimes[run.subject.runtime].capabilities.any_tensor_width:
            return None
        conflict = tensor_conflict(
            counted.shape.ungrouped(),  # runtimes pad groups and blocks
            run.split.tensor or 1,
            expert_parallel=run.split.expert,
        )
        if conflict is None:
            return None
        code, size, tp, group = conflict
        arguments = {"heads": size, "kv_heads": size, "size": size, "tp": tp, "group": group}
        step = Step("tensor", tp, "count", "claim")
        return BoundFinding(Plausibility.DOUBTFUL, code, arguments, (step,))

    def _memory(self, run: SpeedRun, counted: ReducedCheckpoint) -> BoundFinding | None:
        """Refuse weights above all memory; RAM counts unless a tensor split is stated."""
        ram = None if run.split.tensor else peak_rates.ram_of(run.system, self._assumptions)
        seen = peak_rates.readers(run.system.gpus)
        return plausibility.memory(counted.least_gpu_bytes, seen, ram)

    def _speeds(self, run: SpeedRun, counted: ReducedCheckpoint) -> list[BoundFinding | None]:
        figures, streams = run.figures, run.workload.sequences
        findings: list[BoundFinding | None] = []
        if figures.decode_tokens_per_s is not None and streams == 1:
            parts = self._token_parts(run, counted)
            ram = peak_rates.ram_of(run.system, self._assumptions)
            findings.append(plausibility.stream(figures.decode_tokens_per_s, parts, ram))
        flops, active, shape = self._peak(run), counted.active_parameters, counted.shape
        if figures.aggregate_tokens_per_s is not None:
            findings.append(
                plausibility.aggregate(
                    figures.aggregate_tokens_per_s,
                    streams=streams,
                    least_bytes=peak_rates.step_bytes(shape, 1),
                    spread_bytes=peak_rates.step_bytes(shape, streams),
                    bytes_per_s=sum(g.bytes_per_s for g in peak_rates.readers(run.system.gpus)),
                    active_parameters=active,
                    flops_per_s=flops,
                )
            )
        if figures.prefill_tokens_per_s is not None:
            findings.append(
                plausibility.prefill(
                    figures.prefill_tokens_per_s, active_parameters=active, flops_per_s=flops
                )
            )
        return findings

    def _token_parts(
        self, run: SpeedRun, counted: ReducedCheckpoint
    ) -> tuple[peak_rates.MemoryPart, ...]:
        """Say from where a token is read at best."""
        shape, seen = counted.shape, peak_rates.readers(run.system.gpus)
        visible = sum(gpu.visible_bytes for gpu in seen)
        return peak_rates.token_parts(
            peak_rates.step_bytes(shape, 1),
            seen,
            tensor=run.split.tensor,
            host_bytes=_read_from_ram(run, counted, visible),
            ram=peak_rates.ram_of(run.system, self._assumptions),
        )

    def _peak(self, run: SpeedRun) -> float | None:
        factor = self._assumptions.get("low-precision-rate-ratio")
        recipe = self._recipes.get(run.subject.quantization)
        gpus = [one.gpu for one in run.system.gpus]
        low_precision = factor.value.high if factor else peak_rates.LOW_PRECISION
        weights = "" if recipe is None else weights_class(recipe)
        return peak_rates.peak_flops(gpus, weights, low_precision=low_precision)


def quarantine(catalog: Catalog, weigh: Weigh) -> tuple[Quarantined, ...]:
    """List the benchmark runs that are above a bound, in the order of the catalog."""
    gate = Gate(catalog, weigh)
    return tuple(
        Quarantined(source, run, finding)
        for source in catalog.benchmarks.values()
        for run in source.runs
        if (finding := gate.finding(run)) is not None
    )


def _read_from_ram(run: SpeedRun, counted: ReducedCheckpoint, visible_bytes: int) -> float:
    """Bytes that a token reads from system RAM at least: what the GPUs had no room for.

    A token chooses its experts, so without a statement of where they were it may need none of RAM.
    """
    shape, layers = counted.shape, run.split.cpu_expert_layers
    if layers:
        return split_layout(shape, (1,), cpu_experts=layers).host.read_bytes(shape)
    return 0.0 if shape.experts else max(0.0, counted.least_gpu_bytes - visible_bytes)


def _world(run: SpeedRun) -> BoundFinding | None:
    split = run.split
    needed = (split.tensor or 1) * (split.pipeline or 1) * (1 if split.expert else split.data or 1)
    return plausibility.world(needed, len(run.system.gpus))
