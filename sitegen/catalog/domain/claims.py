"""What public pages say about hardware and models, in a form that can be checked."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.catalog.domain.provenance import Source
from sitegen.problems import SourceSpan


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence or cell of a page."""

    id: str
    quote: str


@dataclass(frozen=True, slots=True)
class ClaimedPage:
    """The checkable claims of one public page."""

    id: str
    title: str
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    span: SourceSpan
