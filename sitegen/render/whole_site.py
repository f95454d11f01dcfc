"""Files that belong to no page: lists of pages, the feed, the citation, redirects, anchors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import groupby
from urllib.parse import quote

from sitegen.render.data.machine import SCHEMA_VERSION, json_bytes
from sitegen.render.data.page_markdown import escaped
from sitegen.site.content.history import ReleaseFile
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import MARKDOWN, Page, Site
from sitegen.site.pages.renamed import RenamedView
from sitegen.site.plain_json import PlainJson
from sitegen.site.table import tables_in

ANCHORS = "anchors.json"
FEED = "feed.xml"
LLMS = "llms.txt"
REDIRECTS = "_redirects"
CITATION = "CITATION.cff"
KEYWORDS = (
    "language models", "inference", "GPU memory", "tensor parallelism", "static site",
)  # fmt: skip


def whole_site_files(site: Site) -> dict[str, bytes]:
    """Write the files that stand for the whole site, by path, but for its anchors."""
    pages = tuple(site.pages.values())
    return {
        FEED: feed(site.history.releases, site.settings),
        LLMS: llms_txt(pages, site.settings),
        REDIRECTS: redirects(pages),
        CITATION: citation_cff(site.settings),
    }


def anchors_json(anchors: Mapping[str, Iterable[str]], settings: SiteSettings) -> bytes:
    """List every address that stays: pages in order, and the anchors of rows in them."""
    listed: dict[str, PlainJson] = {url: list(found) for url, found in anchors.items()}
    return json_bytes(
        {
            "schema_version": SCHEMA_VERSION,
            "data_version": settings.data_version,
            "data_licence": settings.data_licence,
            "pages": listed,
        }
    )


def anchors_of(page: Page) -> Iterator[str]:
    """Yield the anchors of the rows of a page."""
    for table in tables_in(page.view):
        for row in table.rows if table.on_page else ():
            if row.id:
                yield row.id
            if row.head_id:
                yield row.head_id


def feed(releases: Iterable[ReleaseFile], settings: SiteSettings) -> bytes:
    """Write an Atom feed of releases; dates are theirs, at midnight UTC."""
    base = settings.base_url
    listed = tuple(releases)
    updated = listed[0].release.date if listed else settings.data_date or "1970-01-01"
    entries = "".join(_entry(one, base) for one in listed)
    name = escape(f"The {settings.title} contributors")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{escape(base)}feed.xml</id>\n"
        f"<title>{escape(settings.title)}: changed verdicts</title>\n"
        f"<updated>{updated}T00:00:00Z</updated>\n"
        f"<author><name>{name}</name></author>\n"
        f'<link rel="self" href="{escape(base + FEED)}"/>\n'
        f'<link rel="alternate" href="{escape(base)}changes/"/>\n'
        f"<rights>{escape(settings.data_licence)}</rights>\n"
        f"{entries}</feed>\n"
    ).encode()


def _entry(release_file: ReleaseFile, base: str) -> str:
    release = release_file.release
    address = f"{base}changes/#release-{release_file.slug}"
    return (
        f"<entry><id>{escape(address)}</id><title>{escape(release.title)}</title>"
        f"<updated>{release.date}T00:00:00Z</updated>"
        f'<link rel="alternate" href="{escape(address)}"/>'
        f"<summary>{escape(release_summary(release_file))}</summary></entry>\n"
    )


def release_summary(release_file: ReleaseFile) -> str:
    """Say in a paragraph what a release changed: first what is gone."""
    release = release_file.release
    said = []
    for word, found in (("Removed", release.removed), ("Added", release.added)):
        said += [f"{word} {kind}: {', '.join(ids)}." for kind, ids in found.items() if ids]
    for moved in release.moved:
        count = sum(len(models) for models in moved.rows.values())
        rows = "1 row" if count == 1 else f"{count} rows"
        said.append(f"{rows} from {moved.before.value} to {moved.after.value}.")
    if release.summary:
        said.append(release.summary)
    return " ".join(said)


def llms_txt(pages: Iterable[Page], settings: SiteSettings) -> bytes:
    """List every page with its Markdown, by kind."""
    listed = sorted(
        (p for p in pages if MARKDOWN in p.files), key=lambda page: (page.kind, page.url)
    )
    lines = [f"# {settings.title}", "", f"> {_line(settings.description)}", ""]
    lines += [f"Data version {settings.data_version}, license {settings.data_licence}.", ""]
    base = settings.base_url.removesuffix("/")
    for kind, found in groupby(listed, key=lambda page: page.kind):
        lines += [f"## {kind}", ""]
        lines += [
            f"- [{_line(page.title)}]({base}{quote(page.url)}{MARKDOWN}): {_line(page.description)}"
            for page in found
        ]
        lines.append("")
    return "\n".join(lines).encode()


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))


def redirects(pages: Iterable[Page]) -> bytes:
    """List moved addresses as static hosts read them: old, new, status."""
    moved = [(p.url, p.shown.url) for p in pages if isinstance(p.shown, RenamedView)]
    return "".join(f"{old} {new} 301\n" for old, new in sorted(moved)).encode()


def citation_cff(settings: SiteSettings) -> bytes:
    """Write how the site is cited, in the Citation File Format; JSON strings are YAML strings."""

    def text(value: str) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = [
        "cff-version: 1.2.0",
        f"message: {text('If you use the data or a page, please cite it with its data version.')}",
        "type: dataset",
        f"title: {text(settings.title)}",
        f"abstract: {text(settings.description)}",
        "authors:",
        f"  - name: {text(f'The {settings.title} contributors')}",
        f"version: {text(settings.data_version)}",
        f"url: {text(settings.base_url)}",
        f"repository-code: {text(settings.repository_url)}",
        f"license-url: {text(settings.data_licence_url)}",
        f"keywords: [{', '.join(KEYWORDS)}]",
    ]
    if len(settings.data_date) == len("2026-11-20"):
        lines.append(f"date-released: {settings.data_date}")
    return ("\n".join(lines) + "\n").encode()
