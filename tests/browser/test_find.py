"""What a reader with a browser finds: by sorting, by choosing rows, by searching, by comparing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route, expect

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
    """Numbers of a column as it is sorted by them: stated, or what the cell begins with."""
    found = []
    for cell in page.locator(f"#{table} tbody td:nth-child({at})").all():
        stated = cell.get_attribute("data-value")
        if stated is None:
            begins = re.match(r"[\d,.]+", cell.inner_text())
            stated = begins[0].replace(",", "") if begins else ""
        if stated:
            found.append(float(stated))
    return found


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
    button = table.get_by_role("button", name="GPU cost")
    spoken = page.locator("#all-comfortable").locator("xpath=../following-sibling::*[1]")
    assert spoken.get_attribute("role") == "status"
    button.focus()
    page.keyboard.press("Enter")
    assert head.nth(4).get_attribute("aria-sort") == "ascending"
    upwards = numbers(page, "all-comfortable", 5)
    assert upwards == sorted(upwards)
    assert len(set(upwards)) > 1
    expect(spoken).to_have_text("Sorted by GPU cost, ascending.")
    assert query(page)["sort"] == ["all-comfortable:gpu-cost:ascending"]
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
    page.goto(root + INDEX)
    table = page.locator("main table").first
    sizes = table.locator("thead th:nth-child(2)")
    assert sizes.get_attribute("aria-sort") == "ascending"
    table.get_by_role("button", name="Installed").click()
    assert sizes.get_attribute("aria-sort") == "descending"
    table.get_by_role("button", name="Machine", exact=True).click()
    assert sizes.get_attribute("aria-sort") is None
    table.get_by_role("button", name="Installed").click()
    assert sizes.get_attribute("aria-sort") == "ascending"
    assert query(page) == {}


def named(row: str, name: str, price: str) -> str:
    """Change the name of a row and its fourth cell's value."""
    row = re.sub(r"(<th\b[^>]*>).*?(?=<td\b)", rf"\g<1>{name}", row, count=1, flags=re.DOTALL)
    cells = re.split(r"(?=<td\b)", row)
    cells[3], changed = re.subn(r"<td[^>]*>", f"<td{price}>", cells[3])
    assert changed == 1
    return "".join(cells)


def with_two_rows_more() -> bytes:
    """The list of combos; above all others one without a price, and one that costs nothing."""
    head, table, rest = files()[INDEX].decode().partition('<table id="one-gpu"')
    before, body, after = rest.partition("<tbody>")
    found = re.match(r"\s*<tr\b.*?(?=<tr\b|</table>)", after, re.DOTALL)
    assert found is not None
    unknown = named(found[0], "Nobody knows", ' data-value=""')
    added = unknown, named(found[0], "A gift", ' data-value="0.5"')
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
    expect(status).to_have_text(f"1 of {every} machines")
    assert page.locator("tbody tr:visible").count() == 1
    assert query(page) == {"vendor": ["apple"]}
    shown = page.locator("caption:visible").inner_text()
    assert shown.endswith("(1 of 2)")
    assert page.locator(".toc a").first.inner_text().endswith("(1 of 2)")
    page.reload()
    expect(status).to_have_text(f"1 of {every} machines")
    page.get_by_role("button", name="Show all").click()
    expect(status).to_have_text(f"{every} of {every} machines")
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
    page.get_by_text("Every machine with its best model (4)").click()
    assert page.locator("#machines tbody tr:visible").count() == 4
    assert page.locator("noscript").inner_text().startswith("The comparison needs")
    page.goto((folder / "matrix/index.html").as_uri() + "?gpu=3060")
    assert not page.locator("#cut").is_visible()
    assert page.locator("#matrix thead th:visible").count() == 5
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
    assert page.get_by_role("searchbox", name="Search the site").input_value() == "a/b"
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


