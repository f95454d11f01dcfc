"""No reader is left out: keyboard, paper, forced colours, no JavaScript, a slow line."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route
from pypdf import PdfReader

from sitegen.browser.program import calculator_files
from sitegen.fit.assessment import FitTier
from sitegen.pipeline.pages import render
from sitegen.site.collect import collect_pages
from sitegen.site.combo.model_rows import SHOWN
from sitegen.site.inputs import rows_by_model
from sitegen.site.pages import combo
from tests.browser.open_pages import (
    COMBO,
    COMMANDS,
    MODELS,
    ONE_OF_EACH_KIND,
    opened,
    seen,
    shared_page,
)
from tests.render.built import project
from tests.site import fabricated

pytestmark = pytest.mark.browser

EVERY = pytest.mark.parametrize("path", ONE_OF_EACH_KIND)


@pytest.fixture(scope="module")
def with_and_without(chromium: Browser) -> Iterator[tuple[Page, Page]]:
    """Two pages, one of which runs no script."""
    contexts = [chromium.new_context(java_script_enabled=enabled) for enabled in (True, False)]
    yield contexts[0].new_page(), contexts[1].new_page()
    for context in contexts:
        context.close()


@EVERY
def test_a_page_keeps_its_own_policy_asks_nobody_else_and_says_the_same_without_javascript(
    with_and_without: tuple[Page, Page], folder: Path, path: str
) -> None:
    page, without = with_and_without
    page.goto("about:blank")
    asked: list[str] = []
    complaints: list[str] = []
    listeners: dict[Any, Callable[[Any], None]] = {
        "request": lambda request: asked.append(request.url),
        "console": lambda message: complaints.append(message.text),
        "pageerror": lambda error: complaints.append(str(error)),
    }
    for event, note in listeners.items():
        page.on(event, note)
    page.goto((folder / path).as_uri())
    page.wait_for_load_state("networkidle")
    for event, note in listeners.items():
        page.remove_listener(event, note)
    assert asked
    assert all(url.startswith("file://") for url in asked)
    # From a file, the error page's addresses start at the root of the disk, and the engine of the
    # page of own builds is made from the whole catalog: its own tests have it.
    if path not in {"404.html", "custom/index.html"}:
        assert complaints == []
    without.goto((folder / path).as_uri())
    said = words(without)
    assert said
    # What a script adds are controls; what a page says is there without it.
    assert said <= words(page)


WORDS = """() => {
  const found = new Set();
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.parentElement.closest('noscript, script, template'))
      for (const word of text.data.split(/\\s+/)) found.add(word);
  }
  return [...found];
}"""


def words(page: Page) -> set[str]:
    """Return the words of what a page says, but for what it says to those without scripts."""
    assert page.locator("main").count() == 1
    return set(page.evaluate(WORDS)) - {""}


PAINTS = """() => new Promise(done => {
  let largest = null, shift = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) largest = entry.element && entry.element.tagName;
  }).observe({type: 'largest-contentful-paint', buffered: true});
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) shift += entry.value;
  }).observe({type: 'layout-shift', buffered: true});
  setTimeout(() => done([largest, shift]), 300);
})"""


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(
    "path",
    [COMBO, "models/large-70b/index.html", "index.html", "gpus/rtx-4090/index.html",
     "matrix/index.html", "compare/index.html", "buy/index.html"],
)  # fmt: skip
def test_the_largest_paint_is_text_and_nothing_moves(
    chromium: Browser, folder: Path, path: str, width: int
) -> None:
    page = shared_page(chromium)
    page.route("**/*.js", late)
    try:
        shifts: list[float] = []
        # A busy browser may paint half of a table and settle its columns when the rest arrives:
        # by chance, and not every time. What a script moves, it moves at every opening.
        while not shifts or (shifts[-1] and len(shifts) < 5):
            opened(chromium, folder / path, width=width)
            largest, shift = page.evaluate(PAINTS)
            shifts.append(shift)
            assert largest in {"P", "H1", "H2", "DD", "A", "LI", "STRONG", "PRE"}
    finally:
        page.unroute("**/*.js", late)
    assert shifts[-1] == 0, shifts


def late(script: Route) -> None:
    """Give a page its script when the page has been painted, as a slow line does."""
    sleep(0.1)
    script.continue_()


FOCUSED = """() => {
  const e = document.activeElement, style = getComputedStyle(e);
  return [e === document.body ? '' : e.tagName, style.outlineStyle, parseFloat(style.outlineWidth),
          e.getAttribute('aria-labelledby') || ''];
}"""


def test_the_tab_key_alone_goes_through_the_whole_page_and_always_shows_where_it_is(
    chromium: Browser, folder: Path
) -> None:
    page = opened(chromium, folder / COMBO, width=360)
    wide = page.evaluate(
        """() => [...document.querySelectorAll('.table')]
          .filter(e => e.scrollWidth > e.clientWidth && e.checkVisibility())
          .map(e => e.getAttribute('aria-labelledby'))"""
    )
    reached: list[str] = []
    for _ in range(1_000):
        page.keyboard.press("Tab")
        name, style, width, labelled = page.evaluate(FOCUSED)
        if not name:
            break
        assert (style != "none", width >= 1) == (True, True), f"{name} {reached[-3:]}"
        reached.append(labelled or name)
    else:
        pytest.fail("the focus never leaves the page")
    assert len(reached) > 50
    assert wide
    assert set(wide) <= set(reached)


def test_the_arrow_keys_move_a_table_that_has_the_focus(chromium: Browser, folder: Path) -> None:
    page = opened(chromium, folder / COMBO, width=360)
    region = page.locator(".table:has(#goals)")
    region.scroll_into_view_if_needed()
    region.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)
    moved = region.evaluate("e => e.scrollLeft")
    assert moved > 0


def test_forced_colours_leave_outlines_marks_and_the_current_place(
    chromium: Browser, folder: Path
) -> None:
    context = chromium.new_context(forced_colors="active")
    page = context.new_page()
    page.goto((folder / COMBO).as_uri())

    def style(selector: str, name: str, pseudo: str | None = None) -> str:
        script = "(e, [name, pseudo]) => getComputedStyle(e, pseudo)[name]"
        return str(page.locator(selector).first.evaluate(script, [name, pseudo]))

    assert style(".tier", "borderTopStyle") == "solid"
    assert float(style(".evidence", "borderTopWidth", "::before").removesuffix("px")) > 0
    assert style(".top li a[aria-current]", "textDecorationLine") == "underline"
    assert style(".top li a:not([aria-current])", "textDecorationLine") == "none"
    assert style(".top li a:not([aria-current])", "borderBottomWidth") == "0px"
    assert style("thead th", "borderBottomStyle") == "solid"
    fills = page.evaluate(
        """() => [...document.querySelectorAll('.tally rect, .ledger rect')]
          .map(e => getComputedStyle(e).fill)"""
    )
    context.close()
    assert len(set(fills)) > 2


MANY_ROWS = """() => {
  const body = document.querySelector('#first-models tbody'), model = body.rows[0];
  for (let n = 0; n < 60; n++) {
    const row = model.cloneNode(true);
    row.removeAttribute('id');
    row.cells[0].textContent = 'begin-' + n;
    row.cells[row.cells.length - 1].innerHTML = 'line<br>line<br>line<br>close-' + n;
    body.append(row);
  }
}"""


def test_on_paper_heads_repeat_rows_stay_whole_and_sources_show_their_address(
    chromium: Browser, folder: Path
) -> None:
    page = opened(chromium, folder / COMBO, scheme="dark")
    page.evaluate(MANY_ROWS)
    printed = PdfReader(BytesIO(page.pdf(prefer_css_page_size=True)))
    sheets = [sheet.extract_text() for sheet in printed.pages]
    width, height = (float(side) for side in printed.pages[0].mediabox[2:])
    assert (round(width), round(height)) == (842, 595)
    text = "\n".join(sheets)
    assert "What runs on" in sheets[0]
    assert "Skip to content" not in text
    assert not re.search(r"Combos\s+Models\s+GPUs", text)
    assert re.search(r"https://\S+", text)
    long = [sheet for sheet in sheets if re.search(r"begin-\d", sheet)]
    assert len(long) > 1
    assert all("Runs in" in sheet for sheet in long)
    for number in range(60):
        (sheet,) = [s for s in sheets if re.search(rf"begin-{number}\b", s)]
        assert re.search(rf"close-{number}\b", sheet)


FOLDED = """() => {
  const main = document.querySelector('main');
  for (const [css, word] of [['fold printed', 'substance'], ['fold', 'aside']]) {
    main.insertAdjacentHTML(
      'beforeend', `<details class="${css}"><summary>More</summary><p>${word}</p></details>`);
  }
}"""


def test_what_a_page_consists_of_is_printed_although_it_is_folded(
    chromium: Browser, folder: Path
) -> None:
    page = opened(chromium, folder / "framework/constants/index.html")
    page.evaluate(FOLDED)
    printed = PdfReader(BytesIO(page.pdf(prefer_css_page_size=True)))
    text = "".join(sheet.extract_text() for sheet in printed.pages)
    assert "substance" in text
    assert "aside" not in text


@EVERY
def test_a_page_fits_a_narrow_screen_and_paper(chromium: Browser, folder: Path, path: str) -> None:
    """At 320 pixels only table regions scroll, and targets are 24 pixels high."""
    page = opened(chromium, folder / path, width=320)
    wide = page.evaluate("document.documentElement.scrollWidth")
    outside = page.evaluate(
        """() => [...document.querySelectorAll('main *')]
          .filter(e => e.getBoundingClientRect().right > 321 && !e.closest('.table, pre, .unseen'))
          .map(e => e.outerHTML.slice(0, 80))"""
    )
    small = page.evaluate(
        """() => [...document.querySelectorAll('nav a, summary, .counts a, button, input, select')]
          .filter(e => e.getBoundingClientRect().height > 0)
          .filter(e => e.getBoundingClientRect().height < 24).map(e => e.textContent)"""
    )
    assert (wide, outside, small) == (320, [], [])
    seen(page, width=1_000, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    ground, ink, chrome = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.body).color,
                  [...document.querySelectorAll('.top, .toc, .skip')]
                    .filter(e => e.checkVisibility()).length]"""
    )
    assert ground == "rgb(255, 255, 255)"
    assert max(int(channel) for channel in re.findall(r"\d+", ink)) < 80
    assert chrome == 0


