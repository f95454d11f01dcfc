"""A replica as the speed model sees it: its stages, what each reads, and the links between."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.engine import kernel
from sitegen.engine.coefficients import Coefficients
from sitegen.engine.devices import Device
from sitegen.engine.peak_rates import fastest_gain
from sitegen.values import dataclass

Work = Mapping[str, Any]
"""The kernel's ``w``: seconds at the peaks, layers, steps; ``rows`` of an expert's products."""

RATED_BITS = 16
"""Width of the arithmetic whose rate is recorded of GPUs."""
SCORE_BYTES = 20
"""Bytes that a score of attention moves where it is not fused: written as 32 bits, read and written
by the softmax, read and narrowed to 16 bits, read by the product with the values."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What one pipeline stage, or one device of a layer split, reads for a token.

    ``counts`` are layers by kind; ``host_bytes`` are read from system RAM instead, of
    ``host_stored_bytes`` that lie there.
    """

    counts: tuple[int, ...]
    has_head: bool
    device: Device
    """The slowest of its ranks."""
    host_bytes: int = 0
    repeats: int = 1
    """Stages alike that follow one another."""
    host_stored_bytes: int = 0


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
        family: Family of kernels; selects the fitted constants.
        runtime: Runtime id; a family's members differ by a factor.
        weights: Kind of kernel that multiplies by the weights.
        handover_tensors: Hidden-size tensors that cross a boundary.
        kv_bits: Bits per cached element.
        overlapped: Whether stages work on different requests at the same time.
        streamed: Whether stages read different chunks of a prompt at the same time.
        backend: Library between runtime and GPU, empty for the vendor's own.
        era: Empty for today's software, ``early`` for that of before 2025.
        weights_scale: Size of the file over what its recipe implies, where a log states it.
        power: Power limit over the GPU's own, where one is set.
        unfused: Whether the scores of attention over a prompt go through memory.
        chunk_tokens: Tokens of a prompt that a step reads; 0 for as many as the family does.
        uneven: Whether ranks have parts of a layer of different size, and some tensors whole.
        whole_experts: Whether every routed expert lies whole on one rank.
    """

    coefficients: Coefficients
    stages: tuple[Stage, ...]
    tp: int
    tensor_link: Interconnect | None
    hop_link: Interconnect | None
    hops: int
    family: str
    runtime: str
    weights: str
    handover_tensors: int
    kv_bits: int
    overlapped: bool
    streamed: bool
    era: str = ""
    backend: str = ""
    weights_scale: float = 1.0
    power: float = 1.0
    unfused: bool = False
    chunk_tokens: int = 0
    uneven: bool = False
    whole_experts: bool = False

    @property
    def rate_is_known(self) -> bool:
        """Whether GPUs are recorded with a rate for the width that the checkpoint computes with."""
        return bool(self.coefficients.numbers["element_bits"] == RATED_BITS)


