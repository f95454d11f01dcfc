"""The constants of a runtime that places whole layers, with the formulas that read them.

Bounds are ``(low, mid, high)``; memory in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sitegen.models.cache_kinds import CellGrid, FullAttention, SlidingAttention
from sitegen.physics.memory.layer_layout import LayerLayout
from sitegen.physics.model_shape import ModelShape, of_layers
from sitegen.units import Bounds, pad
from sitegen.values import dataclass

WIDE_HALF_BITS = (32, 32)
"""Half bits of a cached element that is not quantized."""
LEAST_TOKENS_OF_AN_EXPERT = 32
"""Tokens of a step for each expert from which ik_llama.cpp copies experts to a GPU.

Source:
    ``GGML_CUDA_MIN_BATCH_OFFLOAD`` of its ``ggml-cuda.cu``, @8337e4cd.
"""


@dataclass(frozen=True, slots=True)
class Allocation:
    """The contexts and cache types that a replica allocates its cache for.

    ``context_tokens`` are those of all sequences together; ``half_bits`` those of an element of
    keys and of values; ``flash`` tells whether attention is fused.
    """

    context_tokens: int
    sequences: int
    micro_batch: int
    half_bits: tuple[int, int]
    flash: bool

    @property
    def plain(self) -> bool:
        """Whether the cache is as wide as the model computes."""
        return self.half_bits == WIDE_HALF_BITS


@dataclass(frozen=True, slots=True)
class GraphPlace:
    """The place of a graph in a layout: ``index`` of the GPU, and its role there."""

    index: int
    pipelined: bool
    has_output: bool


@dataclass(frozen=True, slots=True)
class GpuParts:
    """Exact parts of one GPU, in bytes.

    ``beside`` is the compute buffer while a copy of ``borrowed`` bytes from system RAM stands
    beside it.
    """

    weights: int
    kv: int
    state: int
    compute: int
    beside: int
    borrowed: int


class ScoreBytes(NamedTuple):
    """Bytes of an indexer's scores: those of one layer at a time, and those that stay."""

    passing: int
    standing: int


