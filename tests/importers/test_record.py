"""The text of a record: what is asked of it beside being valid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.catalog.text.source_text import SourceText
from sitegen.catalog.text.yaml_source import compose
from sitegen.importers.record import RunChoice, record_id, record_text
from tests.importers.reading import runs

CHOICE = RunChoice(
    combo="2x-rtx-4090", nodes=[{"gpus": [{"gpu": "rtx-4090", "count": 2}]}], network="", gpus=2,
    model="llama-3.1-8b-instruct", checkpoint="bf16", quantization="", runtime="vllm",
    version="0.33",
)  # fmt: skip


def composed(
    digest: str, choice: RunChoice = CHOICE, left_out: tuple[int, ...] = ()
) -> dict[str, Any]:
    """A record of the scan as if its file had this hash, as the catalog reads it."""
    every = runs("vllm/appended.jsonl")
    used = [run for at, run in enumerate(every, 1) if at not in left_out]
    refused = [(at, "Too short.") for at in left_out]
    text = record_text(used, refused, choice, tool=("vllm", "vLLM"), hashes=[digest])
    value, problems = compose(SourceText("x.yaml", text))
    assert problems == ()
    assert isinstance(value, dict)
    return value


def test_an_id_that_looks_like_a_number_is_quoted() -> None:
    for digest in ("2090634e" + "0" * 56, "0" * 64, "12345678" * 8):
        found = composed(digest)
        first = found["runs"][0]
        assert first["id"] == f"{digest[:8]}-1"
        assert first["subject"]["version"] == "0.33"
        assert found["imported"]["sha256"] == [digest]


def test_a_record_is_named_by_what_ran_where_and_by_its_files() -> None:
    assert record_id(CHOICE, ["a" * 64]) == "llama-3.1-8b-instruct-on-2x-rtx-4090-aaaaaaaa"
    assert record_id(CHOICE, ["a" * 64, "b" * 64]) != record_id(CHOICE, ["a" * 64])
    assert len(record_id(CHOICE, ["a" * 64])) <= 80


def test_a_run_keeps_its_number_where_another_is_left_out() -> None:
    found = composed("a" * 64, left_out=(2,))
    assert [run["id"] for run in found["left_out"]] == ["aaaaaaaa-2"]
    assert [run["id"] for run in found["runs"]] == ["aaaaaaaa-1", "aaaaaaaa-3", "aaaaaaaa-4"]
    assert [run["load"]["concurrency"] for run in found["runs"]] == [1, 4, 8]


@pytest.mark.parametrize("load", ["concurrency", "request_rate_per_s", "depth_tokens"])
def test_runs_stand_in_order_of_their_load(load: str) -> None:
    plain: dict[str, Any] = {"concurrency": 1, "request_rate_per_s": None, "depth_tokens": 0}
    more, less = plain | {load: 8}, plain | {load: 2}
    first, second, *_ = runs("vllm/appended.jsonl")
    used = [replace(first, **more), replace(second, **less)]
    text = record_text(used, [], CHOICE, tool=("vllm", "vLLM"), hashes=["a" * 64])
    found: Any = compose(SourceText("x.yaml", text))[0]
    assert [run["id"] for run in found["runs"]] == ["aaaaaaaa-2", "aaaaaaaa-1"]
