"""The break-even calculator in Chromium: the engine's figures, whole without a script."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from sitegen.browser.program import PATH, calculator_files
from sitegen.fit.fit_engine import FitEngine
from sitegen.ownership import cost
from sitegen.pipeline.pages import render
from sitegen.site.collect import collect_pages
from sitegen.site.content.documents import parse_documents
from sitegen.site.inputs import SiteInputs
from sitegen.site.pages import documents
from tests.browser.conftest import written
from tests.render.built import project
from tests.site.test_guide_tables import LOAD, SUBJECT, real

pytestmark = pytest.mark.browser

GUIDE = f"""---
title: Cost
description: What it costs.
kind: guide
---

## Your own load

{{% calculator {SUBJECT} runtime=vllm split=2x2 combos=4x-rtx-3090 {LOAD} %}}
"""
OTHER = "---\ntitle: Other\ndescription: No form.\nkind: guide\n---\n\nWords.\n"
MOST_BYTES = 7_500
"""What both scripts together may weigh, unpacked."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = {"content/guides/cost.md": GUIDE, "content/guides/other.md": OTHER}
    found = real()
    inputs = SiteInputs(
        found.catalog,
        FitEngine(found.catalog),
        found.survey,
        found.facts,
        {},
        parse_documents(texts),
        found.settings,
    )
    site = collect_pages(inputs, [documents.pages])
    root = tmp_path_factory.mktemp("calculator")
    written(root, render(site, project().templates, project().assets) | calculator_files())
    return root


@pytest.fixture
def page(chromium: Browser, folder: Path) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    made = context.new_page()
    said: list[str] = []
    made.on("console", lambda message: said.append(message.text))
    made.on("pageerror", lambda error: said.append(str(error)))
    made.goto((folder / "guides/cost/index.html").as_uri())
    yield made
    context.close()
    assert said == []


def test_browser_and_engine_compute_the_same_to_the_last_bit(page: Page) -> None:
    dice = random.Random(2026)  # noqa: S311 - chance for a test
    asked, answers = [], []
    for _ in range(300):
        speed, hours = dice.uniform(0, 5_000), dice.uniform(0, 24)
        busy, idle, kwh = dice.uniform(0, 9_000), dice.uniform(0, 900), dice.uniform(0, 2)
        read, a, b = dice.uniform(0, 100), dice.uniform(0, 20), dice.uniform(0, 60)
        hardware = dice.uniform(0, 300_000)
        tokens = cost.written_tokens_a_month(speed, hours)
        electricity = cost.electricity_usd_a_month(busy, idle, hours, kwh)
        bought = cost.bought_usd_a_month(tokens, read, a, b)
        months = cost.break_even_months(
            hardware, replaced_usd_a_month=bought, running_usd_a_month=electricity
        )
        asked.append([speed, hours, busy, idle, kwh, read, a, b, hardware])
        answers.append([tokens, electricity, bought, months])
    found = page.evaluate(
        """(asked) => JSON.stringify(asked.map(
          ([speed, hours, busy, idle, kwh, read, a, b, hardware]) => {
            const tokens = sitegenCost.written_tokens_a_month(speed, hours);
            const electricity = sitegenCost.electricity_usd_a_month(busy, idle, hours, kwh);
            const bought = sitegenCost.bought_usd_a_month(tokens, read, a, b);
            return [tokens, electricity, bought,
              sitegenCost.break_even_months(hardware, bought, electricity)];
          }))""",
        asked,
    )
    assert json.loads(found) == answers


def output(page: Page, name: str) -> str:
    return page.locator(f"output[name={name}]").inner_text()


def test_a_reader_fills_the_form_and_reads_the_engine_s_answer(page: Page) -> None:
    values = {
        "hardware": 3_000, "busy": 900, "idle": 100, "hours": 12, "speed": 400, "read": 5,
        "kwh": 0.2, "api-read": 0.1, "api-written": 0.4,
    }  # fmt: skip
    for name, value in values.items():
        page.locator(f"input[name={name}]").fill(str(value))
    tokens = cost.written_tokens_a_month(400, 12)
    electricity = cost.electricity_usd_a_month(900, 100, 12, 0.2)
    bought = cost.bought_usd_a_month(tokens, 5, 0.1, 0.4)
    months = cost.break_even_months(
        3_000, replaced_usd_a_month=bought, running_usd_a_month=electricity
    )
    assert months is not None
    assert output(page, "tokens") == f"{tokens / 1e6:.0f} million tokens"
    assert output(page, "electricity") == f"{electricity:.2f} USD"
    assert output(page, "bought") == f"{bought:.2f} USD"
    assert output(page, "months") == f"after {months:.2f} months"
    page.locator("input[name=speed]").fill("1")
    assert output(page, "months").startswith("never")
    page.locator("input[name=hours]").fill("25")
    assert output(page, "months") == "–"


def test_the_form_begins_with_answers(page: Page) -> None:
    assert page.locator(".calculator").is_visible()
    assert "million" in output(page, "tokens")


def test_the_form_is_accessible(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto((folder / "guides/cost/index.html").as_uri())
    assert Axe().run(page).response["violations"] == []
    context.close()


def test_without_a_script_the_table_stays_and_the_form_is_hidden(
    chromium: Browser, folder: Path
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "guides/cost/index.html").as_uri())
    assert page.locator("table").count() == 1
    assert "4× RTX 3090" in page.locator("table").inner_text()
    assert not page.locator(".calculator").is_visible()
    context.close()


def test_only_a_page_with_a_calculator_loads_it_and_it_is_small(folder: Path) -> None:
    scripts = ("assets/cost.js", "assets/calculator.js")
    assert scripts[0] == PATH
    page, other = (
        (folder / f"guides/{name}/index.html").read_text("utf-8") for name in ("cost", "other")
    )
    assert all(script in page and script not in other for script in scripts)
    assert sum((folder / script).stat().st_size for script in scripts) < MOST_BYTES
    assert "<style" not in page
    assert " style=" not in page
