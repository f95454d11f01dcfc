"""The buyer's page in Chromium: the page's own answer after every change, and own prices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from benchmarks.browser_parity import ROOT, opened_catalog
from sitegen.browser.buy_files import buy_files, buy_script, rows_of
from sitegen.inputs import read_project
from sitegen.pipeline.pages import render
from sitegen.pipeline.sources import parse
from sitegen.quality.values import Use
from sitegen.render.buying import Question, answered
from sitegen.site.collect import collect_pages
from sitegen.site.inputs import SiteInputs
from sitegen.site.pages import buy
from sitegen.site.reports.buying import Shelf, shelf
from sitegen.survey.best_for_use import LONG_DOCUMENT, longest_context
from sitegen.survey.buying import Wanted, choice_of
from sitegen.survey.gpu_counts import best_of_needs, gpus_needed, installed_kinds, machine_of
from sitegen.survey.results import Survey
from tests.browser.axe import flaws_in_both_themes
from tests.browser.conftest import written
from tests.survey.whole_catalog import whole_survey
from tests.translator.running import run_script

pytestmark = pytest.mark.browser

COMBOS = (
    "1x-rtx-3090", "2x-rtx-3090-nvlink", "1x-dgx-spark", "8x-h100-sxm", "mac-studio-m4-max-128gb",
    "1x-strix-halo", "strix-halo-plus-rtx-3090-oculink", "4x-rtx-3090-epyc-1tb",
)  # fmt: skip
COUNTED = "rtx-5080"
LARGEST_BYTES = 150_000
MAIN_THREAD_MS = 100
SLOWER = 4
"""How much slower a machine may be that runs other tests beside this one."""
ASK = """
const builds = sitegenBuy.opened(sitegenBuyRows.builds, sitegenBuyRows.files);
const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(asked.map(([wanted, own, words]) => {
  const {models, ratings} = sitegenBuyRows;
  const one = sitegenBuy.answered(builds, models, ratings, new sitegenBuy.Question(new sitegenBuy.Wanted(...wanted), own, words));
  return [one.best, one.others, one.chart, one.told];
})));
"""  # noqa: E501


@pytest.fixture(scope="module")
def inputs() -> SiteInputs:
    catalog, engine = opened_catalog()
    parsed = parse(read_project(ROOT))
    needs = gpus_needed(engine, catalog.gpus[COUNTED])
    survey = Survey({name: whole_survey(name) for name in COMBOS}, {COUNTED: needs})
    return SiteInputs(catalog, engine, survey, {}, {}, parsed.documents, parsed.settings)


@pytest.fixture(scope="module")
def found(inputs: SiteInputs) -> Shelf:
    return shelf(inputs)


@pytest.fixture(scope="module")
def root(inputs: SiteInputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = read_project(ROOT)
    files = render(collect_pages(inputs, [buy.pages]), project.templates, project.assets)
    folder = tmp_path_factory.mktemp("buy")
    written(folder, {**files, **buy_files(inputs)})
    return folder


@pytest.fixture
def page(chromium: Browser, root: Path) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((root / "buy/index.html").as_uri())
    yield page
    context.close()
    assert not said


def test_only_what_is_surveyed_is_offered_and_counts_have_a_price_that_somebody_saw(
    found: Shelf, inputs: SiteInputs
) -> None:
    combos = {one.id for one in found.builds if one.counted}
    assert combos <= set(COMBOS)
    assert len(combos) >= 3
    counts = [one for one in found.builds if not one.counted]
    assert counts
    assert all(one.parts[0][0] == COUNTED and one.parts[0][1] in {1, 2, 4, 8} for one in counts)
    assert all(one.usd > 0 and one.priced for one in counts)
    server = next(one for one in found.builds if one.id == "8x-h100-sxm")
    assert not server.desktop
    assert (server.usd, server.priced) == (0, "")  # nobody saw a price of it
    spark = next(one for one in found.builds if one.id == "1x-dgx-spark")
    assert (spark.whole, spark.around, spark.around_usd) == (True, "", 0)
    host = inputs.catalog.assumptions["price-host-gpu-node-usd"].value
    pair = next(one for one in found.builds if one.id == "2x-rtx-3090-nvlink")
    assert (pair.around, pair.around_usd) == ("including a computer for $565", host.mid)
    four = next(one for one in counts if one.parts[0][1] == 4)
    assert four.around_usd == host.high  # more slots cost more
    assert server.around_usd > 10 * host.high
    superseded = {one.id for one in inputs.catalog.models.values() if one.superseded_by}
    offered = {found.models[o.model][0] for one in found.builds for o in one.offers}
    assert not offered & superseded


def test_the_page_of_a_machine_and_the_buyer_s_name_the_same_model_for_each_use(
    found: Shelf, inputs: SiteInputs
) -> None:
    """With its file, runtime and longest context; a buyer of one machine reads both."""
    asked = replace(buy.wanted_for(found, 0), context=8_192, desktop=False)
    different = []
    for name in COMBOS:
        (build,) = (one for one in found.builds if one.id == name)
        answers = {one.use: one.picks[0].assessment for one in inputs.survey.combos[name].uses}
        for use in Use:
            chosen = choice_of(build, 1, replace(asked, use=use.value), found.ratings)
            bought = chosen and (
                found.models[chosen.offer.model][0], chosen.offer.runs, chosen.offer.context
            )  # fmt: skip
            led = answers.get(use)
            named = led and (
                led.model.id, f"{led.checkpoint.quantization.name}, {led.runtime.name}",
                longest_context(led),
            )  # fmt: skip
            if bought != named:
                different.append((name, use.value, bought, named))
    assert different == []


def test_counts_of_a_gpu_answer_as_its_page_does_and_for_images_only_with_room_for_them(
    found: Shelf, inputs: SiteInputs
) -> None:
    builds = [one for one in found.builds if not one.counted]
    asked = replace(buy.wanted_for(found, 0), context=8_192, desktop=False)
    needs = inputs.survey.needs[COUNTED]
    for one in builds:
        machine = machine_of(
            inputs.catalog, installed_kinds(inputs.catalog.gpus[COUNTED])[0], one.parts[0][1]
        )
        assert machine is not None
        enough = [need for need in needs if need.count <= one.parts[0][1]]
        for use in (Use.OVERALL, Use.CODING):
            chosen = choice_of(one, 1, replace(asked, use=use.value), found.ratings)
            led = best_of_needs(inputs.engine, enough, use, machine)[0]
            assert chosen is not None
            assert found.models[chosen.offer.model][0] == led.model.id
    images = [choice_of(one, 1, replace(asked, use="vision"), found.ratings) for one in builds]
    assert all(one is not None and "i" in one.offer.traits for one in images)
    books = [choice_of(one, 1, replace(asked, use="long-context"), found.ratings) for one in builds]
    assert all(one is None or one.offer.context >= LONG_DOCUMENT for one in books)


def test_what_is_bought_is_a_computer_by_chip_and_memory_and_a_card_by_itself(found: Shelf) -> None:
    builds = {one.id: one for one in found.builds}
    mac = builds["mac-studio-m4-max-128gb"]
    assert (mac.whole, mac.usd, mac.parts) == (True, 0, (("apple-m4-max@128", 1),))
    assert dict(found.parts)["apple-m4-max@128"] == "M4 Max, 128 GB"
    both = builds["strix-halo-plus-rtx-3090-oculink"]
    assert (both.whole, both.around_usd, both.around) == (
        False,
        0,
        "computer and GPU, without a dock",
    )
    assert {part for part, _ in both.parts} == {"strix-halo@128", "rtx-3090"}
    epyc = builds["4x-rtx-3090-epyc-1tb"]
    assert epyc.special
    assert not builds["2x-rtx-3090-nvlink"].special


def test_a_team_is_offered_what_is_picked_for_many_users(found: Shelf, inputs: SiteInputs) -> None:
    combo = "2x-rtx-3090-nvlink"
    (build,) = (one for one in found.builds if one.id == combo)
    rows = {row.model.id: row for row in inputs.survey.combos[combo].rows}
    runtimes = {(found.models[one.model][0], one.runs.rpartition(", ")[2]) for one in build.offers}
    served = {name for name, runtime in runtimes if runtime == "vLLM"}
    alone = {name for name in served if rows[name].pick.runtime.id == "llama-cpp"}
    assert alone  # one user is told of llama.cpp, a team of vLLM
    assert all((name, "llama.cpp") in runtimes for name in alone)
    team = Wanted(
        "overall", 32_768, 8, 0, 0, desktop=False, computer=False, least_speed=10, step=found.step
    )
    either = [
        rating if model in alone else {}
        for (model, _), rating in zip(found.models, found.ratings, strict=True)
    ]
    chosen = choice_of(build, build.usd, team, either)
    assert chosen is not None
    assert chosen.offer.runs.endswith(", vLLM")


def test_browsers_write_the_very_answers_of_the_page(found: Shelf, tmp_path: Path) -> None:
    first = buy.wanted_for(found, 4_000)
    questions: list[tuple[Any, dict[str, float], str]] = [
        (first, {}, "Overall"),
        (replace(first, usd=600), {}, "Overall"),
        (replace(first, use="coding", desktop=False, usd=0), {}, "Coding"),
        (replace(first, users=4, desktop=False), {}, "Overall"),
        (replace(first, computer=False), {"rtx-3090": 650.0}, "Overall"),
        (replace(first, context=131_072, watts=600), {"rtx-3090": 650.0}, "Overall"),
        (replace(first, use="vision", users=4, desktop=False), {}, "Images"),
        (replace(first, use="long-context"), {"apple-m4-max@128": 900.0}, "Long context"),
        (replace(first, usd=1), {}, "Overall"),
    ]
    rows = f"var sitegenBuyRows = {json.dumps(rows_of(found))};"
    script = "\n".join([buy_script().replace('"use strict";\nvar', "var", 1), rows, ASK])
    given = [[list(astuple(wanted)), own, words] for wanted, own, words in questions]
    theirs = run_script(script, given, tmp_path)
    for (wanted, own, words), one in zip(questions, theirs, strict=True):
        ours = answered(found.builds, found.models, found.ratings, Question(wanted, own, words))
        assert one == [ours.best, ours.others, ours.chart, ours.told]
    assert "No build within these limits" in theirs[-1][3]


def test_a_change_is_answered_in_place_and_kept_in_the_address(page: Page) -> None:
    first = page.inner_text("#best h2")
    assert first.startswith("Buy ")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.fill("[name=usd]", "100")
    assert "No build within these limits" in answer(page)
    loaded = sorted(name for name in asked if name.endswith(".js"))
    assert loaded == ["buy-data.js", "buying.js"]  # not before a reader comes to the form
    page.fill("[name=usd]", "1000000")
    page.select_option("[name=place]", "")
    page.select_option("[name=users]", "16")
    assert "16 users together" in page.inner_text("#best")
    assert "users=16" in page.url
    assert page.inner_text("#told").startswith("Buy ")
    assert float(page.locator("#best").get_attribute("data-ms") or 999) <= MAIN_THREAD_MS * SLOWER
    page.reload()
    assert page.input_value("[name=users]") == "16"
    assert "16 users together" in answer(page)


def answer(page: Page) -> str:
    """Read the answer once the scripts behind it are there."""
    page.wait_for_selector("#best[data-ms]:not([aria-busy])")
    return page.inner_text("#best")


def test_own_prices_count_and_can_be_forgotten(page: Page) -> None:
    page.locator("#own > summary").click()
    page.select_option("#own-price [name=gpu]", "rtx-3090")
    page.fill("#own-price [name=price]", "123")
    page.get_by_role("button", name="Use this price").click()
    assert "RTX 3090" in page.inner_text("#own-list")
    assert "your price" in answer(page) + page.inner_text("#others")
    page.get_by_role("button", name="Forget my prices").click()
    assert page.inner_text("#own-list") == ""
    assert "your price" not in page.inner_text("#best") + page.inner_text("#others")
    assert page.evaluate("document.activeElement.name") == "gpu"


def test_a_reader_s_price_of_a_mac_puts_it_on_the_list(page: Page) -> None:
    page.locator("#own > summary").click()
    page.select_option("#own-price [name=gpu]", "apple-m4-max@128")
    page.fill("#own-price [name=price]", "500")
    page.get_by_role("button", name="Use this price").click()
    assert "M4 Max, 128 GB: $500" in page.inner_text("#own-list")
    assert "Mac Studio M4 Max" in answer(page)


def test_the_commands_are_those_of_the_answer(page: Page) -> None:
    link = page.locator("#best p.note a").first.get_attribute("href") or ""
    for part in ("combo=", "runtime=", "file=", "for=answer", "users=1"):
        assert part in link
    page.select_option("[name=users]", "16")
    page.select_option("[name=use]", "vision")
    answer(page)
    link = page.locator("#best p.note a").first.get_attribute("href") or ""
    for part in ("runtime=", "file=", "for=images", "users=16", "goal=throughput"):
        assert part in link


def test_prices_say_kind_and_day_and_what_they_leave_out(page: Page) -> None:
    assert "202" in page.inner_text("#best .figures")
    text = page.inner_text("main")
    assert "including a computer for $" in text
    assert "motherboard, processor, RAM, power supply, case and disks" in text
    before = page.inner_text("#best .figures")
    page.select_option("[name=computer]", "")
    assert "GPUs only" in answer(page)
    assert page.inner_text("#best .figures") != before
    assert page.locator("#chart svg text.strong").count() >= 1


def test_it_has_no_violation_and_nothing_is_wider_than_the_screen(page: Page) -> None:
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert flaws_in_both_themes(page) == ""


def test_on_a_phone_a_budget_is_a_card_with_its_labels(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    wide, labels = page.evaluate(
        """() => [document.querySelector('#budgets').scrollWidth,
                  [...document.querySelectorAll('#budgets tbody tr:first-child td')]
                    .map((cell) => getComputedStyle(cell, '::before').content)
                    .map((content) => content.slice(1, 9).replace('"', ''))]"""
    )
    assert wide <= 360
    row = page.locator("#budgets tbody tr").first
    columns = row.evaluate("(row) => getComputedStyle(row).gridTemplateColumns")
    assert len(columns.split()) == 2  # a price stands beside its machine
    assert labels == ["One user", "Price", "16 users", "Price"]


def test_without_scripts_there_is_an_answer_and_a_list_by_budget(
    chromium: Browser, root: Path
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((root / "buy/index.html").as_uri())
    assert page.inner_text("#best h2").startswith("Buy ")
    assert page.locator("#budgets tbody tr, main section:has(#by-budget) tbody tr").count() >= 2
    assert not page.locator("#buy").is_visible()
    assert len((root / "buy/index.html").read_bytes()) <= LARGEST_BYTES
    context.close()
