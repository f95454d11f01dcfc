"""A reader's own prices on a combo page: computed by the engine's formulas, kept on the device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

from sitegen.ownership import cost

pytestmark = pytest.mark.browser

PATH = "combos/four-by-two/index.html"


@pytest.fixture
def context(chromium: Browser, published_at: str) -> Iterator[BrowserContext]:
    made = chromium.new_context(viewport={"width": 1280, "height": 900}, base_url=published_at)
    yield made
    made.close()


def opened(context: BrowserContext, path: str = PATH) -> Page:
    page = context.new_page()
    page.goto(path)
    page.locator(".own-prices summary").click()
    return page


def output(page: Page, name: str) -> str:
    return page.locator(f".own-prices output[name={name}]").inner_text()


def fill(page: Page, **values: float) -> None:
    for name, value in values.items():
        page.locator(f".own-prices input[name={name}]").first.fill(str(value))


def speeds(page: Page) -> list[float]:
    form = page.locator(".own-prices")
    return [float(form.get_attribute(f"data-{name}") or "") for name in ("one", "every")]


def printed(text: str) -> list[float]:
    return [float(part.split()[0].replace(",", "")) for part in text.split("/")]


def test_the_answers_are_the_engine_s(context: BrowserContext) -> None:
    page = opened(context)
    fill(page, buy=1_000, hire=0.5, watts=2_000, kwh=0.3)
    assert output(page, "bought") == "8,000 USD"
    assert output(page, "hired") == "4 USD an hour"
    energy, hire = cost.power_usd_an_hour(2_000, 0.3), 4.0
    for name, hour in (("energy", energy), ("rent", hire)):
        expected = [cost.usd_per_million_tokens(hour, speed) for speed in speeds(page)]
        assert printed(output(page, name)) == pytest.approx(expected, rel=1e-3)
    assert output(page, "hours") == "2,000 hours"
    fill(page, hire=0)
    assert output(page, "hours") == "–"


def test_an_empty_field_leaves_its_answers_out(context: BrowserContext) -> None:
    page = opened(context)
    fill(page, buy=1_000, watts=2_000, kwh=0.3)
    page.locator(".own-prices input[name=hire]").first.fill("")
    assert output(page, "rent") == "–"
    assert output(page, "bought") == "8,000 USD"
    assert "USD" in output(page, "energy")


def test_prices_are_kept_by_gpu_and_can_be_forgotten(context: BrowserContext) -> None:
    page = opened(context)
    first = page.locator(".own-prices input[name=buy]").first.input_value()
    fill(page, buy=1_234, watts=777)
    again = opened(context)
    assert again.locator(".own-prices input[name=buy]").first.input_value() == "1234"
    assert again.locator(".own-prices input[name=watts]").input_value() != "777"
    again.locator(".own-prices button[name=forget]").click()
    assert again.locator(".own-prices input[name=buy]").first.input_value() == first
    assert again.evaluate("localStorage.length") == 0


def test_without_a_script_the_row_stays_and_the_form_is_hidden(
    chromium: Browser, folder: Path
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / PATH).as_uri())
    assert page.locator("#costs tbody tr").count() == 1
    assert not page.locator(".own-prices").is_visible()
    context.close()


def test_the_form_is_accessible_on_a_small_screen(context: BrowserContext) -> None:
    page = opened(context)
    page.set_viewport_size({"width": 360, "height": 800})
    assert Axe().run(page, context=".own-prices").response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
