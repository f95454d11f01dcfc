"""One arithmetic in two places: Python and its translation agree exactly, not nearly."""

from __future__ import annotations

import inspect
import json
import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, get_args

import pytest

from sitegen.browser.engine_script import module_source
from sitegen.models import cache_kinds
from sitegen.models.cache_kinds import (
    CompressedAttention,
    FullAttention,
    LatentAttention,
    LayerCache,
    NoCache,
    RecurrentState,
    SlidingAttention,
)
from sitegen.models.image_tower import ImageTower
from sitegen.models.weights.checkpoint import LayerWeights
from sitegen.physics import meta_cut, model_shape, powers, tensor_cut, traffic
from sitegen.physics.memory import block_layout, layer_layout, layer_split_profile, paged_profile
from sitegen.physics.memory.profile_constants import paged_profile as paged_profile_of
from sitegen.physics.memory.profile_constants import split_profile as split_profile_of
from sitegen.physics.model_shape import (
    LatentWidths,
    LayerKind,
    ModelShape,
    PredictionLayers,
    TensorWidths,
)
from sitegen.physics.powers import power
from sitegen.physics.speed import roofline
from tests.fit.questions import catalog
from tests.physics import random_physics
from tests.translator.running import run_calls

Call = tuple[str, list[Any]]
LEAST_CALLS = 2_500
PHYSICS: tuple[ModuleType, ...] = (
    cache_kinds,
    model_shape,
    tensor_cut,
    meta_cut,
    traffic,
    block_layout,
    paged_profile,
    layer_layout,
    layer_split_profile,
    roofline,
    powers,
)
PAGED = ("vllm", "sglang", "tensorrt-llm")
SPLIT = ("llama-cpp", "ollama", "exllamav2", "exllamav3", "mlx-lm", "exo")


def a_cache(dice: random.Random) -> LayerCache:
    """What a layer remembers, of any kind."""
    kv_heads, key, value = dice.choice([1, 2, 4, 8, 16]), dice.choice([64, 128, 256]), 128
    window, indexer = dice.choice([128, 1_024, 4_096]), dice.choice([0, 128])
    kinds: tuple[LayerCache, ...] = (
        FullAttention(kv_heads, key, value, indexer),
        SlidingAttention(kv_heads, key, value, window),
        LatentAttention(512, 64, indexer, sparse=dice.random() < 0.5),
        CompressedAttention(key, 64, dice.choice([0, window]), dice.choice([0, 4, 128]), indexer),
        RecurrentState(
            dice.randint(0, 40_000), dice.randint(1, 600_000), 32, 8, dice.choice([0, 16, 32])
        ),
        NoCache(),
    )  # fmt: skip
    return dice.choice(kinds)


def a_kind(dice: random.Random) -> LayerKind:
    weights = LayerWeights(
        dice.randint(10**6, 10**9), dice.randint(0, 10**8), dice.randint(0, 10**7),
        dice.choice([0, 10**10]), dice.choice([0, 10**6]),
    )  # fmt: skip
    return LayerKind(a_cache(dice), weights)


