"""Progress: one line at a terminal from the second second on, and nothing anywhere else."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitegen.cli.progress import STAGES, line
from sitegen.inputs import read_project
from sitegen.pipeline.building import build
from tests.cli.small_project import REPOSITORY, small_project

SLOW = """
import sys, time
from sitegen.cli.progress import progress
with progress(quiet="quiet" in sys.argv) as told:
    for stage in ("parse", "survey"):
        told(stage)
        time.sleep(float(sys.argv[1]))
print("done", file=sys.stderr)
"""


def at_a_terminal(*arguments: str, **environment: str) -> str:
    """Run a slow piece of work whose standard error is a terminal, and return what it shows."""
    ours, theirs = pty.openpty()
    plain = {key: value for key, value in os.environ.items() if key not in {"CI", "TERM"}}
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *arguments],
        stderr=theirs,
        env={**plain, "TERM": "xterm", "PYTHONPATH": str(REPOSITORY), **environment},
    ) as process:
        os.close(theirs)
        shown = b""
        until = time.monotonic() + 60
        while time.monotonic() < until and select.select([ours], [], [], 30)[0]:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # Linux says so when nobody holds the other end any more
                break
            if not piece:
                break
            shown += piece
        assert process.wait(30) == 0
    os.close(ours)
    return shown.decode()


def test_a_long_stage_is_named_with_its_seconds_and_the_line_goes_away() -> None:
    shown = at_a_terminal("2.5")
    lines = [part.strip() for part in shown.split("\r") if part.strip()]
    assert lines[0] in {line("parse", seconds) for seconds in (1, 2, 3)}
    assert set(lines) & {line("survey", seconds) for seconds in range(2, 9)}
    assert lines[-1] == "done"
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(("0.1",), {}), (("1.2", "quiet"), {}), (("1.2",), {"CI": "1"}), (("1.2",), {"TERM": "dumb"})],
)
def test_what_is_quick_or_not_looked_at_shows_nothing(
    arguments: tuple[str, ...], environment: dict[str, str]
) -> None:
    assert at_a_terminal(*arguments, **environment) == "done\r\n"


def test_no_terminal_sees_nothing_and_no_process_stays() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLOW, "1.2"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        check=True,
    )
    assert done.stderr == b"done\n"


def test_a_build_tells_every_stage_in_order(tmp_path: Path) -> None:
    told: list[str] = []
    build(read_project(small_project(tmp_path)), told=told.append)
    assert told == list(STAGES)
