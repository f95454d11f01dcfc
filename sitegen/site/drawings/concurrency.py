"""Measured throughput over the streams at once, a drawing per set-up with several numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Source
from sitegen.catalog.domain.runs import SpeedRun
from sitegen.site.cells import Cell, NumberCell, Unit
from sitegen.site.drawings.plot import Drawn, Plot, Point, Series, doubling_axis
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.measured import system_name
from sitegen.site.tables.runs import NOT_STATED, SpeedRuns, ran_file

FEWEST = 3
"""Numbers of streams that make a drawing."""


def concurrency_plots(runs: SpeedRuns, catalog: Catalog) -> tuple[Drawn, ...]:
    """Draw what each source measured of one set-up with at least three numbers of streams.

    Runs belong together where everything but the streams is the same; of two with equally many
    streams the faster is drawn and both stand in the tables of runs.
    """
    found: dict[Hashable, dict[int, tuple[SpeedRun, Source]]] = {}
    for run, source in runs:
        speed = run.figures.aggregate_tokens_per_s
        if speed is None or run.doubt:
            continue
        asked = (run.workload.prompt_tokens, run.workload.generated_tokens)
        same = found.setdefault((setup_of(run, source), asked), {})
        known = same.get(run.workload.sequences)
        if known is None or speed > (known[0].figures.aggregate_tokens_per_s or 0):
            same[run.workload.sequences] = (run, source)
    several = [by_streams for by_streams in found.values() if len(by_streams) >= FEWEST]
    return tuple(_drawn(at, by_streams, catalog) for at, by_streams in enumerate(several, 1))


def setup_of(run: SpeedRun, source: Source) -> Hashable:
    """Return what runs of a set-up have in common: all but what was asked and how often at once."""
    subject, work = run.subject, run.workload
    gpus = tuple(gpu.gpu.id for gpu in run.system.gpus)
    network = run.system.network.id if run.system.network else ""
    links = tuple(node.link.id if node.link else "" for node in run.system.nodes)
    return (
        source.url or source.title, subject, gpus, links, network, run.split, work.depth_tokens,
        work.kv_dtype, run.power_limit_watts, run.speculative, run.eager,
    )  # fmt: skip


def setup_words(run: SpeedRun, catalog: Catalog) -> str:
    """Name the runtime, the GPUs and the checkpoint of a run."""
    runtime = catalog.runtimes[run.subject.runtime].name
    return f"{runtime} on {system_name(run.system)}, {ran_file(run.subject, catalog)}"


def _drawn(at: int, by_streams: dict[int, tuple[SpeedRun, Source]], catalog: Catalog) -> Drawn:
    runs = [run for _, (run, _) in sorted(by_streams.items())]
    first = runs[0]
    every = tuple(_points(runs))
    depth = first.workload.depth_tokens
    where = "" if depth is None else _cached_words(depth)
    what = f"{setup_words(first, catalog)}{where}"
    each = tuple(
        Point(run.workload.sequences, run.figures.decode_tokens_per_s)
        for run in runs
        if run.figures.decode_tokens_per_s is not None
    )
    shown: tuple[Series, ...] = (Series("All users", every, line=True, marked=True),)
    if len(each) >= FEWEST:
        shown = (*shown, Series("Each user", each, line=True, marked=True))
    plot = Plot(
        id=f"concurrency-{at}",
        title=f"Measured throughput by number of users: {what}",
        description=(
            "The measured total speed as users are added, and the speed per user where it was "
            "measured. The table below has the same numbers."
        ),
        x=doubling_axis("Concurrent users", Unit.COUNT, (point.x for point in every)),
        y=doubling_axis(
            "Decode", Unit.TOKENS_PER_S, (p.y for series in shown for p in series.points)
        ),
        series=shown,
    )
    columns = (
        Column("Users", numeric=True, note="concurrent", key="streams"),
        *(Column(series.name, numeric=True, note="measured") for series in shown),
    )
    speeds = [{point.x: point.y for point in series.points} for series in shown]
    rows = tuple(
        Row(
            (
                NumberCell(point.x, Unit.COUNT),
                *(_measured(values.get(point.x)) for values in speeds),
            )
        )
        for point in every
    )
    caption = f"Measured throughput by number of users: {what}"
    return Drawn(plot, Table(f"concurrency-{at}-table", caption, columns, rows))


def _cached_words(tokens: int) -> str:
    """Say what the cache held when the runs began.

    >>> _cached_words(0), _cached_words(4_096)
    (', empty cache', ', 4,096 tokens in the cache')
    """
    return f", {tokens:,} tokens in the cache" if tokens else ", empty cache"


def _measured(speed: float | None) -> Cell:
    return NOT_STATED if speed is None else NumberCell(speed, Unit.TOKENS_PER_S)


def _points(runs: list[SpeedRun]) -> Iterator[Point]:
    for run in runs:
        if run.figures.aggregate_tokens_per_s is not None:
            yield Point(run.workload.sequences, run.figures.aggregate_tokens_per_s)
