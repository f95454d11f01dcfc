"""Records of speed that others measured: one file per source."""

from __future__ import annotations

from typing import Literal

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
    quote: Text = Field(description="The figures as published, as short as they can be.")
    notes: str = Field(default="", description="What a reader should know beside the figures.")


class BenchmarkRecord(Record):
    """Speed figures of one source: `catalog/benchmarks/<id>.yaml`."""

    date: IsoDate | None = Field(default=None, description="ISO date of the runs, where stated.")
    runs: tuple[SpeedRunRecord, ...] = Field(default=(), description="What can be compared.")
    left_out: tuple[LeftOutRecord, ...] = Field(default=(), description="What cannot, and why.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Where they were read.")
