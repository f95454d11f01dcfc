"""What a reader with a browser finds: by sorting, by choosing rows, by searching, by comparing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect

from tests.browser.axe import flaws_in_both_themes
from tests.browser.open_pages import COMBO, ONE_OF_EACH_KIND
from tests.render.built import files

pytestmark = pytest.mark.browser

INDEX = "combos/index.html"
SEARCH = "search/index.html"
COMPARE = "compare/index.html"
VIOLATIONS = """
window.refused = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


@pytest.fixture(params=["file", "http"])
def root(request: pytest.FixtureRequest, folder: Path, published_at: str) -> str:
    """The site in a folder, and the same under another base path of a server."""
    return f"{folder.as_uri()}/" if request.param == "file" else published_at


ELSEWHERE = {"404.html", "custom/index.html"}
"""Pages whose files stand somewhere else than beside them; tests of their own open them."""


@pytest.fixture(scope="module")
def one_page(chromium: Browser) -> Iterator[Page]:
    """The one page of these tests: a process of its own for each costs a second."""
    context = chromium.new_context(reduced_motion="reduce")
    context.add_init_script(VIOLATIONS)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(one_page: Page) -> Iterator[Page]:
    """A page that fails its test when anything is refused or thrown; it remembers nothing."""
    thrown: list[str] = []

    def note(said: Error | ConsoleMessage) -> None:
        thrown.append(str(said) if isinstance(said, Error) else said.text)

    one_page.set_viewport_size({"width": 1280, "height": 720})
    one_page.mouse.move(0, 0)
    one_page.on("pageerror", note)
    one_page.on("console", note)
    yield one_page
    refused = one_page.evaluate("window.refused")
    one_page.evaluate("localStorage.clear(); sessionStorage.clear()")
    one_page.goto("about:blank")
    one_page.remove_listener("pageerror", note)
    one_page.remove_listener("console", note)
    one_page.unroute_all()
    assert thrown == []
    assert refused == []


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def column(page: Page, table: str, at: int) -> list[str]:
    return page.locator(f"#{table} tbody tr > :nth-child({at})").all_text_contents()


def numbers(page: Page, table: str, at: int) -> list[float]:
    cells = page.locator(f"#{table} tbody td[data-value]:nth-child({at})").all()
    return [float(cell.get_attribute("data-value") or "") for cell in cells]


