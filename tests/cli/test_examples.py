"""Commands that we show to people work.

The examples of every ``--help`` and of the README are run on the real catalog as they stand; those
of pages and guides are parsed, and questions among them are answered.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from sitegen.cli.group import COMMANDS, cli
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


PLACEHOLDERS = {"MODEL": "llama-3.1-8b-instruct", "COMBO": "2x-rtx-3090-pcie"}
LEFT_OUT = "…"


def on_pages() -> Iterator[str]:
    """Every command of ours in a template, a view or a text that people wrote."""
    for path in sorted((REPOSITORY / "templates").rglob("*.html")):
        yield from re.findall(r"<code>(sitegen [^<]+)</code>", path.read_text("utf-8"))
    for path in sorted((REPOSITORY / "sitegen" / "site").rglob("*.py")):
        for command in re.findall(r'Code\(f?"(sitegen [^"]+)"\)', path.read_text("utf-8")):
            yield re.sub(r"\{\w+\.id\}", "MODEL", command)
    for path in sorted((REPOSITORY / "content").rglob("*.md")):
        text = path.read_text("utf-8").replace("\\\n", " ")
        yield from re.findall(r"`(sitegen [^`]+)`", text)
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            yield from re.findall(r"^(sitegen .+)$", block, re.MULTILINE)


SHOWN = tuple(dict.fromkeys(" ".join(line.split()) for line in on_pages()))


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
    given = [PLACEHOLDERS.get(word, word) for word in words]
    given = [str(config) if word in CONFIGS else word for word in given]
    given = [str(folder / word) if word == OUT else word for word in given]
    given = [MACHINE if word == "here" else word for word in given]
    return run("--root", REPOSITORY, *given)


def test_every_command_that_asks_the_engine_has_an_example() -> None:
    assert {line.split()[1] for line in of(*ASKED)} == set(ASKED)


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_on_a_page_has_the_options_and_arguments_that_it_is_shown_with(line: str) -> None:
    """A command whose rest is left out, or that is only named, may lack arguments."""
    name, *words = shlex.split(line)[1:]
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    given = [word for word in words if word != LEFT_OUT]
    command.make_parser(click.Context(command)).parse_args(list(given))
    if words == given != []:
        command.make_context(name, given)


def test_pages_and_guides_show_commands() -> None:
    assert {line.split()[1] for line in SHOWN} >= {"fit", "compare", "lint-command", "bench-plan"}


ANSWERED = [one for one in SHOWN if one.split()[1] in {"fit", "explain"} and LEFT_OUT not in one]


@pytest.mark.parametrize("line", [*of("fit", "explain"), *ANSWERED])
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
