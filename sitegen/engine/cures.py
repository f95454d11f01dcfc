"""The cheapest change that helps: tried in order of cost, each one recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.hardware import UnifiedMemory
from sitegen.engine.assessment import Cure, FitTier, Reason, Settings, Workload
from sitegen.engine.devices import DeviceSet
from sitegen.engine.evaluate import Evaluation
from sitegen.engine.fit_engine import FitEngine
from sitegen.engine.paged_replica import PagedReplica
from sitegen.engine.planner import RANK
from sitegen.engine.prepared import Subject

HIGHER_FRACTION = 0.95
"""The highest memory fraction that operators run without a desktop on the GPU."""
MORE_GPU_COUNTS = (2, 3, 4, 6, 8, 12, 16)


def cheapest_cure(engine: FitEngine, subject: Subject, found: Evaluation) -> Cure | None:
    """Find the cheapest change that gives a better tier; None when the tier is the best.

    A flag costs less than another file, a file less than hardware.
    """
    if found.tier is FitTier.COMFORTABLE:
        return None
    steps = (
        _by_settings(engine, subject, found),
        _by_checkpoint(engine, subject, found),
        _by_hardware(engine, subject, found),
    )
    for step in steps:
        for reason, better in step:
            if RANK[better] < RANK[found.tier]:
                return Cure(reason.code, reason.arguments, better)
    return None


Attempt = tuple[Reason, FitTier]


def _tier(
    engine: FitEngine, subject: Subject, devices: DeviceSet, workload: Workload, settings: Settings
) -> FitTier:
    tiers = [
        found.tier for found in engine.prepare(subject).evaluations(devices, workload, settings)
    ]
    return min(tiers, key=RANK.__getitem__, default=FitTier.NOT_PRACTICAL)


def _by_settings(engine: FitEngine, subject: Subject, found: Evaluation) -> Iterator[Attempt]:
    workload, settings, devices = found.workload, found.settings, found.devices
    if isinstance(found.replica, PagedReplica):
        if settings.memory_fraction is None:
            changed = replace(settings, memory_fraction=HIGHER_FRACTION)
            yield (
                Reason("RAISE_MEMORY_FRACTION", {"fraction": HIGHER_FRACTION}),
                _tier(engine, subject, devices, workload, changed),
            )
        if not settings.enforce_eager:
            changed = replace(settings, enforce_eager=True)
            yield (
                Reason("ENFORCE_EAGER", {}),
                _tier(engine, subject, devices, workload, changed),
            )
        smaller = "fp8"
    else:
        smaller = "q8_0"
    if workload.kv_dtype == "f16":
        quantized = replace(workload, kv_dtype=smaller)
        yield (
            Reason("QUANTIZE_KV", {"kv_dtype": smaller}),
            _tier(engine, subject, devices, quantized, settings),
        )


def _by_checkpoint(engine: FitEngine, subject: Subject, found: Evaluation) -> Iterator[Attempt]:
    """Yield the model's smaller production checkpoints that the runtime loads, largest first."""
    size = found.coefficients.weights.total_bytes
    others = []
    for checkpoint in subject.model.checkpoints:
        other = replace(subject, checkpoint=checkpoint)
        recipe = checkpoint.quantization
        if recipe.production and recipe.format in subject.runtime.formats:
            held = engine.prepare(other).coefficients.weights.total_bytes
            if held < size:
                others.append((held, other))
    for _, other in sorted(others, key=lambda pair: -pair[0]):
        tier = _tier(engine, other, found.devices, found.workload, found.settings)
        yield Reason("SMALLER_CHECKPOINT", {"checkpoint": other.checkpoint.id}), tier


def _by_hardware(engine: FitEngine, subject: Subject, found: Evaluation) -> Iterator[Attempt]:
    """Yield more of the same GPU on one machine, the fewest first."""
    devices = found.devices
    gpu = devices.devices[0].gpu
    if devices.mixed or devices.nodes > 1 or isinstance(gpu.memory, UnifiedMemory):
        return
    for count in MORE_GPU_COUNTS:
        if count > len(devices.ranks):
            larger = engine.canonical(_more(devices, count))
            if larger.usable_bytes < found.coefficients.least_gpu_bytes:
                continue
            tier = _tier(engine, subject, larger, found.workload, found.settings)
            yield Reason("MORE_GPUS", {"count": count, "gpu": gpu.id}), tier


def _more(devices: DeviceSet, count: int) -> DeviceSet:
    node = devices.ranks[0][0]
    return replace(
        devices,
        ranks=tuple((node, at) for at in range(count)),
        devices=(devices.devices[0],) * count,
        per_node=count,
        ram_bytes=0,
        usable_bytes=devices.devices[0].usable_bytes(raised=True) * count,
    )
