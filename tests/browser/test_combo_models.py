"""The models of a combo: a filter over all of them, rows that open, addresses that stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.open_pages import COMBO, COMMANDS, MODELS, opened
from tests.render.built import files, pages

pytestmark = pytest.mark.browser

STOPS = """() => [...document.querySelectorAll(
  'a[href], button, input, select, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility() && !one.closest('details:not([open]) > :not(summary)'))
  .length"""
BUDGET = {
    "combo": (150_000, 4_000, 250), "combo-models": (300_000, 12_000, 400),
    "model": (150_000, 4_000, 400), "model-machines": (150_000, 5_000, 400),
}  # fmt: skip
"""Bytes of HTML, words of the main part and stops of the tab key, by kind of page."""


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def shown(page: Page) -> list[str]:
    return page.locator("#every-model tbody tr:visible > th a:not(.permalink)").all_inner_texts()


def test_a_name_finds_models_that_the_page_did_not_list(page: Page, published_at: str) -> None:
    page.goto(published_at + COMBO)
    assert "Huge 400B" not in shown(page)
    page.get_by_label("Name").fill("huge 400")
    expect(page.locator("#choose-model [role=status]")).to_have_text("1 of 3 models")
    assert shown(page) == ["Huge 400B"]
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#choose-model [role=status]")).to_have_text("3 of 3 models")


def test_every_model_is_one_click_away_and_keeps_its_link(page: Page, published_at: str) -> None:
    page.goto(published_at + COMBO)
    before = page.locator("#first-models tbody th a:not(.permalink)").first
    text, address = before.inner_text(), before.evaluate("link => link.href")
    page.get_by_role("button", name="Show every model").click()
    expect(page.locator("#tier-not-practical")).to_be_visible()
    row = page.locator("#tier-comfortable tbody th a:not(.permalink)", has_text=text)
    assert row.evaluate("link => link.href") == address
    assert page.get_by_role("button", name="Show every model").count() == 0


def test_bounds_and_verdicts_leave_out_what_does_not_reach_them(
    page: Page, published_at: str
) -> None:
    page.goto(published_at + MODELS)
    contexts = page.locator("#tier-comfortable tbody td:nth-child(4)").evaluate_all(
        "cells => cells.map((cell) => parseFloat(cell.textContent.replaceAll(',', '')))"
    )
    page.get_by_label("Context, at least").fill(str(max(contexts)))
    kept = [context for context in contexts if context == max(contexts)]
    assert len(shown(page)) == len(kept) < len(contexts) + 1
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Verdict").select_option("not-practical")
    assert shown(page) == ["Huge 400B"]


def test_from_a_folder_the_filter_leads_to_the_page_of_all_models(
    chromium: Browser, folder: Path
) -> None:
    page = opened(chromium, folder / COMBO)
    page.get_by_role("button", name="Show every model").click()
    page.wait_for_url("**/models/index.html")
    assert "Huge 400B" in shown(page)


@pytest.mark.parametrize("anchor", ["m-huge-400b", "tier-not-practical"])
def test_an_old_address_of_a_row_leads_to_where_it_stands(
    page: Page, published_at: str, anchor: str
) -> None:
    page.goto(f"{published_at}{COMBO}#{anchor}")
    page.wait_for_url(f"**/models/index.html#{anchor}")
    assert page.locator(f"#{anchor}").is_visible()


def test_without_scripts_a_link_leads_to_every_model(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / COMBO).as_uri())
    assert not page.locator("#choose-model").is_visible()
    page.locator("#all-models").click()
    assert page.locator("#tier-not-practical tbody tr").count() == 1
    context.close()


@pytest.mark.parametrize("path", [COMBO, MODELS, COMMANDS])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_of_a_combo_scrolls_one_way(
    chromium: Browser, folder: Path, path: str, width: int
) -> None:
    page = opened(chromium, folder / path, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(
    "path", [p for p in pages() if p.startswith(("combos/", "models/")) and p.count("/") > 1]
)
def test_a_page_keeps_to_its_budget(chromium: Browser, folder: Path, path: str) -> None:
    kind = "combo" if path.startswith("combos/") else "model"
    for part in ("models", "machines"):
        kind += f"-{part}" if path.endswith(f"/{part}/index.html") else ""
    most_bytes, most_words, most_stops = BUDGET[kind]
    page = opened(chromium, folder / path)
    words = page.evaluate("document.querySelector('main').textContent.split(/\\s+/).length")
    assert len(files()[path]) <= most_bytes
    assert words <= most_words
    assert page.evaluate(STOPS) <= most_stops
