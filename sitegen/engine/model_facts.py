"""What a model and a link cost whatever the combo: sizes, caches, valid splits, time on a wire."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.catalog.domain.models import Checkpoint
from sitegen.catalog.domain.provenance import Interval


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
        parameters: All of them, without buffers.
        active_parameters: What one token multiplies with.
        layers: Decoder layers.
        attention_heads: Query heads.
        kv_heads: KV heads, 1 for latent attention.
        experts: Routed experts per layer, 0 for dense models.
        experts_per_token: Experts chosen for a token.
        kv_bytes_per_token: Cache that grows with every token, at 16 bits, over all layers.
        kv_bytes_at: Cache of one sequence by its length in tokens, at 16 bits, state included.
        valid_tensor_parallel_sizes: Sizes up to 16 that divide heads and widths at 16 bits.
        cache_kinds: ``(kind, layers)``: ``full``, ``sliding``, ``latent``, ``state``, ``none``.
        checkpoints: Largest first.
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
    valid_tensor_parallel_sizes: tuple[int, ...]
    cache_kinds: tuple[tuple[str, int], ...]
    checkpoints: tuple[CheckpointFacts, ...]


@dataclass(frozen=True, slots=True)
class LinkCost:
    """What one link costs a model that spreads over two ranks, at batch 1.

    ``tensor_s`` and ``pipeline_s`` are seconds of communication per token; ``tensor_prefill_s``
    and ``pipeline_prefill_s`` seconds of communication for a prompt of ``prompt_tokens``.
    """

    link: Interconnect
    tensor_s: Interval
    pipeline_s: Interval
    prompt_tokens: int
    tensor_prefill_s: Interval
    pipeline_prefill_s: Interval
