"""Rendering as a map over pages: in this process, or the same bytes from several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jinja2 import Environment

from sitegen.build.processes import processes_for, shared_out
from sitegen.render import cards_of, environment, render_fixed, render_page
from sitegen.site.page import Page, Settings, Site
from sitegen.values import dataclass

FEWEST = 16
"""Pages below which another process costs more than it saves."""


class RenderError(Exception):
    """A page could not be rendered; the message says which, from which file, and why."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What pages are rendered with."""

    pages: tuple[Page, ...]
    settings: Settings
    templates: Environment
    fonts: Mapping[str, bytes]


def render(
    site: Site,
    templates: Mapping[str, str],
    assets: Mapping[str, bytes],
    fonts: Mapping[str, bytes],
    *,
    jobs: int = 1,
) -> dict[str, bytes]:
    """Write every page, and what belongs to none, in path order.

    Args:
        site: The pages.
        templates: Jinja sources by name.
        assets: Bytes by name.
        fonts: TrueType files by name, for pictures of pages.
        jobs: Processes to use where the system can fork; the bytes do not depend on it.

    Raises:
        RenderError: If a template raises anything, naming the page and its source.
    """
    made = environment(templates, pictures=bool(fonts))
    work = _Work(tuple(site.pages.values()), site.settings, made, fonts)
    files = render_fixed(site, assets, fonts)
    processes = processes_for(jobs, len(work.pages) // FEWEST)

    def share(first: int) -> dict[str, bytes]:
        return _rendered(work, work.pages[first::processes])

    for part in shared_out(share, processes) if processes > 1 else [share(0)]:
        files.update(part)
    return dict(sorted(files.items()))


def _rendered(work: _Work, pages: Sequence[Page]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for page in pages:
        try:
            files.update(render_page(page, work.settings, work.templates))
            files.update(cards_of(page, work.settings, work.fonts))
        except Exception as error:
            message = f"{page.url} from {page.source.path}: {type(error).__name__}: {error}"
            raise RenderError(message) from error
    return files
