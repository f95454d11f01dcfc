"""Shapes of the files under ``/api/v2/`` and of ``metadata.json``."""

from __future__ import annotations

from typing import Annotated

from sitegen.fit.assessment import Assessment
from sitegen.site.json.schema.columns import Columns
from sitegen.site.json.schema.parts import Of, Shape, Tier


def _need(found: Assessment) -> int | None:
    return None if found.busiest is None else int(found.verdict_need_bytes)


def _budget(found: Assessment) -> int | None:
    return None if found.busiest is None else found.busiest.budget_bytes


class Endpoint(Shape):
    """A list of the API."""

    name: str
    path: str
    """From the site's root."""
    description: str
    total: int
    schema_path: str


class PageEntry(Shape):
    """A page of the site and the files beside it."""

    url: str
    title: str
    kind: str
    description: str
    files: list[str]
    schema_path: str
    """Schema of its ``index.json``."""


class Verdict(Shape):
    """A row of a combo page in a few words; its anchor there is `m-<model>--<checkpoint>`."""

    combo: Annotated[str, Of("combo.id")]
    model: Annotated[str, Of("model.id")]
    checkpoint: Annotated[str, Of("checkpoint.id")]
    runtime: Annotated[str, Of("runtime.id")]
    tier: Tier
    too_close: bool
    context_tokens: Annotated[int, Of("verdict_context_tokens")]
    """Context at which the verdict was reached."""
    need_bytes: Annotated[int | None, Of(_need)]
    """Of the fullest GPU; null without a valid plan."""
    budget_bytes: Annotated[int | None, Of(_budget)]
    shortage_bytes: int
    evidence: str
    assessment: Annotated[str, Of("id")]


class SourceEntry(Shape):
    """Where numbers come from."""

    title: str
    url: str
    read: str
    fields: list[str]
    """Keys that it carries; empty for all of them."""


class TableEntry(Shape):
    """A table of a page."""

    id: str
    caption: str
    rows: int
    columns: list[str]


class ColumnEntry(Shape):
    """A column of ``data.csv``."""

    name: str
    description: str
    type: str
    unit: str


class ThresholdEntry(Shape):
    """An assumption that decides tiers."""

    name: str
    unit: str
    low: float
    mid: float
    high: float
    status: str
    source: SourceEntry


class Metadata(Shape):
    """What a page's files mean, where they are from, how they are cited."""

    title: str
    description: str
    kind: str
    url: str
    data_date: str
    data_licence_url: str
    citation: str
    tables: list[TableEntry]
    columns: Columns[ColumnEntry]
    sources: list[SourceEntry]
    thresholds: list[ThresholdEntry]
