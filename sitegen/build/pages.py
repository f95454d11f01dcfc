"""Rendering as a map over pages: in this process, or the same bytes from several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from jinja2 import Environment

from sitegen.build.processes import processes_for, shared_out, turns
from sitegen.render import NO_FONTS, cards_of, environment, render_fixed, render_page
from sitegen.render.whole_site import ANCHORS, anchors_json, anchors_of
from sitegen.site.page import Page, Settings, Site
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
    settings: Settings
    templates: Environment
    fonts: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class _Part:
    """What one process wrote: files by path, anchors of rows by URL."""

    files: dict[str, bytes]
    anchors: dict[str, tuple[str, ...]]


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
        others: Writes more files, by path, at the same time.

    Raises:
        RenderError: If a template raises anything, naming the page and its source.
    """
    made = environment(templates, pictures=bool(fonts))
    work = _Work(tuple(site.pages.values()), site.settings, made, fonts)
    files = render_fixed(site, assets, fonts)
    processes = processes_for(jobs, len(work.pages) // FEWEST)
    pieces: tuple[Page | Others, ...] = (*work.pages, others)
    mine = turns(pieces, processes)

    def share(_number: int) -> _Part:
        return _rendered(work, mine())

    parts = shared_out(share, processes)
    anchors = {url: found for part in parts for url, found in part.anchors.items()}
    for part in parts:
        files.update(part.files)
    files[ANCHORS] = anchors_json({url: anchors[url] for url in site.pages}, site.settings)
    return dict(sorted(files.items()))


def _rendered(work: _Work, pieces: Iterable[Page | Others]) -> _Part:
    files: dict[str, bytes] = {}
    anchors: dict[str, tuple[str, ...]] = {}
    for piece in pieces:
        if not isinstance(piece, Page):
            files.update(piece())
            continue
        try:
            files.update(render_page(piece, work.settings, work.templates))
            files.update(cards_of(piece, work.settings, work.fonts))
            anchors[piece.url] = tuple(anchors_of(piece))
        except Exception as error:
            message = f"{piece.url} from {piece.source.path}: {type(error).__name__}: {error}"
            raise RenderError(message) from error
    return _Part(files, anchors)
