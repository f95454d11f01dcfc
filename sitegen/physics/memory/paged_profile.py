"""The constants of a paged runtime as values, each with the formula that reads it.

Bounds are ``(low, mid, high)``; memory in bytes. How a profile's YAML becomes these is in
``profiles``.
"""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.physics.memory.block_layout import BlockRules
from sitegen.physics.model_shape import ModelShape
from sitegen.physics.tensor_cut import RankCut, rank_weights
from sitegen.units import Bounds, Sizes, ceil_div
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class SchedulerStep:
    """The inputs of a rank's fixed memory, apart from checkpoint and stage.

    Compared by identity, since an engine keeps one of each.

    ``fabric`` is the rate of the link between ranks over that of NVLink 4, 0 for a bus; ``large``
    tells GPUs with the larger CUDA graphs; ``shared`` that the CPU uses the same memory.
    """

    max_num_batched_tokens: int
    max_num_seqs: int
    graph_batch: int
    fabric: float
    large: bool
    eager: bool
    shared: bool
    images: bool
    data_parallel_size: int
    expert_parallel: bool
    context_parallel_size: int
    prediction_layers: bool
    draft_bytes: int


@dataclass(frozen=True, slots=True)
class RankPlace:
    """One rank of a stage, in a split over ``tp`` ranks and ``pp`` stages."""

    step: SchedulerStep
    tp: int
    pp: int
    stage: int

    @property
    def first(self) -> bool:
        """Whether it belongs to the first stage."""
        return self.stage == 0

    @property
    def last(self) -> bool:
        """Whether it belongs to the last stage."""
        return self.stage == self.pp - 1

    @property
    def cut(self) -> RankCut:
        """How many ranks share the weights."""
        return RankCut(self.tp, self.step.data_parallel_size, self.step.expert_parallel)

    @property
    def sees(self) -> bool:
        """Whether images are prepared for."""
        return self.step.images


@dataclass(frozen=True, slots=True, eq=False)
class FixedBytes:
    """Everything but the KV cache on one rank, line by line of the ledger."""

    weights: Sizes
    context: Sizes
    communication: Sizes
    compute: Sizes
    graphs: Sizes

    def of_line(self, name: str) -> Sizes:
        """Return a line of the ledger by its name."""
        lines = {
            "weights": self.weights,
            "context": self.context,
            "communication": self.communication,
            "compute": self.compute,
            "graphs": self.graphs,
        }
        return lines[name]

    def total(self, bound: int, *, with_graphs: bool) -> int:
        """Sum the lines at a bound."""
        lines = self.weights[bound] + self.context[bound]
        lines += self.communication[bound] + self.compute[bound]
        return lines + self.graphs[bound] if with_graphs else lines


@dataclass(frozen=True, slots=True)
class SparseWorkspace:
    """Room for the contexts that sparse attention gathers while it reads prompts.

    It holds ``contexts`` contexts of the length that the runtime is started for, from more than
    ``long_tokens`` tokens on ``long_contexts``. Experts compute in the same memory, so what they
    take is counted twice where it is smaller.

    Source:
        vLLM 0.28, ``v1/attention/backends/mla/flashmla_sparse.py``; 0.33, ``config/attention.py``
        (``sparse_mla_prefill_workspace_factor``).
    """

    contexts: float
    long_contexts: float
    long_tokens: float

    def reserved_bytes(self, gathered_bytes: int, context_tokens: int) -> int:
        """Bytes of a rank for contexts of this length, ``gathered_bytes`` a token."""
        many = self.contexts if context_tokens <= self.long_tokens else self.long_contexts
        return int(gathered_bytes * many) * context_tokens


