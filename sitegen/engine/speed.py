"""Decode and prefill time: a roofline with two fitted constants and explicit communication."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from sitegen.catalog.domain.hardware import Gpu, Interconnect
from sitegen.catalog.domain.provenance import Evidence, Interval
from sitegen.engine import kernel
from sitegen.engine.assessment import Speed
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Assumptions, Device, DeviceSet
from sitegen.engine.paged import FAST_LINKS
from sitegen.engine.profiles import scaled

PREFILL_TOKENS = 2_048
"""Prompt whose time to first token judges a link."""

Bounds = tuple[float, float, float]
"""Low, mid, high."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What one pipeline stage, or one device of a layer split, reads for a token.

    ``counts`` are layers by kind; ``host_bytes`` are read from system RAM instead.
    """

    counts: tuple[int, ...]
    has_head: bool
    device: Device
    """The slowest of its ranks."""
    host_bytes: int = 0
    repeats: int = 1
    """Stages alike that follow one another."""


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


def bounds(interval: Interval) -> Bounds:
    """Return an interval as low, mid, high."""
    return (interval.low, interval.mid, interval.high)


class SpeedModel:
    """The speed constants of a catalog, converted once."""

    def __init__(self, assumptions: Assumptions) -> None:
        self._assumptions = assumptions
        self._kv_read = bounds(scaled(assumptions["kv-read-efficiency"]))
        self._computing = bounds(scaled(assumptions["compute-efficiency"]))
        self._ram = bounds(scaled(assumptions["ram-efficiency"]))
        self._growth = {
            fabric: list(bounds(assumptions[f"all-reduce-growth-{fabric}"].value))
            for fabric in ("bus", "nvlink")
        }
        self._by_class: dict[tuple[str, str, str], tuple[Bounds, Bounds]] = {}
        self._links: dict[str, dict[str, Any]] = {}
        self._reads: dict[Hashable, tuple[float, float]] = {}
        self._last: tuple[Path, int, int, list[float]] | None = None

    def single(self, path: Path, devices: DeviceSet, *, context: int) -> Interval:
        """Decode speed of one stream in tokens/s, with ``context`` tokens in the cache."""
        high, mid, low = (1 / seconds for seconds in self._token_s(path, devices, context, 1))
        return Interval(low, mid, high)

    def communication_share(self, path: Path, devices: DeviceSet, *, context: int) -> float:
        """Share of a token's time that the link takes, one stream."""
        link = self.link_s(path, 1, 1)
        return link / self._token_s(path, devices, context, 1)[1] if link else 0.0

    def speed(
        self, path: Path, devices: DeviceSet, *, context: int, batch: int, copies: int
    ) -> Speed:
        """Estimate decode speed, single stream and for ``batch`` streams on each of ``copies``."""
        steps = self._step_s(path, devices, context, batch)
        high, mid, low = (copies * batch / seconds for seconds in steps)
        share = self.communication_share(path, devices, context=context)
        return Speed(
            single_tokens_per_s=self.single(path, devices, context=context),
            aggregate_tokens_per_s=Interval(low, mid, high),
            batch=batch,
            bound=_bound(path, share),
            communication_share=share,
            evidence=Evidence.ESTIMATED,
        )

    def prefill_s(self, path: Path) -> tuple[float, float] | None:
        """Estimate seconds to the first token of a ``PREFILL_TOKENS`` prompt, and the link's part.

        ``None`` where a GPU's FP16 rate is unknown.
        """
        rates = [stage.device.gpu.fp16_flops_per_s for stage in path.stages]
        known = [rate for rate in rates if rate is not None]
        if len(known) < len(rates):
            return None
        rate = min(known) * self._computing[1] * path.tp
        computing = 2 * path.coefficients.active_parameters * PREFILL_TOKENS / rate
        link = self.link_s(path, 1, PREFILL_TOKENS)
        return computing + link, link

    def _token_s(self, path: Path, devices: DeviceSet, context: int, batch: int) -> list[float]:
        """Seconds of one step when stages follow one another, from fast to slow.

        The last answer is kept: speed and communication share of a plan are asked in turn.
        """
        last = self._last
        if last is None or last[0] is not path or last[1:3] != (context, batch):
            stages = self._stage_times(path, devices, context, batch)
            steps = [
                sum(t[b] * stage.repeats for t, stage in zip(stages, path.stages, strict=True))
                + self.link_s(path, b, batch)
                for b in range(3)
            ]
            last = self._last = (path, context, batch, steps)
        return last[3]

    def _step_s(self, path: Path, devices: DeviceSet, context: int, batch: int) -> list[float]:
        """Seconds per batch at full load: the slowest stage where stages overlap."""
        count = sum(stage.repeats for stage in path.stages)
        if not path.overlapped or count == 1:
            return self._token_s(path, devices, context, batch)
        stages = self._stage_times(path, devices, context, batch)
        return [
            max(times[b] for times in stages) + self.link_s(path, b, batch) / count
            for b in range(3)
        ]

    def _stage_times(
        self, path: Path, devices: DeviceSet, context: int, batch: int
    ) -> list[list[float]]:
        """Seconds of each stage at each bound, from fast to slow."""
        m = path.coefficients.numbers
        flops = 2 * path.coefficients.active_parameters * batch / m["layers"]
        ram = bounds(devices.ram_bandwidth_bytes_per_s)
        every = []
        for stage in path.stages:
            gpu, layers = stage.device.gpu, sum(stage.counts)
            efficiency, overhead = self._constants(path.memory_model, gpu)
            moved, cache = self._read(path, stage, context, batch)
            weights = moved - stage.host_bytes
            every.append(
                [
                    kernel.stage_seconds(
                        max(0.0, weights) + cache * efficiency[2 - b] / self._kv_read[2 - b],
                        flops * layers,
                        layers,
                        path.tp,
                        gpu.memory_bandwidth_bytes_per_s,
                        efficiency[2 - b],
                        (gpu.fp16_flops_per_s or 0.0) * self._computing[2 - b],
                        overhead[b],
                    )
                    + stage.host_bytes / (ram[2 - b] * self._ram[2 - b])
                    for b in range(3)
                ]
            )
        return every

    def _read(self, path: Path, stage: Stage, context: int, batch: int) -> tuple[float, float]:
        """Bytes of weights and of cache that a stage reads for a step of ``batch`` streams."""
        reduced = path.coefficients
        key = (reduced, stage.counts, stage.has_head, context, batch, path.kv_bits)
        if key not in self._reads:
            m, counts = reduced.numbers, list(stage.counts)
            self._reads[key] = (
                kernel.read_bytes(m, counts, batch, int(stage.has_head)),
                batch * kernel.cache_read_bytes(m, counts, context, path.kv_bits),
            )
        return self._reads[key]

    def link_s(self, path: Path, b: int, batch: int) -> float:
        """Seconds that a step of ``batch`` tokens spends on links, at bound ``b`` of the time."""
        m, total = path.coefficients.numbers, 0.0
        if path.tp > 1 and path.tensor_link is not None:
            growth = self._growth["nvlink" if path.tensor_link.kind in FAST_LINKS else "bus"]
            link = self._link(path.tensor_link)
            total += kernel.tensor_link_s(m, path.tp, batch, link, growth, b)
        if path.hops > 0 and path.hop_link is not None:
            link = self._link(path.hop_link)
            total += kernel.hop_link_s(m, path.hops, batch, link, path.handover_tensors, b)
        return total

    def _link(self, link: Interconnect) -> dict[str, Any]:
        if link.id not in self._links:
            latency, bandwidth = link.latency_s, link.bus_bandwidth_bytes_per_s
            unknown = latency is None or bandwidth is None
            self._links[link.id] = {
                "latency": [0.0, 0.0, 0.0] if latency is None else list(bounds(latency)),
                "bandwidth": [1e30] * 3
                if unknown or bandwidth is None
                else list(bounds(bandwidth)),
            }
        return self._links[link.id]

    def _constants(self, memory_model: str, gpu: Gpu) -> tuple[Bounds, Bounds]:
        """Efficiency and seconds per layer of the narrowest hardware class that has them.

        Raises:
            KeyError: If not even the memory model has one.
        """
        key = (memory_model, gpu.vendor, gpu.segment)
        if key not in self._by_class:
            self._by_class[key] = (
                self._of_class("decode-efficiency", key, ""),
                self._of_class("decode-overhead", key, "-us"),
            )
        return self._by_class[key]

    def _of_class(self, stem: str, key: tuple[str, str, str], suffix: str) -> Bounds:
        for width in (3, 2, 1):
            name = "-".join((stem, *key[:width])) + suffix
            if name in self._assumptions:
                return bounds(scaled(self._assumptions[name]))
        raise KeyError("-".join((stem, *key)) + suffix)


def _bound(path: Path, link_share: float) -> str:
    if any(stage.host_bytes for stage in path.stages):
        return "cpu"
    return "link" if link_share > 0.5 else "memory"
