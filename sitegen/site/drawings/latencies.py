"""Latency of imported runs: percentiles by load, histograms, and warnings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import log

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.runs import Histogram, Latency, Load, SpeedRun
from sitegen.site.cells import Absent, Cell, Link, NumberCell, Parts, Span, Unit
from sitegen.site.drawings.concurrency import setup_of, setup_words
from sitegen.site.drawings.plot import Axis, Bars, DrawnBars, Limit, axis_from_zero
from sitegen.site.sources import source_cell
from sitegen.site.table import Column, Row, Table
from sitegen.site.tables.runs import SpeedRuns
from sitegen.site.urls import url_of
from sitegen.values import dataclass

NAMES: Mapping[str, str] = {
    "ttft": "first token",
    "tpot": "each further token",
    "itl": "between tokens",
    "e2e": "whole request",
}
"""Latencies in words; ``tpot`` is the mean of a request, ``itl`` every single gap."""
DRAWN = ("e2e", "ttft")
NOT_REPORTED = Absent("not reported")
PERCENTILES = "--metric-percentiles 50,95,99"
REQUESTS = "--percentile-metrics ttft,tpot,itl,e2el"
WOULD_REPORT: Mapping[str, str] = {
    "vllm": f"vllm bench serve reports them with {PERCENTILES} and {REQUESTS}.",
    "inferencex": f"the benchmark reports them with {PERCENTILES} and {REQUESTS}.",
    "localscore": "LocalScore reports only a mean.",
    "mlperf": "LoadGen reports them if use_token_latencies is set.",
    "aiperf": "AIPerf reports them with --streaming.",
    "guidellm": "GuideLLM reports them for streaming requests.",
    "aiperf-records": "there are too few requests for a percentile.",
}
"""By tool, what would have reported what is missing."""
SEEDED = frozenset({"vllm", "inferencex", "guidellm", "aiperf", "aiperf-records"})
"""Tools that draw the same prompts from the same seed, run after run."""
DRAWN_PROMPTS = frozenset({"", "random", "synthetic", "synthetic_text"})
WARM = (
    "The prefix cache may have been warm: prompts drawn from the same seed are the same in every "
    "run, and a server that has just read them reads them faster."
)
KNOWN = "The server had read some of these prompts before, with its prefix cache on."
OF_REQUESTS = "We computed the percentiles from the requests in the file; the tool reported none."


@dataclass(frozen=True, slots=True)
class LatencyRuns:
    """Latencies of one set-up at one or more loads.

    ``caveats`` are sentences; ``histograms`` are of single runs.
    """

    id: str
    title: str
    workload: Parts
    caveats: tuple[str, ...]
    table: Table
    histograms: tuple[DrawnBars, ...]


def latencies(runs: SpeedRuns, catalog: Catalog) -> tuple[LatencyRuns, ...]:
    """Show the runs that have latencies, by set-up, each by rising load."""
    groups: dict[Hashable, list[tuple[SpeedRun, Cell]]] = {}
    for run, source in runs:
        if run.latency is None or not run.latency.by_name:
            continue
        drawn = run.load is None or run.load.dataset in DRAWN_PROMPTS
        key = (
            setup_of(run, source),
            run.load.dataset if run.load else "",
            (run.workload.prompt_tokens, run.workload.generated_tokens) if drawn else (),
        )
        groups.setdefault(key, []).append((run, source_cell(source)))
    return tuple(
        _shown(at, [run for run, _ in group], group[0][1], catalog)
        for at, group in enumerate(groups.values(), 1)
    )


def _shown(at: int, runs: Sequence[SpeedRun], source: Cell, catalog: Catalog) -> LatencyRuns:
    ordered = sorted(runs, key=_load_of)
    id = f"latency-{at}"
    title = f"Latency by load: {setup_words(runs[0], catalog)}"
    return LatencyRuns(
        id=id,
        title=title,
        workload=Parts(
            (*_workload(ordered), *_where(ordered[0], catalog), " Source: ", source, ".")
        ),
        caveats=tuple(dict.fromkeys(caveat for run in ordered for caveat in _caveats(run))),
        table=_table(f"{id}-table", ordered),
        histograms=tuple(_histograms(id, ordered)),
    )


def _load_of(run: SpeedRun) -> tuple[float, float]:
    load = run.load
    rate = load.request_rate_per_s if load else None
    return (rate or 0.0, float(run.workload.sequences))


def _load_words(run: SpeedRun) -> Parts:
    rate = run.load.request_rate_per_s if run.load else None
    if rate is not None:
        return Parts((NumberCell(rate, Unit.PLAIN), " requests/s"))
    noun = " user" if run.workload.sequences == 1 else " users"
    return Parts((NumberCell(run.workload.sequences, Unit.COUNT), noun))


def _table(id: str, runs: Sequence[SpeedRun]) -> Table:
    columns = (
        Column("Load"),
        Column("Latency"),
        Column("Mean", numeric=True),
        Column("p50", numeric=True, note="median"),
        Column("p95", numeric=True),
        Column("p99", numeric=True),
        Column("Slowest 1 %", numeric=True, note="rate of one user at p99"),
    )
    rows = tuple(
        Row((_load_words(run), NAMES[name], *_figures(name, one)))
        for run in runs
        for name, one in _of(run).items()
    )
    missing = any(NOT_REPORTED in row.cells for row in rows)
    caption = "Mean and percentiles by load"
    return Table(id, caption, columns, rows, note=_note(runs) if missing else "")


def _of(run: SpeedRun) -> Mapping[str, Latency]:
    found = run.latency.by_name if run.latency else {}
    return {name: found[name] for name in NAMES if name in found}


def _note(runs: Sequence[SpeedRun]) -> str:
    would = WOULD_REPORT.get(runs[0].tool, "")
    return f"Missing figures: {would}" if would else ""


def _figures(name: str, latency: Latency) -> Iterator[Cell]:
    for value in (latency.mean_s, latency.p50_s, latency.p95_s, latency.p99_s):
        yield NOT_REPORTED if value is None else _time(value)
    if name in {"tpot", "itl"} and latency.p99_s:
        yield NumberCell(1 / latency.p99_s, Unit.TOKENS_PER_S)
    else:
        yield Absent("no rate")


def _time(seconds: float) -> NumberCell:
    return NumberCell(seconds, Unit.SECONDS if seconds >= 1 else Unit.MILLISECONDS)


def _workload(runs: Sequence[SpeedRun]) -> Iterator[Cell]:
    """Say what was asked, how often and for how long, as far as the runs say it."""
    for name, tokens in (
        ("in", [run.workload.prompt_tokens for run in runs]),
        ("out", [run.workload.generated_tokens for run in runs]),
    ):
        known = [value for value in tokens if value is not None]
        if known:
            yield from _between(known, Unit.TOKENS)
            yield f" {name}, "
    loads = [run.load for run in runs if run.load]
    yield f"{_prompts(loads)} prompts"
    done = [load.completed for load in loads if load.completed is not None]
    if done:
        yield ", "
        yield from _between(done, Unit.COUNT)
        yield " requests answered"
    failed = [load.failed for load in loads if load.failed is not None]
    if failed:
        yield ", "
        yield from _between(failed, Unit.COUNT)
        yield " failed"
    spans = [load.duration_s for load in loads if load.duration_s is not None]
    if spans:
        yield ", each run took "
        yield from _between(spans, Unit.SECONDS)
    yield "."


def _where(run: SpeedRun, catalog: Catalog) -> Iterator[Cell]:
    """Lead to the combo that it ran on."""
    combo = catalog.combos.get(run.combo)
    if combo is not None:
        yield " Hardware: "
        yield Link(url_of("combo", combo.id), combo.name)
        yield "."


def _prompts(loads: Sequence[Load]) -> str:
    named = {load.dataset for load in loads}
    return named.pop() if len(named) == 1 and "" not in named else "unnamed"


def _between(values: Sequence[float], unit: Unit) -> Iterator[Cell]:
    low, high = min(values), max(values)
    yield NumberCell(low, unit) if low == high else Span(low, high, high, unit)


def _caveats(run: SpeedRun) -> Iterator[str]:
    load = run.load
    if load and load.prefix_cache == "warm":
        yield KNOWN
    seeded = run.tool in SEEDED and load is not None and load.dataset in DRAWN_PROMPTS
    if load and load.prefix_cache == "not-said" and seeded:
        yield WARM
    if run.latency and run.latency.percentiles_from == "requests":
        yield OF_REQUESTS


def _histograms(id: str, runs: Sequence[SpeedRun]) -> Iterator[DrawnBars]:
    at = 0
    for run in runs:
        for name in DRAWN:
            one = _of(run).get(name)
            if one is not None and one.histogram is not None:
                at += 1
                title = f"Requests by time, {NAMES[name]}, at {_at(run)}"
                yield _drawn(f"{id}-histogram-{at}", title, one, one.histogram)


NEAR = 0.06
"""Share of an axis within which two names would lie over each other."""


def _marks(latency: Latency, low: float, high: float) -> tuple[Limit, ...]:
    """Lines at the percentiles; one name for those that lie side by side."""
    stated = (("p50", latency.p50_s), ("p95", latency.p95_s), ("p99", latency.p99_s))
    marks: list[Limit] = []
    for word, value in stated:
        if value is None or not low <= value <= high:
            continue
        named = next((at for at in reversed(range(len(marks))) if marks[at].name), None)
        near = named is not None and log(value / marks[named].value) < NEAR * log(high / low)
        if named is not None and near:
            joined = f"{marks[named].name}, {word}"
            marks[named] = Limit(marks[named].value, joined, upright=True)
        marks.append(Limit(value, "" if near else word, upright=True))
    return tuple(marks)


def _at(run: SpeedRun) -> str:
    """Name the load of a run in a title."""
    rate, count = run.load.request_rate_per_s if run.load else None, run.workload.sequences
    streams = f"{count} user{'' if count == 1 else 's'}"
    return streams if rate is None else f"{rate:g} requests/s"


def _drawn(id: str, title: str, latency: Latency, histogram: Histogram) -> DrawnBars:
    bars = Bars(
        id=id,
        title=title,
        description=(
            "Number of requests by time taken, in buckets of increasing width. The table below "
            "has the same numbers."
        ),
        x=Axis(
            "Time", Unit.MILLISECONDS, histogram.edges_s[0], histogram.edges_s[-1], logarithmic=True
        ),
        y=axis_from_zero("Requests", Unit.COUNT, histogram.counts),
        edges=histogram.edges_s,
        counts=histogram.counts,
        limits=_marks(latency, histogram.edges_s[0], histogram.edges_s[-1]),
    )
    columns = (
        Column("From", numeric=True),
        Column("To", numeric=True),
        Column("Requests", numeric=True),
    )
    rows = tuple(
        Row((_time(low), _time(high), NumberCell(count, Unit.COUNT)))
        for low, high, count in zip(
            histogram.edges_s[:-1], histogram.edges_s[1:], histogram.counts, strict=True
        )
    )
    return DrawnBars(bars, Table(f"{id}-table", title, columns, rows))
