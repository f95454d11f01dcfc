"""One slip hides no other: the engine judges what is sound, and points at the field it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import pytest

from sitegen.inputs import ProjectFiles, read_project
from sitegen.pipeline.sources import parse
from sitegen.problems import Problem, ProblemsFound
from tests.catalog.problem_cases import CASES, Case
from tests.catalog.sample import SAMPLE, changed
from tests.catalog.test_problems import COMPANIONS
from tests.cli.small_project import small_project

LLAMA = "catalog/models/llama-3.1-8b-instruct.yaml"
QWEN = "catalog/models/qwen3-8b.yaml"
GPU = "catalog/gpus/rtx-4090.yaml"
VLLM = "catalog/runtimes/vllm.yaml"
EXLLAMA = "catalog/runtimes/exllamav3.yaml"
EXL2 = "catalog/quantizations/exl2-4.0bpw.yaml"
PAGED = "catalog/assumptions/comfortable-utilization.yaml"


class Slip(NamedTuple):
    """A text of a file, what stands there by mistake, the code, and where it is pointed at."""

    path: str
    old: str
    new: str
    code: str
    at: str


ENGINE = (
    Slip(LLAMA, "model_type: llama", "model_type: lama", "unknown-family", "lama"),
    Slip(LLAMA, "num_attention_heads: 32", "heads: 32", "incomplete-config", "config:"),
    Slip(LLAMA, "num_hidden_layers: 32", "num_hidden_layers: 0", "incomplete-config", "0"),
    Slip(LLAMA, "vocab_size: 128256", "vocab_size: 16777216", "count-differs", "8030261248"),
    Slip(LLAMA, "hidden_size: 4096", "hidden_size: 16777216", "model-size", "config:"),
    Slip(LLAMA, "  - quantization: bf16\n", "  - quantization: bf16\n    kept: [attn_v, attn_w]\n",
         "unknown-group", "attn_w]"),
    Slip(LLAMA, "  - quantization: bf16\n",
         "  - quantization: bf16\n    kept: [attn_v]\n    kept_fp8: [attn_v]\n",
         "group-kept-twice", "attn_v]"),
    Slip(EXL2, "groups: [", "groups: [lm-head, ", "unknown-group", "lm-head"),
    Slip(VLLM, "\n      kv_block_tokens:", "\n      kv_block_token:",
         "unused-constant", "kv_block_token:"),
)  # fmt: skip
"""What only the engine's rules find."""
OTHERS = (
    Slip(GPU, "vendor: nvidia", "vendor: nvida", "not-a-choice", "nvida"),
    Slip(GPU, "\nvram_gib: 24", "\nvram_gib: 24 GB", "wrong-type", "24 GB"),
)
"""Slips in another record, which cannot be read for them."""


@cache
def project() -> ProjectFiles:
    return read_project(small_project(Path(mkdtemp())))


@cache
def problems_with(*slips: Slip) -> tuple[Problem, ...]:
    """Return what is wrong with the small project once the slips were made."""
    catalog = dict(project().catalog)
    for path, old, new, *_ in slips:
        assert old in catalog[path], f"{path} no longer has {old!r}"
        catalog[path] = catalog[path].replace(old, new, 1)
    try:
        return parse(replace(project(), catalog=catalog)).warnings
    except ProblemsFound as found:
        return found.problems


def pointed_at(problem: Problem, slips: tuple[Slip, ...]) -> str:
    """Return the text of a changed file that begins where a problem points."""
    text = project().catalog[problem.span.path]
    for path, old, new, *_ in slips:
        text = text.replace(old, new, 1) if path == problem.span.path else text
    return text.splitlines()[problem.span.line - 1][problem.span.column - 1 :]


def test_the_small_project_has_no_problem() -> None:
    assert problems_with() == ()


@pytest.mark.parametrize("slip", ENGINE, ids=lambda slip: f"{slip.code}-{slip.at}")
def test_what_the_engine_finds_is_pointed_at_in_its_field(slip: Slip) -> None:
    found = [problem for problem in problems_with(slip) if problem.code == slip.code]
    assert len(found) == 1
    assert found[0].span.path == slip.path
    assert pointed_at(found[0], (slip,)).startswith(slip.at)


@pytest.mark.parametrize("other", OTHERS, ids=lambda slip: slip.code)
@pytest.mark.parametrize("slip", ENGINE, ids=lambda slip: f"{slip.code}-{slip.at}")
def test_a_slip_elsewhere_hides_nothing_and_adds_nothing(slip: Slip, other: Slip) -> None:
    alone, beside = problems_with(slip), problems_with(slip, other)
    assert set(alone) < set(beside)
    (added,) = set(beside) - set(alone)
    assert (added.code, added.span.path) == (other.code, other.path)
    assert pointed_at(added, (other,)).startswith(other.at)


