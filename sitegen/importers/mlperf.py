"""MLPerf Inference: LoadGen's summary and its detailed log, times in nanoseconds.

Source:
    mlcommons/inference 05a9cec3, ``loadgen/results.cc`` and ``loadgen/test_settings_internal.cc``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from sitegen.importers.figures import UNITS, in_milliseconds, positive, stated_number, words
from sitegen.importers.format import Format, Value
from sitegen.importers.measured import LatencyMs, ToolRun, UnusableError, reported
from sitegen.importers.wanted import Kept

HEADING = "MLPerf Results Summary"
MARK = ":::MLLOG"
LATENCY = {"ttft": "first token latency", "tpot": "time to output token", "e2e": "latency"}
MEAN = {
    "ttft": "mean first token latency", "tpot": "mean time to output token", "e2e": "mean latency",
}  # fmt: skip
DETAIL = {
    "result_validity": "result is", "effective_scenario": "scenario",
    "effective_test_mode": "mode", "effective_target_qps": "target_qps",
    "result_completed_samples_per_sec": "completed samples per second",
    "result_completed_tokens_per_second": "completed tokens per second",
    "result_samples_per_second": "samples per second",
    "result_tokens_per_second": "tokens per second",
    "result_query_count": "queries",
    "result_mean_latency_ns": "mean latency",
    "result_first_token_mean_latency_ns": "mean first token latency",
    "result_time_to_output_token_mean": "mean time to output token",
}  # fmt: skip
"""Keys of the detailed log, and the words of the summary that say the same."""
_DETAIL_PERCENTILE = re.compile(
    r"result_(first_token_|time_per_output_token_)?(\d+\.\d+)_percentile(?:_latency)?_ns"
)
_OF = {
    "first_token_": LATENCY["ttft"],
    "time_per_output_token_": LATENCY["tpot"],
    None: LATENCY["e2e"],
}
PUBLISHED = "LoadGen log of an MLPerf Inference run; MLPerf is a trademark of MLCommons."


def recognises(kept: Kept) -> bool:
    """Tell by what only LoadGen says."""
    return "result is" in kept


def from_summary(lines: Iterable[tuple[int, str]]) -> Iterator[Value]:
    """Read ``mlperf_log_summary.txt``: a name, a colon and a value on each line."""
    fields: Kept = {}
    for at, line in lines:
        name, colon, value = line.partition(":")
        name = re.sub(r"\s*\(ns\)\s*$", "", name.strip().lower())
        if colon and name and value.strip():
            fields.setdefault(name, _value(value.strip(), at))
    yield 1, fields


def from_detail(lines: Iterable[tuple[int, str]]) -> Iterator[Value]:
    """Read ``mlperf_log_detail.txt``: an object after a mark on each line."""
    fields: Kept = {}
    for at, line in lines:
        _, mark, text = line.partition(MARK)
        if not mark or not line.startswith(MARK):
            continue
        try:
            entry = json.loads(text)
        except (ValueError, RecursionError):
            raise UnusableError("what follows the mark is no JSON", at) from None
        key, value = (entry.get("key"), entry.get("value")) if isinstance(entry, dict) else ("", "")
        share = _DETAIL_PERCENTILE.fullmatch(str(key))
        if share:
            fields[f"{share[2]} percentile {_OF[share[1]]}"] = value
        elif key in DETAIL:
            fields[DETAIL[str(key)]] = value
    if fields:
        yield 1, fields


def _value(text: str, line: int) -> float | str:
    if not re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", text):
        return text[:80]
    return stated_number(text, repr(text[:20]), line)


def read(values: Iterable[Value]) -> Iterator[ToolRun]:
    """One run a log."""
    for line, found in values:
        yield run(line, found)


def run(line: int, kept: Kept) -> ToolRun:
    """Read one log.

    Raises:
        UnusableError: If a figure is none.
    """
    unit = UNITS["mlperf"]
    latencies = reported(
        {
            name: LatencyMs(
                in_milliseconds(kept, MEAN[name], unit),
                in_milliseconds(kept, f"50.00 percentile {what}", unit),
                in_milliseconds(kept, f"95.00 percentile {what}", unit),
                in_milliseconds(kept, f"99.00 percentile {what}", unit),
            )
            for name, what in LATENCY.items()
        }
    )
    samples = positive(kept, "completed samples per second") or positive(kept, "samples per second")
    tokens = positive(kept, "completed tokens per second") or positive(kept, "tokens per second")
    whole, gap = (latencies.get(name, LatencyMs()).mean_ms for name in ("e2e", "tpot"))
    refused = []
    if words(kept, "result is") != "VALID":
        refused.append("LoadGen calls the result invalid")
    if words(kept, "mode") not in {"", "Performance", "PerformanceOnly"}:
        refused.append("it is a run for accuracy: its speed does not count")
    server = words(kept, "scenario") == "Server"
    return ToolRun(
        line=line,
        concurrency=1 if words(kept, "scenario") == "SingleStream" else None,
        request_rate_per_s=positive(kept, "target_qps") if server else None,
        in_flight=samples * whole / 1_000 if samples and whole and server else None,
        generated_tokens=int(tokens / samples + 0.5) if tokens and samples else None,
        dataset=f"mlperf {words(kept, 'scenario').lower()}".strip(),
        decode_tokens_per_s=1_000 / gap if gap else None,
        decode_from="mean TPOT",
        aggregate_tokens_per_s=tokens,
        latencies=latencies,
        notes=(PUBLISHED,),
        refused=tuple(refused),
    )


FORMAT = Format("mlperf", "MLPerf LoadGen", (), recognises, read)