@dataclass(frozen=True, slots=True)
class StaticGraph:
    """A runtime that allots its compute buffer once, for the largest micro-batch (llama.cpp).

    Attributes:
        graph_copies: Copies of the graph's inputs that a pipeline keeps; with one, GPUs work
            in turn and hold what a GPU alone would.
        outputs_per_sequence: Logits are reserved for each sequence, not for each token.
        casts_mask: Each GPU is given the mask in 32 bits and, for fused attention, keeps it beside
            the 16 bits that it makes of it while it attends.
        copies_capped_logits: Logits that are capped stand beside those that are not yet.
        glu_tensors: Feed-forward tensors of a token that live at once, in widths; one where nothing
            is gated.
        expert_glu_tensors: The same of its experts.
        feed_attention_tensors: Attention tensors that live beside them.
        attention_hidden_tensors: Hidden-size tensors that live beside attention.
        attention_key_tensors: Key tensors that do.

    Source:
        ggml's allocator, probed with ``llama-fit-params`` of llama-cpp-python 0.3.36.
    """

    graph_copies: int
    outputs_per_sequence: bool
    casts_mask: bool
    copies_capped_logits: bool
    glu_tensors: float
    expert_glu_tensors: float
    feed_attention_tensors: float
    attention_hidden_tensors: float
    attention_key_tensors: float

    def compute_bytes(
        self, shape: ModelShape, place: GraphPlace, grid: CellGrid, counts: Sequence[int],
        asked: Allocation, *, scratch: int,
    ) -> int:  # fmt: skip
        """Compute buffer of one GPU: the larger of feed-forward, attention and logits.

        Inputs stand beside them; a pipeline keeps copies of these and of what crosses to the
        GPU. Attention scores are a tensor of their own without flash attention.
        """
        cells = mask_cells(shape, grid, counts)
        batch = asked.micro_batch
        rows = min(asked.sequences, batch) if self.outputs_per_sequence else batch
        feed = 4 * batch * self.feed_floats(shape)
        attention = 4 * batch * self.attention_floats(shape) + scratch
        inputs = 2 * (cells[0] + cells[1])
        if not asked.flash:
            inputs = 4 * (cells[0] + cells[1]) + self.value_index_bytes(shape, cells)
            keys = int(self.attention_key_tensors * shape.key_width)
            attention += 4 * batch * (cells[0] * shape.heads - keys)
            if keys > 0 and not (place.pipelined and place.has_output):
                # The scores leave room in which the attention's output then lies.
                feed -= 4 * batch * shape.attention_width
        scores = self.score_bytes(shape, place, counts, asked, cells[0])
        attention += scores.passing
        logits = 2 if self.copies_capped_logits and shape.capped_logits else 1
        output = 4 * rows * (logits * shape.vocabulary + shape.hidden)
        if place.pipelined:
            body = max(feed, attention)
            return scores.standing + self._pipelined_bytes(
                shape, place, batch, body=body, output=output, inputs=inputs
            )
        if place.index > 0:
            feed -= 4 * batch * shape.attention_width
        body = max(feed, attention) + batch * inputs + scores.standing
        if self.casts_mask and asked.flash:
            vectors = 2 * shape.hidden + shape.query_width + shape.attention_outputs
            body = max(body, 4 * batch * vectors + scratch + 3 * batch * inputs)
        if not place.has_output:
            return body
        if place.index == 0:
            output += batch * self.displaced_output(shape, cells, inputs)
        return max(body, output)

    def score_bytes(
        self,
        shape: ModelShape,
        place: GraphPlace,
        counts: Sequence[int],
        asked: Allocation,
        cells: int,
    ) -> ScoreBytes:
        """Scores of an indexer that chooses blocks, and the mask in 32 bits that they are added to.

        The mask stands on the first GPU. Every layer of a GPU behind it reads a view of its own,
        and the scheduler keeps each view in as many copies as a pipeline has, for good.

        Source:
            llama.cpp ``src/models/minimax-m3.cpp`` @1ded4cd3 (``msa_mf``, ``mf_s``, ``sc``) and
            ``ggml-backend.cpp`` (``ggml_backend_sched_split_graph``); the scores count twice by
            probes of ``llama-fit-params``, 2026-11-24.
        """
        if shape.score_heads == 0 or not asked.flash:
            return ScoreBytes(0, 0)
        mask = 4 * asked.micro_batch * cells
        kept = 1
        if place.index > 0 and place.pipelined:
            layers = sum(n for n, kind in of_layers(counts, shape) if kind.cache.indexed)
            kept = self.graph_copies * layers
        return ScoreBytes(2 * shape.score_heads * mask, kept * mask)

    def _pipelined_bytes(
        self,
        shape: ModelShape,
        place: GraphPlace,
        batch: int,
        *,
        body: int,
        output: int,
        inputs: int,
    ) -> int:
        """Compute buffer of a GPU of a pipeline, with its copies."""
        copied = self.graph_copies * 4 * batch * shape.hidden
        if place.index > 0:
            copied *= 2
        largest = max(body, output) if place.has_output else body
        return largest + self.graph_copies * batch * inputs + copied

    def feed_floats(self, shape: ModelShape) -> int:
        """Floats of one token at the widest point of a layer's graph, attention scores apart."""
        hidden = shape.hidden
        base = 2 * hidden + int(self.feed_attention_tensors * shape.attention_width)
        glu, expert_glu = (self.glu_tensors, self.expert_glu_tensors) if shape.gated else (1.0, 1.0)
        wide = int(glu * shape.dense_width) + base
        if shape.experts > 0:
            routed = int(expert_glu * shape.expert_width)
            out = shape.experts_per_token * shape.expert_hidden
            # The experts' outputs go where gate and up were, if they fit there.
            if out > routed * 2 // 3:
                routed += out
            wide = max(wide, routed + base)
        return max(wide, _latent_floats(shape)) if shape.latent.rank > 0 else wide

    def attention_floats(self, shape: ModelShape) -> int:
        """Floats of one token while its attention is computed, scores apart."""
        if shape.latent.rank > 0:
            return _latent_floats(shape)
        gate = shape.query_width - shape.attention_width
        kept = self.attention_hidden_tensors * shape.hidden + 2 * shape.query_width + gate
        return int(kept + self.attention_key_tensors * shape.key_width)

    def value_index_bytes(self, shape: ModelShape, cells: tuple[int, int]) -> int:
        """Bytes a token of the numbers that say where each value goes, without flash attention.

        The cache then lies transposed, and each element of a value has a row number of 64 bits,
        once for each cache.

        Source:
            llama.cpp, ``llama_kv_cache::build_input_v_idxs``, since July 2025.
        """
        widest = 8 * widest_values(shape) if self.attention_key_tensors > 0 else 0
        return 2 * widest if cells[1] > 0 else widest

    def displaced_output(self, shape: ModelShape, cells: tuple[int, int], inputs: int) -> int:
        """Bytes a token that lie before the last hidden states and the logits, on a lone GPU.

        These begin the buffer unless the inputs fit the hole that a feed-forward tensor leaves
        behind two of the hidden size, and are smaller than one of these: then the inputs and three
        such tensors come first.

        Source:
            ggml's allocator takes the best fitting hole; probes of ``llama-fit-params``,
            2026-11-23, of dense models without norms of heads.
        """
        hidden = shape.hidden
        if shape.experts > 0 or cells[1] > 0 or self.glu_tensors < 3 or shape.latent.rank > 0:
            return 0
        if shape.attention_width != hidden or shape.query_width != hidden:
            return 0
        if 4 * (shape.dense_width - 2 * hidden) <= inputs < 4 * hidden:
            return inputs + 12 * hidden
        return 0


