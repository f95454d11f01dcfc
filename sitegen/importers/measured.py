"""What a benchmark tool measured, the same for every tool: the value that becomes a record."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import field

from sitegen.values import dataclass

METRICS = ("ttft", "tpot", "itl", "e2e")
"""Latencies of a request, in the order in which they are shown."""
MEAN_ITL = "mean ITL"
"""What the rate of one stream is of where a tool counts the first token in its TPOT."""


class UnusableError(Exception):
    """A file or run that cannot become a record: ``line`` is where it begins, 0 for the file."""

    def __init__(self, message: str, line: int = 0, hint: str = "") -> None:
        self.line, self.hint = line, hint
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class LatencyMs:
    """One latency in milliseconds; ``None`` where the tool reported none.

    ``samples_ms`` has every request's, where the file does. Percentiles are the tool's own, or
    computed of these; never of a mean, a deviation or of repetitions.
    """

    mean_ms: float | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    samples_ms: array[float] | None = None

    @property
    def percentiles(self) -> tuple[float | None, ...]:
        """The 50th, 95th and 99th."""
        return (self.p50_ms, self.p95_ms, self.p99_ms)

    @property
    def empty(self) -> bool:
        """Whether nothing was reported."""
        return self.samples_ms is None and (self.mean_ms, *self.percentiles) == (None,) * 4


@dataclass(frozen=True, slots=True)
class NamedHardware:
    """Hardware as a tool names it: for suggestions, never for a record."""

    name: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool, in units of its field names, ``None`` and empty where it does not say.

    Attributes:
        line: Where in the file it begins.
        model, quantization, runtime, hardware: As the tool names them: for suggestions alone.
        concurrency: Most requests in flight, as the tool was told.
        in_flight: Requests in flight on average, as the tool counted them.
        decode_tokens_per_s: Of one stream.
        backends, parameters, gpu_layers: What computed, how many parameters the file holds, and how
            many layers were on GPUs: held against what an editor says, as the names are.
        decode_from: What that is the reciprocal of, empty where the tool reports a rate.
        timed: As in a catalog record.
        percentiles_from: ``tool``, or ``requests`` where computed of the file's samples.
        refused: Why the run cannot be used; it is refused where there is one reason.
        doubts: What a reader has to know; refused as well where the editor asks to be strict.
    """

    line: int
    date: str = ""
    model: str = ""
    quantization: str = ""
    runtime: str = ""
    hardware: tuple[NamedHardware, ...] = ()
    runtime_is_stated: bool = True
    """Whether the tool knows the runtime: of vLLM's own it is only the dialect that was spoken."""
    runtime_version: str = ""
    backends: tuple[str, ...] = ()
    parameters: float | None = None
    gpu_layers: int | None = None
    samples_differ: str = ""
    """How repetitions contradict their mean; empty where they do not."""
    build: str = ""
    tool_version: str = ""
    command: str = ""
    concurrency: int | None = None
    request_rate_per_s: float | None = None
    in_flight: float | None = None
    depth_tokens: int | None = None
    prompt_tokens: int | None = None
    generated_tokens: int | None = None
    micro_batch_tokens: int | None = None
    kv_dtype: str = "f16"
    completed: int | None = None
    failed: int | None = None
    duration_s: float | None = None
    dataset: str = ""
    seed: int | None = None
    decode_tokens_per_s: float | None = None
    decode_from: str = ""
    aggregate_tokens_per_s: float | None = None
    prefill_tokens_per_s: float | None = None
    timed: str = "end-to-end"
    latencies: Mapping[str, LatencyMs] = field(default_factory=dict)
    percentiles_from: str = "tool"
    tensor: int | None = None
    pipeline: int | None = None
    data: int | None = None
    expert: bool = False
    cpu_expert_layers: int = 0
    mapped: bool = False
    speculative: str = ""
    weights_gib: float | None = None
    notes: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def request_throughput_per_s(self) -> float | None:
        """Requests answered in a second."""
        return self.completed / self.duration_s if self.completed and self.duration_s else None

    @property
    def sequences(self) -> int | None:
        """Streams at the same time, ``None`` where the file does not tell.

        The limit where requests wait for it; where they arrive by the clock, as many as are in
        flight on average: those that arrive in a second times the seconds that each takes
        (Little's law, which holds for any distribution).
        """
        if self.request_rate_per_s is None and self.concurrency is not None:
            return min(self.concurrency, self.completed or self.concurrency)
        average = self.in_flight
        taken = self.seconds_in_flight
        if average is None and taken is not None and self.request_throughput_per_s:
            average = self.request_throughput_per_s * taken
        if average is None:
            return None
        streams = max(1, int(average + 0.5))
        return min(streams, self.concurrency) if self.concurrency else streams

    @property
    def seconds_in_flight(self) -> float | None:
        """Mean time of a request: measured, or its first token and the further ones."""
        whole = self.latencies.get("e2e", LatencyMs()).mean_ms
        if whole is not None:
            return whole / 1_000
        first, further = (
            self.latencies.get(name, LatencyMs()).mean_ms for name in ("ttft", "tpot")
        )
        if first is None or further is None or not self.generated_tokens:
            return None
        return (first + further * (self.generated_tokens - 1)) / 1_000


def reported(latencies: Mapping[str, LatencyMs]) -> dict[str, LatencyMs]:
    """Keep the latencies that have a figure, in the order in which they are shown."""
    return {name: latencies[name] for name in METRICS if not latencies.get(name, LatencyMs()).empty}


def mean_tokens(total: float | None, requests: float | None) -> int | None:
    """Round tokens per request; ``None`` where either is missing."""
    return max(1, int(total / requests + 0.5)) if total and requests else None


def all_same(values: Iterable[str]) -> str:
    """Return the one text that all runs share, empty where they differ or say nothing."""
    different = {value for value in values if value}
    return different.pop() if len(different) == 1 else ""
