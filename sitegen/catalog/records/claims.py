"""Records of what public pages say, in a form that can be checked: one file per page."""

from __future__ import annotations

from pydantic import Field

from sitegen.catalog.records.parts import Record, Slug, SourceRecord, Text


class StatedClaim(Record):
    """One sentence or cell of the page."""

    id: Slug = Field(description="Unique within the page; part of the address of its row.")
    quote: Text = Field(description="The words, as few as carry the claim.")


class ClaimRecord(Record):
    """Checkable claims of one public page: `catalog/claims/<id>.yaml`."""

    title: Text = Field(description="What the page is, in a few words.")
    claims: tuple[StatedClaim, ...] = Field(min_length=1, description="In the page's order.")
    sources: tuple[SourceRecord, ...] = Field(min_length=1, description="The page.")
