"""The quality page over the real catalog: ratings with their evidence, no board, true words."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from sitegen.catalog.domain.losses import Evaluator
from sitegen.catalog.domain.scores import Use
from sitegen.fit.fit_engine import FitEngine
from sitegen.quality import policy
from sitegen.quality.ratings import ratings_of
from sitegen.render.cells import text
from sitegen.render.data.schemas import PAGE_SHAPES
from sitegen.site.cells import Folded, Link
from sitegen.site.inputs import SiteInputs
from sitegen.site.page import Lazy, Page
from sitegen.site.pages.quality import QualityView, UseView, pages
from sitegen.site.table import Table, tables_in
from tests.render.built import project
from tests.site import fabricated
from tests.survey.whole_catalog import whole_catalog

CATALOG = whole_catalog()


@cache
def inputs() -> SiteInputs:
    engine = FitEngine(CATALOG, ratings=ratings_of(CATALOG))
    return replace(fabricated.inputs(), catalog=CATALOG, engine=engine)


@cache
def found() -> dict[str, Page]:
    return {page.url: page for page in pages(inputs())}


def overview() -> QualityView:
    view = found()["/quality/"].view
    assert isinstance(view, QualityView)
    return view


def of_use(use: Use) -> UseView:
    view = found()[f"/quality/{use.value}/"].view
    assert isinstance(view, UseView)
    return view


def rows(table: Table) -> list[list[str]]:
    return [[text(cell) for cell in row.cells] for row in table.rows]


def test_every_use_has_its_ranking() -> None:
    assert set(found()) == {"/quality/", *(f"/quality/{use.value}/" for use in Use)}


def test_the_best_tier_is_that_of_the_ratings() -> None:
    ratings = overview().ratings
    assert ratings is not None
    leaders = {text(row.cells[0]): text(row.cells[1]) for row in ratings.best.rows}
    coding = inputs().engine.ratings.tier(Use.CODING, 1)
    for one in coding[:6]:
        assert CATALOG.models[one.model].name in leaders["Coding"]


def test_tiers_rise_down_a_ranking_and_ratings_fall() -> None:
    cells = rows(of_use(Use.GENERAL).rated)
    tiers = [int(row[0]) for row in cells]
    assert tiers == sorted(tiers)
    points = [float(re.split(r"\D", row[2])[0]) for row in cells]
    assert points == sorted(points, reverse=True)
    assert len(cells) == len(inputs().engine.ratings.ranked(Use.GENERAL))


def test_a_rating_links_the_boards_behind_it_and_shows_none_of_their_scores() -> None:
    first = of_use(Use.CODING).rated.rows[0]
    (evidence,) = (cell for cell in first.cells if isinstance(cell, Folded))
    assert evidence.items
    assert all(
        isinstance(item, Link) and item.url.startswith("https://") for item in evidence.items
    )
    scores = {
        f"{one.value:g}"
        for sheet in CATALOG.scores.values()
        for table in sheet.tables
        for one in table.scores
        if one.value != round(one.value) and len(f"{one.value:g}") >= 6
    }
    shown = {cell for view in (overview(), *map(of_use, Use)) for table in tables_in(view)
             for row in rows(table) for cell in row}  # fmt: skip
    assert not scores & shown


def test_what_is_not_rated_stands_apart_and_is_called_best_nowhere() -> None:
    ratings = overview().ratings
    assert ratings is not None
    leaders = {row[0]: row[1] for row in rows(ratings.best)}
    views = [view for use in Use if (view := of_use(use)).provisional is not None]
    assert len(views) >= 3
    for view in views:
        assert view.provisional is not None
        apart = {row[0] for row in rows(view.provisional)}
        best = leaders[view.name]
        assert not any(re.search(rf"^{re.escape(name)} \d", best) for name in apart)


def test_coverage_adds_up_to_the_catalog() -> None:
    ratings = overview().ratings
    assert ratings is not None
    for row in rows(ratings.coverage):
        assert sum(map(int, row[1:5])) == len(CATALOG.models)


def test_every_type_of_quantization_has_its_loss_class_and_evidence() -> None:
    losses = overview().losses
    assert losses is not None
    cells = rows(losses.table)
    assert len(cells) == len(CATALOG.quantizations)
    by_name = {row[1]: row for row in cells}
    assert by_name["FP8"][0] == by_name["BF16"][0] == "0"
    assert int(by_name["Q2_K"][0]) > int(by_name["Q4_K_M"][0])
    assert by_name["BF16"][3] == "0"
    assert len(losses.drawing.series) >= 2


def test_the_words_of_the_page_are_those_of_the_policy() -> None:
    words = project().templates["quality.html"]
    assert f"average model in this catalog has {round(policy.CENTRE)} points" in words
    assert f"{round(policy.POINTS)} points are one standard deviation" in words
    assert policy.EVALUATOR_WEIGHT[Evaluator.MAKER] == 0.25
    assert "counts a quarter as much as an independent one" in words
    assert policy.FEWEST_BOARDS == 2
    assert policy.FEWEST_BOARDS_OVERALL == 4
    assert policy.FEWEST_BOARDS_OF_A_RATED == 1
    assert "overall rating if it has scores on four independent boards." in words
    assert "a rating for a use if it has scores on two, or on one and an overall rating" in words
    assert 13 < policy.WIDEST < 14
    assert "less than 14 points on either side" in words


@pytest.mark.parametrize("url", ["/quality/", "/quality/coding/"])
def test_the_twin_has_the_published_shape(url: str) -> None:
    from pydantic import TypeAdapter

    stated = found()[url].stated
    value = stated.value() if isinstance(stated, Lazy) else stated
    TypeAdapter(PAGE_SHAPES["quality"]).validate_python(value)


def test_a_catalog_without_scores_and_losses_says_so() -> None:
    bare = replace(CATALOG, scores={}, boards={}, losses={})
    (page,) = pages(replace(inputs(), catalog=bare, engine=FitEngine(bare)))
    assert page.view == QualityView(None, None)