@pytest.mark.parametrize("path", [path for path in ONE_OF_EACH_KIND if path not in ELSEWHERE])
def test_the_policy_refuses_nothing_and_nothing_is_thrown(
    page: Page, published_at: str, path: str
) -> None:
    page.goto(published_at + path)
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(
    "path",
    [f"{INDEX}?vendor=nvidia&sort=one-gpu:price:descending", f"{SEARCH}?q=large+4090",
     f"{COMPARE}?a=four-by-two&b=mac-studio&c=mixed-pair"],
)  # fmt: skip
def test_what_scripts_make_has_no_violation_and_fits_a_phone(
    chromium: Browser, published_at: str, path: str
) -> None:
    context = chromium.new_context(viewport={"width": 320, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(published_at + path)
    page.wait_for_load_state("networkidle")
    found = flaws_in_both_themes(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    small = page.evaluate(
        """() => [...document.querySelectorAll('button, input, select')]
          .map(e => e.getBoundingClientRect().height).filter(height => height && height < 24)"""
    )
    context.close()
    assert found == ""
    assert wide == 320
    assert small == []


# Tables


def test_a_heading_sorts_both_ways_and_back_and_says_so(page: Page, root: str) -> None:
    page.goto(f"{root}models/small-8b/machines/index.html")
    table, head = page.locator("#all-comfortable"), page.locator("#all-comfortable thead th")
    before = column(page, "all-comfortable", 1)
    assert len(before) > 1
    assert table.locator("[aria-sort]").count() == 0
    button = table.get_by_role("button", name="GPUs cost")
    spoken = page.locator("#all-comfortable").locator("xpath=../following-sibling::*[1]")
    assert spoken.get_attribute("role") == "status"
    button.focus()
    page.keyboard.press("Enter")
    assert head.nth(4).get_attribute("aria-sort") == "ascending"
    upwards = numbers(page, "all-comfortable", 5)
    assert upwards == sorted(upwards)
    assert len(set(upwards)) > 1
    expect(spoken).to_have_text("Sorted by GPUs cost, ascending.")
    assert query(page)["sort"] == ["all-comfortable:gpus-cost:ascending"]
    page.keyboard.press("Enter")
    assert numbers(page, "all-comfortable", 5) == sorted(upwards, reverse=True)
    assert head.nth(4).get_attribute("aria-sort") == "descending"
    assert table.locator("[aria-sort]").count() == 1
    page.keyboard.press("Enter")
    assert column(page, "all-comfortable", 1) == before
    assert table.locator("[aria-sort]").count() == 0
    assert query(page) == {}
    expect(spoken).to_have_text("In the published order.")


def test_the_published_order_is_marked_and_costs_no_address(page: Page, root: str) -> None:
    page.goto(f"{root}models/index.html")
    sizes = page.locator("#models thead th:nth-child(2)")
    assert sizes.get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="Parameters").click()
    assert sizes.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Model", exact=True).click()
    assert sizes.get_attribute("aria-sort") is None
    page.get_by_role("button", name="Parameters").click()
    assert sizes.get_attribute("aria-sort") == "ascending"
    assert query(page) == {}


def named(row: str, name: str, price: str) -> str:
    """Change the name of a row and its fourth cell's value."""
    row = re.sub(r"(<th\b[^>]*>).*?(</th>)", rf"\g<1>{name}\2", row, count=1, flags=re.DOTALL)
    cells = re.split(r"(?=<td\b)", row)
    cells[3], changed = re.subn(r' data-value="[^"]*"', price, cells[3])
    assert changed == 1
    return "".join(cells)


def with_two_rows_more() -> bytes:
    """The list of combos; above all others one without a price, and one that costs nothing."""
    head, table, rest = files()[INDEX].decode().partition('<table id="one-gpu"')
    before, body, after = rest.partition("<tbody>")
    found = re.match(r"\s*<tr\b.*?</tr>", after, re.DOTALL)
    assert found is not None
    added = named(found[0], "Nobody knows", ""), named(found[0], "A gift", ' data-value="0.5"')
    return "".join((head, table, before, body, *added, after)).encode()


@pytest.mark.parametrize("way", ["ascending", "descending"])
def test_an_address_sorts_and_unknown_numbers_come_last(page: Page, root: str, way: str) -> None:
    changed = with_two_rows_more()
    page.route(
        f"{root}{INDEX}?*", lambda route: route.fulfill(body=changed, content_type="text/html")
    )
    page.goto(f"{root}{INDEX}?sort=one-gpu:price:{way}")
    names, prices = column(page, "one-gpu", 1), numbers(page, "one-gpu", 4)
    assert names[-1] == "Nobody knows"
    assert names[0 if way == "ascending" else -2] == "A gift"
    assert len(names) == len(prices) + 1
    assert prices == sorted(prices, reverse=way == "descending")
    heading = page.locator("#one-gpu thead th:nth-child(4)")
    assert heading.get_attribute("aria-sort") == way


def test_rows_are_chosen_and_counted_and_the_address_keeps_the_choice(
    page: Page, root: str
) -> None:
    page.goto(root + INDEX)
    every = page.locator("tbody tr:visible").count()
    page.get_by_label("Vendor").select_option("apple")
    status = page.locator(".choosing [role=status]")
    expect(status).to_have_text(f"1 of {every} combos")
    assert page.locator("tbody tr:visible").count() == 1
    assert query(page) == {"vendor": ["apple"]}
    shown = page.locator("caption:visible").inner_text()
    assert shown.endswith("(1 of 2)")
    assert page.locator(".toc a").first.inner_text().endswith("(1 of 2)")
    page.reload()
    expect(status).to_have_text(f"1 of {every} combos")
    page.get_by_role("button", name="Show all").click()
    expect(status).to_have_text(f"{every} of {every} combos")
    assert query(page) == {}
    assert page.locator("caption .count").first.inner_text() == "(2)"


def test_a_price_leaves_out_what_has_none_and_memory_is_a_floor(page: Page, root: str) -> None:
    page.goto(f"{root}{INDEX}?vram=40")
    sizes = [
        float(text.split()[0])
        for text in page.locator("tbody tr:visible td:nth-child(2)").all_inner_texts()
    ]
    assert sizes
    assert min(sizes) >= 40
    page.goto(f"{root}{INDEX}?price=1")
    expect(page.locator(".choosing [role=status]")).to_contain_text("None of")
    assert page.locator("tbody tr:visible").count() == 0


def test_without_scripts_tables_are_whole_and_nothing_is_offered(
    chromium: Browser, folder: Path
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / INDEX).as_uri() + "?vendor=apple")
    assert page.locator("tbody tr:visible").count() == page.locator("tbody tr").count()
    assert not page.locator(".choosing").is_visible()
    assert page.locator("th button").count() == 0
    page.goto((folder / COMPARE).as_uri() + "?a=mac-studio&b=mixed-pair")
    assert not page.locator("#side").is_visible()
    assert page.locator("#combos tbody tr:visible").count() == 4
    assert page.locator("noscript").inner_text().startswith("Putting combos side by side needs")
    page.goto((folder / "index.html").as_uri())
    page.get_by_role("searchbox").fill("large")
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url("**/search/index.html?q=large")
    assert page.get_by_role("link", name="Large 70B").is_visible()
    assert page.get_by_role("link", name="Glossary").is_visible()
    context.close()


# Search


def test_a_slash_leads_to_the_field_and_escape_back(page: Page, root: str) -> None:
    page.goto(root + INDEX)
    active = "document.activeElement.name ?? document.activeElement.id"
    page.get_by_label("VRAM, at least").focus()
    page.keyboard.press("/")
    assert page.evaluate(active) == "vram"
    link = page.locator("tbody a").first
    link.focus()
    page.keyboard.press("Control+/")
    assert page.evaluate(active) != "q"
    page.keyboard.press("/")
    assert page.evaluate(active) == "q"
    page.keyboard.type("a/b")
    assert page.get_by_role("searchbox").input_value() == "a/b"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "A"


def test_names_and_verdicts_are_found_everywhere(page: Page, root: str) -> None:
    page.goto(root + COMBO)
    page.keyboard.press("/")
    page.keyboard.type("large 4090")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/index.html?q=large+4090")
    verdict = page.locator("#verdicts a").first
    expect(verdict).to_contain_text("Large 70B on")
    told = page.locator("#told")
    expect(told).to_contain_text("verdicts, 0 pages by name")
    assert told.get_attribute("role") == "status"
    page.get_by_role("searchbox").fill("rtx3060")
    expect(page.locator(".names li:visible a")).to_have_text(
        ["1× RTX 3060 12GB", "RTX 4090 + RTX 3060", "RTX 3060 12GB"]
    )
    assert query(page) == {"q": ["rtx3060"]}
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "RTX 4090 + RTX 3060"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/combos/single-rtx-3060/index.html")


def test_a_verdict_shows_its_tier_and_leads_to_the_pair(page: Page, root: str) -> None:
    page.goto(f"{root}{SEARCH}?q=small+mac")
    hit = page.locator("#verdicts li").first
    expect(hit.locator(".tier.comfortable")).to_be_visible()
    href = str(hit.locator("a").evaluate("a => a.href"))
    assert href == f"{root}custom/index.html#combo=mac-studio&model=small-8b"


def test_an_idea_finds_its_pages_and_the_text_in_other_words(page: Page, published_at: str) -> None:
    page.goto(f"{published_at}{SEARCH}?q=oom")
    expect(page.locator("#told")).to_have_text("1 answer, 0 pages by name, 4 in the text.")
    expect(page.locator("#answers a:visible")).to_have_text(["Errors: memory"])
    expect(page.locator("#texts li > a").first).to_have_text("Errors, word for word")
    page.get_by_role("searchbox").fill("")
    expect(page.locator("#answers")).to_be_hidden()
    assert page.locator(".names li:visible").count() > 20


def test_a_pasted_error_is_found_whatever_its_numbers(page: Page, root: str) -> None:
    page.goto(f"{root}{SEARCH}?q=[rank0]: ValueError: the pool of 4096 blocks is too small!")
    page.locator("#errors a").first.click()
    page.wait_for_url("**/errors/index.html#pool-too-small")


def test_text_is_found_where_a_server_gives_the_index(page: Page, published_at: str) -> None:
    page.goto(f"{published_at}{SEARCH}?q=quiet")
    found = page.locator("#texts li")
    expect(found.first).to_contain_text("What runs on 4 nodes")
    assert found.first.locator("mark").first.inner_text() == "quiet"
    expect(page.locator("#told")).to_contain_text("1 in the text")
    found.first.locator("a").first.click()
    page.wait_for_url(f"{published_at}combos/four-by-two/index.html")


def test_a_word_that_no_page_has_finds_no_text(page: Page, published_at: str) -> None:
    page.goto(f"{published_at}{SEARCH}?q=qzxvw")
    expect(page.locator("#told")).to_have_text("0 pages by name, 0 in the text.")
    expect(page.locator("#texts li")).to_have_count(0)
    expect(page.locator("#untold")).to_be_visible()


def test_from_a_folder_the_page_says_why_text_is_not_searched(page: Page, folder: Path) -> None:
    page.goto((folder / SEARCH).as_uri() + "?q=quiet")
    expect(page.locator("#untold")).to_contain_text("opened from a folder")


def test_the_key_can_be_switched_off(page: Page, published_at: str) -> None:
    page.goto(published_at + SEARCH)
    page.get_by_label("/ is a key here").uncheck()
    page.goto(published_at + INDEX)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.tagName") == "BODY"


# Side by side

LONG_NAMES = """document.querySelectorAll("#side option")
  .forEach((option) => { option.textContent += ", four of them on a link of their own"; })"""


def test_the_four_choices_stand_in_one_row_or_below_each_other(page: Page, root: str) -> None:
    for width, rows in ((1280, 1), (360, 4)):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(root + COMPARE)
        page.evaluate(LONG_NAMES)
        boxes = [one.bounding_box() for one in page.locator("#side select").all()]
        assert len({box["y"] for box in boxes if box}) == rows
        ends = sorted((box["y"], box["x"], box["x"] + box["width"]) for box in boxes if box)
        assert all(a[0] < b[0] or a[2] < b[1] for a, b in pairwise(ends))


def test_two_combos_stand_side_by_side_with_the_figures_of_their_pages(
    page: Page, root: str
) -> None:
    page.goto(f"{root}{COMPARE}?a=four-by-two&b=mac-studio")
    figures = page.locator("#figures")
    heads = figures.locator("thead th").all_inner_texts()
    assert heads == ["Figure", "4 nodes × 2× RTX 4090", "Mac Studio, 96 GiB"]
    lines = {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in figures.locator("tbody tr").all()
    }
    assert lines["Installed"] == ["192\xa0GiB", "96\xa0GiB"]
    assert lines["Comfortable models"] == ["2", "1"]
    differing = page.locator("#differences tbody tr")
    assert [row.inner_text().split("\t") for row in differing.all()] == [
        ["Large 70B", "✓ fits comfortably", "≈ borderline"]
    ]
    assert page.locator("#differences caption").inner_text().endswith("(1)")
    for name, at in (("four-by-two", 0), ("mac-studio", 1)):
        page.goto(f"{root}combos/{name}/index.html")
        shown = page.locator("dt", has_text="Installed").first.locator("+ dd").inner_text()
        assert shown == lines["Installed"][at]
        page.goto(f"{root}combos/{name}/models/index.html")
        rows = page.locator("#tier-comfortable tbody tr").count()
        assert str(rows) == lines["Comfortable models"][at]


def test_choosing_a_third_combo_changes_the_address_and_is_announced(page: Page, root: str) -> None:
    page.goto(root + COMPARE)
    status = page.locator("#side [role=status]")
    expect(status).to_have_text("Choose two combos or more.")
    for number, name in ((1, "mac-studio"), (2, "mixed-pair"), (4, "single-rtx-3060")):
        page.get_by_label(f"Combo {number}").select_option(name)
    expect(status).to_have_text("3 combos side by side.")
    assert query(page) == {"a": ["mac-studio"], "b": ["mixed-pair"], "d": ["single-rtx-3060"]}
    page.locator("#combos").get_by_role("button", name="GPUs").click()
    assert query(page)["a"] == ["mac-studio"]
    page.goto(f"{root}{COMPARE}?a=mac-studio&b=no-such-combo")
    expect(status).to_have_text("Choose two combos or more.")


def test_a_combo_page_leads_to_its_neighbours(page: Page, root: str) -> None:
    page.goto(f"{root}combos/mixed-pair/index.html")
    page.locator("a[href*='compare/index.html?a=mixed-pair']").first.click()
    expect(page.locator("#figures thead th").nth(1)).to_have_text("RTX 4090 + RTX 3060")
