"""The end of a build: links are checked, the text is indexed, all is packed for reading offline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from sitegen.build.processes import processes_for, shared_out
from sitegen.build.search import Indexer
from sitegen.problems import Problem
from sitegen.render.addresses import file_of
from sitegen.render.links import check as check_links
from sitegen.render.offline import OFFLINE, offline_archive, with_more
from sitegen.render.searchable import searchable
from sitegen.site.page import Site
from sitegen.values import dataclass

Writer = Callable[[Mapping[str, bytes]], None]

UNSEARCHED = frozenset({"search", "home"})
"""Kinds of pages that a search of the text need not find: they only name others."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Files that are made of all others, and what is wrong with the links of these."""

    files: Mapping[str, bytes]
    problems: tuple[Problem, ...]


def finished(
    site: Site,
    files: Mapping[str, bytes],
    *,
    jobs: int = 1,
    search: Indexer | None = None,
    early: Writer | None = None,
) -> Finished:
    """Check the links of a site's files, and make its index and the file to read offline.

    Writing, checking and packing wait for nothing of one another, so each has a process of its own
    where there may be several.
    """

    def written() -> Finished:
        if early:
            early(files)
        return Finished({}, ())

    def packed() -> Finished:
        return Finished({OFFLINE: offline_archive(files)}, ())

    steps = (written, packed, lambda: _checked(site, files, search))
    several = processes_for(jobs, 2) > 1
    parts = shared_out(lambda at: steps[at](), 3) if several else [step() for step in steps]
    _, archive, checked = parts
    whole = with_more(archive.files[OFFLINE], checked.files)
    return Finished({**checked.files, OFFLINE: whole}, checked.problems)


def _checked(site: Site, files: Mapping[str, bytes], search: Indexer | None) -> Finished:
    """Check the links while the indexer, which is a program of its own, reads the pages."""
    pages = site.pages.values()
    sources = {file_of(page.url): page.source for page in pages}
    signposts = frozenset(file_of(page.url) for page in pages if page.signpost)
    with ThreadPoolExecutor(1) as beside:
        indexing = beside.submit(search, searched(site, files)) if search else None
        problems = check_links({**files, OFFLINE: b""}, sources, elsewhere=signposts)
        return Finished(indexing.result() if indexing else {}, problems)


def searched(site: Site, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return what a full-text index reads of each page, by URL."""
    return {
        page.url: searchable(files[file_of(page.url)].decode())
        for page in site.pages.values()
        if not page.signpost and page.kind not in UNSEARCHED
    }
