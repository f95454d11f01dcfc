"""The question to a replica and its layout on GPUs: values without words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sitegen.catalog.domain.provenance import Evidence, Interval
from sitegen.values import dataclass

CONTEXT_STEP = 256
"""Contexts to start with are whole blocks of this many tokens."""


class PlanKind(StrEnum):
    """How one replica uses its GPUs."""

    SINGLE = "single"
    TENSOR = "tensor"
    PIPELINE = "pipeline"
    TENSOR_PIPELINE = "tensor-pipeline"
    LAYER_SPLIT = "layer-split"
    REMOTE_LAYER_SPLIT = "remote-layer-split"
    """Layer split over nodes (llama.cpp RPC)."""
    OFFLOAD = "offload"
    """Layers or experts in system RAM beside a layer split."""


@dataclass(frozen=True, slots=True)
class ParallelPlan:
    """Layers and tensors of each rank.

    ``ranks`` lists the GPUs of the first replica as ``(node, gpu)`` indices into the combo; rank
    ``stage * tensor_parallel_size + t``. ``layers_per_stage`` sums to the model's layers (for a
    layer split: layers per GPU). ``cpu_layers`` and ``cpu_expert_layers`` stay in system RAM.
    """

    kind: PlanKind
    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    ranks: tuple[tuple[int, int], ...]
    layers_per_stage: tuple[int, ...]
    cpu_layers: int = 0
    cpu_expert_layers: int = 0

    @property
    def gpus(self) -> int:
        """GPUs of all replicas."""
        return len(self.ranks) * self.replicas


@dataclass(frozen=True, slots=True)
class Workload:
    """Context per sequence, sequences resident at once, and type of the KV cache."""

    context_tokens: int
    sequences: int
    kv_dtype: str
    """A word of ``cache_types.BITS``; ``f16`` is as wide as the model computes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Operator's choices; ``None`` means the runtime's default."""

    memory_fraction: float | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    enforce_eager: bool = False
    micro_batch_tokens: int | None = None
    raised_limit: bool = False
    expert_parallel: bool = False
    """Routed experts dealt out whole over the ranks instead of cut by width."""
    data_parallel_size: int | None = None
    """Copies of the attention in one replica; experts lie over all of their ranks."""
    decode_context_parallel_size: int | None = None
    """Ranks of a tensor parallel group that share the tokens of the cache."""
    prediction_layers: bool = False
    """Speculative decoding with the model's own multi-token prediction layers."""
    draft_bytes: int | None = None
    """Memory of a separate draft model on each GPU, its cache included."""
    text_only: bool = False
    """No images or video: the encoder is not profiled (``--limit-mm-per-prompt``)."""
    images: bool = False
    """Whether llama.cpp loads the image projector beside the model."""
    flash_attention: bool | None = None
    """Whether llama.cpp fuses attention; without it the scores are a tensor of the graph."""
    largest_allocation_bytes: int | None = None
    """The most memory that the GPU backend's driver gives in one piece."""
    backend: str = ""
    """Id of the library between runtime and GPU; empty for the vendor's own."""

    @property
    def attention_copies(self) -> int:
        """Data parallel ranks of one replica, 1 by default."""
        return self.data_parallel_size or 1


DEFAULTS = Settings()
"""Nothing chosen; one value, so that what was judged of it is found sooner."""


LEDGER_LINES = (
    "reserved_os", "context", "weights", "projector", "kv", "state", "compute", "communication",
    "graphs", "fragmentation",
)  # fmt: skip
"""Components of a ledger, in the order they are stacked; ``free`` is what is left."""


@dataclass(frozen=True, slots=True)
class GpuLedger:
    """Memory of one GPU by line, in bytes, each at low, mid and high.

    ``visible_bytes = sum(lines) + free`` at each bound. ``budget_bytes`` is what the runtime may
    fill of ``visible_bytes``; ``need`` is everything but ``reserved_os``; ``utilization`` is need
    over budget and may exceed 1.
    """

    node: int
    gpu: int
    gpu_id: str
    layers: int
    visible_bytes: int
    budget_bytes: int
    lines: Mapping[str, Interval]
    need: Interval
    free: Interval
    utilization: Interval

    def at(self, node: int, gpu: int) -> GpuLedger:
        """Return the ledger of a GPU that holds the same elsewhere."""
        return GpuLedger(
            node,
            gpu,
            self.gpu_id,
            self.layers,
            self.visible_bytes,
            self.budget_bytes,
            self.lines,
            self.need,
            self.free,
            self.utilization,
        )


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is not better: a code and the arguments of its sentence."""

    code: str
    arguments: Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class RefusedPlan:
    """A plan that somebody may think of and the rule that refuses it."""

    tensor_parallel_size: int
    pipeline_parallel_size: int
    replicas: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the plan goes at the mid estimate, per replica unless said otherwise.

    ``sequences_at`` maps a context length in tokens to sequences that are resident at once;
    ``kv_pool_tokens`` is what the pool of a paged runtime holds, 0 for others.
    """

    max_context_tokens: int
    max_context_tokens_low: int
    """At the high memory estimate: what is safe to promise."""
    sequences_at: Mapping[int, int]
    kv_pool_tokens: int
    kv_bytes_per_token_per_gpu: int
    startable_sequences: int | None = None
    """Most that ``max_num_seqs`` may be, where recurrent state has fewer blocks than it asks."""
    counted_to: int = 0
    """Sequences are counted up to so many, and more may fit; 0 where all that fit are counted."""
    tokens_by_request: int = 0
    """Tokens of the pool as vLLM logs them when it is started for ``context_to_start``."""

    def context_to_start(self, reached: int, sequences: int) -> int:
        """Choose the context that a server is started for: the longest that is safe.

        Args:
            reached: Context of the verdict, which is kept where it is the longer one.
            sequences: Sequences that were asked for; with several the context is as asked.
        """
        if sequences > 1:
            return reached
        safe, likely = self.max_context_tokens_low, self.max_context_tokens
        if safe >= reached:
            return max(reached, safe // CONTEXT_STEP * CONTEXT_STEP)
        return min(likely, reached) or reached


@dataclass(frozen=True, slots=True)
class Speed:
    """Estimated decode speed in tokens/s, single stream and all replicas at ``batch`` each.

    ``batch`` is the number of streams that each replica serves at once: the sequences that the
    workload asks for, as far as they fit at its context, or without such a wish as many as fit, up
    to the policy ``aggregate-streams-cap``. ``capped`` says that this policy was what ended it.
    ``each_tokens_per_s`` is the speed of one of those streams.
    ``bound`` is the largest part of one stream's time: ``memory``, ``compute``, ``link``, ``cpu``
    or ``overhead``; ``communication_share`` is the link's part of a token's time, 0…1.
    ``first_token_s`` is the time to the first token of a prompt of ``prompt_tokens`` when nobody
    else is served, ``prefill_tokens_per_s`` its reading speed; ``None`` where the GPU's FP16 rate
    is unknown, and where ``small_steps`` says that the operator's steps are smaller than any that
    were measured.
    """

    single_tokens_per_s: Interval
    aggregate_tokens_per_s: Interval
    batch: int
    bound: str
    communication_share: float
    evidence: Evidence
    prompt_tokens: int
    first_token_s: Interval | None
    prefill_tokens_per_s: Interval | None
    each_tokens_per_s: Interval
    capped: bool
    small_steps: bool
