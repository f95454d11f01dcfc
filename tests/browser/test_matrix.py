"""The matrix in a browser: filters, more cells, arrow keys, and the words of every cell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from sitegen.render.matrix import says
from sitegen.site.combo.matrix import grid_of
from sitegen.survey.gpu_grid import NOT, on_gpus
from tests.browser.open_pages import without_errors
from tests.site.fabricated import inputs

pytestmark = pytest.mark.browser
MATRIX = "matrix/index.html"
GRID = grid_of(inputs())


@pytest.fixture(params=["file", "http"])
def root(request: pytest.FixtureRequest, folder: Path, published_at: str) -> str:
    return f"{folder.as_uri()}/" if request.param == "file" else published_at


@pytest.fixture(scope="module")
def one_page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def page(one_page: Page) -> Iterator[Page]:
    one_page.set_viewport_size({"width": 1280, "height": 720})
    with without_errors(one_page):
        yield one_page


def labels(page: Page) -> list[str | None]:
    return [link.get_attribute("aria-label") for link in page.locator("#matrix td a").all()]


def expected(count: int) -> set[str]:
    """What the engine's own values say of every model and every kind."""
    found = set()
    for head in GRID.heads:
        if count in head.counts:
            verdicts = on_gpus(head.kind, count, GRID.needs.get(head.gpu, ()))
            machine = head.name if count == 1 else f"{count}× {head.name}"
            for model in GRID.models:
                found.add(says(model.name, machine, count, verdicts.get(model.id, NOT)))
    return found


def test_the_script_writes_the_table_that_the_page_has(page: Page, root: str) -> None:
    page.goto(root + MATRIX)
    before = page.locator("#matrix tbody").inner_html()
    page.get_by_label("Model", exact=True).fill("x")
    expect(page.locator("#cut [role=status]")).to_have_text("No model matches.")
    page.get_by_label("Model", exact=True).fill("")
    expect(page.locator("#matrix tbody tr")).not_to_have_count(0)
    assert page.locator("#matrix tbody").inner_html() == before


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_every_cell_says_what_the_survey_found(page: Page, root: str, count: int) -> None:
    page.goto(f"{root}{MATRIX}?every=1{'' if count == 1 else f'&count={count}'}")
    expect(page.locator("#matrix tbody tr")).to_have_count(len(GRID.models))
    assert set(labels(page)) == expected(count)


def test_a_filter_is_in_the_address_and_is_read_from_it(page: Page, root: str) -> None:
    page.goto(root + MATRIX)
    page.get_by_label("GPU", exact=True).fill("4090")
    page.get_by_label("How many").select_option("2")
    status = page.locator("#cut [role=status]")
    expect(status).to_have_text("2 of 2 models on 1 of 1 sets of 2 GPUs")
    assert parse_qs(urlsplit(page.url).query) == {"gpu": ["4090"], "count": ["2"]}
    page.goto(page.url)
    expect(status).to_have_text("2 of 2 models on 1 of 1 sets of 2 GPUs")
    page.get_by_text("More filters").click()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#matrix thead th")).to_have_count(5)
    assert urlsplit(page.url).query == ""


@pytest.mark.parametrize(
    ("typed", "heads", "count"),
    [
        ("two 4090s", ["RTX 4090"], "2"),
        ("GeForce RTX 4090 x4", ["RTX 4090"], "4"),
        ("3060, 4090", ["RTX 3060 12GB", "RTX 4090"], ""),
        ("m3 ultra 256gb", ["M3 Ultra, 256 GiB"], ""),
    ],
)
def test_gpus_are_spelled_as_on_the_home_page(
    page: Page, root: str, typed: str, heads: list[str], count: str
) -> None:
    page.goto(root + MATRIX)
    page.get_by_label("GPU", exact=True).fill(typed)
    expect(page.locator("#matrix thead th a")).to_have_text(heads)
    assert page.get_by_label("How many").input_value() == count


def test_a_number_of_gpus_without_a_column_is_not_taken_for_another(page: Page, root: str) -> None:
    page.goto(root + MATRIX)
    page.get_by_label("GPU", exact=True).fill("3x 4090")
    said = page.locator("#cut [role=status]")
    expect(said).to_contain_text("We list 1, 2, 4 or 8 GPUs, not 3; this is for 2.")
    page.get_by_label("How many").select_option("8")
    expect(said).to_contain_text("this is for 8.")


@pytest.mark.parametrize("typed", ["large-70b", "large70b", "70B large", "LARGE 70"])
def test_models_are_found_however_they_are_spaced(page: Page, root: str, typed: str) -> None:
    page.goto(f"{root}{MATRIX}?every=1")
    page.get_by_label("Model", exact=True).fill(typed)
    expect(page.locator("#matrix tbody th a")).to_have_text(["Large 70B"])


def test_a_cell_names_its_file(page: Page, root: str) -> None:
    page.goto(root + MATRIX)
    cell = page.locator("#matrix td.comfortable a").first
    name = cell.locator(".file").inner_text()
    assert name in {"Q4_K_M", "FP16", "AWQ 4-bit"}
    assert f", {name}, " in (cell.get_attribute("aria-label") or "")


def test_memory_and_vendor_choose_columns(page: Page, root: str) -> None:
    page.goto(f"{root}{MATRIX}?gib=100")
    heads = page.locator("#matrix thead th a")
    expect(heads).to_have_text(["M3 Ultra, 256 GiB"])
    page.get_by_label("Memory per GPU, at least").fill("")
    page.get_by_label("Vendor").select_option("nvidia")
    expect(heads).to_have_text(["RTX 3060 12GB", "RTX 4090"])


def test_arrow_keys_move_between_cells_and_tab_passes_the_table(page: Page, root: str) -> None:
    page.goto(root + MATRIX)
    first = page.locator("#matrix td a").first
    first.focus()
    said = page.locator("#says")
    expect(said).to_have_text(first.get_attribute("aria-label") or "")
    page.keyboard.press("ArrowRight")
    second = page.locator("#matrix tbody tr").first.locator("td a").nth(1)
    expect(second).to_be_focused()
    expect(said).to_have_text(second.get_attribute("aria-label") or "")
    page.keyboard.press("End")
    expect(page.locator("#matrix tbody tr").first.locator("td a").last).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#matrix tbody tr").first.locator("td a").last).to_be_focused()
    assert page.locator("#matrix td a[tabindex='0']").count() == 1
    page.keyboard.press("Escape")
    expect(said).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_hidden_from_anybody_after_a_filter(
    chromium: Browser, folder: Path, scheme: str
) -> None:
    page = chromium.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{(folder / MATRIX).as_uri()}?every=1&count=2")
    expect(page.locator("#matrix tbody tr")).to_have_count(3)
    page.locator("#matrix td a").first.focus()
    assert Axe().run(page).response["violations"] == []
    page.close()
