"""Prefill and decode pools for a terminal and as a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sitegen.catalog.domain.catalog import Catalog
from sitegen.cli.text.fit import print_assessment
from sitegen.cli.text.tables import print_pairs
from sitegen.fit.disaggregated import Disaggregated
from sitegen.fit.json_record import to_record
from sitegen.site.cells import Cell, Quantity, TierMark, Unit, span


def print_pools(found: Disaggregated, catalog: Catalog) -> None:
    """Print the verdict of both pools together, then each pool as ``fit`` prints it."""
    print_pairs(_together(found))
    for pool in (found.prefill, found.decode):
        print_assessment(pool, catalog)


def _together(found: Disaggregated) -> Iterator[tuple[str, Cell]]:
    yield "both pools", TierMark(found.weaker.tier)
    if not found.transfer_bytes:
        return
    yield "cache of a prompt", Quantity(found.transfer_bytes, Unit.GB)
    if found.link is not None:
        yield "travels over", found.link.name
    if found.transfer_s is not None:
        yield "before the first token", span(found.transfer_s, Unit.SECONDS, with_mid=True)


def to_pools_record(found: Disaggregated) -> dict[str, Any]:
    """Write both assessments and the transfer; bytes and seconds."""
    seconds = found.transfer_s
    return {
        "tier": found.weaker.tier.value,
        "prefill": to_record(found.prefill),
        "decode": to_record(found.decode),
        "link": found.link.id if found.link is not None else None,
        "transfer_bytes": found.transfer_bytes,
        "transfer_s": None if seconds is None else list(seconds.bounds),
    }
