"""The files of a page, and the files that belong to none."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from jinja2 import Environment

from sitegen.render.addresses import file_of
from sitegen.render.data.downloads import files_beside
from sitegen.render.data.machine import sitemap
from sitegen.render.data.page_version import UNKNOWN, with_version
from sitegen.render.headers import PATH as HEADERS
from sitegen.render.headers import headers
from sitegen.render.lean import lean
from sitegen.render.social import default_card
from sitegen.render.views import led_to_pages
from sitegen.render.whole_site import whole_site_files
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import TWIN, Page, Site

SITEMAP = "sitemap.xml"

NO_FONTS: Mapping[str, bytes] = {}
"""Of a project that draws no pictures of its pages."""


def render_page(
    page: Page, settings: SiteSettings, templates: Environment, urls: Container[str] = ()
) -> dict[str, bytes]:
    """Write one page and the files to take away with it; of other pages it knows ``urls``.

    The version that it names is of what it says itself (decision 64), which is known last.
    """
    template = templates.get_template(page.template)
    settings = replace(settings, data_version=UNKNOWN)
    html = template.render(page=page, view=page.view, site=settings)
    html = led_to_pages(html, page.url, urls)
    path = file_of(page.url)
    files = {path: lean(html).encode()}
    if not page.signpost:
        folder = path.removesuffix("index.html")
        files |= {
            folder + name: content for name, content in files_beside(page, html, settings).items()
        }
    return with_version(files, html, twin=path.removesuffix("index.html") + TWIN)


def render_fixed(
    site: Site, assets: Mapping[str, bytes], fonts: Mapping[str, bytes] = NO_FONTS
) -> dict[str, bytes]:
    """Write what belongs to no page: assets, the site's picture, the files for the whole site."""
    files = {f"assets/{name}": content for name, content in assets.items()}
    files[HEADERS] = headers(site.settings)
    files |= default_card(site.settings, fonts)
    files |= whole_site_files(site)
    files[SITEMAP] = sitemap(site.pages.values(), site.settings)
    return files
