"""Seconds of a stage and of a link: bytes and operations over what the hardware does of them."""

from __future__ import annotations

from sitegen.units import Bounds
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Work of a stage in a step or a prompt.

    Attributes:
        dense: Seconds at peak bandwidth to read the weights that every token reads.
        expert: The same of routed experts.
        cache: The same of cache and state.
        scores: The same of attention's scores, where they are not fused.
        flops: Seconds at the peak rate to compute products.
        attention: The same of attention.
        unpack: Seconds to unpack weights where that is slow; as likely off as ``dense`` is.
        least: Seconds below which no constant brings the stage.
        layers: Layers of the stage.
        mixture: Those with experts.
        recurrent: Those with a recurrent state.
        rows: Rows of an expert's products, or of a step.
        steps: Steps through the layers.
        streams: Sequences at once.
    """

    dense: float
    expert: float
    cache: float
    scores: float
    flops: float
    attention: float
    unpack: float
    least: float
    layers: int
    mixture: int
    recurrent: int
    rows: float
    steps: int
    streams: int


@dataclass(frozen=True, slots=True, eq=False)
class StageConstants:
    """How much of the peaks a stage reaches, and what it spends beside; low, mid, high.

    Attributes:
        dense: Share of the bandwidth on weights.
        expert: The same on routed experts.
        cache: The same on cache and state.
        compute: Share of the rate on products.
        attention: The same on attention.
        overhead: Seconds of a layer and step.
        stream: Seconds of a sequence.
        fixed: Seconds of a prompt.
        hop: Seconds that a runtime adds to a hop.
        batch: Times that a step of several sequences takes.
        link: Times that a link takes in a decode step.
        link_prompt: The same in a prompt.
        mixture: Overhead that a layer with experts adds, as a share of a layer's.
        recurrent: The same of a layer with a recurrent state.
        compute_experts: Share of the rate that a mixture reaches, of a dense model's.
        expert_rows: Exponent by which few rows compute less evenly.
    """

    dense: Bounds
    expert: Bounds
    cache: Bounds
    compute: Bounds
    attention: Bounds
    overhead: Bounds
    stream: Bounds
    fixed: Bounds
    hop: Bounds
    batch: Bounds
    link: float
    link_prompt: float
    mixture: float
    recurrent: float
    compute_experts: float
    expert_rows: float


@dataclass(frozen=True, slots=True)
class LinkSpeed:
    """Latency of a message in seconds, bus bandwidth in bytes/s, at each bound."""

    latency_s: Bounds
    bytes_per_s: Bounds


def stage_terms(work: Work, constants: StageConstants) -> tuple[Bounds, Bounds, Bounds]:
    """Seconds that a stage moves bytes, computes, and spends on everything else.

    Each at the bounds from fast to slow.

    Source:
        The roofline (Williams, Waterman, Patterson 2009) with fitted shares of the peaks.
    """
    c = constants
    layers = work.layers + work.mixture * c.mixture + work.recurrent * c.recurrent
    steps = work.steps * layers
    dense, expert, cache = work.dense, work.expert, work.cache
    flops, attention, scores, streams = work.flops, work.attention, work.scores, work.streams
    unpack = work.unpack
    low, mid, high = c.dense
    expert_low, expert_mid, expert_high = c.expert
    cache_low, cache_mid, cache_high = c.cache
    compute_low, compute_mid, compute_high = c.compute
    attention_low, attention_mid, attention_high = c.attention
    return (
        (
            dense / high + expert / expert_high + cache / cache_high,
            dense / mid + expert / expert_mid + cache / cache_mid,
            dense / low + expert / expert_low + cache / cache_low,
        ),
        (
            flops / compute_high + attention / attention_high + unpack * mid / high,
            flops / compute_mid + attention / attention_mid + unpack,
            flops / compute_low + attention / attention_low + unpack * mid / low,
        ),
        (
            steps * c.overhead[0] + streams * c.stream[0] + scores / high,
            steps * c.overhead[1] + streams * c.stream[1] + scores / mid,
            steps * c.overhead[2] + streams * c.stream[2] + scores / low,
        ),
    )


def stage_seconds(work: Work, constants: StageConstants) -> Bounds:
    """Seconds of a stage at each bound: of moving and computing the longer counts.

    None is shorter than ``least``, the seconds that the bytes and operations take at the peaks:
    the width of a constant's interval says how far estimates were off, not that hardware is faster.

    Source:
        The roofline (Williams, Waterman, Patterson 2009).
    """
    moving, counting, other = stage_terms(work, constants)
    least = work.least
    return (
        max(max(moving[0], counting[0]) + other[0], least),
        max(max(moving[1], counting[1]) + other[1], least),
        max(max(moving[2], counting[2]) + other[2], least),
    )


def streamed_s(together: float, slowest: float, chunks: int) -> float:
    """Seconds of a prompt that stages read chunk by chunk, one behind the other.

    Source:
        GPipe (Huang et al. 2019): M pieces take M + K - 1 turns over K stages.
    """
    return together if chunks < 2 else (together + (chunks - 1) * slowest) / chunks


def all_reduce_s(
    ranks: int, payload: float, latency_s: float, growth: float, bytes_per_s: float
) -> float:
    """Seconds to sum a payload over ranks: latency that grows with them, and the ring's traffic.

    Source:
        NCCL tests, https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md.
    """
    if ranks < 2:
        return 0.0
    alpha = latency_s * (1 + growth * (ranks / 2 - 1))
    return alpha + 2 * (ranks - 1) / ranks * payload / bytes_per_s


def tensor_link_s(
    hidden: int, layers: int, tp: int, tokens: int, *, link: LinkSpeed, growth: Bounds
) -> Bounds:
    """Seconds that tensor parallelism spends on its link for a step of ``tokens``.

    Two all-reduces of 16-bit hidden states in each layer, and one at the end; from fast to slow.

    Source:
        Megatron-LM (Shoeybi et al. 2019), section 3.
    """
    payload, times = tokens * hidden * 2, 2 * layers + 1
    latency, bandwidth = link.latency_s, link.bytes_per_s
    return (
        times * all_reduce_s(tp, payload, latency[0], growth[0], bandwidth[2]),
        times * all_reduce_s(tp, payload, latency[1], growth[1], bandwidth[1]),
        times * all_reduce_s(tp, payload, latency[2], growth[2], bandwidth[0]),
    )


def hop_link_s(hidden: int, hops: int, tokens: int, link: LinkSpeed, tensors: int) -> Bounds:
    """Seconds that ``hops`` from stage to stage take: ``tensors`` of 16-bit hidden states each.

    Source:
        vLLM 0.33, ``IntermediateTensors`` (hidden states and residual); llama.cpp hands over the
        hidden states alone.
    """
    payload = tensors * tokens * hidden * 2
    latency, bandwidth = link.latency_s, link.bytes_per_s
    return (
        hops * (latency[0] + payload / bandwidth[2]),
        hops * (latency[1] + payload / bandwidth[1]),
        hops * (latency[2] + payload / bandwidth[0]),
    )
