"""The arithmetic of a fit: ledgers, limits, validity, tiers and decode speed.

Written once, in the subset of Python that pscript translates, so that a page in the browser runs
the very same lines: module-level functions, no imports but
for types, no comprehensions, no keyword arguments,
no `**`, `round` or `sum`; integers below 2**52 under `//`; tests are comparisons. All memory is in
integer bytes, all time in seconds. Bounds are lists ``[low, mid, high]``.

The dictionaries are built by ``coefficients`` (``m``: a model's checkpoint), ``profiles`` (``c``:
a runtime's constants) and ``devices`` (``g``: a GPU as this runtime sees it); each names its keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


def pad(a: int, b: int) -> int:
    return cdiv(a, b) * b


def tensor_refusal(m: Mapping[str, Any], tp: int) -> list[Any]:
    """Validity of a split: a list, empty when valid, else [code, size, divisor, group]."""
    if tp == 1:
        return []
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
    for size in m["widths"]:
        if size % tp != 0:
            return ["TP_FFN", size, tp, 0]
    for size in m["grouped_widths"]:
        if m["group"] > 0:
            if (size // tp) % m["group"] != 0:
                return ["TP_GROUP", size, tp, m["group"]]
    for size in m["blocked_widths"]:
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


def rank_weights(m: Mapping[str, Any], counts: list[int], tp: int, first: int, last: int) -> int:
    """Weights of one rank."""
    total = 0
    for i in range(len(counts)):
        k = m["kinds"][i]
        one = cdiv(k["split"] + k["expert"], tp) + k["replicated"]
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
        if k["indexer"] > 0:
            if kv_bits == 8:
                key = k["rank"] + k["rank"] // 128 * 4 + k["rope"] * 2
            else:
                key = (k["rank"] + k["rope"]) * 2
            return key + k["indexer"] + k["indexer"] // 128 * 4
        return (k["rank"] + k["rope"]) * kv_bits // 8
    if k["cache"] == "full" or k["cache"] == "sliding":
        heads = max(1, k["kv_heads"] // tp)
        return heads * (k["key_dim"] + k["value_dim"]) * kv_bits // 8
    return 0


def state_bytes(k: Mapping[str, Any], tp: int, bits: int) -> int:
    if k["cache"] == "state":
        of_state = cdiv(k["state"], tp) * max(bits, k["state_bits"])
        return (cdiv(k["convolution"], tp) * bits + of_state) // 8
    return 0


def paged_geometry(
    m: Mapping[str, Any], c: Mapping[str, Any], counts: list[int], tp: int, kv_bits: int
) -> dict[str, Any]:
    """How a paged runtime groups layers into blocks of one page size."""
    rows: list[dict[str, Any]] = []
    for i in range(len(counts)):
        k = m["kinds"][i]
        if counts[i] > 0 and k["cache"] != "none":
            per = token_bytes(k, tp, kv_bits)
            state = state_bytes(k, tp, c["state_bits"])
            found = -1
            for j in range(len(rows)):
                r = rows[j]
                if r["cache"] == k["cache"] and r["window"] == k["window"]:
                    if r["per"] == per and r["state"] == state:
                        found = j
            if found >= 0:
                rows[found]["n"] = rows[found]["n"] + counts[i]
            else:
                rows.append(
                    {
                        "cache": k["cache"],
                        "window": k["window"],
                        "per": per,
                        "state": state,
                        "n": counts[i],
                        "groups": 1,
                        "block": c["block"],
                    }
                )
    size = 0
    big = 0
    widest = 0
    attention = 0
    for r in rows:
        if size == 0 or r["n"] < size:
            size = r["n"]
        if r["n"] > big:
            big = r["n"]
        if r["state"] > widest:
            widest = r["state"]
        if r["per"] > attention:
            attention = r["per"]
    if big * 2 < size * 3:
        size = big
    block = c["block"]
    if widest > 0 and attention > 0:
        block = max(block, block * cdiv(widest, block * attention))
    page = block * attention
    if attention == 0:
        page = widest
    uniform = 0
    if len(rows) == 1 or c["hybrid_padding"] == 0:
        uniform = 1
    for r in rows:
        if uniform == 1:
            r["groups"] = 1
            r["block"] = block
        else:
            r["groups"] = cdiv(r["n"], size)
            r["block"] = block
            if r["per"] > 0:
                r["block"] = max(1, page // r["per"])
    return {"rows": rows, "size": size, "page": page, "uniform": uniform}


def row_tokens(r: Mapping[str, Any], ctx: int, in_flight: int) -> int:
    if r["cache"] == "sliding":
        return min(r["window"] - 1 + in_flight, ctx)
    return ctx


def request_bytes(geo: Mapping[str, Any], ctx: int, in_flight: int) -> int:
    """Bytes of one request's cache on one rank, block padding included."""
    total = 0
    for r in geo["rows"]:
        if r["cache"] == "state":
            if geo["uniform"] == 1:
                total = total + r["n"] * r["state"]
            else:
                total = total + r["groups"] * geo["size"] * geo["page"]
        else:
            blocks = cdiv(row_tokens(r, ctx, in_flight), r["block"])
            if geo["uniform"] == 1:
                total = total + r["n"] * blocks * r["block"] * r["per"]
            else:
                total = total + r["groups"] * geo["size"] * blocks * geo["page"]
    return total


