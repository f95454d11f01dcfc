"""The address at which a reader reports a wrong number, with what is known already filled in."""

from __future__ import annotations

from urllib.parse import quote

from sitegen.site.citation import address_of
from sitegen.site.page import Page, Settings


def report_url(page: Page, settings: Settings) -> str:
    """Open an issue that names page, version and date of the data; the rest are questions.

    The text is for the editors of the catalog. Every character of it that an address may not
    hold is encoded, whatever a title says.
    """
    dated = f" of {settings.data_date}" if settings.data_date else ""
    lines = (
        f"Page: {address_of(page, settings)}",
        f"What it says: {page.description}",
        f"Data version: {settings.data_version}{dated}",
        f"File: {page.source.path}",
        "Row (the address behind its # sign): ",
        "Value on the page: ",
        "What it should be, and where that can be read: ",
    )
    title = quote(f"Wrong number: {page.title}", safe="")
    body = quote("\n".join(lines), safe="")
    return f"{settings.repository_url.rstrip('/')}/issues/new?title={title}&body={body}"
