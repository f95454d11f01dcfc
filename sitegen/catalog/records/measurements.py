"""Records of memory that others logged: one file per source."""

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


class MemoryRunRecord(Record):
    """One start of a runtime: what it was asked for and what it logged."""

    id: Slug = Field(description="Unique over all measurements.")
    subject: SubjectRecord = Field(description="What ran.")
    system: SystemRecord | None = Field(default=None, description="On what, where stated.")
    parallel: ParallelRecord = Field(default=ParallelRecord(), description="How it was split.")
    outcome: Literal["ran", "failed", "partly-on-cpu", "unknown"] = Field(
        description="Whether it started and served."
    )
    quote: Text = Field(description="The lines of the log, as short as they can be.")
    notes: str = Field(default="", description="What a reader should know beside the figures.")


class MeasurementRecord(Record):
    """Memory figures of one source: `catalog/measurements/<id>.yaml`."""

    date: IsoDate | None = Field(default=None, description="ISO date of the runs, where stated.")
    runs: tuple[MemoryRunRecord, ...] = Field(default=(), description="What can be compared.")
    left_out: tuple[LeftOutRecord, ...] = Field(default=(), description="What cannot, and why.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="Where they were read.")
