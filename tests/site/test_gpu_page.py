"""What a GPU's page says that one and several of it run."""

from __future__ import annotations

from dataclasses import replace

from sitegen.catalog.domain.hardware import Vendor
from sitegen.catalog.domain.provenance import Interval
from sitegen.fit.assessment import BestPlans
from sitegen.fit.fit_engine import FitEngine
from sitegen.published.claims.plans import machine
from sitegen.quality.values import NONE, Rating, Ratings, Use
from sitegen.render.cells import text
from sitegen.render.environment import environment
from sitegen.render.page_files import render_page
from sitegen.site.cells import Link
from sitegen.site.collect import collect_pages
from sitegen.site.combo.gpu_answers import GpuAnswers, gpu_answers, kinds_by_gpu
from sitegen.site.composed_address import read_state
from sitegen.site.pages.gpu import SHOWN, GpuView, question
from sitegen.site.search import SearchView
from sitegen.site.tables.counts import runs_tables
from sitegen.site.urls import CUSTOM_URL
from sitegen.survey.composed_build import build_of
from sitegen.survey.gpu_counts import COUNTS
from tests.render.built import project
from tests.site import fabricated
from tests.site.fabricated import CATALOG, RTX_4090, SURVEY

NEEDS = SURVEY.needs[RTX_4090.id]


def test_a_model_stands_under_the_smallest_machine_and_what_is_tight_comes_last() -> None:
    tables = list(runs_tables(reversed(NEEDS), NONE))
    assert [heading for heading, _ in tables] == [
        "Models that fit comfortably on one GPU",
        "More models that fit comfortably on two GPUs",
        "Borderline on every machine assessed",
    ]
    assert [len(table.rows) for _, table in tables] == [1, 1, 1]


def test_every_number_of_gpus_that_people_buy_has_a_word() -> None:
    needs = [replace(NEEDS[0], machine=machine(RTX_4090, count)) for count in COUNTS]
    headings = [heading.split()[-2] for heading, _ in runs_tables(needs, NONE)]
    assert headings == ["one", "two", "three", "four", "six", "eight"]


def test_a_name_opens_the_model_on_that_very_machine() -> None:
    for need, (_, table) in zip(NEEDS, runs_tables(NEEDS, NONE), strict=True):
        opened = table.rows[0].cells[0]
        assert isinstance(opened, Link)
        address, _, state = opened.url.partition("#")
        assert address == CUSTOM_URL
        found = read_state(state, CATALOG)
        assert found.model == need.model.id
        assert found.build == build_of(need.machine)


def answers(gpu_id: str) -> GpuAnswers:
    inputs = fabricated.inputs()
    return gpu_answers(kinds_by_gpu(inputs)[gpu_id], SURVEY.needs.get(gpu_id, ()), inputs)


def test_a_page_of_processors_asks_about_their_ram_and_that_of_a_board_about_the_board() -> None:
    asked = [
        question(replace(RTX_4090, vendor=Vendor.CPU, name=name), "Processor")
        for name in ("DDR4-3200, 2 channels", "Raspberry Pi 5")
    ]
    assert asked == [
        "What can a processor with DDR4-3200 in 2 channels run?",
        "What can the Raspberry Pi 5 run?",
    ]
    assert question(RTX_4090, "NVIDIA") == "What can the NVIDIA RTX 4090 run?"


def test_each_number_has_a_card_with_how_many_models_fit() -> None:
    cards = answers(RTX_4090.id).cards
    assert [card.heading for card in cards] == [
        f"{number} RTX 4090" for number in ("One", "Two", "Four", "Eight")
    ]
    tallies = [text(card.tally) for card in cards]
    assert tallies == ["1 of 3 models fit", *["2 of 3 models fit"] * 3]
    for card in cards:
        (whole,) = card.whole
        address, _, state = whole.url.partition("#")
        assert address == CUSTOM_URL
        assert state.startswith("machine=1;rtx-4090*")


def test_a_name_that_ends_with_gpu_takes_a_plural() -> None:
    inputs = fabricated.inputs()
    gpu = replace(RTX_4090, name="GB200 GPU")
    kinds = [replace(kind, gpu=gpu) for kind in kinds_by_gpu(inputs)[RTX_4090.id]]
    headings = [card.heading for card in gpu_answers(kinds, NEEDS, inputs).cards]
    assert headings == ["One GB200 GPU", "Two GB200 GPUs", "Four GB200 GPUs", "Eight GB200 GPUs"]


def test_a_machine_of_the_catalog_gives_the_answers_of_its_own_page() -> None:
    small, large = answers("m3-ultra").cards
    assert (small.heading, large.heading) == ("With 96 GiB", "With 256 GiB")
    survey = SURVEY.combos["mac-studio"]
    assert survey.lead is not None
    first = small.best[0]
    assert first.wish == "Best overall and for coding"
    assert first.model == Link(
        f"{CUSTOM_URL}#combo=mac-studio&model={survey.lead.model.id}", survey.lead.model.name
    )
    assert text(first.gives).replace("\xa0", " ") == "21 tok/s, 93,456 tokens"
    assert small.whole[0].url == "/combos/mac-studio/"