@dataclass(frozen=True, slots=True)
class LayerPeak:
    """Activation of runtimes that run the largest step before they size the pool.

    Source:
        vLLM 0.33, ``v1/worker/gpu_model_runner.py`` (``profile_run``) and
        ``v1/sample/ops/topk_topp_sampler.py``; the factors are fitted to startup logs.
    """

    activation_ffn_factor: Bounds
    activation_hidden_factor: Bounds
    activation_experts_factor: Bounds
    sampler_bytes_per_logit: Bounds
    sampler_hidden_factor: Bounds
    encoder_error_factor: Bounds

    def sampler_bytes(self, shape: ModelShape, rank: RankPlace, bound: int) -> float:
        """Memory of sampling for the largest batch, on the last stage.

        Of the bytes per logit two are the model's own, where it computes with 16 bits.
        """
        if not rank.last:
            return 0.0
        wide, step = shape.element_bits // 8, rank.step
        each = self.sampler_bytes_per_logit[bound] + (wide - 2)
        logits = each * step.max_num_seqs * shape.vocabulary
        hidden = self.sampler_hidden_factor[bound] * step.max_num_batched_tokens * shape.hidden
        return logits + hidden * wide / 2

    def peak_bytes(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, bound: int
    ) -> int:
        """Peak of the profiling forward pass; what is wider than 16 bits takes in proportion."""
        tokens, each = rank.step.max_num_batched_tokens, shape.element_bits // 8
        widths = (
            self.activation_ffn_factor[bound] * shape.active_width / rank.tp
            + self.activation_hidden_factor[bound] * shape.hidden
        )
        peak = max(self.sampler_bytes(shape, rank, bound), each * tokens * widths)
        if shape.experts > 0:
            peak *= self.activation_experts_factor[bound]
        if not (rank.first and rank.last):
            peak += 2 * each * tokens * shape.hidden
        peak *= profile.activation_error_factor[bound]
        if shape.vision_bytes > 0 and rank.sees and rank.first:
            # Encoder outputs stay alive beside the language model; the encoder runs before it.
            outputs = profile.encoder_output_factor[bound] * tokens * shape.hidden * each / 2
            peak = max(peak + outputs, self.encoder_bytes(profile, shape, rank, bound) * each / 2)
        return int(peak)

    def encoder_bytes(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, bound: int
    ) -> float:
        """Peak of the image tower's trial run at 16 bits; as logged where nobody read its code."""
        factor = self.encoder_error_factor[bound]
        if shape.tower.item_positions == 0 or factor == 0:
            return profile.encoder_profile_bytes[bound]
        return factor * shape.tower.trial_bytes(rank.step.max_num_batched_tokens, rank.tp)


@dataclass(frozen=True, slots=True)
class WidthPeak:
    """Activation of runtimes that is fitted to multiples of the attention width.

    Source:
        NVIDIA aiconfigurator (ai-dynamo/aiconfigurator @095f58a), its memory model.
    """

    activation_width_single: Bounds
    activation_width_pair: Bounds
    activation_width_quad: Bounds
    activation_width_experts_factor: Bounds
    activation_floor_bytes: Bounds

    def sampler_bytes(self, shape: ModelShape, rank: RankPlace, bound: int) -> float:
        """Zero: the fitted constants include the memory of sampling."""
        return 0.0

    def peak_bytes(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, bound: int
    ) -> int:
        """Peak of a step; live copies of the attention width by tensor parallel size."""
        by_size = self.activation_width_single
        if rank.tp >= 4:
            by_size = self.activation_width_quad
        elif rank.tp >= 2:
            by_size = self.activation_width_pair
        widths = by_size[bound]
        if shape.experts > 0:
            widths *= self.activation_width_experts_factor[bound]
        each = shape.element_bits // 8
        wide = each * rank.step.max_num_batched_tokens * shape.attention_outputs * widths
        floor = self.activation_floor_bytes[bound]
        return int(max(wide, floor) * profile.activation_error_factor[bound])


@dataclass(frozen=True, slots=True)
class CapturedGraphs:
    """CUDA graphs of one rank: more on GPUs with much memory."""

    graphs_small_bytes: Bounds
    graphs_large_bytes: Bounds

    def held_bytes(self, rank: RankPlace, bound: int) -> int:
        """Memory of captured graphs."""
        if rank.step.eager:
            return 0
        return int((self.graphs_large_bytes if rank.step.large else self.graphs_small_bytes)[bound])


