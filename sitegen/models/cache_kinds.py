"""The cache of a layer for a sequence, one class for each kind, with its formulas as methods.

All sizes are bytes on one rank of ``tp`` for one layer and one sequence, unless a method says
otherwise. ``bits`` are those of a cached element. A paged runtime asks what a layer ``keeps``, one
that places whole layers what its ``cells`` take; a decode step asks what is read.
"""

from __future__ import annotations

from sitegen.units import ceil_div, pad
from sitegen.values import dataclass

STATE_READ_BITS = 32
"""Bits of a recurrent state's elements while a step reads and writes them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The cache that a paged runtime stores for layers of one kind.

    ``word`` names the kind in logs and tests: ``full``, ``sliding``, ``latent``, ``compressed``,
    ``recent`` (a window of compressed attention) or ``state``. A ``window`` of 0 keeps all tokens.
    """

    word: str
    window: int
    token_bytes: int
    state_bytes: int


@dataclass(frozen=True, slots=True)
class CellGrid:
    """How a runtime that places whole layers allots the cells of its cache.

    ``context_tokens`` are those of all sequences together. With ``per_sequence`` each sequence has
    a pool of its own; with ``windowed`` a sliding layer has one of its window's size. A pool is
    padded to ``multiple`` cells, the values of a layer to ``value_width`` elements. With
    ``indexed`` the keys of an indexer have cells of their own.

    Source:
        llama.cpp ``src/llama-kv-cache.cpp`` and ``llama-kv-cache-iswa.cpp``.
    """

    context_tokens: int
    sequences: int
    micro_batch: int
    multiple: int
    per_sequence: bool
    windowed: bool
    value_width: int
    indexed: bool

    @property
    def streams(self) -> int:
        """Pools of cells."""
        return self.sequences if self.per_sequence else 1

    @property
    def pool(self) -> int:
        """Cells of one pool that holds every token."""
        return pad(ceil_div(self.context_tokens, self.streams), self.multiple)

    def window_pool(self, window: int) -> int:
        """Cells of one pool of a sliding layer."""
        if not self.windowed:
            return self.pool
        held = window * (self.sequences // self.streams)
        return min(self.pool, pad(min(self.pool, held + self.micro_batch), self.multiple))


class EmptyCache:
    """A layer without a cache; the base of all kinds."""

    __slots__ = ()

    @property
    def word(self) -> str:
        """The kind's name."""
        return "none"

    @property
    def grows(self) -> bool:
        """Whether every token adds to it."""
        return False

    @property
    def chooses(self) -> bool:
        """Whether a step may read less than is cached."""
        return False

    @property
    def indexed(self) -> bool:
        """Whether keys of an indexer stand beside keys and values of every head."""
        return False

    def token_bytes(self, tp: int, bits: int) -> int:
        """Bytes that one token adds."""
        return 0

    def keeps(self, tp: int, bits: int, head_scale_bytes: int, state_bits: int) -> list[Kept]:
        """The cache of a paged runtime, with a scale behind each head's keys and values."""
        return []

    def cell_bytes(self, grid: CellGrid, tp: int, half_bits: tuple[int, int]) -> int:
        """Cache of all sequences in cells; half bits of an element of keys and of values."""
        return 0

    def mask_cells(self, grid: CellGrid) -> int:
        """Cells of a mask of its own; 0 where it shares the whole context's."""
        return 0

    def state_bytes(self, tp: int, bits: int) -> int:
        """State of fixed size, its elements at least ``bits`` wide."""
        return 0

    def cell_state_bytes(self, sequences: int) -> int:
        """State of all sequences where layers stay whole."""
        return 0

    def read_tokens(self, context_tokens: int) -> int:
        """Tokens whose cache one step reads."""
        return context_tokens

    def gathered_bytes(self, bits: int) -> int:
        """Bytes that kernels for prompts gather of each token, in memory beside the cache."""
        return 0

    def prompt_width(self, latent_width: int) -> int:
        """Elements that attention over a prompt multiplies for two tokens and a query head."""
        return 0

    def prompt_reach(self, tokens: float) -> float:
        """Tokens that a token of a prompt looks at, of those before it."""
        return tokens


@dataclass(frozen=True, slots=True)
class FullAttention(EmptyCache):
    """Caches key and value of every token, per KV head, and an indexer key where it is sparse."""

    kv_heads: int
    key_dim: int
    value_dim: int
    indexer_dim: int = 0

    @property
    def word(self) -> str:
        """The kind's name."""
        return "full"

    @property
    def grows(self) -> bool:
        """Whether every token adds to it."""
        return True

    @property
    def indexed(self) -> bool:
        """Whether keys of an indexer stand beside keys and values of every head."""
        return self.indexer_dim > 0

    def token_bytes(self, tp: int, bits: int) -> int:
        """Bytes that one token adds.

        Source:
            vLLM 0.33, ``v1/kv_cache_interface.py``, ``FullAttentionSpec``: KV heads are cut over
            the ranks, and repeated once ranks outnumber them.
        """
        return (
            (_heads(self.kv_heads, tp) * (self.key_dim + self.value_dim) + self.indexer_dim)
            * bits
            // 8
        )

    def keeps(self, tp: int, bits: int, head_scale_bytes: int, state_bits: int) -> list[Kept]:
        """The cache of a paged runtime; a scale stands behind each head's keys and values."""
        scales = 2 * _heads(self.kv_heads, tp) * head_scale_bytes
        return [Kept("full", 0, self.token_bytes(tp, bits) + scales, 0)]

    def cell_bytes(self, grid: CellGrid, tp: int, half_bits: tuple[int, int]) -> int:
        """Cache of all sequences in cells; half bits of an element of keys and of values.

        A sparse layer has a second cache for its indexer: one head of keys, and of values that
        nothing reads.

        Source:
            llama.cpp ``src/llama-kv-cache.cpp``, ``llama-kv-cache-msa.cpp``.
        """
        heads = ceil_div(self.kv_heads, tp)
        values = max(heads * self.value_dim, grid.value_width)
        width = heads * self.key_dim * half_bits[0] + values * half_bits[1]
        if grid.indexed and self.indexer_dim > 0:
            width += self.indexer_dim * half_bits[0] + self.value_dim * half_bits[1]
        return grid.streams * grid.pool * width // 16

    def prompt_width(self, latent_width: int) -> int:
        """Elements that attention multiplies for a pair of tokens and a query head."""
        return self.key_dim + self.value_dim


@dataclass(frozen=True, slots=True)
class SlidingAttention(EmptyCache):
    """Caches the last ``window`` tokens, per KV head."""

    kv_heads: int
    key_dim: int
    value_dim: int
    window: int

    @property
    def word(self) -> str:
        """The kind's name."""
        return "sliding"

    def token_bytes(self, tp: int, bits: int) -> int:
        """Bytes that one token of the window takes, as in full attention.

        Source:
            vLLM 0.33, ``v1/kv_cache_interface.py``, ``SlidingWindowSpec``.
        """
        return _heads(self.kv_heads, tp) * (self.key_dim + self.value_dim) * bits // 8

    def keeps(self, tp: int, bits: int, head_scale_bytes: int, state_bits: int) -> list[Kept]:
        """The cache of a paged runtime; a scale stands behind each head's keys and values."""
        scales = 2 * _heads(self.kv_heads, tp) * head_scale_bytes
        return [Kept("sliding", self.window, self.token_bytes(tp, bits) + scales, 0)]

    def cell_bytes(self, grid: CellGrid, tp: int, half_bits: tuple[int, int]) -> int:
        """Cache of all sequences in cells: a window of each, and the micro-batch.

        Source:
            llama.cpp ``src/llama-kv-cache-iswa.cpp``.
        """
        heads = ceil_div(self.kv_heads, tp)
        values = max(heads * self.value_dim, grid.value_width)
        width = heads * self.key_dim * half_bits[0] + values * half_bits[1]
        return grid.streams * grid.window_pool(self.window) * width // 16

    def mask_cells(self, grid: CellGrid) -> int:
        """Cells of a mask of its own."""
        return grid.window_pool(self.window)

    def read_tokens(self, context_tokens: int) -> int:
        """Tokens whose cache one step reads."""
        return min(context_tokens, self.window)

    def prompt_width(self, latent_width: int) -> int:
        """Elements that attention multiplies for a pair of tokens and a query head."""
        return self.key_dim + self.value_dim

    def prompt_reach(self, tokens: float) -> float:
        """Tokens that a token of a prompt looks at, of those before it."""
        return min(tokens, self.window)


@dataclass(frozen=True, slots=True)
class LatentAttention(EmptyCache):
    """Caches one compressed vector per token (MLA), and an indexer key where it is sparse (DSA).

    ``indexer_dim`` is 0 on layers without a full indexer. ``sparse`` says that any layer of the
    model has one: then every layer stores its vectors in the layout of the sparse kernel.
    """

    kv_lora_rank: int
    rope_dim: int
    indexer_dim: int = 0
    sparse: bool = False

    @property
    def word(self) -> str:
        """The kind's name."""
        return "latent"

    @property
    def grows(self) -> bool:
        """Whether every token adds to it."""
        return True

    @property
    def chooses(self) -> bool:
        """Whether a step may read less than is cached."""
        return self.sparse

    def token_bytes(self, tp: int, bits: int) -> int:
        """Bytes that one token adds, on every rank.

        Source:
            vLLM 0.33, ``v1/kv_cache_interface.py`` (``MLAAttentionSpec``, ``fp8_ds_mla``): with 8
            bits the sparse layout keeps the rotary part in 16 and a scale of 4 bytes for 128
            elements; so do the keys of an indexer.
        """
        stored = (self.kv_lora_rank + self.rope_dim) * bits // 8
        if self.sparse and bits == 8:
            stored = self.kv_lora_rank + self.kv_lora_rank // 128 * 4 + self.rope_dim * 2
        return stored + _index_bytes(self.indexer_dim)

    def gathered_bytes(self, bits: int) -> int:
        """Bytes that kernels for prompts gather of each token.

        An 8-bit cache is unpacked to vectors of 16 bits. The indexer's keys are gathered in the
        same memory, as many whole ones as go into such a vector.

        Source:
            vLLM 0.28 and 0.33, ``v1/attention/backends/mla/flashmla_sparse.py`` and ``indexer.py``
            (``get_max_prefill_buffer_size``).
        """
        if self.indexer_dim == 0 or self.rope_dim == 0:
            return 0
        vector, key = (self.kv_lora_rank + self.rope_dim) * 2, _index_bytes(self.indexer_dim)
        return vector if bits == 8 else vector // key * key

    def keeps(self, tp: int, bits: int, head_scale_bytes: int, state_bits: int) -> list[Kept]:
        """The cache of a paged runtime."""
        return [Kept("latent", 0, self.token_bytes(tp, bits), 0)]

    def cell_bytes(self, grid: CellGrid, tp: int, half_bits: tuple[int, int]) -> int:
        """Cache of all sequences in cells: the vector once, as keys, and an indexer's key.

        Source:
            llama.cpp ``src/llama-kv-cache.cpp``: no values are cached beside the vector;
            ``llama-kv-cache-dsa.cpp``: layers with an indexer have a second cache of its keys;
            probes of ``llama-fit-params``, DeepSeek V3, DeepSeek V3.2 and GLM 5.
        """
        width = self.kv_lora_rank + self.rope_dim
        if grid.indexed:
            width += self.indexer_dim
        return grid.streams * grid.pool * width * half_bits[0] // 16

    def prompt_width(self, latent_width: int) -> int:
        """Elements that attention multiplies for a pair of tokens and a query head."""
        return latent_width


@dataclass(frozen=True, slots=True)
class CompressedAttention(EmptyCache):
    """Caches one vector per ``ratio`` tokens, and the last ``window`` tokens each (DeepSeek-V4).

    ``width`` is a stored vector's, keys and values at once, ``rope_dim`` its rotated part; a
    ``ratio`` of 0 leaves only the window. ``indexer_dim`` is 0 on layers that read every vector.
    """

    width: int
    rope_dim: int
    window: int
    ratio: int
    indexer_dim: int = 0

    @property
    def word(self) -> str:
        """The kind's name."""
        return "compressed"

    @property
    def grows(self) -> bool:
        """Whether every token adds to it."""
        return True

    @property
    def chooses(self) -> bool:
        """Whether a step may read less than is cached."""
        return True

    @property
    def vector_bytes(self) -> int:
        """One stored vector, whatever type is asked for the cache.

        Source:
            vLLM 0.33, ``models/deepseek_v4/attention.py``: ``auto`` is ``fp8_ds_mla``, and 16 bits
            are refused. The rotated part has 16 bits an element, the rest 8, scales stand behind.
        """
        return self.width + self.rope_dim + 8

    @property
    def index_bytes(self) -> int:
        """One key of the layer's indexer with its scale; 0 without an indexer."""
        return _index_bytes(self.indexer_dim)

    @property
    def summed_window(self) -> int:
        """Last tokens that the compressor still sums up: its ratio, twice where windows overlap.

        Source:
            vLLM 0.33, ``models/deepseek_v4/compressor.py``.
        """
        return 2 * self.ratio if self.indexer_dim > 0 else self.ratio

    def summed_bytes(self, width: int) -> int:
        """Bytes that a compressor of ``width`` keeps of a token: sums and scores, 32 bits each.

        Source:
            vLLM 0.33, ``models/deepseek_v4/compressor.py``: both are double where windows overlap.
        """
        return 16 * width if self.indexer_dim > 0 else 8 * width

    def token_bytes(self, tp: int, bits: int) -> int:
        """Bytes that one token adds to the compressed vectors, on every rank.

        Source:
            vLLM 0.33, ``models/deepseek_v4/attention.py``.
        """
        if self.ratio == 0:
            return 0
        return ceil_div(self.vector_bytes + self.index_bytes, self.ratio)

    def keeps(self, tp: int, bits: int, head_scale_bytes: int, state_bits: int) -> list[Kept]:
        """The cache of a paged runtime: the window, the vectors and the open sums."""
        recent = "recent" if self.window > 0 else "compressed"
        kept = [Kept(recent, self.window, self.vector_bytes, 0)]
        if self.ratio > 0:
            kept.append(Kept("compressed", 0, self.token_bytes(tp, bits), 0))
            summed = self.summed_bytes(self.width + self.indexer_dim)
            kept.append(Kept("recent", self.summed_window, summed, 0))
        return kept

    def cell_bytes(self, grid: CellGrid, tp: int, half_bits: tuple[int, int]) -> int:
        """Cache of all sequences in cells: the window, and the vectors with their index.

        Source:
            llama.cpp ``src/llama-kv-cache-dsv4.cpp``: a vector of keys for ``ratio`` cells, rounded
            up, and one of the indexer beside it.
        """
        cells = pad(grid.context_tokens, grid.multiple)
        held = self.window * grid.sequences + grid.micro_batch
        elements = min(cells, pad(min(cells, held), grid.multiple)) * self.width
        if self.ratio > 0:
            elements += ceil_div(cells, self.ratio) * (self.width + self.indexer_dim)
        return elements * half_bits[0] // 16


@dataclass(frozen=True, slots=True)
class RecurrentState(EmptyCache):
    """Keeps a state of fixed size per sequence (gated DeltaNet, Mamba-2, Lightning).

    ``convolution_elements`` and ``state_elements`` are per sequence and layer; ``heads`` and
    ``groups`` are what tensor parallelism must divide. ``state_bits`` is the least width that the
    config asks for the recurrence; 0 leaves it to the runtime.
    """

    convolution_elements: int
    state_elements: int
    heads: int
    groups: int
    state_bits: int = 0

    @property
    def word(self) -> str:
        """The kind's name."""
        return "state"

    def keeps(self, tp: int, bits: int, head_scale_bytes: int, state_bits: int) -> list[Kept]:
        """The cache of a paged runtime."""
        return [Kept("state", 0, 0, self.state_bytes(tp, state_bits))]

    def state_bytes(self, tp: int, bits: int) -> int:
        """State of one sequence, its elements ``bits`` wide and no narrower than the config asks.

        Source:
            vLLM 0.33, ``v1/kv_cache_interface.py`` (``MambaSpec``): convolution and recurrence are
            cut over the ranks.
        """
        recurrence = ceil_div(self.state_elements, tp) * max(bits, self.state_bits)
        return (ceil_div(self.convolution_elements, tp) * bits + recurrence) // 8

    def cell_state_bytes(self, sequences: int) -> int:
        """State of all sequences where layers stay whole: 32 bits an element (llama.cpp).

        Source:
            llama.cpp ``src/llama-memory-recurrent.cpp``; probes of ``llama-fit-params``,
            Qwen3-Next.
        """
        return 4 * sequences * (self.convolution_elements + self.state_elements)


@dataclass(frozen=True, slots=True)
class NoCache(EmptyCache):
    """A layer that remembers nothing (a pure feed-forward block, or one that shares a cache)."""


LayerCache = (
    FullAttention
    | SlidingAttention
    | LatentAttention
    | CompressedAttention
    | RecurrentState
    | NoCache
)


def _heads(kv_heads: int, tp: int) -> int:
    """KV heads of one rank: repeated once ranks outnumber them."""
    return max(1, kv_heads // tp)


def _index_bytes(indexer_dim: int) -> int:
    """One key of an indexer in 8 bits, with a scale of 4 bytes for 128 elements."""
    return indexer_dim + indexer_dim // 128 * 4