def a_shape(dice: random.Random) -> ModelShape:
    """A model that nobody built, with every kind of layer."""
    heads, layers = dice.choice([8, 16, 28, 32, 64, 128]), dice.randint(1, 96)
    kinds = tuple(a_kind(dice) for _ in range(dice.randint(1, 5)))
    if dice.random() < 0.2:  # whole models of compressed attention pack their blocks
        windows = dice.choice([0, 128])
        kinds = tuple(
            LayerKind(CompressedAttention(512, 64, windows, ratio, indexer), a_kind(dice).weights)
            for ratio, indexer in ((0, 0), (4, 128), (128, 0))
        )
    sized = [dice.choice([2_880, 14_336, 28_672, 29_568, 768]) for _ in range(2)]
    widths = TensorWidths(
        tuple(sized), (), tuple(sized), tuple(sized[:1]), tuple(sized[:1]), (),
        dice.choice([0, 32, 128]), dice.choice([0, 128]),
    )  # fmt: skip
    experts = dice.choice([0, 8, 64, 256])
    hidden = dice.choice([2_048, 4_096, 7_168, 8_192])
    same = dice.random() < 0.3  # queries as wide as the hidden size leave holes of their own
    return ModelShape(
        element_bits=dice.choice([16, 32]), layers=layers, hidden=hidden,
        vocabulary=dice.randint(32_000, 262_208), heads=heads,
        kv_heads=dice.choice([0, 1, 2, 4, 8, 16]), experts=experts,
        experts_per_token=min(experts, dice.choice([2, 4, 8])),
        expert_size=dice.choice([0, 768, 2_880]), expert_hidden=dice.choice([2_880, 3_584]),
        expert_tiles=dice.choice([(), (128, 256, 128, 256), (64, 256, 256, 1)]),
        active_width=dice.randint(1_000, 60_000), dense_width=dice.choice([0, 8_192, 14_336]),
        expert_width=dice.choice([0, 6_144, 16_384]), narrow_width=dice.choice([768, 28_672]),
        gated=dice.random() < 0.7, capped_logits=dice.random() < 0.3,
        score_heads=heads % 3,
        attention_width=hidden if same else heads * 128,
        attention_outputs=dice.choice([2_048, 16_384]),
        query_width=hidden if same else heads * dice.choice([128, 256]),
        key_width=dice.choice([512, 1_024]),
        latent=dice.choice([LatentWidths(0, 0, 0, 0), LatentWidths(128, 64, 128, 512)]),
        recurrent_heads=dice.choice([(), (32,), (48, 64)]),
        recurrent_groups=dice.choice([(), (1,), (8,)]), widths=widths,
        cut_block=dice.choice([1, 32, 256]), kinds=kinds,
        sequence=tuple(dice.randrange(len(kinds)) for _ in range(layers)),
        embedding_bytes=dice.randint(10**8, 4 * 10**9), head_bytes=dice.randint(10**8, 4 * 10**9),
        tied=dice.random() < 0.5, final_bytes=dice.randint(0, 10**5),
        vision_bytes=dice.choice([0, 10**9]), projector_bytes=0,
        tower=ImageTower(dice.choice([0, 260]), dice.choice([0, 65_536]), 7_680, 18_432),
        rotary_bytes=dice.randint(0, 10**8),
        prediction=PredictionLayers((10**8, 2 * 10**8, 3 * 10**8), 1, 0),
    )  # fmt: skip


def taken_apart(of: ModelShape) -> dict[str, Any]:
    """A shape as JSON."""
    kinds = [
        (type(kind.cache).__name__, astuple(kind.cache), astuple(kind.weights)) for kind in of.kinds
    ]
    return {
        "values": astuple(of), "kinds": kinds, "latent": astuple(of.latent),
        "widths": astuple(of.widths), "prediction": astuple(of.prediction),
        "tower": astuple(of.tower),
    }  # fmt: skip


def a_paged_profile(dice: random.Random) -> dict[str, Any]:
    """The constants of a runtime that has a pool, of any version, as JSON."""
    runtime = catalog().runtimes[dice.choice(PAGED)]
    found = paged_profile_of(dice.choice(runtime.profiles))
    graphs = getattr(found.share, "graphs", None)
    return {
        "values": astuple(found), "blocks": astuple(found.blocks),
        "activation": (type(found.activation).__name__, astuple(found.activation)),
        "share": (type(found.share).__name__, astuple(found.share), graphs and astuple(graphs)),
        "workspace": astuple(found.workspace),
    }  # fmt: skip


def a_split_profile(dice: random.Random) -> dict[str, Any]:
    """The constants of a runtime that places layers, of any version, as JSON."""
    runtime = catalog().runtimes[dice.choice(SPLIT)]
    found = split_profile_of(dice.choice(runtime.profiles))
    graph = (type(found.graph).__name__, astuple(found.graph))
    return {"values": astuple(found), "graph": graph}


def a_step(dice: random.Random) -> tuple[Any, ...]:
    step = paged_profile.SchedulerStep(
        max_num_batched_tokens=dice.choice([2_048, 8_192, 16_384]),
        max_num_seqs=dice.choice([256, 1_024]), graph_batch=dice.choice([8, 160, 512]),
        fabric=dice.choice([0.0, 0.125, 1.0]), large=dice.random() < 0.5,
        eager=dice.random() < 0.3, shared=dice.random() < 0.5, images=dice.random() < 0.5,
        data_parallel_size=dice.choice([1, 1, 2, 8]), expert_parallel=dice.random() < 0.5,
        context_parallel_size=1, prediction_layers=dice.random() < 0.5,
        draft_bytes=dice.choice([0, 10**9]),
    )  # fmt: skip
    return astuple(step)


