"""Facts of a model apart from hardware: sizes, caches, valid splits, time on a link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.domain.provenance import Interval
from sitegen.models.cache_kinds import LayerCache
from sitegen.models.weights.checkpoint import weigh_checkpoint
from sitegen.physics.memory.block_layout import AT_REST
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.reduced_checkpoint import (
    ReducedCheckpoint,
    design_and_parameters,
    reduce_checkpoint,
)
from sitegen.physics.sequence_cache import BITS, sequence_bytes
from sitegen.physics.speed.roofline import LinkSpeed, hop_link_s, tensor_link_s
from sitegen.physics.tensor_cut import tensor_conflict
from sitegen.values import dataclass

CACHE_LENGTHS = (8_192, 32_768, 131_072)
"""Sequence lengths, in tokens, at which caches are listed."""
IN_FLIGHT_TOKENS = 16_384
"""Tokens in flight at the peak that pages name: two steps of 8,192 (vLLM 0.33 on a GPU of 70 GiB
and more, ``config/vllm.py`` and ``engine/arg_utils.py``, read 2026-11-23)."""
SHORTEST_CURVE = 2_048
"""Tokens where the curve of a model's cache begins."""
LARGEST_TENSOR_PARALLEL = 16
HANDOVER_TENSORS = 2
"""Hidden-size tensors that cross a pipeline boundary: hidden state and residual (vLLM)."""


@dataclass(frozen=True, slots=True)
class CheckpointFacts:
    """A checkpoint's size; ``bits_per_weight`` is its average over all parameters."""

    checkpoint: Checkpoint
    total_bytes: int
    bits_per_weight: float


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model apart from any hardware.

    Attributes:
        parameters: Those of the language model, without buffers and prediction layers.
        active_parameters: Parameters that one token multiplies with.
        layers: Decoder layers.
        attention_heads: Query heads.
        kv_heads: KV heads, 1 for latent attention.
        experts: Routed experts per layer, 0 for dense models.
        experts_per_token: Experts chosen for a token.
        kv_bytes_per_token: Cache that grows with every token, at ``kv_bits``, over all layers.
        kv_bytes_at: Cache of one sequence by its length in tokens, at ``kv_bits``, state
            included, once its prompt was read.
        kv_peak_at: The same while its prompt is read with ``IN_FLIGHT_TOKENS`` in flight.
        kv_curve: The same from ``SHORTEST_CURVE`` tokens to the model's own context, doubling.
        valid_tensor_parallel_sizes: Sizes up to 16 that divide heads and widths at 16 bits.
        cache_kinds: ``(kind, layers)``: ``full``, ``sliding``, ``latent``, ``state``, ``none``.
        checkpoints: Largest first.
        vision_parameters: Parts for images and other input that is not text; 0 where none counts.
    """

    parameters: int
    active_parameters: int
    layers: int
    attention_heads: int
    kv_heads: int
    experts: int
    experts_per_token: int
    kv_bytes_per_token: int
    kv_bytes_at: tuple[tuple[int, int], ...]
    kv_curve: tuple[tuple[int, int], ...]
    kv_peak_at: tuple[tuple[int, int], ...]
    valid_tensor_parallel_sizes: tuple[int, ...]
    cache_kinds: tuple[tuple[str, int], ...]
    checkpoints: tuple[CheckpointFacts, ...]
    vision_parameters: int = 0

    @property
    def all_parameters(self) -> int:
        """Language model and the parts for other input, without prediction layers."""
        return self.parameters + self.vision_parameters

    @property
    def kv_bits(self) -> int:
        """Bits of most elements of the cache that is stated here.

        Source:
            vLLM 0.33, ``models/deepseek_v4/attention.py``: compressed vectors are stored in
            ``fp8_ds_mla``, and 16 bits are refused.
        """
        return 8 if any(kind == "compressed" for kind, _ in self.cache_kinds) else BITS


@dataclass(frozen=True, slots=True)
class LinkCost:
    """Time that one link costs a model over two ranks, at batch 1.

    ``tensor_s`` and ``pipeline_s`` are seconds of communication per token; ``tensor_prefill_s``
    and ``pipeline_prefill_s`` seconds of communication for a prompt of ``prompt_tokens``.
    """

    link: Interconnect
    tensor_s: Interval
    pipeline_s: Interval
    prompt_tokens: int
    tensor_prefill_s: Interval
    pipeline_prefill_s: Interval


def model_facts(
    model: LanguageModel, *, known_bytes: Mapping[str, int] | None = None
) -> ModelFacts:
    """State a model's sizes, caches and valid splits.

    Args:
        model: The model.
        known_bytes: Sizes by checkpoint id that were weighed already.

    Raises:
        ValueError: If the family is unknown or its config incomplete.

    Source:
        The model's ``config.json``; sizes from ``models.weights.checkpoint``.
    """
    every = sorted(_sizes(model, known_bytes or {}), key=lambda pair: (-pair[1], pair[0].id))
    largest = reduce_checkpoint(model, every[0][0])
    design, stored = largest.architecture, largest.parameters + model.vision_parameters
    return ModelFacts(
        parameters=largest.parameters,
        active_parameters=largest.active_parameters,
        layers=design.layers,
        attention_heads=design.attention_heads,
        kv_heads=design.kv_heads,
        experts=design.experts,
        experts_per_token=design.experts_per_token,
        kv_bytes_per_token=_growing_bytes(largest),
        kv_bytes_at=_caches(largest, CACHE_LENGTHS),
        kv_curve=_caches(largest, _lengths(model.context_tokens)),
        kv_peak_at=_caches(largest, CACHE_LENGTHS, in_flight=IN_FLIGHT_TOKENS),
        valid_tensor_parallel_sizes=tuple(_valid_sizes(largest.shape)),
        cache_kinds=_cache_kinds(largest),
        checkpoints=tuple(
            CheckpointFacts(checkpoint, size, 8 * size / stored) for checkpoint, size in every
        ),
        vision_parameters=model.vision_parameters,
    )


def _sizes(
    model: LanguageModel, known_bytes: Mapping[str, int]
) -> Iterator[tuple[Checkpoint, int]]:
    """Pair every checkpoint with its bytes."""
    for checkpoint in model.checkpoints:
        if checkpoint.id in known_bytes:
            yield checkpoint, known_bytes[checkpoint.id]
        else:
            design, _, _ = design_and_parameters(model, checkpoint)
            weights = weigh_checkpoint(
                design,
                checkpoint,
                vision_parameters=model.vision_parameters,
                prediction_parameters=model.mtp_parameters,
            )
            yield checkpoint, weights.total_bytes


def _layers(reduced: ReducedCheckpoint) -> Iterator[LayerCache]:
    """Each layer's cache, in order."""
    for kind in reduced.shape.sequence:
        yield reduced.shape.kinds[kind].cache


