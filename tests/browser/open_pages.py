"""One page of every kind, opened as a reader opens it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Route

from sitegen.render.addresses import file_of
from tests.render.built import files

ONE_OF_EACH_KIND = (
    "index.html", "404.html", "combos/index.html", "combos/four-by-two/index.html",
    "combos/single-rtx-3060/index.html", "combos/mac-studio/index.html", "models/index.html",
    "combos/four-by-two/models/index.html", "combos/four-by-two/recipes/index.html",
    "combos/four-by-two/large-70b/index.html", "combos/single-rtx-3060/large-70b/index.html",
    "benchmarks/opportunities/index.html",
    "models/large-70b/index.html", "models/large-70b/machines/index.html",
    "models/large-70b/recipes/index.html", "gpus/index.html", "gpus/rtx-3060-12gb/index.html",
    "runtimes/index.html", "runtimes/vllm/index.html", "guides/index.html",
    "guides/several-machines/index.html", "framework/index.html",
    "framework/constants/index.html", "glossary/index.html",
    "claims/index.html", "accuracy/index.html", "accuracy/vllm/index.html", "quality/index.html",
    "search/index.html", "compare/index.html", "matrix/index.html", "custom/index.html",
    "check/index.html", "buy/index.html", "status/index.html",
    "changes/index.html", "errors/index.html", "api/index.html", "runtimes/withdrawn/index.html",
)  # fmt: skip
COMBO = "combos/four-by-two/index.html"
MODELS = "combos/four-by-two/models/index.html"
COMMANDS = "combos/four-by-two/recipes/index.html"
Scheme = Literal["light", "dark"]


@contextmanager
def without_errors(page: Page) -> Iterator[Page]:
    """Fail where a script of the page throws."""
    thrown: list[str] = []

    def note(error: object) -> None:
        thrown.append(str(error))

    page.on("pageerror", note)
    yield page
    page.remove_listener("pageerror", note)
    assert thrown == []


@cache
def shared_page(chromium: Browser) -> Page:
    """The one page of tests that only look: a process of its own for each costs a second."""
    page = chromium.new_context(reduced_motion="reduce").new_page()
    page.route("https://example.org/**", published)
    return page


def opened(chromium: Browser, file: Path, *, width: int = 1280, scheme: Scheme = "light") -> Page:
    """Open a page of the site anew; what was opened so before is gone."""
    page = shared_page(chromium)
    seen(page, width=width, scheme=scheme)
    if file.name == "404.html":
        page.goto("https://example.org/combos/no-such-combo/")
    else:
        page.goto(file.as_uri())
    return page


def seen(page: Page, *, width: int, scheme: Scheme) -> None:
    """Look at a page on a screen of this width and in these colours."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media="null", color_scheme=scheme)


def published(route: Route) -> None:
    """Answer as the published site does: a missing page is the error page."""
    path = file_of(urlsplit(route.request.url).path)
    found = path in files()
    kind = {"css": "text/css", "svg": "image/svg+xml", "js": "text/javascript"}.get(
        path.rsplit(".", 1)[-1], "text/html"
    )
    body = files()[path if found else "404.html"]
    route.fulfill(status=200 if found else 404, body=body, content_type=f"{kind}; charset=utf-8")
