"""How a paged runtime groups layers into blocks of one pool, and what a pool then holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sitegen.models.cache_kinds import CompressedAttention, Kept
from sitegen.physics.model_shape import ModelShape, of_layers
from sitegen.units import ceil_div, pad
from sitegen.values import dataclass

PAGE_MULTIPLE = 576
"""Bytes to which pages of compressed attention are padded (vLLM 0.33, ``kv_cache_planning.py``)."""
VECTOR_BLOCK = 256
"""Tokens of a block of compressed vectors."""
WINDOW_BLOCK = 64
"""Tokens of a block of a compressed layer's window."""
OVERLAPPING_BLOCK = 4
"""Tokens of a block of what a compressor sums up, where windows overlap."""
SUM_BLOCK = 8
"""The same where they do not."""
AT_REST = 1
"""Tokens in flight of a sequence whose prompt was read: the one that it writes."""


@dataclass(frozen=True, slots=True)
class BlockRules:
    """A runtime's habits with blocks.

    Attributes:
        block_tokens: Tokens of a block.
        hybrid_padding: Layers that cache differently share pages of one size, padded to it.
        state_bits: Least width of a recurrent state's elements.
        state_slots: Copies of a state for each sequence.
        state_pool_share: Share of the memory that states have to themselves; 0 for one pool.
        state_blocks_factor: Share of the blocks that are sure to be free for states.
        sliding_pool_ratio: Tokens of sliding layers' pool for one of the main pool; 0 for one pool.
    """

    block_tokens: int
    hybrid_padding: bool
    state_bits: int
    state_slots: int
    state_pool_share: float
    state_blocks_factor: float
    sliding_pool_ratio: float


@dataclass(frozen=True, slots=True)
class BlockRow:
    """Layers that cache alike, in blocks of ``block_tokens``.

    ``groups`` of them share block tables; a window may need ``spare_blocks`` more.
    """

    kept: Kept
    layers: int
    groups: int
    block_tokens: int
    spare_blocks: int