@dataclass(frozen=True, slots=True)
class StepwiseTensors:
    """A runtime that allocates tensors as a prefill step needs them, in 16 bits (MLX, ExLlama).

    Attributes:
        step_ffn_factor: Live copies of the feed-forward width.
        step_hidden_factor: Live copies of the hidden size.
        logit_bytes: Bytes of a logit.
        logit_rows: Tokens whose logits are computed at once.
        reconstructed_matrices: Weight matrices in 16 bits at once, where batches do not multiply
            with the quantized ones.
    """

    step_ffn_factor: float
    step_hidden_factor: float
    logit_bytes: float
    logit_rows: float
    reconstructed_matrices: float

    def peak_bytes(
        self, shape: ModelShape, tokens: int, asked: Allocation, tp: int, *, has_output: bool,
        scratch: int,
    ) -> int:  # fmt: skip
        """Peak of one prefill step of ``tokens`` on one of ``tp`` GPUs.

        Source:
            ExLlamaV3 @4f8ad01, ``modules/mlp.py``, ``model/model.py`` and ``recons_size`` of linear
            layers; mlx_lm 0.32.0, ``models/llama.py``.
        """
        widths = (
            self.step_ffn_factor * shape.active_width / tp + self.step_hidden_factor * shape.hidden
        )
        layer = 2 * tokens * widths
        layer += 2 * self.reconstructed_matrices * shape.hidden * shape.narrow_width / tp
        logits = 0.0
        if has_output:
            rows = max(self.logit_rows, asked.sequences)
            logits = self.logit_bytes * rows * shape.vocabulary
        return int(max(layer + scratch, logits))