@pytest.mark.parametrize("path", ["matrix/index.html", "models/large-70b/machines/index.html"])
def test_a_sheet_is_never_narrower_than_what_is_printed(
    chromium: Browser, folder: Path, path: str
) -> None:
    """Upright paper is 703 pixels wide; a few columns need less, as many as are asked for more."""
    page = opened(chromium, folder / path, width=420)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    page.emulate_media(media="null")


LABELS = """
() => {
  const found = [...document.querySelectorAll('.chart svg text')]
    .map(one => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width);
  const wide = document.documentElement.clientWidth;
  const outside = found.filter(([, box]) => box.left < 0 || box.right > wide);
  return [found.length, outside.map(([text]) => text)];
}
"""


@pytest.mark.parametrize("width", [703, 725, 965, 1032])
def test_labels_of_charts_stay_on_the_sheet(chromium: Browser, folder: Path, width: int) -> None:
    """A4 and Letter less their margins: half of the last label of an axis is beside the axis."""
    for path in ("accuracy/index.html", COMBO):
        page = opened(chromium, folder / path, width=width)
        page.emulate_media(media="print")
        labels, outside = page.evaluate(LABELS)
        page.emulate_media(media="null")
        assert labels, path
        assert outside == [], path


def forty_rows() -> dict[str, bytes]:
    """A combo page with forty rows, all different."""
    inputs = fabricated.inputs()
    survey = inputs.survey.combos["four-by-two"]
    rows: list[Any] = []
    for number in range(40):
        row = survey.rows[number % 2]
        family = ("Alpha", "Beta", "Gamma", "Delta")[number % 4]
        name = f"{family} {number * 7 % 83}B Instruct v{number}"
        model = replace(row.pick.model, id=f"model-{number}", name=name)
        full = fabricated.between(0.3 + number / 90)
        made = replace(row.pick, model=model, verdict_utilization=full, tier=FitTier.COMFORTABLE)
        rows.append(replace(row, pick=made, verdict=replace(row.verdict, model=model)))
    changed = replace(survey, rows=tuple(rows))
    whole = replace(inputs, survey=replace(inputs.survey, combos={"four-by-two": changed}))
    whole = replace(whole, rows=rows_by_model(whole.survey))
    given = project()
    return render(collect_pages(whole, [combo.pages]), given.templates, given.assets)


