"""A run: list the partitions, judge those that are missing, write each whole."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sitegen.atlas.builds import Build
from sitegen.atlas.folder import AtlasError, AtlasFolder
from sitegen.atlas.judging import atlas_engine, rows_of
from sitegen.atlas.local_workers import Judged, judged_here
from sitegen.atlas.parquet import SCHEMA_VERSION, build_bytes, model_bytes, verdict_bytes
from sitegen.atlas.partitions import Only, Partition, asked_on, partitions_of, within
from sitegen.atlas.ray_workers import judged_on_ray
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.fit.fit_engine import FitEngine
from sitegen.store import code_digest, digest_of
from sitegen.values import dataclass

LIFE = 8
"""Partitions after which an engine is replaced, with all that it remembers of other GPUs."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        done: Tuples judged by this run.
        wanted: Tuples that it has to judge.
        seconds: Since it began to judge.
        cpu_s: Processor time of all its workers.
    """

    done: int
    wanted: int
    seconds: float
    cpu_s: float

    @property
    def tuples_per_s(self) -> float:
        """Tuples a second, all workers together."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def tuples_per_core_s(self) -> float:
        """Tuples a second of processor time, whatever else runs on the machine."""
        return self.done / self.cpu_s if self.cpu_s else 0.0

    @property
    def left_s(self) -> float:
        """Seconds until the rest is judged, at the rate so far."""
        return (self.wanted - self.done) / self.tuples_per_s if self.done else 0.0


RemoteInputs = tuple[Mapping[str, str], Only, int | None, str]
"""What a process of a cluster is given: the catalog's files, what is asked for, and its digest."""


@dataclass(frozen=True, slots=True)
class Where:
    """Who judges: processes of this machine, or Ray where ``ray`` is set."""

    jobs: int = 1
    ray: bool = False
    address: str = ""


def made_of(texts: Mapping[str, str], only: Only) -> str:
    """Name the inputs: the catalog, the program, what is asked for and the schema."""
    files = (part for path in sorted(texts) for part in (path, texts[path]))
    return digest_of(code_digest(), str(SCHEMA_VERSION), repr(only), *files)


class Pieces:
    """The partitions of a catalog, judged by one engine after another."""

    def __init__(self, catalog: Catalog, only: Only, limit: int | None, made_of: str) -> None:
        self._catalog, self._only, self._made_of = catalog, only, made_of
        self._engine = atlas_engine(catalog)
        self._losses = self._engine.losses
        self._judged = 0
        self.every = partitions_of(self._engine, only)
        """All partitions that are asked for, also those beyond the limit."""
        self.partitions = self.every if limit is None else within(self.every, limit)

    def judge(self, place: int) -> Judged:
        """Judge one partition."""
        began = time.process_time()
        if self._judged == LIFE:
            self._engine, self._judged = atlas_engine(self._catalog, self._losses), 0
            gc.collect()
        self._judged += 1
        gc.disable()  # what the engine remembers is looked through again and again, for nothing
        try:
            rows = rows_of(self._engine, self.partitions[place], self._only)
            content = verdict_bytes(rows, self._made_of)
        finally:
            gc.enable()
        return Judged(place, content, time.process_time() - began)

    @property
    def engine(self) -> FitEngine:
        """The engine of the next partition."""
        return self._engine


_OPENED: dict[tuple[str, int | None], Pieces] = {}
"""The pieces that this process of a cluster has read, one at most."""


def judge_remotely(inputs: RemoteInputs, place: int) -> Judged:
    """Judge a partition in a process that may have judged others of the same run.

    Raises:
        AtlasError: If this machine has another program than the one that asks.
    """
    texts, only, limit, digest = inputs
    if (digest, limit) not in _OPENED:
        if made_of(texts, only) != digest:
            raise AtlasError(
                "this machine has a different version of sitegen from the one that started the run"
            )
        _OPENED.clear()
        _OPENED[digest, limit] = Pieces(parse_catalog(dict(texts)), only, limit, digest)
    return _OPENED[digest, limit].judge(place)


def run(
    folder: AtlasFolder,
    texts: Mapping[str, str],
    catalog: Catalog,
    only: Only,
    *,
    limit: int | None,
    where: Where,
    tell: Callable[[Progress], None],
) -> tuple[Progress, int]:
    """Make the missing parts of an atlas; return the outcome, and the count of tuples present.

    Raises:
        AtlasError: If the folder holds something else.
        WorkerKilled: If processes die again and again.
    """
    with folder.held():
        pieces = Pieces(catalog, only, limit, folder.made_of)
        every = pieces.partitions
        if not every:
            raise AtlasError("nothing to assess: --only leaves no build, runtime or model")
        words = {"only": {name: list(value) for name, value in asdict(only).items()}}
        folder.begin(words)
        folder.write("builds.parquet", build_bytes(_builds(pieces, only), folder.made_of))
        folder.write("models.parquet", model_bytes(catalog.models.values(), folder.made_of))
        places = [place for place, one in enumerate(every) if not folder.has(one)]
        inputs = (texts, only, limit, folder.made_of)
        found = _shared_out(pieces, places, inputs, where)
        progress = _judged(folder, every, places, found, tell)
        folder.finish(words, pieces.every)
        return progress, sum(one.tuples for one in every) - progress.wanted


def _shared_out(
    pieces: Pieces, places: Sequence[int], inputs: RemoteInputs, where: Where
) -> Iterator[Judged]:
    if where.ray:
        return judged_on_ray(inputs, places, judge_remotely, address=where.address, cpus=where.jobs)
    return judged_here(pieces.judge, places, min(where.jobs, max(1, len(places))))


def _judged(
    folder: AtlasFolder,
    partitions: Sequence[Partition],
    places: Sequence[int],
    found: Iterable[Judged],
    tell: Callable[[Progress], None],
) -> Progress:
    wanted = sum(partitions[place].tuples for place in places)
    began, done, cpu_s = time.monotonic(), 0, 0.0
    for one in found:
        partition = partitions[one.place]
        folder.write(partition.path, one.content)
        done, cpu_s = done + partition.tuples, cpu_s + one.cpu_s
        tell(Progress(done, wanted, time.monotonic() - began, cpu_s))
    return Progress(done, wanted, time.monotonic() - began, cpu_s)


def _builds(pieces: Pieces, only: Only) -> list[Build]:
    """List the builds that some partition is about, each once."""
    found: dict[str, Build] = {}
    kinds = {one.kind.id: one.kind for one in pieces.partitions}
    for kind in kinds.values():
        for asked in asked_on(pieces.engine, kind, only):
            for build in asked.builds:
                found.setdefault(build.id, build)
    return list(found.values())


def plan_of(catalog: Catalog, only: Only, limit: int | None) -> dict[str, Any]:
    """Count what a run would judge, by nothing but the catalog."""
    engine = atlas_engine(catalog)
    every = partitions_of(engine, only, limit)
    return {
        "tuples": sum(one.tuples for one in every),
        "partitions": len(every),
        "kinds": len({one.kind.id for one in every}),
    }
