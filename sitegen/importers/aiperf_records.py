"""AIPerf's ``profile_export.jsonl``: a line for each request, folded into one run.

Source:
    ai-dynamo/aiperf db4f6397, ``docs/tutorials/working-with-profile-exports.md``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import field

from sitegen.importers.figures import day_of, in_milliseconds, inside, number, positive, words
from sitegen.importers.format import Format, Value
from sitegen.importers.latency import of_requests
from sitegen.importers.measured import LatencyMs, ToolRun, UnusableError, mean_tokens, reported
from sitegen.importers.wanted import MOST_SAMPLES, Kept
from sitegen.values import dataclass

METRICS = {
    "ttft": "time_to_first_token", "tpot": "inter_token_latency", "e2e": "request_latency",
}  # fmt: skip
TOKENS = ("input_sequence_length", "output_sequence_length")
PATHS = (
    *(f"metrics.{name}.{key}" for name in METRICS.values() for key in ("value", "unit")),
    *(f"metrics.{name}.value" for name in TOKENS),
    *(f"metadata.{key}" for key in
      ("request_start_ns", "request_end_ns", "benchmark_phase", "was_cancelled")),
    "error.code",
)  # fmt: skip
NANOSECONDS = 1e9


def recognises(kept: Kept) -> bool:
    """Tell by the stamps of a request."""
    return "request_start_ns" in inside(kept, "metadata")


@dataclass(slots=True)
class _Fold:
    times: dict[str, array[float]] = field(
        default_factory=lambda: {name: array("d") for name in METRICS}
    )
    tokens: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TOKENS, 0.0))
    failed: int = 0
    start: float = float("inf")
    end: float = 0.0


def read(values: Iterable[Value]) -> Iterator[ToolRun]:
    """Fold all requests of the profiling phase; nothing of one is kept but its times."""
    fold, first_line = _Fold(), 0
    for line, found in values:
        first_line = first_line or line
        if words(inside(found, "metadata"), "benchmark_phase") in {"", "profiling"}:
            try:
                _add(fold, found)
            except UnusableError as error:
                raise UnusableError(str(error), line, error.hint) from None
    yield _run(fold, first_line)


def _add(fold: _Fold, kept: Kept) -> None:
    about, metrics = inside(kept, "metadata"), inside(kept, "metrics")
    if "error" in kept or about.get("was_cancelled") is True or not inside(metrics, METRICS["e2e"]):
        fold.failed += 1
        return
    if len(fold.times["e2e"]) >= MOST_SAMPLES:
        raise UnusableError(f"the run has more than {MOST_SAMPLES:,} requests")
    start, end = (number(about, f"request_{what}_ns") for what in ("start", "end"))
    if start is not None and end is not None:
        fold.start, fold.end = min(fold.start, start), max(fold.end, end)
    for name, key in METRICS.items():
        metric = inside(metrics, key)
        time = in_milliseconds(metric, "value", words(metric, "unit"))
        if time is not None:
            fold.times[name].append(time)
    for key in TOKENS:
        fold.tokens[key] += positive(inside(metrics, key), "value") or 0.0


def _run(fold: _Fold, line: int) -> ToolRun:
    latencies = reported({name: of_requests(times) for name, times in fold.times.items()})
    done = len(fold.times["e2e"])
    span = max(0.0, fold.end - fold.start) / NANOSECONDS
    whole, gap = (latencies.get(name, LatencyMs()).mean_ms for name in ("e2e", "tpot"))
    prompts, generated = (fold.tokens[key] for key in TOKENS)
    return ToolRun(
        line=line,
        date=day_of(fold.start / NANOSECONDS) if done else "",
        in_flight=whole * done / 1_000 / span if whole and span > 0 else None,
        depth_tokens=mean_tokens(prompts, done),
        prompt_tokens=mean_tokens(prompts, done),
        generated_tokens=mean_tokens(generated, done),
        completed=done,
        failed=fold.failed,
        duration_s=span or None,
        decode_tokens_per_s=1_000 / gap if gap else None,
        decode_from="mean inter-token latency",
        aggregate_tokens_per_s=generated / span if generated and span > 0 else None,
        latencies=latencies,
        percentiles_from="requests",
    )


FORMAT = Format("aiperf-records", "AIPerf, request by request", PATHS, recognises, read)
