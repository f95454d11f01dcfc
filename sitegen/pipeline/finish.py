"""The end of a build: links are checked, the text is indexed, all is packed for reading offline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from sitegen.pipeline.page_memory import PageMemory
from sitegen.pipeline.pages import Rendered, Writer
from sitegen.pipeline.processes import fork_map, processes_for, work_queue
from sitegen.pipeline.search import Indexer
from sitegen.problems import Problem
from sitegen.render.addresses import file_of
from sitegen.render.data.offline import OFFLINE, is_packed, offline_archive, pack
from sitegen.render.links import check as check_links
from sitegen.site.page import Site
from sitegen.store import digest_of
from sitegen.values import dataclass

LARGE_BYTES = 2**15
"""Size of a file that is packed alone; smaller ones are packed with their folder."""
PACKED = "packed"
"""Name of the one file in what is remembered of packing."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Files that are made of all others, and what is wrong with the links of these."""

    files: Mapping[str, bytes]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some of the files that belong to no page, packed."""

    name: str
    packed: bytes


CHECKING = "links"
"""The step that is no packing."""


def finished(
    site: Site,
    rendered: Rendered,
    files: Mapping[str, bytes],
    *,
    jobs: int = 1,
    search: Indexer | None = None,
    early: Writer | None = None,
    written: Mapping[str, str] | None = None,
    memory: PageMemory | None = None,
) -> Finished:
    """Check the links of a site's files, and make its index and the file to read offline.

    Pages are packed already, and where they lead is known. Checking and packing wait for nothing
    of one another; the first process hands the files out to be written, and helps.

    Args:
        site: The pages.
        rendered: What was made of them.
        files: Those that belong to no page, by path.
        jobs: Processes to use where the system can fork.
        search: Makes the index.
        early: Takes the files that belong to no page.
        written: Text of sources, in which the line of a link is looked for.
        memory: What earlier builds have packed and indexed.
    """
    pieces = _pieces(files)
    mine = work_queue((CHECKING, *pieces), processes := processes_for(jobs, 2))
    base_url = site.settings.base_url

    def share(number: int) -> Iterator[_Piece | Finished]:
        if early and number == 0:
            early(files)
        for step in mine():
            if step == CHECKING:
                every = rendered.files.and_these({**files, OFFLINE: b""})
                with ThreadPoolExecutor(1) as beside:
                    # the indexer is a program of its own
                    index = beside.submit(_indexed, rendered, search, memory) if search else None
                    problems = _problems(site, rendered, every, written or {})
                    yield Finished(index.result() if index else {}, problems)
            else:
                some = {path: files[path] for path in pieces[step]}
                yield _Piece(step, _packed(some, base_url, memory))

    found = fork_map(share, processes)
    checked = next(one for one in found if isinstance(one, Finished))
    packed = {one.name: one.packed for one in found if isinstance(one, _Piece)}
    of_pages = (rendered.packed(url) for url in site.pages)
    indexed = pack(checked.files, base_url)
    archive = offline_archive((*of_pages, *(packed[name] for name in pieces), indexed))
    return Finished({**checked.files, OFFLINE: archive}, checked.problems)


def _pieces(files: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Share out what is packed: by folder, so that a change of one leaves the others' pieces."""
    pieces: dict[str, list[str]] = {}
    for path in sorted(filter(is_packed, files)):
        alone = len(files[path]) >= LARGE_BYTES
        pieces.setdefault(path if alone else f"{path.rpartition('/')[0]}/", []).append(path)
    return pieces


def _packed(files: Mapping[str, bytes], base_url: str, memory: PageMemory | None) -> bytes:
    if memory is None:
        return pack(files, base_url)
    made_of = (part for path in files for part in (path, digest_of(files[path])))
    made = memory.made_of(PACKED, (base_url, *made_of), lambda: {PACKED: pack(files, base_url)})
    return made[PACKED]


def _problems(
    site: Site, rendered: Rendered, every: Mapping[str, bytes], written: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Check the links of all files."""
    pages = site.pages.values()
    return check_links(
        every,
        {file_of(page.url): page.source for page in pages},
        elsewhere=frozenset(file_of(page.url) for page in pages if page.signpost),
        written=written,
        known={file_of(url): one.links for url, one in rendered.pages.items()},
    )


def _indexed(rendered: Rendered, search: Indexer, memory: PageMemory | None) -> Mapping[str, bytes]:
    """Index the pages that are searched, unless the same texts were indexed before."""
    said = {url: one.said for url, one in rendered.pages.items() if one.said}

    def make() -> Mapping[str, bytes]:
        return search({url: rendered.text(url) for url in said})

    parts = (part for pair in sorted(said.items()) for part in pair)
    return memory.made_of("index", parts, make) if memory else make()