@dataclass(frozen=True, slots=True)
class ShareOfTotal:
    """A share of the whole GPU, from which everything that is counted is taken (vLLM).

    Source:
        vLLM 0.33, ``v1/worker/gpu_worker.py``, ``determine_available_memory``.
    """

    memory_fraction: float
    warm_up_share: Bounds
    graphs: CapturedGraphs

    def graph_bytes(self, shape: ModelShape, rank: RankPlace, bound: int) -> int:
        """Captured CUDA graphs."""
        return self.graphs.held_bytes(rank, bound)

    def budget(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, fixed: FixedBytes,
        fraction: float, seen_bytes: int, bound: int,
    ) -> tuple[int, int]:  # fmt: skip
        """Return a rank's budget and the part of it already counted; the pool is the difference."""
        share = fraction or self.memory_fraction
        counted = fixed.total(bound, with_graphs=profile.graphs_in_budget)
        return int(share * seen_bytes), counted

    def start_excess(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, fixed: FixedBytes,
        room_bytes: int, gpu_context_bytes: int, bound: int,
    ) -> int:  # fmt: skip
        """Bytes that a start may lack in the room beside a full budget.

        There lie the GPU context, graphs that the budget leaves out (at their middle: the warm-up
        is what is uncertain, not both at their worst together), and the sampler's warm-up.
        """
        sampler = profile.activation.sampler_bytes(shape, rank, bound)
        outside = gpu_context_bytes + self.warm_up_share[bound] * sampler
        if not profile.graphs_in_budget:
            outside += fixed.graphs[1]
        return int(max(0, outside - room_bytes))


@dataclass(frozen=True, slots=True)
class ShareOfFree:
    """A share of what weights and activations leave free (TensorRT-LLM).

    Source:
        NVIDIA aiconfigurator (ai-dynamo/aiconfigurator @095f58a), its memory model.
    """

    memory_fraction: float
    graphs: CapturedGraphs

    def graph_bytes(self, shape: ModelShape, rank: RankPlace, bound: int) -> int:
        """Captured CUDA graphs."""
        return self.graphs.held_bytes(rank, bound)

    def budget(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, fixed: FixedBytes,
        fraction: float, seen_bytes: int, bound: int,
    ) -> tuple[int, int]:  # fmt: skip
        """Return a rank's budget and the part of it already counted; the pool is the difference."""
        share = fraction or self.memory_fraction
        held = fixed.total(bound, with_graphs=True)
        return int(share * seen_bytes + (1 - share) * held), held

    def start_excess(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, fixed: FixedBytes,
        room_bytes: int, gpu_context_bytes: int, bound: int,
    ) -> int:  # fmt: skip
        """Bytes that a start may lack: none is known."""
        return 0


