"""Every benchmark run of the catalog beside what the engine, and a common rule, predict for it."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Interval
from sitegen.physics.speed.estimate import SpeedModel
from sitegen.published.accuracy.speed_runs import (
    BenchmarkPlans,
    Case,
    Timing,
    Weigh,
    judgeable,
    knows_rates,
    predicted,
    timings,
)
from sitegen.values import dataclass

FROM_RAM = "-from-ram"
"""Ending of a quantity that was measured with experts in system RAM."""


@dataclass(frozen=True, slots=True)
class SpeedComparison:
    """One measured rate and two predictions, in tokens/s.

    Attributes:
        run: Id of the run.
        source: Id of its file in the catalog.
        quantity: ``decode``, ``decode-of-many`` (one of several streams), ``aggregate`` or
            ``prefill``; each with ``FROM_RAM`` where experts were in system RAM.
        naive: The common rule: bandwidth of all GPUs over the checkpoint's bytes, times the
            streams; of a mixture of experts too, since the rule knows no experts. Reading a prompt:
            the FP16 rate of all GPUs over two operations a parameter, 0 where it is unknown.
        speculative: Method, empty without; such a run is listed and not judged.
        note: Why it is not judged, empty where it is.
        stranger: Predicted before any constant had seen it; no constant rests on it.
    """

    run: str
    source: str
    quantity: str
    measured: float
    predicted: Interval
    naive: float
    runtime: str
    gpu: str
    speculative: str
    note: str
    stranger: bool = False


@dataclass(frozen=True, slots=True)
class Unpredicted:
    """A run without an estimate: its id, the id of its file, and why."""

    run: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class SpeedAccuracy:
    """All comparisons, and the runs that have none with the reason."""

    comparisons: tuple[SpeedComparison, ...]
    unpredicted: tuple[Unpredicted, ...]

    @property
    def judged(self) -> tuple[SpeedComparison, ...]:
        """Comparisons that count."""
        return tuple(one for one in self.comparisons if not one.note)


def compare_speeds(catalog: Catalog, weigh: Weigh | None = None) -> SpeedAccuracy:
    """Predict every benchmark run of the catalog.

    Raises:
        KeyError: If a speed constant that a runtime family needs is missing.
    """
    model, cases = SpeedModel(catalog.assumptions), BenchmarkPlans(catalog, weigh)
    speed_comparisons: list[SpeedComparison] = []
    missing: list[Unpredicted] = []
    for source, run, case in cases.all():
        if isinstance(case, str):
            missing.append(Unpredicted(run.id, source, case))
            continue
        every = tuple(_comparisons(model, case))
        speed_comparisons += every
        if not every:
            missing.append(Unpredicted(run.id, source, _unjudged(case)))
    return SpeedAccuracy(tuple(speed_comparisons), tuple(missing))


def _comparisons(model: SpeedModel, case: Case) -> Iterator[SpeedComparison]:
    run = case.run
    for timing in timings(case):
        if not judgeable(case, timing) or _by_processor(model, case, timing):
            continue
        note = run.doubt
        if run.speculative:
            note = f"Speculative decoding ({run.speculative})."
        in_ram = run.split.cpu_expert_layers > 0
        yield SpeedComparison(
            run=run.id,
            source=case.source,
            quantity=f"{timing.quantity}{FROM_RAM}" if in_ram else timing.quantity,
            measured=timing.measured,
            predicted=Interval(*predicted(model, case, timing)),
            naive=naive(case, timing),
            runtime=run.subject.runtime,
            gpu=case.path.stages[0].slowest.gpu.id,
            speculative=run.speculative,
            note=note,
            stranger=run.stranger,
        )


def _unjudged(case: Case) -> str:
    if case.run.split.cpu_expert_layers and knows_rates(case):
        return "The processor read the prompt, in steps too small for the GPU."
    return "The FP16 rate of its GPU is unknown."


def _by_processor(model: SpeedModel, case: Case, timing: Timing) -> bool:
    """Whether a prompt was read by a processor, of whose speed nothing is known."""
    step = min(timing.prompt_tokens, model.chunk_tokens(case.path))
    return timing.quantity == "prefill" and case.path.read_by_processor(step)


def naive(case: Case, timing: Timing) -> float:
    """Predict a rate as calculators commonly do: bandwidth over file size.

    Source:
        The rule of thumb behind "tokens per second = memory bandwidth / model size"
        (llmfit 3f44fd3 multiplies it by 0.55, https://github.com/AlexsJones/llmfit).
    """
    gpus = [installed.gpu for installed in case.run.system.gpus]
    if timing.quantity == "prefill":
        rate = sum(gpu.fp16_flops_per_s or 0.0 for gpu in gpus)
        return rate / (2 * case.reduced.parameters)
    bandwidth = sum(gpu.memory_bandwidth_bytes_per_s for gpu in gpus)
    single = bandwidth / case.reduced.weights.total_bytes
    return single * (case.run.workload.sequences if timing.quantity == "aggregate" else 1)
