"""The page of a composed build in Chromium: same engine, complete by keyboard, without a net."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import pytest
from playwright.sync_api import Browser, Page

from benchmarks.browser_parity import (
    OPEN,
    opened_catalog,
    published,
    random_build,
    random_differences,
    static_differences,
)
from benchmarks.lighthouse import Compressed
from benchmarks.opened_models import opened_differences, running
from sitegen.browser.html import block_pieces, blocks_of, details_html
from sitegen.browser.results import results
from sitegen.catalog.domain.catalog import Catalog
from sitegen.fit.assessment import FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.recipes import recipes_for
from sitegen.site.composed_address import read_state, usual_combo, write_build
from sitegen.site.reports.opened_model import details
from sitegen.site.urls import CUSTOM_URL, view_of
from sitegen.site.words.plans import plan_words
from sitegen.site.words.verdicts import checkpoint_name
from sitegen.survey.composed_build import BuildQuestion, build_of, combo_of, verdict_of
from tests.browser.axe import flaws_in_both_themes
from tests.survey.whole_catalog import COMBOS, whole_survey
from tests.survey.whole_list import verdicts

pytestmark = pytest.mark.browser

RANDOM_BUILDS = 300
OPENED_ON = ("4-nodes-2x-rtx-4090-ray-serve", "4x-mac-studio-m3-ultra-rdma", "8x-mi300x")
"""Combos whose models are opened: an orchestrator, Macs, another vendor."""
EVERY = 12
"""Of so many opened models one is compared whole; ``benchmarks.browser_parity`` does all."""
MIXED = "#machine=2;rtx-3090*2+rtx-4090;;64;;windows;display&kv=8&users=4&model=qwen3.6-35b-a3b"
ROWS = 20
"""Rows that a table has before a reader asks for more."""


@pytest.fixture(scope="module")
def real() -> tuple[Catalog, FitEngine]:
    return opened_catalog()


@pytest.fixture(scope="module")
def address(real: tuple[Catalog, FitEngine], tmp_path_factory: pytest.TempPathFactory) -> str:
    return published(*real, tmp_path_factory.mktemp("custom")).as_uri()


@contextmanager
def silent_page(chromium: Browser) -> Iterator[Page]:
    """A page without a net that says nothing; a policy that is violated says so."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    made = context.new_page()
    said: list[str] = []
    made.on("console", lambda message: said.append(message.text))
    made.on("pageerror", lambda error: said.append(str(error)))
    yield made
    context.close()
    assert said == []


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    with silent_page(chromium) as made:
        yield made


@pytest.fixture(scope="module")
def engine_page(chromium: Browser, address: str) -> Iterator[Page]:
    """A page with the engine open, for those that ask it and do not time it."""
    with silent_page(chromium) as made:
        ready(made, address).evaluate(OPEN)
        yield made


