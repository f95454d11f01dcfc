"""From files to a catalog: units converted, references resolved, all problems at once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.catalog.domain.hardware import DedicatedMemory, UnifiedMemory
from sitegen.catalog.domain.models import MemoryModel
from sitegen.catalog.domain.provenance import Evidence, Interval
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import read_project
from sitegen.problems import Problem, ProblemsFound
from sitegen.units import GIB, MIB
from tests.catalog.sample import SAMPLE, changed

ROOT = Path(__file__).parents[2]
CATALOG = parse_catalog(SAMPLE)


def printed(files: dict[str, str]) -> list[str]:
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(files)
    return [f"{problem.span} {problem.code}" for problem in found.value.problems]


def problems_or_none(files: dict[str, str]) -> tuple[Problem, ...]:
    try:
        parse_catalog(files)
    except ProblemsFound as found:
        return found.problems
    return ()


def test_memory_becomes_bytes_and_bandwidth_bytes_per_second() -> None:
    gpu = CATALOG.gpus["rtx-4090"]
    assert gpu.memory == DedicatedMemory(25_769_803_776, 24_077 * MIB, Evidence.MEASURED)
    assert gpu.memory_bandwidth_bytes_per_s == 1_008_000_000_000
    assert gpu.fp16_flops_per_s == pytest.approx(165.2e12)
    assert gpu.compute_capability == (8, 9)
    assert gpu.launched == "2022-10-12"


def test_visible_memory_that_nobody_measured_is_estimated_by_the_assumption() -> None:
    memory = CATALOG.gpus["rtx-3090"].memory
    assert isinstance(memory, DedicatedMemory)
    assert memory.visible_evidence is Evidence.ESTIMATED
    assert memory.visible_bytes == int(0.98 * 24 * GIB)


def test_a_log_keeps_its_date_and_a_run_without_one_has_that_of_its_source() -> None:
    path = "catalog/measurements/logs.yaml"
    dated = parse_catalog(changed(path, "runs:\n", "date: 2026-05-01\nruns:\n"))
    (run,) = dated.measurements["logs"].runs
    assert (dated.measurements["logs"].date, run.date) == ("2026-05-01", "2026-05-01")
    own = changed(path, "- id: llama-on-two", "- id: llama-on-two\n    date: 2026-06-02")
    (run,) = parse_catalog(own).measurements["logs"].runs
    assert (parse_catalog(own).measurements["logs"].date, run.date) == ("", "2026-06-02")


@pytest.mark.parametrize(("gpus", "codes"), [(4_096, []), (4_097, ["out-of-range"])])
def test_a_claim_names_no_more_gpus_than_can_be_laid_out(gpus: int, codes: list[str]) -> None:
    launch = f"    launch: {{model: llama-3.1-8b, quantization: bf16, gpus: {gpus}}}"
    files = changed("catalog/claims/page.yaml", "    link: {link: pcie-4-x16, gb_s: 32}", launch)
    assert [problem.code for problem in problems_or_none(files)] == codes


def test_a_name_that_means_two_models_is_shown_at_the_name() -> None:
    twice = "  Llama 3.1 8B Chat: llama-3.1-8b\n  LLAMA-3.1-8B-chat: other"
    files = changed("catalog/names/somebody.yaml", "  Llama 3.1 8B Chat: llama-3.1-8b", twice)
    assert "catalog/names/somebody.yaml:8:3 two-way-name" in printed(files)


def test_unified_memory_is_the_choice_of_the_node() -> None:
    memory = CATALOG.gpus["m4-max"].memory
    assert isinstance(memory, UnifiedMemory)
    assert memory.options_bytes == (36 * GIB, 64 * GIB, 128 * GIB)
    assert [memory.fraction_of(size).mid for size in memory.options_bytes] == [0.75, 0.75, 0.84]
    (installed,) = CATALOG.combos["studio"].gpus
    assert installed.installed_bytes == installed.visible_bytes == 128 * GIB


def test_a_larger_memory_leaves_more_to_the_system_with_its_limit_raised() -> None:
    memory = CATALOG.gpus["m4-max"].memory
    assert isinstance(memory, UnifiedMemory)
    assert {memory.reserve_of(size) for size in memory.options_bytes} == {8 * GIB}
    grown = replace(memory, larger_reserves=((64 * GIB, 10 * GIB), (128 * GIB, 12 * GIB)))
    kept = [grown.reserve_of(size) // GIB for size in memory.options_bytes]
    assert kept == [8, 10, 12]


def test_links_are_in_seconds_and_bytes() -> None:
    link = CATALOG.interconnects["pcie-4-x16"]
    assert link.nominal_bytes_per_s == 31_510_000_000
    assert link.bus_bandwidth_bytes_per_s == Interval(10e9, 20e9, 25e9)
    assert link.latency_s is not None
    assert link.latency_s.high == pytest.approx(40e-6)


def test_equal_nodes_and_gpus_are_listed_one_by_one() -> None:
    combo = CATALOG.combos["four-boxes"]
    assert [node.name for node in combo.nodes] == ["node 1", "node 2", "node 3", "node 4"]
    assert [len(node.gpus) for node in combo.nodes] == [2, 2, 2, 2]
    assert combo.installed_vram_bytes == 192 * GIB
    assert combo.nodes[3].link is CATALOG.interconnects["pcie-4-x16"]
    assert combo.network is CATALOG.interconnects["ethernet-10g"]
    assert combo.gpus[7].gpu is CATALOG.gpus["rtx-4090"]


def test_checkpoints_have_bytes_an_id_and_their_quantization() -> None:
    bf16, gguf = CATALOG.models["llama-3.1-8b"].checkpoints
    assert (bf16.id, bf16.published_bytes, bf16.native) == ("bf16", 16_070_000_000, True)
    assert (gguf.id, gguf.published_bytes) == ("q4-k-m", 4_920_734_272)
    assert gguf.quantization is CATALOG.quantizations["q4-k-m"]


def test_an_exact_constant_is_an_interval_of_one_point() -> None:
    runtime = CATALOG.runtimes["vllm"]
    assert runtime.memory_model is MemoryModel.PAGED
    newest = runtime.profiles[-1]
    assert newest.constants["memory_fraction"].value == Interval(0.9, 0.9, 0.9)
    assert newest.constants["graphs_gib"].value == Interval(0.5, 1, 2)
    assert newest.defaults[0].min_visible_bytes == 70 * GIB
    assert (newest.until, runtime.assessed_version) == ("", "0.19")


def test_problems_of_all_files_come_together_sorted_by_place() -> None:
    files = changed("catalog/combos/four-boxes.yaml", "gpu: rtx-4090", "gpu: rtx-4900")
    files |= {
        path: changed(path, old, new)[path]
        for path, old, new in [
            ("catalog/gpus/rtx-4090.yaml", "vram_gib: 24", "vram_gib: 24 GB"),
            ("catalog/gpus/rtx-3090.yaml", "vendor: nvidia\n", ""),
            ("catalog/interconnects/pcie-3-x8.yaml", "kind: pcie", "kind: pcie\nkind: pcie"),
            ("catalog/runtimes/vllm.yaml", "[nvidia, amd]", "[nvidia, amd"),
        ]
    }
    assert printed(files) == [
        "catalog/combos/four-boxes.yaml:7:14 unknown-gpu",
        "catalog/gpus/rtx-3090.yaml:2:1 missing-key",
        "catalog/gpus/rtx-4090.yaml:6:11 wrong-type",
        "catalog/interconnects/pcie-3-x8.yaml:4:1 yaml-duplicate",
        "catalog/runtimes/vllm.yaml:4:10 yaml-syntax",
    ]


@pytest.mark.parametrize("path", sorted(SAMPLE))
def test_a_broken_file_is_its_only_problem(path: str) -> None:
    broken = {**SAMPLE, path: SAMPLE[path].splitlines()[0] + "\nname: [\n"}
    assert [problem.split(":")[0] for problem in printed(broken)] == [path]
    misshapen = {**SAMPLE, path: SAMPLE[path] + "surplus: 1\n"}
    assert [problem.split(" ")[1] for problem in printed(misshapen)] == ["unknown-key"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("rtx4090", "rtx-4090"),
        ("RTX 4090", "rtx-4090"),
        ("RTX-4090", "rtx-4090"),
        ("rtx_4090", "rtx-4090"),
        ("4090", "rtx-4090"),
        ("rtx-409O", "rtx-4090"),
        ("rtx-4900", "rtx-4090"),
        ("rtx-4091", "rtx-4090"),
        ("rtx--4090", "rtx-4090"),
        ("geforce-rtx-4090", "rtx-4090"),
        ("nvidia-rtx-4090", "rtx-4090"),
        ("rtx-309", "rtx-3090"),
        ("3090", "rtx-3090"),
        ("rtx-3090-ti", "rtx-3090"),
        ("m4max", "m4-max"),
        ("M4 Max", "m4-max"),
        ("apple-m4-max", "m4-max"),
        ("m4-mac", "m4-max"),
        ("m4", "m4-max"),
        ("m-4-max", "m4-max"),
    ],
)
def test_a_misspelt_id_is_guessed(given: str, meant: str) -> None:
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(changed("catalog/combos/four-boxes.yaml", "gpu: rtx-4090", f"gpu: '{given}'"))
    (problem,) = found.value.problems
    assert problem.hint == f"did you mean '{meant}'?"


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("vram_gib: 24", "vram_gib: 24\nvram_gb: 24", "vram_gib"),
        ("bus: pcie-4-x16", "bus: pcie-4-x16\nlink: [x]", "links"),
        ("compute_capability:", "cuda_capability:", "compute_capability"),
        ("launched:", "launch:", "launched"),
        ("memory_bandwidth_gb_s: 1008", "memory_bandwidth_gb_s: 1008\ntdp: 450", "tdp_watts"),
        ("segment: consumer", "segment: consumers", "consumer"),
        ("segment: consumer", "segment: Datacentre", "datacenter"),
    ],
)
def test_a_misspelt_key_or_word_is_guessed(old: str, new: str, meant: str) -> None:
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(changed("catalog/gpus/rtx-4090.yaml", old, new))
    assert found.value.problems[0].hint == f"did you mean '{meant}'?"


def test_a_reference_to_nothing_says_where_it_is_and_which_ids_exist() -> None:
    files = changed("catalog/combos/four-boxes.yaml", "gpu: rtx-4090", "gpu: zzz")
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(files)
    (problem,) = found.value.problems
    assert (str(problem.span), problem.code) == (
        "catalog/combos/four-boxes.yaml:7:14",
        "unknown-gpu",
    )
    assert "'zzz'" in problem.message
    assert problem.hint == (
        f"add catalog/gpus/<id>.yaml; known ids: {', '.join(sorted(CATALOG.gpus))}"
    )


def test_of_many_ids_that_exist_a_few_are_named() -> None:
    catalog = read_project(ROOT).catalog
    path = "catalog/combos/2x-rtx-4090.yaml"
    text = catalog[path].replace("gpu: rtx-4090", "gpu: zzz", 1)
    assert text != catalog[path]
    with pytest.raises(ProblemsFound) as found:
        parse_catalog({**catalog, path: text})
    hint = next(one.hint for one in found.value.problems if one.code == "unknown-gpu")
    assert re.search(r"known ids: ([a-z0-9.-]+, ){11}[a-z0-9.-]+ and \d+ more$", hint), hint


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("vram_gib: 24", "vram_gib: 24 GB", "write `vram_gib: 24`"),
        ("vram_gib: 24", "vram_gib: 24GiB", "write `vram_gib: 24`"),
        ("1008", "1008 GB/s", "write `memory_bandwidth_gb_s: 1008`"),
        ('"8.9"', "8.90", 'quote it: "8.90"'),
        ('"8.9"', "12", 'quote it: "12"'),
        ("2022-10-12", "2022", 'quote it: "2022"'),
        ("name:", "id: rtx-4090\nname:", "the file name is the id: remove this line"),
    ],
)
def test_a_hint_says_what_to_write(old: str, new: str, hint: str) -> None:
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(changed("catalog/gpus/rtx-4090.yaml", old, new))
    assert [problem.hint for problem in found.value.problems] == [hint]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("catalog/gpus/rtx-3090.yaml", "[nvlink-bridge]", r'"a\n::error::b"'),
        ("catalog/gpus/rtx-3090.yaml", "name:", r'"a\n::error::b": 1' + "\nname:"),
        ("catalog/runtimes/vllm.yaml", "memory_fraction:", r'"a\n::error::b":'),
        ("catalog/runtimes/vllm.yaml", "{graphs_in_budget: true}", r'{"a\n::error::b": 1}'),
        ("catalog/combos/four-boxes.yaml", "rtx-4090", r'"a\n::error::b"'),
        ("catalog/gpus/rtx-4090.yaml", "vram_gib: 24", "vram_gib:\n  ::error::x"),
        ("catalog/models/llama-3.1-8b.yaml", "meta-llama/", r'"a\n::error::b" #'),
    ],
)
def test_no_text_of_an_author_begins_a_line_of_the_output(path: str, old: str, new: str) -> None:
    problems = problems_or_none(changed(path, old, new))
    assert problems
    for problem in problems:
        assert not any(line.lstrip().startswith("::") for line in str(problem).splitlines())


@settings(max_examples=20)
@given(st.permutations(sorted(SAMPLE)))
def test_the_order_of_files_is_irrelevant(order: list[str]) -> None:
    shuffled = parse_catalog({path: SAMPLE[path] for path in order})
    assert repr(shuffled) == repr(CATALOG)


def test_order_of_keys_and_comments_are_irrelevant() -> None:
    path = "catalog/interconnects/ethernet-10g.yaml"
    head, *body = SAMPLE[path].split("\n")
    turned = "\n".join([head, "# a comment", *body[4:-1], *body[:4], ""])
    assert repr(parse_catalog({**SAMPLE, path: turned})) == repr(CATALOG)


@settings(max_examples=300)
@given(
    path=st.sampled_from(sorted(SAMPLE)),
    position=st.floats(0, 1),
    removed=st.integers(0, 30),
    added=st.text(st.sampled_from("ab01:-[]{}&*!|'\"\n \t\x00é.,~"), max_size=6),
)
def test_a_damaged_file_gives_a_catalog_or_problems(
    path: str, position: float, removed: int, added: str
) -> None:
    text = SAMPLE[path]
    start = int(position * len(text))
    damaged = {**SAMPLE, path: text[:start] + added + text[start + removed :]}
    for problem in problems_or_none(damaged):
        assert problem.span.path.startswith("catalog/")


def test_the_real_catalog_is_in_order() -> None:
    catalog = parse_catalog(read_project(ROOT).catalog)
    assert len(catalog.gpus) >= 60
    assert len(catalog.interconnects) >= 43