def pool_tokens(geo: Mapping[str, Any], pool: int) -> int:
    """Tokens that a pool holds, as start-up logs count them: one slot in every layer group."""
    if pool <= 0 or len(geo["rows"]) == 0:
        return 0
    if geo["uniform"] == 1:
        per = 0
        block = 1
        for r in geo["rows"]:
            per = per + r["n"] * r["per"]
            block = r["block"]
        if per == 0:
            return 0
        return pool // (per * block) * block
    groups = 0
    block = 1
    for r in geo["rows"]:
        groups = groups + r["groups"]
        if r["cache"] != "state":
            block = r["block"]
    blocks = pool // (geo["page"] * geo["size"])
    return blocks // groups * block


def state_blocks(geo: Mapping[str, Any], pool: int) -> int:
    """Sequences whose recurrent state a pool can hold, a block each; -1 without such a state."""
    whole = 0
    for r in geo["rows"]:
        if r["cache"] == "state":
            if geo["uniform"] == 1:
                whole = whole + r["n"] * r["state"]
            else:
                whole = geo["size"] * geo["page"]
    if whole == 0:
        return -1
    return max(0, pool) // whole


def bytes_per_token(geo: Mapping[str, Any]) -> int:
    per = 0
    for r in geo["rows"]:
        if geo["uniform"] == 1:
            per = per + r["n"] * r["per"]
        else:
            per = per + r["groups"] * geo["size"] * r["per"]
    return per


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


def paged_activation(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    tp: int,
    tokens: int,
    seqs: int,
    first: int,
    last: int,
    b: int,
) -> int:
    """Peak of the profiling forward pass of a paged runtime, at bound b."""
    hidden = m["hidden"]
    layer = (
        2
        * tokens
        * (
            c["activation_ffn_factor"][b] * m["active_width"] / tp
            + c["activation_hidden_factor"][b] * hidden
        )
    )
    sampler = 0.0
    if last == 1:
        sampler = (
            c["sampler_bytes_per_logit"][b] * seqs * m["vocabulary"]
            + c["sampler_hidden_factor"][b] * tokens * hidden
        )
    peak = max(sampler, layer)
    if m["experts"] > 0:
        peak = peak * c["activation_experts_factor"][b]
    if first + last < 2:
        peak = peak + 4 * tokens * hidden
    return int(peak * c["activation_error"][b])


def paged_fixed(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    counts: list[int],
    tp: int,
    pp: int,
    first: int,
    last: int,
    tokens: int,
    seqs: int,
    link: str,
    large: int,
    eager: int,
) -> dict[str, Any]:
    """Everything but the KV cache on one rank of a paged runtime: a dict of [low, mid, high]."""
    weights = rank_weights(m, counts, tp, first, last)
    out: dict[str, list[int]] = {
        "weights": [],
        "context": [],
        "communication": [],
        "compute": [],
        "graphs": [],
    }
    for b in range(3):
        # Every rank holds sines and cosines of all positions; the constant covers usual lengths.
        out["weights"].append(int(weights + max(c["weights_extra_bytes"][b], m["rotary"])))
        single = c["non_torch_single_bytes"][b]
        total = single
        if tp > 1:
            if link == "nvlink":
                total = c["non_torch_nvlink_bytes"][b]
            else:
                total = c["non_torch_bus_bytes"][b]
        if pp > 1:
            if tp > 1:
                total = total + c["non_torch_pipeline_bytes"][b]
            else:
                total = c["non_torch_pipeline_bytes"][b]
        out["context"].append(int(min(single, total)))
        out["communication"].append(int(max(0, total - single)))
        out["compute"].append(paged_activation(m, c, tp, tokens, seqs, first, last, b))
        if eager == 1:
            out["graphs"].append(0)
        else:
            if large == 1:
                out["graphs"].append(int(c["graphs_large_bytes"][b]))
            else:
                out["graphs"].append(int(c["graphs_small_bytes"][b]))
    return out


