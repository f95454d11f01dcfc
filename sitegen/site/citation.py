"""How a page is cited: in words and as BibTeX, with the version and the date of its data."""

from __future__ import annotations

import re

from sitegen.site.content.site_settings import Settings
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


def address_of(page: Page, settings: Settings) -> str:
    """Return the canonical address of a page."""
    return settings.base_url.removesuffix("/") + page.url


def citation(page: Page, settings: Settings) -> Citation:
    """Cite a page. There is no day of access: the data version says what was read."""
    authors = f"The {settings.title} contributors"
    year = settings.data_date[:4]
    url = address_of(page, settings)
    dated = f", data of {settings.data_date}" if settings.data_date else ""
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


def _key(page: Page, settings: Settings) -> str:
    words = f"{settings.title} {page.url} {settings.data_version}".lower()
    return _NOT_KEY.sub("-", words).strip("-")
