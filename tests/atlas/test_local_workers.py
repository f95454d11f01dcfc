"""A process that dies loses nothing, unless it dies at the same piece again and again."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sitegen.atlas.local_workers import TRIES, Judged, judged_here
from sitegen.pipeline.lifelines import WorkerKilled


def squared(place: int) -> Judged:
    return Judged(place, b"%d" % place**2, 0.0)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_every_piece_is_done_once(jobs: int) -> None:
    found = sorted(judged_here(squared, range(12), jobs), key=lambda one: one.place)
    assert found == [squared(place) for place in range(12)]


def test_a_killed_process_is_replaced_and_its_piece_done(tmp_path: Path) -> None:
    def judge(place: int) -> Judged:
        seen = tmp_path / f"{place}"
        if place % 3 == 1 and not seen.exists():
            seen.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return squared(place)

    found = sorted(judged_here(judge, range(9), 2), key=lambda one: one.place)
    assert found == [squared(place) for place in range(9)]
    assert len(list(tmp_path.iterdir())) == 3


def test_a_piece_that_kills_every_process_ends_the_run(tmp_path: Path) -> None:
    def judge(place: int) -> Judged:
        if place == 2:
            with (tmp_path / "tries").open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return squared(place)

    with pytest.raises(WorkerKilled, match="SIGKILL"):
        list(judged_here(judge, range(4), 2))
    assert (tmp_path / "tries").read_text() == "x" * TRIES


def test_a_mistake_is_raised_where_it_can_be_heard() -> None:
    def judge(place: int) -> Judged:
        if place == 3:
            raise ValueError("no such place")
        return squared(place)

    with pytest.raises(ValueError, match="no such place"):
        list(judged_here(judge, range(6), 2))
