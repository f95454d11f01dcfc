"""Benchmark records above a physical bound: found by the gate, kept apart, listed with the reason.

Nothing here is authored. A build takes a listed record for no evidence (``judged_records``); it
stays in the catalog, because a published figure does not go away.
"""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.catalog.domain.runs import Benchmarks, SpeedRun
from sitegen.engine import kernel, peak_rates, plausibility
from sitegen.engine.claim_cases import Cases, checkpoint_of
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.judgement import Finding, Plausibility, Step
from sitegen.values import dataclass

POSSIBLE = frozenset({"ABOVE_SPREAD_BOUND"})
"""Findings that leave a way out which benchmarks take: they ask every stream the same."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A run that no GPU could have made, and why."""

    benchmarks: Benchmarks
    run: SpeedRun
    finding: Finding


def quarantine(engine: FitEngine) -> tuple[Quarantined, ...]:
    """List the benchmark runs that are above a bound, in the order of the catalog."""
    cases = Cases(engine)
    return tuple(
        Quarantined(source, run, finding)
        for source in engine.catalog.benchmarks.values()
        for run in source.runs
        if (finding := gate(cases, run)) is not None
    )


def gate(cases: Cases, run: SpeedRun) -> Finding | None:
    """Return the first bound that a run breaks."""
    return next(_broken(cases, run), None)


def _broken(cases: Cases, run: SpeedRun) -> Iterator[Finding]:
    found = [plausibility.links(run.system), _world(run)]
    counted = _counted(cases, run)
    if counted is not None:
        found += [_split(cases, run, counted), _memory(cases, run, counted)]
        if not run.speculative:  # tokens may then come several at a step
            found += _speeds(cases, run, counted)
    yield from (f for f in found if f is not None and f.code not in POSSIBLE)


def _counted(cases: Cases, run: SpeedRun) -> Coefficients | None:
    """Reduce the checkpoint that ran, where the record says which."""
    catalog = cases.engine.catalog
    model = catalog.models.get(run.subject.model)
    if model is None:
        return None
    if run.subject.quantization in catalog.quantizations:
        recipe = catalog.quantizations[run.subject.quantization]
        return cases.weigh(model, recipe)
    listed = [c for c in model.checkpoints if c.id == run.subject.checkpoint]
    if not listed:
        return None
    checkpoint = checkpoint_of(model, listed[0].quantization, listed[0].id)
    return cases.engine.weighed(model, checkpoint)


def _world(run: SpeedRun) -> Finding | None:
    split = run.split
    needed = (split.tensor or 1) * (split.pipeline or 1) * (1 if split.expert else split.data or 1)
    return plausibility.world(needed, len(run.system.gpus))


def _split(cases: Cases, run: SpeedRun, counted: Coefficients) -> Finding | None:
    if cases.engine.catalog.runtimes[run.subject.runtime].capabilities.any_tensor_width:
        return None
    broken = kernel.tensor_refusal(counted.numbers, run.split.tensor or 1, int(run.split.expert))
    if not broken or broken[0] in {"TP_GROUP", "TP_FP8_BLOCK"}:  # runtimes pad groups and blocks
        return None
    code, size, tp, group = broken
    arguments = {"heads": size, "kv_heads": size, "size": size, "tp": tp, "group": group}
    step = Step("tensor", tp, "count", "claim")
    return Finding(Plausibility.DOUBTFUL, code, arguments, (step,))


def _memory(cases: Cases, run: SpeedRun, counted: Coefficients) -> Finding | None:
    """Refuse weights above all memory; RAM counts unless a tensor split is stated."""
    ram = None if run.split.tensor else cases.ram(run.system)
    seen = peak_rates.readers(run.system.gpus)
    return plausibility.memory(counted.least_gpu_bytes, seen, ram)


def _speeds(cases: Cases, run: SpeedRun, counted: Coefficients) -> list[Finding | None]:
    figures, streams = run.figures, run.workload.sequences
    seen = peak_rates.readers(run.system.gpus)
    found: list[Finding | None] = []
    m = counted.numbers
    if figures.decode_tokens_per_s is not None and streams == 1:
        visible = sum(gpu.visible_bytes for gpu in seen)
        spilled = 0.0 if m["experts"] else max(0.0, counted.least_gpu_bytes - visible)
        ram = cases.ram(run.system)
        read = peak_rates.step_bytes(m, 1)
        parts = peak_rates.token_parts(
            read, seen, tensor=run.split.tensor, host_bytes=spilled, ram=ram
        )
        found.append(plausibility.stream(figures.decode_tokens_per_s, parts, ram))
    flops = _peak(cases, run)
    active = counted.active_parameters
    if figures.aggregate_tokens_per_s is not None:
        found.append(
            plausibility.aggregate(
                figures.aggregate_tokens_per_s,
                streams=streams,
                least_bytes=peak_rates.step_bytes(m, 1),
                spread_bytes=peak_rates.step_bytes(m, streams),
                bytes_per_s=sum(gpu.bytes_per_s for gpu in seen),
                active_parameters=active,
                flops_per_s=flops,
            )
        )
    if figures.prefill_tokens_per_s is not None:
        found.append(
            plausibility.prefill(
                figures.prefill_tokens_per_s, active_parameters=active, flops_per_s=flops
            )
        )
    return found


def _peak(cases: Cases, run: SpeedRun) -> float | None:
    factor = cases.assumption("low-precision-rate-ratio")
    recipe = cases.engine.catalog.quantizations.get(run.subject.quantization)
    gpus = [one.gpu for one in run.system.gpus]
    low_precision = factor.value.high if factor else 4.0
    return peak_rates.peak_flops(gpus, recipe, low_precision=low_precision)
