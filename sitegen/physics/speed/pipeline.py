"""A replica for the speed model: its stages, the bytes that each reads, and the links between."""

from __future__ import annotations

from collections.abc import Hashable

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.physics import meta_cut, traffic
from sitegen.physics.bounds.peak_rates import fastest_gain
from sitegen.physics.gpu_groups import Hops, UsableGpu
from sitegen.physics.model_shape import of_layers
from sitegen.physics.reduced_checkpoint import ReducedCheckpoint
from sitegen.physics.speed.roofline import Work
from sitegen.values import dataclass

RATED_BITS = 16
"""Width of the arithmetic whose rate is recorded of GPUs."""
UNPACKED = frozenset({"gguf-plain", "gguf-k", "gguf-iq4", "gguf-table", "gguf-mxfp4"})
"""Kinds of weights that are unpacked from fewer than eight bits before they are multiplied."""
OPERATIONS_A_CYCLE = 8
"""INT8 operations of a core and cycle where four products and their sums are one instruction."""
SCORE_BYTES = 20
"""Bytes that a score of attention moves where it is not fused: written as 32 bits, read and written
by the softmax, read and narrowed to 16 bits, read by the product with the values."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The layers that one pipeline stage, or one GPU of a layer split, reads for a token.

    ``counts`` are layers by kind; ``host_bytes`` are read from system RAM instead, of
    ``host_stored_bytes`` that lie there.
    """

    counts: tuple[int, ...]
    has_head: bool
    slowest: UsableGpu
    """The slowest of its ranks."""
    host_bytes: int = 0
    repeats: int = 1
    """Stages alike that follow one another."""
    host_stored_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ReplicaPipeline:
    """A replica as the speed model sees it.

    Attributes:
        reduced: The checkpoint.
        stages: In order of computation.
        tp: Ranks per stage.
        tensor_link: Link of the all-reduces; ``None`` where its speed is unknown or unneeded.
        hops: Boundaries between stages, with their links.
        family: Family of kernels; selects the fitted constants.
        runtime: Runtime whose factors apply, empty for the reference of its family.
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
        copied_expert_tokens: Tokens of a step that each expert in system RAM needs before it is
            copied to the GPU.
        slot: Id of the link between a GPU and its node, empty where only the GPU's bus is known.
        mapped_bytes_per_s: Bandwidth of the RAM where a file is mapped, so that what a GPU reads
            of it goes through a buffer; 0 where it is not.
    """

    reduced: ReducedCheckpoint
    stages: tuple[Stage, ...]
    tp: int
    tensor_link: Interconnect | None
    hops: Hops
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
    copied_expert_tokens: int = 0
    slot: str = ""
    mapped_bytes_per_s: float = 0.0

    def read_by_processor(self, tokens: int) -> bool:
        """Whether the processor computes experts for a step of a prompt: each has too few tokens.

        Source:
            ikawrakow/ik_llama.cpp pull request 520: from 32 tokens for each expert on, as many as
            llama.cpp asks of a dense model.
        """
        shape = self.reduced.shape
        least = self.copied_expert_tokens * shape.experts
        in_ram = any(stage.host_stored_bytes for stage in self.stages)
        return in_ram and tokens * shape.experts_per_token < least

    @property
    def rate_is_known(self) -> bool:
        """Whether GPUs are recorded with a rate for the width that the checkpoint computes with."""
        return self.reduced.shape.element_bits == RATED_BITS