@dataclass(frozen=True, slots=True, eq=False)
class SplitProfile:
    """A runtime's constants.

    Attributes:
        cell_multiple: Cells to whose multiples a cache is padded.
        flash_cell_multiple: The same with flash attention.
        micro_batch_tokens: Tokens of a prompt that one step reads.
        margin_bytes: Bytes of a GPU that are kept free.
        handover_tensors: Hidden-size tensors that cross from GPU to GPU.
        weights_error_factor: Size of loaded weights over the formula's.
        compute_error_factor: Size of the compute buffer over the formula's.
        library_bytes: What libraries hold on each GPU beside the bare context.
        offload_copy_share: Share of what lies in system RAM that is copied at once.
        cut_communication_bytes: Buffers of collectives where layers are cut.
        projector_graph_bytes: Buffers of the graph that reads an image.
        flash_attention: Attention is fused unasked.
        split_cache: Each sequence has a pool of cells of its own.
        sliding_cache: Sliding layers have pools of their window's size.
        widened_cache: Attention over a quantized cache widens one layer's keys and values.
        indexed_cache: Keys of an indexer are cached.
        padded_values: Without fused attention every layer's values are as wide as the widest.
        offload_by_expert: Experts in system RAM are copied for large steps alone.
        chunked_graph: The graph is several buffers.
        embedding_on_gpu: Devices hold the embedding.
        dealt_by_remainder: Layers are dealt out by largest remainder.
        graph: How the compute buffer is allotted.
    """

    cell_multiple: int
    flash_cell_multiple: int
    micro_batch_tokens: int
    margin_bytes: float
    handover_tensors: int
    weights_error_factor: Bounds
    compute_error_factor: Bounds
    library_bytes: Bounds
    offload_copy_share: Bounds
    cut_communication_bytes: Bounds
    projector_graph_bytes: Bounds
    flash_attention: bool
    split_cache: bool
    sliding_cache: bool
    widened_cache: bool
    indexed_cache: bool
    padded_values: bool
    offload_by_expert: bool
    chunked_graph: bool
    embedding_on_gpu: bool
    dealt_by_remainder: bool
    graph: StaticGraph | StepwiseTensors

    def grid(self, shape: ModelShape, asked: Allocation) -> CellGrid:
        """Return the cells of an allocation.

        Without fused attention values lie transposed, all as wide as the widest layer's.

        Source:
            llama.cpp ``src/llama-kv-cache.cpp``, ``TAG_V_CACHE_VARIABLE``.
        """
        return CellGrid(
            asked.context_tokens,
            asked.sequences,
            asked.micro_batch,
            self.cell_multiple,
            self.split_cache,
            self.sliding_cache,
            widest_values(shape) if self.padded_values and not asked.flash else 0,
            self.indexed_cache,
        )

    def cache_bytes(self, shape: ModelShape, asked: Allocation) -> tuple[int, ...]:
        """Return the cache and state of a whole layer of each kind.

        Source:
            llama.cpp ``src/llama-kv-cache.cpp`` and ``src/llama-memory-recurrent.cpp``.
        """
        grid = self.grid(shape, asked)
        return tuple(
            kind.cache.cell_bytes(grid, 1, asked.half_bits)
            + kind.cache.cell_state_bytes(asked.sequences)
            for kind in shape.kinds
        )

    def scratch_bytes(
        self, shape: ModelShape, counts: Sequence[int], grid: CellGrid, asked: Allocation, tp: int
    ) -> int:
        """Attention over a quantized cache: one layer's keys and values as 16 bits.

        Source:
            llama.cpp reserves it for the whole context since pull request 23907, took it from a
            pool before.
        """
        if asked.plain or not (asked.flash and self.widened_cache):
            return 0
        held = of_layers(counts, shape)
        sizes = [kind.cache.cell_bytes(grid, tp, WIDE_HALF_BITS) for _, kind in held]
        return max(sizes, default=0)

    def parts(
        self, shape: ModelShape, layout: LayerLayout, index: int, asked: Allocation
    ) -> GpuParts:
        """Return the exact parts of one GPU of a layout.

        llama.cpp's meta backend cuts caches, and reserves the graph as if nothing was cut.
        """
        part, grid = layout.gpus[index], self.grid(shape, asked)
        tp = 1 if len(layout.cuts) > 0 else layout.tensor
        kv, state = _cache_bytes(shape, layout, part.counts, grid, asked, tp=tp)
        scratch = self.scratch_bytes(shape, part.counts, grid, asked, tp)
        borrowed = layout.host.largest_bytes if index == 0 and self.copies(shape, asked) else 0
        graph = self.graph
        if isinstance(graph, StepwiseTensors):
            tokens = min(asked.micro_batch, asked.context_tokens)
            compute = beside = graph.peak_bytes(
                shape, tokens, asked, tp, has_output=part.has_output, scratch=scratch
            )
        else:
            clipped = self.clipped(asked)
            grid = grid if clipped is asked else self.grid(shape, clipped)
            pipelined = layout.pipelined and graph.graph_copies > 1
            place = GraphPlace(index, pipelined, part.has_output)
            compute = beside = graph.compute_bytes(
                shape, place, grid, part.counts, clipped, scratch=scratch
            )
            if borrowed > 0:
                # A copy of what is in system RAM stands beside a layer, not beside the logits.
                alone = GraphPlace(index, pipelined=False, has_output=False)
                beside = graph.compute_bytes(
                    shape, alone, grid, part.counts, clipped, scratch=scratch
                )
        return GpuParts(part.weights_bytes, kv, state, compute, beside, borrowed)

    def copies(self, shape: ModelShape, asked: Allocation) -> bool:
        """Whether weights in system RAM are copied to a GPU that reads a prompt.

        Source:
            ik_llama.cpp pull request 520, ``ggml_backend_cuda_offload_op``: experts are, where a
            step gives each of them 32 tokens on average.
        """
        if not self.offload_by_expert or shape.experts == 0:
            return True
        routed = asked.micro_batch * shape.experts_per_token
        return routed >= LEAST_TOKENS_OF_AN_EXPERT * shape.experts

    def clipped(self, asked: Allocation) -> Allocation:
        """Return an allocation whose micro-batch is no longer than its context.

        Source:
            llama.cpp ``src/llama-context.cpp``: ``n_batch`` is the context at most, ``n_ubatch``
            is ``n_batch`` at most.
        """
        most = pad(asked.context_tokens, self.cell_multiple)
        if asked.micro_batch <= most:
            return asked
        return Allocation(
            asked.context_tokens,
            asked.sequences,
            most,
            asked.half_bits,
            asked.flash,
        )


