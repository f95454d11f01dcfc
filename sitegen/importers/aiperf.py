"""AIPerf and genai-perf: the summary of a run. Each figure brings its unit.

Source:
    ai-dynamo/aiperf 26240f9e, ``src/aiperf/common/models/export_models.py``;
    triton-inference-server/perf_analyzer 09628cd6, ``genai_perf/export_data/json_exporter.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sitegen.importers.command_line import options_of, public_command
from sitegen.importers.figures import (
    in_milliseconds,
    inside,
    milliseconds,
    number,
    positive,
    stated_day,
    whole,
    words,
)
from sitegen.importers.format import Format, Value
from sitegen.importers.measured import LatencyMs, NamedHardware, ToolRun, reported
from sitegen.importers.wanted import Kept

SCHEMA = "1."
METRICS = {
    "ttft": "time_to_first_token", "tpot": "inter_token_latency", "e2e": "request_latency",
}  # fmt: skip
"""Inter-token latency is the mean of a request without its first token: other tools' TPOT."""
COUNTED = (
    "output_token_throughput", "request_count", "error_request_count", "benchmark_duration",
    "input_sequence_length", "output_sequence_length",
)  # fmt: skip
LOADS = ("input_config.loadgen", "input_config", "input_config.perf_analyzer.stimulus")
PATHS = (
    "schema_version", "aiperf_version", "was_cancelled", "start_time",
    *(f"{name}.{key}" for name in METRICS.values() for key in ("unit", "avg", "p50", "p95", "p99")),
    *(f"{name}.{key}" for name in COUNTED for key in ("unit", "avg")),
    *(f"{place}.{key}" for place in LOADS for key in ("concurrency", "request_rate")),
    "input_config.cli_command", "input_config.endpoint.model_names[]", "input_config.model[]",
    "telemetry_data.endpoints.*.gpus.*.gpu_name",
)  # fmt: skip


def recognises(kept: Kept) -> bool:
    """Tell by a metric with its unit beside the configuration."""
    return "input_config" in kept and "unit" in inside(kept, METRICS["e2e"])


def read(values: Iterable[Value]) -> Iterator[ToolRun]:
    """One run a file."""
    for line, found in values:
        yield run(line, found)


def run(line: int, kept: Kept) -> ToolRun:
    """Read one summary.

    Raises:
        UnusableError: If a figure or a unit is none.
    """
    latencies = reported({name: _latency(inside(kept, key)) for name, key in METRICS.items()})
    gap = latencies.get("tpot", LatencyMs()).mean_ms
    prompt, generated = (_count(kept, f"{what}_sequence_length") for what in ("input", "output"))
    done = _count(kept, "request_count")
    failed = _count(kept, "error_request_count")
    return ToolRun(
        line=line,
        date=stated_day(words(kept, "start_time")),
        model=_model(kept),
        hardware=_gpus(kept),
        tool_version=words(kept, "aiperf_version"),
        command=_command(kept),
        concurrency=_load(kept, "concurrency"),
        request_rate_per_s=_rate(kept),
        depth_tokens=prompt,
        prompt_tokens=prompt,
        generated_tokens=generated,
        completed=done,
        failed=0 if failed is None and done is not None else failed,
        duration_s=_duration(inside(kept, "benchmark_duration")),
        decode_tokens_per_s=1_000 / gap if gap else None,
        decode_from="mean inter-token latency",
        aggregate_tokens_per_s=positive(inside(kept, "output_token_throughput"), "avg"),
        latencies=latencies,
        refused=("the run was cancelled",) if kept.get("was_cancelled") is True else (),
        doubts=tuple(_doubts(kept)),
    )


def _doubts(kept: Kept) -> Iterator[str]:
    stated = kept.get("schema_version")
    ours = "aiperf_version" in kept or "cli_command" in inside(kept, "input_config")
    if stated is None and ours:
        yield f"the summary states no schema version, read was {SCHEMA}x"
    elif stated is not None and not str(stated).startswith(SCHEMA):
        yield f"the summary has schema version {str(stated)[:20]}, read was {SCHEMA}x"


def _latency(metric: Mapping[str, Any]) -> LatencyMs:
    """Read a metric in its own unit; ``adj_p…`` of AIPerf, which count failures, are others."""
    if not metric:
        return LatencyMs()
    unit = words(metric, "unit")
    mean, p50, p95, p99 = (
        in_milliseconds(metric, key, unit) for key in ("avg", "p50", "p95", "p99")
    )
    return LatencyMs(mean, p50, p95, p99)


def _count(kept: Kept, name: str) -> int | None:
    value = number(inside(kept, name), "avg")
    return None if value is None else int(value + 0.5)


def _duration(metric: Mapping[str, Any]) -> float | None:
    value = positive(metric, "avg")
    return None if value is None else milliseconds(value, words(metric, "unit")) / 1_000


def _load(kept: Kept, key: str) -> int | None:
    return next((whole(at, key) for at in _places(kept) if at.get(key)), None)


def _rate(kept: Kept) -> float | None:
    return next(
        (positive(at, "request_rate") for at in _places(kept) if at.get("request_rate")), None
    )


def _places(kept: Kept) -> list[Mapping[str, Any]]:
    return [inside(kept, *place.split(".")) for place in LOADS]


def _model(kept: Kept) -> str:
    config = inside(kept, "input_config")
    names = inside(config, "endpoint").get("model_names") or config.get("model") or [""]
    return str(names[0])


def _command(kept: Kept) -> str:
    stated = words(inside(kept, "input_config"), "cli_command")
    return public_command("aiperf profile", options_of(stated)) if stated else ""


def _gpus(kept: Kept) -> tuple[NamedHardware, ...]:
    """Names that the telemetry saw; endpoints and identifiers of GPUs are never kept."""
    names = [
        words(gpu, "gpu_name")
        for endpoint in inside(kept, "telemetry_data", "endpoints").get("*", ())
        for gpu in inside(endpoint, "gpus").get("*", ())
    ]
    return tuple(NamedHardware(name, names.count(name)) for name in dict.fromkeys(names) if name)


FORMAT = Format("aiperf", "AIPerf or genai-perf", PATHS, recognises, read)