BROKEN = [
    pytest.param("catalog/quantizations/bf16.yaml", "nominal_bits: 16", "nominal_bits: many"),
    pytest.param("catalog/quantizations/bf16.yaml", "name:", "\tname:"),
    pytest.param("catalog/assumptions/comfortable-utilization.yaml", "unit:", "units:"),
    pytest.param(VLLM, 'memory_model: "paged"', 'memory_model: "pages"'),
    pytest.param(VLLM, "\n      kv_block_tokens:\n", "\n      kv_block_tokens: 16\n      x:\n"),
    pytest.param("catalog/interconnects/pcie-4-x16.yaml", "kind: pcie", "kind: pci"),
]


@pytest.mark.parametrize(("path", "old", "new"), BROKEN)
def test_a_broken_record_is_not_missed_by_those_that_need_it(path: str, old: str, new: str) -> None:
    found = problems_with(Slip(path, old, new, "", ""))
    assert found
    assert {problem.span.path for problem in found} == {path}


def test_a_slip_in_a_model_shows_beside_one_in_its_quantization() -> None:
    bits = Slip("catalog/quantizations/bf16.yaml", "nominal_bits: 16", "nominal_bits: x", "", "")
    found = problems_with(bits, ENGINE[0])
    assert [problem.code for problem in found] == ["unknown-family", "wrong-type"]


def test_two_slips_in_one_model_both_show_but_not_what_follows_from_one() -> None:
    day = Slip(LLAMA, "released: ", "released: 2024-02-30 # ", "date", "")
    assert {one.code for one in problems_with(day, ENGINE[0])} == {"date", "unknown-family"}
    heads = Slip(LLAMA, "num_attention_heads: 32", "num_attention_heads: 5", "", "")
    assert {one.code for one in problems_with(heads)} == {"kv-heads"}


def test_an_assumption_that_is_missing_is_pointed_at_where_it_should_stand() -> None:
    without = {path: text for path, text in project().catalog.items() if path != PAGED}
    with pytest.raises(ProblemsFound) as found:
        parse(replace(project(), catalog=without))
    missing = [one for one in found.value.problems if one.code == "missing-assumption"]
    assert [one.span.path for one in missing] == [PAGED]
    assert [one.hint for one in missing] == [f"add {PAGED}"]


def test_a_constant_that_later_profiles_take_over_is_reported_once() -> None:
    codes = [problem.code for problem in problems_with(ENGINE[-1])]
    assert codes == ["unused-constant"]


def test_a_constant_that_is_missing_and_not_misspelled_is_missed_once() -> None:
    other = Slip(VLLM, "\n      kv_block_tokens:", "\n      zzz:", "", "")
    found = problems_with(other)
    assert [problem.code for problem in found] == ["missing-constant", "unused-constant"]
    assert "'kv_block_tokens'" in found[0].message


def test_a_profile_without_constants_is_told_once_to_take_over_those_before() -> None:
    new = '  - version: "1.7"\n    since: "1.6"\nassessed_version:'
    slips = (
        Slip(EXLLAMA, '    since: "1.0"\n', '    since: "1.0"\n    until: "1.6"\n', "", ""),
        Slip(EXLLAMA, "assessed_version:", new, "", ""),
    )
    (found,) = problems_with(*slips)
    assert found.code == "missing-constant"
    assert found.hint == "add like: '1.4' to take over those of the profile before"
    assert pointed_at(found, slips).startswith('version: "1.7"')


def codes_of_sample(files: Mapping[str, str]) -> set[str]:
    """Return the codes of a sample catalog; that it lacks the engine's constants is one of them."""
    settings = {"content/site.yaml": project().content["content/site.yaml"]}
    with pytest.raises(ProblemsFound) as found:
        parse(replace(project(), catalog=files, content=settings), today="2026-11-20")
    return {problem.code for problem in found.value.problems}


@cache
def lacking() -> set[str]:
    """Return the codes of the sample as it is."""
    return codes_of_sample(SAMPLE)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.new[:20]!r}")
def test_the_engine_finds_nothing_that_only_follows_from_a_slip(case: Case) -> None:
    found = codes_of_sample(changed(case.path, case.old, case.new))
    assert case.code in found
    assert found - lacking() - COMPANIONS.get(case.code, set()) <= {case.code}
