"""The rows of the buyer's page as values again; runs in the browser (decision 27)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sitegen.survey.buying import Build, Offer


def opened(rows: Sequence[Sequence[Any]]) -> list[Build]:
    """Read what ``buy_files`` wrote: a build's fields in their order, its offers last."""
    return [Build(*row[:-1], [Offer(*offer) for offer in row[-1]]) for row in rows]
