"""Rules across records: what they let pass, and what they are."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sitegen.catalog.architectures import ARCHITECTURES
from sitegen.catalog.checks import CHECKS, MAX_PER_RULE, specifications
from sitegen.catalog.checks.prose import prose_states_no_number
from sitegen.catalog.checks.provenance import sources_of
from sitegen.catalog.checks.quantizations import GGUF_FILE_TYPES
from sitegen.catalog.load import parse_catalog, read_records
from sitegen.catalog.records.parts import Record, SourceRecord
from sitegen.models.gguf.mix import DEFAULT_TYPE
from sitegen.problems import ProblemsFound
from tests.catalog.sample import SAMPLE, changed

ROOT = Path(__file__).parents[2]
GPU = "catalog/gpus/rtx-4090.yaml"
BOXES = "catalog/combos/four-boxes.yaml"
MODEL = "catalog/models/llama-3.1-8b.yaml"


def test_every_rule_says_what_it_ensures() -> None:
    assert len(set(CHECKS)) == len(CHECKS)
    for check in CHECKS:
        assert (inspect.getdoc(check) or "").startswith("Ensure "), check.__name__


def test_every_rule_of_a_module_is_listed() -> None:
    listed = {check.__name__ for check in CHECKS}
    for module in {inspect.getmodule(check) for check in CHECKS}:
        written = {
            name
            for name, function in inspect.getmembers(module, inspect.isfunction)
            if (inspect.getdoc(function) or "").startswith("Ensure ")
        }
        assert written <= listed


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (BOXES, "link: pcie-4-x16", "link: pcie-3-x8"),
        (BOXES, "gpu: rtx-4090\n        count: 2", "gpu: rtx-3090\n        count: 2"),
        (
            BOXES,
            "      - gpu: rtx-4090\n        count: 2",
            "      - gpu: rtx-4090\n      - gpu: rtx-3090",
        ),
        (
            BOXES,
            "gpu: rtx-4090\n        count: 2\n    link: pcie-4-x16",
            "gpu: rtx-3090\n        count: 2\n    link: nvlink-bridge",
        ),
        (MODEL, "native: true", "native: false"),
        (MODEL, "    file_bytes: 4920734272", "    file_bytes: 8540771328\n    id: q8"),
        (MODEL, "vocab_size", "num_experts: 8\n  num_experts_per_tok: 8\n  vocab_size"),
        (GPU, "launched: 2022-10-12", "launched: 2022-10"),
        (GPU, "https://example.org/sheet", "http://sub.example.org:8080/a?b=%20c#d"),
        (GPU, "url: https://example.org/sheet", "url: ''"),
    ],
)
def test_what_is_right_passes(path: str, old: str, new: str) -> None:
    assert parse_catalog(changed(path, old, new)).combos


def test_a_native_format_may_have_few_bits_and_be_for_production() -> None:
    files = changed("catalog/quantizations/q4-k-m.yaml", "nominal_bits: 4.5", "nominal_bits: 3.5")
    files[MODEL] = SAMPLE[MODEL].replace("file_bytes: 4920734272", "native: true")
    assert parse_catalog(files).quantizations["q4-k-m"].production


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ("80 GB", True),
        ("24GiB", True),
        ("3,200 MB", True),
        ("1.5 TB", True),
        ("24-GB card", True),
        ("64 gb", True),
        ("30 tok/s", True),
        ("30 tokens per second", True),
        ("25 Gbit/s", True),
        ("200 Gbps", True),
        ("900 GB/s", True),
        ("10 GbE", False),
        ("a 70B model", False),
        ("2× RTX 4090", False),
        ("CUDA 12.4", False),
        ("port 8000", False),
        ("PCIe 4.0 x16", False),
        ("Q4_K_M", False),
    ],
)
def test_prose_may_name_things_but_no_sizes(words: str, stated: bool) -> None:
    records, _ = read_records(changed(BOXES, "Used parts", f"About {words}"))
    assert bool(list(prose_states_no_number(records))) is stated


def test_each_number_of_a_text_is_reported_where_it_stands() -> None:
    files = changed(BOXES, "Used parts", "About 48 GB of 900\n  GB/s and 48 GB")
    records, _ = read_records(files)
    found = list(prose_states_no_number(records))
    lines = files[BOXES].split("\n")
    said = [lines[one.span.line - 1][one.span.column - 1 :] for one in found]
    assert [words[:5] for words in said] == ["48 GB", "900", "48 GB"]
    assert len({(one.span.line, one.span.column) for one in found}) == 3


def test_a_rule_stops_after_many_problems_and_says_so() -> None:
    many = ", ".join(f"vllm-{number}" for number in range(5 * MAX_PER_RULE))
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(changed("catalog/runtimes/ray-serve.yaml", "[vllm]", f"[{many}]"))
    codes = Counter(problem.code for problem in found.value.problems)
    assert codes == {"unknown-runtime": MAX_PER_RULE, "more-problems": 1}


def test_the_file_types_that_pass_are_those_the_engine_can_mix() -> None:
    assert set(DEFAULT_TYPE) == GGUF_FILE_TYPES


def test_the_tables_of_rates_name_architectures_that_are_listed() -> None:
    listed = frozenset().union(*ARCHITECTURES.values())
    named = {*specifications._MULTIPLES, *specifications._OPERATIONS}
    assert {name for name in named if not name[0].isdigit()} <= listed


def test_a_hint_on_an_architecture_compares_without_spaces_and_case() -> None:
    with pytest.raises(ProblemsFound) as found:
        parse_catalog(
            changed(
                "catalog/quantizations/bf16.yaml",
                "production",
                "other_architectures: [RDNA 4, cdna-3]\nproduction",
            )
        )
    (problem,) = found.value.problems
    assert problem.hint.startswith("did you mean 'CDNA 3'?")
    assert (problem.span.line, problem.span.column) == (6, 31)


def test_every_source_of_the_catalog_is_looked_at_wherever_it_stands() -> None:
    def below(record: Record) -> Iterator[int]:
        for value in record.__dict__.values():
            parts = value.values() if isinstance(value, Mapping) else value
            for item in parts if isinstance(value, tuple | Mapping) else (value,):
                if isinstance(item, SourceRecord):
                    yield id(item)
                elif isinstance(item, Record):
                    yield from below(item)

    records, _ = read_records(
        {path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
         for path in (ROOT / "catalog").rglob("*.yaml")}
    )  # fmt: skip
    everywhere = {found for authored in records.all for found in below(authored.record)}
    assert everywhere == {id(source) for *_, source in sources_of(records)}
