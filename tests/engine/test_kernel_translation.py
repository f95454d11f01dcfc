"""One arithmetic in two places: Python and its translation agree exactly, not nearly."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitegen.engine import kernel
from sitegen.engine.profiles import numbers
from tests.engine.questions import catalog
from tests.engine.translation import functions, run

RANDOM_FITS = 2_500


def a_model(dice: random.Random) -> dict[str, Any]:
    """A model that nobody built, with every kind of layer."""
    heads = dice.choice([8, 16, 28, 32, 64, 128])
    kinds = []
    for _ in range(dice.randint(1, 5)):
        cache = dice.choice(["full", "sliding", "latent", "compressed", "state", "none"])
        kinds.append({
            "cache": cache, "kv_heads": dice.choice([1, 2, 4, 8, 16]),
            "key_dim": dice.choice([64, 128, 256]), "value_dim": dice.choice([64, 128]),
            "window": dice.choice([128, 1_024, 4_096]) if cache in {"sliding", "compressed"} else 0,
            "rank": 512 if cache == "latent" else 0,
            "rope": 64 if cache in {"latent", "compressed"} else 0,
            "indexer": dice.choice([0, 128]) if cache in {"full", "latent", "compressed"} else 0,
            "ratio": dice.choice([0, 4, 128]) if cache == "compressed" else 0,
            "sparse": dice.randint(0, 1),
            "convolution": dice.randint(0, 40_000) if cache == "state" else 0,
            "state": dice.randint(1, 600_000) if cache == "state" else 0,
            "state_bits": dice.choice([0, 16, 32]) if cache == "state" else 0,
            "split": dice.randint(1, 10**9), "kv": dice.randint(0, 10**8),
            "replicated": dice.randint(0, 10**7), "expert": dice.choice([0, 10**10]),
            "shared": dice.choice([0, 10**6]),
        })  # fmt: skip
    layers = dice.randint(1, 96)
    experts = dice.choice([0, 8, 64, 256])
    widths = [dice.choice([2_880, 14_336, 28_672, 29_568, 768]) for _ in range(2)]
    return {
        "layers": layers, "hidden": dice.choice([2_048, 4_096, 7_168, 8_192]),
        "vocabulary": dice.randint(32_000, 262_208), "heads": heads,
        "kv_heads": dice.choice([0, 1, 2, 4, 8, 16]), "experts": experts,
        "experts_per_token": min(experts, dice.choice([2, 4, 8])),
        "active_width": dice.randint(1_000, 60_000), "dense_width": dice.choice([0, 14_336]),
        "expert_size": dice.choice([0, 768, 2_880]), "cut_block": dice.choice([1, 32, 256]),
        "expert_width": dice.choice([0, 6_144, 16_384]), "narrow_width": dice.choice([768, 28_672]),
        "attention_width": heads * 128, "query_width": heads * dice.choice([128, 256]),
        "key_width": dice.choice([512, 1_024]),
        "low_rank": dice.choice([[0, 0, 0, 0], [128, 64, 128, 512]]),
        "recurrent_heads": dice.choice([[], [32], [48, 64]]),
        "recurrent_groups": dice.choice([[], [1], [8]]), "widths": widths,
        "grouped_widths": widths, "blocked_widths": widths[:1],
        "group": dice.choice([0, 32, 128]), "block": dice.choice([0, 128]), "kinds": kinds,
        "sequence": [dice.randrange(len(kinds)) for _ in range(layers)],
        "embedding": dice.randint(10**8, 4 * 10**9), "head": dice.randint(10**8, 4 * 10**9),
        "tied": dice.randint(0, 1), "final": dice.randint(0, 10**5),
        "vision": dice.choice([0, 10**9]),
        "element_bits": dice.choice([16, 32]),
        "rotary": dice.randint(0, 10**8), "mtp": [10**8, 2 * 10**8, 3 * 10**8],
        "dense_widths": [], "dense_grouped_widths": widths[:1], "dense_blocked_widths": [],
        "attention_outputs": dice.choice([2_048, 16_384]),
        "expert_tiles": dice.choice([[], [128, 256, 128, 256], [64, 256, 256, 1]]),
        "expert_hidden": dice.choice([2_880, 3_584]),
    }  # fmt: skip


def constants(runtime: str, dice: random.Random) -> dict[str, Any]:
    return numbers(dice.choice(catalog().runtimes[runtime].profiles))


def a_step(dice: random.Random) -> dict[str, Any]:
    return {
        "tp": dice.choice([1, 2, 4, 8]), "pp": dice.choice([1, 2, 4]), "dp": dice.choice([1, 1, 2]),
        "ep": dice.randint(0, 1), "attention_dp": dice.choice([1, 8]), "first": dice.randint(0, 1),
        "last": dice.randint(0, 1), "tokens": dice.choice([2_048, 8_192, 16_384]),
        "seqs": dice.choice([256, 1_024]), "graph_batch": dice.choice([8, 160, 512]),
        "link": dice.choice(["nvlink", "bus", "none"]), "large": dice.randint(0, 1),
        "eager": dice.randint(0, 1), "shared": dice.randint(0, 1), "images": dice.randint(0, 1),
        "mtp": dice.randint(0, 1), "draft": dice.choice([0, 10**9]),
    }  # fmt: skip


def paged_calls(m: dict[str, Any], dice: random.Random) -> Iterator[tuple[str, list[Any]]]:
    c = constants(dice.choice(["vllm", "sglang", "tensorrt-llm"]), dice)
    step, seen = a_step(dice), dice.randint(8 * 10**9, 2 * 10**11)
    tp, tokens, context = step["tp"], step["tokens"], dice.randint(1, 300_000)
    counts = kernel.kind_counts(m, 0, m["layers"])
    bits, scales = dice.choice([8, 16, 32]), dice.choice([0, 0, 4])
    geometry = kernel.paged_geometry(m, c, counts, tp, dice.choice([1, 2]), bits, scales)
    fixed = kernel.paged_fixed(m, c, step, counts)
    share, b = dice.choice([0, 0.5, 0.92]), dice.randrange(3)
    pool = dice.randint(-(10**9), 10**11)
    yield "tensor_refusal", [m, tp, step["ep"]]
    yield "stage_layers", [m["layers"], step["pp"]]
    yield "power", [dice.uniform(1e-6, 1), dice.uniform(-2, 2)]
    yield "paged_geometry", [m, c, counts, tp, 1, bits, scales]
    yield "paged_fixed", [m, c, step, counts]
    yield "paged_budget", [m, c, step, fixed, share, seen, b]
    yield "start_excess", [m, c, step, fixed, dice.randint(0, 10**10), 4 * 10**8, b]
    yield "request_bytes", [geometry, context, tokens * 2]
    yield "pool_tokens", [geometry, pool]
    yield "bytes_per_token", [geometry]
    yield "token_pool", [geometry, pool]
    yield "state_blocks", [geometry, pool]
    yield "max_context", [geometry, pool, tokens * 2, 262_144, 16]
    yield "sequences_at", [geometry, pool, context, tokens, 256]


def split_calls(m: dict[str, Any], dice: random.Random) -> Iterator[tuple[str, list[Any]]]:
    shares = [dice.randint(10**9, 10**11) for _ in range(dice.randint(1, 8))]
    kept = dice.randint(0, m["layers"])
    layouts = [
        ("llama-cpp", kernel.split_layout(m, shares, 0, kept)),
        ("llama-cpp", kernel.split_layout(m, shares, kept // 2, 0)),
        ("exllamav2", kernel.tensor_layout(m, len(shares), 0)),
        ("exo", kernel.dealt_layout(m, shares, dice.randint(0, 1))),
        ("llama-cpp", kernel.meta_layout(m, len(shares))),
    ]
    yield "assign_slots", [shares, m["layers"] + 1]
    yield "deal_slots", [shares, m["layers"]]
    yield "split_layout", [m, shares, kept, 0]
    yield "dealt_layout", [m, shares, 1]
    yield "tensor_layout", [m, len(shares), 1]
    yield "meta_layout", [m, len(shares)]
    yield "cut_parts", [dice.randint(1, 30_000), dice.choice([1, 128, 256]), len(shares)]
    for runtime, layout in layouts:
        bits = dice.choice([32, 17, 9])
        yield "split_parts", [
            m, constants(runtime, dice), layout, dice.randrange(len(shares)),
            dice.randint(1, 200_000), dice.randint(1, 8), 512, bits, bits, dice.randint(0, 1),
        ]  # fmt: skip


def speed_calls(m: dict[str, Any], dice: random.Random) -> Iterator[tuple[str, list[Any]]]:
    counts = kernel.kind_counts(m, 0, m["layers"])
    link = {"latency": [1e-6, 5e-6, 2e-5], "bandwidth": [1e9, dice.uniform(1e9, 1e11), 1e12]}
    b, tp, batch = dice.randrange(3), dice.choice([1, 2, 4, 8]), dice.randint(1, 64)
    yield "read_bytes", [m, counts, batch, 1]
    yield "dense_read_bytes", [m, counts, tp, 1]
    yield "expert_read_bytes", [m, counts, tp, 0, batch]
    yield "expert_read_bytes", [m, counts, tp, 1, batch]
    yield "meta_dense_bytes", [m, counts, tp, dice.randint(0, 1)]
    yield "meta_cache_bytes", [m, counts, tp, dice.randint(1, 100_000), 16]
    yield "expert_part", [m, tp]
    yield "cache_read_bytes", [m, counts, tp, dice.randint(1, 100_000), 16]
    yield "least_cache_share", [m]
    yield "attention_flops", [m, counts, dice.randint(1, 8_192), dice.randint(0, 100_000)]
    yield "score_count", [m, counts, dice.randint(1, 8_192), dice.randint(0, 100_000), 512]
    timed = ("dense", "expert", "cache", "flops", "attention", "scores", "least")
    work: dict[str, float] = {name: dice.random() for name in timed}
    work |= {"layers": 40, "mixture": dice.randint(0, 40), "recurrent": 10, "steps": 3}
    names = (
        "dense", "expert", "cache", "compute", "attention", "overhead", "mixture", "recurrent",
        "stream",
    )  # fmt: skip
    shares = {name: sorted(dice.uniform(0.01, 1) for _ in range(3)) for name in names}
    yield "stage_seconds", [{**work, "streams": batch}, shares]
    slowest = dice.random()
    yield "streamed_s", [slowest * dice.uniform(1, 8), slowest, dice.randint(1, 16)]
    yield "tensor_link_s", [m, tp, batch, link, [1.1, 1.4, 1.9], b]
    yield "hop_link_s", [m, dice.randint(0, 8), batch, link, 2, b]
    low = dice.uniform(0, 1.5)
    yield "fit_tier", [
        low, low + dice.random() / 2, low * dice.random(), dice.randint(0, 2),
        dice.choice([0.0, dice.uniform(0, 50)]), 0.9, 10.0, 1.0,
    ]  # fmt: skip


def random_calls() -> list[tuple[str, list[Any]]]:
    dice = random.Random(20_261_120)  # noqa: S311 - reproducible inputs, no secret
    calls: list[tuple[str, list[Any]]] = []
    while len(calls) < RANDOM_FITS:
        m = a_model(dice)
        for source in (paged_calls, split_calls, speed_calls):
            calls += source(m, dice)
    return calls


def test_the_translation_gives_the_same_numbers_to_the_last_bit(tmp_path: Path) -> None:
    calls = random_calls()
    here = [
        json.loads(json.dumps(getattr(kernel, name)(*copy.deepcopy(args)))) for name, args in calls
    ]
    there = run(calls, tmp_path)
    assert len(there) >= 2_000
    differing = [
        (name, mine, theirs)
        for (name, _), mine, theirs in zip(calls, here, there, strict=True)
        if mine != theirs
    ]
    assert differing == []


@pytest.mark.parametrize(
    ("base", "exponent"),
    [(0.0, 0.5), (-1.0, 0.5), (-math.inf, 0.5), (math.inf, 0.5), (math.nan, 0.5), (2.0, math.nan),
     (2.0, math.inf), (2.0, 1e300), (2.0, -1e300), (1e-300, 3.0)],
)  # fmt: skip
def test_a_power_that_no_float_holds_is_refused_and_does_not_run_for_ever(
    base: float, exponent: float
) -> None:
    with pytest.raises(ValueError, match="power"):
        kernel.power(base, exponent)


def test_the_translated_power_refuses_too(tmp_path: Path) -> None:
    for base, exponent in ((0, 0.5), (-1, 0.5), (2, 1e300)):
        with pytest.raises(AssertionError, match="ValueError: a power"):
            run([("power", [base, exponent])], tmp_path)


@pytest.mark.parametrize("base", [1e-100, 1e-9, 0.3, 1.0, 7.5, 1e100])
@pytest.mark.parametrize("exponent", [-1.0, -0.2, 0.0, 0.5, 1.0])
def test_a_power_is_the_one_that_mathematics_knows(base: float, exponent: float) -> None:
    assert kernel.power(base, exponent) == pytest.approx(base**exponent, rel=1e-11)


def test_random_inputs_reach_every_function_of_the_kernel() -> None:
    called = {name for name, _ in random_calls()}
    tree = ast.parse(inspect.getsource(kernel))
    reached, waiting = set(called), list(called)
    bodies = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    while waiting:
        for node in ast.walk(bodies[waiting.pop()]):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found = node.func.id
                if found in bodies and found not in reached:
                    reached.add(found)
                    waiting.append(found)
    helpers = {"fixed_total"}  # sums that the others do not need
    assert set(functions()) - reached <= helpers
