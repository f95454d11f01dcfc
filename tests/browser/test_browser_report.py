"""A reader who follows a row's own link reports that row, with what it says."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser

from tests.browser.open_pages import MODELS

pytestmark = pytest.mark.browser
COMBO = "combos/four-by-two/index.html"


def body_of(address: str) -> list[str]:
    return parse_qs(urlsplit(address).query)["body"][0].split("\n")


def test_the_report_takes_along_the_row_that_the_address_names(
    chromium: Browser, folder: Path
) -> None:
    page = chromium.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto((folder / MODELS).as_uri())
    report = page.locator("a.report")
    before = body_of(str(report.get_attribute("href")))
    assert "Value on the page: " in before
    assert page.locator("a.permalink").count() == 0
    page.locator("main tbody tr[id]").first.hover()
    page.locator("a.permalink").click()
    page.wait_for_function("document.querySelector('a.report').href.includes('%23m-large-70b')")
    after = body_of(str(report.get_attribute("href")))
    assert after[:4] == before[:4]
    assert after[4] == "Row: #m-large-70b--q4-k-m"
    assert after[5].startswith("Value on the page: Model file: Large 70B")
    assert "Speed one user: 21 tok/s" in after[5].replace("\N{NO-BREAK SPACE}", " ")
    assert after[6] == before[6]
    assert refused == []
    page.close()


def test_without_javascript_the_link_leads_there_all_the_same(
    chromium: Browser, folder: Path
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / COMBO).as_uri() + "#m-large-70b--q4-k-m")
    assert body_of(str(page.locator("a.report").get_attribute("href")))[4].startswith("Row (")
    context.close()