def _growing_bytes(reduced: ReducedCheckpoint) -> int:
    return sum(cache.token_bytes(1, BITS) for cache in _layers(reduced) if cache.grows)


def _caches(
    reduced: ReducedCheckpoint, lengths: Iterable[int], *, in_flight: int = AT_REST
) -> tuple[tuple[int, int], ...]:
    shape = reduced.shape
    return tuple((length, sequence_bytes(shape, length, in_flight=in_flight)) for length in lengths)


def _lengths(longest: int) -> Iterator[int]:
    length = min(SHORTEST_CURVE, longest)
    while length < longest:
        yield length
        length *= 2
    yield longest


def _valid_sizes(shape: ModelShape) -> Iterator[int]:
    ungrouped = shape.ungrouped()
    for size in range(1, LARGEST_TENSOR_PARALLEL + 1):
        if tensor_conflict(ungrouped, size, expert_parallel=False) is None:
            yield size


def _cache_kinds(reduced: ReducedCheckpoint) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for cache in _layers(reduced):
        counts[cache.word] = counts.get(cache.word, 0) + 1
    return tuple(counts.items())


def link_cost(
    model: LanguageModel, checkpoint: Checkpoint, link: Interconnect, *, prompt_tokens: int
) -> LinkCost | None:
    """Estimate what a link costs a model that spreads over two ranks; ``None`` for an unknown link.

    Tensor parallelism pays two all-reduces per layer and one at the end, pipeline parallelism one
    hop per token.

    Source:
        The all-reduce is latency plus payload over bus bandwidth (NCCL tests,
        https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md).
    """
    latency, bandwidth = link.latency_s, link.bus_bandwidth_bytes_per_s
    if latency is None or bandwidth is None:
        return None
    shape = reduce_checkpoint(model, checkpoint).shape
    wire = LinkSpeed(latency.bounds, bandwidth.bounds)
    no_growth = (0.0, 0.0, 0.0)  # two ranks: nothing to grow over

    def tensor(tokens: int) -> Interval:
        return Interval(
            *tensor_link_s(shape.hidden, shape.layers, 2, tokens, link=wire, growth=no_growth)
        )

    def pipeline(tokens: int) -> Interval:
        return Interval(*hop_link_s(shape.hidden, 1, tokens, wire, HANDOVER_TENSORS))

    return LinkCost(
        link, tensor(1), pipeline(1), prompt_tokens, tensor(prompt_tokens), pipeline(prompt_tokens)
    )
