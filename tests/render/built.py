"""The invented site, rendered once with the real templates and parsed once per page."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib

from sitegen.browser.buy_files import buy_files
from sitegen.browser.home_files import home_files
from sitegen.browser.program import calculator_files
from sitegen.catalog.authored import CatalogRecords
from sitegen.catalog.kinds import Kind
from sitegen.catalog.schema import schema_files
from sitegen.inputs import ProjectFiles, read_project
from sitegen.pipeline.pages import is_searched, render
from sitegen.render.addresses import file_of
from sitegen.render.beside import beside_files
from sitegen.render.data.offline import OFFLINE, offline_archive, pack
from sitegen.render.data.schemas import api_files, api_schemas
from sitegen.render.data.verdicts import verdict_file
from sitegen.render.matrix import matrix_files
from sitegen.render.searchable import searchable
from sitegen.site.collect import collect_pages
from sitegen.site.combo.matrix import grid_of
from sitegen.site.json.api import listings
from sitegen.site.page import Site
from tests.site import fabricated

ROOT = Path(__file__).parents[2]


@cache
def project() -> ProjectFiles:
    return read_project(ROOT)


@cache
def site() -> Site:
    return collected()


def collected() -> Site:
    """Collect the invented pages anew."""
    found = collect_pages(fabricated.inputs())
    pairs = {page.url: page for page in (*found.pages.values(), *fabricated.pair_pages())}
    return replace(found, pages=dict(sorted(pairs.items())))


EMPTY = CatalogRecords(
    {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {kind: frozenset() for kind in Kind}, ""
)  # fmt: skip


@cache
def files() -> dict[str, bytes]:
    """What a build publishes of it; nothing is authored, so lists of records are empty."""
    made = render(site(), project().templates, project().assets, project().fonts)
    made |= {path: text.encode() for path, text in schema_files().items()}
    made |= calculator_files()
    made |= buy_files(fabricated.inputs())
    made |= home_files(fabricated.inputs().catalog, fabricated.SURVEY)
    made |= verdict_file(fabricated.SURVEY)
    made |= beside_files(fabricated.inputs())
    made |= matrix_files(grid_of(fabricated.inputs()), fabricated.FACTS)
    made |= api_schemas(fabricated.SETTINGS)
    made |= api_files(
        listings(EMPTY, fabricated.SURVEY, site().pages.values()), fabricated.SETTINGS
    )
    return made | {OFFLINE: offline_archive([pack(made, fabricated.SETTINGS.base_url)])}


def pages() -> tuple[str, ...]:
    return tuple(path for path in files() if path.endswith(".html"))


def searched() -> dict[str, str]:
    """What a full-text index reads of each page, by URL."""
    return {
        page.url: searchable(files()[file_of(page.url)].decode())
        for page in site().pages.values()
        if is_searched(page)
    }


@cache
def tree(path: str) -> Element:
    return parse(files()[path])


def parse(content: bytes) -> Element:
    """Parse strictly: unclosed, misplaced and unknown markup raises."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    root = parser.parse(content.decode())
    assert isinstance(root, Element)
    return root


def words(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())