def asked(of: ModelShape, dice: random.Random) -> dict[str, Any]:
    """What is asked of a model: sizes, lengths and flags of every formula."""
    start, stop = sorted((dice.randint(0, of.layers), dice.randint(0, of.layers)))
    pp = dice.choice([1, 2, 4])
    flags = (
        "expert_parallel", "first", "last", "with_head", "everywhere", "pipelined", "has_output",
        "latent", "sees",
    )  # fmt: skip
    return {
        **{name: dice.random() < 0.5 for name in flags},
        "tp": dice.choice([1, 2, 4, 8]), "dp": dice.choice([1, 2]), "pp": pp,
        "ranks": dice.randint(1, 8), "context_ranks": dice.choice([1, 2]),
        "stage": dice.randrange(pp), "start": start, "stop": stop,
        "bits": dice.choice([8, 16, 32]), "scale_bytes": dice.choice([0, 0, 4]),
        "state_bits": dice.choice([16, 32]), "half_bits": dice.choice([(32, 32), (17, 9)]),
        "window": dice.choice([128, 4_096]), "context": dice.randint(1, 300_000),
        "sequences": dice.randint(1, 8), "latent_width": 320, "reach": dice.uniform(0, 10_000),
        "whole": dice.randint(1, 10**10), "width": dice.choice([0, 768, 14_336, 29_568]),
        "granule": dice.choice([1, 128, 256]), "kv_heads": dice.choice([1, 4, 8]),
        "batch": dice.randint(1, 64), "tokens": dice.randint(1, 20_000),
        "depth": dice.randint(0, 100_000), "chunk": 512, "in_flight": dice.choice([1, 16_384]),
        "pool": dice.randint(-(10**9), 10**11), "least": dice.randint(1, 8),
        "fraction": dice.choice([0, 0.5, 0.92]), "seen": dice.randint(8 * 10**9, 2 * 10**11),
        "room": dice.randint(0, 10**10), "moved": dice.randint(0, of.layers),
        "inputs": dice.randint(0, 40_000),
    }  # fmt: skip


def memory_calls(of: ModelShape, dice: random.Random) -> Iterator[Call]:
    """Questions about what a model takes, in runtimes of either kind."""
    m, q = taken_apart(of), asked(of, dice)
    shares = [dice.randint(10**9, 10**11) for _ in range(dice.randint(1, 8))]
    q["index"] = dice.randrange(len(shares))
    allocation = (
        q["context"], q["sequences"], dice.choice([512, 2_048]), q["half_bits"],
        dice.random() < 0.5,
    )  # fmt: skip
    grid = (
        q["context"], q["sequences"], 512, dice.choice([1, 32, 256]), dice.random() < 0.5,
        dice.random() < 0.5, dice.choice([0, 8_192]), dice.random() < 0.5,
    )  # fmt: skip
    paged = a_paged_profile(dice)
    yield "cache_answers", [m, grid, q]
    yield "cut_answers", [m, q]
    yield "meta_answers", [m, q]
    yield "traffic_answers", [m, q]
    yield "block_answers", [m, paged["blocks"], q]
    yield "paged_answers", [m, paged, a_step(dice), q]
    yield "layout_answers", [m, shares, q]
    yield "split_answers", [m, a_split_profile(dice), shares, allocation, q]


def speed_calls(dice: random.Random) -> Iterator[Call]:
    """Questions about seconds, tiers and powers."""

    def width() -> list[float]:
        return sorted(dice.uniform(0.01, 1) for _ in range(3))

    work = roofline.Work(
        dense=dice.random(), expert=dice.random(), cache=dice.random(), scores=dice.random(),
        flops=dice.random(), attention=dice.random(), unpack=dice.choice([0.0, dice.random()]),
        least=3 * dice.random(), layers=40, mixture=dice.randint(0, 40), recurrent=10,
        rows=64.0, steps=3, streams=dice.randint(1, 64),
    )  # fmt: skip
    constants = [width() for _ in range(10)] + [dice.random() for _ in range(6)]
    slowest = dice.random()
    yield "speed_answers", [astuple(work), constants, {
        "link": [[1e-6, 5e-6, 2e-5], [1e9, dice.uniform(1e9, 1e11), 1e12]],
        "growth": [1.1, 1.4, 1.9], "hidden": 8_192, "layers": 80, "tensors": 2,
        "tp": dice.choice([1, 2, 4, 8]), "tokens": dice.randint(1, 64),
        "hops": dice.randint(0, 8), "slowest": slowest, "chunks": dice.randint(1, 16),
        "together": slowest * dice.uniform(1, 8),
    }]  # fmt: skip
    low = dice.uniform(0, 1.5)
    yield "tier_answer", [[0.9, 10.0, 1.0, 8_192], [
        low, low + dice.random() / 2, low * dice.random(), dice.randint(0, 2),
        dice.choice([0.0, dice.uniform(0, 50)]),
    ]]  # fmt: skip
    yield "power_answer", [dice.uniform(1e-6, 1), dice.uniform(-2, 2)]