class Works:
    """What stages of paths move and compute; remembers what it reduced."""

    def __init__(self, low_precision: float) -> None:
        """Take how many times its FP16 rate a GPU reaches in whole numbers or FP8 at best."""
        self._low_precision = low_precision
        self._gains: dict[Hashable, float] = {}
        self._bytes: dict[Hashable, tuple[float, float, float]] = {}
        self._layers: dict[Hashable, tuple[int, int, int]] = {}

    def decode(self, path: Path, stage: Stage, context: int, batch: int) -> Work:
        """Work of one step of ``batch`` streams with ``context`` tokens each in the cache."""
        m = path.coefficients.numbers
        dense, expert, cache = self._read(path, stage, context, batch)
        on_host = min(stage.host_bytes, dense + expert)
        from_experts = min(expert, on_host)
        moved = (dense - (on_host - from_experts), expert - from_experts, batch * cache)
        flops = 2 * path.coefficients.active_parameters * batch * sum(stage.counts) / m["layers"]
        work = self._at_peaks(path, stage, moved, (flops, 0.0))
        work["rows"], work["steps"], work["streams"] = batch, 1, batch
        cache = work["cache"] * kernel.least_cache_share(m)
        experts = work["expert"]
        if batch > 1:  # streams that ask the same thing choose the same experts
            chosen, every = m["experts_per_token"], m["experts"]
            experts *= kernel.touched_experts(every, chosen, 1)
            experts /= kernel.touched_experts(every, chosen, batch)
        moving = work["dense"] + experts + cache
        work["least"] = max(moving, work["flops"] / self._gain(path, stage))
        return work

    def prefill(self, path: Path, stage: Stage, tokens: int, depth: int, chunk: int) -> Work:
        """Work of reading a prompt of ``tokens`` in chunks, behind ``depth`` cached tokens.

        Only the last token is multiplied with the head.
        """
        m, counts = path.coefficients.numbers, list(stage.counts)
        steps = -(-tokens // chunk)
        dense, expert, cache = self._read(path, stage, depth + tokens // 2, min(tokens, chunk))
        head = m["vocabulary"] * m["hidden"]
        body = path.coefficients.active_parameters - head
        rows = min(tokens, chunk) * m["experts_per_token"] / max(1, m["experts"])
        flops = 2 * body * tokens * sum(counts) / m["layers"]
        if stage.has_head:
            flops += 2 * head
        attention = kernel.attention_flops(m, counts, tokens, depth)
        moved = (steps * dense, steps * expert, steps * cache)
        work = self._at_peaks(path, stage, moved, (flops, attention))
        work["rows"], work["steps"], work["streams"] = rows, steps, 1
        work["least"] = max(
            work["dense"], (work["flops"] + work["attention"]) / self._gain(path, stage)
        )
        if path.unfused:
            scores = kernel.score_count(m, counts, tokens, depth, chunk)
            bandwidth = stage.device.gpu.memory_bandwidth_bytes_per_s
            work["scores"] = SCORE_BYTES * scores / path.tp / bandwidth
        return work

    def _gain(self, path: Path, stage: Stage) -> float:
        """Say how much faster than at its FP16 rate a GPU can at best compute."""
        key = (stage.device.gpu.id, path.weights)
        if key not in self._gains:
            self._gains[key] = fastest_gain(stage.device.gpu, path.weights, self._low_precision)
        return self._gains[key]

    def _read(
        self, path: Path, stage: Stage, context: int, batch: int
    ) -> tuple[float, float, float]:
        """Bytes of dense weights, experts and one stream's cache that a rank reads for a step."""
        reduced, scale = path.coefficients, path.weights_scale
        key = (
            reduced, stage.counts, stage.has_head, context, batch, path.kv_bits, path.tp, scale,
            path.uneven, path.whole_experts,
        )  # fmt: skip
        if key not in self._bytes:
            m, counts = reduced.numbers, list(stage.counts)
            head, tp = int(stage.has_head), path.tp
            if path.uneven:
                expert = kernel.expert_part(m, tp) * kernel.expert_read_bytes(
                    m, counts, 1, 0, batch
                )
                dense = kernel.meta_dense_bytes(m, counts, tp, head)
                cache = kernel.meta_cache_bytes(m, counts, tp, context, path.kv_bits)
            else:
                whole = int(path.whole_experts)
                expert = kernel.expert_read_bytes(m, counts, tp, whole, batch)
                dense = kernel.dense_read_bytes(m, counts, tp, head)
                cache = kernel.cache_read_bytes(m, counts, tp, context, path.kv_bits)
            self._bytes[key] = (scale * dense, scale * expert, cache)
        return self._bytes[key]

    def _at_peaks(
        self,
        path: Path,
        stage: Stage,
        moved: tuple[float, float, float],
        flops: tuple[float, float],
    ) -> dict[str, Any]:
        """Bytes (dense, experts, cache) and operations (products, attention) as seconds at peak.

        Operations take no time where the GPU's rate is unknown.
        """
        bandwidth = stage.device.gpu.memory_bandwidth_bytes_per_s
        rate = stage.device.gpu.fp16_flops_per_s
        per_flop = 0.0 if rate is None else 1 / path.tp / rate
        layers, mixture, recurrent = self._counted(path.coefficients, stage.counts)
        return {
            "dense": moved[0] / bandwidth,
            "expert": moved[1] / bandwidth,
            "cache": moved[2] / bandwidth,
            "flops": flops[0] * per_flop,
            "attention": flops[1] * per_flop,
            "layers": layers,
            "mixture": mixture,
            "recurrent": recurrent,
            "scores": 0.0,
            "least": 0.0,
        }

    def _counted(self, reduced: Coefficients, counts: tuple[int, ...]) -> tuple[int, int, int]:
        """Count layers, those with experts and those with a recurrent state."""
        key = (reduced, counts)
        if key not in self._layers:
            pairs = tuple(zip(counts, reduced.numbers["kinds"], strict=True))
            self._layers[key] = (
                sum(counts),
                sum(n for n, k in pairs if k["expert"] > 0),
                sum(n for n, k in pairs if k["cache"] == "state"),
            )
        return self._layers[key]
