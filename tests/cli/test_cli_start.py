"""How the command line starts and what it says about itself."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

import sitegen
from sitegen.cli.group import COMMANDS, cli
from tests.cli.small_project import REPOSITORY, run

HEAVY = {"pydantic", "yaml", "jinja2", "tornado", "rich", "markdown_it", "pygments", "asyncio"}
PAGES = {"jinja2", "markdown_it", "pygments", "PIL"}


def test_version_is_told_without_loading_what_it_does_not_need() -> None:
    code = (
        "import sys; from sitegen.cli.group import cli; from sitegen.cli.exits import run_safely;"
        "status = run_safely(cli, ['--version']);"
        "print(sorted(sys.modules), file=sys.stderr); sys.exit(status)"
    )
    done = started(code)
    assert done.stdout == f"sitegen {sitegen.__version__}\n"
    assert HEAVY.isdisjoint(name.strip("'") for name in done.stderr.strip("[]\n").split(", "))


def test_a_question_on_the_command_line_loads_nothing_that_makes_pages() -> None:
    code = "import sys, sitegen.cli.text.fit; print(*sys.modules)"
    assert PAGES.isdisjoint(started(code).stdout.split())


def started(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=REPOSITORY
    )


@pytest.fixture(autouse=True)
def _narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_a_screen_and_shows_an_example(command: str) -> None:
    done = run(*([command] if command else []), "--help")
    assert done.status == 0
    assert len(done.out.splitlines()) <= 60
    assert command == "" or "Example" in done.out


def test_help_states_the_exit_statuses() -> None:
    words = run("--help").out
    for status in ("0 ", "1 ", "2 ", "130"):
        assert f"\n    {status}" in words


def test_short_help_in_the_list_is_the_command_s_own() -> None:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name


def reference() -> str:
    """Write docs/cli.md from the commands' own help."""
    parts = [
        "# Command line\n\nMade from `--help`; change the commands, then run `make bless`.\n"
        "Results and problems go to standard output, everything else to standard error.\n"
    ]
    for name in ("", *COMMANDS):
        text = run(*([name] if name else []), "--help").out.rstrip()
        parts.append(f"## {f'sitegen {name}'.strip()}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def test_docs_say_what_the_help_says() -> None:
    page = REPOSITORY / "docs" / "cli.md"
    if os.environ.get("BLESS"):
        page.write_text(reference(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == reference()
