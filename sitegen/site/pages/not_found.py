"""The page for addresses that name nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.problems import SourceSpan
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Page
from sitegen.values import dataclass

TEMPLATE = "404.html"


@dataclass(frozen=True, slots=True)
class NotFoundView:
    """Nothing beside the words of ``404.html``."""


def pages(inputs: SiteInputs) -> Iterator[Page]:
    """Yield the one page."""
    source = SourceSpan(f"templates/{TEMPLATE}")
    words = f"{inputs.settings.title} has no page at this address."
    yield Page("/404.html", "Page not found", TEMPLATE, NotFoundView(), "not-found", source, words)