def test_several_cards_are_named_as_people_say_it(page: Page, root: str) -> None:
    page.goto(f"{root}{SEARCH}?q=my+RTX+3060s")
    expect(page.locator(".names li:visible a")).to_have_text(
        ["1× RTX 3060 12GB", "RTX 4090 + RTX 3060", "RTX 3060 12GB"]
    )


def test_a_verdict_shows_its_tier_and_leads_to_the_pair(page: Page, root: str) -> None:
    page.goto(f"{root}{SEARCH}?q=small+mac")
    hit = page.locator("#verdicts li").first
    expect(hit.locator(".tier.comfortable")).to_be_visible()
    href = str(hit.locator("a").evaluate("a => a.href"))
    assert href == f"{root}custom/index.html#combo=mac-studio&model=small-8b"


def test_an_idea_finds_its_pages_and_the_text_in_other_words(page: Page, published_at: str) -> None:
    page.goto(f"{published_at}{SEARCH}?q=oom")
    expect(page.locator("#told")).to_have_text("1 answer, 0 pages by name, 7 in the text.")
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
    page.goto(f"{published_at}{SEARCH}?q=placid")
    found = page.locator("#texts li")
    expect(found.first).to_contain_text("What runs on 4 nodes")
    assert found.first.locator("mark").first.inner_text() == "placid"
    expect(page.locator("#told")).to_contain_text("1 in the text")
    found.first.locator("a").first.click()
    page.wait_for_url(f"{published_at}combos/four-by-two/index.html")


def test_a_word_that_no_page_has_finds_no_text(page: Page, published_at: str) -> None:
    page.goto(f"{published_at}{SEARCH}?q=qzxvw")
    expect(page.locator("#told")).to_have_text("0 pages by name, 0 in the text.")
    expect(page.locator("#texts li")).to_have_count(0)
    expect(page.locator("#untold")).to_be_visible()


def test_from_a_folder_the_page_says_why_text_is_not_searched(page: Page, folder: Path) -> None:
    page.goto((folder / SEARCH).as_uri() + "?q=placid")
    expect(page.locator("#untold")).to_contain_text("opened it from a folder")


def test_the_key_can_be_switched_off(page: Page, published_at: str) -> None:
    page.goto(published_at + SEARCH)
    page.get_by_label("Press / on any page to search").uncheck()
    page.goto(published_at + INDEX)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.tagName") == "BODY"


# Side by side

LONG_NAMES = """document.querySelectorAll("#side option")
  .forEach((option) => { option.textContent += ", four of them on a link of their own"; })"""


def test_the_choices_of_machines_stand_in_rows_and_never_over_each_other(
    page: Page, root: str
) -> None:
    for width, rows in ((1280, 1), (360, 2)):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(root + COMPARE)
        page.evaluate(LONG_NAMES)
        boxes = [one.bounding_box() for one in page.locator(".machines-chosen select").all()]
        assert len({box["y"] for box in boxes if box}) == rows
        ends = sorted((box["y"], box["x"], box["x"] + box["width"]) for box in boxes if box)
        assert len(ends) == 4
        assert all(a[0] < b[0] or a[2] < b[1] for a, b in pairwise(ends))


def lines_of(page: Page) -> dict[str, list[str]]:
    """The rows of the comparison: what each column says, without the names that phones see."""
    rows = page.locator("#figures tbody tr").all()
    return {
        " ".join(row.locator("th").inner_text().split()): [
            " ".join(cell.inner_text().split()) for cell in row.locator("td").all()
        ]
        for row in rows
    }