@dataclass(frozen=True, slots=True, eq=False)
class BlockLayout:
    """The blocks of one rank.

    Attributes:
        rows: Layers that cache alike.
        group_layers: Layers of a group.
        page_bytes: One block of one layer, padded to the widest.
        uniform: Every row takes its own bytes; else all take whole pages.
        context_ranks: Ranks that share the tokens of full and latent attention.
        sliding_share: Tokens of sliding layers' pool for one of the main pool; 0 for one pool.
        state_share: Share of the memory that recurrent states have to themselves.
        state_safety: Share of the blocks that are sure to be free for states; 0 where states do
            not lie in blocks.
    """

    rows: tuple[BlockRow, ...]
    group_layers: int
    page_bytes: int
    uniform: bool
    context_ranks: int
    sliding_share: float
    state_share: float
    state_safety: float

    def row_tokens(self, row: BlockRow, context_tokens: int, in_flight: int) -> int:
        """Tokens that a row keeps: of a window also those in flight, which nothing frees yet.

        With one token in flight a window is full and no more: a sequence whose prompt was read.

        Source:
            vLLM 0.33, ``v1/kv_cache_interface.py``, ``SlidingWindowSpec.max_memory_usage_bytes``.
        """
        window = row.kept.window
        if window == 0:
            return ceil_div(context_tokens, self.context_ranks)
        if row.kept.word == "sliding" and self.sliding_share > 0:
            return int(context_tokens * self.sliding_share)
        return min(window - 1 + in_flight, context_tokens)

    def request_bytes(self, context_tokens: int, in_flight: int) -> int:
        """Cache of one request, block padding included.

        ``in_flight`` are the tokens of steps that are scheduled and not finished, at least 1: a
        paged runtime admits no request that the pool could not hold so (see ``held_bytes`` for
        several). Where tokens and states have pools of fixed shares, the one that is short decides.

        Source:
            vLLM 0.33, ``v1/kv_cache_interface.py`` (``max_memory_usage_bytes``) and
            ``v1/core/kv_cache_utils.py``; SGLang 0.5.23 has pools of fixed shares.
        """
        tokens, state = 0, 0
        page = self.group_layers * self.page_bytes
        for row in self.rows:
            kept = row.kept
            if kept.word == "state":
                state += row.layers * kept.state_bytes if self.uniform else row.groups * page
                continue
            held = self.row_tokens(row, context_tokens, in_flight)
            blocks = ceil_div(held, row.block_tokens) + row.spare_blocks
            if self.uniform:
                tokens += row.layers * blocks * row.block_tokens * kept.token_bytes
            else:
                tokens += row.groups * blocks * page
        if state > 0 and self.state_share > 0:
            return int(max(tokens / (1 - self.state_share), state / self.state_share))
        return tokens + state

    def held_bytes(self, context_tokens: int, in_flight: int, sequences: int) -> int:
        """Cache of ``sequences`` requests of a length, one of which is still being read.

        A step's tokens are shared by all requests, so the one that is read keeps them beside its
        windows; the others keep their windows alone.

        Source:
            vLLM, ``v1/core/kv_cache_manager.py`` (read 2026-11-27): a request is admitted where its
            prompt fits into the free blocks, and each step frees what has left the windows. Issue
            54703 states both: 2 blocks of a window at rest, 8,194 with a step in flight. The log's
            "maximum concurrency" counts the latter for every request (pull request 52495).
        """
        if sequences <= 0:
            return 0
        settled = self.request_bytes(context_tokens, AT_REST)
        return self.request_bytes(context_tokens, in_flight) + settled * (sequences - 1)

    def token_bytes(self) -> int:
        """Bytes that one token takes on a rank that holds all tokens (see ``context_ranks``).

        Source:
            SGLang 0.5.23, ``swa_full_tokens_ratio``, for pools of fixed shares; else the sum of the
            rows.
        """
        total = 0.0
        for row in self.rows:
            kept = row.kept
            if kept.word == "recent":
                continue
            if not self.uniform:
                total += row.groups * self.group_layers * kept.token_bytes
            elif kept.word == "sliding" and self.sliding_share > 0:
                total += row.layers * kept.token_bytes * self.sliding_share
            else:
                total += row.layers * kept.token_bytes
        return int(total)

    def state_bytes(self) -> int:
        """Recurrent state of one sequence."""
        page = self.group_layers * self.page_bytes
        return sum(
            row.layers * row.kept.state_bytes if self.uniform else row.groups * page
            for row in self.rows
            if row.kept.word == "state"
        )

    def pool_tokens(self, pool_bytes: int) -> int:
        """Tokens that a pool holds, as startup logs count them: one slot in every layer group.

        Groups of different blocks count the smallest.

        Source:
            vLLM 0.33, ``v1/core/kv_cache_utils.py``, ``_report_kv_cache_config``.
        """
        if pool_bytes <= 0 or len(self.rows) == 0:
            return 0
        if self.uniform:
            per, block = self.token_bytes(), self.rows[-1].block_tokens
            return pool_bytes // (per * block) * block * self.context_ranks if per > 0 else 0
        groups = sum(row.groups for row in self.rows if row.kept.word != "recent")
        if groups == 0:
            return 0
        sizes = [r.block_tokens for r in self.rows if r.kept.word not in {"state", "recent"}]
        block = max(1, min(sizes, default=0))
        blocks = pool_bytes // (self.page_bytes * self.group_layers)
        return blocks // groups * block * self.context_ranks

    @property
    def counted_by_request(self) -> bool:
        """Whether vLLM's log counts the tokens of the pool by full requests.

        With layers of one kind, both ways to count say the same.
        """
        return not self.uniform or any(row.kept.word == "recent" for row in self.rows)

    def tokens_by_request(self, pool_bytes: int, context_tokens: int, in_flight: int) -> int:
        """Tokens of a pool as vLLM logs them: the full requests that it holds, times their length.

        Windows and recurrent states take the same memory in a short and in a long request, so the
        number grows with the context that the server is started for.

        Source:
            vLLM 0.33, ``v1/core/kv_cache_utils.py``: ``get_kv_cache_capacity`` returns
            ``int(max_concurrency * max_model_len)``, which ``update_kv_cache_capacity`` logs.
        """
        if not self.counted_by_request:
            return self.pool_tokens(pool_bytes)
        one = self.request_bytes(context_tokens, in_flight)
        return int(pool_bytes / one * context_tokens) if pool_bytes > 0 and one > 0 else 0

    def token_pool(self, pool_bytes: int) -> int:
        """The part of a pool that tokens fill, where recurrent state has a share of its own.

        Source:
            SGLang, https://docs.sglang.io/docs/advanced_features/hybrid_model_memory:
            ``--mamba-full-memory-ratio`` parts what is left after weights.
        """
        if self.state_share > 0 and any(row.kept.word == "state" for row in self.rows):
            return int(pool_bytes * (1 - self.state_share))
        return pool_bytes

    def state_blocks(self, pool_bytes: int) -> int:
        """Sequences whose recurrent state a pool holds for sure, a block each.

        -1 without a state, or where state does not lie in blocks of the pool.

        Source:
            vLLM, pull request 38270: each sequence needs a block for its state.
        """
        if self.state_safety == 0:
            return -1
        whole = 0
        for row in self.rows:
            if row.kept.word == "state":
                if self.uniform:
                    whole += row.layers * row.kept.state_bytes
                else:
                    whole = self.group_layers * self.page_bytes
        if whole == 0:
            return -1
        return int(max(0, pool_bytes) // whole * self.state_safety)

    def longest_context(
        self,
        room_bytes: int,
        in_flight: int,
        longest: int,
        step: int,
        beside: Callable[[int], int],
    ) -> int:
        """Longest context of one request that fits, up to ``longest``, in steps.

        ``beside`` tells the bytes that a context of some tokens takes beside its cache.
        """
        low, high = 0, longest // step
        while low < high:
            middle = (low + high + 1) // 2
            tokens = middle * step
            if self.request_bytes(tokens, in_flight) + beside(tokens) <= room_bytes:
                low = middle
            else:
                high = middle - 1
        return low * step

    def sequences(self, pool_bytes: int, context_tokens: int, in_flight: int, most: int) -> int:
        """Requests of a length that a pool holds at once, up to ``most`` (see ``held_bytes``)."""
        arriving = self.request_bytes(context_tokens, in_flight)
        settled = self.request_bytes(context_tokens, AT_REST)
        if pool_bytes <= 0 or pool_bytes < arriving:
            return 0
        return most if settled <= 0 else min(most, 1 + (pool_bytes - arriving) // settled)


@dataclass(frozen=True, slots=True)
class CacheType:
    """A type of cache: bits of an element, and bytes of the scale behind each head's keys."""

    bits: int
    head_scale_bytes: int = 0


def block_layout(
    shape: ModelShape,
    rules: BlockRules,
    counts: Sequence[int],
    *,
    tp: int = 1,
    context_ranks: int = 1,
    stored: CacheType,
) -> BlockLayout:
    """Group ``counts`` layers of each kind into blocks, on one of ``tp`` ranks.

    Args:
        shape: The checkpoint.
        rules: The runtime's habits.
        counts: Layers of each kind.
        tp: Ranks over which heads are cut.
        context_ranks: Ranks that share the tokens of full and latent attention (decode context
            parallelism).
        stored: The type of the cache. Where the pages that its scales lengthen do not divide the
            largest one, they keep their tokens and are padded.

    Source:
        vLLM 0.33, ``v1/core/kv_cache_utils.py``.
    """
    rows = cache_rows(shape, rules, counts, tp, stored)
    recent = any(row.kept.word == "recent" for row in rows)
    plain = any(row.kept.word not in {"recent", "compressed"} for row in rows)
    if recent and not plain and rules.hybrid_padding:
        return _packed(shape, rules, counts, context_ranks)
    uniform = len(rows) == 1 or recent or not rules.hybrid_padding
    widest = max((row.kept.state_bytes for row in rows), default=0)
    attention = max((row.kept.token_bytes for row in rows), default=0)
    block = rules.block_tokens
    if widest > 0 and attention > 0 and rules.hybrid_padding:
        block = max(block, block * ceil_div(widest, block * attention))
    page = widest if attention == 0 else block * attention
    fewest = min((row.layers for row in rows), default=0)
    most = max((row.layers for row in rows), default=0)
    size = most if most * 2 < fewest * 3 else fewest
    grouped = tuple(
        BlockRow(
            row.kept,
            row.layers,
            1 if uniform else ceil_div(row.layers, size),
            block if uniform else _row_block(row.kept, page, block, stored),
            row.spare_blocks,
        )
        for row in rows
    )
    return _whole(grouped, rules, size, page, uniform=uniform, context_ranks=context_ranks)


def _row_block(kept: Kept, page: int, block: int, stored: CacheType) -> int:
    """Tokens of a row's block: as many as fill a page, unless scales make it uneven."""
    if kept.token_bytes == 0:
        return block
    if stored.head_scale_bytes > 0 and page % (block * kept.token_bytes) != 0:
        return block
    return max(1, page // kept.token_bytes)


def cache_rows(
    shape: ModelShape, rules: BlockRules, counts: Sequence[int], tp: int, stored: CacheType
) -> list[BlockRow]:
    """List layers by how they cache; compressed attention stands in up to three rows."""
    state_bits = max(rules.state_bits, shape.element_bits)
    layers: dict[Kept, int] = {}
    for count, kind in of_layers(counts, shape):
        for one in kind.cache.keeps(tp, stored.bits, stored.head_scale_bytes, state_bits):
            states = one.state_bytes * rules.state_slots
            kept = Kept(one.word, one.window, one.token_bytes, states)
            layers[kept] = layers.get(kept, 0) + count
    return [_row(kept, count, rules) for kept, count in layers.items()]


def _row(kept: Kept, layers: int, rules: BlockRules) -> BlockRow:
    """Make a row of one group.

    Source:
        vLLM 0.22 and 0.33, ``v1/kv_cache_interface.py``: a window may begin in the middle of a
        block.
    """
    spare = 1 if kept.window > 0 and rules.hybrid_padding else 0
    return BlockRow(kept, layers, 1, rules.block_tokens, spare)


def _packed(
    shape: ModelShape, rules: BlockRules, counts: Sequence[int], context_ranks: int
) -> BlockLayout:
    """Lay out compressed attention: groups of layers take blocks of one pool, all of one size.

    The widest group decides the size of a block.

    Source:
        vLLM 0.33, ``kv_cache_planning.py``; 0.22 lays blocks out otherwise and holds 5 % more.
    """
    windowed, window, window_page, vectors_page = 0, 0, 0, 0
    sums: dict[int, BlockRow] = {}
    for count, kind in of_layers(counts, shape):
        cache = kind.cache
        if not isinstance(cache, CompressedAttention):
            continue
        windowed += count
        window = cache.window
        window_page = pad(WINDOW_BLOCK * cache.vector_bytes, PAGE_MULTIPLE)
        if cache.ratio > 0:
            vectors_page += count * _vectors_page(cache)
            summed = _summed(cache, count, rules)
            known = sums.setdefault(summed.block_tokens, replace(summed, layers=0))
            sums[summed.block_tokens] = replace(known, layers=known.layers + count)
    overlapping = sums[OVERLAPPING_BLOCK].layers if OVERLAPPING_BLOCK in sums else 0
    repeats = least_padding([windowed, *(r.layers for r in sums.values())], max(1, overlapping))
    word = "recent" if window > 0 else "compressed"
    windows = _row(Kept(word, window, window_page, 0), windowed, rules)
    rows, widest = [], vectors_page
    for row in (replace(windows, block_tokens=WINDOW_BLOCK), *sums.values()):
        groups = ceil_div(row.layers, repeats)
        widest = max(widest, ceil_div(row.layers, groups) * row.kept.token_bytes)
        rows.append(replace(row, groups=groups))
    if vectors_page > 0:
        kept = Kept("compressed", 0, ceil_div(widest, VECTOR_BLOCK), 0)
        rows.append(replace(_row(kept, 1, rules), block_tokens=VECTOR_BLOCK))
    return _whole(tuple(rows), rules, 1, widest, uniform=False, context_ranks=context_ranks)


def _vectors_page(cache: CompressedAttention) -> int:
    """Block of a layer's compressed vectors and of its indexer's keys, in bytes."""
    vectors = VECTOR_BLOCK // cache.ratio
    index = pad(vectors * cache.index_bytes, PAGE_MULTIPLE)
    return pad(vectors * cache.vector_bytes, PAGE_MULTIPLE) + index


def _summed(cache: CompressedAttention, layers: int, rules: BlockRules) -> BlockRow:
    """What a layer's compressor sums up; the row's bytes are those of a block."""
    block = OVERLAPPING_BLOCK if cache.indexer_dim > 0 else SUM_BLOCK
    page = pad(block * cache.summed_bytes(cache.width), PAGE_MULTIPLE)
    page += pad(block * cache.summed_bytes(cache.indexer_dim), PAGE_MULTIPLE)
    kept = Kept("recent", cache.summed_window, page, 0)
    return replace(_row(kept, layers, rules), block_tokens=block)


def least_padding(numbers: Sequence[int], least: int) -> int:
    """The number from ``least`` on to whose multiples the numbers are padded by least.

    Of several the largest.

    Source:
        vLLM 0.33, ``kv_cache_planning.py``.
    """
    best, lost = least, -1
    for divisor in range(least, max(least, *numbers) + 1):
        padding = sum(pad(number, divisor) - number for number in numbers)
        if lost < 0 or padding <= lost:
            best, lost = divisor, padding
    return best


def _whole(
    rows: tuple[BlockRow, ...],
    rules: BlockRules,
    size: int,
    page: int,
    *,
    uniform: bool,
    context_ranks: int,
) -> BlockLayout:
    return BlockLayout(
        rows=rows,
        group_layers=size,
        page_bytes=page,
        uniform=uniform,
        context_ranks=context_ranks,
        sliding_share=_sliding_share(rows, rules),
        state_share=rules.state_pool_share,
        state_safety=rules.state_blocks_factor if rules.hybrid_padding else 0.0,
    )


def _sliding_share(rows: Iterable[BlockRow], rules: BlockRules) -> float:
    """Tokens of the sliding layers' pool per token of the main pool; 0 for one pool.

    A model whose layers all slide has one pool, which holds every token.
    """
    if rules.sliding_pool_ratio == 0:
        return 0.0
    main = any(row.kept.word in {"full", "latent"} for row in rows)
    return rules.sliding_pool_ratio if main else 1.0
