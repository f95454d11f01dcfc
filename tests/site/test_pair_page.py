"""A page of one model on one machine says what the browser says of the same pair."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import pytest

from sitegen.browser.html import commands_html, details_html, losses_html, others_html
from sitegen.fit.assessment import FitTier
from sitegen.render.environment import environment
from sitegen.render.opened_model import (
    write_commands,
    write_details,
    write_losses,
    write_others,
)
from sitegen.render.page_files import render_page
from sitegen.site.json.schema.parts import WholeAssessment
from sitegen.site.json.shaped import shaped
from sitegen.site.page import Page
from sitegen.site.pages.pair import PairView, judged_beside, pair_page
from sitegen.site.reports.opened_model import commands, details, further, losses, others
from sitegen.survey.composed_build import BuildQuestion, verdict_of
from sitegen.survey.composed_model import after_losses, curves_of, other_ways
from sitegen.survey.looked_for import usual_machines
from sitegen.survey.results import ModelOnCombo
from tests.render.built import project
from tests.site import fabricated
from tests.survey.whole_catalog import whole_catalog, whole_engine, whole_survey

ASKED = BuildQuestion(8_192)
MACHINE = "2x-rtx-3090-pcie"
MODELS = ("qwen3-32b", "gpt-oss-120b")
MOST_BYTES = 60_000


def row_of(model: str) -> ModelOnCombo:
    (row,) = (one for one in whole_survey(MACHINE).rows if one.model.id == model)
    return row


def page_of(row: ModelOnCombo) -> Page:
    return pair_page(row, whole_catalog(), partial(judged_beside, row.pick, whole_engine()))


def view_of(page: Page) -> PairView:
    view = page.view
    assert isinstance(view, PairView)
    return view


def html_of(page: Page, *urls: str) -> str:
    made = environment(project().templates)
    files = render_page(page, fabricated.SETTINGS, made, (page.url, *urls))
    assert list(files) == [f"{page.url.strip('/')}/index.html"]  # the combo's files have its data
    return next(iter(files.values())).decode()


def said(html: str) -> Iterator[str]:
    """Yield the words of some HTML: addresses and levels of headings are a page's own."""
    yield from re.sub(r"<[^>]*>", " ", html).split()


@pytest.mark.parametrize("model", MODELS)
def test_the_assessment_is_that_of_fit_and_of_the_browser(model: str) -> None:
    row = row_of(model)
    combo = whole_catalog().combos[MACHINE]
    found = verdict_of(whole_engine(), combo, whole_catalog().models[model], ASKED)
    assert found is not None
    as_json = shaped(WholeAssessment, found)
    assert isinstance(as_json, dict)
    assert row.pick.id == found.id == as_json["id"]
    assert found.id in html_of(page_of(row))


@pytest.mark.parametrize("model", MODELS)
def test_the_page_says_what_the_browser_says(model: str) -> None:
    engine, catalog = whole_engine(), whole_catalog()
    found = verdict_of(engine, catalog.combos[MACHINE], catalog.models[model], ASKED)
    assert found is not None
    page = page_of(row_of(model))
    view = view_of(page)
    lost = tuple(after_losses(engine, found, ASKED))
    pairs = [
        (details_html(details(found, catalog)), write_details(view.details, page.url)),
        (
            commands_html(commands(found)),
            "" if view.commands is None else write_commands(view.commands, page.url, 2),
        ),
        (
            losses_html(losses(found, lost, catalog)),
            "" if view.losses is None else write_losses(view.losses, page.url, 2),
        ),
        (
            others_html(others(tuple(other_ways(engine, found, ASKED)))),
            "" if view.others is None else write_others(view.others, page.url, 2),
        ),
    ]
    for browser, here in pairs:
        assert list(said(browser)) == list(said(here))
    shown = further(found, curves_of(engine, found, ASKED))
    drawn = tuple(one.table for one in (view.context, view.load) if one is not None)
    assert drawn == (() if shown is None else (shown.context, shown.load))


def test_what_runs_has_commands_curves_and_other_files_and_what_does_not_says_why() -> None:
    runs, fails = (view_of(page_of(row_of(one))) for one in MODELS)
    assert runs.commands is not None
    assert runs.start
    assert runs.context is not None
    assert runs.load is not None
    assert fails.mark.tier is FitTier.NOT_PRACTICAL
    assert fails.commands is None
    assert fails.context is None
    assert "lacks at least" in html_of(page_of(row_of(MODELS[1])))


def test_the_curve_ends_where_the_verdict_says_that_the_context_ends() -> None:
    pick = row_of(MODELS[0]).pick
    curves = curves_of(whole_engine(), pick, ASKED)
    assert pick.limits is not None
    assert pick.limits.max_context_tokens in {one.context_tokens for one in curves.context}
    assert pick.speed is not None
    assert curves.load[-1].all_tokens_per_s == pick.speed.aggregate_tokens_per_s


def test_a_page_is_small_and_loads_the_engine_only_when_asked() -> None:
    for model in MODELS:
        html = html_of(page_of(row_of(model)))
        assert len(html.encode()) < MOST_BYTES
        assert set(re.findall(r'src="[^"]*/(\w+)\.js"', html)) <= {
            "site", "links", "copy", "asking", "pair", "report"
        }  # fmt: skip


def test_sliders_ask_for_contexts_of_the_model_and_begin_where_the_page_is() -> None:
    sliders = view_of(page_of(row_of(MODELS[0]))).sliders
    assert sliders.address == f"combo={MACHINE}&model={MODELS[0]}"
    context, count = sliders.ranges
    assert context.numbers == tuple(sorted(set(context.numbers)))
    assert context.numbers[-1] == whole_catalog().models[MODELS[0]].context_tokens
    assert context.numbers[context.start] == ASKED.context_tokens
    assert count.numbers[count.start] == ASKED.sequences == 1


def test_rows_of_other_pages_lead_to_it_and_it_leads_to_the_form() -> None:
    page = page_of(row_of(MODELS[0]))
    html = html_of(page)
    assert f'custom/index.html#combo={MACHINE}&amp;model={MODELS[0]}"' in html
    assert 'aria-label="Breadcrumb"' in html
    other = row_of(MODELS[1])
    before = html_of(page_of(other), page.url)
    assert before.count("custom/index.html#") > 0
    assert MACHINE in {one.id for one in usual_machines(whole_catalog())}
