"""What is asked of Ray, by a stand-in that answers in this process; Ray itself is a benchmark."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from sitegen.atlas.local_workers import TRIES, Judged
from sitegen.atlas.ray_workers import AHEAD, judged_on_ray
from sitegen.pipeline.lifelines import WorkerKilled

CPUS = 2


class Crashed(Exception):  # noqa: N818 - stands for one of Ray's
    """What Ray raises when it has tried often enough."""


class StandIn:
    """Tasks wait in a list; the newest is done first, and the most that waited is remembered."""

    exceptions = SimpleNamespace(WorkerCrashedError=Crashed)

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.most = 0
        self.down = False

    def init(self, **given: Any) -> None:
        """Begin, and remember how."""
        self.told.append(given)

    def cluster_resources(self) -> dict[str, float]:
        """Say how many processors there are."""
        return {"CPU": float(CPUS)}

    def put(self, value: object) -> tuple[str, object]:
        """Send once."""
        return ("put", value)

    def remote(self, **given: Any) -> Callable[[Callable[..., Judged]], SimpleNamespace]:
        """Make a task of a function."""
        self.told.append(given)
        return lambda judge: SimpleNamespace(
            remote=lambda sent, place: lambda: judge(sent[1], place)
        )

    def wait(self, tasks: Sequence[Any], *, num_returns: int) -> tuple[list[Any], list[Any]]:
        """Take the newest task."""
        self.most = max(self.most, len(tasks))
        return list(tasks[-num_returns:]), list(tasks[:-num_returns])

    def get(self, task: Callable[[], Judged]) -> Judged:
        """Do it."""
        return task()

    def shutdown(self) -> None:
        """End."""
        self.down = True


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn()
    monkeypatch.setitem(sys.modules, "ray", made)
    return made


def judge(sent: str, place: int) -> Judged:
    return Judged(place, f"{sent} {place}".encode(), 1.0)


def test_every_piece_is_done_with_inputs_that_were_sent_once(ray: StandIn) -> None:
    found = list(judged_on_ray("all", range(9), judge, address="", cpus=CPUS))
    assert sorted(one.content for one in found) == [f"all {place}".encode() for place in range(9)]
    assert ray.most == CPUS * AHEAD
    assert ray.down


def test_a_cluster_is_asked_for_its_own_processors_and_to_try_again(ray: StandIn) -> None:
    list(judged_on_ray("all", [0], judge, address="auto", cpus=CPUS))
    begun, task = ray.told
    assert (begun["address"], begun["num_cpus"]) == ("auto", None)
    assert (task["num_cpus"], task["max_retries"]) == (1, TRIES)


def test_ray_is_stopped_after_a_mistake(ray: StandIn) -> None:
    def wrong(sent: str, place: int) -> Judged:
        raise ValueError(f"{sent} {place}")

    with pytest.raises(ValueError, match="all 0"):
        list(judged_on_ray("all", [0], wrong, address="", cpus=1))
    assert ray.down


def test_processes_that_die_again_and_again_are_named(ray: StandIn) -> None:
    def wrong(sent: str, place: int) -> Judged:
        raise Crashed(sent, place)

    with pytest.raises(WorkerKilled, match="Ray"):
        list(judged_on_ray("all", [0], wrong, address="", cpus=1))
    assert ray.down