def test_a_combo_page_of_forty_rows_is_light_with_all_that_it_loads() -> None:
    made = forty_rows()
    page = made[COMBO]
    assert len(re.findall(rb'<tr id="m-model-', page)) == SHOWN
    assert len(re.findall(rb'<tr id="m-model-', made[MODELS])) == 40
    loaded = re.findall(rb'(?:src|href)="([^"]*assets/[^"]+[.](?:css|js|svg))"', page)
    names = {address.decode().split("assets/")[-1] for address in loaded}
    assert "site.css" in names
    translated = {path.removeprefix("assets/"): text for path, text in calculator_files().items()}
    assets = {**project().assets, **translated}
    sizes = {name: len(gzip.compress(assets[name], mtime=0)) for name in names}
    assert len(gzip.compress(page, mtime=0)) + sum(sizes.values()) <= 30_000
    assert sum(size for name, size in sizes.items() if name.endswith((".css", ".js"))) <= 18_000


def test_a_long_address_stays_in_its_cell_and_commands_are_as_large_as_code(
    chromium: Browser, folder: Path
) -> None:
    page = chromium.new_context(viewport={"width": 360, "height": 800}).new_page()
    page.goto((folder / "api/index.html").as_uri())
    over = page.evaluate(
        """() => [...document.querySelectorAll("tbody th a")].filter((link) =>
          link.getBoundingClientRect().right > link.closest("th").getBoundingClientRect().right)
          .map((link) => link.textContent)"""
    )
    page.goto((folder / COMMANDS).as_uri())
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("pre code")].map((code) =>
          parseFloat(getComputedStyle(code).fontSize))"""
    )
    page.context.close()
    assert over == []
    assert sizes
    assert min(sizes) >= 14