def fixed_total(fixed: Mapping[str, Any], b: int, with_graphs: int) -> int:
    total = fixed["weights"][b] + fixed["context"][b]
    total = total + fixed["communication"][b] + fixed["compute"][b]
    if with_graphs == 1:
        total = total + fixed["graphs"][b]
    return total


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


def cache_cells(k: Mapping[str, Any], n_ctx: int, seqs: int, ubatch: int, multiple: int) -> int:
    full = pad(n_ctx, multiple)
    if k["cache"] == "sliding":
        return min(full, pad(min(full, k["window"] * seqs + ubatch), multiple))
    return full


def split_layer_kv(
    k: Mapping[str, Any],
    n_ctx: int,
    seqs: int,
    ubatch: int,
    multiple: int,
    key_bits: int,
    value_bits: int,
) -> int:
    if k["cache"] == "latent":
        return pad(n_ctx, multiple) * ((k["rank"] + k["rope"]) * key_bits) // 16
    if k["cache"] == "full" or k["cache"] == "sliding":
        cells = cache_cells(k, n_ctx, seqs, ubatch, multiple)
        width = k["key_dim"] * key_bits + k["value_dim"] * value_bits
        return cells * k["kv_heads"] * width // 16
    return 0


def widened_cache(
    m: Mapping[str, Any], counts: list[int], n_ctx: int, seqs: int, ubatch: int, multiple: int
) -> int:
    """Scratch of flash attention over a quantized cache: one layer's keys and values as 16 bits.

    Reserved for the whole context since llama.cpp pull request 23907, taken from a pool before.
    """
    most = 0
    for i in range(len(counts)):
        if counts[i] > 0:
            most = max(most, split_layer_kv(m["kinds"][i], n_ctx, seqs, ubatch, multiple, 32, 32))
    return most


def split_layer_state(k: Mapping[str, Any], seqs: int) -> int:
    if k["cache"] == "state":
        return 4 * seqs * (k["convolution"] + k["state"])
    return 0


def split_compute(
    m: Mapping[str, Any],
    c: Mapping[str, Any],
    n_ctx: int,
    ubatch: int,
    devices: int,
    index: int,
    has_output: int,
    flash: int,
    scratch: int,
    rows: int,
) -> int:
    # ``rows`` of logits are reserved. Floats of one token in the widest part of a layer, times four bytes and the micro-batch.
    hidden = m["hidden"]
    low = m["low_rank"]
    if low[3] > 0:
        wide = m["heads"] * (low[0] + low[1] + 2 * low[3] + low[1]) + 4 * hidden
    else:
        wide = 3 * hidden + 3 * m["active_width"]
    layer = 4 * ubatch * wide
    mask = 2 * pad(n_ctx, c["cell_multiple"]) * ubatch
    output = 4 * rows * (m["vocabulary"] + hidden)
    if flash == 0:
        layer = layer + 4 * pad(n_ctx, c["cell_multiple"]) * ubatch * m["heads"]
    if devices == 1:
        return max(layer + mask + scratch, output)
    body = layer + scratch
    if has_output == 1:
        body = max(body, output)
    copies = 16 * ubatch * hidden
    if index > 0:
        copies = copies + 16 * ubatch * hidden
    return body + c["graph_copies"] * mask + copies


