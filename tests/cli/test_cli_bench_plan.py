"""``sitegen bench-plan``: start, measure, import, for what would say most about a combo."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.small_project import REPOSITORY, run, small_project


def test_a_session_starts_measures_and_imports(tmp_path: Path) -> None:
    done = run("--root", small_project(tmp_path), "bench-plan", "2x-rtx-4090", "--most", "1")
    assert done.status == 0
    places = [
        done.out.index(words)
        for words in (
            "sitegen recipe",
            "Set these variables first",
            "Start",
            "Measure it",
            "sitegen import",
        )
    ]
    assert places == sorted(places)
    line = next(line for line in done.out.splitlines() if line.startswith("sitegen import"))
    assert shlex.split(line)[4:6] == ["--combo", "2x-rtx-4090"]
    assert all(not text.endswith(" ") for text in done.out.splitlines())


def test_what_settles_most_verdicts_comes_first_and_says_how_many() -> None:
    done = run("--root", REPOSITORY, "bench-plan", "1x-rtx-3090", "--most", "50")
    assert done.status == 0
    settled = [int(number) for number in re.findall(r"# It settles (\d+) verdict", done.out)]
    assert settled
    assert settled == sorted(settled, reverse=True)
    assert done.out.rindex("# It settles") < done.out.index("# No verdict depends on it")


def test_one_model_alone_may_be_planned(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    done = run("--root", root, "bench-plan", "2x-rtx-4090", "--model", "qwen3-8b", "--most", "9")
    assert done.status == 0
    assert re.findall(r"^sitegen import \S+ \S+ --combo \S+ --model (\S+)", done.out, re.MULTILINE)
    assert "--model llama-3.1-8b-instruct" not in done.out


def test_the_run_of_a_model_is_the_pick_that_fit_and_the_page_name(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    fitted = json.loads(run("--root", root, "fit", "qwen3-8b", "2x-rtx-4090", "--json").out)
    done = run("--root", root, "bench-plan", "2x-rtx-4090", "--model", "qwen3-8b", "--most", "9")
    (line,) = re.findall(r"^sitegen import .*$", done.out, re.MULTILINE)
    words = shlex.split(line)
    given = {name: words[words.index(f"--{name}") + 1] for name in ("checkpoint", "runtime")}
    runtime = fitted["runtime"]
    assert given["checkpoint"] == fitted["checkpoint"]
    assert given["runtime"].partition("@")[0] == runtime["id"]


@pytest.mark.parametrize("words", [["2x-rtx-4900"], ["2x-rtx-4090", "--model", "qwen3-9b"]])
def test_an_unknown_word_is_told_with_the_nearest(tmp_path: Path, words: list[str]) -> None:
    done = run("--root", small_project(tmp_path), "bench-plan", *words)
    assert done.status == 2
    assert "did you mean" in done.err
