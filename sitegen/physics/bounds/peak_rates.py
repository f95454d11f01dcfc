"""Hardware for the plausibility gate: peak rates, and the memory that a token is read from."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.hardware import Combo, Gpu, InstalledGpu
from sitegen.physics.bounds.judgement import Step
from sitegen.physics.gpu_groups import Assumptions
from sitegen.physics.memory.profile_constants import scaled
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.traffic import touched_experts
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class MemoryReader:
    """A GPU as a bound sees it: what it holds, how fast it reads, where that is recorded."""

    id: str
    visible_bytes: int
    bytes_per_s: int


@dataclass(frozen=True, slots=True)
class Ram:
    """System memory beside the GPUs; ``bytes`` is ``None`` where nobody says how much.

    ``stated`` tells a bandwidth that is recorded from one that is assumed.
    """

    bytes: int | None
    bytes_per_s: float
    stated: bool


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """Bytes that one token reads from one place, and how fast that place is at best."""

    place: str
    bytes: float
    bytes_per_s: float
    source: str

    @property
    def seconds(self) -> float:
        """The least time that reading them takes."""
        return self.bytes / self.bytes_per_s


def readers(gpus: Sequence[InstalledGpu]) -> tuple[MemoryReader, ...]:
    """Describe installed GPUs."""
    return tuple(
        MemoryReader(g.gpu.id, g.visible_bytes, g.gpu.memory_bandwidth_bytes_per_s) for g in gpus
    )


def ram_of(combo: Combo, assumptions: Assumptions) -> Ram:
    """Describe the system memory of a combo; an assumed bandwidth is the highest assumed."""
    sizes = [node.ram_bytes for node in combo.nodes]
    rates = [node.ram_bandwidth_bytes_per_s for node in combo.nodes]
    known = [rate for rate in rates if rate is not None]
    size = sum(s for s in sizes if s is not None) if all(sizes) else None
    if known:
        return Ram(size, max(known), stated=True)
    assumed = scaled(assumptions["ram-bandwidth-default-gb-s"])
    return Ram(size, assumed.high, stated=False)


def token_parts(
    read_bytes: float,
    gpus: Sequence[MemoryReader],
    *,
    tensor: int | None,
    host_bytes: float,
    ram: Ram | None,
) -> tuple[MemoryPart, ...]:
    """Return the memories that one token is read from, in the fastest way the split allows.

    Args:
        read_bytes: Bytes of weights and cache that one token reads.
        gpus: The GPUs of one replica.
        tensor: Tensor parallel size; ``None`` where it is not stated, and then all GPUs read
            together, which no other split beats.
        host_bytes: What cannot be on a GPU, because all of them together are too small.
        ram: Where the host's part is read from.
    """
    fastest = sorted(gpus, key=lambda gpu: -gpu.bytes_per_s)
    width = len(fastest) if tensor is None else min(tensor, len(fastest))
    parts: list[MemoryPart] = []
    left = read_bytes - host_bytes
    if width > 1 or len(fastest) == 1:
        together = sum(gpu.bytes_per_s for gpu in fastest[:width])
        parts.append(MemoryPart("gpus", left, together, f"gpu:{fastest[0].id}"))
    else:
        for gpu in fastest:  # one after another, as much as possible on the fastest
            held = min(left, float(gpu.visible_bytes))
            if held > 0:
                parts.append(MemoryPart("gpus", held, gpu.bytes_per_s, f"gpu:{gpu.id}"))
            left -= held
    if host_bytes > 0 and ram is not None:
        source = "catalog" if ram.stated else "assumption:ram-bandwidth-default-gb-s"
        parts.append(MemoryPart("ram", host_bytes, ram.bytes_per_s, source))
    return tuple(parts)


def stream_bound(parts: Sequence[MemoryPart]) -> float:
    """Return the tokens/s that reading the parts one after another allows."""
    return 1 / sum(part.seconds for part in parts)


def bound_steps(parts: Sequence[MemoryPart]) -> tuple[Step, ...]:
    """Write the arithmetic of a bound."""
    steps: list[Step] = []
    for part in parts:
        steps.append(Step(f"read-{part.place}", part.bytes, "bytes", "engine"))
        steps.append(Step(f"rate-{part.place}", part.bytes_per_s, "bytes/s", part.source))
    steps.append(Step("least-time", sum(part.seconds for part in parts), "s", "engine"))
    steps.append(Step("bound", stream_bound(parts), "tokens/s", "engine"))
    return tuple(steps)


LOW_PRECISION = 4.0
"""``low-precision-rate-ratio`` at best, in a catalog that does not have it."""
FOUR_BIT_GAIN = 2.0
"""How much faster than in 8 bits a GPU computes in 4.

Source:
    NVIDIA RTX Blackwell GPU Architecture whitepaper, appendix A: RTX 5090, dense, 1,676 TFLOPS in
    FP4, 838 in FP8 with FP16 accumulate, 209.5 in FP16 with FP32 accumulate; read 2026-11-23.
"""
FOUR_BIT = frozenset({"nvfp4", "mxfp4"})
"""Formats that tensor cores multiply in 4 bits; others are widened first."""
WIDE = frozenset({"bf16", "fp32", "gguf-16", "mlx-16"})
"""Classes of weights that are multiplied in 16 bits on a GPU of a data centre."""


def fastest_gain(gpu: Gpu, weights: str, low_precision: float) -> float:
    """Say how many times its recorded FP16 rate a GPU computes at best with a class of weights.

    Args:
        gpu: The GPU; one without an FP16 rate gets 1.
        weights: As ``reduced_checkpoint.weights_class`` names it; empty for unknown, which gets the
            benefit.
        low_precision: How many times the FP16 rate (with FP32 accumulate) a GPU reaches in
            whole numbers or with FP16 accumulate, where no FP8 rate is recorded.
    """
    if gpu.fp16_flops_per_s is None:
        return 1.0
    served = gpu.segment == "datacenter"
    if weights in FOUR_BIT or not weights:
        return FOUR_BIT_GAIN * low_precision
    if served and weights in WIDE:
        return 1.0
    recorded = 0.0 if gpu.fp8_flops_per_s is None else gpu.fp8_flops_per_s / gpu.fp16_flops_per_s
    if served and recorded:
        return recorded
    return max(low_precision, recorded)


def peak_flops(gpus: Sequence[Gpu], weights: str, *, low_precision: float) -> float | None:
    """Sum the peak dense rates that a checkpoint can be computed with; ``None`` where unknown.

    The arguments are those of ``fastest_gain``.
    """
    total = 0.0
    for gpu in gpus:
        if gpu.fp16_flops_per_s is None:
            return None
        total += fastest_gain(gpu, weights, low_precision) * gpu.fp16_flops_per_s
    return total


def step_bytes(shape: ModelShape, streams: int) -> float:
    """Return what one step reads of the weights: all layers, experts touched, the head.

    Args:
        shape: The checkpoint.
        streams: Requests in the step; more of them touch more experts.
    """
    part = touched_experts(shape.experts, shape.experts_per_token, streams)
    total = float(shape.head_bytes)
    for kind in shape.sequence:
        layer = shape.kinds[kind].weights
        dense = layer.split_bytes + layer.kv_bytes + layer.replicated_bytes
        total += dense + layer.expert_bytes * part
    return total
