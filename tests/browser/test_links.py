"""Links that people send: the same view opens again, and a part that is not known is named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.open_pages import ONE_OF_EACH_KIND, without_errors
from tests.render.built import files

pytestmark = pytest.mark.browser
PAIR = "combos/four-by-two/large-70b/index.html"
ESCAPE = "#%E0%A4%A"
UNKNOWN = ".unknown"


@pytest.fixture(scope="module")
def one_page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def page(one_page: Page) -> Iterator[Page]:
    with without_errors(one_page):
        yield one_page


@pytest.fixture(scope="module")
def root(folder: Path) -> str:
    return f"{folder.as_uri()}/"


def opened(page: Page, address: str) -> Page:
    """Open an address anew, also where only its part after the # differs."""
    page.goto("about:blank")
    page.goto(address)
    return page


@pytest.mark.parametrize("path", [one for one in ONE_OF_EACH_KIND if one in files()])
def test_a_broken_escape_throws_on_no_page(page: Page, root: str, path: str) -> None:
    opened(page, f"{root}{path}{ESCAPE}")
    opened(page, f"{root}{path}?model=%E0%A4%A&sort=%E0%A4{ESCAPE}=1")


@pytest.mark.parametrize(
    ("address", "part"),
    [
        ("compare/index.html?a=four-by-two&b=no-such&model=small-8b", "b=no-such"),
        ("compare/index.html?model=no-such", "model=no-such"),
        ("matrix/index.html?vendor=no-such", "vendor=no-such"),
        ("matrix/index.html?count=3", "count=3"),
        ("matrix/index.html?gib=much", "gib=much"),
        ("buy/index.html#usd=1000&use=no-such", "use=no-such"),
        ("buy/index.html#usd=0&use=overall", "usd=0"),
        ("combos/index.html?vendor=no-such", "vendor=no-such"),
        ("models/index.html?sort=models:no-such:ascending", "sort=models:no-such:ascending"),
        ("combos/four-by-two/models/index.html#m-no-such", "m-no-such"),
        (f"{PAIR}?context=12345&users=4", "context=12345"),
    ],
)
def test_what_a_link_names_and_nobody_knows_is_said(
    page: Page, root: str, address: str, part: str
) -> None:
    opened(page, root + address)
    expect(page.locator(UNKNOWN)).to_be_visible()
    assert page.locator(f"{UNKNOWN} b").all_inner_texts() == [part]


@pytest.mark.parametrize(
    "address",
    [
        "compare/index.html?a=four-by-two&b=single-rtx-3060&model=small-8b",
        "matrix/index.html?vendor=nvidia&count=2&gib=8&every=1&gpu=3060&model=small",
        "buy/index.html#usd=1000&use=overall&context=8192&users=1&watts=&place=&computer=",
        "combos/index.html?vendor=nvidia",
        "combos/four-by-two/models/index.html#m-small-8b",
        PAIR,
    ],
)
def test_a_link_that_is_known_whole_is_no_matter(page: Page, root: str, address: str) -> None:
    opened(page, root + address)
    page.wait_for_load_state("networkidle")
    expect(page.locator(f"{UNKNOWN}:not([hidden])")).to_have_count(0)


def stands(page: Page) -> list[str]:
    return page.locator("#sliders output").all_inner_texts()


def test_sliders_of_a_pair_are_in_its_address_and_open_again(page: Page, root: str) -> None:
    opened(page, root + PAIR)
    usual, steps = stands(page), page.evaluate("history.length")
    page.locator("#sliders [name=context]").press("ArrowRight")
    page.locator("#sliders [name=users]").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?.*users=2"))
    moved = stands(page)
    assert moved == ["16,384 tokens", "2 users"]
    parts = urlsplit(page.url)
    assert (parts.query, parts.fragment) == ("context=16384&users=2", "memory")
    assert page.evaluate("history.length") == steps  # back leads to the page before
    href = page.get_attribute("#change", "href") or ""
    assert href.endswith("&model=large-70b&context=16384&users=2")
    opened(page, page.url)
    assert stands(page) == moved
    page.locator("#sliders [name=context]").press("ArrowLeft")
    page.locator("#sliders [name=users]").press("ArrowLeft")
    expect(page).to_have_url(root + PAIR + "#memory")
    assert stands(page) == usual
