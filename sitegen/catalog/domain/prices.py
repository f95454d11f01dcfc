"""Prices as observations: an amount in the currency it was seen in, on a day, with its source."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from sitegen.catalog.domain.provenance import Source
from sitegen.values import dataclass


class PriceKind(StrEnum):
    """What the amount buys."""

    NEW = "new"
    """One piece from a shop."""
    USED = "used"
    """One piece second-hand."""
    RENT = "rent"
    """An hour of one GPU, or of a whole build."""


@dataclass(frozen=True, slots=True)
class Price:
    """One observed price; ``date`` is an ISO day or month.

    ``memory_bytes`` is the size that was bought, of a chip that is sold with several.
    """

    kind: PriceKind
    amount: Decimal
    currency: str
    date: str
    memory_bytes: int | None
    source: Source
