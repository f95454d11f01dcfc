"""What a reader with a browser meets: any theme, any width, no JavaScript, no network, no mouse."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route

from sitegen.render.addresses import file_of
from tests.render.built import files

pytestmark = pytest.mark.browser

ONE_OF_EACH_KIND = (
    "index.html", "404.html", "combos/index.html", "combos/four-by-two/index.html",
    "combos/single-rtx-3060/index.html", "combos/mac-studio/index.html", "models/index.html",
    "benchmarks/opportunities/index.html",
    "models/large-70b/index.html", "gpus/index.html", "gpus/rtx-3060-12gb/index.html",
    "runtimes/index.html", "runtimes/vllm/index.html", "guides/index.html",
    "guides/several-machines/index.html", "framework/index.html",
    "framework/constants/index.html", "glossary/index.html",
    "claims/index.html", "search/index.html", "compare/index.html",
)  # fmt: skip
COMBO = "combos/four-by-two/index.html"
Scheme = Literal["light", "dark"]


def opened(chromium: Browser, file: Path, *, width: int = 1280, scheme: Scheme = "light") -> Page:
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    if file.name == "404.html":
        page.route("https://example.org/**", published)
        page.goto("https://example.org/combos/no-such-combo/")
    else:
        page.goto(file.as_uri())
    return page


def published(route: Route) -> None:
    """Answer as the published site does: a missing page is the error page."""
    path = file_of(urlsplit(route.request.url).path)
    found = path in files()
    kind = {"css": "text/css", "svg": "image/svg+xml", "js": "text/javascript"}.get(
        path.rsplit(".", 1)[-1], "text/html"
    )
    body = files()[path if found else "404.html"]
    route.fulfill(status=200 if found else 404, body=body, content_type=f"{kind}; charset=utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ONE_OF_EACH_KIND)
def test_axe_finds_no_violation(chromium: Browser, folder: Path, path: str, scheme: Scheme) -> None:
    page = opened(chromium, folder / path, scheme=scheme)
    found = Axe().run(page)
    page.context.close()
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("path", ONE_OF_EACH_KIND)
def test_at_320_pixels_only_table_regions_scroll(
    chromium: Browser, folder: Path, path: str
) -> None:
    page = opened(chromium, folder / path, width=320)
    wide = page.evaluate("document.documentElement.scrollWidth")
    outside = page.evaluate(
        """() => [...document.querySelectorAll('main *')]
          .filter(e => e.getBoundingClientRect().right > 321 && !e.closest('.table, pre, .unseen'))
          .map(e => e.outerHTML.slice(0, 80))"""
    )
    page.context.close()
    assert wide == 320
    assert outside == []


@pytest.mark.parametrize("path", ONE_OF_EACH_KIND)
def test_targets_that_stand_alone_are_24_pixels_high(
    chromium: Browser, folder: Path, path: str
) -> None:
    page = opened(chromium, folder / path, width=320)
    small = page.evaluate(
        """() => [...document.querySelectorAll('nav a, summary, .counts a, button, input, select')]
          .filter(e => e.getBoundingClientRect().height > 0)
          .filter(e => e.getBoundingClientRect().height < 24).map(e => e.textContent)"""
    )
    page.context.close()
    assert small == []


def test_a_page_asks_for_its_stylesheet_script_and_icon_and_nothing_else(
    chromium: Browser, folder: Path
) -> None:
    page = chromium.new_context().new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto((folder / COMBO).as_uri())
    page.context.close()
    assert {url.rsplit("/", 1)[-1] for url in asked} <= {
        "index.html", "site.css", "site.js", "copy.js", "icon.svg",
    }  # fmt: skip
    assert all(url.startswith("file://") for url in asked)
    assert complaints == []


def test_the_page_is_styled_from_the_file_system(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO)
    family = page.evaluate("getComputedStyle(document.body).fontFamily")
    page.context.close()
    assert "system-ui" in family


def test_the_error_page_is_styled_and_leads_back_from_a_deep_address(
    chromium: Browser, folder: Path
) -> None:
    page = opened(chromium, folder / "404.html")
    assert "system-ui" in page.evaluate("getComputedStyle(document.body).fontFamily")
    page.get_by_role("link", name="the home page").click()
    assert page.locator("h1").inner_text() == "What runs on this hardware?"
    page.context.close()


def test_links_and_folded_lists_work_without_javascript(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / COMBO).as_uri())
    page.locator("td details summary, th details summary").first.click()
    assert page.locator("details[open] li").first.is_visible()
    page.get_by_role("link", name="Models", exact=True).click()
    assert page.locator("h1").inner_text() == "Models"
    context.close()


def test_the_keyboard_reaches_content_and_tables(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    regions = page.get_by_role("region").all()
    regions[-1].focus()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "region"
    page.context.close()


def test_the_first_column_stays_while_a_table_scrolls(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO, width=360)
    where = page.evaluate(
        """() => {
          const region = document.querySelector('#tier-comfortable').parentElement;
          region.scrollLeft = 200;
          const head = region.querySelector('tbody th');
          return [region.scrollLeft,
                  head.getBoundingClientRect().left - region.getBoundingClientRect().left];
        }"""
    )
    page.context.close()
    assert where == [200, 0]


def test_a_printed_page_is_light_and_has_no_navigation(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    seen = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.querySelector('.top')).display]"""
    )
    page.context.close()
    assert seen == ["rgb(255, 255, 255)", "none"]


def test_verdicts_keep_an_outline_in_forced_colours(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(forced_colors="active")
    page = context.new_page()
    page.goto((folder / COMBO).as_uri())
    width = page.evaluate("getComputedStyle(document.querySelector('.tier')).borderTopWidth")
    context.close()
    assert width == "1px"


def test_a_button_copies_the_commands_of_a_step(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto((folder / COMBO).as_uri())
    block = page.locator(".recipe[open] .code").first
    block.get_by_role("button", name="Copy").click()
    block.get_by_role("button", name="Copied").wait_for(timeout=5_000)
    copied = page.evaluate("navigator.clipboard.readText()")
    written = block.locator("pre").text_content()
    context.close()
    assert written
    assert copied == written


def test_recipes_are_whole_without_javascript(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / COMBO).as_uri())
    shown = page.locator(".recipe[open] pre").first
    assert shown.is_visible()
    assert page.locator(".copy").count() == 0
    context.close()