class StageWork:
    """Bytes and operations of pipeline stages; remembers each sum."""

    def __init__(self, low_precision: float, unlikeness: float, unpack_cycles: float) -> None:
        """Remember nothing yet.

        Args:
            low_precision: Times its FP16 rate that a GPU reaches in whole numbers or FP8 at best.
            unlikeness: Exponent of the tokens of a step that counts them as independent choices.
            unpack_cycles: Cycles of a core that a weight takes where cores do everything.
        """
        self._low_precision = low_precision
        self._unlikeness = unlikeness
        self._unpack_cycles = unpack_cycles
        self._gains: dict[Hashable, float] = {}
        self._bytes: dict[Hashable, tuple[float, float, float]] = {}
        self._layers: dict[Hashable, tuple[int, int, int]] = {}
        self._whole_caches: dict[Hashable, float] = {}

    def decode(self, pipeline: ReplicaPipeline, stage: Stage, context: int, batch: int) -> Work:
        """Work of one step of ``batch`` streams with ``context`` tokens each in the cache."""
        shape, gpu = pipeline.reduced.shape, stage.slowest.gpu
        read, read_experts, read_cache = self._read(pipeline, stage, context, batch)
        on_host = min(stage.host_bytes * self.spread(pipeline, batch), read + read_experts)
        from_experts = min(read_experts, on_host)
        layers, mixture, recurrent = self._counted(pipeline.reduced, stage.counts)
        bandwidth = gpu.memory_bandwidth_bytes_per_s
        dense = (read - (on_host - from_experts)) / bandwidth
        expert = (read_experts - from_experts) / bandwidth
        cache = batch * read_cache / bandwidth
        products = 2 * pipeline.reduced.active_parameters * batch * layers / shape.layers
        flops = products * _seconds_per_flop(pipeline, stage)
        touched = expert
        if batch > 1:  # streams that ask the same thing choose the same experts
            chosen, every = shape.experts_per_token, shape.experts
            touched *= traffic.touched_experts(every, chosen, 1)
            touched /= traffic.read_experts(every, chosen, batch, self._unlikeness)
        moving = dense + touched + cache * self._least_cache(pipeline.reduced)
        return Work(
            dense=dense,
            expert=expert,
            cache=cache,
            scores=0.0,
            flops=flops,
            attention=0.0,
            unpack=self._unpack_s(pipeline, stage, products / (2 * batch)),
            least=max(moving, flops / self._gain(pipeline, stage)),
            layers=layers,
            mixture=mixture,
            recurrent=recurrent,
            rows=batch,
            steps=1,
            streams=batch,
        )

    def spread(self, pipeline: ReplicaPipeline, batch: int) -> float:
        """Times one token's experts that a step of ``batch`` streams reads; 1 without experts."""
        shape = pipeline.reduced.shape
        if batch <= 1 or shape.experts == 0:
            return 1.0
        chosen, every = shape.experts_per_token, shape.experts
        one = traffic.touched_experts(every, chosen, 1)
        return traffic.read_experts(every, chosen, batch, self._unlikeness) / one

    def _least_cache(self, reduced: ReducedCheckpoint) -> float:
        """1 where a step must read the whole cache, 0 where it chooses what it reads of it."""
        if reduced not in self._whole_caches:
            self._whole_caches[reduced] = float(traffic.reads_whole_cache(reduced.shape))
        return self._whole_caches[reduced]

    def prefill(
        self, pipeline: ReplicaPipeline, stage: Stage, tokens: int, depth: int, chunk: int
    ) -> Work:
        """Work of reading a prompt of ``tokens`` in chunks, behind ``depth`` cached tokens.

        Only the last token is multiplied with the head.
        """
        shape, counts = pipeline.reduced.shape, stage.counts
        steps = -(-tokens // chunk)
        dense, expert, cache = self._read(pipeline, stage, depth + tokens // 2, min(tokens, chunk))
        head = shape.vocabulary * shape.hidden
        body = pipeline.reduced.active_parameters - head
        layers, mixture, recurrent = self._counted(pipeline.reduced, counts)
        products = 2 * body * tokens * layers / shape.layers
        if stage.has_head:
            products += 2 * head
        per_flop, bandwidth = (
            _seconds_per_flop(pipeline, stage),
            stage.slowest.gpu.memory_bandwidth_bytes_per_s,
        )
        flops = products * per_flop
        attention = traffic.attention_flops(shape, counts, tokens, depth) * per_flop
        read = steps * dense / bandwidth
        scores = 0.0
        if pipeline.unfused:
            count = traffic.score_count(shape, counts, tokens, depth, chunk)
            scores = SCORE_BYTES * count / pipeline.tp / bandwidth
        return Work(
            dense=read,
            expert=steps * expert / bandwidth,
            cache=steps * cache / bandwidth,
            scores=scores,
            flops=flops,
            attention=attention,
            unpack=0.0,
            least=max(read, (flops + attention) / self._gain(pipeline, stage)),
            layers=layers,
            mixture=mixture,
            recurrent=recurrent,
            rows=min(tokens, chunk) * shape.experts_per_token / max(1, shape.experts),
            steps=steps,
            streams=1,
        )

    def _unpack_s(self, pipeline: ReplicaPipeline, stage: Stage, weights: float) -> float:
        """Seconds of a rank to unpack weights on GPUs whose cores compute whole numbers alone.

        These have no units for matrices, and one pipe for indices, unpacking and products: cards of
        few cores for their bandwidth wait for the cores. The record has an INT8 rate and none in
        FP16.
        """
        gpu = stage.slowest.gpu
        rate = gpu.int8_ops_per_s
        if rate is None or gpu.fp16_flops_per_s is not None or pipeline.weights not in UNPACKED:
            return 0.0
        return weights * self._unpack_cycles * OPERATIONS_A_CYCLE / rate / pipeline.tp

    def _gain(self, pipeline: ReplicaPipeline, stage: Stage) -> float:
        """Say how much faster than at its FP16 rate a GPU can at best compute."""
        key = (stage.slowest.gpu.id, pipeline.weights)
        if key not in self._gains:
            self._gains[key] = fastest_gain(
                stage.slowest.gpu, pipeline.weights, self._low_precision
            )
        return self._gains[key]

    def _read(
        self, pipeline: ReplicaPipeline, stage: Stage, context: int, batch: int
    ) -> tuple[float, float, float]:
        """Bytes of dense weights, experts and one stream's cache that a rank reads for a step."""
        reduced, scale = pipeline.reduced, pipeline.weights_scale
        key = (
            reduced, stage.counts, stage.has_head, context, batch, pipeline.kv_bits, pipeline.tp,
            scale, pipeline.uneven, pipeline.whole_experts,
        )  # fmt: skip
        if key not in self._bytes:
            shape, counts, head, tp = reduced.shape, stage.counts, stage.has_head, pipeline.tp
            if pipeline.uneven:
                experts = traffic.expert_read_bytes(shape, counts, 1, batch, self._unlikeness)
                expert = meta_cut.expert_part(shape, tp) * experts
                dense = meta_cut.dense_read_bytes(shape, counts, tp, with_head=head)
                cache = meta_cut.cache_read_bytes(shape, counts, tp, context, pipeline.kv_bits)
            else:
                whole = pipeline.whole_experts
                expert = traffic.expert_read_bytes(
                    shape, counts, tp, batch, self._unlikeness, whole=whole
                )
                dense = traffic.dense_read_bytes(shape, counts, tp, with_head=head)
                cache = traffic.cache_read_bytes(shape, counts, tp, context, pipeline.kv_bits)
            self._bytes[key] = (scale * dense, scale * expert, cache)
        return self._bytes[key]

    def _counted(self, reduced: ReducedCheckpoint, counts: tuple[int, ...]) -> tuple[int, int, int]:
        """Count layers, those with experts and those with a recurrent state."""
        key = (reduced, counts)
        if key not in self._layers:
            pairs = of_layers(counts, reduced.shape)
            self._layers[key] = (
                sum(counts),
                sum(n for n, kind in pairs if kind.weights.expert_bytes > 0),
                sum(n for n, kind in pairs if kind.cache.word == "state"),
            )
        return self._layers[key]


def _seconds_per_flop(pipeline: ReplicaPipeline, stage: Stage) -> float:
    """Seconds of an operation on each rank at the peak rate; none where the rate is unknown."""
    rate = stage.slowest.gpu.fp16_flops_per_s
    return 0.0 if rate is None else 1 / pipeline.tp / rate
