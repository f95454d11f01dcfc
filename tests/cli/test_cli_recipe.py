"""``sitegen recipe``: what is printed can be pasted, and is the plan of ``sitegen fit``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.small_project import run, small_project

QUESTION = ("qwen3-8b", "2x-rtx-4090", "--runtime", "vllm", "--quantization", "bf16")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_project(tmp_path_factory.mktemp("recipe"))


def test_the_sizes_printed_are_those_of_the_plan(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, "--tensor-parallel", "2")
    assert done.status == 0
    assert "--tensor-parallel-size 2" in done.out
    assert "MODEL=Qwen/Qwen3-8B" in done.out
    assert done.err == ""


def test_the_steps_as_data_name_the_same_assessment_as_fit(root: Path) -> None:
    (recipe,) = json.loads(run("--root", str(root), "recipe", *QUESTION, "--json").out)
    fitted = json.loads(run("--root", str(root), "fit", *QUESTION, "--json").out)
    assert recipe["assessment"] == fitted["id"]
    for step in recipe["steps"]:
        if step["language"] == "bash":
            checked = subprocess.run(
                ["bash", "-n"], input=step["text"], text=True, capture_output=True, check=False
            )
            assert checked.returncode == 0, step["text"]


def test_a_form_that_does_not_exist_is_a_mistake_with_a_hint(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, "--form", "vlm")
    assert done.status == 2
    assert "vllm" in done.err


def test_nothing_to_run_is_said_and_no_failure(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, "--context", "40960", "--sequences", "500")
    assert done.status == 0
    assert "Nothing to run" in done.out


def test_one_pool_alone_is_no_plan(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, "--prefill-gpus", "1")
    assert done.status == 2
    assert "--decode-gpus" in done.err
