"""The plausibility gate: physical bounds that no run and no claim can pass.

Everything works on plain values, so that benchmark records, claims and imported files are held to
the same bounds. Peak rates are used, never fitted ones: a figure that fails here cannot be saved
by a better implementation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.catalog.domain.hardware import Combo, Gpu, InstalledGpu, Interconnect
from sitegen.catalog.domain.models import Quantization
from sitegen.engine.judgement import Finding, Plausibility, Step

POINT_TO_POINT = frozenset({"nvlink", "xgmi", "ualink"})
"""Kinds of link that a GPU has or has not, whatever board it stands on."""


@dataclass(frozen=True, slots=True)
class Reader:
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
class Part:
    """Bytes that one token reads from one place, and how fast that place is at best."""

    place: str
    bytes: float
    bytes_per_s: float
    source: str

    @property
    def seconds(self) -> float:
        """The least time that reading them takes."""
        return self.bytes / self.bytes_per_s


def readers(gpus: Sequence[InstalledGpu]) -> tuple[Reader, ...]:
    """Describe installed GPUs."""
    return tuple(
        Reader(g.gpu.id, g.visible_bytes, g.gpu.memory_bandwidth_bytes_per_s) for g in gpus
    )


def memory(need_bytes: float, gpus: Sequence[Reader], ram: Ram | None) -> Finding | None:
    """Refuse what has more bytes than there is memory.

    Args:
        need_bytes: What must be held at least.
        gpus: All GPUs there are.
        ram: System memory that the runtime may use too; ``None`` where it uses none.
    """
    visible = sum(gpu.visible_bytes for gpu in gpus)
    spare = 0 if ram is None else ram.bytes
    if need_bytes <= visible or spare is None or need_bytes <= visible + spare:
        return None
    steps = [
        Step("needed", need_bytes, "bytes", "engine"),
        *_installed_steps(gpus),
        Step("visible", visible, "bytes", "engine"),
    ]
    if spare:
        steps.append(Step("ram", spare, "bytes", "catalog"))
    steps.append(Step("missing", need_bytes - visible - spare, "bytes", "engine"))
    arguments = {"need_bytes": need_bytes, "visible_bytes": visible + spare}
    return Finding(Plausibility.IMPOSSIBLE, "MEMORY_EXCEEDED", arguments, tuple(steps))


def _installed_steps(gpus: Sequence[Reader]) -> list[Step]:
    """Say what each kind of GPU shows, once."""
    counts: dict[Reader, int] = {}
    for gpu in gpus:
        counts[gpu] = counts.get(gpu, 0) + 1
    return [
        step
        for gpu, count in counts.items()
        for step in (
            Step("gpus", count, "count", f"gpu:{gpu.id}", gpu.id),
            Step("visible-each", gpu.visible_bytes, "bytes", f"gpu:{gpu.id}", gpu.id),
        )
    ]


def token_parts(
    read_bytes: float,
    gpus: Sequence[Reader],
    *,
    tensor: int | None,
    host_bytes: float,
    ram: Ram | None,
) -> tuple[Part, ...]:
    """Say from where one token is read, in the way that is fastest of those the split allows.

    Args:
        read_bytes: What one token reads of weights and cache.
        gpus: The GPUs of one replica.
        tensor: Tensor parallel size; ``None`` where it is not stated, and then all GPUs read
            together, which no other split beats.
        host_bytes: What cannot be on a GPU, because all of them together are too small.
        ram: Where the host's part is read from.
    """
    fastest = sorted(gpus, key=lambda gpu: -gpu.bytes_per_s)
    width = len(fastest) if tensor is None else min(tensor, len(fastest))
    parts: list[Part] = []
    left = read_bytes - host_bytes
    if width > 1 or len(fastest) == 1:
        together = sum(gpu.bytes_per_s for gpu in fastest[:width])
        parts.append(Part("gpus", left, together, f"gpu:{fastest[0].id}"))
    else:
        for gpu in fastest:  # one after another, as much as possible on the fastest
            held = min(left, float(gpu.visible_bytes))
            if held > 0:
                parts.append(Part("gpus", held, gpu.bytes_per_s, f"gpu:{gpu.id}"))
            left -= held
    if host_bytes > 0 and ram is not None:
        source = "catalog" if ram.stated else "assumption:ram-bandwidth-default-gb-s"
        parts.append(Part("ram", host_bytes, ram.bytes_per_s, source))
    return tuple(parts)


def stream(tokens_per_s: float, parts: Sequence[Part], ram: Ram | None = None) -> Finding | None:
    """Refuse a single stream that is faster than its bytes can be read at peak bandwidth.

    A bound through an assumed RAM bandwidth makes a figure doubtful, not impossible.
    """
    bound = stream_bound(parts)
    if tokens_per_s <= bound:
        return None
    assumed = ram is not None and not ram.stated and any(part.place == "ram" for part in parts)
    steps = [*bound_steps(parts), Step("claimed-speed", tokens_per_s, "tokens/s", "claim")]
    arguments: dict[str, int | float | str] = {"bound": bound, "tokens_per_s": tokens_per_s}
    if assumed:
        fixed = sum(part.seconds for part in parts if part.place != "ram")
        spilled = sum(part.bytes for part in parts if part.place == "ram")
        left = 1 / tokens_per_s - fixed
        if left > 0:
            steps.append(Step("ram-rate-needed", spilled / left, "bytes/s", "engine"))
        arguments["ram_bytes_per_s"] = ram.bytes_per_s if ram else 0.0
        return Finding(Plausibility.DOUBTFUL, "ABOVE_RAM_BOUND", arguments, tuple(steps))
    return Finding(Plausibility.IMPOSSIBLE, "ABOVE_BANDWIDTH", arguments, tuple(steps))


def stream_bound(parts: Sequence[Part]) -> float:
    """Return the tokens/s that reading the parts one after another allows."""
    return 1 / sum(part.seconds for part in parts)


def bound_steps(parts: Sequence[Part]) -> tuple[Step, ...]:
    """Write the arithmetic of a bound."""
    steps: list[Step] = []
    for part in parts:
        steps.append(Step(f"read-{part.place}", part.bytes, "bytes", "engine"))
        steps.append(Step(f"rate-{part.place}", part.bytes_per_s, "bytes/s", part.source))
    steps.append(Step("least-time", sum(part.seconds for part in parts), "s", "engine"))
    steps.append(Step("bound", stream_bound(parts), "tokens/s", "engine"))
    return tuple(steps)


def aggregate(
    tokens_per_s: float,
    *,
    streams: int,
    step_bytes: float,
    bytes_per_s: float,
    active_parameters: int,
    flops_per_s: float | None,
) -> Finding | None:
    """Refuse an aggregate above what bandwidth or arithmetic allow for one step of all streams.

    Args:
        tokens_per_s: Of all streams together.
        streams: Requests in a step.
        step_bytes: Weights that a step reads, experts touched by any of the streams included.
        bytes_per_s: Peak bandwidth of all GPUs.
        active_parameters: Multiplied with for each token: two operations each.
        flops_per_s: Peak dense rate of all GPUs; ``None`` where unknown.
    """
    by_memory = streams * bytes_per_s / step_bytes
    by_compute = flops_per_s / (2 * active_parameters) if flops_per_s else None
    bound = by_memory if by_compute is None else min(by_memory, by_compute)
    if tokens_per_s <= bound:
        return None
    steps = [
        Step("read-step", step_bytes, "bytes", "engine"),
        Step("rate-gpus", bytes_per_s, "bytes/s", "catalog"),
        Step("streams", streams, "count", "claim"),
        Step("bound-memory", by_memory, "tokens/s", "engine"),
    ]
    if by_compute is not None:
        steps.append(Step("bound-compute", by_compute, "tokens/s", "engine"))
    steps.append(Step("claimed-speed", tokens_per_s, "tokens/s", "claim"))
    arguments = {"bound": bound, "tokens_per_s": tokens_per_s, "streams": streams}
    return Finding(Plausibility.IMPOSSIBLE, "ABOVE_STEP_BOUND", arguments, tuple(steps))


def prefill(
    tokens_per_s: float, *, active_parameters: int, flops_per_s: float | None
) -> Finding | None:
    """Refuse a prefill that needs more operations than the GPUs have; none where unknown."""
    if flops_per_s is None:
        return None
    bound = flops_per_s / (2 * active_parameters)
    if tokens_per_s <= bound:
        return None
    steps = (
        Step("active-parameters", active_parameters, "parameters", "engine"),
        Step("peak-rate", flops_per_s, "flop/s", "catalog"),
        Step("bound", bound, "tokens/s", "engine"),
        Step("claimed-speed", tokens_per_s, "tokens/s", "claim"),
    )
    arguments = {"bound": bound, "tokens_per_s": tokens_per_s}
    return Finding(Plausibility.IMPOSSIBLE, "ABOVE_PEAK_RATE", arguments, steps)


def peak_flops(
    gpus: Sequence[Gpu], recipe: Quantization | None, *, low_precision: float
) -> float | None:
    """Sum the peak dense rates that a checkpoint can be computed with; ``None`` where unknown.

    Args:
        gpus: The GPUs.
        recipe: How the weights are stored; ``None`` for unknown, which gets the benefit.
        low_precision: How many times the FP16 rate (with FP32 accumulate) a GPU reaches in
            whole numbers or with FP16 accumulate, where no FP8 rate is recorded.
    """
    total = 0.0
    for gpu in gpus:
        if gpu.fp16_flops_per_s is None:
            return None
        fast = low_precision * gpu.fp16_flops_per_s
        if recipe is not None and recipe.nominal_bits >= 16 and gpu.segment == "datacenter":
            fast = gpu.fp16_flops_per_s
        elif gpu.fp8_flops_per_s is not None:
            fast = max(fast if gpu.segment != "datacenter" else 0.0, gpu.fp8_flops_per_s)
        total += fast
    return total


def world(needed: int, available: int) -> Finding | None:
    """Refuse a split over more GPUs than there are."""
    if needed <= available:
        return None
    steps = (
        Step("gpus-needed", needed, "count", "engine"),
        Step("gpus-there", available, "count", "claim"),
    )
    arguments = {"needed": needed, "available": available}
    return Finding(Plausibility.IMPOSSIBLE, "WORLD", arguments, steps)


def links(combo: Combo) -> Finding | None:
    """Refuse a link between GPUs that have none of its kind."""
    for node in combo.nodes:
        for installed in node.gpus:
            missing = node.link is not None and not has_link(installed.gpu, node.link)
            if missing and node.link is not None:
                return absent_link(installed.gpu, node.link.kind)
    return None


def has_link(gpu: Gpu, link: Interconnect) -> bool:
    """Whether a GPU can be joined by a link: any bus, but only its own point-to-point links."""
    return link.kind not in POINT_TO_POINT or link.id in gpu.links


def absent_link(gpu: Gpu, kind: str) -> Finding:
    """State that a GPU has no link of a kind."""
    step = Step("links-of-gpu", len(gpu.links), "count", f"gpu:{gpu.id}", gpu.id)
    arguments = {"gpu": gpu.id, "kind": kind}
    return Finding(Plausibility.IMPOSSIBLE, "LINK_NOT_ON_GPU", arguments, (step,))
