"""Records of speed that others measured: one file per source."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sitegen.catalog.records.parts import IsoDate, Record, Slug, SourceRecord, Text
from sitegen.catalog.records.runs import (
    LeftOutRecord,
    ParallelRecord,
    SubjectRecord,
    SystemRecord,
)


class SpeedWorkloadRecord(Record):
    """What was asked of the model; what the source leaves out is left out here."""

    depth_tokens: int | None = Field(
        default=None, ge=0, description="Tokens in the cache when generation starts."
    )
    prompt_tokens: int | None = Field(
        default=None, gt=0, description="Tokens of each prompt that was read."
    )
    generated_tokens: int | None = Field(
        default=None, gt=0, description="Tokens that each stream generated."
    )
    sequences: int = Field(default=1, gt=0, le=100_000, description="Streams at the same time.")
    kv_dtype: Literal["f16", "fp8", "q8_0", "q4_0"] = Field(
        default="f16", description="Type of the KV cache; 16 bits where nothing else is said."
    )
    micro_batch_tokens: int | None = Field(
        default=None,
        gt=0,
        description="Tokens of a prompt in a step (`--ubatch-size`); left out: the runtime's own.",
    )


class SpeedFiguresRecord(Record):
    """What was measured, as published."""

    decode_tokens_per_s: float | None = Field(
        default=None, gt=0, description="Generation of one stream."
    )
    aggregate_tokens_per_s: float | None = Field(
        default=None, gt=0, description="Generation of all streams together."
    )
    prefill_tokens_per_s: float | None = Field(
        default=None, gt=0, description="Reading of the prompt."
    )


Milliseconds = Annotated[float, Field(ge=0)]


class HistogramRecord(Record):
    """How many requests took how long: buckets between rising edges."""

    edges_ms: tuple[Annotated[float, Field(gt=0)], ...] = Field(
        min_length=2, max_length=200, description="Ends of the buckets, one more than counts."
    )
    counts: tuple[Annotated[int, Field(ge=0)], ...] = Field(
        min_length=1, max_length=199, description="Requests in each bucket, its lower end included."
    )


class LatencyRecord(Record):
    """One latency as the tool reported it; what it did not report is left out, never derived."""

    mean: Milliseconds | None = Field(default=None, description="Mean, which is no percentile.")
    p50: Milliseconds | None = Field(default=None, description="Median.")
    p95: Milliseconds | None = Field(default=None, description="95th percentile.")
    p99: Milliseconds | None = Field(default=None, description="99th percentile.")
    histogram: HistogramRecord | None = Field(
        default=None, description="Buckets, where the file has every request."
    )


class LatenciesRecord(Record):
    """Latencies of the requests of a run, in milliseconds."""

    ttft_ms: LatencyRecord | None = Field(default=None, description="Time to the first token.")
    tpot_ms: LatencyRecord | None = Field(
        default=None, description="Time per output token of a request, as its tool defines it."
    )
    itl_ms: LatencyRecord | None = Field(
        default=None, description="Time between two tokens, as its tool defines it."
    )
    e2e_ms: LatencyRecord | None = Field(default=None, description="From request to last token.")
    percentiles_from: Literal["tool", "requests"] = Field(
        default="tool",
        description="`tool`: as the tool reported them; `requests`: of the requests in the file.",
    )


class LoadRecord(Record):
    """How requests arrived, and what became of them."""

    concurrency: int | None = Field(
        default=None, gt=0, le=100_000, description="Most requests in flight, as the tool was told."
    )
    request_rate_per_s: float | None = Field(
        default=None, gt=0, description="Requests that arrive in a second, as the tool was told."
    )
    completed: int | None = Field(default=None, gt=0, description="Requests that were answered.")
    failed: int | None = Field(default=None, ge=0, description="Requests that were not.")
    duration_s: float | None = Field(default=None, gt=0, description="Length of the run.")
    dataset: str = Field(default="", max_length=80, description="Prompts: `random`, `sharegpt`, …")
    seed: int | None = Field(default=None, description="Seed of the prompts, where it is known.")
    prefix_cache: Literal["off", "cold", "warm", "not-said"] = Field(
        default="not-said",
        description="Whether the server may have known prompts from an earlier run.",
    )


class ImportRecord(Record):
    """The files that `sitegen import` read, and the tool that wrote them."""

    tool: Slug = Field(description="Format, as `sitegen import` calls it.")
    version: str = Field(default="", max_length=80, description="Version of the tool, where known.")
    sha256: tuple[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")], ...] = Field(
        min_length=1, description="Of each file as it was read."
    )
    command: str = Field(
        default="", max_length=1_000, description="How the tool was called, as far as it is public."
    )


class SpeedRunRecord(Record):
    """One benchmark run: what was asked and how fast the answer came."""

    id: Slug = Field(description="Unique over all benchmarks.")
    date: IsoDate | None = Field(
        default=None, description="ISO date, where it is not that of the file."
    )
    at: str = Field(default="", description="Where in the source, if it has several files.")
    group: Slug = Field(description="Runs of one group are near-repeats of one another.")
    subject: SubjectRecord = Field(description="What ran.")
    weights_gib: float | None = Field(
        default=None, gt=0, description="Size of the weights as the log states it, in GiB."
    )
    system: SystemRecord = Field(description="On what.")
    power_limit_watts: int | None = Field(
        default=None, gt=0, description="Power limit of each GPU, where one was set."
    )
    parallel: ParallelRecord = Field(default=ParallelRecord(), description="How it was split.")
    workload: SpeedWorkloadRecord = Field(
        default=SpeedWorkloadRecord(), description="What was asked."
    )
    figures: SpeedFiguresRecord = Field(description="How fast it was.")
    timed: Literal["steady", "end-to-end", "as-posted"] = Field(
        description=(
            "`steady`: after the first token; `end-to-end`: prompts included; "
            "`as-posted`: not said."
        )
    )
    speculative: str = Field(
        default="", description="Method of speculative decoding; such runs are never judged."
    )
    eager: bool = Field(default=False, description="It ran without captured graphs.")
    doubt: str = Field(
        default="", description="What the source itself finds wrong; such runs fit no constant."
    )
    stranger: bool = Field(
        default=False,
        description="Predicted before any constant had seen it; no constant rests on it.",
    )
    mapped: bool = Field(
        default=False,
        description="The file was mapped into memory; matters with experts in system RAM.",
    )
    combo: Slug | None = Field(
        default=None, description="Combo of the catalog that it ran on, where it is one."
    )
    load: LoadRecord | None = Field(default=None, description="How requests arrived.")
    latency: LatenciesRecord | None = Field(default=None, description="How long they took.")
    quote: Text = Field(description="The figures as published, as short as they can be.")
    notes: str = Field(default="", description="What a reader should know beside the figures.")


class BenchmarkRecord(Record):
    """Speed figures of one source: `catalog/benchmarks/<id>.yaml`."""

    date: IsoDate | None = Field(default=None, description="ISO date of the runs, where stated.")
    imported: ImportRecord | None = Field(
        default=None, description="Where the file was written by `sitegen import`."
    )
    runs: tuple[SpeedRunRecord, ...] = Field(default=(), description="What can be compared.")
    left_out: tuple[LeftOutRecord, ...] = Field(default=(), description="What cannot, and why.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Sources of the scores.")
