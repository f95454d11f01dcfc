"""Records of speed that others measured: one file per source."""

from __future__ import annotations

from pydantic import Field

from sitegen.catalog.records.parts import IsoDate, Record, Slug, SourceRecord, Text
from sitegen.catalog.records.runs import (
    LeftOutRecord,
    ParallelRecord,
    SubjectRecord,
    SystemRecord,
)


class SpeedRunRecord(Record):
    """One benchmark run: what was asked and how fast the answer came."""

    id: Slug = Field(description="Unique over all benchmarks.")
    subject: SubjectRecord = Field(description="What ran.")
    system: SystemRecord = Field(description="On what.")
    parallel: ParallelRecord = Field(default=ParallelRecord(), description="How it was split.")
    quote: Text = Field(description="The figures as published, as short as they can be.")
    notes: str = Field(default="", description="What a reader should know beside the figures.")


class BenchmarkRecord(Record):
    """Speed figures of one source: `catalog/benchmarks/<id>.yaml`."""

    date: IsoDate | None = Field(default=None, description="ISO date of the runs, where stated.")
    runs: tuple[SpeedRunRecord, ...] = Field(default=(), description="What can be compared.")
    left_out: tuple[LeftOutRecord, ...] = Field(default=(), description="What cannot, and why.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Where they were read.")
