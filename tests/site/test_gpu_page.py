"""What a GPU's page says that one and several of it run."""

from __future__ import annotations

from dataclasses import replace

from sitegen.published.claims.plans import machine
from sitegen.quality.values import NONE
from sitegen.site.cells import Link
from sitegen.site.collect import collect_pages
from sitegen.site.composed_address import read_state
from sitegen.site.pages.gpu import GpuView
from sitegen.site.search import SearchView
from sitegen.site.tables.counts import runs_tables
from sitegen.site.urls import CUSTOM_URL
from sitegen.survey.composed_build import build_of
from sitegen.survey.gpu_counts import COUNTS
from tests.site import fabricated
from tests.site.fabricated import CATALOG, RTX_4090, SURVEY

NEEDS = SURVEY.needs[RTX_4090.id]


def test_a_model_stands_under_the_smallest_machine_and_what_is_tight_comes_last() -> None:
    tables = list(runs_tables(reversed(NEEDS), NONE, CATALOG))
    assert [heading for heading, _ in tables] == [
        "One runs comfortably",
        "Two also run comfortably",
        "Borderline on every machine judged",
    ]
    assert [len(table.rows) for _, table in tables] == [1, 1, 1]


def test_every_number_of_gpus_that_people_buy_has_a_word() -> None:
    needs = [replace(NEEDS[0], machine=machine(RTX_4090, count)) for count in COUNTS]
    headings = [heading.split()[0] for heading, _ in runs_tables(needs, NONE, CATALOG)]
    assert headings == ["One", "Two", "Three", "Four", "Six", "Eight"]


def test_a_checkpoint_opens_the_model_on_that_very_machine() -> None:
    for need, (_, table) in zip(NEEDS, runs_tables(NEEDS, NONE, CATALOG), strict=True):
        opened = table.rows[0].cells[2]
        assert isinstance(opened, Link)
        address, _, state = opened.url.partition("#")
        assert address == CUSTOM_URL
        found = read_state(state, CATALOG)
        assert found.model == need.model.id
        assert found.build == build_of(need.machine)


def test_a_long_table_shows_the_best_and_leads_to_all() -> None:
    first = NEEDS[0]
    models = [replace(first.model, id=f"m{number}", name=f"M{number:02}") for number in range(25)]
    needs = {RTX_4090.id: tuple(replace(first, model=model) for model in models)}
    inputs = replace(fabricated.inputs(), survey=replace(SURVEY, needs=needs))
    view = collect_pages(inputs).pages["/gpus/rtx-4090/"].view
    assert isinstance(view, GpuView)
    assert view.runs is not None
    shown, (whole,) = view.runs.first, view.runs.files
    assert (len(shown.rows), len(whole.rows)) == (20, 25)
    assert shown.rows == whole.rows[:20]
    assert (shown.in_files, whole.on_page) == (False, False)
    assert shown.note == "5 more are in data.csv and index.json."
    assert isinstance(view.runs.all_models, Link)
    address, _, state = view.runs.all_models.url.partition("#")
    assert address == CUSTOM_URL
    assert read_state(state, CATALOG).build == build_of(first.machine)


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
