"""Pages at addresses that are gone: when, why, and where to look instead."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.site.content.history import Tombstone
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.site.urls import FOLDERS, parts_of
from sitegen.values import dataclass

TEMPLATE = "removed.html"


@dataclass(frozen=True, slots=True)
class RemovedView:
    """Values that ``removed.html`` shows."""

    tombstone: Tombstone


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield one page per removed address, and per part of a combo that is removed."""
    for gone in inputs.history.removed:
        words = f"This page was removed on {gone.tombstone.date}."
        view = RemovedView(gone.tombstone)
        for address in (gone.address, *_below(gone.address)):
            yield Page(address, "Removed", TEMPLATE, view, "removed", gone.span, words)


def _below(address: str) -> tuple[str, ...]:
    """Return the parts of a combo's or a model's page.

    >>> _below("/combos/old/"), _below("/guides/old/")
    (('/combos/old/models/', '/combos/old/recipes/'), ())
    """
    folder, _, id_ = address.strip("/").partition("/")
    kinds = [kind for kind, name in FOLDERS.items() if name == folder]
    return parts_of(kinds[0], id_) if kinds and id_ and "/" not in id_ else ()
