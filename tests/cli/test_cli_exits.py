"""Exit statuses: what happened decides them, and nothing a user does ends in a traceback."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from sitegen.cli.exits import CommandError, run_safely
from sitegen.output import PublishError
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from tests.cli.small_project import REPOSITORY, run

PROBLEM = Problem(SourceSpan("catalog/gpus/a.yaml", 2, 3), "typo", "wrong")


def raising(error: BaseException) -> click.Command:
    @click.command()
    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (ProblemsFound([PROBLEM]), 1, "catalog/gpus/a.yaml:2:3: error[typo]: wrong"),
        (click.UsageError("no such thing"), 2, "Error: no such thing"),
        (CommandError("no folder"), 2, "sitegen: error: no folder"),
        (PublishError("refusing"), 2, "sitegen: error: refusing"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), 2, "Permission denied: /x"),
        (MemoryError(), 2, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (click.Abort(), 130, "interrupted\n"),
    ],
)
def test_each_failure_has_its_status_and_its_words(
    capsys: pytest.CaptureFixture[str], error: BaseException, status: int, said: str
) -> None:
    assert run_safely(raising(error), []) == status
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out == ""
    assert "Traceback" not in shown.err


def test_our_own_mistakes_are_one_line_and_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    error = ZeroDivisionError("division by zero")
    error.add_note("while rendering /combos/a/ from catalog/combos/a.yaml")
    assert run_safely(raising(error), []) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "while rendering /combos/a/ from catalog/combos/a.yaml" in shown
    found = re.search(r"please report it with (\S+)", shown)
    assert found is not None
    report = Path(found[1])
    assert "Traceback" in report.read_text()
    report.unlink()


def test_messages_cannot_move_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run_safely(raising(CommandError("a\x1b[2Jb\x07")), [])
    assert capsys.readouterr().err == "sitegen: error: a\\x1b[2Jb\\x07\n"


@pytest.mark.parametrize(
    "words",
    [
        ["bench-plan", "2x-rtx-4090", "\x1b]0;owned\x07", "2"],
        ["fit", "--\x1b[2J"],
        ["\x9b31m"],
        ["check", "no\x07such.yaml"],
        ["fit", "qwen3-8b", "--gpu", "\x1b[2J"],
        ["import", "\u202e.json"],
    ],
)
def test_words_that_are_typed_come_back_without_what_a_terminal_runs(words: list[str]) -> None:
    done = run("--root", REPOSITORY, *words)
    assert done.status == 2
    assert (done.out + done.err).replace("\n", "").isprintable()


def test_a_reader_who_has_gone_is_no_reason_to_complain() -> None:
    command = [sys.executable, "-m", "sitegen", "--help"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 2
    assert said == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("ends", "status"),
    [
        (">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0), ("2>/dev/full", 0), (">/dev/full", 2),
        (">/dev/full 2>/dev/full", 2),
    ],
)  # fmt: skip
def test_closed_and_full_streams_change_no_status_but_of_a_result_that_is_lost(
    ends: str, status: int, lent: Path
) -> None:
    start = f"exec {sys.executable} -m sitegen --root {lent}"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for words, expected in (("check", 0), ("fit qwen3-8b 2x-rtx-4090", status)):
        done = subprocess.run(
            ["sh", "-c", f"{start} {words} {ends}"], check=False, capture_output=True,
            env=environment, timeout=120,
        )  # fmt: skip
        said = (done.stdout + done.stderr).decode()
        assert "Traceback" not in said
        assert "internal error" not in said
        assert done.returncode == expected, (words, ends, said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chek",), "no command 'chek'; did you mean 'check'?"),
        (("check", "--formt", "json"), "--format"),
        (("check", "--format", "xml"), "xml"),
        (("new", "gpus", "a"), "gpus"),
        (("--root", "/nowhere/at/all", "check"), "has no catalog/ folder"),
        (("serve", "--port", "99999"), "99999"),
    ],
)
def test_wrong_usage_is_status_2_and_says_what_is_right(
    arguments: tuple[str, ...], said: str
) -> None:
    done = run(*arguments)
    assert done.status == 2
    assert said in done.err
    assert done.out == ""


def test_outside_a_project_it_says_where_it_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("check")
    assert done.status == 2
    assert f"no catalog/ folder in {tmp_path} or above it" in done.err


def test_an_interrupt_where_no_exception_can_leave_is_delivered_once_more() -> None:
    program = """
import signal, sys, time
from sitegen.cli import _interrupt_again

# a shell lets its jobs in the background ignore an interruption: undo that
signal.signal(signal.SIGINT, signal.default_int_handler)

class Dying:
    def __del__(self):
        raise KeyboardInterrupt

sys.unraisablehook = _interrupt_again
try:
    Dying()
    for _ in range(300):
        time.sleep(0.1)
except KeyboardInterrupt:
    sys.exit(130)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, timeout=20
    )
    assert (done.returncode, done.stderr) == (130, b"")
