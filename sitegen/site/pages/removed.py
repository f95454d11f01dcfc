"""Pages at addresses that are gone: when, why, and where to look instead."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.site.content.history import Tombstone
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.values import dataclass

TEMPLATE = "removed.html"


@dataclass(frozen=True, slots=True)
class RemovedView:
    """What ``removed.html`` shows."""

    tombstone: Tombstone


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield one page per removed address."""
    for gone in inputs.history.removed:
        words = f"This page was removed on {gone.tombstone.date}."
        view = RemovedView(gone.tombstone)
        yield Page(gone.address, "Removed", TEMPLATE, view, "removed", gone.span, words)
