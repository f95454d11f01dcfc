"""What the command says before it judges anything."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from sitegen.cli.commands import atlas_command
from tests.atlas.made import made
from tests.survey.whole_catalog import whole_catalog


def test_a_plan_counts_and_writes_nothing(tmp_path: Path) -> None:
    few = ("gpu=rtx-3090", "model=qwen3-32b", "runtime=vllm", "nodes=1", "gpus=1,2")
    found = made(tmp_path / "atlas", "--plan", only=few)
    assert found.status == 0
    assert found.out == "tuples: 40, partitions: 1, kinds of GPUs: 1\n"
    assert not (tmp_path / "atlas").exists()


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gpu=rtx-309", "did you mean 'rtx-3090'"),
        ("model=nobody", "no model has the id 'nobody'"),
        ("colour=red", "keys are gpu, model"),
        ("gpu", "is not KEY=VALUE"),
        ("context=long", "context=long is not a number"),
        ("nodes=0", "must be at least 1"),
    ],
)
def test_a_word_that_names_nothing_is_refused(word: str, message: str, tmp_path: Path) -> None:
    found = made(tmp_path, only=(word,))
    assert found.status == 2
    assert message in found.err


def test_the_order_of_words_makes_no_other_atlas() -> None:
    catalog = whole_catalog()
    one = atlas_command.only_from(["gpu=rtx-4090,rtx-3090", "context=32768,8192"], catalog)
    other = atlas_command.only_from(
        ["context=8192", "gpu=rtx-3090", "gpu=rtx-4090,rtx-3090", "context=32768"], catalog
    )
    assert one == other
    assert one.context == (8_192, 32_768)
    assert one.sequences == (1, 4, 16, 64)


def test_nothing_to_judge_is_said(tmp_path: Path) -> None:
    found = made(tmp_path, only=("gpu=rtx-3090", "runtime=mlx-lm"))
    assert found.status == 2
    assert "nothing to assess" in found.err


@pytest.mark.parametrize(("words", "extra"), [((), "atlas"), (("--on", "ray"), "ray")])
def test_a_missing_package_is_named(
    words: tuple[str, ...], extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have = {"pyarrow"} if extra == "ray" else set()
    monkeypatch.setattr(
        atlas_command,
        "find_spec",
        lambda name: importlib.util.find_spec("json") if name in have else None,
    )
    found = made(tmp_path / "atlas", *words)
    assert found.status == 2
    assert f"pip install 'sitegen[{extra}]'" in found.err
    assert not (tmp_path / "atlas").exists()


def test_an_address_is_of_a_ray_cluster(tmp_path: Path) -> None:
    found = made(tmp_path, "--address", "auto")
    assert found.status == 2
    assert "--on ray" in found.err
