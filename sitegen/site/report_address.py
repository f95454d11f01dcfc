"""The address at which a reader reports a wrong number, with what is known already filled in."""

from __future__ import annotations

from urllib.parse import quote

from sitegen.site.citation import address_of
from sitegen.site.content.site_settings import Settings
from sitegen.site.page import Page

LONGEST = 300
"""Characters of a text that an address carries; servers refuse addresses of some thousands."""


def report_url(page: Page, settings: Settings) -> str:
    """Open an issue that names page, version and date of the data; the rest are questions.

    The text is for the editors of the catalog. Every character of it that an address may not
    hold is encoded, whatever a title says.
    """
    dated = f" of {settings.data_date}" if settings.data_date else ""
    lines = (
        f"Page: {address_of(page, settings)}",
        f"What it says: {_short(page.description)}",
        f"Data version: {settings.data_version}{dated}",
        f"File: {page.source.path}",
        "Row (the address behind its # sign): ",  # assets/report.js fills in these two
        "Value on the page: ",
        "What it should be, and where that can be read: ",
    )
    title = quote(f"Wrong number: {_short(page.title)}", safe="")
    body = quote("\n".join(lines), safe="")
    return f"{settings.repository_url.rstrip('/')}/issues/new?title={title}&body={body}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
