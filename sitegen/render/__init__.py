"""Pages to bytes: a map over pages that needs nothing but the page, the settings, the templates."""

from __future__ import annotations

from collections.abc import Mapping

from jinja2 import Environment

from sitegen.render.addresses import file_of
from sitegen.render.environment import environment
from sitegen.render.headers import PATH as HEADERS
from sitegen.render.headers import headers
from sitegen.render.machine import json_twin, sitemap
from sitegen.render.social import cards_of, default_card
from sitegen.site.page import Page, Settings, Site

SITEMAP = "sitemap.xml"
TWIN = "index.json"

__all__ = ["cards_of", "environment", "render_fixed", "render_page", "render_site"]


NO_FONTS: Mapping[str, bytes] = {}
"""Of a project that draws no pictures of its pages."""


def render_page(page: Page, settings: Settings, templates: Environment) -> dict[str, bytes]:
    """Write one page, and its JSON twin where it has one; depends on no other page."""
    template = templates.get_template(page.template)
    html = template.render(page=page, view=page.view, site=settings)
    path = file_of(page.url)
    files = {path: html.encode()}
    if page.result is not None:
        files[path.removesuffix("index.html") + TWIN] = json_twin(page, settings)
    return files


def render_fixed(
    site: Site, assets: Mapping[str, bytes], fonts: Mapping[str, bytes] = NO_FONTS
) -> dict[str, bytes]:
    """Write what belongs to no page: the sitemap, the headers, the assets, the site's picture."""
    files = {f"assets/{name}": content for name, content in assets.items()}
    files[HEADERS] = headers(site.settings)
    files |= default_card(site.settings, fonts)
    files[SITEMAP] = sitemap(site.pages.values(), site.settings)
    return files


def render_site(
    site: Site,
    templates: Mapping[str, str],
    assets: Mapping[str, bytes],
    fonts: Mapping[str, bytes] = NO_FONTS,
) -> dict[str, bytes]:
    """Write the whole site.

    Args:
        site: The pages.
        templates: Jinja sources by name.
        assets: Bytes by name; published under ``assets/``.
        fonts: TrueType files by name, for pictures of pages.

    Returns:
        Bytes by path, in path order.
    """
    made = environment(templates, pictures=bool(fonts))
    files = render_fixed(site, assets, fonts)
    for page in site.pages.values():
        files.update(render_page(page, site.settings, made))
        files.update(cards_of(page, site.settings, fonts))
    return dict(sorted(files.items()))
