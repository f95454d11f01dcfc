"""Shapes of the files under ``/api/v1/`` and of ``metadata.json``."""

from __future__ import annotations

from sitegen.site.json.schema.parts import Shape, Tier


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
    """A row of a combo page in a few words."""

    combo: str
    model: str
    checkpoint: str
    runtime: str
    tier: Tier
    too_close: bool
    context_tokens: int
    """Context at which the verdict was reached."""
    need_bytes: int | None
    """Of the busiest GPU; null without a valid plan."""
    budget_bytes: int | None
    shortage_bytes: int
    evidence: str
    assessment: str
    row: str
    """Anchor on the combo's page."""


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
    columns: list[ColumnEntry]
    sources: list[SourceEntry]
    thresholds: list[ThresholdEntry]
