"""Dates of the data: the newest anywhere in a catalog, and the records nobody looked at since long.

There is no clock in here. A record is old beside the newest record of its own catalog, so that the
same files make the same pages on any day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.provenance import Source
from sitegen.site.dates import age_days, is_stale, newest
from sitegen.values import dataclass


class Sourced(Protocol):
    """A record with sources, each with the date on which it was read."""

    @property
    def id(self) -> str:
        """The file's name."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Sources of its numbers."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A record, the ISO date of its last review, and its age in days at the date of the data."""

    kind: str
    id: str
    reviewed: str
    days: int


def data_date(catalog: Catalog) -> str:
    """Return the newest date on which any source of the catalog was read."""
    return newest(source.read for _, _, sources in _sourced(catalog) for source in sources)


def stale_records(catalog: Catalog, at: str) -> tuple[Stale, ...]:
    """List records whose last review is too long before a date, the oldest first."""
    found = [
        Stale(kind, id_, last, age_days(last, at))
        for kind, id_, sources in _sourced(catalog)
        if is_stale(last := newest(source.read for source in sources), at)
    ]
    return tuple(sorted(found, key=lambda one: (-one.days, one.kind, one.id)))


def _sourced(catalog: Catalog) -> Iterator[tuple[str, str, tuple[Source, ...]]]:
    kinds: tuple[tuple[str, Iterable[Sourced]], ...] = (
        ("gpu", catalog.gpus.values()),
        ("interconnect", catalog.interconnects.values()),
        ("combo", catalog.combos.values()),
        ("model", catalog.models.values()),
        ("quantization", catalog.quantizations.values()),
        ("runtime", catalog.runtimes.values()),
        ("measurement", catalog.measurements.values()),
        ("benchmark", catalog.benchmarks.values()),
        ("claim", catalog.claims.values()),
        ("loss", catalog.losses.values()),
    )
    for kind, records in kinds:
        for record in records:
            yield kind, record.id, record.sources
    for id_, constant in catalog.assumptions.items():
        yield "assumption", id_, (constant.source,)