def random_calls() -> list[Call]:
    """Questions as JSON gives them back."""
    dice = random.Random(20_261_120)  # noqa: S311 - reproducible inputs, no secret
    calls: list[Call] = []
    while len(calls) < LEAST_CALLS:
        calls += memory_calls(a_shape(dice), dice)
        calls += speed_calls(dice)
    return [(name, given) for name, given in json.loads(json.dumps(calls))]


def answered(calls: list[Call]) -> list[Any]:
    """What Python answers, as JSON gives it back."""
    found = [getattr(random_physics, name)(*given) for name, given in calls]
    back: list[Any] = json.loads(json.dumps(found, allow_nan=False))
    return back


def read(module: str) -> str | None:
    """Source of the engine's modules, and of the one that asks."""
    if module == random_physics.__name__:
        return inspect.getsource(random_physics)
    return module_source(module)


def run(calls: list[Call], folder: Path) -> list[Any]:
    """What the translation answers."""
    return run_calls(read, random_physics.__name__, calls, folder)


def test_the_translation_gives_the_same_numbers_to_the_last_bit(tmp_path: Path) -> None:
    calls = random_calls()
    here, there = answered(calls), run(calls, tmp_path)
    assert len(there) >= 2_000
    differing = [
        (name, mine, theirs)
        for (name, _), mine, theirs in zip(calls, here, there, strict=True)
        if mine != theirs
    ]
    assert differing == []


def test_random_calls_have_every_kind_of_cache() -> None:
    asked_of = [given[0]["kinds"] for name, given in random_calls() if name == "cache_answers"]
    words = {word for kinds in asked_of for word, _, _ in kinds}
    assert words == {kind.__name__ for kind in get_args(LayerCache)}


def formulas(module: ModuleType) -> Mapping[str, CodeType]:
    """Every function of a module, and every method and property of its classes."""
    found: dict[str, CodeType] = {}

    def add(name: str, member: object) -> None:
        function = member.fget if isinstance(member, property) else member
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            found[f"{module.__name__}.{name}"] = function.__code__

    for name, member in vars(module).items():
        add(name, member)
        if isinstance(member, type) and member.__module__ == module.__name__:
            for inner, method in vars(member).items():
                if not inner.startswith("__"):
                    add(f"{name}.{inner}", method)
    return found


def run_code(ask: Callable[[], object]) -> set[CodeType]:
    """The functions that run while something is asked."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(before)
    return seen


def test_random_calls_reach_every_formula() -> None:
    calls = random_calls()[:600]
    seen = run_code(lambda: answered(calls))
    every = {name: code for module in PHYSICS for name, code in formulas(module).items()}
    assert len(every) > 150
    assert [name for name, code in every.items() if code not in seen] == []


@pytest.mark.parametrize(
    ("base", "exponent"),
    [(0.0, 0.5), (-1.0, 0.5), (-math.inf, 0.5), (math.inf, 0.5), (math.nan, 0.5), (2.0, math.nan),
     (2.0, math.inf), (2.0, 1e300), (2.0, -1e300), (1e-300, 3.0)],
)  # fmt: skip
def test_a_power_that_no_float_holds_is_refused_and_does_not_run_for_ever(
    base: float, exponent: float
) -> None:
    with pytest.raises(ValueError, match="power"):
        power(base, exponent)


def test_the_translated_power_refuses_too(tmp_path: Path) -> None:
    for base, exponent in ((0, 0.5), (-1, 0.5), (2, 1e300)):
        with pytest.raises(AssertionError, match="ValueError: a power"):
            run([("power_answer", [base, exponent])], tmp_path)


@pytest.mark.parametrize("base", [1e-100, 1e-9, 0.3, 1.0, 7.5, 1e100])
@pytest.mark.parametrize("exponent", [-1.0, -0.2, 0.0, 0.5, 1.0])
def test_a_power_is_the_one_that_mathematics_knows(base: float, exponent: float) -> None:
    assert power(base, exponent) == pytest.approx(base**exponent, rel=1e-11)
