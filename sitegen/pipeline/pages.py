"""Rendering as a map over pages: in this process, or the same bytes from several."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping

from jinja2 import Environment

from sitegen.pipeline.processes import fork_map, processes_for, work_queue
from sitegen.render import NO_FONTS, cards_of, environment, render_fixed, render_page
from sitegen.render.whole_site import ANCHORS, anchors_json, anchors_of
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import Page, Site
from sitegen.values import dataclass

FEWEST = 16
"""Pages below which another process costs more than it saves."""


Others = Callable[[], Mapping[str, bytes]]


class RenderError(Exception):
    """A page could not be rendered; the message says which, from which file, and why."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What pages are rendered with."""

    pages: tuple[Page, ...]
    settings: SiteSettings
    templates: Environment
    fonts: Mapping[str, bytes]
    urls: Container[str]


@dataclass(frozen=True, slots=True)
class _Written:
    """A page's files by path and the anchors of its rows; what belongs to no page has no URL."""

    url: str
    files: Mapping[str, bytes]
    anchors: tuple[str, ...]


def render(
    site: Site,
    templates: Mapping[str, str],
    assets: Mapping[str, bytes],
    fonts: Mapping[str, bytes] = NO_FONTS,
    *,
    jobs: int = 1,
    others: Others = dict,
) -> dict[str, bytes]:
    """Write every page, and what belongs to none, in path order.

    Args:
        site: The pages.
        templates: Jinja sources by name.
        assets: Bytes by name.
        fonts: TrueType files by name, for pictures of pages.
        jobs: Processes to use where the system can fork; the bytes do not depend on it.
        others: Writes more files, by path.

    Raises:
        RenderError: If a template raises anything, naming the page and its source.
    """
    made = environment(templates, pictures=bool(fonts))
    work = _Work(tuple(site.pages.values()), site.settings, made, fonts, frozenset(site.pages))
    files = render_fixed(site, assets, fonts)
    processes = processes_for(jobs, len(work.pages) // FEWEST)
    mine = work_queue(work.pages, processes)

    def share(number: int) -> Iterator[_Written]:
        if number == 0:
            yield _Written("", others(), ())
        for page in mine():
            yield _written(work, page)

    anchors: dict[str, tuple[str, ...]] = {}
    for one in fork_map(share, processes):
        anchors[one.url] = one.anchors
        files.update(one.files)
    files[ANCHORS] = anchors_json({url: anchors[url] for url in site.pages}, site.settings)
    return dict(sorted(files.items()))


def _written(work: _Work, page: Page) -> _Written:
    files = rendered(page, work.settings, work.templates, work.fonts, work.urls)
    try:
        return _Written(page.url, files, tuple(anchors_of(page)))
    except Exception as error:
        raise _render_error(page, error) from error


def rendered(
    page: Page,
    settings: SiteSettings,
    templates: Environment,
    fonts: Mapping[str, bytes],
    urls: Container[str],
) -> dict[str, bytes]:
    """Write a page, the files beside it and its picture; ``urls`` are those of all pages.

    Raises:
        RenderError: If a template raises anything, naming the page and its source.
    """
    try:
        return {**render_page(page, settings, templates, urls), **cards_of(page, settings, fonts)}
    except Exception as error:
        raise _render_error(page, error) from error


def _render_error(page: Page, error: Exception) -> RenderError:
    return RenderError(f"{page.url} from {page.source.path}: {type(error).__name__}: {error}")
