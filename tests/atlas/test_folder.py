"""An atlas on disk: whole files or none, the same bytes whoever made them, and nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet
import pytest

from sitegen.atlas.folder import AtlasError, AtlasFolder
from tests.atlas.made import ONLY, files, made, words
from tests.cli.small_project import REPOSITORY

FEW = ("gpu=rtx-3090,arc-b580", "model=gpt-oss-20b", "nodes=1", "gpus=1,2", "context=8192")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas") / "whole"
    assert made(folder, "--jobs", "1").status == 0
    return folder


def test_the_manifest_names_every_file_and_its_tuples(whole: Path) -> None:
    stated = json.loads((whole / "atlas.json").read_text("utf-8"))
    there = {name for name in files(whole) if name.startswith("verdicts/")}
    assert stated["complete"] is True
    assert {one["path"] for one in stated["files"]} == there
    assert {one["path"]: one["sha256"] for one in stated["files"]} == {
        name: digest for name, digest in files(whole).items() if name in there
    }
    assert sum(one["tuples"] for one in stated["files"]) == stated["tuples"]


def test_two_processes_make_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    assert made(tmp_path / "other", "--jobs", "2").status == 0
    assert files(tmp_path / "other") == files(whole)


def test_a_second_run_judges_nothing(whole: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in whole.rglob("*.parquet")}
    again = made(whole)
    assert (again.status, " 0 tuples assessed" in again.err) == (0, True)
    verdicts = [path for path in before if "verdicts" in path.parts]
    assert [path for path in verdicts if path.stat().st_mtime_ns != before[path]] == []


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    command = [sys.executable, "-m", "sitegen", *map(str, words(out, "--jobs", "2"))]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    begun = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    ends = time.monotonic() + 120
    while not any(out.glob("verdicts/*/*.parquet")) and time.monotonic() < ends:
        time.sleep(0.05)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    left = files(out)
    assert 0 < len([name for name in left if name.startswith("verdicts/")]) < len(files(whole))
    assert json.loads((out / "atlas.json").read_text("utf-8"))["complete"] is False
    assert made(out, "--jobs", "1").status == 0
    assert files(out) == files(whole)


def test_what_is_cut_short_or_left_half_written_is_made_again(tmp_path: Path) -> None:
    out = tmp_path / "atlas"
    made(out, only=FEW)
    right = files(out)
    cut = out / "verdicts/gpu=arc-b580/0000.parquet"
    cut.write_bytes(cut.read_bytes()[:-9])
    (cut.parent / ".0001.parquet.part").write_bytes(b"half")
    assert made(out, only=FEW).status == 0
    assert files(out) == right


def test_a_higher_limit_adds_to_what_is_there(tmp_path: Path) -> None:
    out = tmp_path / "atlas"
    made(out, "--limit", "1", only=FEW)
    first = {name for name in files(out) if name.startswith("verdicts/")}
    made(out, only=FEW)
    every = {name for name in files(out) if name.startswith("verdicts/")}
    assert len(first) == 1
    assert first < every
    made(tmp_path / "at once", only=FEW)
    assert files(out) == files(tmp_path / "at once")


def test_a_folder_keeps_one_atlas_until_it_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "atlas"
    made(out, only=FEW)
    other = (*FEW, "sequences=1")
    refused = made(out, only=other)
    assert refused.status == 2
    assert "--replace" in refused.err
    assert made(out, "--replace", only=other).status == 0
    made(tmp_path / "fresh", only=other)
    assert files(out) == files(tmp_path / "fresh")


def test_verdicts_of_somebody_else_are_not_touched(tmp_path: Path) -> None:
    theirs = tmp_path / "verdicts/gpu=rtx-3090/0000.parquet"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"theirs")
    assert made(tmp_path, only=FEW).status == 2
    assert made(tmp_path, "--replace", only=FEW).status == 2
    assert theirs.read_bytes() == b"theirs"


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    folder = AtlasFolder(tmp_path, "digest")
    with folder.held(), pytest.raises(AtlasError, match="another run"), folder.held():
        pass


def test_columns_of_words_are_dictionaries_and_the_schema_has_a_version(whole: Path) -> None:
    path = next(whole.glob("verdicts/gpu=rtx-3090/*.parquet"))
    schema = pyarrow.parquet.read_schema(path)
    assert schema.metadata[b"sitegen.atlas.schema"] == b"1"
    assert str(schema.field("build").type).startswith("dictionary<values=string")
    assert ONLY[0].removeprefix("gpu=").split(",")[0] == path.parent.name.removeprefix("gpu=")