def split_layout(
    m: Mapping[str, Any], shares: list[int], cpu_layers: int, cpu_experts: int
) -> dict[str, Any]:
    """Which layers sit where: the first ``cpu_layers`` stay in system RAM with their cache, and the routed experts of the first ``cpu_experts`` layers too; the rest is dealt out by share."""
    gpu_layers = m["layers"] - cpu_layers
    slots = assign_slots(shares, gpu_layers + 1)
    devices: list[dict[str, Any]] = []
    for i in range(len(shares)):
        devices.append({"counts": kind_counts(m, 0, 0), "weights": 0, "layers": 0, "output": 0})
    host = {"counts": kind_counts(m, 0, cpu_layers), "weights": 0, "experts": 0}
    for i in range(m["layers"]):
        at = m["sequence"][i]
        k = m["kinds"][at]
        dense = k["split"] + k["kv"] + k["replicated"]
        if i < cpu_layers:
            host["weights"] = host["weights"] + dense + k["expert"]
        else:
            d = devices[slots[i - cpu_layers]]
            d["layers"] = d["layers"] + 1
            d["counts"][at] = d["counts"][at] + 1
            d["weights"] = d["weights"] + dense
            if i < cpu_experts:
                host["experts"] = host["experts"] + k["expert"]
            else:
                d["weights"] = d["weights"] + k["expert"]
    last = devices[slots[gpu_layers]]
    last["output"] = 1
    last["weights"] = last["weights"] + m["head"] + m["final"]
    return {"devices": devices, "host": host}


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
    """The exact parts of one device of a layout: cache, state and compute buffer."""
    d = layout["devices"][index]
    kv = 0
    state = 0
    for i in range(len(d["counts"])):
        if d["counts"][i] > 0:
            k = m["kinds"][i]
            one = split_layer_kv(k, n_ctx, seqs, ubatch, c["cell_multiple"], key_bits, value_bits)
            kv = kv + d["counts"][i] * one
            state = state + d["counts"][i] * split_layer_state(k, seqs)
    devices = len(layout["devices"])
    scratch = 0
    if flash == 1:
        if key_bits != 32 or value_bits != 32:
            scratch = widened_cache(m, d["counts"], n_ctx, seqs, ubatch, c["cell_multiple"])
    rows = ubatch
    if c["outputs_per_sequence"] == 1:
        rows = min(seqs, ubatch)
    compute = split_compute(m, c, n_ctx, ubatch, devices, index, d["output"], flash, scratch, rows)
    return {"weights": d["weights"], "kv": kv, "state": state, "compute": compute}


def touched_experts(experts: int, chosen: int, batch: int) -> float:
    """Decode: bytes read for one token or a batch, then seconds."""
    if experts == 0:
        return 1.0
    p = 1.0
    for i in range(batch):
        p = p * (1 - chosen / experts)
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


def expert_read_bytes(m: Mapping[str, Any], counts: list[int], tp: int, batch: int) -> float:
    """Bytes of routed experts that a step of ``batch`` tokens reads on one rank."""
    part = touched_experts(m["experts"], m["experts_per_token"], batch)
    total = 0.0
    for i in range(len(counts)):
        total = total + counts[i] * m["kinds"][i]["expert"] * part / tp
    return total


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


def all_reduce_s(
    ranks: int, payload: float, latency: float, growth: float, bandwidth: float
) -> float:
    if ranks < 2:
        return 0.0
    alpha = latency * (1 + growth * (ranks / 2 - 1))
    return alpha + 2 * (ranks - 1) / ranks * payload / bandwidth


def stage_terms(w: Mapping[str, Any], c: Mapping[str, Any], b: int) -> list[float]:
    """Seconds that a stage moves bytes, computes, and spends on everything else, at bound b.

    ``w`` is the work: ``dense``, ``expert`` and ``cache`` in seconds at peak bandwidth, ``flops``
    and those of ``attention`` in seconds at the peak rate, ``layers``, ``mixture`` and ``recurrent`` layers, ``steps`` through
    them, ``streams``. ``c`` holds the constants: shares of the peaks, seconds per layer and stream.
    """
    e = 2 - b
    moving = w["dense"] / c["dense"][e] + w["expert"] / c["expert"][e] + w["cache"] / c["cache"][e]
    counting = w["flops"] / c["compute"][e] + w["attention"] / c["attention"][e]
    layers = w["layers"] + w["mixture"] * c["mixture"][1] + w["recurrent"] * c["recurrent"][1]
    other = w["steps"] * layers * c["overhead"][b] + w["streams"] * c["stream"][b]
    return [moving, counting, other]


def stage_seconds(w: Mapping[str, Any], c: Mapping[str, Any], b: int) -> float:
    terms = stage_terms(w, c, b)
    return max(terms[0], terms[1]) + terms[2]


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
