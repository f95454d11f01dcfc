"""Rules on benchmark runs: what no single figure can show to be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.catalog.authored import Authored, CatalogRecords
from sitegen.catalog.records.benchmarks import BenchmarkRecord, LatencyRecord, SpeedRunRecord
from sitegen.catalog.records.parts import Record
from sitegen.catalog.text.positions import KeyPath
from sitegen.catalog.text.source_text import quoted
from sitegen.problems import Problem

if TYPE_CHECKING:
    from sitegen.catalog.records.runs import ParallelRecord, SystemRecord


def _runs(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[BenchmarkRecord], KeyPath, SpeedRunRecord]]:
    for page in records.benchmarks.values():
        for index, run in enumerate(page.record.runs):
            yield page, ("runs", index), run


def speed_runs_have_ids_of_their_own(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure an id names one benchmark run of the whole catalog."""
    owner: dict[str, str] = {}
    for page, path, run in _runs(records):
        if owner.setdefault(run.id, page.id) != page.id or _earlier(page, path, run):
            message = f"the run {quoted(run.id)} is already in {quoted(owner[run.id])}"
            yield page.problem((*path, "id"), "run-id-taken", message, "rename one of the two")


def _earlier(page: Authored[BenchmarkRecord], path: KeyPath, run: SpeedRunRecord) -> bool:
    return any(other.id == run.id for other in page.record.runs[: int(path[1])])


def speed_runs_state_a_figure(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a run says how fast something was."""
    for page, path, run in _runs(records):
        stated = run.figures
        every = (
            stated.decode_tokens_per_s, stated.aggregate_tokens_per_s, stated.prefill_tokens_per_s
        )  # fmt: skip
        if every == (None, None, None):
            message = f"the run {quoted(run.id)} states no speed"
            hint = "state what was measured, or list it under `left_out`"
            yield page.problem((*path, "figures"), "no-figure", message, hint)


def aggregates_are_no_less_than_one_stream(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure several streams together are no slower than one of them."""
    for page, path, run in _runs(records):
        one, every = run.figures.decode_tokens_per_s, run.figures.aggregate_tokens_per_s
        if one is not None and every is not None and every < one and run.workload.sequences > 1:
            message = f"{run.workload.sequences} streams together are slower than one of them"
            where = (*path, "figures", "aggregate_tokens_per_s")
            yield page.problem(where, "aggregate-below-stream", message, "check both figures")


def depths_are_within_the_model(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no run is deeper than the context of its model."""
    for page, path, run in _runs(records):
        model = records.models.get(run.subject.model)
        depth = run.workload.depth_tokens
        if model is not None and depth is not None and depth > model.record.context_tokens:
            message = f"a depth of {depth} tokens is beyond the context of {quoted(model.id)}"
            where = (*path, "workload", "depth_tokens")
            yield page.problem(where, "depth-beyond-model", message, "check the model or the depth")


def splits_fit_the_system(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure no run, timed or logged, is split over more GPUs than it had."""
    for page, path, run in _runs(records):
        yield from _too_wide(page, path, run.parallel, run.system)
    for log in records.measurements.values():
        for index, start in enumerate(log.record.runs):
            if start.system is not None:
                yield from _too_wide(log, ("runs", index), start.parallel, start.system)


def _too_wide(
    page: Authored[Record], path: KeyPath, split: ParallelRecord, system: SystemRecord
) -> Iterator[Problem]:
    asked = (split.tensor or 1) * (split.pipeline or 1) * (split.data or 1)
    there = sum(node.count * part.count for node in system.nodes for part in node.gpus)
    if asked > there:
        message = f"a split over {asked} GPUs does not fit the {there} of its system"
        yield page.problem((*path, "parallel"), "split-beyond-system", message, "check both")


def _latencies(
    records: CatalogRecords,
) -> Iterator[tuple[Authored[BenchmarkRecord], KeyPath, LatencyRecord]]:
    for page, path, run in _runs(records):
        for name in ("ttft_ms", "tpot_ms", "itl_ms", "e2e_ms") if run.latency else ():
            found = getattr(run.latency, name)
            if isinstance(found, LatencyRecord):
                yield page, (*path, "latency", name), found


def percentiles_never_fall(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure a higher percentile is no shorter than a lower one."""
    for page, path, found in _latencies(records):
        stated = [value for value in (found.p50, found.p95, found.p99) if value is not None]
        if stated != sorted(stated):
            message = "a higher percentile is shorter than a lower one"
            yield page.problem(path, "percentiles-fall", message, "copy them again from the file")


def histograms_have_an_edge_more_than_counts(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure buckets lie between rising edges."""
    for page, path, found in _latencies(records):
        buckets = found.histogram
        if buckets is None:
            continue
        edges = list(buckets.edges_ms)
        if len(edges) != len(buckets.counts) + 1 or edges != sorted(set(edges)):
            message = f"{len(edges)} edges do not bound {len(buckets.counts)} buckets in order"
            hint = "give one more edge than counts, each larger than the one before"
            yield page.problem((*path, "histogram"), "histogram-edges", message, hint)


def histograms_count_requests(records: CatalogRecords) -> Iterator[Problem]:
    """Ensure at least one bucket holds a request."""
    for page, path, found in _latencies(records):
        if found.histogram is not None and not any(found.histogram.counts):
            message, hint = "no bucket contains a request", "leave the histogram out"
            where = (*path, "histogram", "counts")
            yield page.problem(where, "histogram-empty", message, hint)
