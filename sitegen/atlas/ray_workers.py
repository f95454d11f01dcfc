"""The same pieces of work on Ray: a cluster of machines, or processes of this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sitegen.atlas.local_workers import TRIES, Judged
from sitegen.pipeline.lifelines import WorkerKilled

AHEAD = 2
"""Pieces that are handed out for each processor, so that none waits for the next."""


def judged_on_ray(
    inputs: object,
    places: Sequence[int],
    judge: Callable[..., Judged],
    *,
    address: str,
    cpus: int | None,
) -> Iterator[Judged]:
    """Yield pieces as they are done, in any order.

    Each process of the cluster reads the catalog once and lists the same partitions, so that a
    place in the list is all that is sent. Ray begins a piece anew whose process or machine died.

    Args:
        inputs: What each process needs, sent to a machine once.
        places: Partitions to judge, by their place.
        judge: Judges one of them, given the inputs and its place.
        address: Of a cluster; empty starts Ray on this machine.
        cpus: Processes on this machine, where Ray is started here.

    Raises:
        WorkerKilled: If a piece was begun as often as Ray may, and every process died.
    """
    import ray

    ray.init(
        address=address or None,
        num_cpus=None if address else cpus,
        include_dashboard=False,
        log_to_driver=False,
    )
    try:
        sent = ray.put(inputs)
        remote: Any = ray.remote(num_cpus=1, max_retries=TRIES)(judge)
        open_places = list(reversed(places))
        most = max(1, int(ray.cluster_resources().get("CPU", 1))) * AHEAD
        at_work: list[Any] = []
        while open_places or at_work:
            while open_places and len(at_work) < most:
                at_work.append(remote.remote(sent, open_places.pop()))
            done, at_work = ray.wait(at_work, num_returns=1)
            for one in done:
                yield _found(ray, one)
    finally:
        ray.shutdown()


def _found(ray: Any, task: Any) -> Judged:
    try:
        judged: Judged = ray.get(task)
    except ray.exceptions.WorkerCrashedError as error:
        raise WorkerKilled("processes of the Ray cluster died at one piece of work") from error
    return judged
