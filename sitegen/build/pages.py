"""Rendering as a map over pages: in this process, or the same bytes from several."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice

from jinja2 import Environment

from sitegen.render import environment, render_fixed, render_page
from sitegen.site.page import Page, Settings, Site

CHUNK = 16
"""Pages per task: enough that a task outweighs sending its result."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What a worker process inherits from its parent when it is forked."""

    pages: tuple[Page, ...]
    settings: Settings
    templates: Environment


_inherited: dict[str, _Work] = {}


def render(
    site: Site, templates: Mapping[str, str], assets: Mapping[str, bytes], *, jobs: int = 1
) -> dict[str, bytes]:
    """Write every page, and what belongs to none, in path order.

    Args:
        site: The pages.
        templates: Jinja sources by name.
        assets: Bytes by name.
        jobs: Processes to use where the system can fork; the bytes do not depend on it.

    Raises:
        Exception: Whatever a template raises, with a note that names the page and its source.
    """
    work = _Work(tuple(site.pages.values()), site.settings, environment(templates))
    files = render_fixed(site, assets)
    forkable = "fork" in multiprocessing.get_all_start_methods()
    if jobs > 1 and forkable and len(work.pages) > CHUNK:
        for part in _in_processes(work, jobs):
            files.update(part)
    else:
        files.update(_rendered(work, work.pages))
    return dict(sorted(files.items()))


def _in_processes(work: _Work, jobs: int) -> Iterator[dict[str, bytes]]:
    _inherited["work"] = work  # workers see it because they are forked after this line
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
            yield from pool.map(_chunk, range(0, len(work.pages), CHUNK))
    finally:
        _inherited.clear()


def _chunk(start: int) -> dict[str, bytes]:
    work = _inherited["work"]
    return _rendered(work, tuple(islice(work.pages, start, start + CHUNK)))


def _rendered(work: _Work, pages: Sequence[Page]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for page in pages:
        try:
            files.update(render_page(page, work.settings, work.templates))
        except Exception as error:
            error.add_note(f"while rendering {page.url} from {page.source.path}")
            raise
    return files
