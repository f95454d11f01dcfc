"""Decode and prefill time: a roofline with two fitted constants and explicit communication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.catalog.domain.provenance import Evidence, Interval
from sitegen.engine import kernel
from sitegen.engine.assessment import Speed
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Assumptions, Device, DeviceSet
from sitegen.engine.paged import FAST_LINKS
from sitegen.engine.profiles import scaled

PREFILL_TOKENS = 2_048
"""Prompt whose time to first token judges a link."""
FULL_BATCH = 64
"""Streams at most when aggregate speed is estimated; few engines gain beyond."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What one pipeline stage, or one device of a layer split, reads for a token.

    ``counts`` are layers by kind; ``host_bytes`` are read from system RAM instead.
    """

    counts: tuple[int, ...]
    has_head: bool
    devices: tuple[Device, ...]
    host_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """A replica as the speed model sees it.

    Attributes:
        coefficients: The checkpoint.
        stages: In order of computation.
        tp: Ranks per stage.
        tensor_link: Link of the all-reduces; ``None`` where its speed is unknown or unneeded.
        hop_link: Link between stages.
        hops: Boundaries that a token crosses.
        memory_model: ``paged`` or ``layer-split``; selects the fitted constants.
        handover_tensors: Hidden-size tensors that cross a boundary.
        kv_bits: Bits per cached element.
        overlapped: Whether stages work on different requests at the same time.
    """

    coefficients: Coefficients
    stages: tuple[Stage, ...]
    tp: int
    tensor_link: Interconnect | None
    hop_link: Interconnect | None
    hops: int
    memory_model: str
    handover_tensors: int
    kv_bits: int
    overlapped: bool


def speed_of(
    path: Path,
    devices: DeviceSet,
    assumptions: Assumptions,
    *,
    context: int,
    batch: int,
    copies: int,
) -> Speed:
    """Estimate decode speed, single stream and for ``batch`` streams on each of ``copies``.

    Args:
        path: The replica.
        devices: Its GPUs and RAM.
        assumptions: Speed constants by hardware class.
        context: Tokens in the cache while decoding.
        batch: Streams per replica for the aggregate figure.
        copies: Replicas that serve at the same time.
    """
    single = [_token_s(path, devices, assumptions, b, context, 1) for b in range(3)]
    many = [_step_s(path, devices, assumptions, b, context, batch) for b in range(3)]
    link = [_link_s(path, assumptions, b, 1) for b in range(3)]
    return Speed(
        single_tokens_per_s=Interval(1 / single[2], 1 / single[1], 1 / single[0]),
        aggregate_tokens_per_s=Interval(*(copies * batch / many[b] for b in (2, 1, 0))),
        batch=batch,
        bound=_bound(path, link[1] / single[1]),
        communication_share=link[1] / single[1],
        evidence=Evidence.ESTIMATED,
    )


def prefill_s(path: Path, assumptions: Assumptions) -> tuple[float, float] | None:
    """Estimate seconds to the first token of a ``PREFILL_TOKENS`` prompt, and the link's part.

    ``None`` where a GPU's FP16 rate is unknown.
    """
    rates = [d.gpu.fp16_flops_per_s for stage in path.stages for d in stage.devices]
    if any(rate is None for rate in rates):
        return None
    slowest = min(rate for rate in rates if rate is not None)
    rate = slowest * scaled(assumptions["compute-efficiency"]).mid * path.tp
    computing = 2 * path.coefficients.active_parameters * PREFILL_TOKENS / rate
    link = _link_s(path, assumptions, 1, PREFILL_TOKENS)
    return computing + link, link


def _bound(path: Path, link_share: float) -> str:
    if any(stage.host_bytes for stage in path.stages):
        return "cpu"
    return "link" if link_share > 0.5 else "memory"


def _token_s(
    path: Path, devices: DeviceSet, assumptions: Assumptions, b: int, context: int, batch: int
) -> float:
    """Seconds of one step when stages follow one another."""
    stages = _stage_times(path, devices, assumptions, b, context, batch)
    return sum(stages) + _link_s(path, assumptions, b, batch)


def _step_s(
    path: Path, devices: DeviceSet, assumptions: Assumptions, b: int, context: int, batch: int
) -> float:
    """Seconds per batch at full load: the slowest stage where stages overlap."""
    if not path.overlapped or len(path.stages) == 1:
        return _token_s(path, devices, assumptions, b, context, batch)
    stages = _stage_times(path, devices, assumptions, b, context, batch)
    return max(stages) + _link_s(path, assumptions, b, batch) / len(path.stages)


def _stage_times(
    path: Path, devices: DeviceSet, assumptions: Assumptions, b: int, context: int, batch: int
) -> list[float]:
    m = path.coefficients.numbers
    reading = _at(scaled(assumptions["kv-read-efficiency"]), 2 - b)
    computing = _at(scaled(assumptions["compute-efficiency"]), 2 - b)
    ram = _at(devices.ram_bandwidth_bytes_per_s, 2 - b) * _at(
        scaled(assumptions["ram-efficiency"]), 2 - b
    )
    times = []
    for stage in path.stages:
        device = min(stage.devices, key=lambda d: d.gpu.memory_bandwidth_bytes_per_s)
        efficiency = _at(class_constant(assumptions, "decode-efficiency", path, device), 2 - b)
        overhead = _at(class_constant(assumptions, "decode-overhead", path, device, "-us"), b)
        counts = list(stage.counts)
        weights = kernel.read_bytes(m, counts, batch, int(stage.has_head)) - stage.host_bytes
        cache = batch * kernel.cache_read_bytes(m, counts, context, path.kv_bits)
        share = sum(counts) / m["layers"]
        seconds = kernel.stage_seconds(
            max(0.0, weights) + cache * efficiency / reading,
            2 * path.coefficients.active_parameters * batch * share,
            sum(counts),
            path.tp,
            device.gpu.memory_bandwidth_bytes_per_s,
            efficiency,
            (device.gpu.fp16_flops_per_s or 0.0) * computing,
            overhead,
        )
        times.append(seconds + stage.host_bytes / ram)
    return times


def _link_s(path: Path, assumptions: Assumptions, b: int, batch: int) -> float:
    m = path.coefficients.numbers
    total = 0.0
    if path.tp > 1 and path.tensor_link is not None:
        growth = assumptions[f"all-reduce-growth-{_fabric(path.tensor_link)}"].value
        bounds = [growth.low, growth.mid, growth.high]
        total += kernel.tensor_link_s(m, path.tp, batch, _link(path.tensor_link), bounds, b)
    if path.hops > 0 and path.hop_link is not None:
        total += kernel.hop_link_s(
            m, path.hops, batch, _link(path.hop_link), path.handover_tensors, b
        )
    return total


def _fabric(link: Interconnect) -> str:
    return "nvlink" if link.kind in FAST_LINKS else "bus"


def _link(link: Interconnect) -> Mapping[str, Any]:
    latency, bandwidth = link.latency_s, link.bus_bandwidth_bytes_per_s
    if latency is None or bandwidth is None:
        return {"latency": [0.0, 0.0, 0.0], "bandwidth": [1e30, 1e30, 1e30]}
    return {
        "latency": [latency.low, latency.mid, latency.high],
        "bandwidth": [bandwidth.low, bandwidth.mid, bandwidth.high],
    }


def class_constant(
    assumptions: Assumptions, stem: str, path: Path, device: Device, suffix: str = ""
) -> Interval:
    """Find the constant of the narrowest hardware class that has one.

    Raises:
        KeyError: If not even the memory model has one.
    """
    gpu = device.gpu
    names: Sequence[str] = (
        f"{stem}-{path.memory_model}-{gpu.vendor}-{gpu.segment}{suffix}",
        f"{stem}-{path.memory_model}-{gpu.vendor}{suffix}",
        f"{stem}-{path.memory_model}{suffix}",
    )
    for name in names:
        if name in assumptions:
            return scaled(assumptions[name])
    raise KeyError(names[-1])


def _at(interval: Interval, b: int) -> float:
    return (interval.low, interval.mid, interval.high)[b]
