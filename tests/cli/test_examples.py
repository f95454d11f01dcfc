"""The examples of every ``--help`` and of the README are run on the real catalog as they stand."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.cli.group import COMMANDS
from tests.cli.small_project import REPOSITORY, Ran, run
from tests.test_docs import LLAMA_8B

ASKED = ("fit", "explain", "recipe", "bench-plan", "lint-command")
"""Commands that ask the engine and write nothing; the others have files to read or to write."""
OUT = "qwen/"
CONFIGS = {"./config.json", "path/to/config.json"}
MACHINE = f"here:{REPOSITORY / 'tests' / 'here' / 'recorded' / 'l40s'}"
"""Stands for the machine of an example: the one that runs this test may have no GPU."""


def examples() -> Iterator[str]:
    """Every line below "Example" in a help, and of the README's shell blocks."""
    for command in COMMANDS:
        text = run(command, "--help").out.replace("\\\n", " ")
        _, _, shown = text.partition("Example")
        yield from re.findall(r"^\s+(sitegen .+)$", shown, re.MULTILINE)
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", readme, re.DOTALL | re.MULTILINE):
        yield from re.findall(r"^(sitegen .+)$", block, re.MULTILINE)


def of(*commands: str) -> list[str]:
    found = dict.fromkeys(" ".join(line.split()) for line in examples())
    return [line for line in found if line.split()[1] in commands]


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def typed(line: str, folder: Path) -> Ran:
    """Run a line as a shell would, up to a pipe or a redirection."""
    config = folder / "config.json"
    config.write_text(json.dumps(LLAMA_8B), encoding="utf-8")
    words = shlex.split(re.split(r"[|>&]", line)[0], comments=True)[1:]
    given = [str(config) if word in CONFIGS else word for word in words]
    given = [str(folder / word) if word == OUT else word for word in given]
    given = [MACHINE if word == "here" else word for word in given]
    return run("--root", REPOSITORY, *given)


def test_every_command_that_asks_the_engine_has_an_example() -> None:
    assert {line.split()[1] for line in of(*ASKED)} == set(ASKED)


@pytest.mark.parametrize("line", of("fit", "explain"))
def test_a_question_of_an_example_is_answered(line: str, tmp_path: Path) -> None:
    done = typed(line, tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.out


@pytest.mark.parametrize("line", of("recipe"))
def test_a_recipe_of_an_example_is_written_in_the_form_that_it_names(
    line: str, tmp_path: Path
) -> None:
    done = typed(line, tmp_path)
    assert done.status == 0
    if "--out" in line:
        assert (tmp_path / "qwen/run.sh").exists()
        return
    assert done.err == ""
    assert "Nothing to run" not in done.out
    assert "do not fit together" not in done.out
    form = re.search(r"--form (\S+)", line)
    assert form is None or f"({form[1]})" in done.out.splitlines()[0]
    assert re.search(r"^# 1\. ", done.out, re.MULTILINE)


@pytest.mark.parametrize("line", of("bench-plan"))
def test_a_plan_of_an_example_names_runs(line: str, tmp_path: Path) -> None:
    """A machine without a record gets one before the import, which names it."""
    done = typed(line, tmp_path)
    assert done.status == 0
    assert "sitegen import" in done.out
    assert ("sitegen new combo --here my-machine" in done.out) == (" here" in line)
    assert "--combo here" not in done.out
    assert ("--combo my-machine" in done.out) == (" here" in line)


@pytest.mark.parametrize("line", [one for one in of("lint-command") if "- " not in one + " "])
def test_a_text_of_an_example_is_read(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mistakes that are found are an answer: the status is 1 where there are any."""
    monkeypatch.chdir(REPOSITORY)
    done = typed(line, tmp_path)
    found = re.fullmatch(r"\d+ files?, (\d+) errors?, .*", done.err.strip())
    assert found is not None, done.err
    assert done.status == (1 if int(found[1]) else 0)


@pytest.mark.parametrize("line", [one for one in of("recipe") if "| sitegen lint-command" in one])
def test_a_recipe_that_an_example_pipes_into_the_linter_has_no_mistake(
    line: str, tmp_path: Path
) -> None:
    text = tmp_path / "recipe.sh"
    text.write_text(typed(line, tmp_path).out, encoding="utf-8")
    done = run("--root", REPOSITORY, "lint-command", text)
    assert done.status == 0, done.out
