"""Rendering as a map over pages: in this process, or the same bytes from several."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import field
from functools import lru_cache, partial

from jinja2 import Environment

from sitegen.output import DescribedFile, SiteFiles, described
from sitegen.pipeline.page_memory import Kept, PageBytes, PageMemory
from sitegen.pipeline.processes import fork_map, processes_for, work_queue
from sitegen.render.addresses import file_of
from sitegen.render.data.offline import pack
from sitegen.render.environment import environment
from sitegen.render.links import links_of
from sitegen.render.page_files import NO_FONTS, render_fixed, render_page
from sitegen.render.searchable import searchable
from sitegen.render.social import cards_of
from sitegen.render.whole_site import ANCHORS, anchors_json, anchors_of
from sitegen.site.content.site_settings import SiteSettings
from sitegen.site.page import Page, Read, Site, recorded
from sitegen.store import digest_of
from sitegen.values import dataclass

FEWEST = 16
"""Pages below which another process costs more than it saves."""
UNSEARCHED = frozenset({"search", "home", "combo-models", "model-machines", "model-on-combo"})
"""Kinds of pages that a search of the text need not find: they only name others."""


Others = Callable[[], Mapping[str, bytes]]
Writer = Callable[[Mapping[str, bytes]], None]


class RenderError(Exception):
    """A page could not be rendered; the message says which, from which file, and why."""


@dataclass(frozen=True, slots=True)
class _Work:
    """The templates, settings and links that pages are rendered with, and who takes the bytes."""

    settings: SiteSettings
    templates: Environment
    fonts: Mapping[str, bytes]
    urls: Container[str]
    reads: Mapping[str, tuple[Read, ...]]
    memory: PageMemory | None
    early: Writer | None


@dataclass(frozen=True, slots=True)
class _Written:
    """A page by its URL, or files that belong to none."""

    url: str
    made: Kept | None
    others: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rendered:
    """Files that belong to no page, what is known of each page by URL, and where its bytes are."""

    others: Mapping[str, bytes]
    pages: Mapping[str, Kept]
    bytes_of: Callable[[str], PageBytes]
    """Fetches what a page is made of, by URL, or makes it again where that is lost."""
    rest_of: Callable[[str], tuple[str, bytes]]
    """Fetches the text of a page that is searched, and the page packed, in the same way."""

    @property
    def files(self) -> SiteFiles:
        """Every file by path, in path order; those of pages are fetched when they are asked for."""
        here, elsewhere = dict(self.others), dict[str, DescribedFile]()
        for url, one in self.pages.items():
            if one.held is not None:
                here |= one.held.files
                continue
            fetch = partial(self._fetched, url)
            elsewhere |= {path: DescribedFile(entry, fetch) for path, entry in one.entries.items()}
        return SiteFiles(here, elsewhere)

    def text(self, url: str) -> str:
        """Return the text of a page that is searched."""
        return self.rest_of(url)[0]

    def packed(self, url: str) -> bytes:
        """Return a page packed for reading offline."""
        return self.rest_of(url)[1]

    def _fetched(self, url: str, path: str) -> bytes:
        return self.bytes_of(url).files[path]


def render(
    site: Site,
    templates: Mapping[str, str],
    assets: Mapping[str, bytes],
    fonts: Mapping[str, bytes] = NO_FONTS,
) -> dict[str, bytes]:
    """Write every page, and what belongs to none, in path order.

    Args and errors are those of ``rendered_site``.
    """
    return dict(rendered_site(site, templates, assets, fonts).files)


def rendered_site(
    site: Site,
    templates: Mapping[str, str],
    assets: Mapping[str, bytes],
    fonts: Mapping[str, bytes] = NO_FONTS,
    *,
    jobs: int = 1,
    others: Others = dict,
    memory: PageMemory | None = None,
    early: Writer | None = None,
) -> Rendered:
    """Write every page, and what belongs to none.

    Args:
        site: The pages.
        templates: Jinja sources by name.
        assets: Bytes by name.
        fonts: TrueType files by name, for pictures of pages.
        jobs: Processes to use where the system can fork; the bytes do not depend on it.
        others: Writes more files, by path.
        memory: Pages of earlier builds; the bytes do not depend on it.
        early: Takes the files of each page when it is made, in whichever process makes it. With a
            memory, what was taken is not held here.

    Raises:
        RenderError: If a template raises anything, naming the page and its source.
    """
    made = environment(templates, pictures=bool(fonts))
    work = _Work(site.settings, made, fonts, frozenset(site.pages), site.reads, memory, early)
    files = render_fixed(site, assets, fonts)
    found = _remembered(site, memory) if memory else {}
    missing = [page for url, page in site.pages.items() if url not in found]
    processes = processes_for(jobs, len(missing) // FEWEST)
    mine = work_queue(missing, processes)

    def share(number: int) -> Iterator[_Written]:
        if number == 0:
            yield _Written("", None, others())
        for page in mine():
            yield _Written(page.url, _written(work, page))

    for one in fork_map(share, processes):
        files.update(one.others)
        if one.made is not None:
            found[one.url] = one.made
    known = {url: found[url] for url in site.pages}
    files[ANCHORS] = anchors_json({url: one.anchors for url, one in known.items()}, site.settings)
    if memory:
        memory.keep_pages({url: one for url, one in known.items() if one.key})
    return Rendered(
        files,
        known,
        lru_cache(1)(lambda url: _bytes_of(work, site.pages[url], known[url])),
        lambda url: _rest_of(work, site.pages[url], known[url]),
    )


def _remembered(site: Site, memory: PageMemory) -> dict[str, Kept]:
    """Look pages up, by URL; what nobody keeps a record of is not remembered."""
    asked = ((url, memory.page(page, site.reads[url])) for url, page in site.pages.items()
             if url in site.reads)  # fmt: skip
    return {url: kept for url, kept in asked if kept is not None}


def _written(work: _Work, page: Page) -> Kept:
    """Write a page and remember it."""
    before = work.reads.get(page.url)
    with recorded() as reads:
        whole = _whole(work, page)
        try:
            anchors = tuple(anchors_of(page))
        except Exception as error:
            raise _render_error(page, error) from error
    path = file_of(page.url)
    made = Kept(
        {name: described(content) for name, content in sorted(whole.files.items())},
        anchors,
        tuple(sorted(reads.keys() - set(before or ()))),
        links_of(path, whole.files[path].decode()),
        digest_of(whole.text) if whole.text else "",
        held=whole,
    )
    if work.early:
        work.early(whole.files)
    return (
        made
        if work.memory is None or before is None
        else (work.memory.keep(page, before, made, whole))
    )


def _whole(work: _Work, page: Page) -> PageBytes:
    files = rendered(page, work.settings, work.templates, work.fonts, work.urls, memory=work.memory)
    text = searchable(files[file_of(page.url)].decode()) if is_searched(page) else ""
    return PageBytes(files, text, pack(files, work.settings.base_url))


def _bytes_of(work: _Work, page: Page, kept: Kept) -> PageBytes:
    """Fetch what a page is made of; make it again where the memory has lost it meanwhile."""
    if kept.held is not None:
        return kept.held
    found = work.memory.bytes_of(kept) if work.memory else None
    return found or _whole(work, page)


def _rest_of(work: _Work, page: Page, kept: Kept) -> tuple[str, bytes]:
    found = work.memory.rest_of(kept) if work.memory and kept.held is None else None
    if found is None:
        whole = _bytes_of(work, page, kept)
        found = whole.text, whole.packed
    return found


def is_searched(page: Page) -> bool:
    """Return whether a search of the text finds a page."""
    return not page.signpost and page.kind not in UNSEARCHED


def rendered(
    page: Page,
    settings: SiteSettings,
    templates: Environment,
    fonts: Mapping[str, bytes],
    urls: Container[str],
    *,
    memory: PageMemory | None = None,
) -> dict[str, bytes]:
    """Write a page, the files beside it and its picture; ``urls`` are those of all pages.

    Raises:
        RenderError: If a template raises anything, naming the page and its source.
    """
    try:
        files = render_page(page, settings, templates, urls)

        def draw() -> Mapping[str, bytes]:
            return cards_of(page, settings, fonts)

        if memory is None or page.card is None:
            return {**files, **draw()}
        return {**files, **memory.picture(page, settings.title, draw)}
    except Exception as error:
        raise _render_error(page, error) from error


def _render_error(page: Page, error: Exception) -> RenderError:
    return RenderError(f"{page.url} from {page.source.path}: {type(error).__name__}: {error}")
