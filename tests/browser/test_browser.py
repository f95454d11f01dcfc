"""What a reader with a browser meets: any theme, any width, no JavaScript, no network, no mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from sitegen.render.addresses import file_of
from tests.browser.axe import colour_flaws, flaws
from tests.browser.open_pages import (
    COMBO,
    COMMANDS,
    ONE_OF_EACH_KIND,
    opened,
    seen,
)
from tests.render.built import site

pytestmark = pytest.mark.browser


def test_every_kind_of_page_is_looked_at() -> None:
    kinds = {file_of(page.url): page.kind for page in site().pages.values()}
    assert {kinds[path] for path in ONE_OF_EACH_KIND} == set(kinds.values())


@pytest.mark.parametrize("path", ONE_OF_EACH_KIND)
def test_axe_finds_no_violation(chromium: Browser, folder: Path, path: str) -> None:
    page = opened(chromium, folder / path)
    assert flaws(page) == ""
    seen(page, scheme="dark", width=360)
    assert flaws(page) == ""
    seen(page, scheme="dark", width=1280)
    assert colour_flaws(page) == ""


def test_the_page_is_styled_from_the_file_system(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO)
    family = page.evaluate("getComputedStyle(document.body).fontFamily")
    assert "system-ui" in family


def test_the_error_page_is_styled_and_leads_back_from_a_deep_address(
    chromium: Browser, folder: Path
) -> None:
    page = opened(chromium, folder / "404.html")
    assert "system-ui" in page.evaluate("getComputedStyle(document.body).fontFamily")
    page.get_by_role("link", name="the home page").click()
    assert page.locator("h1").inner_text() == "What runs on this hardware?"


def test_the_error_page_leads_from_a_pair_without_a_page_to_its_machine_and_model(
    chromium: Browser, folder: Path
) -> None:
    page = opened(chromium, folder / "404.html")
    assert not page.locator("#pair").is_visible()
    page.goto("https://example.org/combos/four-by-two/gone-8b/")
    page.get_by_role("link", name="the machine").click()
    assert page.url == "https://example.org/combos/four-by-two/"
    page.go_back()
    assert page.locator("#pair a").last.get_attribute("href") == "/models/gone-8b/"


def test_links_and_folded_lists_work_without_javascript(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / COMBO).as_uri())
    page.locator("td details summary, th details summary").first.click()
    assert page.locator("details[open] li").first.is_visible()
    page.locator(".menu summary", has_text="Models").click()
    page.get_by_role("link", name="All models", exact=True).click()
    assert page.locator("h1").inner_text() == "Models"
    context.close()


def test_the_keyboard_reaches_content_and_tables(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    regions = page.get_by_role("region").all()
    regions[-1].focus()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "region"


def test_the_first_column_stays_while_a_table_scrolls(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO, width=360)
    where = page.evaluate(
        """() => {
          const region = document.querySelector('#goals').parentElement;
          region.scrollLeft = 200;
          const head = region.querySelector('tbody th');
          return [region.scrollLeft,
                  head.getBoundingClientRect().left - region.getBoundingClientRect().left];
        }"""
    )
    assert where == [200, 0]


def test_a_printed_page_is_light_and_has_no_navigation(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    seen = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.querySelector('.top')).display]"""
    )
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
    page.goto((folder / COMMANDS).as_uri())
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
    page.goto((folder / COMMANDS).as_uri())
    shown = page.locator(".recipe[open] pre").first
    assert shown.is_visible()
    assert page.locator(".copy").count() == 0
    context.close()
