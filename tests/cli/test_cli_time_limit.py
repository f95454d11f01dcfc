"""Builds that never end, and workers that are killed: words, exit 2, and the old site stands."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import time_limit
from sitegen.cli.exits import CommandError
from sitegen.pipeline import pages
from tests.cli.small_project import run, small_project

rendered = pages._written


def _in_workers(act: Callable[[], None]) -> Callable[..., Any]:
    """Return a renderer that does something else in every process but this one."""
    here = os.getpid()

    def instead(*arguments: Any) -> Any:
        if os.getpid() != here:
            act()
        return rendered(*arguments)

    return instead


def _everywhere(act: Callable[[], None]) -> Callable[..., Any]:
    """Return a renderer that does something else first."""

    def instead(*arguments: Any) -> Any:
        act()
        return rendered(*arguments)

    return instead


def _hang() -> None:
    while True:
        time.sleep(0.01)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def is_as_before(root: Path) -> bool:
    """Whether the site of before stands, with nothing beside it, and no process runs."""
    names = sorted(path.name for path in root.iterdir())
    here = names == [".sitegen-cache", "catalog", "content", "public", "templates"]
    return here and not multiprocessing.active_children()


def _version(root: Path) -> tuple[int, int]:
    """Which file the home page is, and when it was written: a reader moves only its access time."""
    status = (root / "public" / "index.html").stat()
    return status.st_ino, status.st_mtime_ns


# An interruption may fall where no exception can leave, and comes again (AGAIN_S).
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("jobs", "where"), [("1", _everywhere), ("2", _everywhere), ("2", _in_workers)]
)
def test_a_build_that_never_ends_is_ended_and_publishes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    jobs: str,
    where: Callable[[Callable[[], None]], Callable[..., Any]],
) -> None:
    root = small_project(tmp_path)
    assert run("--root", root, "build", "--no-store").status == 0
    before = _version(root)
    monkeypatch.setattr(pages, "_written", where(_hang))
    done = run("--root", root, "build", "--no-store", "--jobs", jobs, "--time-limit", "3")
    assert done.status == 2
    assert "the build took longer than 3 s, so sitegen stopped it and published nothing" in done.err
    assert "--time-limit" in done.err
    assert _version(root) == before
    assert is_as_before(root)


def test_an_interruption_that_gets_lost_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "AGAIN_S", 0.1)
    lost = 0

    def losing() -> None:
        nonlocal lost
        while lost < 3:
            try:
                _hang()
            except KeyboardInterrupt:
                lost += 1
        raise KeyboardInterrupt

    with pytest.raises(CommandError, match="took longer than 1 s"), time_limit.ended_after(1):
        losing()
    assert lost == 3
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_check_of_pages_that_never_ends_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_written", _everywhere(_hang))
    done = run("--root", small_project(tmp_path), "check", "--pages", "--time-limit", "3")
    assert done.status == 2
    assert "took longer than 3 s" in done.err


def test_a_worker_that_was_killed_is_named_and_not_called_our_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = small_project(tmp_path)
    assert run("--root", root, "build", "--no-store").status == 0
    monkeypatch.setattr(pages, "_written", _in_workers(_die))
    done = run("--root", root, "build", "--no-store", "--jobs", "2")
    assert done.status == 2
    assert "a worker process was killed (SIGKILL), perhaps because memory ran out" in done.err
    assert "try --jobs 1" in done.err
    assert "internal error" not in done.err
    assert is_as_before(root)


def test_an_interruption_is_no_passed_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pages, "_written", _everywhere(interrupt))
    done = run("--root", small_project(tmp_path), "build", "--jobs", "1")
    assert (done.status, done.err.splitlines()[-1]) == (130, "interrupted; nothing was published")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
