"""The plausibility gate: physical bounds that no run and no claim can pass.

Everything works on plain values, so that benchmark records, claims and imported files are held to
the same bounds. Peak rates are used, never fitted ones: a figure that fails here cannot be saved
by a better implementation.
"""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.catalog.domain.hardware import Combo, Gpu, Interconnect
from sitegen.physics.bounds.judgement import BoundFinding, Plausibility, Step
from sitegen.physics.bounds.peak_rates import (
    MemoryPart,
    MemoryReader,
    Ram,
    bound_steps,
    stream_bound,
)

POINT_TO_POINT = frozenset({"nvlink", "xgmi", "ualink"})
"""Kinds of link that a GPU has or has not, whatever board it stands on."""


def memory(need_bytes: float, gpus: Sequence[MemoryReader], ram: Ram | None) -> BoundFinding | None:
    """Refuse a figure that needs more bytes than there is memory.

    Args:
        need_bytes: The least that must be held.
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
    return BoundFinding(Plausibility.IMPOSSIBLE, "MEMORY_EXCEEDED", arguments, tuple(steps))


def _installed_steps(gpus: Sequence[MemoryReader]) -> list[Step]:
    """Say what each kind of GPU shows, once."""
    counts: dict[MemoryReader, int] = {}
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


def stream(
    tokens_per_s: float, parts: Sequence[MemoryPart], ram: Ram | None = None
) -> BoundFinding | None:
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
        return BoundFinding(Plausibility.DOUBTFUL, "ABOVE_RAM_BOUND", arguments, tuple(steps))
    return BoundFinding(Plausibility.IMPOSSIBLE, "ABOVE_BANDWIDTH", arguments, tuple(steps))


def aggregate(
    tokens_per_s: float,
    *,
    streams: int,
    least_bytes: float,
    spread_bytes: float,
    bytes_per_s: float,
    active_parameters: int,
    flops_per_s: float | None,
) -> BoundFinding | None:
    """Refuse an aggregate above what bandwidth or arithmetic allow for one step of all streams.

    Streams that ask the same thing choose the same experts, so the strict bound counts those of
    one token. Above what streams that differ would need, a figure is doubtful.

    Args:
        tokens_per_s: Of all streams together.
        streams: Requests in a step.
        least_bytes: Weights that a step reads at least: the experts of one token.
        spread_bytes: Weights that a step reads where the streams choose experts evenly.
        bytes_per_s: Peak bandwidth of all GPUs.
        active_parameters: Multiplied with for each token: two operations each.
        flops_per_s: Peak dense rate of all GPUs; ``None`` where unknown.
    """
    by_compute = flops_per_s / (2 * active_parameters) if flops_per_s else float("inf")
    bound = min(streams * bytes_per_s / least_bytes, by_compute)
    usual = min(streams * bytes_per_s / spread_bytes, by_compute)
    if tokens_per_s <= usual:
        return None
    hard = tokens_per_s > bound
    shown = bound if hard else usual
    steps = [
        Step("read-step", least_bytes if hard else spread_bytes, "bytes", "engine"),
        Step("rate-gpus", bytes_per_s, "bytes/s", "catalog"),
        Step("streams", streams, "count", "claim"),
        Step("bound", shown, "tokens/s", "engine"),
        Step("claimed-speed", tokens_per_s, "tokens/s", "claim"),
    ]
    if flops_per_s:
        steps.insert(3, Step("bound-compute", by_compute, "tokens/s", "engine"))
    arguments = {"bound": shown, "tokens_per_s": tokens_per_s, "streams": streams}
    if hard:
        return BoundFinding(Plausibility.IMPOSSIBLE, "ABOVE_STEP_BOUND", arguments, tuple(steps))
    return BoundFinding(Plausibility.DOUBTFUL, "ABOVE_SPREAD_BOUND", arguments, tuple(steps))


def prefill(
    tokens_per_s: float, *, active_parameters: int, flops_per_s: float | None
) -> BoundFinding | None:
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
    return BoundFinding(Plausibility.IMPOSSIBLE, "ABOVE_PEAK_RATE", arguments, steps)


def world(needed: int, available: int) -> BoundFinding | None:
    """Refuse a split over more GPUs than there are."""
    if needed <= available:
        return None
    steps = (
        Step("gpus-needed", needed, "count", "engine"),
        Step("gpus-there", available, "count", "claim"),
    )
    arguments = {"needed": needed, "available": available}
    return BoundFinding(Plausibility.IMPOSSIBLE, "WORLD", arguments, steps)


def links(combo: Combo) -> BoundFinding | None:
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


def absent_link(gpu: Gpu, kind: str) -> BoundFinding:
    """State that a GPU has no link of a kind."""
    step = Step("links-of-gpu", len(gpu.links), "count", f"gpu:{gpu.id}", gpu.id)
    arguments = {"gpu": gpu.id, "kind": kind}
    return BoundFinding(Plausibility.IMPOSSIBLE, "LINK_NOT_ON_GPU", arguments, (step,))
