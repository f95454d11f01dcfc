"""Builds of the development server run in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

import sitegen.serve.builder
from sitegen.problems import ProblemsFound
from sitegen.serve.builder import Builder, BuildFailed
from sitegen.store import FOLDER
from tests.cli.small_project import REPOSITORY, remembered_project, small_project


def test_a_build_apart_gives_files_or_problems_or_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitegen.serve.builder, "IN_BACKGROUND", 0)  # other tests take the cores
    root = remembered_project(tmp_path)
    builder = Builder(root, jobs=2, store=root / FOLDER)
    assert "combos/2x-rtx-4090/index.html" in builder()
    (root / "catalog" / "gpus" / "broken.yaml").write_text("name: [")
    with pytest.raises(ProblemsFound) as found:
        builder()
    assert found.value.problems[0].span.path == "catalog/gpus/broken.yaml"
    (root / "catalog" / "gpus" / "broken.yaml").unlink()
    (root / "templates" / "combo.html").write_text("{% for %}")
    with pytest.raises(BuildFailed, match="RenderError: /combos/"):
        builder()


def test_a_build_that_is_stopped_says_so(tmp_path: Path) -> None:
    builder = Builder(small_project(tmp_path))
    failures: list[str] = []

    def build() -> None:
        try:
            builder()
        except BuildFailed as error:
            failures.append(str(error))

    thread = threading.Thread(target=build)
    thread.start()
    time.sleep(0.2)
    builder.stop()
    thread.join(timeout=30)
    assert failures == ["the build was stopped"]


def test_stopping_what_does_not_run_does_nothing(tmp_path: Path) -> None:
    Builder(tmp_path).stop()


HANG = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"


def hang(root: Path) -> str:
    """Make the build of a project take for ever, in all its processes; return what to undo."""
    template = root / "templates" / "base.html"
    before = template.read_text(encoding="utf-8")
    template.write_text(HANG + before, encoding="utf-8")
    return before


def descendants(process: int) -> set[int]:
    """Return the running processes that a process has begun, and those that they have."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            parents[int(status.parent.name)] = int(parent)
    found = {process}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def running(processes: set[int]) -> set[int]:
    """Return those that still run, whoever their parent is by now."""
    left = set()
    for one in processes:
        try:
            state = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            left.add(one)
    return left


def until(holds: Callable[[], object], seconds: float = 60) -> bool:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_a_build_that_takes_too_long_ends_itself_and_says_so(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    hang(root)
    with pytest.raises(BuildFailed, match="took longer than 4 s"):
        Builder(root, jobs=2, limit_s=4)()
    assert until(lambda: not [p for p in descendants(os.getpid()) if _is_build(p)], 10)


def _is_build(process: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Serving:
    """``sitegen serve`` of a small project, and what it says."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, "-m", "sitegen", "--root", str(root), "serve", "--port", "0"]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
        )
        self.said: list[str] = []
        self._seen: set[int] = set()
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in running(self._seen | {self.process.pid}):  # a failed test leaves nothing
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        self.process.wait()
        self._listener.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.strip())

    def built(self) -> int:
        """How often it has built."""
        return sum(line.startswith("built ") for line in self.said)

    def builders(self) -> set[int]:
        """Its processes that build."""
        found = {one for one in descendants(self.process.pid) if _is_build(one)}
        self._seen |= found
        return found


def test_a_repair_ends_a_build_that_never_ends(tmp_path: Path) -> None:
    root = remembered_project(tmp_path)
    before = hang(root)
    with Serving(root) as serving:
        assert until(lambda: len(serving.builders()) >= 2)  # the build and a worker
        hung = serving.builders()
        time.sleep(1)  # file times differ
        (root / "templates" / "base.html").write_text(before, encoding="utf-8")
        assert until(lambda: serving.built() == 1)
        assert not running(hung)
        assert not any("stopped" in line for line in serving.said)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_a_server_that_ends_takes_its_build_with_it(tmp_path: Path, number: signal.Signals) -> None:
    root = remembered_project(tmp_path)
    hang(root)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # for a job in the background
    with Serving(root) as serving:
        signal.signal(signal.SIGINT, before)
        assert until(lambda: len(serving.builders()) >= 2)
        children = descendants(serving.process.pid)
        serving.process.send_signal(number)
        status = serving.process.wait(timeout=20)
        assert status == (130 if number == signal.SIGINT else -number)
        assert until(lambda: not running(children), 10)