@dataclass(frozen=True, slots=True)
class ReserveForActivations:
    """A share of the GPU after context and collectives, beside a reserve for activations (SGLang).

    Source:
        SGLang 0.5.23, ``srt/server_args.py`` and ``memory_hook.py``.
    """

    reserve_base_bytes: float
    reserve_token_bytes: float
    reserve_rank_bytes: float
    reserve_graph_sequence_bytes: float
    reserve_graph_rank_bytes: float
    reserve_prefill_graph_bytes: float
    reserve_latent_graphs_bytes: float
    reserve_large_bytes: float
    reserve_large_from_bytes: float
    vision_share_factor: Bounds
    graphs_error_factor: Bounds

    def graph_bytes(self, shape: ModelShape, rank: RankPlace, bound: int) -> int:
        """Captured CUDA graphs."""
        planned = self.planned_graphs(rank, latent=shape.latent.rank > 0)
        return int(planned * self.graphs_error_factor[bound])

    def planned_graphs(self, rank: RankPlace, *, latent: bool) -> int:
        """Memory that the runtime plans for graphs: decode, then prefill."""
        step = rank.step
        if step.eager:
            return 0
        batch, ranks = step.graph_batch, step.data_parallel_size
        decode = batch * self.reserve_graph_sequence_bytes
        if ranks > 1:
            decode += batch * ranks * self.reserve_graph_rank_bytes
            if batch > 300:
                decode += batch * ranks * self.reserve_graph_rank_bytes / 2
        if latent:
            return int(decode + self.reserve_latent_graphs_bytes)
        sizes = prefill_graphs(step.max_num_batched_tokens)
        return int(decode + sizes * self.reserve_prefill_graph_bytes)

    def usual_fraction(
        self, rank: RankPlace, seen_bytes: int, bound: int, *, latent: bool, sees: bool
    ) -> float:
        """Share of the GPU for weights and cache that the reserve leaves."""
        step = rank.step
        held = self.reserve_base_bytes
        held += max(step.max_num_batched_tokens, 2048) * self.reserve_token_bytes
        held += rank.tp * rank.pp * step.data_parallel_size * self.reserve_rank_bytes
        held += self.planned_graphs(rank, latent=latent)
        if seen_bytes > self.reserve_large_from_bytes:
            held = max(held, self.reserve_large_bytes)
        share = int((seen_bytes - held) / seen_bytes * 1000 + 0.5) / 1000
        return share * self.vision_share_factor[2 - bound] if sees and rank.sees else share

    def budget(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, fixed: FixedBytes,
        fraction: float, seen_bytes: int, bound: int,
    ) -> tuple[int, int]:  # fmt: skip
        """Return a rank's budget and the part of it already counted; the pool is the difference.

        Memory beyond the reserve has to come from the pool, by a lower fraction.
        """
        share = fraction or self.usual_fraction(
            rank, seen_bytes, bound, latent=shape.latent.rank > 0, sees=shape.vision_bytes > 0
        )
        free = seen_bytes - fixed.context[bound] - fixed.communication[bound]
        most = free - fixed.compute[bound] - fixed.graphs[bound]
        return int(max(1, min(share * free, most))), fixed.weights[bound]

    def start_excess(
        self, profile: PagedProfile, shape: ModelShape, rank: RankPlace, fixed: FixedBytes,
        room_bytes: int, gpu_context_bytes: int, bound: int,
    ) -> int:  # fmt: skip
        """Bytes that a start may lack: none is known."""
        return 0


def prefill_graphs(tokens: int) -> int:
    """Sizes at which prefill graphs are captured up to a chunk of at least 1,024 tokens.

    Source:
        SGLang 0.5.23, ``memory_hook.py``.
    """
    sizes = 38
    if tokens > 1024:
        sizes += (min(tokens, 4096) - 1024) // 256
    if tokens > 4096:
        sizes += (tokens - 4096) // 512
    return sizes