def _cache_bytes(
    shape: ModelShape,
    layout: LayerLayout,
    counts: Sequence[int],
    grid: CellGrid,
    asked: Allocation,
    *,
    tp: int,
) -> tuple[int, int]:
    """Cache and recurrent state of a GPU's layers."""
    kv, state = 0, 0
    for at, kind in enumerate(shape.kinds):
        count = counts[at]
        if count == 0:
            continue
        cached = count * kind.cache.cell_bytes(grid, tp, asked.half_bits)
        held = count * kind.cache.cell_state_bytes(asked.sequences)
        if len(layout.cuts) > 0:
            cached = int(cached * layout.cuts[at])
            held = int(held * layout.cuts[at])
        kv += cached
        state += held
    return kv, state


def widest_values(shape: ModelShape) -> int:
    """Elements of a token's values in the layer that has most.

    Source:
        llama.cpp ``src/llama-hparams.cpp``, ``n_embd_v_gqa_max``.
    """
    widest = 0
    for kind in shape.kinds:
        cache = kind.cache
        if isinstance(cache, FullAttention | SlidingAttention):
            widest = max(widest, cache.kv_heads * cache.value_dim)
    return widest


def mask_cells(shape: ModelShape, grid: CellGrid, counts: Sequence[int]) -> tuple[int, int]:
    """Cells that one query may see: over the whole context, and in a window's mask of its own.

    Source:
        llama.cpp ``src/llama-graph.cpp``, ``build_attn_inp_kv_iswa``: one mask over all cells, one
        over those of the windows.
    """
    windows = [kind.cache.mask_cells(grid) for _, kind in of_layers(counts, shape)]
    return grid.pool, max(windows, default=0)


def _latent_floats(shape: ModelShape) -> int:
    """Floats of one token of latent attention: heads' queries and keys, and the vector twice."""
    latent = shape.latent
    each = latent.nope + latent.rope + 2 * latent.rank + latent.rope
    return shape.heads * each + 4 * shape.hidden