def test_a_card_opens_the_file_that_it_names_and_not_a_slower_one_of_the_row() -> None:
    inputs = fabricated.inputs()
    survey = SURVEY.combos["mac-studio"]
    assert survey.lead is not None
    rows = [replace(one, read_along=survey.lead) for one in survey.rows]
    rows = [one for one in rows if one.model.id == survey.lead.model.id]
    combos = {**SURVEY.combos, "mac-studio": replace(survey, rows=tuple(rows))}
    other = replace(inputs, survey=replace(inputs.survey, combos=combos))
    small, _ = gpu_answers(kinds_by_gpu(other)["m3-ultra"], (), other).cards
    assert small.best[0].model.url.endswith("&for=answer")
    assert not answers("m3-ultra").cards[0].best[0].model.url.endswith("&for=answer")


def test_a_card_names_the_longest_context_of_any_plan_of_the_pick() -> None:
    survey = SURVEY.combos["mac-studio"]
    lead = survey.lead
    assert lead is not None
    assert lead.plan is not None
    longer = replace(lead, best=BestPlans((120_000, lead.plan), {}, None))
    inputs = fabricated.inputs()
    combos = {**SURVEY.combos, "mac-studio": replace(survey, lead=longer, uses=())}
    other = replace(inputs, survey=replace(inputs.survey, combos=combos))
    kinds = kinds_by_gpu(other)["m3-ultra"]
    small, _ = gpu_answers(kinds, SURVEY.needs.get("m3-ultra", ()), other).cards
    assert text(small.best[0].gives).replace("\xa0", " ") == "21 tok/s, 120,000 tokens"


def test_a_card_without_a_machine_says_how_many_gpus_a_model_takes() -> None:
    ratings = Ratings(
        {
            use: {"large-70b": Rating(Interval(60.0, 66.0, 72.0))}
            for use in (Use.OVERALL, Use.CODING)
        }
    )
    inputs = fabricated.inputs()
    rated = replace(inputs, engine=FitEngine(inputs.engine.catalog, ratings=ratings))
    answered = gpu_answers(kinds_by_gpu(rated)[RTX_4090.id], NEEDS, rated)
    assert answered.is_rated
    found = answered.cards
    assert [[text(one.gives).replace("\xa0", " ") for one in card.best] for card in found] == [
        [],
        ["40 tok/s, 32,768 tokens"],
        ["40 tok/s, 32,768 tokens, on two of the GPUs"],
        ["40 tok/s, 32,768 tokens, on two of the GPUs"],
    ]
    opened = found[1].best[0].model.url.partition("#")[2]
    assert read_state(opened, CATALOG).asked.read_along


def test_where_no_model_is_rated_none_is_said_to_run_badly() -> None:
    assert not answers(RTX_4090.id).is_rated
    page = collect_pages(fabricated.inputs()).pages["/gpus/rtx-4090/"]
    made = render_page(page, fabricated.SETTINGS, environment(project().templates))
    html = made["gpus/rtx-4090/index.html"].decode()
    assert "The catalog rates no models yet." in html
    assert "No rated model runs well." not in html


def test_the_page_lists_the_best_and_its_files_list_all() -> None:
    many = tuple(
        replace(NEEDS[0], model=replace(NEEDS[0].model, id=f"m{at}", name=f"M {at:02}"))
        for at in range(SHOWN + 5)
    )
    inputs = fabricated.inputs()
    crowded = replace(inputs.survey, needs={**inputs.survey.needs, RTX_4090.id: many})
    page = collect_pages(replace(inputs, survey=crowded)).pages["/gpus/rtx-4090/"]
    view = page.view
    assert isinstance(view, GpuView)
    assert view.runs is not None
    assert len(view.runs.first.rows) == SHOWN
    assert view.runs.first.caption.endswith(f"the best {SHOWN} of {SHOWN + 5}")
    assert [len(table.rows) for table in view.runs.files] == [SHOWN + 5]


def test_search_finds_a_card_by_the_name_that_drivers_print() -> None:
    view = collect_pages(fabricated.inputs()).pages["/search/"].view
    assert isinstance(view, SearchView)
    cards = {
        name.url: name for group in view.groups if group.id == "found-gpu" for name in group.names
    }
    words = f"{cards['/gpus/rtx-4090/'].text} {cards['/gpus/rtx-4090/'].words}".lower()
    assert {"nvidia", "geforce", "rtx", "4090"} <= set(words.split())
    mac = cards["/gpus/m3-ultra/"].words.lower().split()
    assert {"mac", "studio"} <= set(mac)
