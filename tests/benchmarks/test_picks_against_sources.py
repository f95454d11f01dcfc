"""How a pick is compared with a source, in small cases, and that the list of pairs is in order."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.picks_against_sources import (
    CAUSES,
    GOALS,
    PAIRS,
    Because,
    Comparison,
    Pair,
    Pick,
    allowed,
    bits_class,
    classes_of,
    combo_of,
    explained,
    pick_of,
    plan_word,
    read_pairs,
    rows,
    runtime_class,
    table,
)
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.fit.assessment import PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.inputs import read_project
from sitegen.physics.plan import ParallelPlan, PlanKind
from tests.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]
USES = ROOT / "benchmarks" / "picks" / "uses.yaml"
MOST_WORDS = 25
BITS = {
    "16-bit", "fp8", "int8", "mxfp4", "fp8-fp4-experts", "4-bit-gpu",
    "gguf-2", "gguf-3", "gguf-4", "gguf-5", "gguf-6", "gguf-8", "mlx-4", "mlx-6", "mlx-8",
}  # fmt: skip
PAIR = Pair(
    group="Mac", combo="a-mac", gpus="", link="", model="m", use="one user",
    bits=("mlx-4", "mlx-8"), runtimes=("mlx-lm",), plans=("tp1",), source="a guide", reserve=False,
)  # fmt: skip
PICK = Pick(bits="mlx-8", runtime="mlx-lm", plan="tp1", checkpoint="mlx-8bit")


@cache
def catalog() -> Catalog:
    return parse_catalog(read_project(ROOT).catalog)


@cache
def listed(path: Path) -> Any:
    return read_yaml(path.read_text(encoding="utf-8"))


def plan(
    tensor: int,
    stages: int,
    *,
    kind: PlanKind = PlanKind.TENSOR,
    gpus: int = 0,
    layers: tuple[int, ...] = (32,),
    in_ram: int = 0,
) -> ParallelPlan:
    ranks = tuple((0, gpu) for gpu in range(gpus or tensor * stages))
    return ParallelPlan(kind, tensor, stages, 1, ranks, layers, cpu_expert_layers=in_ram)


@pytest.mark.parametrize(
    ("quantization", "published", "expected"),
    [
        ("bf16", "bf16", "16-bit"),
        ("gguf-f16", "bf16", "16-bit"),
        ("mlx-bf16", "bf16", "16-bit"),
        ("fp8", "bf16", "fp8"),
        ("fp8-block", "fp8", "fp8"),
        ("mxfp8", "bf16", "fp8"),
        ("fp8-block-fp4-experts", "fp8", "fp8-fp4-experts"),
        ("int8-w8a8", "bf16", "int8"),
        ("bnb-int8", "bf16", "int8"),
        ("awq-4bit-g128", "bf16", "4-bit-gpu"),
        ("gptq-4bit-g128", "bf16", "4-bit-gpu"),
        ("nvfp4", "bf16", "4-bit-gpu"),
        ("w4a16-g32", "compressed-tensors", "4-bit-gpu"),
        ("bnb-nf4", "bf16", "4-bit-gpu"),
        ("q8-0", "bf16", "gguf-8"),
        ("q5-k-m", "bf16", "gguf-5"),
        ("q4-k-m", "bf16", "gguf-4"),
        ("iq4-xs", "bf16", "gguf-4"),
        ("iq2-m", "bf16", "gguf-2"),
        ("mlx-4bit", "bf16", "mlx-4"),
        ("mlx-6bit", "bf16", "mlx-6"),
        ("exl3-3.0bpw", "bf16", "exl-3"),
        ("exl2-4.0bpw", "bf16", "exl-4"),
    ],
)
def test_a_quantization_counts_as_its_class(
    quantization: str, published: str, expected: str
) -> None:
    assert bits_class(catalog().quantizations[quantization], published) == expected


@pytest.mark.parametrize("quantization", ["mxfp4", "mxfp4-moe", "q4-k-m", "q8-0"])
def test_mxfp4_stays_mxfp4_in_gguf_where_the_maker_published_it(quantization: str) -> None:
    assert bits_class(catalog().quantizations[quantization], "mxfp4") == "mxfp4"


def test_mxfp4_made_by_others_is_one_of_the_four_bit_formats() -> None:
    quantizations = catalog().quantizations
    assert bits_class(quantizations["mxfp4"], "bf16") == "4-bit-gpu"
    assert bits_class(quantizations["mxfp4-moe"], "bf16") == "gguf-4"


def test_runtimes_that_run_another_count_as_it() -> None:
    words = ["ollama", "llama-cpp", "exo", "mlx-lm", "ray-serve", "vllm", "exllamav3", "sglang"]
    assert [runtime_class(word) for word in words] == [
        "llama.cpp", "llama.cpp", "mlx-lm", "mlx-lm", "vllm", "vllm", "exllama", "sglang",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (plan(1, 1, kind=PlanKind.SINGLE), "tp1"),
        (plan(8, 1), "tp8"),
        (plan(8, 2, kind=PlanKind.TENSOR_PIPELINE), "tp8pp2"),
        (plan(1, 4, kind=PlanKind.PIPELINE), "pp4"),
        (plan(1, 1, kind=PlanKind.LAYER_SPLIT, gpus=6, layers=(8,) * 6), "pp6"),
        (plan(1, 1, gpus=8), "tp8"),
        (plan(2, 1, gpus=8), "tp8"),
        (plan(1, 1, kind=PlanKind.OFFLOAD, in_ram=20), "tp1+ram"),
    ],
)
def test_a_plan_is_written_as_the_gpus_of_a_replica(given: ParallelPlan, expected: str) -> None:
    assert plan_word(given) == expected


def test_a_pick_inside_every_set_agrees() -> None:
    assert Comparison(PAIR, PICK, attainable=True).differing == ()


@pytest.mark.parametrize(
    ("changed", "differing"),
    [
        ({"bits": "mlx-3"}, ("bits",)),
        ({"runtime": "llama.cpp"}, ("runtime",)),
        ({"plan": "tp2"}, ("plan",)),
        ({"plan": "tp1+ram"}, ("plan",)),
        ({"bits": "gguf-4", "runtime": "llama.cpp"}, ("bits", "runtime")),
    ],
)
def test_a_pick_outside_a_set_differs_in_that_part(
    changed: dict[str, str], differing: tuple[str, ...]
) -> None:
    pick = Pick(
        **{"bits": "mlx-8", "runtime": "mlx-lm", "plan": "tp1", "checkpoint": "x", **changed}
    )
    assert Comparison(PAIR, pick, attainable=True).differing == differing


def test_no_pick_differs_in_everything() -> None:
    assert Comparison(PAIR, None, attainable=True).differing == ("bits", "runtime", "plan")


def test_each_rule_leaves_as_many_as_it_and_those_before_it_forbid() -> None:
    wrong = Comparison(PAIR, replace(PICK, plan="tp2"), attainable=True)
    causes = ["WORSE-CLASS", "WORSE-CLASS", "NOT-COMFORTABLE", "SLOWER"]
    found = [replace(wrong, why=Because(cause, "")) for cause in causes]
    lines = list(allowed([Comparison(PAIR, PICK, attainable=True), *found]))
    counts = {line.split()[1]: int(line.split()[-1]) for line in lines if "differs" in line}
    assert counts == {"WORSE-CLASS": 2, "NOT-COMFORTABLE": 1, "SLOWER": 1}
    assert [int(line.split()[2]) for line in lines if "at most" in line] == [3, 2, 2, 1, 1]


def test_what_speaks_against_a_source_is_computed() -> None:
    """Every disagreement of the list has a cause, and line 2 forbids what it is said to forbid."""
    engine = FitEngine(catalog())
    seen = set()
    for pair in read_pairs(PAIRS)[:12]:
        combo, model = combo_of(pair, catalog()), catalog().models[pair.model]
        pick = pick_of(engine, model, combo, GOALS[pair.use])
        assert pick is not None
        if not Comparison(pair, pick, attainable=True).differing:
            continue
        why = explained(engine, pair, combo)
        assert why.cause in {cause for named in CAUSES.values() for cause in named}
        assert why.words
        seen.add(why.cause)
    assert {"WORSE-CLASS", "NOT-COMFORTABLE"} <= seen


def test_the_table_counts_pairs_and_reserves_apart() -> None:
    wrong = replace(PICK, plan="tp2")
    spare = replace(PAIR, reserve=True)
    lines = list(
        table(
            [
                Comparison(PAIR, PICK, attainable=True),
                Comparison(PAIR, wrong, attainable=True),
                Comparison(spare, None, attainable=False),
            ]
        )
    )
    assert lines[0] == "1 of 2 pairs agree (goal: 54)"
    counted = [line.split() for line in lines if "at most" not in line]
    assert counted[1:5] == [
        ["bits", "2"], ["runtime", "2"], ["plan", "1"], ["Mac", "1", "of", "2"],
    ]  # fmt: skip
    assert " ".join(counted[5]) == "0 of 1 reserves agree"


def test_a_disagreement_is_printed_with_both_sides_and_the_source() -> None:
    wrong = Comparison(PAIR, replace(PICK, plan="tp2"), attainable=False)
    right = Comparison(PAIR, PICK, attainable=True)
    text = list(rows([right, wrong], everything=False))
    assert text == [
        "",
        "m on a-mac, one user: differs in plan",
        "  source  mlx-4 or mlx-8 · mlx-lm · tp1  (a guide)",
        "  pick    mlx-8 · mlx-lm · tp2  (mlx-8bit)",
        "  the catalog has no checkpoint of that class",
    ]
    assert "m on a-mac, one user: agrees" in list(rows([right], everything=True))


def test_the_list_has_sixty_pairs_and_the_spread_that_was_asked_for() -> None:
    pairs = [pair for pair in read_pairs(PAIRS) if not pair.reserve]
    fewest = {
        "one consumer card": 12, "several consumer cards": 12, "data-centre node": 12, "Mac": 6,
        "unified memory": 5, "AMD card": 4, "several nodes": 3, "workstation cards": 1,
    }  # fmt: skip
    assert len(pairs) == 60
    for group, count in fewest.items():
        assert sum(pair.group == group for pair in pairs) >= count, group


def test_no_pair_stands_twice_in_the_list() -> None:
    pairs = read_pairs(PAIRS)
    assert len({(pair.hardware, pair.model, pair.use) for pair in pairs}) == len(pairs)


def test_every_pair_is_in_the_catalog_and_names_known_classes() -> None:
    runtimes = {runtime_class(runtime.split("@")[0]) for runtime in catalog().runtimes}
    for pair in read_pairs(PAIRS):
        assert pair.model in catalog().models, pair.model
        assert combo_of(pair, catalog()).gpus, pair.hardware
        assert set(pair.bits) <= BITS, pair.bits
        assert set(pair.runtimes) <= runtimes, pair.runtimes
        assert pair.use in GOALS, pair.use


def test_every_pair_quotes_its_source_briefly() -> None:
    for row in listed(PAIRS)["pairs"]:
        assert row["url"].startswith("http"), row["source"]
        assert 0 < len(row["quote"].split()) <= MOST_WORDS, row["quote"]


def test_the_guides_name_models_and_machines_of_the_catalog() -> None:
    machines = listed(USES)["machines"]
    assert len(machines) == 12
    for machine in machines:
        if "combo" in machine:
            assert machine["combo"] in catalog().combos
        else:
            assert machine["gpus"]["gpu"] in catalog().gpus
        for use in machine["uses"]:
            assert use["use"] in {"coding", "chat", "agents"}
            assert 2 <= len(use["models"]) <= 5
            assert set(use["models"]) <= set(catalog().models)


def test_a_pick_is_asked_of_the_engine_for_gpus_without_a_combo() -> None:
    pair = next(pair for pair in read_pairs(PAIRS) if pair.gpus.startswith("b200"))
    combo = combo_of(pair, catalog())
    link = combo.nodes[0].link
    assert link is not None
    assert link.id == "nvlink-5"
    model = catalog().models["qwen3-8b"]
    pick = pick_of(FitEngine(catalog()), model, combo, PlanGoal.THROUGHPUT)
    assert pick is not None
    assert pick.bits in classes_of(model)