def test_two_machines_stand_side_by_side_with_the_figures_of_their_pages(
    page: Page, root: str
) -> None:
    page.goto(f"{root}{COMPARE}?a=four-by-two&b=mac-studio&model=large-70b")
    figures = page.locator("#figures")
    expect(figures.locator("thead th")).to_have_text(
        ["4 nodes × 2× RTX 4090", "Mac Studio, 96 GiB"]
    )
    expect(page.locator("#answer")).to_have_text(
        "Only 4 nodes × 2× RTX 4090 runs Large 70B comfortably: 21 tokens per second for one user."
    )
    lines = lines_of(page)
    assert lines["Verdict"] == ["✓ fits comfortably", "≈ borderline"]
    assert lines["Speed one user"] == ["21 tok/s 18–25 tok/s", "21 tok/s 18–25 tok/s"]
    assert lines["Speed all users together"] == ["380 tok/s", "380 tok/s"]
    assert lines["Longest context"] == ["93,456 tokens", "93,456 tokens"]
    assert lines["Users at 8K"] == ["24", "11"]
    assert lines["GPU memory"] == ["192 GiB", "96 GiB"]
    assert lines["Run it as"][0] == "Q4_K_M in vLLM, TP 2 × PP 2, 2 replicas Memory and commands"
    more = figures.get_by_role("link", name="Memory and commands").first.get_attribute("href")
    assert more == "../custom/index.html#combo=four-by-two&model=large-70b"
    for name, at in (("four-by-two", 0), ("mac-studio", 1)):
        page.goto(f"{root}combos/{name}/index.html")
        shown = page.locator("dt", has_text="Installed").first.locator("+ dd").inner_text()
        assert shown.replace("\xa0", " ") == lines["GPU memory"][at]


def test_models_whose_verdicts_differ_are_listed_when_asked_for(page: Page, root: str) -> None:
    page.goto(f"{root}{COMPARE}?a=four-by-two&b=mac-studio")
    page.get_by_text("The verdict differs for 1 of 3 models").click()
    differing = page.locator("#differences tbody tr")
    expect(differing).to_have_count(1)
    assert differing.first.inner_text().split("\t") == [
        "Large 70B", "✓ fits comfortably", "≈ borderline",
    ]  # fmt: skip


def test_a_bar_is_as_long_as_its_share_of_the_most(page: Page, root: str) -> None:
    page.goto(f"{root}{COMPARE}?a=four-by-two&b=mac-studio&model=large-70b")
    row = page.locator("#figures tbody tr", has_text="Users at 8K")
    expect(row.locator(".length")).to_have_count(2)
    most, other = (one.bounding_box() for one in row.locator(".length").all())
    assert most is not None
    assert other is not None
    assert other["width"] / most["width"] == pytest.approx(11 / 24, abs=0.01)
    assert row.locator("td.most").count() == 1


def test_choosing_a_third_machine_changes_the_address_and_the_sentence(
    page: Page, root: str
) -> None:
    page.goto(f"{root}{COMPARE}?a=mac-studio&b=no-such-combo")
    answer = page.locator("#answer")
    expect(answer).to_have_text("Choose two machines or more.")
    page.locator("#side [name=model]").select_option("small-8b")
    for number, name in ((2, "mixed-pair"), (4, "single-rtx-3060")):
        page.get_by_label(f"Machine {number}").select_option(name)
    expect(page.locator("#figures thead th")).to_have_count(3)
    assert query(page) == {
        "model": ["small-8b"], "a": ["mac-studio"], "b": ["mixed-pair"], "d": ["single-rtx-3060"],
    }  # fmt: skip
    expect(answer).to_have_text(
        "Mac Studio, 96 GiB and RTX 4090 + RTX 3060 run Small 8B at about the same speed, "
        "with the same context. 1× RTX 3060 12GB does not run it comfortably."
    )
    page.goto(page.url)
    expect(page.locator("#figures thead th")).to_have_count(3)