@dataclass(frozen=True, slots=True, eq=False)
class PagedProfile:
    """A paged runtime's constants.

    Attributes:
        blocks: How it groups layers into blocks.
        in_flight_batches: Steps that are scheduled and not finished.
        handover_tensors: Hidden-size tensors that cross from stage to stage.
        graphs_large_from_bytes: Memory from which a GPU has the larger CUDA graphs.
        graphs_in_budget: Graphs count in the share.
        state_for_all_sequences: Recurrent state is allotted for every sequence before profiling.
        weights_error_factor: Size of loaded weights over the formula's.
        weights_extra_bytes: Buffers loaded beside the weights.
        non_torch_single_bytes: Outside the tensor allocator, on one GPU.
        non_torch_bus_bytes: The same with collectives over a bus.
        non_torch_nvlink_bytes: The same with collectives over a fast fabric.
        non_torch_pipeline_bytes: The same for pipeline stages.
        shared_memory_fraction: Share that our commands ask for where CPU and GPU fill one memory;
            0 where they leave it to the runtime.
        page_cache_share: Pages of the files read, of weights, where the CPU shares the memory.
        shared_memory_other_bytes: What other programs hold there.
        activation_error_factor: Size of activations over the formula's.
        encoder_profile_bytes: Peak of the vision encoder.
        encoder_output_factor: Outputs of the vision encoder that stay alive.
        activation: Peak of the largest step.
        share: What the runtime's share is taken of.
        workspace: Room for contexts that sparse attention gathers.
    """

    blocks: BlockRules
    in_flight_batches: int
    handover_tensors: int
    graphs_large_from_bytes: float
    graphs_in_budget: bool
    state_for_all_sequences: bool
    weights_error_factor: Bounds
    weights_extra_bytes: Bounds
    non_torch_single_bytes: Bounds
    non_torch_bus_bytes: Bounds
    non_torch_nvlink_bytes: Bounds
    non_torch_pipeline_bytes: Bounds
    shared_memory_fraction: float
    page_cache_share: Bounds
    shared_memory_other_bytes: Bounds
    activation_error_factor: Bounds
    encoder_profile_bytes: Bounds
    encoder_output_factor: Bounds
    activation: LayerPeak | WidthPeak
    share: ShareOfTotal | ShareOfFree | ReserveForActivations
    workspace: SparseWorkspace

    def fixed_bytes(self, shape: ModelShape, rank: RankPlace, counts: Sequence[int]) -> FixedBytes:
        """Everything but the KV cache on one rank that holds ``counts`` layers of each kind."""
        weights = rank_weights(shape, counts, rank.cut, first=rank.first, last=rank.last)
        states = self.allotted_states(shape, rank, counts)
        held, context, communication, compute, graphs = [], [], [], [], []
        for bound in range(3):
            # Every rank holds sines and cosines of all positions; the constant covers usual ones.
            extra = max(self.weights_extra_bytes[bound], shape.rotary_bytes)
            loaded = weights * self.weights_error_factor[bound] + extra
            held.append(int(loaded + _draft_bytes(shape, rank, bound)))
            single = self.non_torch_single_bytes[bound]
            total = self.non_torch_bytes(rank, bound)
            pages = self._page_cache(weights, rank, bound)
            context.append(int(min(single, total) + pages))
            communication.append(int(max(0, total - single)))
            compute.append(self.activation.peak_bytes(self, shape, rank, bound) + states)
            graphs.append(self.share.graph_bytes(shape, rank, bound))
        return FixedBytes(
            (held[0], held[1], held[2]),
            (context[0], context[1], context[2]),
            (communication[0], communication[1], communication[2]),
            (compute[0], compute[1], compute[2]),
            (graphs[0], graphs[1], graphs[2]),
        )

    def non_torch_bytes(self, rank: RankPlace, bound: int) -> float:
        """Memory outside the tensor allocator: GPU context, libraries, collectives.

        Source:
            vLLM 0.33, ``v1/worker/gpu_worker.py``, ``determine_available_memory``; the constants
            are read off startup logs. Between them a link's rate decides, as in NCCL; a pair of
            RTX 3090 had 0.12 and 0.19 GiB less for the cache with its bridge than without
            (club-3090 issues 74 and 77, 69 and 73).
        """
        total = self.non_torch_single_bytes[bound]
        if rank.tp * rank.step.data_parallel_size > 1:
            bus, whole = self.non_torch_bus_bytes[bound], self.non_torch_nvlink_bytes[bound]
            total = bus + rank.step.fabric * (whole - bus)
        if rank.pp > 1:
            stages = self.non_torch_pipeline_bytes[bound]
            total = total + stages if rank.tp > 1 else stages
        return total

    def _page_cache(self, weights: int, rank: RankPlace, bound: int) -> float:
        """Pages of the files read, and other programs, where the CPU shares the memory."""
        if not rank.step.shared:
            return 0.0
        share, others = self.page_cache_share[bound], self.shared_memory_other_bytes[bound]
        return weights * share + others

    def allotted_states(self, shape: ModelShape, rank: RankPlace, counts: Sequence[int]) -> int:
        """Recurrent state that the runtime allots for every sequence before it profiles.

        Source:
            vLLM issue 23230: version 0.10.1 asks for the state of 256 sequences at once.
        """
        if not self.state_for_all_sequences:
            return 0
        bits = max(self.blocks.state_bits, shape.element_bits)
        return sum(
            count * kind.cache.state_bytes(rank.tp, bits) * rank.step.max_num_seqs
            for count, kind in zip(counts, shape.kinds, strict=True)
        )


def _draft_bytes(shape: ModelShape, rank: RankPlace, bound: int) -> int:
    """Prediction layers on the last stage, and what a separate draft model takes on each rank."""
    total = rank.step.draft_bytes
    if rank.step.prediction_layers and rank.last:
        ranks = rank.tp * rank.step.data_parallel_size
        total += ceil_div(shape.prediction.weights_bytes[bound], ranks)
    return total
