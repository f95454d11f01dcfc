"""The queries of docs/atlas.md run as they stand, and answer."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest

from sitegen.atlas.parquet import ANSWER_COLUMNS, BUILD_COLUMNS, TUPLE_COLUMNS
from tests.atlas.made import made
from tests.cli.small_project import REPOSITORY

TEXT = (REPOSITORY / "docs" / "atlas.md").read_text("utf-8")
ONLY = (
    "gpu=rtx-3090,rtx-3060-12gb",
    "model=qwen3-32b,gpt-oss-20b,llama-3.1-8b-instruct",
    "nodes=1",
    "runtime=vllm,llama-cpp",
    "context=32768",
    "sequences=1,4",
)
SECOND = 1.0


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which ``atlas/`` stands."""
    above = tmp_path_factory.mktemp("queries")
    assert made(above / "atlas", only=ONLY).status == 0
    return above


@pytest.fixture
def answers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[Any, ...]]]:
    monkeypatch.chdir(folder)
    found = []
    for query in blocks("sql"):
        began = time.process_time()
        answer = duckdb.sql(query)
        assert answer is not None, "a query that asks something"
        found.append(answer.fetchall())
        assert time.process_time() - began < SECOND
    return found


def test_the_cheapest_builds_come_first_and_cost_less_than_others(
    answers: list[list[tuple[Any, ...]]],
) -> None:
    cheapest = answers[0]
    prices = [float(str(row[1])) for row in cheapest]
    assert len(cheapest) == 5
    assert prices == sorted(prices)
    assert all(row[2] for row in cheapest), "a price has a day"


def test_an_extra_card_unlocks_models_that_fewer_do_not_run(
    answers: list[list[tuple[Any, ...]]],
) -> None:
    named = {model: gpus for gpus, models in answers[1] for model in models}
    assert named["llama-3.1-8b-instruct"] == 1
    assert named["qwen3-32b"] > 1
    assert len(named) == sum(len(models) for _, models in answers[1])


def test_on_the_frontier_more_money_is_always_more_speed(
    answers: list[list[tuple[Any, ...]]],
) -> None:
    frontier = [(float(str(usd)), float(str(speed))) for _, usd, speed in answers[2]]
    assert len(frontier) > 1
    assert frontier == sorted(frontier)
    speeds = [speed for _, speed in frontier]
    assert speeds == sorted(set(speeds))


def test_pandas_finds_the_build_that_duckdb_finds(
    folder: Path, answers: list[list[tuple[Any, ...]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (script,) = blocks("python")
    names: dict[str, Any] = {}
    exec(script, names)  # noqa: S102 - our own text
    first = names["answer"].iloc[0]
    build, usd, _, runtime, checkpoint, _ = answers[0][0]
    assert (first["usd"], first["runtime"], first["checkpoint"]) == (usd, runtime, checkpoint)
    assert first["build"] == build


def test_every_column_is_described(folder: Path) -> None:
    described = TEXT.partition("## Files")[2].partition("## Queries")[0]
    for name, _ in (*TUPLE_COLUMNS, *ANSWER_COLUMNS):
        end = re.sub(r"^.*(?=_(mid|high)$)", "", name)
        assert f"`{name}`" in described or f"`{end}`" in described, name
    path = next((folder / "atlas").glob("verdicts/*/*.parquet"))
    written = pyarrow.parquet.read_schema(path).names
    assert written == [name for name, _ in (*TUPLE_COLUMNS, *ANSWER_COLUMNS)]
    builds = pyarrow.parquet.read_schema(folder / "atlas" / "builds.parquet").names
    assert builds == [name for name, _ in BUILD_COLUMNS]
