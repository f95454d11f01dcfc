"""The invented site, rendered once with the real templates and parsed once per page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib

from sitegen.inputs import ProjectFiles, read_project
from sitegen.render import render_site
from sitegen.site.collect import collect_pages
from sitegen.site.page import Site
from tests.site import fabricated

ROOT = Path(__file__).parents[2]


@cache
def project() -> ProjectFiles:
    return read_project(ROOT)


@cache
def site() -> Site:
    return collect_pages(fabricated.inputs())


@cache
def files() -> dict[str, bytes]:
    return render_site(site(), project().templates, project().assets, project().fonts)


def pages() -> tuple[str, ...]:
    return tuple(path for path in files() if path.endswith(".html"))


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
