"""Citations of a page, in words and as BibTeX, and the link to report a wrong number."""

from __future__ import annotations

import re
from urllib.parse import quote

from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import Page
from sitegen.values import dataclass

_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_SPECIAL = re.compile(r"[\\{}&%$#_~^]")
_NOT_KEY = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Citation:
    """The same reference twice; both are the same for the same data, whenever they are printed."""

    plain: str
    bibtex: str


def address_of(page: Page, settings: SiteSettings) -> str:
    """Return the canonical address of a page."""
    return settings.base_url.removesuffix("/") + page.url


def citation(page: Page, settings: SiteSettings) -> Citation:
    """Cite a page. There is no day of access: the page's own data version says what was read."""
    authors = f"The {settings.title} contributors"
    year = settings.data_date[:4]
    url = address_of(page, settings)
    dated = f" of {settings.data_date}" if settings.data_date else ""
    in_brackets = f" ({year})" if year else ""
    plain = (
        f"{authors}{in_brackets}. {_sentence(page.title)} "
        f"{settings.title}, data version {settings.data_version}{dated}. {url}"
    )
    fields = {
        "author": f"{{{_tex(authors)}}}",
        "title": f"{{{_tex(page.title)}}}",
        "organization": _tex(settings.title),
        "year": year,
        "version": _tex(settings.data_version),
        "note": _tex(f"Data version {settings.data_version}{dated}"),
        "url": url,
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return Citation(plain, f"@misc{{{_key(page, settings)},\n{lines}}}")


def _sentence(title: str) -> str:
    return title if title.endswith((".", "?", "!")) else f"{title}."


def _tex(text: str) -> str:
    return _SPECIAL.sub(lambda found: _TEX[found[0]], text)


def _key(page: Page, settings: SiteSettings) -> str:
    words = f"{settings.title} {page.url} {settings.data_version}".lower()
    return _NOT_KEY.sub("-", words).strip("-")


LONGEST = 300
"""Characters of a text that an address carries; servers refuse addresses of some thousands."""


def report_url(page: Page, settings: SiteSettings) -> str:
    """Open an issue that names page, version and date of the data; the rest are questions.

    The text is for the editors of the catalog. Every character of it that an address may not
    hold is encoded, whatever a title says.
    """
    dated = f" of {settings.data_date}" if settings.data_date else ""
    lines = (
        f"Page: {address_of(page, settings)}",
        f"What it says: {_short(page.description)}",
        f"Data version: {settings.data_version}{dated}",
        f"File: {settings.origin(page.source.path)}",
        "Row (the address behind its # sign): ",  # assets/report.js fills in these two
        "Value on the page: ",
        "What it should be, and where we can read that: ",
    )
    title = quote(f"Wrong number: {_short(page.title)}", safe="")
    body = quote("\n".join(lines), safe="")
    return f"{settings.repository_url.rstrip('/')}/issues/new?title={title}&body={body}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
