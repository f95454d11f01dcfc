"""The linter in other people's projects: the hook, the action, and the catalog that comes along."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.small_project import REPOSITORY, run
from tests.yaml_files import read_yaml

WRONG = "# Two servers\n\n```bash\nvllm serve Qwen/Qwen3-8B --tensor-paralel-size 2\n```\n"
RIGHT = "# A server\n\n```bash\nvllm serve Qwen/Qwen3-8B --tensor-parallel-size 2\n```\n"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of somebody else, which has a folder with the name of ours."""
    (tmp_path / "catalog").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def the_hook() -> dict[str, Any]:
    """The hook for other projects."""
    (hook,) = read_yaml((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return dict(hook)


def the_action() -> dict[str, Any]:
    """The action for other projects."""
    return dict(read_yaml((REPOSITORY / "action.yml").read_text("utf-8")))


def pyproject() -> dict[str, Any]:
    """What is installed."""
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))


def test_the_hook_finds_what_is_wrong_and_passes_what_is_right(elsewhere: Path) -> None:
    program, *words = shlex.split(the_hook()["entry"])
    assert program in pyproject()["project"]["scripts"]
    page = elsewhere / "README.md"
    page.write_text(WRONG)
    done = run(*words, "README.md")
    assert done.status == 1
    assert "README.md:4:26: error[unknown-option]" in done.out
    page.write_text(RIGHT)
    assert run(*words, "README.md").status == 0


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("README.md", True), ("deploy/values.yaml", True), ("run.sh", True), ("Modelfile", True),
        ("models/Modelfile.qwen", True), ("logo.png", False), ("main.rs", False),
    ],
)  # fmt: skip
def test_the_hook_is_given_the_files_that_the_linter_reads(name: str, *, read: bool) -> None:
    assert bool(re.search(the_hook()["files"], name)) is read


def test_the_action_ends_with_the_linters_status_and_its_annotations(elsewhere: Path) -> None:
    action = the_action()
    last = action["runs"]["steps"][-1]
    assert action["runs"]["using"] == "composite"
    defaults = {name: about["default"] for name, about in action["inputs"].items()}
    env = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: defaults[found[1]], value)
        for name, value in last["env"].items()
    }
    stub = elsewhere / "bin" / "sitegen"
    stub.parent.mkdir()
    stub.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sitegen "$@"\n')
    stub.chmod(0o755)
    path = f"{stub.parent}{os.pathsep}{os.environ['PATH']}"
    for text, status in ((WRONG, 1), (RIGHT, 0)):
        (elsewhere / "README.md").write_text(text)
        done = subprocess.run(
            [last["shell"], "-e", "-o", "pipefail", "-c", last["run"]],
            env={**os.environ, **env, "PATH": path, "PYTHONPATH": str(REPOSITORY)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        assert ("::error file=README.md,line=4" in done.stdout) is bool(status)


def test_no_input_of_the_action_is_put_into_its_script() -> None:
    scripts = [step["run"] for step in the_action()["runs"]["steps"] if "run" in step]
    assert scripts
    assert [script for script in scripts if "${{" in script] == []


def test_every_folder_of_the_catalog_is_installed() -> None:
    everything = pyproject()["tool"]["setuptools"]["data-files"]
    listed = {to: one for to, one in everything.items() if to.startswith("share/sitegen/catalog")}
    folders = {path.parent for path in (REPOSITORY / "catalog").rglob("*.yaml")}
    named = {f"share/sitegen/{folder.relative_to(REPOSITORY)}" for folder in folders}
    assert named == listed.keys()
    assert all(
        target == f"share/sitegen/{one[0].rpartition('/')[0]}" for target, one in listed.items()
    )


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "qwen3-8b", "1x-rtx-4090", "--json"),
        ("recipe", "qwen3-8b", "1x-rtx-4090", "--json"),
        ("here", "--format", "json"),
    ],
    ids=lambda words: words[0],
)
def test_a_question_outside_a_project_is_answered_from_the_catalog_that_came_along(
    elsewhere: Path, words: tuple[str, ...]
) -> None:
    done = run(*words)
    assert done.status == 0
    assert json.loads(done.out)
    assert "no project here: this is from the catalog that came with sitegen\n" in done.err
    assert list(elsewhere.iterdir()) == [elsewhere / "catalog"], "nothing is written"
    assert "no project here" not in run("-q", *words).err
    assert "no project here" not in run("--root", REPOSITORY, *words).err
