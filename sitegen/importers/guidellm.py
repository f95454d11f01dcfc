"""GuideLLM reports, version 2: one benchmark for each strategy of a sweep.

Source:
    vllm-project/guidellm ee7a7745, ``src/guidellm/benchmark/schemas/report.py``, ``metrics.py`` and
    ``src/guidellm/schemas/request_stats.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sitegen.importers.figures import (
    UNITS,
    day_of,
    in_milliseconds,
    inside,
    number,
    positive,
    samples,
    whole,
    words,
)
from sitegen.importers.format import Format, Value, alike
from sitegen.importers.latency import completed
from sitegen.importers.measured import MEAN_ITL, LatencyMs, ToolRun, UnusableError, reported
from sitegen.importers.wanted import Kept

SCHEMA = 2
METRICS = {
    "ttft": ("time_to_first_token_ms", UNITS["guidellm"]),
    "tpot": ("time_per_output_token_ms", UNITS["guidellm"]),
    "itl": ("inter_token_latency_ms", UNITS["guidellm"]),
    "e2e": ("request_latency", UNITS["guidellm-request-latency"]),
}
SUMMARIES = ("mean", "count", "percentiles.p50", "percentiles.p95", "percentiles.p99")
MEANS = (
    "output_tokens_per_second", "request_concurrency", "prompt_token_count", "output_token_count",
)  # fmt: skip
PATHS = (
    "metadata.version", "metadata.guidellm_version", "config.spec.data[].kind",
    "benchmarks[].config.backend.model",
    *(f"benchmarks[].config.strategy.{key}"
      for key in ("type_", "streams", "rate", "max_concurrency", "random_seed")),
    "benchmarks[].start_time", "benchmarks[].duration",
    *(f"benchmarks[].metrics.request_totals.{key}" for key in ("successful", "errored")),
    *(f"benchmarks[].metrics.{name}.successful.{key}"
      for name, _ in METRICS.values() for key in SUMMARIES),
    *(f"benchmarks[].metrics.{name}.successful.mean" for name in MEANS),
    *(f"~benchmarks[].requests.successful[].{name}" for name, _ in METRICS.values()),
)  # fmt: skip
COUNTED_FROM = "GuideLLM counts the first token in its time per output token."


def recognises(kept: Kept) -> bool:
    """Tell by the frame of a report."""
    return isinstance(kept.get("benchmarks"), list) and "guidellm_version" in inside(
        kept, "metadata"
    )


def read(values: Iterable[Value]) -> Iterator[ToolRun]:
    """One run for each benchmark of each report."""
    for line, report in alike(values, recognises):
        stated = inside(report, "metadata").get("version")
        doubt = "" if stated == SCHEMA else f"the report has version {stated}, read was {SCHEMA}"
        kinds = {words(one, "kind") for one in inside(report, "config", "spec").get("data", ())}
        dataset = kinds.pop() if len(kinds) == 1 else ""
        version = words(inside(report, "metadata"), "guidellm_version")
        for benchmark in report["benchmarks"]:
            yield run(line, benchmark, version=version, dataset=dataset, doubt=doubt)


def run(line: int, fields: Mapping[str, Any], *, version: str, dataset: str, doubt: str) -> ToolRun:
    """Read one benchmark.

    Raises:
        UnusableError: If a figure is none.
    """
    metrics, strategy = inside(fields, "metrics"), inside(fields, "config", "strategy")
    totals = inside(metrics, "request_totals")
    done = whole(totals, "successful")
    latencies, of_requests = _latencies(fields, done or 0)
    gap = latencies.get("itl", LatencyMs()).mean_ms
    concurrency, rate = _load(strategy)
    tokens = _mean(metrics, "prompt_token_count")
    return ToolRun(
        line=line,
        date=day_of(number(fields, "start_time")),
        model=words(inside(fields, "config", "backend"), "model"),
        tool_version=version,
        concurrency=concurrency,
        request_rate_per_s=rate,
        in_flight=_mean(metrics, "request_concurrency"),
        depth_tokens=_rounded(tokens),
        prompt_tokens=_rounded(tokens),
        generated_tokens=_rounded(_mean(metrics, "output_token_count")),
        completed=done,
        failed=whole(totals, "errored"),
        duration_s=positive(fields, "duration"),
        dataset=dataset,
        seed=whole(strategy, "random_seed"),
        decode_tokens_per_s=1_000 / gap if gap else None,
        decode_from=MEAN_ITL,
        aggregate_tokens_per_s=_mean(metrics, "output_tokens_per_second"),
        latencies=latencies,
        percentiles_from="requests" if of_requests else "tool",
        notes=(COUNTED_FROM,) if "tpot" in latencies else (),
        doubts=(doubt,) if doubt else (),
    )


def _load(strategy: Mapping[str, Any]) -> tuple[int | None, float | None]:
    """Concurrency and rate of a strategy.

    Raises:
        UnusableError: If the strategy is not known: its load would be a guess.
    """
    kind = words(strategy, "type_")
    if kind == "synchronous":
        return 1, None
    if kind == "concurrent":
        return whole(strategy, "streams"), None
    if kind == "throughput":
        return whole(strategy, "max_concurrency") or None, None
    if kind in {"constant", "poisson"}:
        return whole(strategy, "max_concurrency") or None, positive(strategy, "rate")
    raise UnusableError(f"the strategy {kind[:20]!r} states no load")


def _latencies(fields: Mapping[str, Any], done: int) -> tuple[dict[str, LatencyMs], bool]:
    """Read what is reported; a summary of no requests is all zeros and is none."""
    computed, latencies = False, {}
    for name, (key, unit) in METRICS.items():
        summary = inside(fields, "metrics", key, "successful")
        percentiles = inside(summary, "percentiles")
        latency = LatencyMs()
        if whole(summary, "count") != 0:
            p50, p95, p99 = (in_milliseconds(percentiles, p, unit) for p in ("p50", "p95", "p99"))
            latency = LatencyMs(in_milliseconds(summary, "mean", unit), p50, p95, p99)
        times = samples(inside(fields, "requests"), f"successful[].{key}", unit)
        if times is not None and len(times) == done:  # a sample of the requests is no histogram
            latency, of_requests = completed(latency, times)
            computed = computed or of_requests
        latencies[name] = latency
    return reported(latencies), computed


def _mean(metrics: Mapping[str, Any], name: str) -> float | None:
    return positive(inside(metrics, name, "successful"), "mean")


def _rounded(tokens: float | None) -> int | None:
    return None if tokens is None else max(1, int(tokens + 0.5))


FORMAT = Format("guidellm", "GuideLLM", PATHS, recognises, read)
