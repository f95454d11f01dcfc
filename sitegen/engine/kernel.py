"""The arithmetic of a fit: ledgers, limits, validity, tiers and decode speed.

Plain functions over dictionaries, which a page in the browser runs too, translated with the rest
of the engine: integers below 2**52 under ``//``, and no power but ``power``. All memory is in
integer bytes, all time in seconds. Bounds are lists ``[low, mid, high]``.

The dictionaries are built by ``coefficients`` (``m``: a model's checkpoint), ``profiles`` (``c``:
a runtime's constants) and ``devices`` (``g``: a GPU as this runtime sees it); each names its keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LARGEST_FLOAT = 1.7976931348623157e308
LARGEST_LOGARITHM = 700.0
"""Of a float that has no fewer digits than others."""


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


def pad(a: int, b: int) -> int:
    return cdiv(a, b) * b


def power(base: float, exponent: float) -> float:
    """``base`` to a power, for a base above 0, by sums and products alone.

    Libraries differ in the last digit of a power; this is the same number everywhere.

    Raises:
        ValueError: For a base that is not above 0, or a result beyond the range of floats; the sums
            would never end.
    """
    if not (base > 0 and base < LARGEST_FLOAT):
        raise ValueError("a power needs a finite base above 0")
    twos = 0
    while base < 0.75:
        base = base * 2
        twos = twos - 1
    while base >= 1.5:
        base = base / 2
        twos = twos + 1
    # The logarithm of what is left, by the series of its inverse hyperbolic tangent.
    z = (base - 1) / (base + 1)
    square = z * z
    odd = z
    logarithm = 0.0
    for k in range(24):
        logarithm = logarithm + odd / (2 * k + 1)
        odd = odd * square
    x = exponent * (2 * logarithm + twos * 0.6931471805599453)
    if not (x > -LARGEST_LOGARITHM and x < LARGEST_LOGARITHM):
        raise ValueError("a power is beyond the range of floats")
    # The exponential of what is left when whole powers of two are taken out.
    doublings = 0
    while x > 0.35:
        x = x - 0.6931471805599453
        doublings = doublings + 1
    while x < -0.35:
        x = x + 0.6931471805599453
        doublings = doublings - 1
    term = 1.0
    total = 1.0
    for k in range(1, 18):
        term = term * x / k
        total = total + term
    while doublings > 0:
        total = total * 2
        doublings = doublings - 1
    while doublings < 0:
        total = total / 2
        doublings = doublings + 1
    return total


def tensor_refusal(m: Mapping[str, Any], tp: int, ep: int) -> list[Any]:
    """Validity of a split: a list, empty when valid, else [code, size, divisor, group].

    With ``ep`` 1 experts are dealt out whole: their widths are not cut.
    """
    if tp == 1:
        return []
    widths = m["widths"]
    grouped = m["grouped_widths"]
    blocked = m["blocked_widths"]
    if ep == 1:
        widths = m["dense_widths"]
        grouped = m["dense_grouped_widths"]
        blocked = m["dense_blocked_widths"]
    if m["heads"] % tp != 0:
        return ["TP_HEADS", m["heads"], tp, 0]
    if m["kv_heads"] > 0:
        if tp <= m["kv_heads"]:
            if m["kv_heads"] % tp != 0:
                return ["TP_KV_HEADS", m["kv_heads"], tp, 0]
        else:
            if tp % m["kv_heads"] != 0:
                return ["TP_KV_HEADS", m["kv_heads"], tp, 0]
    for heads in m["recurrent_heads"]:
        if heads % tp != 0:
            return ["TP_STATE", heads, tp, 0]
    for groups in m["recurrent_groups"]:
        if groups > 1:
            if groups % tp != 0:
                return ["TP_STATE", groups, tp, 0]
    for size in widths:
        if size % tp != 0:
            return ["TP_FFN", size, tp, 0]
    for size in grouped:
        if m["group"] > 0:
            if (size // tp) % m["group"] != 0:
                return ["TP_GROUP", size, tp, m["group"]]
    for size in blocked:
        if m["block"] > 0:
            if (size // tp) % m["block"] != 0:
                return ["TP_FP8_BLOCK", size, tp, m["block"]]
    return []


def stage_layers(layers: int, pp: int) -> list[int]:
    """Layers of each pipeline stage: the remainder goes to the stages before the last, last but one first."""
    base = layers // pp
    rest = layers % pp
    out = []
    for s in range(pp):
        n = base
        if pp > 1:
            back = pp - 2 - s
            if back >= 0:
                if back < rest:
                    n = base + 1
        out.append(n)
    return out


def kind_counts(m: Mapping[str, Any], start: int, stop: int) -> list[int]:
    out = []
    for k in m["kinds"]:
        out.append(0)
    for i in range(start, stop):
        at = m["sequence"][i]
        out[at] = out[at] + 1
    return out


def expert_padding(m: Mapping[str, Any], ranks: int) -> float:
    """Elements that a kernel stores of an expert's share on one rank, over those of the share.

    ``expert_tiles`` are the multiples of width and hidden size of gate and up, then of down; a
    width is padded after the cut over ``ranks``, each rank for itself (vLLM 0.33,
    ``fused_moe/oracle/mxfp4.py``). No tiles: nothing is padded.
    """
    if len(m["expert_tiles"]) == 0 or m["expert_size"] == 0:
        return 1.0
    tiles = m["expert_tiles"]
    hidden = m["expert_hidden"]
    width = m["expert_size"]
    cut = cdiv(width, ranks)
    stored = 2 * pad(cut, tiles[0]) * pad(hidden, tiles[1]) + pad(cut, tiles[2]) * pad(
        hidden, tiles[3]
    )
    return stored * ranks / (3 * width * hidden)


def expert_bytes(m: Mapping[str, Any], whole: int, tp: int, dp: int, ep: int) -> int:
    """Routed experts of one layer on one rank: cut by width, or dealt out whole."""
    ranks = tp * dp
    if len(m["expert_tiles"]) > 0 and m["experts"] > 0:
        if ep == 1:
            part = cdiv(m["experts"], ranks) / m["experts"]
            return int(whole * part * expert_padding(m, 1))
        return int(whole / ranks * expert_padding(m, ranks))
    if ep == 1 and m["experts"] > 0:
        return cdiv(whole * cdiv(m["experts"], ranks), m["experts"])
    return cdiv(whole, ranks)


def rank_weights(
    m: Mapping[str, Any], counts: list[int], tp: int, dp: int, ep: int, first: int, last: int
) -> int:
    """Weights of one rank: attention is repeated ``dp`` times, experts lie over all ranks."""
    total = 0
    for i in range(len(counts)):
        k = m["kinds"][i]
        if dp == 1 and ep == 0 and len(m["expert_tiles"]) == 0:
            one = cdiv(k["split"] + k["expert"], tp) + k["replicated"]
        else:
            one = cdiv(k["split"], tp) + k["replicated"]
            one = one + expert_bytes(m, k["expert"], tp, dp, ep)
        if k["kv"] > 0:
            share = tp
            if m["kv_heads"] > 0:
                if tp > m["kv_heads"]:
                    share = m["kv_heads"]
            one = one + cdiv(k["kv"], share)
        total = total + counts[i] * one
    rows = pad(m["vocabulary"], 64)
    if first == 1:
        total = total + cdiv(m["embedding"] * rows // m["vocabulary"], tp) + cdiv(m["vision"], tp)
    if last == 1:
        total = total + m["final"]
        if m["tied"] == 0:
            total = total + cdiv(m["head"] * rows // m["vocabulary"], tp)
        else:
            if first == 0:
                total = total + cdiv(m["embedding"] * rows // m["vocabulary"], tp)
    return total


def token_bytes(k: Mapping[str, Any], tp: int, kv_bits: int) -> int:
    """Bytes that one token adds to one layer's cache on one rank."""
    if k["cache"] == "latent":
        key = (k["rank"] + k["rope"]) * kv_bits // 8
        if k["sparse"] == 1 and kv_bits == 8:
            key = k["rank"] + k["rank"] // 128 * 4 + k["rope"] * 2
        if k["indexer"] > 0:
            key = key + k["indexer"] + k["indexer"] // 128 * 4
        return key
    if k["cache"] == "full" or k["cache"] == "sliding":
        heads = max(1, k["kv_heads"] // tp)
        return (heads * (k["key_dim"] + k["value_dim"]) + k["indexer"]) * kv_bits // 8
    if k["cache"] == "compressed":
        if k["ratio"] > 0:
            return cdiv(vector_bytes(k) + index_bytes(k), k["ratio"])
    return 0


def vector_bytes(k: Mapping[str, Any]) -> int:
    """One stored vector of compressed attention, whatever type is asked for the cache.

    Its rotated part has 16 bits an element, the rest 8, and scales stand behind (vLLM 0.33,
    ``models/deepseek_v4/attention.py``: ``auto`` is ``fp8_ds_mla``, and 16 bits are refused).
    """
    return k["key_dim"] + k["rope"] + 8


def index_bytes(k: Mapping[str, Any]) -> int:
    """One key of a compressed layer's indexer with its scale; 0 without an indexer."""
    return k["indexer"] + k["indexer"] // 128 * 4


def summed_window(k: Mapping[str, Any]) -> int:
    """Last tokens that a compressor still sums up: its ratio, twice where windows overlap."""
    if k["indexer"] > 0:
        return 2 * k["ratio"]
    return k["ratio"]


def summed_bytes(k: Mapping[str, Any], width: int) -> int:
    """What a compressor of ``width`` keeps of a token: sums and scores, 32 bits each.

    Both are double where windows overlap (vLLM 0.33, ``models/deepseek_v4/compressor.py``).
    """
    if k["indexer"] > 0:
        return 16 * width
    return 8 * width


def state_bytes(k: Mapping[str, Any], tp: int, bits: int) -> int:
    if k["cache"] == "state":
        of_state = cdiv(k["state"], tp) * max(bits, k["state_bits"])
        return (cdiv(k["convolution"], tp) * bits + of_state) // 8
    return 0


def scale_bytes(k: Mapping[str, Any], tp: int, each: int) -> int:
    """Bytes of a token's scales in one layer's cache on one rank, of keys and of values."""
    if k["cache"] == "full" or k["cache"] == "sliding":
        return 2 * max(1, k["kv_heads"] // tp) * each
    return 0


def cache_row(
    k: Mapping[str, Any], c: Mapping[str, Any], window: int, per: int, state: int, n: int
) -> dict[str, Any]:
    """Layers that cache alike: ``per`` bytes a token, all of them or those of a window."""
    cache = k["cache"]
    if cache == "compressed" and window > 0:
        cache = "recent"
    spare = 0
    if window > 0 and c["hybrid_padding"] == 1:
        # A window may begin in the middle of a block (vLLM 0.22 and 0.33, kv_cache_interface.py).
        spare = 1
    return {
        "cache": cache,
        "window": window,
        "per": per,
        "state": state,
        "n": n,
        "groups": 1,
        "block": c["block"],
        "spare": spare,
    }


def add_row(rows: list[dict[str, Any]], row: Mapping[str, Any]) -> None:
    """Add layers to the row that caches alike, or begin a row."""
    for r in rows:
        if r["cache"] == row["cache"] and r["window"] == row["window"]:
            if r["per"] == row["per"] and r["state"] == row["state"]:
                r["n"] = r["n"] + row["n"]
                return
    rows.append({**row})


def cache_rows(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    counts: list[int],
    tp: int,
    kv_bits: int,
    head_scale_bytes: int,
) -> list[dict[str, Any]]:
    """Layers by how they cache; a layer of compressed attention stands in up to three rows."""
    rows: list[dict[str, Any]] = []
    for i in range(len(counts)):
        k = m["kinds"][i]
        n = counts[i]
        if n > 0 and k["cache"] == "compressed":
            add_row(rows, cache_row(k, c, k["window"], vector_bytes(k), 0, n))
            if k["ratio"] > 0:
                width = k["key_dim"] + k["indexer"]
                summed = cache_row(k, c, summed_window(k), summed_bytes(k, width), 0, n)
                add_row(rows, cache_row(k, c, 0, token_bytes(k, tp, kv_bits), 0, n))
                add_row(rows, summed)
        elif n > 0 and k["cache"] != "none":
            per = token_bytes(k, tp, kv_bits) + scale_bytes(k, tp, head_scale_bytes)
            state = state_bytes(k, tp, max(c["state_bits"], m["element_bits"])) * c["state_slots"]
            add_row(rows, cache_row(k, c, k["window"], per, state, n))
    return rows


def least_padding(numbers: list[int], least: int) -> int:
    """The number from ``least`` on to whose multiples the numbers are padded by least."""
    best = least
    lost = -1
    for d in range(least, max([least, *numbers]) + 1):
        padding = 0
        for n in numbers:
            padding = padding + pad(n, d) - n
        if lost < 0 or padding <= lost:
            best = d
            lost = padding
    return best


def packed_geometry(
    m: Mapping[str, Any], c: Mapping[str, Any], counts: list[int], dcp: int
) -> dict[str, Any]:
    """Blocks of compressed attention: groups of layers take blocks of one pool, all of one size.

    Compressed vectors lie in blocks of 256 tokens, windows in blocks of 64, and what a compressor
    sums up in blocks of four tokens where windows overlap, of eight otherwise; pages are padded to
    576 bytes. The widest group decides the size of a block (vLLM 0.33, ``kv_cache_planning.py``;
    0.22 lays blocks out otherwise and holds 5 % more).
    """
    every = {"cache": "compressed"}
    windowed = 0
    window = 0
    window_page = 0
    overlapping = 0
    all_page = 0
    sums: list[dict[str, Any]] = []
    layers: list[int] = []
    for i in range(len(counts)):
        k = m["kinds"][i]
        if counts[i] > 0 and k["cache"] == "compressed":
            windowed = windowed + counts[i]
            window = k["window"]
            window_page = pad(64 * vector_bytes(k), 576)
            if k["ratio"] > 0:
                vectors = 256 // k["ratio"]
                index = pad(vectors * index_bytes(k), 576)
                all_page = all_page + counts[i] * (pad(vectors * vector_bytes(k), 576) + index)
                block = 8
                if k["indexer"] > 0:
                    block = 4
                page = pad(block * summed_bytes(k, k["key_dim"]), 576)
                page = page + pad(block * summed_bytes(k, k["indexer"]), 576)
                row = {**cache_row(k, c, summed_window(k), page, 0, counts[i]), "block": block}
                found = 0
                for r in sums:
                    if r["block"] == block:
                        r["n"] = r["n"] + counts[i]
                        found = 1
                if found == 0:
                    sums.append(row)
    for r in sums:
        layers.append(r["n"])
        if r["block"] == 4:
            overlapping = r["n"]
    repeats = least_padding([windowed, *layers], max(1, overlapping))
    rows: list[dict[str, Any]] = []
    windows = {**cache_row(every, c, window, window_page, 0, windowed), "block": 64}
    widest = all_page
    for r in [windows, *sums]:
        r["groups"] = cdiv(r["n"], repeats)
        widest = max(widest, cdiv(r["n"], r["groups"]) * r["per"])
        rows.append(r)
    if all_page > 0:
        rows.append({**cache_row(every, c, 0, cdiv(widest, 256), 0, 1), "block": 256})
    return whole_geometry(rows, c, 1, widest, 0, dcp)


def whole_geometry(
    rows: list[dict[str, Any]], c: Mapping[str, Any], size: int, page: int, uniform: int, dcp: int
) -> dict[str, Any]:
    return {
        "rows": rows,
        "size": size,
        "page": page,
        "uniform": uniform,
        "dcp": dcp,
        "sliding_share": sliding_share(rows, c),
        "state_share": c["state_pool_share"][1],
        "state_safety": c["state_blocks_factor"][0] * c["hybrid_padding"],
    }


def paged_geometry(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    counts: list[int],
    tp: int,
    dcp: int,
    kv_bits: int,
    head_scale_bytes: int,
) -> dict[str, Any]:
    """How a paged runtime groups layers into blocks of one page size.

    ``dcp`` ranks share the tokens of full and latent attention (decode context parallel). A scale
    of ``head_scale_bytes`` stands behind each head's keys and values, 0 for none; where the pages
    that it lengthens do not divide the largest one, they keep their tokens and are padded.
    """
    rows = cache_rows(m, c, counts, tp, kv_bits, head_scale_bytes)
    size = 0
    big = 0
    widest = 0
    attention = 0
    recent = 0
    other = 0
    for r in rows:
        if size == 0 or r["n"] < size:
            size = r["n"]
        if r["cache"] == "recent":
            recent = 1
        elif r["cache"] != "compressed":
            other = 1
        big = max(big, r["n"])
        widest = max(widest, r["state"])
        attention = max(attention, r["per"])
    if recent == 1 and other == 0 and c["hybrid_padding"] == 1:
        return packed_geometry(m, c, counts, dcp)
    if big * 2 < size * 3:
        size = big
    block = c["block"]
    uniform = 0
    if len(rows) == 1 or recent == 1 or c["hybrid_padding"] == 0:
        uniform = 1
    if widest > 0 and attention > 0 and c["hybrid_padding"] == 1:
        block = max(block, block * cdiv(widest, block * attention))
    page = block * attention
    if attention == 0:
        page = widest
    for r in rows:
        r["block"] = block
        if uniform == 0:
            r["groups"] = cdiv(r["n"], size)
            if r["per"] > 0:
                uneven = page % (block * r["per"])
                if head_scale_bytes == 0 or uneven == 0:
                    r["block"] = max(1, page // r["per"])
    return whole_geometry(rows, c, size, page, uniform, dcp)


def sliding_share(rows: list[dict[str, Any]], c: Mapping[str, Any]) -> float:
    """Tokens of the sliding layers' pool per token of the main pool; 0 without a fixed share.

    A model whose layers all slide has one pool, which holds every token.
    """
    ratio = c["sliding_pool_ratio"][1] / 1.0
    if ratio == 0:
        return ratio
    for r in rows:
        if r["cache"] == "full" or r["cache"] == "latent":
            return ratio
    return 1.0


def row_tokens(geo: Mapping[str, Any], r: Mapping[str, Any], ctx: int, in_flight: int) -> int:
    """Tokens that a row keeps: of a window also those in flight, which nothing frees yet.

    With one token in flight a window is full and no more: a sequence whose prompt was read.
    """
    if r["window"] > 0:
        if r["cache"] == "sliding" and geo["sliding_share"] > 0:
            return int(ctx * geo["sliding_share"])
        return min(r["window"] - 1 + in_flight, ctx)
    return cdiv(ctx, geo["dcp"])


def request_bytes(geo: Mapping[str, Any], ctx: int, in_flight: int) -> int:
    """Bytes of one request's cache on one rank, block padding included.

    ``in_flight`` are the tokens of steps that are scheduled and not finished, at least 1: windows
    keep them too, and a paged runtime admits no request that the pool could not hold so.
    """
    total = 0
    state = 0
    for r in geo["rows"]:
        if r["cache"] == "state":
            if geo["uniform"] == 1:
                state = state + r["n"] * r["state"]
            else:
                state = state + r["groups"] * geo["size"] * geo["page"]
        else:
            blocks = cdiv(row_tokens(geo, r, ctx, in_flight), r["block"]) + r["spare"]
            if geo["uniform"] == 1:
                total = total + r["n"] * blocks * r["block"] * r["per"]
            else:
                total = total + r["groups"] * geo["size"] * blocks * geo["page"]
    if state > 0 and geo["state_share"] > 0:
        # Two pools of fixed shares: the one that is short decides.
        return int(max(total / (1 - geo["state_share"]), state / geo["state_share"]))
    return total + state


def pool_tokens(geo: Mapping[str, Any], pool: int) -> int:
    """Tokens that a pool holds, as start-up logs count them: one slot in every layer group.

    Groups of different blocks count the smallest (vLLM ``_report_kv_cache_config``).
    """
    if pool <= 0 or len(geo["rows"]) == 0:
        return 0
    if geo["uniform"] == 1:
        per = bytes_per_token(geo)
        block = 1
        for r in geo["rows"]:
            block = r["block"]
        if per == 0:
            return 0
        return pool // (per * block) * block * geo["dcp"]
    groups = 0
    block = 0
    for r in geo["rows"]:
        if r["cache"] != "recent":
            groups = groups + r["groups"]
        if r["cache"] != "state" and r["cache"] != "recent":
            if block == 0 or r["block"] < block:
                block = r["block"]
    if groups == 0:
        return 0
    block = max(1, block)
    blocks = pool // (geo["page"] * geo["size"])
    return blocks // groups * block * geo["dcp"]


def token_pool(geo: Mapping[str, Any], pool: int) -> int:
    """The part of a pool that tokens fill, where recurrent state has a fixed share of its own."""
    for r in geo["rows"]:
        if r["cache"] == "state" and geo["state_share"] > 0:
            return int(pool * (1 - geo["state_share"]))
    return pool


def state_blocks(geo: Mapping[str, Any], pool: int) -> int:
    """Sequences whose recurrent state a pool holds for sure, a block each.

    -1 without a state, or where state does not lie in blocks of the pool.
    """
    whole = 0
    if geo["state_safety"] == 0:
        return -1
    for r in geo["rows"]:
        if r["cache"] == "state":
            if geo["uniform"] == 1:
                whole = whole + r["n"] * r["state"]
            else:
                whole = geo["size"] * geo["page"]
    if whole == 0:
        return -1
    return int(max(0, pool) // whole * geo["state_safety"])


def bytes_per_token(geo: Mapping[str, Any]) -> int:
    """Bytes that one token takes on a rank that holds all tokens (see ``dcp``)."""
    per = 0.0
    for r in geo["rows"]:
        if r["cache"] == "recent":
            continue
        if geo["uniform"] == 1:
            if r["cache"] == "sliding" and geo["sliding_share"] > 0:
                per = per + r["n"] * r["per"] * geo["sliding_share"]
            else:
                per = per + r["n"] * r["per"]
        else:
            per = per + r["groups"] * geo["size"] * r["per"]
    return int(per)


def max_context(geo: Mapping[str, Any], pool: int, in_flight: int, longest: int, block: int) -> int:
    lo = 0
    hi = longest // block
    while lo < hi:
        mid = (lo + hi + 1) // 2
        if request_bytes(geo, mid * block, in_flight) <= pool:
            lo = mid
        else:
            hi = mid - 1
    return lo * block


def sequences_at(geo: Mapping[str, Any], pool: int, ctx: int, in_flight: int, most: int) -> int:
    one = request_bytes(geo, ctx, in_flight)
    if pool <= 0:
        return 0
    if one <= 0:
        return most
    return min(most, pool // one)


def sampler_peak(m: Mapping[str, Any], c: Mapping[str, Any], s: Mapping[str, Any], b: int) -> float:
    """What sampling for the largest batch takes, on the last stage."""
    if s["last"] == 0:
        return 0.0
    # Of the bytes per logit two are the model's own, where it computes with 16 bits.
    wide = m["element_bits"] // 8
    each = c["sampler_bytes_per_logit"][b] + (wide - 2)
    logits = each * s["seqs"] * m["vocabulary"]
    return logits + c["sampler_hidden_factor"][b] * s["tokens"] * m["hidden"] * wide / 2


def width_factor(m: Mapping[str, Any], c: Mapping[str, Any], tp: int, b: int) -> float:
    """Live copies of the attention width by tensor parallel size, where a runtime is fitted so."""
    name = "activation_width_single"
    if tp >= 4:
        name = "activation_width_quad"
    else:
        if tp >= 2:
            name = "activation_width_pair"
    factor = c[name][b]
    if m["experts"] > 0:
        factor = factor * c["activation_width_experts_factor"][b]
    return factor / 1.0


def paged_activation(
    m: Mapping[str, Any], c: Mapping[str, Any], s: Mapping[str, Any], b: int
) -> int:
    """Peak of the profiling forward pass of a paged runtime, at bound b.

    Constants are those of 16 bits an element; what is wider takes in proportion.
    """
    hidden = m["hidden"]
    tokens = s["tokens"]
    each = m["element_bits"] // 8
    if c["activation_by_width"] == 1:
        wide = each * tokens * m["attention_outputs"] * width_factor(m, c, s["tp"], b)
        return int(max(wide, c["activation_floor_bytes"][b]) * c["activation_error"][b])
    layer = (
        each
        * tokens
        * (
            c["activation_ffn_factor"][b] * m["active_width"] / s["tp"]
            + c["activation_hidden_factor"][b] * hidden
        )
    )
    peak = max(sampler_peak(m, c, s, b), layer)
    if m["experts"] > 0:
        peak = peak * c["activation_experts_factor"][b]
    if s["first"] + s["last"] < 2:
        peak = peak + 2 * each * tokens * hidden
    peak = peak * c["activation_error"][b]
    if m["vision"] > 0 and s["images"] == 1 and s["first"] == 1:
        # Encoder outputs stay alive beside the language model; the encoder runs before it.
        peak = peak + c["encoder_output_factor"][b] * tokens * hidden * each / 2
        peak = max(peak, c["encoder_profile_bytes"][b] * each / 2)
    return int(peak)


def draft_weights(m: Mapping[str, Any], s: Mapping[str, Any], b: int) -> int:
    """Prediction layers on the last stage, and what a separate draft model takes on each rank."""
    total = s["draft"]
    if s["mtp"] == 1 and s["last"] == 1:
        total = total + cdiv(m["mtp"][b], s["tp"] * s["dp"])
    return total


def graph_bytes(m: Mapping[str, Any], c: Mapping[str, Any], s: Mapping[str, Any], b: int) -> int:
    """Captured CUDA graphs of one rank."""
    if s["eager"] == 1:
        return 0
    if c["budget_base"] == 1:
        return int(graph_reserve(m, c, s) * c["graphs_error_factor"][b])
    if s["large"] == 1:
        return int(c["graphs_large_bytes"][b])
    return int(c["graphs_small_bytes"][b])


def graph_reserve(m: Mapping[str, Any], c: Mapping[str, Any], s: Mapping[str, Any]) -> int:
    """What a runtime that reserves outside its share plans for graphs: decode, then prefill."""
    if s["eager"] == 1:
        return 0
    decode = s["graph_batch"] * c["reserve_graph_sequence_bytes"][1]
    if s["attention_dp"] > 1:
        decode = decode + s["graph_batch"] * s["attention_dp"] * c["reserve_graph_rank_bytes"][1]
        if s["graph_batch"] > 300:
            decode = (
                decode + s["graph_batch"] * s["attention_dp"] * c["reserve_graph_rank_bytes"][1] / 2
            )
    if m["low_rank"][3] > 0:
        return int(decode + c["reserve_latent_graphs_bytes"][1])
    return int(decode + prefill_graphs(s["tokens"]) * c["reserve_prefill_graph_bytes"][1])


def prefill_graphs(tokens: int) -> int:
    """Sizes at which prefill graphs are captured up to a chunk of at least 1,024 tokens."""
    sizes = 38
    if tokens > 1024:
        sizes = sizes + (min(tokens, 4096) - 1024) // 256
    if tokens > 4096:
        sizes = sizes + (tokens - 4096) // 512
    return sizes


def reserved_fraction(
    m: Mapping[str, Any], c: Mapping[str, Any], s: Mapping[str, Any], seen: int, b: int
) -> float:
    """Share of the GPU for weights and cache that is left by a reserve for activations."""
    held = c["reserve_base_bytes"][1]
    held = held + max(s["tokens"], 2048) * c["reserve_token_bytes"][1]
    held = held + s["tp"] * s["pp"] * s["dp"] * c["reserve_rank_bytes"][1]
    held = held + graph_reserve(m, c, s)
    if seen > c["reserve_large_from_bytes"][1]:
        held = max(held, c["reserve_large_bytes"][1])
    share = int((seen - held) / seen * 1000 + 0.5) / 1000
    if m["vision"] > 0 and s["images"] == 1:
        share = share * c["vision_share_factor"][2 - b]
    return share


def reserved_state(
    m: Mapping[str, Any], c: Mapping[str, Any], s: Mapping[str, Any], counts: list[int]
) -> int:
    """Recurrent state that a runtime allots for every sequence before it profiles."""
    total = 0
    if c["state_for_all_sequences"] == 1:
        for i in range(len(counts)):
            one = state_bytes(m["kinds"][i], s["tp"], max(c["state_bits"], m["element_bits"]))
            total = total + counts[i] * one * s["seqs"]
    return total


def paged_fixed(
    m: Mapping[str, Any], c: Mapping[str, Any], s: Mapping[str, Any], counts: list[int]
) -> dict[str, Any]:
    """Everything but the KV cache on one rank of a paged runtime: a dict of [low, mid, high].

    ``s`` tells the step: ``tp``, ``pp``, ``dp``, ``ep`` (1 for expert parallel), ``attention_dp``,
    ``first`` and ``last`` stage (0 or 1), ``tokens``, ``seqs``, ``graph_batch``, ``link``,
    ``large`` (graphs), ``eager``, ``shared`` (memory with the CPU), ``images``, ``mtp``, ``draft``
    (bytes).
    """
    weights = rank_weights(m, counts, s["tp"], s["dp"], s["ep"], s["first"], s["last"])
    out: dict[str, list[int]] = {
        "weights": [],
        "context": [],
        "communication": [],
        "compute": [],
        "graphs": [],
    }
    states = reserved_state(m, c, s, counts)
    for b in range(3):
        # Every rank holds sines and cosines of all positions; the constant covers usual lengths.
        extra = max(c["weights_extra_bytes"][b], m["rotary"])
        held = weights * c["weights_error_factor"][b] + extra
        out["weights"].append(int(held + draft_weights(m, s, b)))
        single = c["non_torch_single_bytes"][b]
        total = single
        if s["tp"] * s["dp"] > 1:
            if s["link"] == "nvlink":
                total = c["non_torch_nvlink_bytes"][b]
            else:
                total = c["non_torch_bus_bytes"][b]
        if s["pp"] > 1:
            if s["tp"] > 1:
                total = total + c["non_torch_pipeline_bytes"][b]
            else:
                total = c["non_torch_pipeline_bytes"][b]
        cached = 0.0
        if s["shared"] == 1:
            # Where the CPU shares the memory, pages of the files read and other programs count.
            cached = weights * c["page_cache_share"][b] + c["shared_memory_other_bytes"][b]
        out["context"].append(int(min(single, total) + cached))
        out["communication"].append(int(max(0, total - single)))
        out["compute"].append(paged_activation(m, c, s, b) + states)
        out["graphs"].append(graph_bytes(m, c, s, b))
    return out


def fixed_total(fixed: Mapping[str, Any], b: int, with_graphs: int) -> int:
    total = fixed["weights"][b] + fixed["context"][b]
    total = total + fixed["communication"][b] + fixed["compute"][b]
    if with_graphs == 1:
        total = total + fixed["graphs"][b]
    return total


def paged_budget(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    s: Mapping[str, Any],
    fixed: Mapping[str, Any],
    fraction: float,
    seen: int,
    b: int,
) -> list[int]:
    """``[budget, counted]`` of one rank at bound b; the pool is their difference.

    The base of the fraction is the whole GPU (0), the GPU after context and collectives with
    a reserve outside for activations (1), or what weights and activations leave free (2).
    ``fraction`` 0 asks for the runtime's default.
    """
    if c["budget_base"] == 1:
        share = fraction
        if share == 0:
            share = reserved_fraction(m, c, s, seen, b)
        free = seen - fixed["context"][b] - fixed["communication"][b]
        # What the reserve cannot hold has to come from the pool, by a lower fraction.
        most = free - fixed["compute"][b] - fixed["graphs"][b]
        return [int(max(1, min(share * free, most))), fixed["weights"][b]]
    share = fraction
    if share == 0:
        share = c["memory_fraction"][1] / 1.0
    if c["budget_base"] == 2:
        held = fixed_total(fixed, b, 1)
        return [int(share * seen + (1 - share) * held), held]
    return [int(share * seen), fixed_total(fixed, b, c["graphs_in_budget"])]


def start_excess(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    s: Mapping[str, Any],
    fixed: Mapping[str, Any],
    room: int,
    gpu_context: int,
    b: int,
) -> int:
    """Bytes that a start may lack in the room beside a full budget.

    There lie the GPU context, graphs that the budget leaves out, and the sampler's warm-up.
    """
    if c["budget_base"] > 0:
        return 0
    outside = gpu_context + c["warm_up_share"][b] * sampler_peak(m, c, s, b)
    if c["graphs_in_budget"] == 0:
        # At their middle: the warm-up is what is uncertain, not both at their worst together.
        outside = outside + fixed["graphs"][1]
    return int(max(0, outside - room))


def assign_slots(shares: list[int], slots: int) -> list[int]:
    """Layer split: whole layers per device, the output counted as one more slot.

    Slot ``i`` goes to the first device whose cumulative share exceeds ``i / slots``.
    """
    total = 0.0
    for s in shares:
        total = total + s
    out: list[int] = []
    at = 0
    reached = shares[0] / 1.0
    for i in range(slots):
        while at < len(shares) - 1 and reached / total <= i / slots:
            at = at + 1
            reached = reached + shares[at]
        out.append(at)
    return out


def cache_cells(
    k: Mapping[str, Any], c: Mapping[str, Any], n_ctx: int, seqs: int, ubatch: int
) -> int:
    """Cells of one layer's cache: one pool for all sequences, or one of equal size for each."""
    multiple = c["cell_multiple"]
    streams = 1
    if c["split_cache"] == 1:
        streams = seqs
    full = pad(cdiv(n_ctx, streams), multiple)
    if k["cache"] == "sliding":
        if c["sliding_cache"] == 1:
            windows = seqs // streams
            return streams * min(full, pad(min(full, k["window"] * windows + ubatch), multiple))
    return streams * full


def split_layer_kv(
    k: Mapping[str, Any],
    c: Mapping[str, Any],
    n_ctx: int,
    seqs: int,
    ubatch: int,
    tp: int,
    key_bits: int,
    value_bits: int,
) -> int:
    if k["cache"] == "latent":
        return cache_cells(k, c, n_ctx, seqs, ubatch) * ((k["rank"] + k["rope"]) * key_bits) // 16
    if k["cache"] == "full" or k["cache"] == "sliding":
        cells = cache_cells(k, c, n_ctx, seqs, ubatch)
        width = k["key_dim"] * key_bits + k["value_dim"] * value_bits
        return cells * cdiv(k["kv_heads"], tp) * width // 16
    if k["cache"] == "compressed":
        cells = pad(n_ctx, c["cell_multiple"])
        kept = min(cells, pad(min(cells, k["window"] * seqs + ubatch), c["cell_multiple"]))
        total = kept * k["key_dim"]
        if k["ratio"] > 0:
            total = total + cdiv(cells, k["ratio"]) * (k["key_dim"] + k["indexer"])
        return total * key_bits // 16
    return 0


def widened_cache(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    counts: list[int],
    n_ctx: int,
    seqs: int,
    ubatch: int,
    tp: int,
) -> int:
    """Scratch of attention over a quantized cache: one layer's keys and values as 16 bits.

    llama.cpp reserves it for the whole context since pull request 23907, took it from a pool before.
    """
    most = 0
    for i in range(len(counts)):
        if counts[i] > 0:
            most = max(most, split_layer_kv(m["kinds"][i], c, n_ctx, seqs, ubatch, tp, 32, 32))
    return most


def split_layer_state(k: Mapping[str, Any], seqs: int) -> int:
    if k["cache"] == "state":
        return 4 * seqs * (k["convolution"] + k["state"])
    return 0


def mask_cells(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    counts: list[int],
    n_ctx: int,
    seqs: int,
    ubatch: int,
) -> list[int]:
    """Cells that one query may see: over the whole context, and in a window's mask of its own."""
    streams = 1
    if c["split_cache"] == 1:
        streams = seqs
    full = pad(cdiv(n_ctx, streams), c["cell_multiple"])
    window = 0
    for i in range(len(counts)):
        k = m["kinds"][i]
        if counts[i] > 0 and k["cache"] == "sliding":
            window = max(window, cache_cells(k, c, n_ctx, seqs, ubatch) // streams)
    return [full, window]


def layer_floats(m: Mapping[str, Any], c: Mapping[str, Any]) -> int:
    """Floats of one token at the widest point of a layer's graph, attention scores apart."""
    hidden = m["hidden"]
    low = m["low_rank"]
    base = 2 * hidden + int(c["feed_attention_tensors"][1] * m["attention_width"])
    wide = int(c["glu_tensors"][1] * m["dense_width"]) + base
    if m["experts"] > 0:
        routed = int(c["expert_glu_tensors"][1] * m["expert_width"])
        out = m["experts_per_token"] * hidden
        # The experts' outputs go where gate and up were, if they fit there.
        if out > routed * 2 // 3:
            routed = routed + out
        wide = max(wide, routed + base)
    if low[3] > 0:
        wide = max(wide, m["heads"] * (low[0] + low[1] + 2 * low[3] + low[1]) + 4 * hidden)
    return wide


def attention_floats(m: Mapping[str, Any], c: Mapping[str, Any]) -> int:
    """Floats of one token while its attention is computed, scores apart."""
    gate = m["query_width"] - m["attention_width"]
    low = m["low_rank"]
    if low[3] > 0:
        return m["heads"] * (low[0] + low[1] + 2 * low[3] + low[1]) + 4 * m["hidden"]
    kept = c["attention_hidden_tensors"][1] * m["hidden"] + 2 * m["query_width"] + gate
    return int(kept + c["attention_key_tensors"][1] * m["key_width"])


def value_index_bytes(m: Mapping[str, Any], c: Mapping[str, Any], cells: list[int]) -> int:
    """Bytes a token of the numbers that say where each value goes, without flash attention.

    The cache then lies transposed, and each element of a value has a row number of 64 bits, once
    for each cache (llama.cpp, ``llama_kv_cache::build_input_v_idxs``, since July 2025).
    """
    widest = 0
    if c["attention_key_tensors"][1] > 0:
        for k in m["kinds"]:
            if k["cache"] == "full" or k["cache"] == "sliding":
                widest = max(widest, 8 * k["kv_heads"] * k["value_dim"])
    if cells[1] > 0:
        return 2 * widest
    return widest


def displaced_output(
    m: Mapping[str, Any], c: Mapping[str, Any], cells: list[int], inputs: int
) -> int:
    """Bytes a token that lie before the last hidden states and the logits, on a lone device.

    These begin the buffer unless the inputs fit the hole that a feed-forward tensor leaves behind
    two of the hidden size, and are smaller than one of these: then the inputs and three such
    tensors come first. (ggml-alloc takes the best fitting hole; probes of llama-fit-params,
    2026-11-23, of dense models without norms of heads.)
    """
    hidden = m["hidden"]
    if m["experts"] > 0 or cells[1] > 0 or c["glu_tensors"][1] < 3:
        return 0
    if m["low_rank"][3] > 0 or m["attention_width"] != hidden or m["query_width"] != hidden:
        return 0
    if 4 * (m["dense_width"] - 2 * hidden) <= inputs and inputs < 4 * hidden:
        return inputs + 12 * hidden
    return 0


def split_compute(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    cells: list[int],
    ubatch: int,
    pipelined: int,
    index: int,
    has_output: int,
    flash: int,
    scratch: int,
    rows: int,
) -> int:
    """Compute buffer of one device: the larger of feed-forward, attention and logits, beside the inputs.

    A pipeline keeps ``graph_copies`` of the inputs and of what crosses to the device. ``rows`` of
    logits are reserved. Attention scores are a tensor of their own without flash attention.
    """
    hidden = m["hidden"]
    feed = 4 * ubatch * layer_floats(m, c)
    attention = 4 * ubatch * attention_floats(m, c) + scratch
    inputs = 2 * (cells[0] + cells[1])
    if flash == 0:
        inputs = 4 * (cells[0] + cells[1]) + value_index_bytes(m, c, cells)
        keys = int(c["attention_key_tensors"][1] * m["key_width"])
        attention = attention + 4 * ubatch * (cells[0] * m["heads"] - keys)
        if keys > 0 and (pipelined == 0 or has_output == 0):
            # The scores leave room in which the attention's output then lies.
            feed = feed - 4 * ubatch * m["attention_width"]
    output = 4 * rows * (m["vocabulary"] + hidden)
    body = max(feed, attention)
    if pipelined == 0:
        if index > 0:
            body = max(feed - 4 * ubatch * m["attention_width"], attention)
        if has_output == 1:
            if index == 0:
                output = output + ubatch * displaced_output(m, c, cells, inputs)
            return max(body + ubatch * inputs, output)
        return body + ubatch * inputs
    if has_output == 1:
        body = max(body, output)
    copies = c["graph_copies"] * 4 * ubatch * hidden
    if index > 0:
        copies = 2 * copies
    return body + c["graph_copies"] * ubatch * inputs + copies


def eager_compute(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    tokens: int,
    seqs: int,
    tp: int,
    has_output: int,
    scratch: int,
) -> int:
    """Peak of one prefill step where tensors are allocated as they are needed, in 16 bits."""
    layer = (
        2
        * tokens
        * (
            c["step_ffn_factor"][1] * m["active_width"] / tp
            + c["step_hidden_factor"][1] * m["hidden"]
        )
    )
    # One weight matrix in 16 bits, where batches do not multiply with the quantized one.
    layer = layer + 2 * c["reconstructed_matrices"][1] * m["hidden"] * m["narrow_width"] / tp
    logits = 0.0
    if has_output == 1:
        logits = c["logit_bytes"][1] * max(c["logit_rows"][1], seqs) * m["vocabulary"]
    return int(max(layer + scratch, logits))


def split_layout(
    m: Mapping[str, Any], shares: list[int], cpu_layers: int, cpu_experts: int
) -> dict[str, Any]:
    """Which layers sit where: the first ``cpu_layers`` stay in system RAM with their cache, and the routed experts of the first ``cpu_experts`` layers too; the rest is dealt out by share."""
    gpu_layers = m["layers"] - cpu_layers
    return placed_layers(
        m, len(shares), assign_slots(shares, gpu_layers + 1), cpu_layers, cpu_experts, 0
    )


def deal_slots(shares: list[int], layers: int) -> list[int]:
    """Pipeline by largest remainder: whole layers in proportion, at least one for each device.

    The output follows the last layer.
    """
    total = 0.0
    for s in shares:
        total = total + s
    count: list[int] = []
    part: list[float] = []
    left = layers
    for s in shares:
        raw = s / total * layers
        whole = int(raw)
        count.append(whole)
        part.append(raw - whole)
        left = left - whole
    for turn in range(left):
        best = 0
        for i in range(len(part)):
            if part[i] > part[best]:
                best = i
        count[best] = count[best] + 1
        part[best] = -1.0
    for i in range(len(count)):
        if count[i] == 0:
            most = 0
            for j in range(len(count)):
                if count[j] > count[most]:
                    most = j
            if count[most] > 1:
                count[most] = count[most] - 1
                count[i] = 1
    out: list[int] = []
    for i in range(len(count)):
        for j in range(count[i]):
            out.append(i)
    out.append(len(shares) - 1)
    return out


def dealt_layout(m: Mapping[str, Any], shares: list[int], everywhere: int) -> dict[str, Any]:
    """A pipeline dealt out by largest remainder; embedding and head on every device where asked."""
    return placed_layers(m, len(shares), deal_slots(shares, m["layers"]), 0, 0, everywhere)


def tensor_layout(m: Mapping[str, Any], tp: int, embedding: int) -> dict[str, Any]:
    """Every layer cut over all devices, which then hold the same; the embedding too where asked."""
    devices: list[dict[str, Any]] = []
    counts = kind_counts(m, 0, m["layers"])
    weights = rank_weights(m, counts, tp, 1, 0, embedding, 1)
    for i in range(tp):
        devices.append({"counts": counts, "weights": weights, "layers": m["layers"], "output": 1})
    host = {"counts": kind_counts(m, 0, 0), "weights": 0, "experts": 0, "largest": 0}
    return {"devices": devices, "host": host, "pipelined": 0, "tensor": tp, "cuts": []}


def common_multiple(one: int, other: int) -> int:
    """Least number that both divide."""
    a = one
    b = other
    while b > 0:
        rest = a % b
        a = b
        b = rest
    return one // a * other


def cut_parts(width: int, granule: int, ranks: int) -> list[int]:
    """Parts of a width cut over all ranks as evenly as multiples of ``granule`` allow.

    Source:
        llama.cpp ``src/llama-model.cpp``, ``llama_meta_device_get_split_state``.
    """
    parts: list[int] = []
    low = 0
    for j in range(ranks - 1):
        high = width * (j + 1) // ranks
        high = high - high % granule
        parts.append(high - low)
        low = high
    parts.append(width - low)
    return parts


def widest_part(width: int, granule: int, ranks: int) -> float:
    """Share of a width that the rank with the widest part has: the others wait for it."""
    if width == 0:
        return 1 / ranks
    most = 0
    for part in cut_parts(width, granule, ranks):
        most = max(most, part)
    return most / width


def turned_part(width: int, granule: int, ranks: int, layers: int) -> float:
    """Share of all layers that the fullest rank holds, where parts move on by a rank each layer."""
    if width == 0 or layers == 0:
        return 1 / ranks
    parts = cut_parts(width, granule, ranks)
    whole = layers // ranks
    most = 0
    for j in range(ranks):
        held = whole * width
        for r in range(layers % ranks):
            held = held + parts[(j - r + ranks) % ranks]
        most = max(most, held)
    return most / (width * layers)


def head_granule(m: Mapping[str, Any], k: Mapping[str, Any], ranks: int) -> int:
    """KV heads that stay together so that neither their queries nor a block of weights is cut."""
    query = max(1, m["heads"] // max(1, k["kv_heads"])) * k["key_dim"]
    block = m["cut_block"]
    while block < 128 and block * ranks < query:
        block = block * 2
    return common_multiple(query, block) // query


def width_granule(m: Mapping[str, Any], width: int) -> int:
    """Multiple that a feed-forward width is cut at: a block, and no less than a kernel's tile."""
    if m["cut_block"] > 128 and width % m["cut_block"] == 0:
        return m["cut_block"]
    return 128


def mirrored_head(m: Mapping[str, Any]) -> int:
    """1 where every rank holds the whole head: it is the embedding, or DeepSeek V4's."""
    for k in m["kinds"]:
        if k["cache"] == "compressed":
            return 1
    return m["tied"]


def mirrored_shared(k: Mapping[str, Any]) -> int:
    """Bytes of shared experts that every rank holds whole; only DeepSeek V4's are cut."""
    if k["cache"] == "compressed":
        return 0
    return k["shared"]


def alike_layers(m: Mapping[str, Any], k: Mapping[str, Any], counts: list[int]) -> int:
    """Layers that cache as this kind does: parts move on from one of them to the next."""
    total = 0
    for i in range(len(counts)):
        if m["kinds"][i]["cache"] == k["cache"]:
            total = total + counts[i]
    return total


def attention_part(m: Mapping[str, Any], k: Mapping[str, Any], ranks: int) -> float:
    """Share of a layer's attention on the rank with the most KV heads."""
    if k["cache"] == "full" or k["cache"] == "sliding":
        return widest_part(k["kv_heads"], head_granule(m, k, ranks), ranks)
    return 1 / ranks


def dense_part(m: Mapping[str, Any], k: Mapping[str, Any], ranks: int) -> float:
    """Share of a layer's cut weights, experts apart, on its busiest rank."""
    attention = attention_part(m, k, ranks)
    if k["expert"] > 0:
        return attention
    heads = m["query_width"] + m["attention_width"]
    feed = 3 * m["dense_width"]
    wide = widest_part(m["dense_width"], width_granule(m, m["dense_width"]), ranks)
    return (heads * attention + feed * wide) / (heads + feed)


def expert_part(m: Mapping[str, Any], ranks: int) -> float:
    """Share of every expert on the rank with its widest part."""
    return widest_part(m["expert_size"], width_granule(m, m["expert_size"]), ranks)


def meta_layout(m: Mapping[str, Any], ranks: int) -> dict[str, Any]:
    """Every layer cut over all devices by llama.cpp's meta backend, which leaves more of it whole.

    Shared experts, a head that is the embedding, norms and routers are on each device. Parts need
    not be equal and move on by a device from layer to layer. ``cuts`` is the share of each kind's
    cache on the fullest device.
    """
    counts = kind_counts(m, 0, m["layers"])
    share = turned_part(m["expert_size"], width_granule(m, m["expert_size"]), ranks, m["layers"])
    cuts: list[float] = []
    total = 0.0
    for i in range(len(counts)):
        k = m["kinds"][i]
        whole = mirrored_shared(k)
        cut = 1.0
        if k["cache"] == "state":
            cut = 1 / ranks
        if k["cache"] == "full" or k["cache"] == "sliding":
            alike = alike_layers(m, k, counts)
            cut = turned_part(k["kv_heads"], head_granule(m, k, ranks), ranks, alike)
        cuts.append(cut)
        one = (k["split"] - whole) / ranks + k["kv"] * min(1.0, cut) + k["replicated"] + whole
        total = total + counts[i] * (one + k["expert"] * share)
    head = m["head"] / ranks
    if mirrored_head(m) == 1:
        head = m["head"]
    weights = int(total + head) + m["final"]
    devices: list[dict[str, Any]] = []
    for i in range(ranks):
        devices.append({"counts": counts, "weights": weights, "layers": m["layers"], "output": 1})
    host = {"counts": kind_counts(m, 0, 0), "weights": 0, "experts": 0, "largest": 0}
    return {"devices": devices, "host": host, "pipelined": 0, "tensor": ranks, "cuts": cuts}


def placed_layers(
    m: Mapping[str, Any],
    count: int,
    slots: list[int],
    cpu_layers: int,
    cpu_experts: int,
    everywhere: int,
) -> dict[str, Any]:
    gpu_layers = m["layers"] - cpu_layers
    dense: list[int] = []
    expert: list[int] = []
    for k in m["kinds"]:
        dense.append(k["split"] + k["kv"] + k["replicated"])
        expert.append(k["expert"])
    sequence = m["sequence"]
    counts: list[list[int]] = []
    weights: list[int] = []
    for i in range(count):
        counts.append(kind_counts(m, 0, 0))
        weights.append(0)
    host = {"counts": kind_counts(m, 0, cpu_layers), "weights": 0, "experts": 0, "largest": 0}
    for i in range(m["layers"]):
        at = sequence[i]
        if i < cpu_layers:
            whole = dense[at] + expert[at]
            host["weights"] = host["weights"] + whole
            host["largest"] = max(host["largest"], whole - min(dense[at], expert[at]))
        else:
            d = slots[i - cpu_layers]
            counts[d][at] = counts[d][at] + 1
            weights[d] = weights[d] + dense[at]
            if i < cpu_experts:
                host["experts"] = host["experts"] + expert[at]
                host["largest"] = max(host["largest"], expert[at])
            else:
                weights[d] = weights[d] + expert[at]
    devices: list[dict[str, Any]] = []
    for i in range(count):
        layers = 0
        for n in counts[i]:
            layers = layers + n
        devices.append({"counts": counts[i], "weights": weights[i], "layers": layers, "output": 0})
    last = devices[slots[gpu_layers]]
    last["output"] = 1
    last["weights"] = last["weights"] + m["head"] + m["final"]
    if everywhere == 1:
        both = m["head"] + m["final"]
        if m["tied"] == 0:
            both = both + m["embedding"]
        last["weights"] = last["weights"] - m["head"] - m["final"]
        for one in devices:
            one["weights"] = one["weights"] + both
    pipelined = 0
    if count > 1 and cpu_layers == 0 and cpu_experts == 0:
        pipelined = 1
    return {"devices": devices, "host": host, "pipelined": pipelined, "tensor": 1, "cuts": []}


def split_parts(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    layout: Mapping[str, Any],
    index: int,
    n_ctx: int,
    seqs: int,
    ubatch: int,
    key_bits: int,
    value_bits: int,
    flash: int,
) -> dict[str, Any]:
    """The exact parts of one device of a layout: cache, state, compute buffer and the host's largest part, of which the first device takes a copy.

    A micro-batch is no longer than the context (llama.cpp, ``llama_context``: ``n_batch`` is the
    context at most, ``n_ubatch`` is ``n_batch`` at most).
    """
    d = layout["devices"][index]
    cuts = layout["cuts"]
    # The meta backend cuts caches, and reserves the graph as if nothing was cut.
    tp = layout["tensor"]
    if len(cuts) > 0:
        tp = 1
    kv = 0
    state = 0
    for i in range(len(d["counts"])):
        if d["counts"][i] > 0:
            k = m["kinds"][i]
            one = d["counts"][i] * split_layer_kv(
                k, c, n_ctx, seqs, ubatch, tp, key_bits, value_bits
            )
            held = d["counts"][i] * split_layer_state(k, seqs)
            if len(cuts) > 0:
                one = int(one * cuts[i])
                held = int(held * cuts[i])
            kv = kv + one
            state = state + held
    scratch = 0
    if key_bits != 32 or value_bits != 32:
        if flash == 1 and c["widened_cache"] == 1:
            scratch = widened_cache(m, c, d["counts"], n_ctx, seqs, ubatch, tp)
    borrowed = 0
    if index == 0:
        borrowed = layout["host"]["largest"]
    if c["eager"] == 1:
        tokens = min(ubatch, n_ctx)
        compute = eager_compute(m, c, tokens, seqs, tp, d["output"], scratch)
        beside = compute
    else:
        ubatch = min(ubatch, pad(n_ctx, c["cell_multiple"]))
        rows = ubatch
        if c["outputs_per_sequence"] == 1:
            rows = min(seqs, ubatch)
        cells = mask_cells(m, c, d["counts"], n_ctx, seqs, ubatch)
        compute = split_compute(
            m, c, cells, ubatch, layout["pipelined"], index, d["output"], flash, scratch, rows
        )
        # A copy of what is in system RAM stands beside a layer, not beside the logits.
        beside = compute
        if borrowed > 0:
            beside = split_compute(m, c, cells, ubatch, 0, index, 0, flash, scratch, rows)
    return {
        "weights": d["weights"],
        "kv": kv,
        "state": state,
        "compute": compute,
        "beside": beside,
        "borrowed": borrowed,
    }


def touched_experts(experts: int, chosen: int, batch: int) -> float:
    """Decode: bytes read for one token or a batch, then seconds."""
    if experts == 0:
        return 1.0
    p = 1.0
    square = 1 - chosen / experts
    left = batch
    while left > 0:
        if left % 2 == 1:
            p = p * square
        square = square * square
        left = left // 2
    return 1 - p


def dense_read_bytes(m: Mapping[str, Any], counts: list[int], tp: int, with_head: int) -> float:
    """Bytes of weights that every token reads on one rank, routed experts left out."""
    share = tp
    if m["kv_heads"] > 0:
        share = min(tp, m["kv_heads"])
    total = 0.0
    for i in range(len(counts)):
        k = m["kinds"][i]
        total = total + counts[i] * (k["split"] / tp + k["kv"] / share + k["replicated"])
    if with_head == 1:
        total = total + m["head"] / tp
    return total


def busiest_share(experts: int, ranks: int, touched: float) -> float:
    """Share of all experts, each of them whole on one rank, that the busiest rank reads in a step.

    ``touched`` is the share of the experts that the step's tokens choose. The number of them that
    lie on a rank scatters about its mean, and the greatest of ``ranks`` normal numbers lies 0.56
    deviations above it for two and some 0.4 more for each doubling.
    """
    held = cdiv(experts, ranks)
    above = 0.56
    left = ranks
    while left > 2:
        above = above + 0.4
        left = left // 2
    mean = held * touched
    scatter = mean * (1 - touched)
    if scatter <= 0:
        return mean / experts
    return min(held, mean + above * power(scatter, 0.5)) / experts


def expert_read_bytes(
    m: Mapping[str, Any], counts: list[int], tp: int, ep: int, batch: int
) -> float:
    """Bytes of routed experts that a step of ``batch`` tokens reads on the busiest rank.

    With ``ep`` 1 experts are dealt out whole over the ranks of a tensor parallel group.
    """
    touched = touched_experts(m["experts"], m["experts_per_token"], batch)
    part = touched * expert_padding(m, tp) / tp
    if ep == 1 and tp > 1 and m["experts"] > 0:
        part = busiest_share(m["experts"], tp, touched) * expert_padding(m, 1)
    total = 0.0
    for i in range(len(counts)):
        total = total + counts[i] * m["kinds"][i]["expert"] * part
    return total


def meta_dense_bytes(m: Mapping[str, Any], counts: list[int], ranks: int, with_head: int) -> float:
    """Bytes of weights that every token reads on the busiest rank of llama.cpp's meta backend."""
    total = 0.0
    for i in range(len(counts)):
        k = m["kinds"][i]
        whole = mirrored_shared(k)
        one = (k["split"] - whole) * dense_part(m, k, ranks) + k["replicated"] + whole
        total = total + counts[i] * (one + k["kv"] * attention_part(m, k, ranks))
    if with_head == 1:
        if mirrored_head(m) == 1:
            return total + m["head"]
        return total + m["head"] / ranks
    return total


def meta_cache_bytes(
    m: Mapping[str, Any], counts: list[int], ranks: int, ctx: int, kv_bits: int
) -> float:
    """Bytes of cache and state that a sequence reads on the busiest rank of the meta backend."""
    total = 0.0
    for i in range(len(counts)):
        if counts[i] > 0:
            k = m["kinds"][i]
            alone: list[int] = []
            for j in range(len(counts)):
                alone.append(0)
            alone[i] = counts[i]
            share = 1.0
            if k["cache"] == "full" or k["cache"] == "sliding" or k["cache"] == "state":
                share = attention_part(m, k, ranks)
            total = total + share * cache_read_bytes(m, alone, 1, ctx, kv_bits)
    return total


def read_bytes(m: Mapping[str, Any], counts: list[int], batch: int, with_head: int) -> float:
    """Bytes of weights that a step of ``batch`` tokens reads, all ranks together."""
    dense = dense_read_bytes(m, counts, 1, with_head)
    return dense + expert_read_bytes(m, counts, 1, 0, batch)


def cache_read_bytes(
    m: Mapping[str, Any], counts: list[int], tp: int, ctx: int, kv_bits: int
) -> float:
    """Bytes of cache and state that one sequence reads, and of state that it writes, on one rank."""
    total = 0.0
    for i in range(len(counts)):
        k = m["kinds"][i]
        tokens = ctx
        if k["cache"] == "sliding":
            tokens = min(ctx, k["window"])
        total = total + counts[i] * tokens * token_bytes(k, tp, kv_bits)
        total = total + counts[i] * 2 * state_bytes(k, tp, 32)
    return total


def least_cache_share(m: Mapping[str, Any]) -> float:
    """1 where a step must read the whole cache, 0 where it chooses what it reads of it."""
    for k in m["kinds"]:
        if k["sparse"] == 1 or k["cache"] == "compressed":
            return 0.0
    return 1.0


def attention_flops(m: Mapping[str, Any], counts: list[int], tokens: int, depth: int) -> float:
    """Operations of causal attention for a prompt of ``tokens`` behind ``depth`` cached ones."""
    total = 0.0
    for i in range(len(counts)):
        k = m["kinds"][i]
        width = 0
        seen = depth + tokens / 2
        if k["cache"] == "latent":
            width = m["low_rank"][0] + m["low_rank"][1] + m["low_rank"][2]
        if k["cache"] == "full" or k["cache"] == "sliding":
            width = k["key_dim"] + k["value_dim"]
        if k["cache"] == "sliding":
            seen = min(seen, k["window"])
        total = total + counts[i] * 2 * m["heads"] * width * tokens * seen
    return total


def score_count(
    m: Mapping[str, Any], counts: list[int], tokens: int, depth: int, chunk: int
) -> float:
    """Scores of attention that is not fused: each chunk against all that is cached when it ends."""
    layers = 0
    for i in range(len(counts)):
        if m["kinds"][i]["cache"] != "state":
            layers = layers + counts[i]
    return layers * m["heads"] * tokens * (depth + (tokens + min(tokens, chunk)) / 2)


def all_reduce_s(
    ranks: int, payload: float, latency: float, growth: float, bandwidth: float
) -> float:
    if ranks < 2:
        return 0.0
    alpha = latency * (1 + growth * (ranks / 2 - 1))
    return alpha + 2 * (ranks - 1) / ranks * payload / bandwidth


def stage_terms(w: Mapping[str, Any], c: Mapping[str, Any]) -> list[list[float]]:
    """Seconds that a stage moves bytes, computes, and spends on everything else, at each bound.

    ``w`` is the work: ``dense``, ``expert``, ``cache`` and the ``scores`` of attention that is not
    fused in seconds at peak bandwidth, ``flops`` and those of ``attention`` in seconds at the peak rate, ``layers``, ``mixture`` and ``recurrent`` layers, ``steps`` through
    them, ``streams``. ``c`` holds the constants: shares of the peaks, seconds per layer and stream.
    """
    layers = w["layers"] + w["mixture"] * c["mixture"][1] + w["recurrent"] * c["recurrent"][1]
    steps = w["steps"] * layers
    dense = c["dense"]
    experts = c["expert"]
    caches = c["cache"]
    compute = c["compute"]
    attention = c["attention"]
    overhead = c["overhead"]
    stream = c["stream"]
    w_dense = w["dense"]
    w_expert = w["expert"]
    w_cache = w["cache"]
    flops = w["flops"]
    looked = w["attention"]
    streams = w["streams"]
    scores = w["scores"]
    out: list[list[float]] = []
    for b in range(3):
        e = 2 - b
        moving = w_dense / dense[e] + w_expert / experts[e] + w_cache / caches[e]
        counting = flops / compute[e] + looked / attention[e]
        other = steps * overhead[b] + streams * stream[b]
        out.append([moving, counting, other + scores / dense[e]])
    return out


def stage_seconds(w: Mapping[str, Any], c: Mapping[str, Any]) -> list[float]:
    """Seconds of a stage at each bound: of moving and computing the longer counts.

    None is shorter than ``least``, the seconds that the bytes and operations take at the peaks:
    the width of a constant's interval says how far estimates were off, not that hardware is faster.
    """
    least = w["least"]
    out: list[float] = []
    for terms in stage_terms(w, c):
        longer = terms[0]
        if terms[1] > longer:
            longer = terms[1]
        seconds = longer + terms[2]
        if seconds < least:
            seconds = least
        out.append(seconds)
    return out


def streamed_s(together: float, slowest: float, chunks: int) -> float:
    """Seconds of a prompt that stages read chunk by chunk, one behind the other."""
    if chunks < 2:
        return together
    return (together + (chunks - 1) * slowest) / chunks


def tensor_link_s(
    m: Mapping[str, Any], tp: int, batch: int, link: Mapping[str, Any], growth: list[float], b: int
) -> float:
    if tp < 2:
        return 0.0
    # b is the bound of the time: its latency is at b, its bandwidth at the other end.
    payload = batch * m["hidden"] * 2
    one = all_reduce_s(tp, payload, link["latency"][b], growth[b], link["bandwidth"][2 - b])
    return (2 * m["layers"] + 1) * one


def hop_link_s(
    m: Mapping[str, Any], hops: int, batch: int, link: Mapping[str, Any], tensors: int, b: int
) -> float:
    if hops < 1:
        return 0.0
    payload = tensors * batch * m["hidden"] * 2
    return hops * (link["latency"][b] + payload / link["bandwidth"][2 - b])


def fit_tier(
    low: float,
    high: float,
    reduced_low: float,
    warnings: int,
    speed_high: float,
    comfortable: float,
    floor: float,
    minimum: float,
) -> str:
    """The verdict of one fit, from the ledger's bounds and the speed's (design, decision 5)."""
    if low > 1.0:
        if reduced_low > 1.0:
            return "not-practical"
    if speed_high > 0:
        if speed_high < minimum:
            return "not-practical"
    if high > comfortable:
        return "borderline"
    if warnings > 0:
        return "borderline"
    if speed_high > 0:
        if speed_high < floor:
            return "borderline"
    return "comfortable"