def ready(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    return page


def opened(page: Page, address: str) -> Page:
    """Open an address that names a model, and wait until all is said of it."""
    ready(page, address).wait_for_selector("#others", state="attached", timeout=60_000)
    page.wait_for_selector("#details:not([aria-busy])")
    return page


def unfolded(page: Page) -> Page:
    """Open every recipe, and every other way to start one."""
    page.evaluate(
        "for (const one of document.querySelectorAll('#details details')) one.open = true"
    )
    return page


def shown(page: Page) -> str:
    return page.inner_text("#summary")


def counts(found: str) -> list[int]:
    return [int(word) for word in found.split() if word.isdigit()]


def test_a_row_of_a_combo_page_opens_the_same_pick(page: Page, address: str) -> None:
    survey = whole_survey("2x-rtx-3090-pcie")
    rows = [row.pick for row in survey.rows[:: len(survey.rows) // 3]]
    asked = [(view_of(one.combo.id, one.model.id), one) for one in rows]
    serving = survey.aggregate_serving
    assert serving is not None
    many = f"{view_of(serving.combo.id, serving.model.id)}&goal={PlanGoal.THROUGHPUT}"
    for link, pick in (*asked, (many, serving)):
        page.goto("about:blank")
        ready(page, address + link.removeprefix(CUSTOM_URL))
        page.wait_for_selector("#details:not([hidden])")
        table = page.locator("#details-body table").first
        lines = [line.locator("th, td").all_inner_texts() for line in table.locator("tr").all()]
        said = {line[0]: line[1] for line in lines if len(line) == 2}
        assert page.inner_text("#details-heading") == pick.model.name
        assert said["Checkpoint"] == checkpoint_name(pick)
        assert said["Runtime"] == f"{pick.runtime.name} {pick.version}"
        if pick.plan is not None:
            assert said["Plan"] == plan_words(pick.plan)


def test_every_static_tuple_of_some_combos_is_the_same_in_the_browser(
    engine_page: Page, real: tuple[Catalog, FitEngine]
) -> None:
    catalog, engine = real
    rows = 0
    for name in COMBOS:
        count, wrong = static_differences(engine_page, engine, catalog.combos[name])
        assert wrong == []
        rows += count
    assert rows >= len(catalog.surveyed_models) * len(COMBOS)


def test_random_builds_are_the_same_in_the_browser(
    engine_page: Page, real: tuple[Catalog, FitEngine]
) -> None:
    catalog, engine = real
    dice = random.Random(4)  # noqa: S311 - a seeded sample
    questions = [random_build(dice, catalog) for _ in range(RANDOM_BUILDS)]
    judged, wrong = random_differences(engine_page, engine, questions)
    assert wrong == []
    assert judged > RANDOM_BUILDS / 2


def test_commands_losses_and_other_checkpoints_are_those_of_python(
    engine_page: Page, real: tuple[Catalog, FitEngine]
) -> None:
    catalog, engine = real
    combos = [catalog.combos[name] for name in OPENED_ON]
    dice = random.Random(6)  # noqa: S311 - a seeded sample
    texts = [text for combo in combos for text in running(engine, combo)]
    texts += [random_build(dice, catalog) for _ in range(RANDOM_BUILDS)]
    questions = [(text, at % EVERY == 0) for at, text in enumerate(texts)]
    recipes, wrong = opened_differences(engine_page, engine, questions)
    assert wrong == []
    assert recipes > len(texts) / 2


def test_the_commands_are_loaded_with_the_first_model_and_open_by_keyboard(
    page: Page, real: tuple[Catalog, FitEngine], address: str
) -> None:
    catalog, engine = real
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    ready(page, address)
    assert "custom-model.js" not in asked
    page.evaluate("location.hash = 'model=qwen3-8b'")
    page.wait_for_selector("#others", state="attached")
    assert asked.count("custom-model.js") == 1
    state = read_state("#model=qwen3-8b", catalog)
    combo = combo_of(catalog, state.build)
    found = verdict_of(engine, combo, catalog.models["qwen3-8b"], state.asked)
    assert found is not None
    texts = [step.text for recipe in recipes_for(found) for step in recipe.steps]
    assert texts
    assert page.locator("#details .recipe code[class]").all_text_contents() == texts
    page.locator("#details .recipe > summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#details .copy").first.is_visible()
    page.evaluate("location.hash = ''")
    page.wait_for_function("() => document.querySelector('#details').hidden")


def test_a_model_opened_after_another_takes_its_place(page: Page, address: str) -> None:
    ready(page, address)
    page.evaluate("for (const id of ['qwen3-8b', 'qwen3-32b']) location.hash = `model=${id}`")
    page.wait_for_selector("#others", state="attached")
    page.wait_for_selector("#details:not([aria-busy])")
    assert page.inner_text("#details-heading") == "Qwen3 32B"
    heads = page.locator("#details-more > h3").all_text_contents()
    assert heads == [
        "How to run it", "Longer contexts, more users", "If a GPU or machine fails",
        "Other files and runtimes",
    ]  # fmt: skip


def test_a_model_that_does_not_run_has_no_commands(page: Page, address: str) -> None:
    opened(page, f"{address}#machine=1;rtx-3060-12gb*1;;;;linux&model=deepseek-r1")
    assert "not practical" in page.inner_text("#verdict-facts")
    assert page.locator("#run, #after-a-loss, #details .recipe").count() == 0


def test_a_model_opened_for_images_stands_beside_the_list_of_all(
    page: Page, real: tuple[Catalog, FitEngine], address: str
) -> None:
    """A card's model may be another file than the row's; the list stays that of the machine."""
    catalog, engine = real
    model = "gemma-4-26b-a4b-it"
    opened(page, f"{address}#combo=1x-rtx-3090&model={model}&for=images")
    state = read_state(f"combo=1x-rtx-3090&model={model}&for=images", catalog)
    combo = combo_of(catalog, state.build, state.combo)
    found = verdict_of(engine, combo, catalog.models[model], state.asked)
    assert found is not None
    assert found.settings.images
    assert found.id in page.inner_text("#verdict-facts")
    assert page.inner_text("#summary").startswith(f"{len(catalog.surveyed_models)} models")


@pytest.mark.parametrize("hash_", ["", MIXED])
def test_tables_and_details_are_those_that_python_writes(
    page: Page, real: tuple[Catalog, FitEngine], address: str, hash_: str
) -> None:
    catalog, engine = real
    ready(page, address + hash_)
    state = read_state(hash_, catalog)
    combo = combo_of(catalog, state.build, state.combo)
    found = verdicts(engine, combo, state.asked, cured=False)
    answer = results(found, combo, state, catalog)
    blocks = ["".join(block_pieces(answer, at)) for at in range(blocks_of(answer))]
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert written(page, "#results", "".join(blocks))
    if state.model:
        whole = verdict_of(engine, combo, catalog.models[state.model], state.asked)
        assert whole is not None
        assert written(page, "#details-body", details_html(details(whole, catalog)))
        assert whole.id in page.inner_text("#verdict-facts")


def written(page: Page, place: str, html: str) -> bool:
    """Whether a place holds what some HTML says, numbers of drawings compared as numbers."""
    return bool(
        page.evaluate(
            r"""([place, html]) => {
              const other = document.createElement('div');
              other.append(document.createRange().createContextualFragment(html));
              const plain = (e) => e.innerHTML.replace(/(\d)\.0+(?=[%"])/g, '$1');
              return plain(other) === plain(document.querySelector(place));
            }""",
            [place, html],
        )
    )


def test_the_counts_are_those_of_the_combo_page(
    page: Page, real: tuple[Catalog, FitEngine], address: str
) -> None:
    catalog, engine = real
    combo = usual_combo(catalog)
    assert combo is not None
    ready(page, address)
    tiers = [one.tier for one in verdicts(engine, combo, BuildQuestion(8_192))]
    assert counts(shown(page)) == [len(tiers), *(tiers.count(tier) for tier in FitTier)]
    own, best = page.locator("#results > p a").all()
    assert own.get_attribute("href") == f"../combos/{combo.id}/index.html"
    asked = write_build(build_of(combo))
    assert best.get_attribute("href") == f"../index.html#{asked}"  # whatever home remembers
    assert page.evaluate("location.hash") == ""


def test_the_address_is_the_state_and_comes_back(page: Page, address: str) -> None:
    ready(page, address + MIXED)
    assert page.evaluate("location.hash") == MIXED
    before = shown(page)
    assert page.input_value("[name=system]") == "windows"
    assert page.is_checked("[name=display]")
    assert [one.input_value() for one in page.locator("[name=number]").all()] == ["2", "1"]
    page.click("#compose > summary")
    page.locator("[name=users]").fill("1")
    page.wait_for_function("before => location.hash !== before", arg=MIXED)
    changed = page.evaluate("location.hash")
    assert "users" not in changed
    assert "rtx-3090*2+rtx-4090*1" in changed
    page.goto("about:blank")
    ready(page, address + MIXED)
    assert shown(page) == before
    page.click("#compose > summary")
    page.click("#reset")
    page.wait_for_function("() => location.hash === ''")
    assert page.locator("[name=number]").count() == 1


@pytest.mark.parametrize("hash_", ["combo=no-such", "machine=1;rtx-3090*1+no-such*1&users=2"])
def test_no_machine_is_judged_in_place_of_one_that_we_do_not_know(
    page: Page, address: str, hash_: str
) -> None:
    ready(page, f"{address}#{hash_}")
    assert page.locator(".unknown b").all_inner_texts() == [hash_.split("&", maxsplit=1)[0]]
    assert not page.is_visible("#results-section")
    page.select_option("[name=combo]", "1x-rtx-3090")
    page.wait_for_selector("#results-section:not([hidden])", timeout=60_000)
    assert not page.is_visible(".unknown")


def test_a_link_that_a_messenger_escaped_or_broke_is_read(page: Page, address: str) -> None:
    ready(page, f"{address}#machine%3D1%3Brtx-4090%2A2&model=no-such")
    assert page.locator("[name=gpu]").first.input_value() == "rtx-4090"
    assert page.locator(".unknown b").all_inner_texts() == ["model=no-such"]
    page.goto("about:blank")
    ready(page, f"{address}#%E0%A4%A")
    assert not page.is_visible(".unknown")


def test_a_combo_fills_the_form_and_a_model_folds_it(page: Page, address: str) -> None:
    opened(page, f"{address}#combo=4x-l40s&model=qwen3-8b")
    assert page.get_attribute("#compose", "open") is None
    heading = page.locator("#details-heading").bounding_box()
    assert heading is not None
    assert heading["y"] < 600
    page.click("#compose > summary")
    assert page.input_value("#machines [name=gpu]") == "l40s"
    assert page.input_value("#machines [name=number]") == "4"


def test_a_build_is_composed_by_keyboard_alone(page: Page, address: str) -> None:
    ready(page, address)
    before = shown(page)
    page.locator("[name=combo]").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "gpu"
    page.keyboard.type("H100")  # a list jumps to what is typed
    page.wait_for_function("before => document.querySelector('#summary').innerText !== before",
                           arg=before)  # fmt: skip
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "number"
    page.keyboard.press("ArrowUp")
    page.wait_for_function("() => location.hash.includes('*2')")
    page.wait_for_function("() => document.querySelector('#results a').hash.includes('*2')")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#results tbody') !== null"):
            break
    name = page.evaluate("document.activeElement.innerText")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'details-heading'")
    assert "model=" in page.evaluate("location.hash")
    assert page.inner_text("#details-heading") == name
    page.locator("#details-close").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#details').hidden")
    assert page.evaluate("document.activeElement.innerText") == name


def test_a_new_list_keeps_a_reader_at_their_model(page: Page, address: str) -> None:
    """A list that arrives while somebody goes through the old one by keyboard leaves them there."""
    ready(page, f"{address}#machine=1;h100-nvl*1;pcie-5-x16;;;linux")
    row = page.locator("#results tr[id]").nth(2)
    place = row.get_attribute("id")
    row.locator("a").first.focus()
    page.evaluate("""() => {
      const number = document.querySelector("[name=number]");
      number.value = 2;
      number.dispatchEvent(new Event("input", {bubbles: true}));
    }""")
    page.wait_for_function("() => document.querySelector('#results a').hash.includes('*2')")
    assert page.evaluate("document.activeElement.closest('#results [id]').id") == place
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'details-heading'")
    assert "*2" in page.evaluate("location.hash")


def test_axe_finds_nothing(chromium: Browser, address: str) -> None:
    context = chromium.new_context()
    page = unfolded(opened(context.new_page(), address + MIXED))
    rows = page.locator("main tbody tr").count()
    found = flaws_in_both_themes(page)
    context.close()
    assert found == ""
    assert rows > 10


def test_nothing_but_tables_is_wider_than_a_phone(page: Page, address: str) -> None:
    unfolded(opened(page, address + MIXED))
    for width in (320, 360):
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        outside = page.evaluate(
            """width => [...document.querySelectorAll('main *')]
              .filter(e => e.getBoundingClientRect().right > width + 1)
              .filter(e => !e.closest('.table, svg, pre'))
              .map(e => e.outerHTML.slice(0, 80))""",
            width,
        )
        assert (wide, outside) == (width, [])


def test_without_javascript_the_page_says_what_to_do(chromium: Browser, address: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    words = page.inner_text("#no-script")
    hidden = page.locator("#build").is_hidden()
    context.close()
    assert "JavaScript" in words
    assert hidden


def test_only_files_of_the_site_are_asked_for(
    chromium: Browser, address: str, tmp_path: Path
) -> None:
    context = chromium.new_context(record_har_path=tmp_path / "har.json")
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    ready(page, address)
    context.close()
    root = address.removesuffix("custom/index.html")
    assert [url for url in asked if not url.startswith((root, "data:"))] == []
    wanted = ("custom.css", "custom.js", "custom-engine.js", "custom-data-1.js")
    assert {f"{root}assets/{name}" for name in wanted} <= set(asked)


def test_a_worker_answers_all_and_the_page_writes_the_same(chromium: Browser, address: str) -> None:
    """From a folder this thread does the work; from a server a worker, and this has no engine."""
    folder = Path(url2pathname(urlsplit(address).path)).parents[1]
    handler = partial(Compressed, directory=str(folder))
    texts = []
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        for start in (f"http://127.0.0.1:{server.server_port}/custom/index.html", address):
            made = opened(chromium.new_context().new_page(), start + MIXED)
            parts = [made.inner_html(part) for part in ("#results", "#details", ".cite")]
            engine = made.evaluate("typeof sitegen")
            texts.append(((len(made.workers), engine), shown(made), *parts))
            made.context.close()
        server.shutdown()
    (worker, *served), (alone, *read) = texts
    assert worker == (1, "undefined")
    assert alone == (0, "object")
    assert served == read
    assert served[1].count("<tr") > ROWS


def test_a_table_has_its_first_rows_and_the_others_on_demand(page: Page, address: str) -> None:
    ready(page, address)
    rows, rest = page.locator("#tier-comfortable tbody tr"), page.locator("#results .rest button")
    assert rows.count() == ROWS
    more = int(rest.first.inner_text().split()[1])
    rest.first.click()
    assert rows.count() == ROWS + more == counts(shown(page))[1]
    focused = "document.activeElement.closest('tr').rowIndex"
    assert page.evaluate(focused) == ROWS + 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert rest.count() == 0


def test_a_model_s_view_leads_to_its_parts_and_to_a_report_that_names_it(
    page: Page, address: str
) -> None:
    hash_ = "#combo=4x-l40s&model=qwen3-8b"
    opened(page, address + hash_)
    for name, id_ in (("How to run it", "run"), ("Other files", "others")):
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_function("id => document.activeElement.id === id", arg=id_)
        assert page.evaluate("location.hash") == hash_
    page.get_by_role("link", name="Cite or report").click()
    page.wait_for_function("() => document.querySelector('.cite').open")
    assert page.locator("#cite").is_visible()
    cited, entry = page.inner_text("#cite"), page.inner_text("aside.take pre")
    for said in (cited, entry):
        assert "Qwen3 8B on 4× L40S" in said
        assert f"{CUSTOM_URL}{hash_}" in said
    page.evaluate(
        "document.querySelector('a.report').addEventListener('click', (e) => e.preventDefault())"
    )
    page.locator("a.report").click()
    report = unquote(page.locator("a.report").get_attribute("href") or "")
    assert "model=qwen3-8b" in report
    assert "Assessment id: " in report.replace("+", " ")
    page.locator("#details-close").click()
    page.wait_for_selector("#details", state="hidden")
    assert "Qwen3 8B" not in (page.text_content("#cite") or "")
