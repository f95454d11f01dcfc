"""The end of a build: links are checked, the text is indexed, all is packed for reading offline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from sitegen.pipeline.page_memory import Kept
from sitegen.pipeline.processes import fork_map, processes_for, work_queue
from sitegen.pipeline.search import Indexer
from sitegen.problems import Problem
from sitegen.render.addresses import file_of
from sitegen.render.data.offline import OFFLINE, offline_archive, pack
from sitegen.render.links import check as check_links
from sitegen.render.searchable import searchable
from sitegen.site.page import Site
from sitegen.values import dataclass

Writer = Callable[[Mapping[str, bytes]], None]

PACKS = 8
"""Pieces in which the file to read offline is packed, so that several processes can."""
UNSEARCHED = frozenset({"search", "home", "combo-models", "model-machines", "model-on-combo"})
"""Kinds of pages that a search of the text need not find: they only name others."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Files that are made of all others, and what is wrong with the links of these."""

    files: Mapping[str, bytes]
    problems: tuple[Problem, ...]


NOTHING = Finished({}, ())


@dataclass(frozen=True, slots=True)
class _Step:
    """One of the steps that processes share: a piece of the packing, or the check."""

    number: int
    packed: bytes = b""
    checked: Finished = NOTHING


def finished(
    site: Site,
    files: Mapping[str, bytes],
    pages: Mapping[str, Kept],
    *,
    jobs: int = 1,
    search: Indexer | None = None,
    early: Writer | None = None,
    written: Mapping[str, str] | None = None,
) -> Finished:
    """Check the links of a site's files, and make its index and the file to read offline.

    Pages are packed already, and what they mention is known.

    Checking and packing wait for nothing of one another; the first process hands the files out to
    be written, and helps.
    """
    paths_of_pages = {path for one in pages.values() for path in one.files}
    paths = sorted(files.keys() - paths_of_pages)
    processes = processes_for(jobs, 2)
    checking, *packing = range(PACKS + 1)
    mine = work_queue((checking, *packing), processes)

    def share(number: int) -> Iterator[_Step]:
        if early and number == 0:
            early(files)
        for step in mine():
            if step == checking:
                yield _Step(step, checked=_checked(site, files, pages, search, written or {}))
            else:
                at = (step - 1) * len(paths) // PACKS, step * len(paths) // PACKS
                piece = {path: files[path] for path in paths[slice(*at)]}
                yield _Step(step, pack(piece, site.settings.base_url))

    done = {one.number: one for one in fork_map(share, processes)}
    checked = done[checking].checked
    packs = (done[step].packed for step in packing)
    of_pages = (one.packed for one in pages.values())
    archive = offline_archive((*of_pages, *packs, pack(checked.files, site.settings.base_url)))
    return Finished({**checked.files, OFFLINE: archive}, checked.problems)


def _checked(
    site: Site,
    files: Mapping[str, bytes],
    made: Mapping[str, Kept],
    search: Indexer | None,
    written: Mapping[str, str],
) -> Finished:
    """Check the links while the indexer, which is a program of its own, reads the pages."""
    pages = site.pages.values()
    sources = {file_of(page.url): page.source for page in pages}
    signposts = frozenset(file_of(page.url) for page in pages if page.signpost)
    known = {file_of(url): one.mentions for url, one in made.items()}
    with ThreadPoolExecutor(1) as beside:
        indexing = beside.submit(search, searched(site, files)) if search else None
        problems = check_links(
            {**files, OFFLINE: b""}, sources, elsewhere=signposts, written=written, known=known
        )
        return Finished(indexing.result() if indexing else {}, problems)


def searched(site: Site, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return what a full-text index reads of each page, by URL."""
    return {
        page.url: searchable(files[file_of(page.url)].decode())
        for page in site.pages.values()
        if not page.signpost and page.kind not in UNSEARCHED
    }