@pytest.mark.parametrize(
    ("one", "other", "sentence"),
    [
        ((40, 8_192, 900), (20, 4_096, 300),
         "M runs Small 8B 2× as fast as N and fits 2× the context. M costs 3× as much."),
        ((20, 8_192, None), (50, 4_096, 300),
         "N runs Small 8B 2.5× as fast as M, but M fits 2× the context."),
        ((40, 8_192, 300), (41, 8_192, 301),
         "Both run Small 8B at about the same speed, with the same context. "
         "Their GPUs cost about the same."),
        ((40, 4_096, None), (40, 8_192, None),
         "Both run Small 8B at about the same speed; N fits 2× the context."),
        ((20, 8_192, None), (40, 8_192, None),
         "N runs Small 8B 2× as fast as M, with the same context. "
         "They run different files: M Q6_K, N Q4_K_M."),
    ],
)  # fmt: skip
def test_the_answer_says_what_differs(
    page: Page,
    published_at: str,
    one: tuple[int, int, int | None],
    other: tuple[int, int, int | None],
    sentence: str,
) -> None:
    found = dict(zip(("mac-studio", "mixed-pair"), (one, other), strict=True))
    files = dict.fromkeys(found, "Q4_K_M in llama.cpp, one GPU")
    if "different files" in sentence:
        files["mac-studio"] = "Q6_K in MLX LM, one GPU"

    def script(route: Route) -> None:
        id_ = route.request.url.rsplit("/", 1)[-1].removesuffix(".js")
        speed, context, usd = found[id_]
        data = {
            "lead": "", "usd": usd, "facts": [["1"], ["2"], ["3"]], "tiers": "nnc", "close": [0],
            "one": [[speed, speed, speed]], "all": [speed], "context": [context],
            "users": [["1", "1"]], "files": [files[id_]], "file": [0],
            "slower": {"0": "Q8_0 loses less quality."} if speed > 30 else {},
        }  # fmt: skip
        body = f"(self.sitegenBeside ??= {{}})[{json.dumps(id_)}] = {json.dumps(data)};"
        route.fulfill(body=body, content_type="text/javascript")

    page.route("**/assets/beside/*.js", script)
    page.goto(f"{published_at}{COMPARE}?a=mac-studio&b=mixed-pair&model=small-8b")
    names = {"Mac Studio, 96 GiB": "M", "RTX 4090 + RTX 3060": "N"}
    expect(page.locator("#figures")).to_be_visible()
    said = page.locator("#answer").inner_text()
    for name, letter in names.items():
        said = said.replace(name, letter)
    assert said == sentence
    slower = page.locator("#figures td", has_text="Q8_0 loses less quality.")
    opened = page.locator("#figures a[href$='&for=answer']")
    fast = [speed for speed, *_ in (one, other) if speed > 30]
    assert slower.count() == opened.count() == len(fast)


def test_two_models_stand_side_by_side_on_one_machine(page: Page, root: str) -> None:
    page.goto(f"{root}{COMPARE}?a=four-by-two&b=mac-studio&model=large-70b")
    page.get_by_label("Two models on one machine").check()
    page.get_by_label("Other model").select_option("huge-400b")
    expect(page.locator("#answer")).to_have_text(
        "Only Large 70B fits comfortably on 4 nodes × 2× RTX 4090: "
        "21 tokens per second for one user."
    )
    assert query(page) == {"model": ["large-70b"], "with": ["huge-400b"], "a": ["four-by-two"]}
    page.goto(page.url)
    expect(page.locator("#figures thead th")).to_have_text(["Large 70B", "Huge 400B"])
    assert lines_of(page)["Rating"] == ["not rated", "not rated"]
    assert "GPU cost" not in lines_of(page)


def test_nobody_is_left_out_of_a_comparison(chromium: Browser, folder: Path) -> None:
    shown = chromium.new_page()
    shown.goto(f"{(folder / COMPARE).as_uri()}?a=four-by-two&b=mac-studio")
    shown.locator("#differences-of summary").click()
    expect(shown.locator("#differences tbody tr")).to_have_count(1)
    assert flaws_in_both_themes(shown) == ""
    shown.close()


def test_a_combo_page_leads_to_its_neighbours(page: Page, root: str) -> None:
    page.goto(f"{root}combos/mixed-pair/index.html")
    page.locator("a[href*='compare/index.html?a=mixed-pair']").first.click()
    expect(page.locator("#figures thead th").first).to_have_text("RTX 4090 + RTX 3060")
