"""The workflows: what may write runs no code of a change, and no text of it is a command."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.yaml_files import read_yaml

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
IDS = [file.stem for file in FILES]
PINNED = re.compile(r"[\w-]+/[\w.-]+@[0-9a-f]{40}")
OF_THE_CHANGE = re.compile(
    r"\$\{\{[^}]*(github\.event\.[^}]*(title|body|ref|label|name|message|email)|head_ref)"
)


def workflow(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = read_yaml(file.read_text("utf-8"))
    return found


def steps(file: Path) -> Iterator[dict[str, Any]]:
    for job in workflow(file)["jobs"].values():
        yield from job["steps"]


def test_the_action_for_other_projects_pins_what_it_uses_and_puts_no_input_into_a_command() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    found = read_yaml(text)["runs"]["steps"]
    used = [step["uses"] for step in found if "uses" in step]
    assert used
    assert all(PINNED.fullmatch(name) for name in used), used
    assert all("${{" not in step.get("run", "") for step in found)
    told = re.compile(r"uses: (\S+@[0-9a-f]{40} # v\S+)")
    of_the_workflows = {name for file in FILES for name in told.findall(file.read_text("utf-8"))}
    assert set(told.findall(text)) <= of_the_workflows


def test_there_are_a_check_a_comment_and_a_release() -> None:
    assert IDS == ["check", "comment", "release"]


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_actions_are_pinned_by_hash_and_keep_no_credentials(file: Path) -> None:
    used = [step for step in steps(file) if "uses" in step]
    assert all(PINNED.fullmatch(step["uses"]) for step in used), [step["uses"] for step in used]
    kept = [step for step in used if step["uses"].startswith("actions/checkout")]
    assert all(step["with"]["persist-credentials"] is False for step in kept)


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_no_text_of_a_change_stands_inside_a_command(file: Path) -> None:
    text = file.read_text("utf-8")
    assert "pull_request_target" not in text
    for step in steps(file):
        assert "${{" not in step.get("run", ""), "a value reaches a command through its environment"
        assert not OF_THE_CHANGE.search(str(step.get("env", {})))


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_commands_are_well_formed_and_jobs_end(file: Path) -> None:
    for step in steps(file):
        if "run" in step:
            done = subprocess.run(
                ["bash", "-n", "-c", step["run"]], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
    assert all(job["timeout-minutes"] <= 60 for job in workflow(file)["jobs"].values())


def actionlint(*files: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("actionlint")
    return subprocess.run([program, *files], capture_output=True, text=True, check=False)


def test_actionlint_finds_nothing_in_the_workflows() -> None:
    done = actionlint(*FILES)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_actionlint_finds_a_title_inside_a_command(tmp_path: Path) -> None:
    text = FILES[0].read_text("utf-8")
    planted = tmp_path / "check.yml"
    title = "${{ github.event.pull_request.title }}"
    planted.write_text(text.replace("run: ", f'run: echo "{title}" && ', 1), encoding="utf-8")
    done = actionlint(planted)
    assert done.returncode == 1
    assert "potentially untrusted" in done.stdout


def test_a_pull_request_gets_rights_to_read_and_nothing_else() -> None:
    check = workflow(FILES[0])
    assert check["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in check["jobs"].values())
    assert "secrets." not in FILES[0].read_text("utf-8")


def test_what_may_comment_runs_no_code_of_the_change() -> None:
    comment = workflow(FILES[1])
    assert "on:\n  workflow_run:\n" in FILES[1].read_text("utf-8")
    assert "pull_request:" not in FILES[1].read_text("utf-8")
    assert comment["permissions"] == {}
    (job,) = comment["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert not any("uses" in step for step in job["steps"])
    commands = "\n".join(step["run"] for step in job["steps"])
    assert not re.search(r"\b(git|python3?|make|node|npm|tar|source|eval|bash|sh)\b", commands)


def test_the_marker_of_the_comment_is_that_of_the_script() -> None:
    from scripts.review import MARKER

    assert MARKER in FILES[1].read_text("utf-8")
