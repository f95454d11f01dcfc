"""Types of KV cache in logged starts: a misspelled one is pointed at, and none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.catalog.load import read_records
from sitegen.pipeline.cache_words import check
from tests.catalog.problem_cases import LOGS
from tests.catalog.sample import changed

WORKLOAD = "workload: {context_tokens: 8192"
DOCUMENT = Path(__file__).parents[2] / "docs" / "problems.md"


def found(words: str) -> list[str]:
    records, problems = read_records(changed(LOGS, WORKLOAD, f"{WORKLOAD}, {words}"))
    assert not problems
    return list(map(str, check(records)))


def test_a_misspelled_type_is_pointed_at_as_the_documentation_shows() -> None:
    (printed,) = found("keys: fp8_e4m4")
    assert f"```text\n{printed}\n```" in DOCUMENT.read_text("utf-8")


def test_the_type_of_values_is_held_to_the_same_names() -> None:
    (printed,) = found("keys: q8_0, values: q9_0")
    assert "'q9_0'" in printed


@pytest.mark.parametrize("word", ["auto", "bf16", "fp8_e5m2", "q4_0", "turbo3", "fp8_ds_mla"])
def test_what_logs_write_is_no_problem(word: str) -> None:
    assert found(f"keys: {word}") == []
