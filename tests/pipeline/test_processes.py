"""Forked processes answer in order, pass errors on and never outlive a killed parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.pipeline.lifelines import WorkerKilled
from sitegen.pipeline.processes import fork_map, in_background, processes_for

KILLED = """
import os, sys, time
from sitegen.pipeline.processes import fork_map

def work(share):
    os.write(1, f"{os.getpid()}\\n".encode())  # at once, or two lines become one
    time.sleep(0.5 if sys.argv[1] == "sends" else 3_600)
    yield bytes(10_000_000)

fork_map(work, 2)
"""
ORPHAN = """
import os, sys, time
sys.platform = sys.argv[1]
from sitegen.pipeline.lifelines import ends_with

parent = os.getpid()
if os.fork() == 0:
    ends_with(parent)
    os.write(1, f"{os.getpid()}\\n".encode())
time.sleep(3_600)
"""


def test_pieces_come_in_the_order_of_the_shares() -> None:
    assert fork_map(lambda share: range(10 * share, 10 * share + 2), 3) == [0, 1, 10, 11, 20, 21]


def test_a_piece_may_be_larger_than_a_pipe_holds() -> None:
    assert [len(piece) for piece in fork_map(lambda _: [bytes(5_000_000)], 2)] == [5_000_000] * 2


def test_pieces_are_read_while_the_first_share_is_at_work() -> None:
    sent = multiprocessing.get_context("fork").Event()

    def work(share: int) -> Iterator[bytes]:
        if share == 0:
            assert sent.wait(30)  # which it would not be, were nothing read meanwhile
        else:
            yield bytes(5_000_000)
            sent.set()

    assert fork_map(work, 2) == [bytes(5_000_000)]


def test_what_pieces_have_in_common_is_one_value() -> None:
    def work(_: int) -> Iterator[list[str]]:
        common = ["common"]
        yield common
        yield common

    here, same_here, there, same_there = fork_map(work, 2)
    assert here is same_here
    assert there is same_there


def test_an_error_in_a_process_is_raised_in_the_parent_with_its_notes() -> None:
    def fail(share: int) -> list[int]:
        if share == 0:
            return [0]
        error = ValueError(f"share {share}")
        error.add_note("while rendering /")
        raise error

    with pytest.raises(ValueError, match="share 1") as caught:
        fork_map(fail, 2)
    assert caught.value.__notes__ == ["while rendering /"]


def test_an_error_that_looks_like_a_missing_answer_is_told_from_one() -> None:
    def fail(share: int) -> Iterator[int]:
        yield share
        if share:
            raise EOFError("of the work")

    with pytest.raises(EOFError, match="of the work"):
        fork_map(fail, 2)


def test_an_error_here_ends_the_others() -> None:
    def work(share: int) -> Iterator[bytes]:
        if share == 0:
            raise ValueError("here")
        while True:
            yield bytes(100_000)

    with pytest.raises(ValueError, match="here"):
        fork_map(work, 2)


def test_a_process_that_is_killed_is_reported_as_killed() -> None:
    message = r"a worker process was killed \(SIGKILL\), perhaps because memory ran out"
    with pytest.raises(WorkerKilled, match=message):
        fork_map(_killed, 2)
    with (
        in_background(lambda: os.kill(os.getpid(), signal.SIGTERM), 2) as answer,
        pytest.raises(WorkerKilled, match=r"\(SIGTERM\)$"),
    ):
        answer()


def test_a_process_that_leaves_without_an_answer_is_not_called_killed() -> None:
    with (
        in_background(lambda: os._exit(0), 2) as answer,
        pytest.raises(RuntimeError, match="without an answer"),
    ):
        answer()


def test_an_interruption_that_the_parent_ignores_ends_no_process_of_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with in_background(lambda: signal.getsignal(signal.SIGINT) == signal.SIG_IGN, 2) as answer:
            assert answer()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("jobs", [1, 2])
def test_work_beside_answers_once_and_to_who_asks(jobs: int) -> None:
    with in_background(lambda: [os.getpid()], jobs) as answer:
        assert answer() is answer()
        assert (answer() == [os.getpid()]) is (jobs == 1)


def test_work_beside_that_nobody_waits_for_is_stopped() -> None:
    started = time.monotonic()
    with in_background(lambda: time.sleep(60), 2):
        pass
    assert time.monotonic() - started < 30


def test_an_error_beside_is_raised_where_the_answer_is_asked_for() -> None:
    def fail() -> int:
        raise ValueError("beside")

    with in_background(fail, 2) as answer, pytest.raises(ValueError, match="beside"):
        answer()


def test_few_pieces_are_not_worth_processes() -> None:
    assert processes_for(2, 1) == 1
    assert processes_for(2, 2) == 2


@pytest.mark.parametrize("work", ["sends", "hangs"])
def test_nobody_waits_when_the_parent_is_killed(work: str) -> None:
    command = [sys.executable, "-c", KILLED, work]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        children = [int(run.stdout.readline()) for _ in range(2)]
        run.kill()
    deadline = time.monotonic() + 10
    while any(_runs(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_runs(child) for child in children)


@pytest.mark.parametrize("on_linux", [True, False])
def test_a_process_ends_with_its_parent_where_the_kernel_helps_and_where_not(
    on_linux: bool,
) -> None:
    platform = sys.platform if on_linux else "darwin"
    with subprocess.Popen(
        [sys.executable, "-c", ORPHAN, platform], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        child = int(run.stdout.readline())
        assert _runs(child)
        run.kill()
    deadline = time.monotonic() + 10
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(child)


def _killed(share: int) -> Iterator[int]:
    yield share
    if share:
        os.kill(os.getpid(), signal.SIGKILL)


def _runs(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
